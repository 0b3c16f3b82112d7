"""What colours a program without the compiler: the grammars for tree-sitter and for TextMate, and
the lexer for Pygments. Each takes what the compiler takes."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from rules.cases import rules_of
from support.compile import ROOT
from support.corpus import programs
from support.effort import is_long
from support.fences import FENCE
from support.grammar import by_library, library
from support.library_cache import library_cache
from support.reference import whole
from support.services import require
from tvarc.editor.words import words
from tvarc.syntax.machine import machine
from tvarc.syntax.parser import parse_module
from tvarc.syntax.terminals import LITERALS, PUNCTUATION, RESERVED
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

EDITORS = ROOT / "editors"
TREE_SITTER = EDITORS / "tree-sitter-tvar"
QUERIES = TREE_SITTER / "queries" / "tvar"
ZED = EDITORS / "zed"
MODULES = EDITORS / "vscode" / "node_modules"
KEYWORDS = {*machine(library_cache()).tables.keywords, *map(str.lower, RESERVED)}
LAYOUT = {"CONT", "BLANK", "BOM", "_NL", "_WRAP"}
TOKENS = """\
const fs = require("node:fs");
const path = require("node:path");
const modules = process.argv[1];
const textmate = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));
const wasm = fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm")).buffer;
(async () => {
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (some) => new oniguruma.OnigScanner(some),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => name !== "source.tvar" ? null
      : textmate.parseRawGrammar(fs.readFileSync(process.argv[2], "utf8"), "tvar.json"),
  });
  const grammar = await registry.loadGrammar("source.tvar");
  const all = JSON.parse(fs.readFileSync(0, "utf8")).map((text) => {
    let stack = textmate.INITIAL;
    const tokens = [];
    for (const line of text.split("\\n")) {
      const found = grammar.tokenizeLine(line, stack);
      stack = found.ruleStack;
      for (const token of found.tokens)
        tokens.push([line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
    }
    return { tokens, open: stack.depth - 1 };
  });
  process.stdout.write(JSON.stringify(all), () => process.exit(0));
})();
"""


def faults(text: str) -> list[str]:
    sink = Sink()
    parse_module(Source("a.tvar", text), sink)
    return [diagnostic.code for diagnostic in sink]


@cache
def texts() -> list[str]:
    """All programs of the project and of the documents, and of the rules as many as are tried."""
    cases = [
        case.source()
        for path in sorted((ROOT / "tests" / "rules").glob("[0-9]*/*.tvar"))
        for rule in rules_of(path)
        for case in rule.cases
    ]
    blocks = [block["text"] for block in FENCE.finditer(whole()) if block["language"] == "tvar"]
    return list(dict.fromkeys([*programs(), *(cases if is_long() else cases[::5]), *blocks]))


@cache
def good() -> list[str]:
    return [text for text in texts() if not faults(text)]


@cache
def pygments_lexer() -> Any:
    require(importlib.util.find_spec("pygments") is not None, "Pygments is not installed")
    (entry,) = entry_points(group="pygments.lexers", name="tvar")
    return entry.load()()


def terminals() -> Iterator[str]:
    """A text of each terminal of the grammar but line ends and blanks."""
    literals = {
        "NAME": "a-b", "STRING": '"a"', "SCRIPT_TEXT": '"""a"""', "NIX": 'nix"""a"""',
        "NUMBER": "13.0", "COMMENT": "# a",
    }  # fmt: skip
    for terminal in library().terminals:
        if terminal.name not in LAYOUT | RESERVED:
            yield literals.get(terminal.name) or str(terminal.pattern.value)
    yield from map(str.lower, RESERVED)


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The grammar for tree-sitter, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    require(compiler is not None, "there is no C compiler")
    built = tmp_path_factory.mktemp("parser") / "tvar.so"
    source = TREE_SITTER / "src"
    command = [str(compiler), "-shared", "-fPIC", f"-I{source}", str(source / "parser.c")]
    subprocess.run([*command, "-o", str(built)], check=True)
    function = ctypes.CDLL(str(built)).tree_sitter_tvar
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    tree_sitter = importlib.import_module("tree_sitter")
    return tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))


def coloured(some: Iterable[str]) -> list[Any]:
    """The tokens of each text by the grammar for TextMate, as VS Code reads it."""
    node = shutil.which("node")
    require(node is not None, "Node is not installed")
    require((MODULES / "vscode-textmate").is_dir(), "run `npm ci` in editors/vscode")
    grammar = EDITORS / "textmate" / "tvar.tmLanguage.json"
    done = subprocess.run(
        [str(node), "-e", TOKENS, str(MODULES), str(grammar)],
        input=json.dumps(list(some)), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return list(json.loads(done.stdout))


def lexed(text: str) -> list[tuple[str, str]]:
    """The tokens of *text* by the lexer for Pygments."""
    found = pygments_lexer().get_tokens(text)
    return [(str(kind).removeprefix("Token."), value) for kind, value in found]


def test_each_keyword_is_of_one_kind() -> None:
    known = words()
    kinds = (
        known.declarations, known.modifiers, known.clauses, known.operators, known.constants,
    )  # fmt: skip
    assert sorted(word for kind in kinds for word in kind) == sorted(KEYWORDS)
    assert {"recipe", "use", "language", "warn"} < {*known.declarations}
    assert known.modifiers == ("default", "force")
    assert {"when", "exclude", "because", "else"} < {*known.clauses}
    assert {*known.operators} == {"and", "or", "not", "in", "is"}
    assert {*known.constants} == {"true", "false", "null", "none"}


@pytest.mark.slow
def test_tree_sitter_takes_what_the_compiler_takes(language: Any) -> None:
    """And no more than the grammar of the compiler, but for two things that tree-sitter does not
    know: where a line ends, and that a reserved word is no name."""
    parser = importlib.import_module("tree_sitter").Parser(language)
    taken = refused = 0
    for text in texts():
        wrong = parser.parse(text.encode()).root_node.has_error
        if text in good():
            taken += 1
            assert not wrong, text
        elif by_library(text) is None:
            refused += wrong
            assert wrong or {*faults(text)} <= {"E101", "E105"}, text
    assert taken > 400 and refused > 10


def test_tree_sitter_knows_each_terminal(language: Any) -> None:
    kinds = {language.node_kind_for_id(number) for number in range(language.node_kind_count)}
    nodes = {"identifier", "string", "script_text", "nix", "number", "comment"}
    assert nodes | KEYWORDS | {*PUNCTUATION.values()} <= kinds
    assert len(nodes) == len(LITERALS) + 1  # the comment
    assert {word for word in kinds if word.isalpha() and word.islower()} >= KEYWORDS


@pytest.mark.parametrize(
    "path",
    [*sorted(QUERIES.iterdir()), *sorted(ZED.glob("languages/tvar/*.scm"))],
    ids=lambda path: f"{path.relative_to(EDITORS).parts[0]}-{path.stem}",
)
def test_queries_fit_the_tree(path: Path, language: Any) -> None:
    query = importlib.import_module("tree_sitter").Query
    query(language, path.read_text(encoding="utf-8"))


def test_zed_has_the_same_language() -> None:
    """Zed builds the extension: here its files are compared with each other."""
    own = ZED / "languages" / "tvar"
    for name in ("highlights.scm", "injections.scm"):
        assert (own / name).read_bytes() == (QUERIES / name).read_bytes(), f"copy {name}"
    extension, crate, config = (
        tomllib.loads(path.read_text(encoding="utf-8"))
        for path in (ZED / "extension.toml", ZED / "Cargo.toml", own / "config.toml")
    )
    assert extension["version"] == crate["package"]["version"]
    assert extension["grammars"].keys() == {config["grammar"]}
    folder = ROOT / extension["grammars"][config["grammar"]]["path"]
    assert (folder / "src" / "parser.c").is_file()
    assert extension["language_servers"]["tvarc"]["languages"] == [config["name"]]
    code = (ZED / crate["lib"]["path"]).read_text(encoding="utf-8")
    assert 'worktree.which("tvarc")' in code and 'vec!["lsp".to_string()]' in code
    outline = (own / "outline.scm").read_text(encoding="utf-8")
    assert set(re.findall(r'^\((\w+) "', outline, re.M)) <= KEYWORDS


def test_all_words_and_names_have_a_colour(language: Any) -> None:
    tree_sitter = importlib.import_module("tree_sitter")
    text = (QUERIES / "highlights.scm").read_text(encoding="utf-8")
    parser = tree_sitter.Parser(language)
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(language, text))
    strengths = {*words().modifiers}  # a node has them
    assert all(f'"{word}"' in text or f"({word})" in text for word in KEYWORDS - strengths)
    assert all(f'"{name}"' in text for name in words().names)
    source = b'let x = if pkgs.a == "b{{variant}}" then 1 else true # c\n'
    found = {
        source[node.start_byte : node.end_byte].decode(): name
        for name, nodes in cursor.captures(parser.parse(source).root_node).items()
        for node in nodes
    }
    assert found["let"] == "keyword" and found["if"] == "keyword.control"
    assert found["x"] == "constant" and found["a"] == "variable.other.member"
    assert found["pkgs"] == found["variant"] == "variable.builtin"
    assert found["b"] == "string" and found["1"] == "constant.numeric"


@pytest.mark.slow
def test_the_parser_is_made_of_the_grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = shutil.which("tree-sitter")
    require(program is not None, "tree-sitter is not installed: `.ci/install-editors`")
    made = tmp_path / "grammar"
    shutil.copytree(TREE_SITTER, made, ignore=shutil.ignore_patterns("src"))
    subprocess.run([str(program), "generate", "--abi", "14", "--no-bindings"], cwd=made, check=True)
    parser = Path("src", "parser.c")
    assert (made / parser).read_bytes() == (TREE_SITTER / parser).read_bytes()
    monkeypatch.setenv("HOME", str(tmp_path))
    subprocess.run([str(program), "test"], cwd=made, check=True)  # test/corpus/


@pytest.mark.slow
def test_grammars_of_words_are_made_of_the_words(tmp_path: Path) -> None:
    folder = EDITORS / "textmate"
    subprocess.run([sys.executable, str(folder / "make.py"), str(tmp_path)], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(made) == ["tvar.sublime-syntax", "tvar.tmLanguage.json"]
    assert all((folder / name).read_bytes() == text for name, text in made.items())


@pytest.mark.slow
def test_textmate_leaves_nothing_without_a_scope() -> None:
    for text, found in zip(good(), coloured(good()), strict=True):
        bare = [part for part, scope in found["tokens"] if scope == "source.tvar" and part.strip()]
        assert not bare, text
        assert found["open"] == 0, text


def test_textmate_knows_each_terminal() -> None:
    some = sorted(terminals())
    for text, found in zip(some, coloured(f"{text} x" for text in some), strict=True):
        scopes = {scope for part, scope in found["tokens"] if part.strip() == text}
        assert "source.tvar" not in scopes, text
        assert text not in KEYWORDS or not scopes & {"variable.other.tvar"}, text


@pytest.mark.slow
def test_pygments_reads_every_program() -> None:
    for text in good():
        tokens = lexed(text)
        assert "".join(value for _, value in tokens).strip() == text.strip()
        assert [value for kind, value in tokens if kind == "Error"] == [], text


def test_pygments_knows_each_terminal() -> None:
    for text in terminals():
        kinds = {kind for kind, value in lexed(f"{text} x") if value.strip() == text}
        assert "Error" not in kinds, text
        assert text not in KEYWORDS or not kinds & {"Name"}, text


def test_what_pygments_makes_of_a_line() -> None:
    text = 'let cuda = 13.0\nattrs { pname = "x-{{upper(gpu)}}" } # end\n'
    assert [token for token in lexed(text) if token[1].strip()] == [
        ("Keyword.Declaration", "let"), ("Name.Class", "cuda"), ("Operator", "="),
        ("Literal.Number", "13.0"), ("Name.Attribute", "attrs"), ("Punctuation", "{"),
        ("Name.Attribute", "pname"), ("Operator", "="), ("Literal.String.Double", '"'),
        ("Literal.String.Double", "x-"), ("Literal.String.Interpol", "{{"),
        ("Name.Function", "upper"), ("Punctuation", "("), ("Name", "gpu"), ("Punctuation", ")"),
        ("Literal.String.Interpol", "}}"), ("Literal.String.Double", '"'), ("Punctuation", "}"),
        ("Comment.Single", "# end"),
    ]  # fmt: skip
