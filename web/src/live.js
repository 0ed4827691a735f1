// A run in progress: asks once a second what is new, and tells how far it is.
import { duration } from "./drawing.js";

const STALE = 60;  // [s] without a word from a run that says it is running

export class Live {
  record = null;
  #rows = 0;
  #generation = 0;
  #seen = [];        // [wall s, simulated s] of the last half minute
  #app;

  constructor(app) { this.#app = app; }

  get running() { return this.record?.state === "running"; }

  /** Takes over what the server says; true if there are new frames. */
  apply(status) {
    const { player } = this.#app;
    try {
      this.record = JSON.parse(status.record);
    } catch {
      this.record = null;  // being written, or none
    }
    const before = player.frames.length;
    const news = status.frames.length > 0 || status.count < before;
    if (status.count < before) {  // the run was begun anew, or goes on from an earlier frame
      player.frames = [];
      this.#app.store.forget();
    }
    if (news) player.setFrames(status.from, status.frames);
    this.#tellState(status);
    this.#app.tell("metrics", status.trouble ?? "");
    return news;
  }

  start() {
    this.#metrics();
    if (this.#app.source.embedded) return;
    const again = async () => {
      await this.#ask();
      setTimeout(again, this.running || !this.#app.frame ? 1000 : 3000);
    };
    setTimeout(again, 1000);
  }

  async #ask() {
    const { player, source } = this.#app;
    try {
      const atEnd = player.atEnd;
      const status = await source.status(player.frames.length);
      this.#app.tell("server", "");
      const news = this.apply(status);
      if (status.rows !== this.#rows || status.generation !== this.#generation) await this.#metrics();
      if (news) await this.#app.framesArrived(atEnd);
    } catch (error) {
      this.#app.tell("server", error instanceof TypeError
        ? "The viewer does not answer any more: was it stopped? Start it again with `hydrolith view`."
        : error.message);
    }
  }

  async #metrics() {
    const { charts, source } = this.#app;
    try {
      let packet = await source.metrics(this.#rows);
      if (packet.header.generation !== this.#generation && packet.header.from > 0)
        packet = await source.metrics(0);
      this.#generation = packet.header.generation;
      this.#rows = packet.header.from + packet.header.rows;
      charts.addMetrics(packet);
      this.#app.metricsArrived();
    } catch (error) {
      this.#app.tell("metrics", error.message);
    }
  }

  #tellState({ time, quiet, running_for: runningFor }) {
    const chip = document.getElementById("state"), bar = document.getElementById("progress");
    const { record } = this;
    chip.hidden = !record;
    bar.hidden = !this.running;
    if (!record) return;
    chip.classList.toggle("bad", /failed|killed/.test(record.state) || (this.running && quiet > STALE));
    chip.title = record.message || (/killed|interrupted/.test(record.state) ? "`hydrolith resume` goes on with it" : "");
    this.#app.tell("state", record.state === "failed" ? record.message || "The run failed: see its log.txt" : "");
    const warnings = record.warnings ?? [];  // older runs have none
    const before = warnings.length > 1 ? ` (${warnings.length - 1} before it: see log.txt)` : "";
    this.#app.tell("warning", warnings.length > 0 ? `Warning: ${warnings.at(-1)}${before}` : "");
    if (!this.running) {
      chip.textContent = record.state;
      return;
    }
    if (quiet > STALE) {
      chip.textContent = `no news for ${duration(quiet)}`;
      return;
    }
    const part = Math.min(1, (time ?? 0) / record.duration);
    const left = this.#timeLeft(time ?? 0, runningFor);
    bar.firstChild.style.width = `${100 * part}%`;
    chip.textContent = `running, ${Math.floor(100 * part)} %${left ? `, ${left} left` : ""}`;
  }

  /** By the pace of the last half minute; at first, by that of the whole run. */
  #timeLeft(time, runningFor) {
    const now = performance.now() / 1000;
    this.#seen.push([now, time]);
    while (this.#seen.length > 2 && now - this.#seen[0][0] > 30) this.#seen.shift();
    const [then, before] = this.#seen[0];
    const pace = now - then > 5 ? (time - before) / (now - then) : time / runningFor;
    return pace > 0 ? duration((this.record.duration - time) / pace) : "";
  }
}
