// The viewer in headless Chromium with software GL: node bench/viewer_bench.mjs RUN [COMMAND]
// Time to the first picture, time to any frame, bytes a particle, pictures a second.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const [run, command = "build/release/apps/hydrolith"] = process.argv.slice(2);
const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("playwright-core");

const server = spawn(command, ["view", run, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((found) => server.stdout.on("data", (text) => {
  const match = String(text).match(/Viewer: (\S+)/);
  if (match) found(match[1]);
}));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const ms = (x) => `${x.toFixed(0)} ms`;

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const sizes = [];
  page.on("response", async (answer) => {
    if (answer.url().includes("/api/frame/")) sizes.push(Number(answer.headers()["content-length"]));
  });
  await page.goto(address);
  await page.waitForFunction(() => window.viewer?.ready, null, { polling: 10, timeout: 120000 });
  // Drawn for sure: reading a pixel waits for the GL.
  const first = await page.evaluate(async () => {
    const { stage } = window.viewer;
    while (window.viewer.drawnFrame === undefined) await new Promise((r) => setTimeout(r, 1));
    const gl = stage.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now();  // since the page was asked for
  });
  await page.waitForFunction(() => window.viewer.settled, null, { timeout: 120000 });
  const particles = await page.evaluate(() => window.viewer.frame.header.counts.reduce((a, b) => a + b, 0));
  console.log(`${particles} particles, first picture ${ms(first)}, a frame of ${(sizes[0] / particles).toFixed(3)} bytes a particle`);

  // Frames in an order that no prefetching guesses, none of them seen before; kept frames are dropped.
  const times = await page.evaluate(async () => {
    const { player, stage, store } = window.viewer;
    const gl = stage.renderer.getContext(), n = player.frames.length, times = [];
    for (let i = 0; i < Math.min(25, n); ++i) {
      store.forget();
      const place = (7 + i * 17) % n;
      await new Promise((r) => setTimeout(r, 300));  // nobody seeks faster than that
      const start = performance.now();
      player.seek(place);
      const turn = () => new Promise((r) => setTimeout(r, 1));
      while (window.viewer.drawnFrame !== player.frames[place][0]) await turn();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
  });
  console.log(`scrub to any frame: median ${ms(times[times.length >> 1])}, slowest ${ms(times.at(-1))} of ${times.length}`);

  const draw = await page.evaluate(() => {
    const { stage } = window.viewer, gl = stage.renderer.getContext(), start = performance.now();
    for (let i = 0; i < 5; ++i) {
      stage.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return (performance.now() - start) / 5;
  });
  console.log(`drawing one picture: ${ms(draw)} (software GL)`);
} finally {
  await browser.close();
  server.kill("SIGINT");
}
