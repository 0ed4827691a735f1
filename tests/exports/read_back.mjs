// node read_back.mjs WEB FILE...: what other readers see in exports, as JSON. Khronos' validator for glTF, TinyUSDZ for
// USD (a parser of its own, which checks the types of the schemas too), from the packages in WEB/node_modules.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [web, ...files] = process.argv.slice(2);
const packages = path.join(path.resolve(web), "node_modules");
const module_of = (file) => import(pathToFileURL(path.join(packages, file)));

async function read_glb(file) {
  const validator = (await module_of("gltf-validator/index.js")).default;
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
  return {
    problems: report.issues.messages.map((m) => `${m.code} ${m.pointer ?? ""}`),
    triangles: report.info.totalTriangleCount,
    animations: report.info.animationCount,
  };
}

async function start_tinyusdz() {
  globalThis.window = globalThis;  // it is made for browsers
  process.type = "renderer";
  const { default: start } = await module_of("tinyusdz/tinyusdz.js");
  const code = fs.readFileSync(path.join(packages, "tinyusdz", "tinyusdz.wasm"));
  return start({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(code, imports).then(({ instance, module }) => done(instance, module));
      return {};
    },
  });
}

async function read_usda(file) {
  const tinyusdz = await start_tinyusdz();
  const bytes = fs.readFileSync(file);
  const layer = new tinyusdz.TinyUSDZLoaderNative(), scene = new tinyusdz.TinyUSDZLoaderNative();
  const grammar = layer.loadAsLayerFromBinary(bytes, file), schemas = scene.loadFromBinary(bytes, file);
  return { grammar, schemas, error: layer.error() || scene.error(), meshes: schemas ? scene.numMeshes() : 0 };
}

const seen = [];
for (const file of files) seen.push(await (file.endsWith(".glb") ? read_glb(file) : read_usda(file)));
console.log(JSON.stringify(seen));
