"""Rules of the house that no other tool checks: who prints, who exits, who touches the disk."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.compile import ROOT
from support.effort import for_each

PACKAGE = ROOT / "compiler" / "tvarc"
FILES = sorted(PACKAGE.rglob("*.py"))
DISK = {"open", "listdir", "mkdir", "makedirs", "replace", "unlink", "remove", "rename", "rmdir"}
PRINTS_OR_EXITS = {("", "print"), ("", "exit"), ("", "input"), ("sys", "exit")}
FORBIDDEN = re.compile(
    rf"\b(?:(?:os|shutil)\.(?:{'|'.join(sorted(DISK))})|sys\.exit"
    r"|(?<!\.)(?:print|exit|input|open|chr))\s*\(|\\(?:u|U0000)[dD][89a-fA-F]"
)
"""What the text of a module has if a rule may forbid one of its calls or characters."""
# Reading goes through the loader and the shipped data; writing through `output`.
MAY_TOUCH_DISK = (
    "commands/line/",
    "files/git/commit.py",  # the files of a commit, in a temporary folder for Nix
    "farm/ledger.py",  # one writer at a time
    "farm/realise/",  # logs, and lists of machines
    "nix/judge/",  # a temporary folder for Nix, and the derivations in the store
    "files/output/",
    "files/inventory.py",
    "files/persons.py",
    "commands/evaluation/derivations.py",  # a temporary folder for Nix
    "commands/evaluation/files.py",  # the same
    "commands/programs/recipes.py",
    "files/disk.py",
    "files/cache.py",
    "files/resources.py",
    "advice/hosts/machine.py",
)


def calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Owner and name of every call: `os.open` is ("os", "open"), `open` is ("", "open")."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name):
                yield "", name
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                yield owner, name


@dataclass(frozen=True)
class Seen:
    """What the rules check of a module: whether it has a docstring, its calls, and its texts."""

    docstring: bool
    calls: frozenset[tuple[str, str]]
    texts: str


@cache
def seen(path: Path) -> Seen:
    """Of a module. To parse it takes long, and most modules have nothing that a rule forbids."""
    text = path.read_text(encoding="utf-8")
    if not FORBIDDEN.search(text):
        return Seen(text.startswith('"""'), frozenset(), "")
    tree = ast.parse(text)
    texts = [str(one.value) for one in ast.walk(tree) if isinstance(one, ast.Constant)]
    return Seen(ast.get_docstring(tree) is not None, frozenset(calls(tree)), "".join(texts))


@for_each("path", FILES)
def test_a_module_keeps_the_rules(path: Path) -> None:
    """It neither prints nor exits nor writes, unless that is its work, and it has a docstring."""
    place = path.relative_to(PACKAGE).as_posix()
    assert path.stem not in ("utils", "util", "helpers", "helper", "common", "manager", "misc")
    if path.name != "__init__.py":
        assert seen(path).docstring, path
    found = seen(path).calls
    if not place.startswith(("commands/line/", "commands/start/", "__main__")):
        assert not found & PRINTS_OR_EXITS, place
    if not place.startswith(MAY_TOUCH_DISK):
        touched = {
            (owner, name)
            for owner, name in found
            if (name in DISK and owner in ("os", "shutil")) or (owner, name) == ("", "open")
        }
        assert not touched, place


def test_nodes_are_frozen_and_slotted() -> None:
    trees = ("syntax/ast.py", "meaning/hir.py", "nix/ir.py", "nix/language/syntax.py")
    for name in (*trees, "values/value.py"):
        tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef) or not node.decorator_list:
                continue
            (decorator,) = node.decorator_list
            assert isinstance(decorator, ast.Call), node.name
            given = {keyword.arg for keyword in decorator.keywords}
            assert {"frozen", "slots"} <= given, f"{name}: {node.name}"


def test_no_character_represents_anything_but_itself() -> None:
    """A late part of a text, or the name of a variant, is a node and not a surrogate, in the
    compiler as well as in a page."""
    for path in FILES:
        assert not re.search("[\ud800-\udfff]", seen(path).texts), path
        if path.relative_to(PACKAGE).parts[0] in ("build", "decide", "nix", "values"):
            assert ("", "chr") not in seen(path).calls, path
    for path in PACKAGE.rglob("*.js"):
        assert not re.search(r"\\u\{?d[89a-f]", path.read_text(encoding="utf-8"), re.I), path


def test_the_input_is_short() -> None:
    assert len((ROOT / "variants.tvar").read_text(encoding="utf-8").splitlines()) < 150
