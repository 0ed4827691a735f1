// The panel beside the picture: colours, view, clipping, objects, and the body that was clicked.
import { css } from "./colours.js";
import { element, short } from "./drawing.js";

const NAMES = { angular_velocity: "turning" };

function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), ...children);
}

function row(label, ...children) {
  return element("div", { className: "row" }, element("label", {}, label), ...children);
}

/** Buttons of which one is pressed. */
function segments(choices, current, onChoice) {
  const buttons = choices.map(([value, text, title]) => {
    const button = element("button", { title: title ?? "" }, text);
    button.dataset.value = value;
    button.onclick = () => {
      press(value);
      onChoice(value);
    };
    return button;
  });
  const press = (value) => buttons.forEach((b) =>
    b.setAttribute("aria-pressed", String(b.dataset.value === String(value))));
  press(current);
  return Object.assign(element("div", { className: "segments" }, ...buttons), { press });
}

export class Panel {
  /** app: what the panel changes (main.js). */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.inspector = element("div");
    this.objects = element("section");
    root.replaceChildren(this.inspector, this.#colour(), this.#view(), this.#clip(), this.objects);
    this.#listObjects();
  }

  #colour() {
    const { app } = this;
    // A list that keeps the focus would take the space key.
    const chosen = (list, choose) => () => {
      choose(list().value);
      list().blur();
    };
    this.field = element("select", { id: "colour", onchange: chosen(() => this.field, (name) => app.setField(name)) });
    this.bodies = element("select", { id: "body-colour",
      onchange: chosen(() => this.bodies, (mode) => app.setBodyColour(mode)) },
    element("option", { value: "own" }, "own colour"), element("option", { value: "each" }, "each its own"),
    element("option", { value: "speed" }, "speed"));
    this.rangeMode = segments([["run", "run", "The frames seen so far, without the outermost 2 %"],
      ["frame", "frame", "This frame alone"], ["fixed", "fixed", "These two numbers"]], "run",
    (mode) => app.setRangeMode(mode));
    const number = (id) => element("input", { type: "number", step: "any", id,
      onchange: () => app.setFixedRange(this.least.valueAsNumber, this.most.valueAsNumber) });
    this.least = number("range-least");
    this.most = number("range-most");
    const rows = [];
    if (app.run.liquids.length) rows.push(row("Liquid", this.field));
    if (app.run.bodies.length) rows.push(row("Bodies", this.bodies));
    this.rangeRows = [row("Range", this.rangeMode), row("", this.least, "to", this.most)];
    return section("Colour", ...rows, ...this.rangeRows);
  }

  #view() {
    const { app } = this;
    const shape = segments([["spheres", "Spheres", "Particles as spheres (v)"],
      ["surface", "Surface", "The liquid's surface (v)"]], "spheres", (mode) => app.setSurface(mode === "surface"));
    this.shape = shape;
    if (app.source.embedded)
      Object.assign(shape.lastChild, { disabled: true, title: "An export holds no surfaces: open the run itself for them" });
    const directions = [["Fit", null, "All in the picture (f)"], ["X", [1, 0, 0]], ["Y", [0, 1, 0]], ["Z", [0, 0, 1]]];
    const from = element("div", { className: "segments" }, ...directions.map(([text, direction, title]) =>
      element("button", { title: title ?? `From ${text}; again: from the other side`,
        onclick: () => app.look(direction) }, text)));
    const rows = [];
    if (app.run.liquids.length) rows.push(row("Liquid", shape));
    rows.push(row("Look", from));
    return section("View", ...rows);
  }

  #clip() {
    const { app } = this;
    const part = element("input", { type: "range", min: 0, max: 1, step: 0.002, value: 0.5, id: "clip-place" });
    const flip = element("input", { type: "checkbox", id: "clip-flip" });
    let axis = "off";
    const change = () => app.setClip(axis, part.valueAsNumber, flip.checked);
    const choice = segments([["off", "off"], ["x", "x"], ["y", "y"], ["z", "z"]], "off", (value) => {
      axis = value;
      change();
    });
    choice.id = "clip-axis";
    part.oninput = flip.onchange = change;
    return section("Clip", row("Plane", choice), row("Place", part),
      row("", element("label", {}, flip, " other side")));
  }

  /** The fields a frame can be coloured by. */
  setFields(fields, current) {
    const names = ["", ...fields.map(([name]) => name)];
    if (this.names === String(names)) return;
    this.names = String(names);
    this.field.replaceChildren(...names.map((name) =>
      element("option", { value: name, selected: name === current }, name || "phase")));
    if (!names.includes("pressure"))
      this.field.append(element("option", { disabled: true, title: "output: {fields: [velocity, pressure]} writes it" },
        "pressure: not in output.fields"));
  }

  /** used: whether anything is coloured by it. */
  showRange([least, most], mode, used) {
    const fixed = mode === "fixed";
    for (const line of this.rangeRows) line.hidden = !used;
    for (const [input, value] of [[this.least, least], [this.most, most]]) {
      input.disabled = !fixed;
      if (document.activeElement !== input) input.value = Number(value.toPrecision(5));
    }
    this.rangeMode.press(mode);
  }

  // ---- objects ------------------------------------------------------------------------------------

  #listObjects() {
    const { app } = this;
    this.rows = [];
    const { liquids, objects, bodies } = app.run;
    const list = [];
    liquids.forEach((liquid, i) => list.push(this.#object(liquid.name, css(liquid.colour), { liquid: i })));
    objects.forEach((name, object) => {
      const members = bodies.flatMap((b, i) => (b.object === object ? [i] : []));
      if (!members.length) return;
      const colour = css(app.bodyColours()[members[0]]);
      const line = this.#object(name, colour, { bodies: members });
      list.push(line);
      if (members.length > 1 && members.length <= 300) list.push(this.#members(line, members));
    });
    const all = element("button", { className: "quiet", onclick: () => app.showAll() }, "show all");
    this.objects.replaceChildren(element("h2", {}, "Objects", all), ...list);
  }

  #object(name, colour, what) {
    const { app } = this;
    const text = element("span", { className: "name", title: name }, name);
    const line = element("div", { className: "object" },
      element("span", { className: "dot", style: `background:${colour}` }), text);
    if (what.bodies?.length > 1)
      line.append(element("span", { className: "count" }, `× ${what.bodies.length}`));
    line.append(
      element("button", { title: "Only this", onclick: () => app.isolate(what) }, "only"),
      element("button", { title: "Hide or show", className: "eye", onclick: () => app.toggleVisible(what) }, "hide"));
    if (what.bodies?.length === 1) text.onclick = () => app.choose(what.bodies[0]);
    this.rows.push({ line, what });
    return line;
  }

  #members(line, members) {
    const { app } = this;
    const box = element("div", { className: "members", hidden: true });
    line.querySelector(".name").onclick = () => {
      if (!box.childElementCount)
        box.append(...members.map((i) => this.#object(app.run.bodies[i].name, css(app.bodyColours()[i]),
          { bodies: [i] })));
      box.hidden = !box.hidden;
      this.refresh();
    };
    return box;
  }

  /** Marks what is hidden and what is chosen. */
  refresh() {
    const { app } = this, colours = app.bodyColours();
    for (const { line, what } of this.rows) {
      if (what.bodies) line.querySelector(".dot").style.background = css(colours[what.bodies[0]]);
      const off = !app.isVisible(what);
      line.classList.toggle("off", off);
      line.querySelector(".eye").textContent = off ? "show" : "hide";
      line.classList.toggle("chosen", what.bodies?.length === 1 && what.bodies[0] === app.chosen);
    }
  }

  // ---- the body that was clicked --------------------------------------------------------------------

  showBody(info, table, place) {
    if (!info) {
      this.inspector.replaceChildren();
      return;
    }
    const close = element("button", { className: "quiet", title: "Close (Esc)",
      onclick: () => this.app.choose(-1) }, "✕");
    const about = [info.kind, info.container ? "container" : "", info.mass > 0 ? `${short(info.mass, 6)} kg` : ""];
    this.inspector.replaceChildren(element("section", { id: "body" },
      element("h2", {}, "Body", close),
      element("div", {}, element("b", {}, info.name), " ",
        element("span", { className: "small" }, about.filter(Boolean).join(", "))),
      table ? this.#numbers(table, place) : element("div", { className: "small" }, "reading…")));
  }

  #numbers(table, place) {
    const stems = new Map();
    for (const column of table.columns) {
      const [, stem, part] = column.match(/^(.*?)(?:\.([wxyz]))?$/);
      if (!stems.has(stem)) stems.set(stem, {});
      stems.get(stem)[part] = table.values(column)[place];
    }
    const line = (head, cells, className = "") => element("tr", { className },
      element("th", {}, ...head), ...cells.map((c) => element("td", {}, c)));
    const lines = [line([""], ["x", "y", "z"], "head")];
    for (const [stem, v] of stems) {
      if (Number.isNaN(v.x)) continue;  // older runs do not tell forces
      const unit = table.units[`${stem}.x`], part = stem.match(/^(\w+)_(force|torque)$/);
      const head = part ? [part[1]] : [NAMES[stem] ?? stem, element("span", { className: "unit" }, unit ? ` ${unit}` : "")];
      lines.push(line(head, ["x", "y", "z"].map((k) => short(v[k])), part ? "part" : ""));
      lines.at(-1).title = `${stem.replaceAll("_", " ")}${unit ? ` [${unit}]` : ""}\n` +
        Object.entries(v).map(([k, x]) => `${k} = ${x}`).join("\n");
      if (v.w !== undefined) lines.push(line(["w"], [short(v.w), "", ""], "part"));
    }
    return element("table", { className: "numbers" }, ...lines);
  }
}
