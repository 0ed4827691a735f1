// Frames kept in memory, fetched ahead of the one that is shown.

const ROOM = 400e6;  // [bytes]

export class FrameStore {
  #source;
  #kept = new Map();  // "index field" -> frame; the one used last stands last
  #coming = new Map();
  #bytes = 0;

  constructor(source) { this.#source = source; }

  has(index, field) { return this.#kept.has(`${index} ${field}`); }

  /** The frame now, or undefined. */
  peek(index, field) {
    const key = `${index} ${field}`;
    const frame = this.#kept.get(key);
    if (frame) {
      this.#kept.delete(key);
      this.#kept.set(key, frame);
    }
    return frame;
  }

  get(index, field) {
    const frame = this.peek(index, field);
    if (frame) return Promise.resolve(frame);
    const key = `${index} ${field}`;
    if (!this.#coming.has(key))
      this.#coming.set(key, this.#source.frame(index, field)
        .then((got) => this.#keep(key, got))
        .finally(() => this.#coming.delete(key)));
    return this.#coming.get(key);
  }

  /** Asks for these one after the other, few at a time; failures are told when they are shown. */
  ahead(indices, field) {
    for (const index of indices) {
      if (this.#coming.size >= 4) return;
      if (!this.has(index, field)) this.get(index, field).catch(() => {});
    }
  }

  forget() {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #keep(key, frame) {
    this.#kept.set(key, frame);
    this.#bytes += frame.bytes;
    for (const [old, { bytes }] of this.#kept) {
      if (this.#bytes <= ROOM || old === key) break;
      this.#kept.delete(old);
      this.#bytes -= bytes;
    }
    return frame;
  }
}
