// The liquid: spheres, or its surface.
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, GLBufferAttribute, IntType, Matrix3,
  Mesh, Points, RGBAFormat, Sphere, Vector2, Vector3 } from "three";
import { mapFloats } from "./colours.js";
import { sphereMaterial, surfaceMaterial } from "./shaders.js";

export class Liquid {
  #stage;
  #columns;     // of particles: {array, buffer, attribute}
  #parts = [];  // one a liquid: {points, surface}
  #place = { lo: { value: new Vector3() }, spread: { value: new Matrix3() },
    radius: { value: 0.01 }, map_place: { value: new Vector2(0, 1) }, mapped: { value: 0 } };
  #surfacePlace = { mapped: { value: 0 }, lo: { value: new Vector3() }, size: { value: new Vector3() },
    map_place: { value: new Vector2(0, 1) } };
  #map = new DataTexture(new Float32Array(4 * 256), 256, 1, RGBAFormat, FloatType);
  #mapField = null;
  #range = [0, 1];
  #packedRange = [0, 1];
  #surfaceRange = null;  // null: the surface does not know the field
  surfaceShown = false;

  constructor(stage, liquids, radius) {
    this.#stage = stage;
    this.#place.radius.value = radius;
    const gl = stage.renderer.getContext();
    // "position" is the name by which three.js counts.
    this.#columns = [["position", "words", gl.UNSIGNED_INT, 4], ["halves", "halves", gl.UNSIGNED_SHORT, 2],
      ["octets", "octets", gl.UNSIGNED_BYTE, 1]].map(([name, array, type, size]) => {
      const buffer = gl.createBuffer();
      const attribute = Object.assign(new GLBufferAttribute(buffer, type, 1, size, 0), { gpuType: IntType });
      return { name, array, buffer, attribute };
    });
    for (const info of liquids) {
      const common = { ...stage.uniforms, mapped: this.#place.mapped, map: { value: this.#map },
        flat_colour: { value: new Vector3(...info.colour) } };
      const geometry = new BufferGeometry();
      for (const { name, attribute } of this.#columns) geometry.setAttribute(name, attribute);
      geometry.setDrawRange(0, 0);
      geometry.boundingSphere = new Sphere();  // never looked at: three.js cannot work it out itself
      const points = new Points(geometry, sphereMaterial({ ...common, ...this.#place }));
      const surface = new Mesh(new BufferGeometry(),
        surfaceMaterial({ ...common, ...this.#surfacePlace }));
      points.frustumCulled = surface.frustumCulled = false;
      surface.visible = false;
      this.#parts.push({ points, surface, visible: true, hasSurface: false });
      stage.scene.add(points, surface);
    }
  }

  /** New buffers for those that the GPU has lost; show() fills them. */
  restore() {
    const gl = this.#stage.renderer.getContext();
    for (const column of this.#columns) {
      column.buffer = gl.createBuffer();
      column.attribute.setBuffer(column.buffer);
    }
  }

  /** The particles of a frame go to the GPU as they came. */
  show(frame) {
    const gl = this.#stage.renderer.getContext();
    for (const { array, buffer, attribute } of this.#columns) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, frame[array], gl.DYNAMIC_DRAW);  // new room: never waits for the last picture
      attribute.setCount(frame[array].length);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    this.#stage.renderer.resetState();
    let first = 0;
    frame.header.counts.forEach((count, i) => {
      this.#parts[i].points.geometry.setDrawRange(first, count);
      this.#parts[i].points.userData.count = count;
      first += count;
    });
    const { lo, hi, axes } = frame.header;
    if (first > 0) {
      this.#place.lo.value.set(...lo);
      this.#place.spread.value.elements.fill(0);
      axes.forEach((axis, i) => (this.#place.spread.value.elements[3 * i + axis] = hi[axis] - lo[axis]));
    }
    this.#packedRange = frame.header.range ?? [0, 1];
    this.#update();
  }

  /** A surface for each liquid (src/viewer/surface_packet.h). */
  showSurface({ header, arrays }) {
    this.#surfacePlace.lo.value.set(...header.lo.map((x) => x ?? 0));
    this.#surfacePlace.size.value.set(...header.hi.map((x, k) => (x ?? 0) - (header.lo[k] ?? 0)));
    this.#surfaceRange = header.range ?? null;
    header.surfaces.forEach(([firstVertex, vertices, firstTriangle, triangles], i) => {
      const part = this.#parts[i];
      part.surface.geometry.dispose();
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(
        arrays.vertices.subarray(4 * firstVertex, 4 * (firstVertex + vertices)), 4, true));
      geometry.setAttribute("normal", new BufferAttribute(
        arrays.normals.subarray(4 * firstVertex, 4 * (firstVertex + vertices)), 4, true));
      geometry.setIndex(new BufferAttribute(
        arrays.triangles.subarray(3 * firstTriangle, 3 * (firstTriangle + triangles)), 1));
      part.surface.geometry = geometry;
      part.hasSurface = triangles > 0;
    });
    this.#update();
  }

  /** field "": each liquid in its own colour. */
  setColour(field, range) {
    this.#place.mapped.value = field ? 1 : 0;
    this.#range = range;
    if (field && field !== this.#mapField) {
      this.#map.image.data.set(mapFloats(field));
      this.#map.needsUpdate = true;
      this.#mapField = field;
    }
    this.#update();
  }

  /** Whether what is shown has the field's colours; a surface knows the velocity alone. */
  get isMapped() { return this.#place.mapped.value === 1 && (!this.surfaceShown || this.#surfaceRange !== null); }

  setVisible(liquid, visible) {
    this.#parts[liquid].visible = visible;
    this.#update();
  }

  #update() {
    const width = this.#range[1] - this.#range[0] || 1;
    const place = ([least, most]) => [(least - this.#range[0]) / width, (most - least) / width];
    this.#place.map_place.value.set(...place(this.#packedRange));
    this.#surfacePlace.mapped.value = this.#surfaceRange ? this.#place.mapped.value : 0;
    this.#surfacePlace.map_place.value.set(...place(this.#surfaceRange ?? [0, 1]));
    for (const part of this.#parts) {
      part.points.visible = part.visible && !this.surfaceShown && (part.points.userData.count ?? 0) > 0;
      part.surface.visible = part.visible && this.surfaceShown && part.hasSurface;
    }
    this.#stage.redraw();
  }
}
