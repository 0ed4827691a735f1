// Which frame is shown, and when the next one is.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Player {
  frames = [];       // [index, time], ascending
  place = 0;         // in frames
  playing = false;
  speed = 1;         // simulated seconds a second
  #clock = 0;        // [s] simulated, while playing
  #last = 0;
  #later = 0;

  /** store: FrameStore; field(): what is coloured by; show(place): draws a frame that is there or
   *  comes; changed(): tells the controls. */
  constructor(store, { field, show, changed }) {
    Object.assign(this, { store, field, show, changed });
  }

  get time() { return this.frames[this.place]?.[1] ?? 0; }
  get index() { return this.frames[this.place]?.[0]; }
  get atEnd() { return this.place >= this.frames.length - 1; }
  isLoaded(index) { return this.store.has(index, this.field()); }

  /** Frames whose time could not be read get one between their neighbours. */
  setFrames(from, list) {
    this.frames = this.frames.slice(0, from).concat(list.map(([i, t]) => [i, t]));
    const known = this.frames.filter(([, t]) => t !== null);
    const usual = known.length > 1 ? (known.at(-1)[1] - known[0][1]) / (known.length - 1) : 0.04;
    this.frames.forEach((frame, i) => {
      if (frame[1] === null) frame[1] = i > 0 ? this.frames[i - 1][1] + usual : 0;
    });
    this.place = Math.min(this.place, Math.max(0, this.frames.length - 1));
  }

  /** Where to begin; nothing is drawn yet. */
  startAt(place) {
    this.place = place;
    this.#clock = this.time;
  }

  seek(place) {
    if (this.frames.length === 0) return;
    this.place = Math.min(this.frames.length - 1, Math.max(0, place));
    this.#clock = this.time;
    this.show(this.place);
    clearTimeout(this.#later);  // first the picture, then what may come
    this.#later = setTimeout(() => this.#prefetch(), 400);
    this.changed();
  }

  /** The frame nearest in time. */
  seekTime(time) {
    let best = 0;
    this.frames.forEach(([, t], i) => {
      if (Math.abs(t - time) < Math.abs(this.frames[best][1] - time)) best = i;
    });
    if (best !== this.place) this.seek(best);
    else this.#clock = this.time;
  }

  seekBy(seconds) { this.seekTime(this.time + seconds); }

  step(by) {
    this.pause();
    this.seek(this.place + by);
  }

  play() {
    if (this.playing || this.frames.length < 2) return;
    if (this.atEnd) this.seek(0);
    this.playing = true;
    this.#prefetch();
    this.#clock = this.time;
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#tick(now));
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() { this.playing ? this.pause() : this.play(); }

  changeSpeed(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    this.changed();
  }

  #tick(now) {
    if (!this.playing) return;
    this.#clock += (this.speed * Math.min(now - this.#last, 250)) / 1000;
    this.#last = now;
    let wanted = this.place;
    while (wanted + 1 < this.frames.length && this.frames[wanted + 1][1] <= this.#clock) ++wanted;
    if (wanted !== this.place) {
      if (this.isLoaded(this.frames[wanted][0]) || this.failed?.has(this.frames[wanted][0])) {
        this.place = wanted;
        this.show(wanted);
        this.changed();
      } else {  // not there yet: time waits for it
        this.#clock = Math.min(this.#clock, this.frames[wanted][1]);
        const index = this.frames[wanted][0];
        this.store.get(index, this.field()).catch(() => (this.failed ??= new Set()).add(index));
      }
      this.#prefetch();
    }
    if (this.atEnd && this.#clock > this.time) {
      this.pause();
      return;
    }
    requestAnimationFrame((next) => this.#tick(next));
  }

  #prefetch() {
    const next = this.frames.slice(this.place + 1, this.place + 9).map(([index]) => index);
    this.store.ahead(next, this.field());
  }
}
