// One way of shading for spheres, surfaces and bodies: a key light beside the camera, light from the
// sky, and nothing else.
import { GLSL3, RawShaderMaterial } from "three";

const HEAD = `precision highp float;
precision highp int;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec4 clip;  // hidden where dot(clip.xyz, x) > clip.w
`;

const SHADE = `
uniform vec3 upward;  // in the camera's frame
const vec3 key = vec3(-0.3149, 0.4948, 0.8098);  // where the light comes from, unit
vec3 lit(vec3 base, vec3 n, vec3 halfway, float gloss) {
  float sky = 0.5 + 0.5 * dot(n, upward);
  vec3 light = mix(vec3(0.30, 0.30, 0.33), vec3(0.62, 0.66, 0.72), sky) + 0.62 * max(dot(n, key), 0.0);
  float s = max(dot(n, halfway), 0.0);
  s *= s; s *= s; s *= s; s *= s;
  return base * light + gloss * s * s * s;  // to the 48th
}
vec3 shade(vec3 base, vec3 n, vec3 eye, float gloss) { return lit(base, n, normalize(key + eye), gloss); }
// Linear light to sRGB by three roots, right to 0.002 and far cheaper than powers without a GPU.
vec4 shown(vec3 c) {
  vec3 a = sqrt(min(c, vec3(1.0))), b = sqrt(a), d = sqrt(b);
  return vec4(0.585122381 * a + 0.783140355 * b - 0.368262736 * d, 1.0);
}
`;

const COLOUR = `
uniform vec3 flat_colour;
uniform float mapped;         // 1: by the map, 0: flat
uniform vec2 map_place;       // offset and scale from the packed value to the map
uniform sampler2D map;
vec3 colour_of(float value) {
  vec3 c = texture(map, vec2(clamp(map_place.x + map_place.y * value, 0.002, 0.998), 0.5)).rgb;
  return mix(flat_colour, c, mapped);
}
`;

// With this promise hidden spheres are left out before they are shaded, where the driver can.
const BEHIND = `#extension GL_EXT_conservative_depth : enable
#ifdef GL_EXT_conservative_depth
layout(depth_greater) out highp float gl_FragDepth;
#endif
`;

/** Spheres: a point for each, its round and its depth made in the fragment. */
export function sphereMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms,
    vertexShader: `${HEAD}${COLOUR}
in uint position, halves, octets;  // src/viewer/packed_frame.h
uniform vec3 lo;
uniform mat3 spread;          // sides of the box
uniform float radius, pixels;
out vec3 colour, halfway;
out float depth, detail;
void main() {
  vec3 part = vec3(position & 0x7fffu, position >> 15 & 0x7fffu, halves & 0x3fffu) / vec3(32767, 32767, 16383);
  uint value = position >> 30 << 10 | halves >> 14 << 8 | octets;
  vec3 x = lo + spread * part;
  vec4 view = viewMatrix * vec4(x, 1.0);
  depth = view.z;
  colour = colour_of(float(value) / 4095.0);
  halfway = normalize(vec3(-0.3149, 0.4948, 0.8098) - normalize(view.xyz));
  gl_Position = projectionMatrix * view;
  // The point lies where its sphere is nearest, so that every fragment lies behind it.
  vec4 front = projectionMatrix * vec4(view.xy, view.z + 1.0001 * radius, 1.0);
  if (front.w > 0.0) gl_Position.z = max(front.z / front.w, -1.0) * gl_Position.w;
  float away = projectionMatrix[3][3] == 1.0 ? 1.0 : max(-view.z, 1e-6);  // 1: flat pictures
  gl_PointSize = max(1.5, 2.0 * radius * pixels / away);
  detail = smoothstep(0.0, 5.0, gl_PointSize);
  if (dot(clip.xyz, x) > clip.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
    fragmentShader: `${BEHIND}${HEAD}${SHADE}
