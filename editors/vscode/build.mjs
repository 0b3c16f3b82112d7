// Makes dist/: the extension with all that it needs in one file, and the grammar for its colours. The licence is
// that of tvarc.
import { build } from "esbuild";
import { copyFile } from "node:fs/promises";

await build({
  entryPoints: ["src/extension.js"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node18",
  external: ["vscode"],
  logLevel: "error",
});
await copyFile("../textmate/tvar.tmLanguage.json", "dist/tvar.tmLanguage.json");
await copyFile("../../LICENSE", "LICENSE");
