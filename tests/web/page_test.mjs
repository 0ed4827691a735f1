// The page in src/viewer/page is what `make web` builds from web/, to the byte.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const source = process.env.HYDROLITH_SOURCE;

test("the committed page is up to date", () => {
  const folder = mkdtempSync(join(tmpdir(), "hydrolith_page_"));
  const fresh = join(folder, "index.html");
  const built = spawnSync("node", [join(source, "web/build.mjs"), fresh], { encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
  assert.ok(readFileSync(fresh).equals(readFileSync(join(source, "src/viewer/page/index.html"))), "run `make web`");
  rmSync(folder, { recursive: true });
});

test("package-lock.json names no registry and every package by version and hash", () => {
  const lock = JSON.parse(readFileSync(join(source, "web/package-lock.json"), "utf8"));
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (name === "") continue;
    assert.equal(entry.resolved, undefined, name);
    assert.match(entry.integrity, /^sha512-/, name);
  }
});