uniform float radius;
in vec3 colour, halfway;
in float depth, detail;  // detail: 0 where a sphere is a pixel, whose own round would only flicker
out vec4 result;
void main() {
  vec2 d = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float square = dot(d, d);
  if (square > 1.0) discard;
  vec3 n = vec3(d, sqrt(1.0 - square));
  float z = depth + radius * n.z;
  gl_FragDepth = 0.5 + 0.5 * (projectionMatrix[2][2] * z + projectionMatrix[3][2]) /
    (projectionMatrix[2][3] * z + projectionMatrix[3][3]);
  vec3 seen = mix(vec3(0.0, 0.0, 0.667), n, detail);  // the mean of all n
  result = shown(lit(colour * (0.62 + 0.38 * seen.z), seen, halfway, 0.16));
}` });
}

/** The liquid's surface: packed like particles, with normals. */
export function surfaceMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms, side: 2,
    vertexShader: `${HEAD}${COLOUR}
in vec4 position;
in vec3 normal;
uniform vec3 lo, size;
out vec3 place, direction, world, colour;
void main() {
  world = lo + position.xyz * size;
  vec4 view = viewMatrix * vec4(world, 1.0);
  place = view.xyz;
  direction = mat3(viewMatrix) * normal;
  colour = colour_of(position.w);
  gl_Position = projectionMatrix * view;
}`,
    fragmentShader: `${HEAD}${SHADE}
in vec3 place, direction, world, colour;
out vec4 result;
void main() {
  if (dot(clip.xyz, world) > clip.w) discard;
  vec3 n = normalize(direction), eye = normalize(-place);
  if (dot(n, eye) < 0.0) n = -n;
  float rim = pow(1.0 - max(dot(n, eye), 0.0), 4.0);
  result = shown(shade(colour, n, eye, 0.5) + 0.22 * rim);
}` });
}

/** Bodies: instances of a mesh. Containers show the one side that faces inward, as a veil. */
export function bodyMaterial(uniforms, side, veil) {
  return new RawShaderMaterial({ glslVersion: GLSL3, side, transparent: veil, depthWrite: !veil,
    uniforms: { ...uniforms, cover: veil ? uniforms.veil : { value: 1 } },
    vertexShader: `${HEAD}
in vec3 position, normal, instanceColor;
in mat4 instanceMatrix;
out vec3 place, direction, world, colour;
void main() {
  world = (instanceMatrix * vec4(position, 1.0)).xyz;
  vec4 view = viewMatrix * vec4(world, 1.0);
  place = view.xyz;
  direction = mat3(viewMatrix) * (mat3(instanceMatrix) * normal);
  colour = instanceColor;
  gl_Position = projectionMatrix * view;
}`,
    fragmentShader: `${HEAD}${SHADE}
in vec3 place, direction, world, colour;
uniform float cover;
out vec4 result;
void main() {
  if (dot(clip.xyz, world) > clip.w) discard;
  vec3 n = normalize(direction), eye = normalize(-place);
  if (dot(n, eye) < 0.0) n = -n;
  result = shown(shade(colour, n, eye, 0.06));
  result.a = cover;
}` });
}

/** Sharp edges of containers, and of bodies in two dimensions. */
export function edgeMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms, transparent: true,
    vertexShader: `${HEAD}
in vec3 position;
uniform mat4 modelMatrix;
out vec3 world;
void main() {
  world = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}`,
    fragmentShader: `${HEAD}
in vec3 world;
out vec4 result;
void main() {
  if (dot(clip.xyz, world) > clip.w) discard;
  result = vec4(0.38, 0.43, 0.5, 0.75);
}` });
}

/** A floor of lines that fade away from the middle. */
export function floorMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms, transparent: true, depthWrite: false,
    vertexShader: `${HEAD}
in vec3 position;  // z: how strong the line is
uniform mat4 modelMatrix;
uniform float reach;
out float cover;
void main() {
  cover = position.z * (1.0 - smoothstep(0.3, 1.0, length(position.xy) / reach));
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position.xy, 0.0, 1.0);
}`,
    fragmentShader: `${HEAD}
uniform float ink;
in float cover;
out vec4 result;
void main() { result = vec4(vec3(ink), cover); }` });
}
