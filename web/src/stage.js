// The picture: camera, light, floor; drawn only when something has changed.
import { Box3, BufferAttribute, BufferGeometry, LineSegments, OrthographicCamera, PerspectiveCamera,
  Quaternion, Scene, Vector2, Vector3, Vector4, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { drawOnProcessor, niceBelow } from "./drawing.js";
import { floorMaterial } from "./shaders.js";

const WIDE = 16 / 9;

/** Whether WebGL is done by the processor. */
function withoutGpu(context) {
  const about = context.getExtension("WEBGL_debug_renderer_info");
  return about && /swiftshader|llvmpipe|software/i.test(context.getParameter(about.UNMASKED_RENDERER_WEBGL));
}

/** What to draw on. Smooth edges where there is a GPU: without one they would double the time, and so would a second
 *  context made only to find out. */
export function contextOf(canvas) {
  const ask = (on, antialias) =>
    on.getContext("webgl2", { alpha: true, depth: true, antialias, powerPreference: "high-performance" });
  const plain = ask(canvas, false);
  if (!plain) throw new Error("This browser has no WebGL 2, which the viewer draws with.");
  if (withoutGpu(plain)) {
    drawOnProcessor();
    return plain;
  }
  const fresh = canvas.cloneNode();
  const smooth = ask(fresh, true);
  if (!smooth) return plain;
  canvas.replaceWith(fresh);
  plain.getExtension("WEBGL_lose_context")?.loseContext();
  return smooth;
}

export class Stage {
  /** Shared by all shaders. */
  uniforms = { clip: { value: new Vector4(0, 0, 0, 1) }, upward: { value: new Vector3(0, 1, 0) },
    pixels: { value: 1 }, veil: { value: 0.5 } };  // veil: how much containers cover
  scene = new Scene();
  onDrawn = () => {};
  onRestored = () => {};  // the GPU has lost all it held: after sleep, or a change of drivers
  shown = false;     // draw nothing before there is something to see
  #dirty = true;

  constructor(context, run) {
    const { canvas } = context;
    this.canvas = canvas;
    this.run = run;
    this.up = new Vector3(...run.up).normalize();
    context.getExtension("EXT_conservative_depth");  // for spheres (shaders.js)
    this.renderer = new WebGLRenderer({ canvas, context });
    // After three.js has made its own things anew.
    canvas.addEventListener("webglcontextrestored", () => {
      context.getExtension("EXT_conservative_depth");
      this.onRestored();
      this.redraw();
    });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.flat = run.dimensions === 2;
    this.camera = this.flat ? new OrthographicCamera()
      : new PerspectiveCamera(run.camera?.field_of_view ?? 30, 1, 0.01, 100);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.redraw());
    this.controls.addEventListener("start", () => (this.touched = true));
    this.controls.zoomToCursor = true;
    if (this.flat) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = 2;  // pan
      this.controls.touches.ONE = 1;
    }
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    const tick = () => {
      requestAnimationFrame(tick);
      this.controls.update();
      if (this.#dirty && this.shown) this.draw();
    };
    requestAnimationFrame(tick);
  }

  redraw() { this.#dirty = true; }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.#setHeight();
    this.redraw();
  }

  /** Of the flat picture [m]. */
  #setHeight() {
    const { camera } = this;
    if (this.flat) {
      camera.top = 0.5 * (this.height ?? 1);
      camera.bottom = -camera.top;
      camera.right = camera.top * camera.aspect;
      camera.left = -camera.right;
    }
    camera.updateProjectionMatrix();
  }

  draw() {
    this.#dirty = false;
    const { camera, controls } = this;
    const distance = camera.position.distanceTo(this.centre ?? controls.target);
    const reach = this.reach ?? 1;
    camera.near = Math.max(distance - 3 * reach, 0.002 * Math.max(distance, reach));
    camera.far = distance + 12 * reach;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    const height = this.renderer.getDrawingBufferSize(this.#size).y;
    this.uniforms.pixels.value = 0.5 * height * camera.projectionMatrix.elements[5];
    this.uniforms.upward.value.copy(this.up).transformDirection(camera.matrixWorldInverse);
    this.renderer.render(this.scene, camera);
    this.onDrawn();
  }
  #size = new Vector2();

  /** Metres a pixel of the page, at the distance of what is looked at. */
  get metresPerPixel() {
    if (this.flat) return this.height / this.camera.zoom / this.canvas.clientHeight;
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / this.canvas.clientHeight;
  }

  /** Looks at a box from the scene's camera or three quarters from the front. */
  lookAt(box, useSceneCamera = true) {
    const { camera, controls, run } = this;
    this.centre = box.getCenter(new Vector3());
    this.reach = Math.max(0.5 * box.getSize(new Vector3()).length(), run.spacing);
    if (useSceneCamera && run.camera) {
      camera.position.set(...run.camera.from);
      controls.target.set(...run.camera.to);
      if (this.flat) this.#setFlat(2 * camera.position.distanceTo(controls.target) *
        Math.tan((run.camera.field_of_view * Math.PI) / 360));
      this.#makeRoom(box);
    } else {
      this.#fit(box, this.flat ? new Vector3(0, 0, 1) : this.#threeQuarters(box));
    }
    controls.update();
    this.redraw();
  }

  #threeQuarters(box) {
    const right = Math.abs(this.up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    right.addScaledVector(this.up, -right.dot(this.up)).normalize();
    const front = new Vector3().crossVectors(right, this.up);
    const size = box.getSize(new Vector3());
    const across = (v) => Math.abs(size.x * v.x) + Math.abs(size.y * v.y) + Math.abs(size.z * v.z);
    const [a, b] = across(front) > 1.5 * across(right) ? [front.clone().negate(), right] : [right, front];
    return a.clone().multiplyScalar(0.5).addScaledVector(b, 0.87).addScaledVector(this.up, 0.42).normalize();
  }

  #setFlat(height) {
    this.height = height;
    this.camera.zoom = 1;
    this.#setHeight();
  }

  /** Scenes choose their camera for wide pictures: in a narrow window it steps back until the box is in. */
  #makeRoom(box) {
    const { camera, controls } = this;
    if (camera.aspect >= WIDE) return;
    camera.lookAt(controls.target);
    const from = camera.position.clone().sub(controls.target), { height } = this;
    for (let back = 1; back < WIDE / camera.aspect; back *= 1.05) {
      if (this.flat) this.#setFlat(height * back);
      camera.position.copy(controls.target).addScaledVector(from, back);
      camera.updateMatrixWorld();
      camera.updateProjectionMatrix();
      if (corners(box).every((c) => Math.abs(c.project(camera).x) < 0.96)) return;
    }
  }

  /** Moves back along a direction until all corners are in the picture. */
  #fit(box, direction) {
    const { camera, controls } = this;
    controls.target.copy(this.centre);
    camera.position.copy(this.centre).addScaledVector(direction, 4 * this.reach);
    camera.lookAt(controls.target);
    if (this.flat) {
      const size = box.getSize(new Vector3());
      this.#setFlat(1.12 * Math.max(size.y, size.x / camera.aspect));
      return;
    }
    const turn = camera.quaternion.clone().invert();
    const tan = Math.tan((camera.fov * Math.PI) / 360);
    let distance = this.reach * 0.1;
    for (const corner of corners(box)) {
      const c = corner.sub(this.centre).applyQuaternion(turn);
      distance = Math.max(distance, c.z + 1.12 * Math.abs(c.y) / tan,
        c.z + 1.12 * Math.abs(c.x) / (tan * camera.aspect));
    }
    camera.position.copy(this.centre).addScaledVector(direction, distance);
  }

  /** Looks along an axis, keeping distance and target. */
  lookAlong(direction) {
    const { camera, controls } = this;
    const distance = camera.position.distanceTo(controls.target);
    const from = new Vector3(...direction).normalize();
    // Straight from above the camera's own up would have no direction.
    if (Math.abs(from.dot(this.up)) > 0.999)
      from.addScaledVector(new Vector3(0.0012, 0.0011, 0.0013), 1).normalize();
    camera.position.copy(controls.target).addScaledVector(from, distance);
    controls.update();
    this.redraw();
  }

  /** Puts a point into the middle, keeping direction and distance. */
  turnAround(point) {
    this.touched = true;
    this.camera.position.add(point).sub(this.controls.target);
    this.controls.target.copy(point);
    this.controls.update();
    this.redraw();
  }

  addFloor(everything) {
    if (this.flat || everything.isEmpty()) return;
    const reach = 2.2 * this.reach;
    let low = Infinity;
    for (const x of [everything.min, everything.max])
      low = Math.min(low, x.clone().multiply(new Vector3(...this.up.toArray().map(Math.abs))).dot(this.up));
    this.floor = new LineSegments(floorLines(reach, niceBelow(this.reach / 4)), floorMaterial({
      clip: this.uniforms.clip, reach: { value: reach }, ink: { value: 0.25 } }));
    this.floor.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up));
    this.floor.position.copy(this.centre)
      .addScaledVector(this.up, low - this.centre.dot(this.up) - 2e-3 * this.reach);
    this.floor.renderOrder = 1;
    this.scene.add(this.floor);
  }
}

function corners({ min, max }) {
  return Array.from({ length: 8 }, (_, i) =>
    new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

/** Squares; every fifth line is stronger. Lines are cut so that they can fade. */
function floorLines(reach, cell) {
  const points = [], n = Math.floor(reach / cell), parts = 12;
  for (let i = -n; i <= n; ++i) {
    const at = i * cell, half = Math.sqrt(Math.max(0, reach * reach - at * at));
    const strength = i % 5 === 0 ? 0.32 : 0.16;
    for (let k = 0; k < parts; ++k) {
      const a = half * (2 * k / parts - 1), b = half * (2 * (k + 1) / parts - 1);
      points.push(at, a, strength, at, b, strength, a, at, strength, b, at, strength);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return geometry;
}

export { Box3, Vector3 };
