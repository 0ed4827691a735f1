// The viewer's page: strings its parts together.
import { bodyColour, isSigned, mapColour, ownColour } from "./colours.js";
import { Bodies } from "./bodies.js";
import { Charts, Table } from "./charts.js";
import { element, oncePerPicture } from "./drawing.js";
import { FrameStore } from "./frames.js";
import { addKeys } from "./keys.js";
import { Liquid } from "./liquid.js";
import { Live } from "./live.js";
import { showCorner, showLegends, showMessage } from "./overlay.js";
import { Panel } from "./panel.js";
import { Player, SPEEDS } from "./player.js";
import { openSource } from "./source.js";
import { Box3, contextOf, Stage, Vector3 } from "./stage.js";
import { TimeAxis, Timeline } from "./timeline.js";
import { Visibility } from "./visibility.js";

const NARROW = 760;  // [px] as in style.css
const BODIES = "speed of bodies";  // its range, when no liquid is coloured by speed

const $ = (id) => document.getElementById(id);

class App {
  source = openSource();
  store = new FrameStore(this.source);
  axis = new TimeAxis();
  field = "";
  bodyMode = "own";
  rangeMode = "run";
  fixedRange = [0, 1];
  chosen = -1;
  surface = false;
  frame = null;          // the one shown
  #ranges = new Map();   // field -> [low, high] over the frames seen
  #bodyTable = null;
  #wanted = 0;           // frames, counted
  #displayed = 0;        // the last of them shown
  #fetching = 0;
  #wish = null;          // [place, index, ticket]
  #making = false;       // a surface
  #clip = ["off", 0.5, false];

  async start() {
    // All is asked for at once, and the first frame before WebGL starts, which is slow.
    const asked = [this.source.run(), this.source.status(0), this.source.meshes()];
    for (const answer of asked) answer.catch(() => {});  // told where they are waited for
    this.run = await asked[0];
    document.title = `${this.run.title} – Hydrolith`;
    $("title").textContent = this.run.title || "Hydrolith";
    this.player = new Player(this.store, { field: () => this.field, show: (place) => this.show(place),
      changed: () => this.drawTime() });
    this.timeline = new Timeline($("timeline"), this.axis, this.player);
    this.charts = new Charts($("charts"), this.axis, this.player);
    this.live = new Live(this);
    const status = await asked[1];
    this.live.apply(status);
    this.#askForFirst();
    this.stage = new Stage(contextOf($("canvas")), this.run);
    const meshes = await asked[2];
    // Half a spacing; discs as large as their share of the plane, which leaves no gaps.
    const radius = (this.run.dimensions === 2 ? Math.sqrt(1 / Math.PI) : 0.5) * this.run.spacing;
    this.liquid = new Liquid(this.stage, this.run.liquids, radius * this.source.part ** (-1 / this.run.dimensions));
    this.bodies = new Bodies(this.stage, this.run.bodies, meshes.arrays, this.bodyColours());
    this.stage.onDrawn = () => {
      this.drawnFrame = this.frame?.header.index;
      showCorner(this.stage);
    };
    this.stage.onRestored = () => {
      this.liquid.restore();
      if (this.frame) this.liquid.show(this.frame);
    };
    this.visibility = new Visibility(this);
    this.panel = new Panel($("panel"), this);
    this.#buttons();
    addKeys(this);
    await this.#firstPicture();
    this.live.start();
  }

