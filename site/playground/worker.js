// Runs tvarc beside the page, so that the page never waits. A message is {id, name, args}; the answer
// has the same id, and `answer`, or `fault` where Python has failed.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const text = async (name) => (await fetch(name)).text();
const bytes = async (name) => (await fetch(name)).arrayBuffer();

async function started() {
  const [python, bundle, face] = await Promise.all([loadPyodide(), bytes("bundle.zip"), text("face.py")]);
  python.unpackArchive(bundle, "zip", { extractDir: "/home/pyodide" });
  python.FS.writeFile("/home/pyodide/face.py", face);
  return python.pyimport("face");
}

const face = started();
self.onmessage = async ({ data: { id, name, args } }) => {
  try {
    self.postMessage({ id, answer: (await face)[name](...args) });
  } catch (fault) {
    self.postMessage({ id, fault: String(fault.message ?? fault).slice(-2000) });
  }
};
