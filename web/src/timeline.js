// The line of time: frames, what is loaded, trouble of the solver, where we are. Charts share it.
import { dragging, niceBelow, sharpContext, short, token } from "./drawing.js";

export class TimeAxis {
  start = 0;
  end = 1;
  get left() { return window.innerWidth < 760 ? 46 : 62; }
  right = 16;
  x(time, width) {
    return this.left + ((width - this.left - this.right) * (time - this.start)) / (this.end - this.start || 1);
  }
  time(x, width) {
    const part = (x - this.left) / (width - this.left - this.right);
    return this.start + Math.min(1, Math.max(0, part)) * (this.end - this.start);
  }
}

export class Timeline {
  marks = { retried: [], unfinished: [] };  // times [s]

  constructor(canvas, axis, player) {
    Object.assign(this, { canvas, axis, player });
    dragging(canvas, (x) => player.seekTime(axis.time(x, canvas.clientWidth)));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  draw() {
    const { axis, player } = this;
    const { context, width } = sharpContext(this.canvas);
    const x = (t) => axis.x(t, width);
    const bar = 12, thick = 4;
    context.fillStyle = token("--line");
    context.beginPath();
    context.roundRect(x(axis.start), bar - thick / 2, Math.max(0, x(axis.end) - x(axis.start)), thick, 2);
    context.fill();
    this.#ticks(context, width);
    context.globalAlpha = 0.45;
    context.fillStyle = token("--accent");
    player.frames.forEach(([index, time], i) => {  // loaded
      if (!player.isLoaded(index)) return;
      const next = player.frames[i + 1]?.[1] ?? time;
      context.fillRect(x(time), bar - thick / 2, Math.max(1.5, x(next) - x(time)), thick);
    });
    context.globalAlpha = 1;
    context.fillRect(x(axis.start), bar - thick / 2, x(player.time) - x(axis.start), thick);
    this.#trouble(context, this.marks.retried, "--warn", x, bar);
    this.#trouble(context, this.marks.unfinished, "--bad", x, bar);
    context.fillStyle = token("--accent");
    context.beginPath();
    context.arc(x(player.time), bar, 6.5, 0, 7);
    context.fill();
    context.strokeStyle = token("--card");
    context.lineWidth = 2;
    context.stroke();
    for (const [name, value] of [["min", axis.start], ["max", axis.end], ["now", player.time], ["text", `${short(player.time)} s`]])
      this.canvas.setAttribute(`aria-value${name}`, value);
  }

  #trouble(context, times, colour, x, bar) {
    context.fillStyle = token(colour);
    let last = -9;
    for (const t of times) {
      const at = Math.round(x(t));
      if (at - last < 2) continue;
      context.fillRect(at - 1, bar - 9, 2, 7);
      last = at;
    }
  }

  #ticks(context, width) {
    const { axis } = this;
    const span = axis.end - axis.start;
    if (!(span > 0)) return;
    const step = niceBelow((span / Math.max(2, width / 110)) * 1.99);
    context.fillStyle = token("--soft");
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "center";
    const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
    for (let t = Math.ceil(axis.start / step - 1e-9) * step; t <= axis.end + 1e-9 * span; t += step) {
      const at = axis.x(t, width);
      context.fillRect(at, 17, 1, 3);
      const text = t.toFixed(digits);
      context.fillText(text, Math.min(at, width - 2 - 0.5 * context.measureText(text).width), 28);
    }
    context.textAlign = "left";
    context.fillText("t [s]", 12, 28);
  }
}
