// Bodies: one draw for all that share a mesh. Containers show only their far side.
import { BackSide, Box3, BufferAttribute, BufferGeometry, EdgesGeometry, FrontSide,
  InstancedBufferAttribute, InstancedMesh, LineSegments, Matrix4, Quaternion, Raycaster, Vector2,
  Vector3 } from "three";
import { bodyMaterial, edgeMaterial } from "./shaders.js";

const CREASE = Math.cos((35 * Math.PI) / 180);
const CHOSEN = [1.0, 0.45, 0.05];

/** Corner by corner, normals averaged over the triangles that lean less than the crease: round
 *  parts look round, edges stay sharp. */
export function creased(vertices, triangles) {
  const corners = triangles.length, faces = corners / 3;
  const face = new Float32Array(corners), around = new Uint32Array(vertices.length / 3 + 1);
  const at = (i, k) => vertices[3 * triangles[i] + k];
  for (let f = 0; f < faces; ++f) {
    const a = [0, 1, 2].map((k) => at(3 * f + 1, k) - at(3 * f, k));
    const b = [0, 1, 2].map((k) => at(3 * f + 2, k) - at(3 * f, k));
    const n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    face.set(n, 3 * f);  // its length is twice the area: large triangles count more
  }
  for (const v of triangles) ++around[v + 1];
  for (let v = 1; v < around.length; ++v) around[v] += around[v - 1];
  const next = around.slice(), list = new Uint32Array(corners);
  for (let c = 0; c < corners; ++c) list[next[triangles[c]]++] = Math.floor(c / 3);
  const position = new Float32Array(3 * corners), normal = new Float32Array(3 * corners);
  const length = (f) => Math.hypot(face[3 * f], face[3 * f + 1], face[3 * f + 2]) || 1;
  for (let c = 0; c < corners; ++c) {
    const f = Math.floor(c / 3), v = triangles[c], own = length(f);
    let x = 0, y = 0, z = 0;
    for (let i = around[v]; i < around[v + 1]; ++i) {
      const g = list[i];
      const dot = face[3 * f] * face[3 * g] + face[3 * f + 1] * face[3 * g + 1] + face[3 * f + 2] * face[3 * g + 2];
      if (g !== f && dot < CREASE * own * length(g)) continue;
      x += face[3 * g]; y += face[3 * g + 1]; z += face[3 * g + 2];
    }
    const l = Math.hypot(x, y, z) || 1;
    normal.set([x / l, y / l, z / l], 3 * c);
    position.set(vertices.subarray(3 * v, 3 * v + 3), 3 * c);
  }
  return { position, normal };
}

/** Signed: negative if the triangles look inward, as those of containers do. */
function volume(p) {
  let sum = 0;
  for (let i = 0; i < p.length; i += 9)
    sum += p[i] * (p[i + 4] * p[i + 8] - p[i + 5] * p[i + 7]) - p[i + 1] * (p[i + 3] * p[i + 8] - p[i + 5] * p[i + 6]) +
      p[i + 2] * (p[i + 3] * p[i + 7] - p[i + 4] * p[i + 6]);
  return sum / 6;
}

const MOST_OUTLINED = 20000;  // triangles

export class Bodies {
  #stage;
  #infos;
  #groups = [];       // InstancedMesh with userData.bodies: numbers of the bodies
  #poses = null;
  #visible;
  #colours;
  #chosen = -1;
  #outlines = [];     // [body, lines]
  #boxes = [];        // of meshes

