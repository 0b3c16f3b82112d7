// The recipe of the variant that is shown, next to its source. Both move together.
const vscode = require("vscode");

const SCHEME = "tvarc-recipe";
const PAUSE = 100; // milliseconds without a move of the cursor

exports.Beside = class {
  #ask;
  #texts = new Map(); // of open recipes, by their addresses
  #changed = new vscode.EventEmitter();
  #waiting;
  #parts;

  constructor(ask) {
    this.#ask = ask;
    this.onDidChange = this.#changed.event;
    this.#parts = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.#texts.delete(document.uri.toString())),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        clearTimeout(this.#waiting);
        this.#waiting = setTimeout(() => this.#follow(textEditor), PAUSE);
      }),
    ];
  }

  dispose() {
    clearTimeout(this.#waiting);
    for (const part of this.#parts) part.dispose();
  }

  provideTextDocumentContent(uri) {
    return this.#texts.get(uri.toString())?.text;
  }

  async open(place) {
    const found = await this.#ask("tvarc.recipe", place.uri, place.line);
    if (!found) return;
    const uri = this.#keep(found);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "nix").catch(() => undefined); // there may be no Nix
    const column = vscode.ViewColumn.Beside;
    const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus: true });
    show(editor, found.here);
  }

  #keep(found) {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${found.variant}.nix` });
    this.#texts.set(uri.toString(), found);
    this.#changed.fire(uri);
    return uri;
  }

  async #follow(from) {
    const beside = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === SCHEME);
    if (beside === undefined || from !== vscode.window.activeTextEditor) return;
    const { line } = from.selection.active;
    if (from === beside) {
      const [place] = this.#texts.get(beside.document.uri.toString())?.lines[line] ?? [];
      const open = ({ document }) => document.uri.toString() === place.uri;
      const source = place && vscode.window.visibleTextEditors.find(open);
      if (source) show(source, [place.line]);
    } else if (from.document.languageId === "tvar") {
      const found = await this.#ask("tvarc.recipe", from.document.uri.toString(), line);
      if (found && this.#keep(found).toString() === beside.document.uri.toString()) show(beside, found.here);
    }
  }
};

function show(editor, lines) {
  if (lines.length === 0) return;
  editor.selections = lines.map((line) => new vscode.Selection(line, 0, line, 0));
  editor.revealRange(new vscode.Range(lines[0], 0, lines.at(-1), 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