  /** Fetches the first frame to show, coloured as the scene asks. */
  #askForFirst() {
    this.field = this.run.liquids.length ? (this.live.record?.colour_by === "pressure" ? "pressure" : "speed") : "";
    const { frames } = this.player;
    const first = frames[this.live.running ? frames.length - 1 : 0];
    if (first) this.store.get(first[0], this.field).catch(() => {});
  }

  /** The first frame; then the range of a few others. */
  async #firstPicture() {
    const { frames } = this.player;
    if (!frames.length) {
      $("loading").textContent = this.live.running ? "No frame yet: waiting for the first one…" : "This run has no frames.";
      return;
    }
    const places = [...frames.keys()];
    if (!(await this.#loadFirst(this.live.running ? places.reverse() : places))) {
      $("loading").textContent = "No frame of this run can be read.";
      return;
    }
    this.#frameCamera();
    this.stage.shown = true;
    $("loading").hidden = true;
    $("corner").hidden = false;
    this.stage.draw();  // at once: the browser's next picture may be long in coming while it starts
    this.ready = performance.now();
    const some = [0.25, 0.5, 0.75, 1].map((part) => frames[Math.floor(part * (frames.length - 1))][0]);
    const seen = this.subject.clone();
    for (const index of new Set(some))
      await this.store.get(index, this.field).then((f) => {
        this.#see(f);
        seen.union(this.#liquidBox(f));
      }).catch(() => {});
    this.#recolour();
    this.#widen(seen);
    this.settled = true;
  }

  /** The first of these that can be read, coloured as asked for or, where there is no such field, by phase. */
  async #loadFirst(places) {
    const asked = this.field;
    let damage = "";
    for (const place of places) {
      this.player.startAt(place);
      let fault;
      for (const field of new Set([asked, ""])) {
        this.field = field;
        try {
          await this.#load(place);
          if (damage) this.tell("frame", damage);
          return true;
        } catch (error) {
          fault = error;
        }
      }
      damage = fault.message;  // not the field alone
    }
    this.field = asked;
    this.tell("frame", damage);
    return false;
  }

  /** Looks at all that will be seen, unless somebody has begun to look around. */
  #widen(seen) {
    if (this.subject.clone().expandByScalar(0.05 * this.stage.reach).containsBox(seen)) return;
    this.subject.copy(seen);
    this.everything.union(seen);
    if (!this.stage.touched) this.stage.lookAt(this.subject);
  }

  #liquidBox({ header }) {
    if (!header.counts.some((n) => n > 0)) return new Box3();
    return new Box3(new Vector3(...header.lo), new Vector3(...header.hi)).expandByScalar(0.5 * this.run.spacing);
  }

  async #load(place) {
    const frame = await this.store.get(this.player.frames[place][0], this.field);
    this.#see(frame);
    this.#display(frame, place);
  }

  #frameCamera() {
    const { bodies } = this.run;
    const all = new Box3(), moving = new Box3();
    if (this.frame) {
      moving.union(this.#liquidBox(this.frame));
      const of = (test) => this.bodies.box(bodies.flatMap((b, i) => (test(b) ? [i] : [])));
      moving.union(of((b) => b.kind !== "static" && !b.container));
      const containers = of((b) => b.container), fixed = of((b) => b.kind === "static" && !b.container);
      all.union(moving).union(containers).union(fixed);
      const size = (box) => (box.isEmpty() ? 0 : box.getSize(new Vector3()).length());
      for (const [more, times] of [[containers, 12], [fixed, 2]])
        if (!more.isEmpty() && (moving.isEmpty() || size(more) < times * size(moving))) moving.union(more);
    }
    this.subject = moving.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : moving;
    this.everything = all.isEmpty() ? this.subject.clone() : all;
    this.stage.lookAt(this.subject);
    this.stage.addFloor(this.everything);
    this.setClip(...this.#clip);
    this.#themeStage();
  }

  // ---- a frame --------------------------------------------------------------------------------------

  /** While somebody drags, frames pass faster than they can be fetched: two at a time are on their way, each is shown
   *  when it comes, and then the newest wish is asked for. */
  show(place) {
    const index = this.player.frames[place][0], ticket = ++this.#wanted;
    const here = this.store.peek(index, this.field);
    this.#wish = null;
    if (here) {
      this.#displayed = ticket;
      this.#display(here, place);
    } else if (this.#fetching < 2) {
      this.#fetch(place, index, ticket);
    } else {
      this.#wish = [place, index, ticket];
    }
  }

  async #fetch(place, index, ticket) {
    ++this.#fetching;
    try {
      const frame = await this.store.get(index, this.field);
      if (ticket > this.#displayed && frame.header.field === (this.field || undefined)) {
        this.#displayed = ticket;
        this.#display(frame, place);
      }
    } catch (error) {
      if (ticket === this.#wanted) this.tell("frame", `Frame ${index}: ${error.message}`);
    }
    --this.#fetching;
    const wish = this.#wish;
    this.#wish = null;
    if (wish) this.#fetch(...wish);
  }

  #display(frame, place) {
    this.frame = frame;
    this.tell("frame", frame.header.left_out
      ? `Frame ${frame.header.index}: ${frame.header.left_out} particles have no finite position and are not shown` : "");
    this.#see(frame);
    this.panel.setFields(frame.header.fields, this.field);
    this.liquid.show(frame);
    this.bodies.show(frame.poses);
    if (this.surface) this.#showSurface();
    this.#recolour();
    this.panel.showBody(this.run.bodies[this.chosen], this.#bodyTable, place);
    this.drawTime();
  }

  /** One at a time: while a surface is made, only the newest wish is remembered. */
  async #showSurface() {
    if (this.#making) return;
    this.#making = true;
    const wish = () => `${this.frame.header.index} ${this.field}`;
    const { index } = this.frame.header, wished = wish();
    try {
      const surface = await this.source.surface(index, this.field);
      if (this.surface) this.liquid.showSurface(surface);
      this.surfaceShown = index;
      this.#recolour();
      this.tell("surface", "");
    } catch (error) {
      this.tell("surface", `Surface: ${error.message}`);
    }
    this.#making = false;
    if (this.surface && wish() !== wished) this.#showSurface();
  }

  /** The range over the run grows with what is seen. */
  #see(frame) {
    const fastest = frame.speeds.reduce((a, b) => (b > a ? b : a), 0);  // NaN: left out
    this.#ranges.set(BODIES, [0, Math.max(this.#ranges.get(BODIES)?.[1] ?? 0, fastest)]);
    const { field, range } = frame.header;
    if (!field) return;
    let [, , low, high] = range;
    if (low > 0 && low < 0.25 * high) low = 0;
    if (isSigned(field)) [low, high] = [-Math.max(-low, high), Math.max(-low, high)];
    const old = this.#ranges.get(field) ?? [Infinity, -Infinity];
    this.#ranges.set(field, [Math.min(old[0], low), Math.max(old[1], high)]);
  }

  range() {
    if (this.rangeMode === "fixed") return this.fixedRange;
    if (this.rangeMode === "frame" && this.frame) {
      const [least, most] = this.frame.header.range ?? [0, this.frame.speeds.reduce((a, b) => (b > a ? b : a), 0)];
      return most > least ? [least, most] : [least, least + 1];
    }
    const [low, high] = this.#ranges.get(this.#scale) ?? [0, 1];
    return high > low ? [low, high] : [low, low + 1];
  }

  #recolour() {
    const range = this.range();
    this.liquid.setColour(this.field, range);
    if (this.bodyMode === "speed") this.bodies.setColours(this.bodyColours());
    this.panel.showRange(range, this.rangeMode, this.#scale !== "");
    const legends = this.liquid.isMapped ? [[this.field, this.frame?.header.unit, range]] : [];
    if (this.bodyMode === "speed" && this.field !== "speed") legends.push(["speed", "m/s", this.#bodyRange(), "bodies: "]);
    showLegends(legends);
  }

  /** What the range is of: the liquid's field, or without one the speed of bodies. */
  get #scale() { return this.field || (this.bodyMode === "speed" ? BODIES : ""); }
  #bodyRange() { return this.field && this.field !== "speed" ? [0, this.#ranges.get(BODIES)?.[1] || 1] : this.range(); }

  // ---- what the panel changes -----------------------------------------------------------------------

  setField(field) {
    this.field = field;
    this.panel.field.value = field;
    this.player.seek(this.player.place);
    this.#recolour();
  }

  setRangeMode(mode) {
    if (mode === "fixed") this.fixedRange = this.range();
    this.rangeMode = mode;
    this.#recolour();
  }

  setFixedRange(least, most) {
    if (!(most > least)) {
      this.tell("range", "The range must go up: the first number below the second");
      return;
    }
    this.tell("range", "");
    this.fixedRange = [least, most];
    this.#recolour();
  }

  bodyColours() {
    const { bodies } = this.run;
    if (this.bodyMode === "each") return bodies.map((b, i) => (b.container ? ownColour(b, i) : bodyColour(i)));
    if (this.bodyMode !== "speed" || !this.frame) return bodies.map(ownColour);
    const { speeds } = this.frame, [least, most] = this.#bodyRange();
    return bodies.map((b, i) =>
      (b.kind === "static" ? ownColour(b, i) : mapColour("speed", (speeds[i] - least) / (most - least))));
  }

  setBodyColour(mode) {
    this.bodyMode = mode;
    this.bodies.setColours(this.bodyColours());
    this.panel.refresh();
    this.#recolour();
  }

  setSurface(on) {
    this.surface = on;
    this.liquid.surfaceShown = on;
    this.panel.shape.press(on ? "surface" : "spheres");
    this.#recolour();
    if (on) this.#showSurface();
  }

  setClip(axis, part, flip) {
    this.#clip = [axis, part, flip];
    const clip = this.stage.uniforms.clip.value;
    if (axis === "off") clip.set(0, 0, 0, 1);
    else {
      const box = this.everything, sign = flip ? -1 : 1;
      const place = box.min[axis] + part * (box.max[axis] - box.min[axis]);
      clip.set(0, 0, 0, sign * place);
      clip[axis] = sign;
    }
    this.stage.redraw();
  }

  look(direction) {
    if (!direction) {
      this.stage.lookAt(this.subject, false);
      return;
    }
    const towards = this.stage.camera.position.clone().sub(this.stage.controls.target).normalize();
    const same = towards.dot(new Vector3(...direction)) > 0.99;
    this.stage.lookAlong(same ? direction.map((x) => -x) : direction);
  }

  isVisible(what) { return this.visibility.has(what); }
  toggleVisible(what) { this.visibility.toggle(what); }
  isolate(what) { this.visibility.only(what); }
  showAll() { this.visibility.all(); }

  // ---- the body that was clicked ----------------------------------------------------------------------

  async choose(body) {
    this.chosen = body;
    this.#bodyTable = null;
    this.bodies.choose(body);
    this.panel.refresh();
    const info = this.run.bodies[body];
    this.panel.showBody(info, null, 0);
    $("panel").scrollTop = 0;  // where the body's numbers are
    if (!info) {
      this.charts.setBody("", null);
      return;
    }
    if ($("panel").hidden && window.innerWidth >= NARROW) this.togglePanel();
    await this.#readBody(true);
  }

  /** All frames of the chosen body, or those that came since. */
  async #readBody(anew) {
    const body = this.chosen;
    try {
      const from = anew ? 0 : (this.#bodyTable?.rows ?? 0);
      const { header, arrays } = await this.source.body(body, from);
      if (body !== this.chosen) return;
      const table = anew ? new Table() : this.#bodyTable;
      const names = header.columns.map(([name]) => name), n = names.length;
      const rows = arrays.values.length / n;
      const byColumn = new Float64Array(arrays.values.length);
      for (let r = 0; r < rows; ++r)
        for (let c = 0; c < n; ++c) byColumn[c * rows + r] = arrays.values[r * n + c];
      table.append(names, byColumn, rows, header.from, Object.fromEntries(header.columns));
      table.times = Float64Array.from(this.player.frames.slice(0, table.rows), ([, t]) => t);
      this.#bodyTable = table;
      if (anew) this.charts.setBody(this.run.bodies[body].name, table);
      this.panel.showBody(this.run.bodies[body], table, this.player.place);
      this.tell("body", "");
    } catch (error) {
      if (body === this.chosen) this.tell("body", error.message);
    }
  }

  get bodyTable() { return this.#bodyTable; }

  // ---- what arrives while a run goes on -----------------------------------------------------------------

  /** New frames were listed; `atEnd`: we looked at the newest before. */
  async framesArrived(atEnd) {
    if (!this.frame) {
      await this.#firstPicture();
      return;
    }
    if (this.chosen >= 0) await this.#readBody(false);
    if (atEnd && !this.player.playing) this.player.seek(this.player.frames.length - 1);
    else this.drawTime();
  }

  metricsArrived() {
    this.timeline.marks = this.charts.trouble();
    const { unfinished, retried } = this.timeline.marks;
    const parts = [];
    if (unfinished.length) parts.push(`${unfinished.length} steps did not converge`);
    if (retried.length) parts.push(`${retried.length} steps taken back`);
    $("marks").textContent = parts.length ? `▍ ${parts.join(", ")}` : "";
    this.drawTime();
  }

  // ---- time and frame around the picture ------------------------------------------------------------------

  drawTime() {
    const { player } = this;
    const last = player.frames.at(-1)?.[1] ?? 0;
    const { times } = this.charts.metrics;
    this.axis.start = player.frames[0]?.[1] ?? 0;
    this.axis.end = Math.max(last, times.at(-1) ?? 0, this.axis.start + 1e-9);
    $("play-icon").setAttribute("d", player.playing ? "M3 2h4v12H3zM9 2h4v12H9z" : "M4 2v12l9-6z");
    $("speed").value = String(player.speed);
    const usual = (last - this.axis.start) / Math.max(1, player.frames.length - 1);  // [s] from frame to frame
    const digits = usual > 0 ? Math.min(9, Math.max(3, Math.ceil(0.5 - Math.log10(usual)))) : 3;
    $("clock").replaceChildren(`${player.time.toFixed(digits)} s`, element("small", {},
      `of ${last.toFixed(digits)} s · frame ${player.index ?? "–"} of ${player.frames.at(-1)?.[0] ?? "–"}` +
      (this.frame ? ` · step ${this.frame.header.step}` : "")));
    this.#drawCurves();
  }
  #drawCurves = oncePerPicture(() => {
    this.timeline.draw();
    this.charts.draw();
  });

  /** Says something above the picture; an empty text takes it back. */
  tell(kind, text) { showMessage(kind, text); }

  // ---- buttons --------------------------------------------------------------------------------------------

  #buttons() {
    const { player } = this;
    $("play").onclick = () => player.toggle();
    $("to-start").onclick = () => player.seek(0);
    $("to-end").onclick = () => player.seek(player.frames.length - 1);
    $("back").onclick = () => player.step(-1);
    $("forward").onclick = () => player.step(1);
    $("speed").append(...SPEEDS.map((s) => element("option", { value: s }, `${s} ×`)));
    $("speed").onchange = () => {
      player.speed = Number($("speed").value);
      $("speed").blur();
    };
    $("charts-button").onclick = () => this.toggleCharts();
    $("panel-button").onclick = () => this.togglePanel();
    $("theme-button").onclick = () => this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    if (window.innerWidth < NARROW) this.togglePanel();
    if (window.innerHeight < 560) this.toggleCharts();
    $("charts-button").setAttribute("aria-pressed", String(!$("charts").hidden));
    this.#clicks($("canvas"));
  }

  /** A click that did not drag chooses a body; a second one turns the view around it, wherever the body is then:
   *  its curves take room from the picture. */
  #clicks(canvas) {
    let down = [0, 0];
    const pick = (event) => {
      const box = canvas.getBoundingClientRect();
      return this.bodies.pick((2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height);
    };
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("click", (event) => {
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      if (event.detail === 2) {
        if (this.chosen >= 0) this.stage.turnAround(this.bodies.box([this.chosen]).getCenter(new Vector3()));
        return;
      }
      const body = pick(event);
      if (body !== this.chosen) this.choose(body);
    });
  }

  toggleCharts() {
    $("charts").hidden = !$("charts").hidden;
    $("charts-button").setAttribute("aria-pressed", String(!$("charts").hidden));
    this.drawTime();
  }

  togglePanel() { $("panel").hidden = !$("panel").hidden; }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    this.#themeStage();
    this.drawTime();
  }

  #themeStage() {
    if (!this.stage) return;
    const dark = document.documentElement.dataset.theme === "dark";
    this.stage.uniforms.veil.value = dark ? 0.14 : 0.5;
    if (this.stage.floor) this.stage.floor.material.uniforms.ink.value = dark ? 0.8 : 0.25;
    this.stage.redraw();
  }
}

document.documentElement.dataset.theme =
  window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const app = new App();
window.viewer = app;  // for the tests, and for the curious
app.start().catch((error) => {
  $("loading").textContent = "";
  app.tell("start", error.message);
  console.error(error);
});
