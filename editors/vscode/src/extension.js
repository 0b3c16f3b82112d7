// Starts `tvarc lsp`. The server knows all that there is to know of programs.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

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

async function restart() {
  await client?.stop();
  await start();
}

async function pickVariant() {
  const document = vscode.window.activeTextEditor?.document;
  if (client === undefined || document?.languageId !== "tvar") return;
  const ask = (command, ...words) => client.sendRequest("workspace/executeCommand", { command, arguments: words });
  const names = (await ask("tvarc.variants", document.uri.toString())) ?? [];
  const chosen = await vscode.window.showQuickPick([NONE, ...names], { title: "Show the values of a variant" });
  if (chosen !== undefined) await ask("tvarc.chooseVariant", ...(chosen === NONE ? [] : [chosen]));
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("tvarc.pickVariant", pickVariant),
    vscode.commands.registerCommand("tvarc.restart", restart),
  );
  await start();
};

exports.deactivate = () => client?.stop();
