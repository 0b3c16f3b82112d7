// Builds the playground: `node build.mjs WHEEL FOLDER`, where WHEEL is that of this tvarc.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..");
const [wheel, folder] = process.argv.slice(2).map((name) => path.resolve(name));

const pyodide = path.join(here, "node_modules", "pyodide");

async function bundle() {
  const places = { WHEEL: "/tmp/w.whl", BUNDLE: "/tmp/b.zip", LIBRARY: "/tmp/l.zip", SMALLER: "/tmp/s.zip" };
  const python = await loadPyodide({ env: places });
  python.FS.writeFile(places.WHEEL, fs.readFileSync(wheel));
  python.FS.writeFile(places.LIBRARY, fs.readFileSync(path.join(pyodide, "python_stdlib.zip")));
  python.runPython(fs.readFileSync(path.join(here, "bundle.py"), "utf8"));
  fs.writeFileSync(path.join(folder, "bundle.zip"), python.FS.readFile(places.BUNDLE));
  fs.writeFileSync(path.join(folder, "pyodide", "python_stdlib.zip"), python.FS.readFile(places.SMALLER));
}

function examples() {
  const text = (...names) => fs.readFileSync(path.join(root, ...names), "utf8");
  const about = (program) => program.split("\n")[0].replace(/^# /, "").replace(/\.$/, "");
  const found = [{ text: text("variants.tvar"), files: {} }];
  for (const name of ["package", "torch", "python-set", "from-scratch"]) {
    const lock = { "tvar.lock": text("templates", name, "tvar.lock") };
    found.push({ text: text("templates", name, "variants.tvar"), files: lock });
  }
  return found.map((one) => ({ title: about(one.text), ...one }));
}

fs.mkdirSync(path.join(folder, "pyodide"), { recursive: true });
await bundle();
for (const name of ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json"]) {
  fs.copyFileSync(path.join(pyodide, name), path.join(folder, "pyodide", name));
}
for (const name of ["index.html", "worker.js", "face.py"]) {
  fs.copyFileSync(path.join(here, name), path.join(folder, name));
}
fs.writeFileSync(path.join(folder, "examples.json"), JSON.stringify(examples()));
await build({
  entryPoints: [path.join(here, "main.js")],
  outfile: path.join(folder, "main.js"),
  bundle: true,
  format: "esm",
  minify: true,
  logLevel: "warning",
});
process.exit(0);
