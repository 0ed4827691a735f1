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
vec3 shade(vec3 base, vec3 n, vec3 eye, float gloss) {
  vec3 key = normalize(vec3(-0.35, 0.55, 0.9));
  float sky = 0.5 + 0.5 * dot(n, upward);
  vec3 light = mix(vec3(0.30, 0.30, 0.33), vec3(0.62, 0.66, 0.72), sky) + 0.62 * max(dot(n, key), 0.0);
  float shine = pow(max(dot(n, normalize(key + eye)), 0.0), 48.0);
  return base * light + gloss * shine;
}
vec4 shown(vec3 c) {
  c = min(c, vec3(1.0));
  return vec4(mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055,
                  step(vec3(0.0031308), c)), 1.0);
}
`;

const COLOUR = `
uniform vec3 flat_colour;
uniform float mapped;         // 1: by the map, 0: flat
uniform vec2 map_place;       // offset and scale from the packed value to the map
uniform sampler2D map;
vec3 colour_of(float value) {
  vec3 c = texture(map, vec2(clamp(map_place.x + map_place.y * value, 0.002, 0.998), 0.5)).rgb;
  vec3 bright = mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(vec3(0.04045), c));
  return mix(flat_colour, bright, mapped);
}
`;

/** Spheres: a point for each, its round and its depth made in the fragment. */
export function sphereMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms,
    vertexShader: `${HEAD}${COLOUR}
in vec4 position;             // x y z value, 0..1
uniform vec3 lo, size;
uniform float radius, pixels;
out vec3 centre, colour;
void main() {
  vec3 x = lo + position.xyz * size;
  vec4 view = viewMatrix * vec4(x, 1.0);
  centre = view.xyz;
  colour = colour_of(position.w);
  gl_Position = projectionMatrix * view;
  float away = projectionMatrix[3][3] == 1.0 ? 1.0 : max(-view.z, 1e-6);  // 1: flat pictures
  gl_PointSize = max(1.5, 2.0 * radius * pixels / away);
  if (dot(clip.xyz, x) > clip.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
    fragmentShader: `${HEAD}${SHADE}
uniform float radius;
in vec3 centre, colour;
out vec4 result;
void main() {
  vec2 d = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
  float square = dot(d, d);
  if (square > 1.0) discard;
  vec3 n = vec3(d, sqrt(1.0 - square));
  vec3 x = centre + radius * n;
  vec4 place = projectionMatrix * vec4(x, 1.0);
  gl_FragDepth = 0.5 + 0.5 * place.z / place.w;
  result = shown(shade(colour * (0.62 + 0.38 * n.z), n, normalize(-x), 0.16));
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
    uniforms: { ...uniforms, cover: { value: veil ? 0.5 : 1 } },
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

/** A floor of squares that fades away from the middle. */
export function floorMaterial(uniforms) {
  return new RawShaderMaterial({ glslVersion: GLSL3, uniforms, transparent: true, depthWrite: false,
    side: 2,
    vertexShader: `${HEAD}
in vec3 position;
uniform mat4 modelMatrix;
out vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}`,
    fragmentShader: `${HEAD}
uniform float cell, reach, ink;
in vec2 at;
out vec4 result;
float lines(vec2 x) {
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(fwidth(x), 1e-6);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(at) / reach);
  float line = 0.5 * lines(at / cell) + 0.5 * lines(at / (5.0 * cell));
  result = vec4(vec3(ink), fade * (0.05 + 0.3 * line));
}` });
}
