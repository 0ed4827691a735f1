// Runs to look at, servers to look with, a browser, and what it shows as numbers.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";

const source = process.env.HYDROLITH_SOURCE;
export const command = process.env.HYDROLITH_COMMAND;
const { chromium } = createRequire(join(source, "web/package.json"))("playwright-core");

export const folder = mkdtempSync(join(tmpdir(), "hydrolith_web_"));
const children = new Set();

export const SCENE = `
name: basin
spacing: 0.05
duration: 0.4
time_step: 5 ms
liquids:
  - {name: water, shape: {box: [0.6, 0.4, 0.5], at: [-0.25, 0.2, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [1.2, 0.9, 0.6], inside_out: true}, at: [0, 0.45, 0]}
  - {name: ball, shape: {sphere: 0.1}, at: [0.3, 0.4, 0], density: 500}
  - {name: brick, shape: {box: [0.15, 0.15, 0.15]}, at: [0.4, 0.1, 0.15], density: 2000}
output: {fields: [velocity, pressure]}
probes:
  - {name: ball, pose: ball}
`;

export function hydrolith(...words) {
  const done = spawnSync(command, words, { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`hydrolith ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** The run all tests look at; made once. */
export function basin() {
  const run = join(folder, "basin");
  if (!existsSync(run)) {
    writeFileSync(join(folder, "basin.yaml"), SCENE);
    hydrolith("run", "basin.yaml", "-o", "basin", "-q");
  }
  return run;
}

/** A copy of it to damage. */
export function copyOfBasin(name) {
  const copy = join(folder, name);
  cpSync(basin(), copy, { recursive: true });
  return copy;
}

export function start(...words) {
  const child = spawn(command, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** A port that nobody listens on: not the usual one, where another viewer may come and go. */
function freePort() {
  return new Promise((found) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}

/** Serves a run; {address, stop()}. */
export async function view(run) {
  const child = start("view", run, "--no-open", "--port", String(await freePort()));
  const address = await new Promise((found, lost) => {
    let text = "";
    child.stdout.on("data", (more) => {
      text += more;
      const match = text.match(/Viewer: (\S+)/);
      if (match) found(match[1]);
    });
    child.on("exit", (code) => lost(new Error(`hydrolith view ended with ${code}`)));
  });
  return { address, stop: () => new Promise((ended) => {
    child.on("exit", ended);
    child.kill("SIGINT");
  }) };
}

export function end() {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
}

/** Opens the viewer and waits until it has chosen camera and colours; collects faults in page.faults. */
export async function open(browser, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light", ...options });
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.stack));
  page.on("console", (message) => {
    if (message.type() === "error") page.faults.push(message.text());
  });
  await page.goto(address);
  await page.waitForFunction(() => window.viewer?.settled, null, { timeout: 60000 });
  await steady(page);
  return page;
}

/** Waits until the charts have come and the picture has got the size they leave it. */
function steady(page) {
  return page.waitForFunction(() => {
    const { stage, charts } = window.viewer;
    const gl = stage.renderer.getContext();
    const size = `${gl.drawingBufferWidth} ${gl.drawingBufferHeight}`;
    const seen = (window.sizeSeen ??= { size: "", times: 0 });
    seen.times = seen.size === size ? seen.times + 1 : 0;
    seen.size = size;
    return seen.times >= (charts.metrics.times.length > 0 ? 4 : 30);
  }, null, { polling: 100, timeout: 60000 });
}

/** What the picture shows: pixels covered, their mean colour, and a number for all of it. */
export function picture(page) {
  return page.evaluate(() => {
    const { stage } = window.viewer;
    if (stage.floor) stage.floor.visible = false;  // only what the run holds
    stage.draw();
    const gl = stage.renderer.getContext();
    const bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    const sum = [0, 0, 0];
    let covered = 0, number = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      number = (Math.imul(number, 31) + bytes[i] + 3 * bytes[i + 1] + 7 * bytes[i + 2]) | 0;
      if (bytes[i + 3] < 250) continue;
      ++covered;
      for (let k = 0; k < 3; ++k) sum[k] += bytes[i + k];
    }
    return { covered, mean: sum.map((s) => s / Math.max(1, covered)), number };
  });
}

/** Waits until the frame at this place of the list is the one shown. */
export function shown(page, place) {
  return page.waitForFunction((p) => {
    const { player, frame } = window.viewer;
    return player.place === p && frame.header.index === player.frames[p][0];
  }, place, { timeout: 20000 });
}

/** metrics.csv as columns of numbers. */
export function metricsOf(run) {
  const [head, ...rows] = readFileSync(join(run, "metrics.csv"), "utf8").trim().split("\n").map((l) => l.split(","));
  return Object.fromEntries(head.map((name, c) => [name, rows.map((r) => (r[c] === "" ? NaN : Number(r[c])))]));
}

/** Where a point of the world is on the page. */
export function onPage(page, point) {
  return page.evaluate(([x, y, z]) => {
    const { stage } = window.viewer;
    const p = stage.controls.target.clone().set(x, y, z).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * p.x) * box.width, box.top + (0.5 - 0.5 * p.y) * box.height];
  }, point);
}