  constructor(stage, infos, meshes, colours) {
    this.#stage = stage;
    this.#infos = infos;
    this.#visible = infos.map(() => true);
    this.#colours = colours;
    const groups = new Map();
    infos.forEach((info, i) => {
      const key = `${info.mesh} ${info.container}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(i);
    });
    const { vertices, triangles, first_vertex: v, first_triangle: t } = meshes;
    for (const members of groups.values()) {
      const { mesh, container } = infos[members[0]];
      const own = vertices.subarray(3 * v[mesh], 3 * v[mesh + 1]);
      const { position, normal } = creased(own, triangles.subarray(3 * t[mesh], 3 * t[mesh + 1]));
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(position, 3));
      geometry.setAttribute("normal", new BufferAttribute(normal, 3));
      geometry.computeBoundingBox();
      this.#boxes[mesh] = geometry.boundingBox;
      const inward = container && volume(position) > 0 ? BackSide : FrontSide;
      const group = new InstancedMesh(geometry, bodyMaterial(stage.uniforms, inward, container),
        members.length);
      if (container) group.renderOrder = -1;
      group.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * members.length), 3);
      group.frustumCulled = false;
      group.userData.bodies = members;
      this.#groups.push(group);
      stage.scene.add(group);
      if ((container || stage.run.dimensions === 2) && position.length < 9 * MOST_OUTLINED)
        this.#outline(geometry, members);
    }
    this.paint();
  }

  #outline(geometry, members) {
    const edges = new EdgesGeometry(geometry, 30), material = edgeMaterial(this.#stage.uniforms);
    for (const body of members) {
      const lines = new LineSegments(edges, material);
      lines.frustumCulled = lines.matrixAutoUpdate = false;
      this.#outlines.push([body, lines]);
      this.#stage.scene.add(lines);
    }
  }

  show(poses) {
    this.#poses = poses;
    const matrix = new Matrix4(), x = new Vector3(), q = new Quaternion();
    const one = new Vector3(1, 1, 1), none = new Vector3(0, 0, 0);
    for (const group of this.#groups) {
      group.userData.bodies.forEach((body, i) => {
        x.fromArray(poses, 7 * body);
        q.fromArray(poses, 7 * body + 3);
        const good = this.#visible[body] && Number.isFinite(x.x + x.y + x.z + q.w);
        matrix.compose(x, q, good ? one : none);
        group.setMatrixAt(i, matrix);
      });
      group.instanceMatrix.needsUpdate = true;
      group.boundingSphere = null;  // for picking: bodies have moved
    }
    for (const [body, lines] of this.#outlines) {
      lines.visible = this.#visible[body];
      lines.matrix.compose(x.fromArray(poses, 7 * body), q.fromArray(poses, 7 * body + 3), one);
      lines.matrixWorldNeedsUpdate = true;
    }
    this.#stage.redraw();
  }

  setColours(colours) {
    this.#colours = colours;
    this.paint();
  }

  paint() {
    for (const group of this.#groups) {
      group.userData.bodies.forEach((body, i) => {
        const own = this.#colours[body];
        const c = body === this.#chosen ? own.map((x, k) => 0.35 * x + 0.65 * CHOSEN[k]) : own;
        group.instanceColor.array.set(c, 3 * i);
      });
      group.instanceColor.needsUpdate = true;
    }
    this.#stage.redraw();
  }

  choose(body) {
    this.#chosen = body;
    this.paint();
  }

  setVisible(body, visible) { this.#visible[body] = visible; }
  refresh() { if (this.#poses) this.show(this.#poses); }

  /** The body at a place of the canvas (-1..1), or -1. What is clipped away is not hit. */
  pick(x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.#stage.camera);
    const { clip } = this.#stage.uniforms;
    const normal = new Vector3(clip.value.x, clip.value.y, clip.value.z);
    for (const hit of ray.intersectObjects(this.#groups, false))
      if (normal.dot(hit.point) <= clip.value.w) return hit.object.userData.bodies[hit.instanceId];
    return -1;
  }

  /** World box of some bodies at the poses shown. */
  box(of) {
    const box = new Box3(), matrix = new Matrix4(), one = new Vector3(1, 1, 1);
    for (const body of of) {
      const mesh = this.#boxes[this.#infos[body].mesh];
      if (!mesh || mesh.isEmpty()) continue;
      matrix.compose(new Vector3().fromArray(this.#poses, 7 * body),
        new Quaternion().fromArray(this.#poses, 7 * body + 3), one);
      box.union(mesh.clone().applyMatrix4(matrix));
    }
    return box;
  }
}
