// Runs the playground's Python in Node: `node try.mjs FOLDER`, with the programs as a list of
// [text, files] on standard input. Prints as JSON what Python it is, and of each program the answer,
// the first recipe, and how long it took.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide", "pyodide.mjs")));
const python = await loadPyodide({ indexURL: path.join(folder, "pyodide") });
python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(folder, "bundle.zip"))), "zip", {
  extractDir: "/home/pyodide",
});
python.FS.writeFile("/home/pyodide/face.py", fs.readFileSync(path.join(folder, "face.py"), "utf8"));
const face = python.pyimport("face");

const answers = JSON.parse(fs.readFileSync(0, "utf8")).map(([text, files]) => {
  const before = performance.now();
  const result = JSON.parse(face.check(text, JSON.stringify(files)));
  const took = performance.now() - before;
  const built = result.ok && result.variants.length;
  const shown = built ? [face.recipe(0), face.explain(0), face.explain(0, "attrs.nope")] : [];
  return { result, took, shown };
});
const version = python.runPython("import sys; sys.version.split()[0]");
const modules = python.runPython("import sys; ' '.join(sys.modules)").split(" ");
process.stdout.write(JSON.stringify({ version, modules, answers }), () => process.exit(0));
