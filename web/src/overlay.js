// What lies over the picture: legend, axes, scale, messages.
import { Vector3 } from "three";
import { mapBytes } from "./colours.js";
import { element, niceBelow, short } from "./drawing.js";

const $ = (id) => document.getElementById(id);
const messages = new Map();  // kind -> element
let legendLook = "";

/** Says something above the picture; an empty text takes it back. */
export function showMessage(kind, text) {
  const old = messages.get(kind);
  if ((old?.textContent ?? "") === text) return;
  old?.remove();
  messages.delete(kind);
  if (!text) return;
  const line = element("div", {}, text);
  $("messages").append(line);
  messages.set(kind, line);
}

export function showLegend(field, unit, range) {
  const legend = $("legend");
  legend.hidden = !field;
  const look = `${field} ${unit} ${range}`;
  if (!field || look === legendLook) return;
  legendLook = look;
  legend.querySelector(".name").textContent = unit ? `${field} [${unit}]` : field;
  const [least, most] = legend.querySelectorAll(".ends span");
  least.textContent = short(range[0]);
  most.textContent = short(range[1]);
  const canvas = legend.querySelector("canvas"), context = canvas.getContext("2d");
  const bytes = mapBytes(field);
  for (let x = 0; x < canvas.width; ++x) {
    const i = 4 * Math.floor((256 * x) / canvas.width);
    context.fillStyle = `rgb(${bytes[i]} ${bytes[i + 1]} ${bytes[i + 2]})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
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
  $("axes").innerHTML = lines.map(([, text]) => text).join("");
  const metres = stage.metresPerPixel, length = niceBelow(120 * metres);
  $("scale").firstChild.style.width = `${length / metres}px`;
  const [factor, unit] = length >= 1000 ? [1e-3, "km"] : length >= 1 ? [1, "m"] : length >= 0.01 ? [100, "cm"]
    : length >= 1e-3 ? [1000, "mm"] : [1e6, "µm"];
  $("scale").lastChild.textContent = `${Number((factor * length).toPrecision(1))} ${unit}`;
}
