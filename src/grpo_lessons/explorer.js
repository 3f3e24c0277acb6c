// Shows what was recorded (figures.py): fills the holes in each artist's SVG with the numbers of a setting.
// It knows no formula, no axis and no kind of artist. The interface is anywidget's: render({model, el}).

const HOLES = /[\ue000-\ue00f]/g;
const COLOUR = "\ue00f";

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** A packed table's cells, of which it holds the differences from the left and from above. */
function summed(steps, columns) {
  const cells = new Int32Array(steps);
  for (let i = 0; i < cells.length; i++) {
    const left = i % columns ? cells[i - 1] : 0;
    const above = i >= columns ? cells[i - columns] : 0;
    const both = i % columns && i >= columns ? cells[i - columns - 1] : 0;
    cells[i] += left + above - both;
  }
  return cells;
}

/** What packing.py packed, as a function from a setting (a place on each grid axis) to its text. */
function reader({ groups, axes, index }, sizes, theme) {
  const tables = groups.map(([text, steps, rows, columns]) => ({ text, rows, columns, cells: summed(steps, columns) }));
  const places = summed(index, 1);
  const written = (hole, number) => {
    const decimals = hole.charCodeAt(0) - 0xe000;
    if (hole !== COLOUR) return (number / 10 ** decimals).toFixed(decimals);
    return number < 0 ? theme[-1 - number] : "#" + number.toString(16).padStart(6, "0");
  };
  return (at) => {
    let row = places[at.reduce((place, step, axis) => (axes[axis] ? place * sizes[axis] + step : place), 0)];
    let group = 0;
    while (row >= tables[group].rows) row -= tables[group++].rows;
    const { text, columns, cells } = tables[group];
    let next = row * columns;
    return text.replace(HOLES, (hole) => written(hole, cells[next++]));
  };
}

/** The place of a value on the grid, or of the number nearest to it; -1 for none. */
function placeOf(value, values) {
  const same = values.indexOf(value);
  if (same >= 0 || typeof values[0] !== "number" || Number.isNaN(parseFloat(value))) return same;
  const off = values.map((other) => Math.abs(other - value));
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
  const artists = slots.map((slot, i) => ({ node: nodes[i], read: reader(slot, sizes, theme), shown: "" }));
  const sentence = reader(caption, sizes, theme);
  const at = [...start];

  const sliders = parameters.map(({ name, label }, n) => {
    const input = element("input", { type: "range", name, max: sizes[n] - 1 });
    input.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes the arrow keys
    input.addEventListener("input", () => {
      pause();
      choose(n, Number(input.value));
    });
    const value = element("span", { className: "gl-value", ariaHidden: "true" }); // the slider says it
    const labelled = element("label", {}, element("span", {}, label), input);
    return { input, value, box: element("div", { className: "gl-control" }, labelled, value) };
  });
  svg.after(element("div", { className: "gl-controls" }, ...sliders.map(({ box }) => box)));

  function draw() {
    for (const artist of artists) {
      const picture = artist.read(at);
      if (picture !== artist.shown) artist.node.innerHTML = artist.shown = picture;
    }
    sliders.forEach(({ input, value }, n) => {
      input.value = at[n];
      input.ariaValueText = value.textContent = parameters[n].texts[at[n]];
    });
    svg.ariaLabel = said.textContent = sentence(at);
  }

  function choose(n, place) {
    at[n] = place;
    draw();
    model.set(parameters[n].name, parameters[n].values[place]);
    model.save_changes();
  }

  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const button = element("button", { type: "button", className: "gl-play" });
  let timer = 0;

  function say(word, live) {
    button.textContent = word;
    button.ariaLabel = `${word} ${parameters[play]?.label}`;
    said.ariaLive = live;
    el.classList.toggle("gl-playing", live === "off");
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    say(calm ? "Step" : "Play", "polite");
  }

  function step() {
    choose(play, (at[play] + 1) % sizes[play]);
  }

  function run() {
    say("Pause", "off"); // a screen reader should not talk all the time
    step();
    timer = setInterval(() => {
      if (at[play] < sizes[play] - 1) return step();
      pause();
      model.save_changes();
    }, Math.min(600, Math.max(60, 6000 / sizes[play])));
  }

  if (play !== null) {
    sliders[play].box.prepend(button);
    button.addEventListener("click", () => (timer ? pause() : calm ? step() : run()));
  }

  function follow() {
    const before = String(at);
    parameters.forEach(({ name, values }, n) => {
      const place = placeOf(model.get(name), values);
      if (place >= 0) at[n] = place;
    });
    if (String(at) !== before) draw();
  }

  pause();
  draw();
  follow();
  parameters.forEach(({ name }) => model.on(`change:${name}`, follow));
  return () => {
    clearInterval(timer);
    parameters.forEach(({ name }) => model.off(`change:${name}`, follow));
  };
}

export default { render };
