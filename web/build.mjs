// Builds src/ into one HTML file: node build.mjs [OUT]. The same sources give the same bytes.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const out = process.argv[2] ?? new URL("../src/viewer/page/index.html", here);

async function bundled(file) {
  const result = await build({
    absWorkingDir: here.pathname,
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome110", "firefox115", "safari16.4"],
    legalComments: "inline",
    charset: "utf8",
  });
  return result.outputFiles[0].text.trim();
}

const page = await readFile(new URL("src/index.html", here), "utf8");
const style = await bundled("src/style.css");
// "</script" inside a script would end it.
const script = (await bundled("src/main.js")).replaceAll("</script", "<\\/script");
await writeFile(out, page.replace("/*style*/", () => style).replace("/*script*/", () => script));
