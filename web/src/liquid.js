// The liquid: spheres, or its surface.
import { BufferAttribute, BufferGeometry, DataTexture, GLBufferAttribute,
  LinearFilter, Mesh, Points, Sphere, Vector2, Vector3 } from "three";
import { mapBytes } from "./colours.js";
import { sphereMaterial, surfaceMaterial } from "./shaders.js";

export class Liquid {
  #stage;
  #buffer;
  #attribute;
  #parts = [];  // one a liquid: {points, surface}
  #place = { lo: { value: new Vector3() }, size: { value: new Vector3() },
    radius: { value: 0.01 }, map_place: { value: new Vector2(0, 1) }, mapped: { value: 0 } };
  #surfacePlace = { mapped: { value: 0 }, lo: { value: new Vector3() }, size: { value: new Vector3() },
    map_place: { value: new Vector2(0, 1) } };
  #map = new DataTexture(new Uint8Array(4 * 256), 256, 1);
  #mapField = null;
  #range = [0, 1];
  #packedRange = [0, 1];
  #surfaceRange = null;  // null: the surface does not know the field
  surfaceShown = false;

  constructor(stage, liquids, radius) {
    this.#stage = stage;
    this.#place.radius.value = radius;
    const gl = stage.renderer.getContext();
    this.#buffer = gl.createBuffer();
    this.#attribute = new GLBufferAttribute(this.#buffer, gl.UNSIGNED_SHORT, 4, 2, 0);
    this.#attribute.normalized = true;
    this.#map.minFilter = this.#map.magFilter = LinearFilter;
    for (const info of liquids) {
      const common = { ...stage.uniforms, mapped: this.#place.mapped, map: { value: this.#map },
        flat_colour: { value: new Vector3(...info.colour) } };
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", this.#attribute);
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

  /** The particles of a frame go to the GPU as they came. */
  show(frame) {
    const gl = this.#stage.renderer.getContext();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    gl.bufferData(gl.ARRAY_BUFFER, frame.particles, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    this.#stage.renderer.resetState();
    this.#attribute.setCount(frame.particles.length / 4);
    let first = 0;
    frame.header.counts.forEach((count, i) => {
      this.#parts[i].points.geometry.setDrawRange(first, count);
      this.#parts[i].points.userData.count = count;
      first += count;
    });
    const { lo, hi } = frame.header;
    if (first > 0) {
      this.#place.lo.value.set(...lo);
      this.#place.size.value.set(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
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
      this.#map.image.data.set(mapBytes(field));
      this.#map.needsUpdate = true;
      this.#mapField = field;
    }
    this.#update();
  }

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
