"""The table of blocks, `tvarc.blocks`: each row works, and a new row is all that a block needs."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.alone import emit
from support.compile import compile_text
from support.effort import for_each
from support.library_cache import own_cache
from tvarc.blocks import BY_NAME, OF_PACKAGE, TABLE, Block, Place
from tvarc.commands.shown.tree import recipe_tree

ROOT = Path(__file__).resolve().parents[2]
COMPILER = ROOT / "compiler" / "tvarc"

PROGRAM = """\
pin stated {{
  url     = "https://example.org/nixpkgs.tar.gz"
  hash    = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
  release = 25.05
  {pin}
}}
overlay changed for hello {{ {overlay} }}
recipe base {{
  package  = pkgs.hello
  pin      = stated
  overlays = [changed]
  {recipe}
}}
variant v {{ recipe = base }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
"""A program with a place for a setting in a pin, an overlay and a recipe."""

EMITTED = {
    "import": "{name} = ",
    "override": "hello.override {{ own = ",
    "attributes": "overrideAttrs (_: {{ own = ",
    "set": "{name} = (old.{name} or {{ }}) // {{ own = ",
    "tests": "tests = (old.passthru.tests or {{ }}) // {{ own = ",
}
"""The text of a recipe that has a setting, by the form of its block."""


def setting(block: Block, place: Place) -> str:
    """A setting of *block*, as it is written in *place*."""
    if block.holds == "known values":
        return f'{block.name} {{ system = "x86_64-linux" }}'
    if block.holds == "tests":
        return f'{block.name} own {{ script = "ours" }}'
    if block.in_parts:
        return f'{block.name} own {{ part old = none, part one "ours" }}'
    inner = 'own = "ours"'
    return inner if place == "overlay" and block.name == "attrs" else f"{block.name} {{ {inner} }}"


PLACES = [(block, place) for block in TABLE for place in block.written_in]


@for_each("block, place", PLACES)
def test_each_block_is_emitted_and_explained(block: Block, place: Place) -> None:
    other = {"pin": "", "overlay": 'other = "x"', "recipe": ""}
    made = compile_text(PROGRAM.format(**{**other, place: setting(block, place)}))
    recipes = made.recipes()
    assert not made.sink.has_errors, made.diagnostics
    (file,) = emit(recipes, "input.tvar")
    expected = EMITTED[block.form].format(name=block.name)
    assert expected in " ".join(file.text.split()), file.text
    labels = [node.path for node in recipe_tree(recipes[0]).walk()]
    key = "system" if block.holds == "known values" else "own"
    base = ("overlays", "changed") if place == "overlay" else ()
    named = () if base and block.name == "attrs" else (block.name,)
    assert (*base, *named, key) in labels


def test_each_block_is_documented() -> None:
    pages = [ROOT / "docs" / "language" / f"{name}.md" for name in ("recipes", "declarations")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in BY_NAME:
        assert f"`{name} " in text, name


def test_each_form_with_one_block_has_one() -> None:
    """The call of a package and the block that an overlay leaves out are no lists."""
    assert [one.name for one in TABLE if one.form == "override"] == ["args"]
    assert [one.name for one in TABLE if one.holds == "attributes"] == ["attrs"]
    assert [one.name for one in TABLE if one.in_parts] == ["script"]
    assert list(BY_NAME) == [one.name for one in TABLE]
    assert [one.form == "import" for one in TABLE] == [one not in OF_PACKAGE for one in TABLE]


# --- a new block ---------------------------------------------------------------------------------

ROW = '    Block("trials", ("recipe", "overlay"), "describe", "values", "own", "set"),\n'
WITH_ROW = f"""
import importlib.util, pathlib, sys
spec = importlib.util.find_spec("tvarc.blocks")
source = pathlib.Path(spec.origin).read_text(encoding="utf-8")
end = '"describe", "notes", "own", "set"),\\n'
assert source.count(end) == 1
module = importlib.util.module_from_spec(spec)
sys.modules["tvarc.blocks"] = module
exec(compile(source.replace(end, end + {ROW!r}), spec.origin, "exec"), module.__dict__)
import tvarc
tvarc.blocks = module
from tvarc.commands.start.entry import process
process()
"""
"""The command line, with one more row in the table."""

NEW = """\
axis n = [1, 2]
recipe base {
  package = pkgs.hello
  pin = none
  trials {
    one = n
    list += ["a"]
    text { part first "x" }
  }
}
matrix m { recipe = base, axes = n, name = "v{{n}}" }
output nix { file = "{{variant}}.nix" }
"""


@pytest.fixture
def new_block(tmp_path: Path) -> Path:
    (tmp_path / "variants.tvar").write_text(NEW, encoding="utf-8")
    own_cache(tmp_path / "cache")
    return tmp_path


def run(folder: Path, *words: str, row: bool = True) -> subprocess.CompletedProcess[str]:
    """`tvarc` in *folder*, with or without the new row."""
    code = WITH_ROW if row else "from tvarc.commands.start.entry import process; process()"
    own = {"PYTHONPATH": str(ROOT / "compiler"), "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_without_its_row_there_is_no_block(new_block: Path) -> None:
    done = run(new_block, "check", row=False)
    assert done.returncode == 1
    assert "there is no block `trials`" in done.stderr


@pytest.mark.slow
def test_a_row_is_all_that_a_block_needs(new_block: Path) -> None:
    built = run(new_block, "build", "--no-git", "--source-map")
    assert built.returncode == 0, built.stderr
    text = " ".join((new_block / "v2.nix").read_text(encoding="utf-8").split())
    assert "trials = (old.trials or { }) // { one = 2;" in text
    assert 'text = "x";' in text
    assert "trials.list" in text  # it adds to the package's own list, with a guard

    shown = run(new_block, "explain", "v2", "trials")
    assert "one" in shown.stdout and "variants.tvar:6" in shown.stdout, shown.stdout + shown.stderr
    differing = json.loads(run(new_block, "diff", "v1", "v2", "--json").stdout)
    assert "trials.one" in json.dumps(differing)
    listed = run(new_block, "list", "--columns", "name,trials.one")
    assert listed.stdout.split() == ["v1", "1", "v2", "2"], listed.stdout
    reached = run(new_block, "who", "variants.tvar:6")
    assert "affects 2 of 2 variants" in reached.stdout, reached.stdout + reached.stderr
    given = run(new_block, "build", "--no-git", "--set", "trials.one=7", "--out", "given")
    assert given.returncode == 0, given.stderr
    assert "one = 7;" in (new_block / "given" / "v1.nix").read_text(encoding="utf-8")


# --- one table -----------------------------------------------------------------------------------

KNOWLEDGE = {
    "byhand/audit/compare.py": "where a hand-written recipe may hide what it builds",
    "byhand/audit/neighbours.py": "the settings that neighbours of a recipe have in common",
    "nix/judge/leaving_out.py": "kinds of parts, two of which are called as blocks",
    "nix/judge/not_shown.py": "attributes of Nix that no builder gets",
    "advice/lints/subjects.py": "which blocks a subject of a lint reads",
}
"""Modules that know something of some blocks, and so name several. Each says what it knows."""


def several_blocks(text: str) -> Iterator[ast.AST]:
    """The places of a module that name several blocks: in a list, or as cases of a match."""
    if sum(f'"{name}"' in text for name in BY_NAME) < 2:
        return  # to parse it takes much longer
    for node in ast.walk(ast.parse(text)):
        parts: list[ast.expr | None] = []
        match node:
            case ast.Tuple() | ast.List() | ast.Set():
                parts = [*node.elts]
            case ast.Dict():
                parts = [*node.keys]
            case ast.MatchOr():
                parts = [one.value for one in node.patterns if isinstance(one, ast.MatchValue)]
        texts = {one.value for one in parts if isinstance(one, ast.Constant)}
        if len(texts & BY_NAME.keys()) > 1:
            yield node


@pytest.mark.slow
def test_no_other_module_lists_blocks() -> None:
    found = {
        str(file.relative_to(COMPILER))
        for file in COMPILER.rglob("*.py")
        if file.name != "blocks.py"
        and any(several_blocks(file.read_text(encoding="utf-8")))
    }
    assert found <= KNOWLEDGE.keys()
