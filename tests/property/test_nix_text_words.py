"""Where the reader says that a value stands in Nix text, Nix says so, too.

Random words, glued as they come. Of what the reader takes, each value in code becomes a name, and
each in a string a text; Nix's own tree of that must have them as names and as parts of strings.
"""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from support.nix import requires_nix
from tvarc.syntax.nix_text import Gap, read_nix

pytestmark = [requires_nix]

WORDS = (
    *(
        "a",
        "_x",
        "b'",
        "x-",
        "or",
        "1",
        "0.5",
        "1.",
        ".5",
        "1e3",
        "./a",
        "../b",
        "a/b",
        "/c",
        "~/d",
    ),
    *("./a/${b}", "./a${b}c/d", "./", "/", "//", "~", "<a>", "<a/b>", "x:y", "x:", "_x:", "a+b:c"),
    *(":", "'", "''", "''", "'''", '"', '"', "\\", "$", "$$", "${", "{", "}", "(", ")", "[", "]"),
    *("/*", "*/", "#", "\n", "\r", " ", " ", " ", " ", "-", "+", "++", "<", ">", "=", "==", "!="),
    *("->", "&&", "?", "@", ",", ";", ".", "...", "*", "!", "''$", "''\\", "''\\n", '\\"', "x"),
    *("let", "in", "inherit", "rec", "with", "if"),
)
# What is likely to be Nix: around the words and instead of some of them.
WHOLE = (
    "[ @ ]",
    "(@)",
    "{ a = @; }",
    '"@"',
    "''@''",
    "[ x: @ ]",
    "(x: @)",
    "a.@",
    "a ? @",
    "{ inherit @; }",
    "{ inherit (a) @; }",
    "({ @ = 1; })",
    "({ b ? @ }: b)",
    "./a@",
    "_x:@",
    "x:@",
    "/*@*/",
    '"${@}"',
    "''${@}''",
    "./a${@}",
    "@ @",
    "@@",
    "@@@",
)
INTERPOLATION = "{{v}}"
SEED = 7
TEXTS = 400
ENOUGH = 30  # values of which both have an opinion


def soup(chance: random.Random, depth: int = 3) -> str:
    """Some Nix, or what looks like it, with values in it."""
    if depth and chance.random() < 0.75:
        whole = chance.choice(WHOLE)
        return re.sub("@", lambda _: soup(chance, depth - 1), whole)
    if chance.random() < 0.5:
        return INTERPOLATION
    return chance.choice(WORDS)


def marked(text: str) -> tuple[str, list[tuple[str, str]]] | None:
    """The text with a mark for each value, and the marks with their places; None where the reader
    refuses it."""
    faults: list[object] = []
    read = read_nix(text, 0, len(text), lambda message, *_, **__: faults.append(message))
    if faults or read.imbalance is not None:
        return None
    made: list[str] = []
    marks: list[tuple[str, str]] = []
    for piece in read.pieces:
        if isinstance(piece, Gap):
            mark = f"{'n' if piece.place in ('code', 'attribute') else 't'}{len(marks)}q"
            marks.append((piece.place, mark))
            # A name begins and ends as a literal does; text with what would be code elsewhere.
            made.append(mark if mark[0] == "n" else f"{mark} */ ) #{mark}")
        else:
            made.append(piece)
    return "".join(made), marks


def parted(tree: str) -> tuple[list[str], str]:
    """The strings of Nix's tree, and the rest of it. `"${x}"` is a computed name there."""
    strings: list[str] = []
    rest: list[str] = []
    braces: list[str] = []
    at = 0
    while at < len(tree):
        if tree.startswith('"${', at):
            braces.append('}"')
            rest.append(" ( ")
            at += 3
        elif tree[at] == '"':
            found = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL).match(tree, at)
            assert found, tree
            strings.append(found[0])
            rest.append('""')
            at = found.end()
        elif tree[at] == "}" and braces:
            end = braces.pop()
            rest.append(" ) " if end == '}"' else end)
            at += len(end)
        else:
            if tree[at] == "{":
                braces.append("}")
            rest.append(tree[at])
            at += 1
    return strings, "".join(rest)


def stands(tree: str, place: str, mark: str) -> bool:
    """Whether Nix has the mark where the reader saw it."""
    strings, outside = parted(tree)
    if place in ("string", "block", "line"):
        return any(f"{mark} */ ) #{mark}" in one for one in strings)
    found = re.search(rf"[\w'./+:~-]*\b{mark}\b[\w'./+:~-]*", outside)
    if found is None or "/" in found[0]:
        return False
    before, after = outside[: found.start()], outside[found.end() :]
    if place == "code":
        return found[0] == mark and not re.match(" = |:|@|, ", after)
    if mark in found[0].split(".")[1:]:
        return True
    named = re.search(r"(\? |inherit ([^;]* )?)$", before) or after.startswith((" =", "."))
    return found[0].split(".")[0] == mark and bool(named)


def trees(texts: list[str], folder: Path) -> list[str | None]:
    """Nix's tree of each text; None where it parses none. It stops at the first of these."""
    files: list[str] = []
    for number, text in enumerate(texts):
        file = folder / f"{number}.nix"
        file.write_bytes(f"with {{ }};\n{text}".encode())
        files.append(str(file))
    found: list[str | None] = []
    while len(found) < len(files):
        done = subprocess.run(
            ["nix-instantiate", "--store", "dummy://", "--parse", *files[len(found) :]],
            capture_output=True,
            text=True,
            check=False,
        )
        found += done.stdout.splitlines()
        if done.returncode:
            found.append(None)
    return found


@pytest.mark.slow
def test_values_stand_where_nix_says(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    texts = {text for _ in range(TEXTS) if INTERPOLATION in (text := soup(chance))}
    taken = [(text, *read) for text in sorted(texts) if (read := marked(text)) and read[1]]
    nix = trees([made for _, made, _ in taken], tmp_path)
    judged = 0
    for (text, made, marks), tree in zip(taken, nix, strict=True):
        if tree is None:
            continue
        for place, mark in marks:
            if mark not in tree and re.search(r"inherit\s*\(", made):
                continue  # Nix shows nothing of what such names come from
            judged += 1
            assert stands(tree, place, mark), (text, made, place, tree)
    assert judged > ENOUGH
