// The page around a live notebook: what is loaded and how far it is, whose version is shown, the way back.
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [back, said, loaded, restore, again] = ["back", "said", "loaded", "restore", "again"].map(id => document.getElementById(id));
  const main = document.querySelector("main");
  const say = text => { said.textContent = text; };
  const wanted = new URLSearchParams(location.search).get("notebook");
  const notebook = data.notebooks.find(each => each.path === wanted);
  const megabytes = bytes => `${Math.round(bytes / 1e6)} MB`;
  const weight = data.python.reduce((sum, [, bytes]) => sum + bytes, 0);

  /** A heading, and links below it; neither, if there are none. */
  function list(heading, links) {
    if (!links.length) return;
    main.appendChild(document.createElement("h1")).textContent = heading;
    const items = main.appendChild(document.createElement("ul"));
    for (const [address, words] of links) {
      const link = items.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
      link.href = address;
      link.textContent = words;
    }
  }

  if (notebook) {
    document.title = `${notebook.title}, live`;
    back.href = notebook.page ? `../${notebook.page}` : "start.html";
    back.textContent = notebook.page ? `← ${notebook.title}` : "← All notebooks";
  }
  if (location.protocol === "file:") {
    return say("Live notebooks need a web server; from a folder on disk a browser does not start Python. With a copy of the project: make serve.");
  }
  if (!notebook) {
    say(`${wanted ? `There is no notebook “${wanted}”. ` : ""}Choose a notebook. The first start loads ${megabytes(data.frontEnd + weight)}; later ones find most of it in the browser.`);
    const link = ({ path, title }) => [`?notebook=${encodeURIComponent(path)}`, `${path.match(/^\d\d/) ?? ""} ${title}`];
    for (const part of ["Chapters", "Homework", "More"]) {
      const links = data.notebooks.filter(each => each.part === part).map(link);
      list(part, part === "More" ? [...links, ...data.beside] : links);
    }
    return;
  }

  const frame = document.createElement("iframe");
  frame.title = `The notebook: ${notebook.title}`;
  frame.src = `notebooks/index.html?path=${encodeURIComponent(notebook.path)}`;

  // The kernel asks for the same files at the same time; the browser fetches each once. Here they are counted.
  async function count() {
    const todo = data.python.map(([name]) => name);
    let bytes = 0;
    loaded.max = weight;
    loaded.value = 0;  // without a value it would be drawn anew all the time
    loaded.hidden = false;
    const one = async () => {
      for (let name = todo.shift(); name; name = todo.shift()) {
        const answer = await fetch(`static/pyodide/${name}`);
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        const type = answer.headers.get("Content-Type");
        if (name.endsWith(".asm.wasm") && type !== "application/wasm") throw new Error(`this site sends ${name} as ${type}, but browsers want application/wasm`);
        loaded.value = bytes += (await answer.blob()).size;
      }
    };
    await Promise.all([one(), one(), one()]);
    loaded.hidden = true;
  }

  let broken = false;
  function failed(error) {
    broken = true;
    loaded.hidden = true;
    say(`This could not be loaded (${error.message}). Is there a connection? Reload the page to try again.`);
  }

  const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

  /** The notebook's panel in the frame, once its kernel is there. */
  async function panel() {
    for (;;) {
      const shown = frame.contentWindow.jupyterapp?.shell.currentWidget;
      if (shown?.context?.isReady && shown.sessionContext.session?.kernel) return shown;
      await pause(100);
    }
  }

  /** Wait until Python answers. */
  async function ready() {
    const shown = await panel();
    const { content } = await shown.sessionContext.session.kernel.requestExecute({ code: "", silent: true }).done;
    if (content.status !== "ok") throw new Error("Python did not start");
    if (!broken) say("Python is ready. Shift+Enter runs a cell; what you change is kept in this browser.");
    again.hidden = false;
  }

  function open() {
    again.hidden = true;
    main.replaceChildren(frame);
    return ready();
  }

  const contents = () => frame.contentWindow.jupyterapp.serviceManager.contents;

  /** Show what is stored now, with a new kernel. */
  async function reload() {
    say("Starting Python again.");
    const { context } = await panel();
    context.model.dirty = false;  // else it would be saved on its way out
    const reloaded = new Promise(done => frame.addEventListener("load", done, { once: true }));
    frame.contentWindow.location.reload();
    await reloaded;
    await ready();
  }

  let mine;
  again.onclick = async () => {
    again.hidden = true;
    const { context } = await panel();
    await context.save();
    mine = JSON.stringify(await contents().get(notebook.path, { content: true }));
    await contents().delete(notebook.path);  // the reader's copy: the book's version is below it
    restore.hidden = false;
    await reload();
  };
  restore.onclick = async () => {
    again.hidden = restore.hidden = true;
    await contents().save(notebook.path, JSON.parse(mine));
    await reload();
  };

  const seconds = Math.round((8 * (data.frontEnd + weight)) / 20e6);
  say(`Loading JupyterLite (${megabytes(data.frontEnd)}) and Python with its libraries (${megabytes(weight)}): the first time about ${seconds} s at 20 Mbit/s, and 10 to 40 s to start.`);
  const all = count().catch(failed);
  await open().catch(failed);
  await all;
})();
