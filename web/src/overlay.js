// What lies over the picture: legend, axes, scale, messages.
import { Vector3 } from "three";
import { mapBytes } from "./colours.js";
import { context2d, element, niceBelow, short } from "./drawing.js";

const $ = (id) => document.getElementById(id);
const messages = new Map();  // kind -> element
let legendLook = "", cornerLook = "";

/** Says something above the picture; an empty text takes it back, a click takes it away until it changes. */
export function showMessage(kind, text) {
  const old = messages.get(kind);
  if ((old?.textContent ?? "") === text) return;
  old?.remove();
  messages.delete(kind);
  if (!text) return;
  const line = element("div", { title: "Click to close", onclick: () => line.remove() }, text);
  $("messages").append(line);
  messages.set(kind, line);
}

/** A bar of colours for each [field, unit, range, of what]. */
export function showLegends(legends) {
  const look = JSON.stringify(legends);
  if (look === legendLook) return;
  legendLook = look;
  $("legend").hidden = legends.length === 0;
  $("legend").replaceChildren(...legends.map(([field, unit, range, of = ""]) => {
    const canvas = element("canvas", { width: 256, height: 1 });
    const context = context2d(canvas), pixels = context.createImageData(256, 1);
    pixels.data.set(mapBytes(field));
    context.putImageData(pixels, 0, 0);
    return element("div", {}, element("div", { className: "name" }, unit ? `${of}${field} [${unit}]` : `${of}${field}`),
      canvas, element("div", { className: "ends" }, ...range.map((x) => element("span", {}, short(x)))));
  }));
}

/** Axes as they lie in the picture, and how long a metre is there. */
export function showCorner(stage) {
  const axes = [["x", "#d14b3d", [1, 0, 0]], ["y", "#4a9c4a", [0, 1, 0]], ["z", "#3b74c9", [0, 0, 1]]];
  const lines = axes.map(([name, colour, axis]) => {
    const v = new Vector3(...axis).transformDirection(stage.camera.matrixWorldInverse);
    const at = (length) => [(length * v.x).toFixed(1), (-length * v.y).toFixed(1)];
    const [x, y] = at(26), [a, b] = at(34);
    return [v.z, `<line x2="${x}" y2="${y}" stroke="${colour}" stroke-width="2.5" stroke-linecap="round"/>` +
      `<text x="${a}" y="${b}" fill="${colour}">${name}</text>`];
  });
  lines.sort((a, b) => a[0] - b[0]);  // what points at us lies on top
  const drawn = lines.map(([, text]) => text).join("");
  const metres = stage.metresPerPixel, length = niceBelow((stage.canvas.clientWidth < 560 ? 60 : 120) * metres);
  const look = `${drawn} ${length} ${metres}`;
  if (look === cornerLook) return;  // only the frame has changed
  cornerLook = look;
  $("axes").innerHTML = drawn;
  $("scale").firstChild.style.width = `${length / metres}px`;
  const [factor, unit] = length >= 1000 ? [1e-3, "km"] : length >= 1 ? [1, "m"] : length >= 0.01 ? [100, "cm"]
    : length >= 1e-3 ? [1000, "mm"] : [1e6, "µm"];
  $("scale").lastChild.textContent = `${Number((factor * length).toPrecision(1))} ${unit}`;
}
