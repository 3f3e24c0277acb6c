// Shows what explorer.py recorded: fills the holes in each artist's SVG with the numbers of a setting.
// It knows no formula, no axis and no kind of artist. The interface is anywidget's: render({model, el}).

const HOLES = /[\ue000-\ue00f]/g;
const COLOUR = "\ue00f";

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** What packing.py packed, as a function from a setting (a place on each grid axis) to its text. */
function reader({ groups, axes, index }, sizes, theme) {
  const running = (steps) => { let sum = 0; return steps.map((step) => (sum += step)); };
  const places = running(index);
  const tables = groups.map(([template, steps, rows, columns]) => {
    const cells = new Int32Array(steps);
    for (let i = 0; i < cells.length; i++) {
      const left = i % columns ? cells[i - 1] : 0;
      const up = i >= columns ? cells[i - columns] : 0;
      const both = i % columns && i >= columns ? cells[i - columns - 1] : 0;
      cells[i] += left + up - both;
    }
    return { template, rows, columns, cells };
  });
  const written = (hole, number) => {
    if (hole !== COLOUR) {
      const decimals = hole.charCodeAt(0) - 0xe000;
      return (number / 10 ** decimals).toFixed(decimals);
    }
    return number < 0 ? theme[-1 - number] : "#" + number.toString(16).padStart(6, "0");
  };
  return (at) => {
    let row = places[at.reduce((place, step, axis) => (axes[axis] ? place * sizes[axis] + step : place), 0)];
    const table = tables.find(({ rows }) => row < rows || ((row -= rows), false));
    let next = row * table.columns;
    return table.template.replace(HOLES, (hole) => written(hole, table.cells[next++]));
  };
}

/** The place of a value on the grid: the nearest number, or the same string. */
function placeOf(value, values) {
  const same = values.indexOf(value);
  if (same >= 0 || typeof values[0] !== "number" || !Number.isFinite(Number(value))) return same;
  const off = values.map((v) => Math.abs(v - value));
  return off.indexOf(Math.min(...off));
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

async function render({ model, el }) {
  const { parameters, start, play, slots, caption, theme } = await inflate(model.get("_payload"));
  if (!el.querySelector("svg")) el.innerHTML = model.get("_html"); // a page has it already
  el.classList.add("gl-explorer");
  if (!parameters.length) return;

  const svg = el.querySelector("svg");
  const said = el.querySelector(".gl-caption");
  const nodes = svg.querySelectorAll("[data-slot]");
  const sizes = parameters.map(({ values }) => values.length);
  const artists = slots.map((slot, i) => ({ node: nodes[i], read: reader(slot, sizes, theme), shown: null }));
  const sentence = reader(caption, sizes, theme);
  const at = [...start];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let timer = 0;

  const sliders = parameters.map(({ name, label }, n) => {
    const input = element("input", { type: "range", name, min: 0, max: sizes[n] - 1, step: 1 });
    input.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes the arrow keys
    input.addEventListener("input", () => { stop(); choose(n, Number(input.value)); });
    const value = element("span", { className: "gl-value", ariaHidden: "true" }); // the slider says it
    const named = element("label", {}, element("span", {}, label), input);
    const box = element("div", { className: "gl-control" }, named, value);
    return { box, input, value };
  });
  svg.after(element("div", { className: "gl-controls" }, ...sliders.map(({ box }) => box)));
  said.ariaLive = "polite";

  function draw() {
    for (const artist of artists) {
      const picture = artist.read(at);
      if (picture !== artist.shown) artist.node.innerHTML = artist.shown = picture;
    }
    sliders.forEach(({ input, value }, n) => {
      const text = parameters[n].texts[at[n]];
      input.value = at[n];
      input.ariaValueText = value.textContent = text;
    });
    said.textContent = sentence(at);
    svg.ariaLabel = said.textContent;
  }

  function choose(n, i) {
    at[n] = i;
    draw();
    model.set(parameters[n].name, parameters[n].values[i]);
    model.save_changes();
  }

  const button = element("button", { type: "button", className: "gl-play" });
  const idle = calm ? "Step" : "Play";

  function stop() {
    if (!timer) return;
    clearInterval(timer);
    timer = 0;
    el.classList.remove("gl-playing");
    button.textContent = idle;
    said.ariaLive = "polite";
    model.save_changes();
  }

  if (play !== null) {
    const last = sizes[play] - 1;
    const step = () => choose(play, at[play] < last ? at[play] + 1 : 0);
    button.textContent = idle;
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (calm) return step();
      el.classList.add("gl-playing");
      button.textContent = "Pause";
      said.ariaLive = "off"; // a screen reader should not talk all the time
      step();
      timer = setInterval(() => (at[play] < last ? step() : stop()), Math.min(600, Math.max(60, 6000 / last)));
    });
    sliders[play].box.prepend(button);
  }

  const follow = () => {
    const before = String(at);
    parameters.forEach(({ name, values }, n) => {
      const i = placeOf(model.get(name), values);
      if (i >= 0) at[n] = i;
    });
    if (String(at) !== before) draw();
  };
  parameters.forEach(({ name }) => model.on(`change:${name}`, follow));
  follow();
  draw();
  return () => {
    clearInterval(timer);
    parameters.forEach(({ name }) => model.off(`change:${name}`, follow));
  };
}

export default { render };
