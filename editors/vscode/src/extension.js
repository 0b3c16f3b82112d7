// Starts `tvarc lsp`, and offers its commands. The server knows all that there is to know of programs.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { Beside } = require("./beside.js");

const NONE = "The first that fits";
let client;

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("tvarc").get("command");
  client = new LanguageClient("tvarc", "tvarc", { command, args }, { documentSelector: [{ language: "tvar" }] });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = "Open the setting";
    const chosen = await vscode.window.showErrorMessage(
      `The language server of tvarc did not start: ${error.message}. Install it with \`pip install tvarc[lsp]\`, ` +
        "or name its program in the setting tvarc.command.",
      settings,
    );
    if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "tvarc.command");
  }
}

/** The answer of the server to one of its commands. */
async function ask(command, ...words) {
  const offered = client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
  if (offered.includes(command))
    return client.sendRequest("workspace/executeCommand", { command, arguments: words });
  const why = client === undefined ? "The language server of tvarc is not running." : `This tvarc has no ${command}.`;
  vscode.window.showWarningMessage(why);
  return undefined;
}

/** Where the cursor is, for the server; undefined outside of programs. */
function here() {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "tvar") return undefined;
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), line, character };
}

const COMMANDS = {
  async restart() {
    await client?.stop();
    await start();
  },
  async pickVariant(place) {
    const names = (await ask("tvarc.variants", place.uri)) ?? [];
    const chosen = await vscode.window.showQuickPick([NONE, ...names], { title: "Show the values of a variant" });
    if (chosen !== undefined) await ask("tvarc.chooseVariant", chosen === NONE ? "" : chosen, place.uri);
  },
  async explainHere(place) {
    await ask("tvarc.show", "tvarc.explain", place.uri, place.line, place.character);
  },
  async whoHere(place) {
    await ask("tvarc.show", "tvarc.who", place.uri, place.line);
  },
  async whyNotHere(place) {
    const words = await vscode.window.showInputBox({ title: "Why is there no variant?", prompt: "sm90 avx2" });
    if (words !== undefined) await ask("tvarc.show", "tvarc.whyNot", place.uri, words);
  },
};

exports.activate = async (context) => {
  const beside = new Beside(ask);
  COMMANDS.openRecipe = (place) => beside.open(place);
  for (const [name, run] of Object.entries(COMMANDS)) {
    const command = () => {
      const place = here();
      return place !== undefined || name === "restart" ? run(place) : undefined;
    };
    context.subscriptions.push(vscode.commands.registerCommand(`tvarc.${name}`, command));
  }
  context.subscriptions.push(beside);
  await start();
};

exports.deactivate = () => client?.stop();
