// Curves under the line of time: columns of metrics.csv, and of the body that was clicked.
import { palette } from "./colours.js";
import { dragging, element, niceBelow, sharpContext, short, token } from "./drawing.js";

const UNITS = { time: "s", dt: "s", liquid_volume: "m³", kinetic_energy: "J", potential_energy: "J",
  total_energy: "J", "momentum.x": "kg m/s", "momentum.y": "kg m/s", "momentum.z": "kg m/s",
  "angular_momentum.x": "kg m²/s", "angular_momentum.y": "kg m²/s", "angular_momentum.z": "kg m²/s",
  overlap: "m", void_volume: "m³", max_speed: "m/s" };
const SETS = [["Iterations", ["iterations"]], ["Residual", ["residual_mean", "residual_max"]],
  ["Time step", ["dt"]], ["Energy", ["total_energy", "potential_energy", "kinetic_energy"]],
  ["Momentum", ["momentum.x", "momentum.y", "momentum.z"]], ["Volume error", ["volume_error"]]];

/** A table that grows: named columns of numbers over time. */
export class Table {
  columns = [];
  units = {};
  times = new Float64Array(0);
  version = 0;       // counts changes
  #values = new Map();

  /** values: column after column. */
  append(columns, values, rows, from, units = {}) {
    this.units = units;
    ++this.version;
    if (from === 0) this.#values.clear();
    this.columns = columns;
    columns.forEach((name, c) => {
      const old = (this.#values.get(name) ?? new Float64Array(0)).subarray(0, from);
      const all = new Float64Array(from + rows);
      all.set(old);
      all.set(values.subarray(c * rows, (c + 1) * rows), from);
      this.#values.set(name, all);
    });
  }
  get rows() { return this.#values.size ? this.#values.values().next().value.length : 0; }
  values(name) { return this.#values.get(name); }
  /** The last row at or before a time. */
  row(time) {
    let a = 0, b = this.times.length;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (this.times[m] <= time + 1e-12) a = m;
      else b = m;
    }
    return a;
  }
}

class Chart {
  constructor(table, name, columns, axis, player) {
    Object.assign(this, { table, name, columns, axis, player });
    this.canvas = element("canvas");
    this.key = element("div", { className: "key" });
    this.root = element("div", { className: "chart" }, this.canvas, this.key);
    this.hover = null;
    dragging(this.canvas, (x) => player.seekTime(axis.time(x, this.canvas.clientWidth)), (x) => {
      this.hover = x === null ? null : axis.time(x, this.canvas.clientWidth);
      this.draw();
    });
  }

  #range() {
    let low = Infinity, high = -Infinity;
    for (const column of this.columns)
      for (const v of this.table.values(column) ?? []) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
    if (!(low <= high)) return [0, 1];
    if (low > 0 && low < 0.3 * high) low = 0;
    if (low === high) return [low - (Math.abs(low) || 1) * 0.5, high + (Math.abs(high) || 1) * 0.5];
    return [low - 0.06 * (high - low), high + 0.12 * (high - low)];
  }

  /** Range and curves; the same until rows come or the size changes, however many frames are played. */
  #curves(width, height) {
    const { axis, table } = this;
    const key = `${table.version} ${width} ${height} ${axis.left} ${axis.start} ${axis.end}`;
    if (this.#made.key === key) return this.#made;
    const [low, high] = this.#range();
    const y = (v) => height - 6 - ((height - 24) * (v - low)) / (high - low);
    const paths = this.columns.map((column) => this.#path(table.values(column) ?? [], y, width));
    return (this.#made = { key, low, high, y, paths });
  }
  #made = { key: "" };

  draw() {
    const { axis } = this;
    const { context, width, height } = sharpContext(this.canvas);
    const { low, high, y, paths } = this.#curves(width, height);
    const top = 18, bottom = height - 6;
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "right";
    const step = niceBelow((high - low) / 2);
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      context.fillStyle = token("--line");
      context.fillRect(axis.left, Math.round(y(v)), width - axis.left - axis.right, 1);
      context.fillStyle = token("--soft");
      context.fillText(short(Math.abs(v) < 1e-9 * step ? 0 : v, 3), axis.left - 6, y(v) + 3.5);
    }
    context.lineWidth = 1.5;
    paths.forEach((path, i) => {
      context.strokeStyle = palette(i);
      context.stroke(path);
    });
    context.fillStyle = token("--ink");
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(axis.x(this.player.time, width)), top - 4, 1, bottom - top + 6);
    if (this.hover !== null) context.fillRect(Math.round(axis.x(this.hover, width)), top, 1, bottom - top);
    context.globalAlpha = 1;
    this.#legend();
  }

  /** At most two points a pixel: the smallest and the largest value there. */
  #path(values, y, width) {
    const path = new Path2D();
    let pixel = null, last = 0, least = 0, most = 0, open = false, alone = false;
    const flush = () => {
      if (pixel === null) return;
      alone = !open;
      open ? path.lineTo(pixel, y(least)) : path.moveTo(pixel, y(least));
      if (most !== least) path.lineTo(pixel, y(most));
      open = true;
      pixel = null;
    };
    const end = () => {  // a single value is a dash
      flush();
      if (open && alone) path.lineTo(last + 3, y(most));
      open = alone = false;
    };
    for (let i = 0; i < values.length; ++i) {
      const v = values[i];
      if (Number.isNaN(v)) {
        end();
        continue;
      }
      const x = Math.round(2 * this.axis.x(this.table.times[i], width)) / 2;
      if (x !== pixel) {
        flush();
        last = pixel = x;
        least = most = v;
      } else {
        least = Math.min(least, v);
        most = Math.max(most, v);
      }
    }
    end();
    return path;
  }

