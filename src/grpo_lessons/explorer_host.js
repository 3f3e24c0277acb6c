// A page without a kernel: what a widget's model does, over the data beside each figure; and links to a setting,
// #silent:G=4,p=0.5. standalone.py puts explorer.js, which defines render, before this.

function modelOf(el) {
  const bytes = Uint8Array.from(atob(el.querySelector("script").textContent), (c) => c.charCodeAt(0));
  const setting = {};
  const changes = new EventTarget();
  let writing;
  const write = () => {
    const pairs = Object.entries(setting).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    history.replaceState(history.state, "", `#${el.id}:${pairs}`);
  };
  return {
    get: (key) => (key === "_payload" ? bytes : setting[key]),
    set(key, value) {
      setting[key] = value;
      changes.dispatchEvent(new Event(`change:${key}`));
    },
    save_changes() {
      clearTimeout(writing); // browsers refuse more than a few changes of the address a second
      if (!el.classList.contains("gl-playing")) writing = setTimeout(write, 200);
    },
    on: (event, listener) => changes.addEventListener(event, listener),
    off: (event, listener) => changes.removeEventListener(event, listener),
  };
}

const models = new Map();

/** Show the setting that the address names. */
function follow() {
  const [id, setting] = location.hash.slice(1).split(":");
  const model = models.get(id);
  if (!model || !setting) return;
  for (const [key, value] of new URLSearchParams(setting.replaceAll(",", "&"))) model.set(key, value);
  document.getElementById(id).scrollIntoView();
}

for (const el of document.querySelectorAll("div.gl-explorer:has(> script)")) models.set(el.id, modelOf(el));
follow();
Promise.all([...models].map(([id, model]) => render({ model, el: document.getElementById(id) }))).then(follow);
addEventListener("hashchange", follow);
