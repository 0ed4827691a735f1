// Colours: the same nodes as the renderer's (src/render/colour.cpp).

const SPEED = [0x0d3b80, 0x1557a8, 0x2a7bcb, 0x55a3e0, 0x8cc6ee, 0xc3e3f7, 0xf4fafe];
const PRESSURE = [0x440f55, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30,
  0xfde725];
const SIGNED = [0x1d4e9e, 0x6ca0d8, 0xe9edf1, 0xe08a66, 0xa3271f];
const PALETTE = [0xcd7c5c, 0xe9c46a, 0x7fa66b, 0x5b7c99, 0x8e6c8a, 0xd98e36, 0x3f8f8a, 0xd48a94];
const FIXED = 0xdddcd9;

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const srgb = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
const channels = (rgb) => [16, 8, 0].map((s) => linear(((rgb >> s) & 255) / 255));

/** Colour of linear light as CSS. */
export const css = (c) =>
  `rgb(${c.map((x) => Math.round(255 * srgb(Math.min(1, Math.max(0, x))))).join(" ")})`;

/** Values that lie on both sides of zero by their nature. */
export const isSigned = (field) => /\.[xyz]$/.test(field);

const nodesOf = (field) => (field === "speed" ? SPEED : isSigned(field) ? SIGNED : PRESSURE);

/** Colour at 0..1 of a field's map, linear light. */
export function mapColour(field, x) {
  const nodes = nodesOf(field);
  const at = Math.min(1, Math.max(0, x)) * (nodes.length - 1);
  const i = Math.min(Math.floor(at), nodes.length - 2), w = at - i;
  const a = channels(nodes[i]), b = channels(nodes[i + 1]);
  return a.map((c, k) => (1 - w) * c + w * b[k]);
}

/** 256 colours, RGBA bytes in sRGB: a texture. */
export function mapBytes(field) {
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; ++i) {
    const c = mapColour(field, i / 255);
    for (let k = 0; k < 3; ++k) bytes[4 * i + k] = Math.round(255 * srgb(c[k]));
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

function lot(n) {
  let h = Math.imul(n + 1, 0x9e3779b9) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** A body's own colour, varied a little from copy to copy. */
export function ownColour(info, index) {
  if (info.kind === "static" || info.container) return info.own_colour ? info.colour : channels(FIXED);
  const base = info.own_colour ? info.colour : channels(PALETTE[info.object % PALETTE.length]);
  const b = 1 + 0.25 * (2 * lot(index) - 1), w = 1 + 0.08 * (2 * lot(index + 7919) - 1);
  return [b * w * base[0], b * base[1], (b / w) * base[2]];
}

/** A colour for each body that tells it from its neighbours. */
export function bodyColour(index) {
  const hue = (index * 0.61803398875) % 1, k = (n) => (n + 6 * hue) % 6;
  const part = (n) => 0.78 - 0.5 * Math.max(0, Math.min(k(n), 4 - k(n), 1));
  return [part(5), part(3), part(1)].map(linear);
}

export const palette = (i) => css(channels([0x2a7bcb, 0xd2693c, 0x4f9d69, 0x9b6bb3, 0xc9a227, 0x3f8f8a][i % 6]));