  #legend() {
    const time = this.hover ?? this.player.time, row = this.table.row(time);
    this.key.replaceChildren(...this.columns.map((column, i) => {
      const value = this.table.values(column)?.[row];
      const unit = this.table.units[column] ?? UNITS[column] ?? "";
      return element("span", {}, element("i", { style: `background:${palette(i)}` }),
        `${this.name && i === 0 ? this.name + " " : ""}${column} `,
        element("b", {}, short(value, 6)), unit ? ` ${unit}` : "");
    }));
  }
}

export class Charts {
  metrics = new Table();
  #charts = new Map();  // key -> Chart
  #body = null;         // {name, table, sets}

  constructor(root, axis, player) {
    Object.assign(this, { axis, player });
    this.chips = root.querySelector("#chips");
    this.list = root.querySelector("#chart-list");
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  /** Adds rows that came from metrics.csv; redraws the chips if columns are new. */
  addMetrics({ header, arrays }) {
    const fresh = header.columns.length !== this.metrics.columns.length;
    this.metrics.append(header.columns, arrays.values, header.rows, header.from);
    this.metrics.times = this.metrics.values("time") ?? new Float64Array(0);
    if (fresh) {
      for (const name of ["Iterations", "Energy"]) this.#toggle(name, true);
      this.#drawChips();
    }
    this.draw();
  }

  /** Times at which the solver gave up early or a step was taken back. */
  trouble() {
    const at = (column, bad) => {
      const values = this.metrics.values(column) ?? [];
      const times = [];
      for (let i = 0; i < values.length; ++i) if (bad(values[i])) times.push(this.metrics.times[i]);
      return times;
    };
    return { unfinished: at("converged", (v) => v === 0), retried: at("retries", (v) => v > 0) };
  }

  /** The curves of a body: columns of vectors become one chart each. */
  setBody(name, table) {
    const had = [...this.#charts.keys()].filter((k) => k.startsWith("body:"));
    for (const key of had) this.#toggle(key, false);
    this.#body = null;
    if (table) {
      const sets = new Map();
      for (const column of table.columns) {
        if (table.values(column).every(Number.isNaN)) continue;
        const stem = column.replace(/\.[wxyz]$/, "");
        if (!sets.has(stem)) sets.set(stem, []);
        sets.get(stem).push(column);
      }
      this.#body = { name, table, sets };
      const wanted = had.length ? had.map((k) => k.slice(5)) : ["position", "force"];
      for (const stem of wanted) if (sets.has(stem)) this.#toggle(`body:${stem}`, true);
    }
    this.#drawChips();
    this.draw();
  }

  get shown() { return [...this.#charts.keys()]; }

  #columns(key) {
    if (key.startsWith("body:")) return this.#body.sets.get(key.slice(5));
    const set = SETS.find(([name]) => name === key);
    return (set ? set[1] : [key]).filter((c) => this.metrics.values(c));
  }

  #toggle(key, on) {
    const old = this.#charts.get(key);
    if (on === undefined) on = !old;
    if (on === Boolean(old)) return;
    if (old) {
      old.root.remove();
      this.#charts.delete(key);
      return;
    }
    const columns = this.#columns(key);
    if (!columns.length) return;
    const ofBody = key.startsWith("body:");
    const chart = new Chart(ofBody ? this.#body.table : this.metrics, ofBody ? `${this.#body.name}:` : "",
      columns, this.axis, this.player);
    this.#charts.set(key, chart);
    if (ofBody) this.list.prepend(chart.root);
    else this.list.append(chart.root);
  }

  toggle(key) {
    this.#toggle(key);
    this.#drawChips();
    this.#charts.get(key)?.root.scrollIntoView({ block: "nearest" });
    this.draw();
  }

  #drawChips() {
    const chip = (key, text) => {
      const button = element("button", { onclick: () => this.toggle(key) }, text);
      button.setAttribute("aria-pressed", String(this.#charts.has(key)));
      return button;
    };
    const chips = SETS.filter(([, columns]) => columns.some((c) => this.metrics.values(c)))
      .map(([name]) => chip(name, name));
    const inSets = new Set(SETS.flatMap(([, columns]) => columns));
    const others = this.metrics.columns.filter((c) => !inSets.has(c) && c !== "time" && c !== "step");
    for (const column of others) if (this.#charts.has(column)) chips.push(chip(column, column));
    chips.push(this.#more("More…", "Any column of metrics.csv",
      others.filter((c) => !this.#charts.has(c)).map((c) => [c, c])));
    if (this.#body) {
      const { name, sets } = this.#body;
      const usual = ["position", "velocity", "force", "torque"].filter((stem) => sets.has(stem));
      const words = (stem) => stem.replaceAll("_", " ");
      const rest = [...sets.keys()].filter((stem) => !usual.includes(stem));
      const shown = [...usual, ...rest.filter((stem) => this.#charts.has(`body:${stem}`))];
      for (const stem of shown) chips.push(chip(`body:${stem}`, `${name} ${words(stem)}`));
      chips.push(this.#more(`${name}: more…`, "Any other of this body's numbers",
        rest.filter((stem) => !shown.includes(stem)).map((stem) => [`body:${stem}`, words(stem)])));
    }
    this.chips.replaceChildren(...chips);
  }

  /** A list of charts that are not shown yet. */
  #more(text, title, choices) {
    const list = element("select", { title, hidden: choices.length === 0 }, element("option", { value: "" }, text),
      ...choices.map(([key, name]) => element("option", { value: key }, name)));
    list.onchange = () => list.value && this.toggle(list.value);
    return list;
  }

  draw() { for (const chart of this.#charts.values()) chart.draw(); }
}
