"""Programs in which things have odd names: words of both languages, long ones, paths, signs."""

from __future__ import annotations

import re
from random import Random

from fuzz import material, typed
from fuzz.cases import Case, program

_WORDS = (
    # of the language
    "and", "or", "not", "in", "is", "if", "then", "else", "true", "false", "null", "none",
    "where",
    "use", "let", "facts", "axis", "pin", "input", "overlay", "patch", "recipe", "matrix",
    "variant",
    "output", "exclude", "require", "warn", "flag", "needs", "when", "because", "script", "part",
    "default", "force", "extends", "for", "as", "off", "before", "after", "pkgs", "caller", "final",
    "prev", "old", "lib", "package", "overlays", "attrs", "args", "env", "meta", "passthru",
    "config", "name", "axes", "limit", "file", "via", "join", "upper", "version", "unlocked",
    "github", "url", "path", "pname", "string", "int", "bool", "list", "record", "one_of", "nix",
    "std", "hidden", "localSystem", "crossSystem", "release", "rev", "hash",
    "override",
    # of Nix
    "with", "rec", "inherit", "assert", "builtins", "import", "throw", "derivation", "super",
    "__functor", "__toString", "type", "outPath", "drvPath", "_", "__", "or-else", "a-", "nixpkgs",
    "pinned", "abort", "map", "toString", "callPackage", "override", "overrideAttrs",
    "overrideScope",
    # of file systems and Python
    "con", "nul", "__init__", "class", "self", "None", "dash-ed", "x86_64-linux", "a_b", "A", "a",
)  # fmt: skip
_TEXTS = (
    "", " ", "  a", "a  ", "\\n", "\\t", "\\r", "\\u{0}", "\\u{7f}", "\\u{202e}", "\\u{10ffff}",
    "\\u{f0000}", "\\u{d800}", "é", "漢字", "e\u0301", "\u200b", "\ufeff", "\U0001f600", "'", "''",
    "'''", "''$", "''\\\\", "$", "$$", "${", "${x}", "$${x}", "\\{{", "}}", "{", "\\\\", '\\"',
    '\\"\\"\\"', "#", "/*", "*/", "//", "--", "..", ".", "/", "~", "./a", "../a", "../../a", "/etc",
    "a/b", "a/../b", "a//b", ".git", ".git/hooks/x", "tvar.lock", "input.tvar", "-", "-a", "a.nix",
    "a b", "a.b", "a:b", "a@b", "a?b", "a*b", "<nixpkgs>", "http://a", "missing", "con", "a\\u{9}b",
    "=", "==", "a=b", "::error::x", "##[x]", "{{variant}}", "{{gpu}}", "{{\\\"}}", "{{", "null",
    "2.10", "1e9", "0x1", "-1",
)  # fmt: skip
_LENGTHS = (199, 200, 201, 255, 256, 5000)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_STRING = re.compile(r'(?<!")"(?!"")((?:[^"\\\n]|\\.)*)"(?!")')
# Words by which items begin: to change them all would leave nothing that parses.
_KEPT = frozenset(
    (
        "use", "let", "facts", "axis", "pin", "overlay", "patch", "recipe", "matrix", "variant",
        "output", "exclude", "require", "warn", "flag", "when", "because", "script", "part",
        "extends", "for", "in", "as", "if", "then", "else", "and", "or", "not", "is", "where",
        "true", "false", "null", "none", "pkgs", "package", "axes", "name", "file", "attrs", "meta",
        "env", "args", "std", "override",
    )
)  # fmt: skip


def renamed(rng: Random) -> Case:
    """A program with a few odd names in the place of its own, each of them everywhere."""
    text = typed.text(rng) if rng.random() < 0.5 else rng.choice(material.programs())
    must_parse = rng.random() < 0.8
    names = sorted(set(_NAME.findall(text)) - _KEPT)
    for _ in range(rng.choice((0, 1, 2, 3, 4))):
        changed = _renamed_one(rng, text, rng.choice(names)) if names else text
        if not must_parse or material.parses(changed):
            text = changed
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        changed = _retold_one(rng, text)
        if not must_parse or material.parses(changed):
            text = changed
    return program(text)


def _renamed_one(rng: Random, text: str, name: str) -> str:
    """*text* with another name for *name*, wherever it stands."""
    odd = _odd_name(rng)
    return _NAME.sub(lambda found: odd if found[0] == name else found[0], text)


def _retold_one(rng: Random, text: str) -> str:
    """*text* with another text in one of its strings."""
    strings = list(_STRING.finditer(text))
    if not strings:
        return text
    found = rng.choice(strings)
    odd = _odd_text(rng)
    inner = odd if rng.random() < 0.6 else found[1] + odd
    return f'{text[: found.start()]}"{inner}"{text[found.end() :]}'


def _odd_name(rng: Random) -> str:
    match rng.randrange(8):
        case 0:
            return "n" * rng.choice(_LENGTHS)
        case 1:
            return f'"{_odd_text(rng)}"'  # a key in quotes, where one may be
        case 2:
            return rng.choice(_WORDS) + rng.choice(("-", "_", "-1", "é", "'"))
        case _:
            return rng.choice(_WORDS)


def _odd_text(rng: Random) -> str:
    match rng.randrange(8):
        case 0:
            return rng.choice("aé漢") * rng.choice(_LENGTHS)
        case 1:
            return rng.choice(_WORDS)
        case 2:
            return rng.choice(_TEXTS) + rng.choice(_TEXTS)
        case _:
            return rng.choice(_TEXTS)
