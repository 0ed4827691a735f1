// Where the run comes from: the server that sent this page, or the page itself (an export).
// Both give the same frames: {header, words, halves, octets (src/viewer/packed_frame.h), poses, speeds}.

const ARRAYS = { int8: Int8Array, uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array,
  float64: Float64Array };

/** A binary answer (src/viewer/packet.h) as its JSON and views into its bytes: nothing is copied. */
export function unpack(buffer) {
  const head = new DataView(buffer);
  if (buffer.byteLength < 8 || head.getUint32(0) !== 0x48595631) throw new Error("not an answer of the viewer");
  const length = head.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const arrays = {};
  for (const [name, [type, offset, count]] of Object.entries(header.arrays))
    arrays[name] = new ARRAYS[type](buffer, 8 + length + offset, count);
  return { header, arrays, bytes: buffer.byteLength };
}

class ServerSource {
  embedded = false;
  part = 1;

  async #ask(path, signal) {
    const early = window.early?.[path];  // asked for before this script was read (index.html)
    if (early) delete window.early[path];
    const answer = await (early ?? fetch(path, { signal }));
    if (answer.ok) return answer;
    let message = `${path}: ${answer.status}`;
    try { message = (await answer.json()).error; } catch { /* no JSON: the status must do */ }
    throw new Error(message);
  }
  async #packet(path, signal) { return unpack(await (await this.#ask(path, signal)).arrayBuffer()); }

  async run() { return (await this.#ask("api/run")).json(); }
  async status(known) { return (await this.#ask(`api/status?frames=${known}`)).json(); }
  meshes() { return this.#packet("api/meshes"); }
  metrics(from) { return this.#packet(`api/metrics?from=${from}`); }
  body(body, from) { return this.#packet(`api/body/${body}?from=${from}`); }
  async frame(index, field, signal) {
    const { header, arrays, bytes } =
      await this.#packet(`api/frame/${index}?field=${encodeURIComponent(field)}`, signal);
    return { header, ...arrays, bytes };
  }
  async surface(index, field) {
    return this.#packet(`api/surface/${index}?field=${encodeURIComponent(field)}`);
  }
}

async function inflated(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** One column of an export: differences, low bytes and then high bytes. */
function restore(bytes) {
  const n = bytes.length / 2, column = new Uint16Array(n);
  for (let i = 0, value = 0; i < n; ++i)
    column[i] = value = (value + (bytes[i] & 0xff) + (bytes[n + i] << 8)) & 0xffff;
  return column;
}

/** Columns of 12 bits as the server packs them. An export is small enough to go through it particle by particle. */
function packed(x, y, z, value) {
  const n = x.length, words = new Uint32Array(n), halves = new Uint16Array(n), octets = new Uint8Array(n);
  const wider = (v, by) => v << by | v >> (12 - by);
  for (let i = 0; i < n; ++i) {
    const v = value ? value[i] : 0;
    words[i] = wider(x[i], 3) | wider(y[i], 3) << 15 | v >> 10 << 30;
    halves[i] = wider(z[i], 2) | (v >> 8 & 3) << 14;
    octets[i] = v & 255;
  }
  return { words, halves, octets };
}

class EmbeddedSource {
  embedded = true;
  #data;
  #packets = new Map();

  constructor(data) {
    this.#data = data;
    this.part = data.part;
  }
  async #json(base64) { return JSON.parse(new TextDecoder().decode(await inflated(base64))); }
  run() { return this.#json(this.#data.run); }
  async status() {
    const status = await this.#json(this.#data.status);
    return { ...status, from: 0, count: this.#data.times.length, frames: this.#data.times };
  }
  async meshes() { return unpack(await inflated(this.#data.meshes)); }
  async metrics() { return unpack(await inflated(this.#data.metrics)); }

  #packet(place) {
    if (!this.#packets.has(place))
      this.#packets.set(place, inflated(this.#data.frames[place]).then(unpack));
    return this.#packets.get(place);
  }
  async frame(index, field) {
    const place = this.#data.times.findIndex(([i]) => i === index);
    const { header, arrays } = await this.#packet(place);
    const own = { ...header, axes: [0, 1, 2] };
    own.fields = header.fields.filter(([name]) => header.ranges[name]);
    if (field) {
      if (!header.ranges[field]) throw new Error(`this export has no field "${field}"`);
      own.field = field;
      own.unit = header.fields.find(([name]) => name === field)[1];
      own.range = header.ranges[field];
    }
    const columns = ["x", "y", "z", `value ${field}`].map((name) => arrays[name] && restore(arrays[name]));
    return { header: own, ...packed(...columns), poses: arrays.poses, speeds: arrays.speeds, bytes: 7 * columns[0].length };
  }
  async body(body) {
    const columns = this.#data.body_columns, n = columns.length;
    const values = new Float64Array(n * this.#data.times.length);
    for (let i = 0; i < this.#data.times.length; ++i) {
      const { arrays } = await this.#packet(i);
      values.set(arrays.states.subarray(n * body, n * (body + 1)), n * i);
    }
    return { header: { body, from: 0, columns }, arrays: { values } };
  }
  async surface() { throw new Error("an export holds no surfaces; open the run itself for them"); }
}

export function openSource() {
  const embedded = document.getElementById("run");
  return embedded ? new EmbeddedSource(JSON.parse(embedded.textContent)) : new ServerSource();
}
