"""Nix's spelling of names, strings, numbers, paths and comments, from plain text."""

from __future__ import annotations

from tvarc.light import lru_cache
from tvarc.text.diagnostics.model import CompilerBug

KEYWORDS = frozenset(("if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or"))
READ_IN_SETS = frozenset(
    (
        "__functionArgs",
        "__functor",
        "__overrides",
        "__toString",
        "_type",
        "drvPath",
        "outPath",
        "recurseForDerivations",
        "type",
    )
)
"""Attributes by which Nix and nixpkgs recognize the kind of a set. An entry with such a name
changes the meaning of the whole set."""

_LEAST = -(2**63)
_GREATEST = 2**63 - 1


@lru_cache(maxsize=4096)
def is_identifier(name: str) -> bool:
    """Whether *name* can be a variable or an attribute without quotes."""
    if not name or name in KEYWORDS or not name.isascii():
        return False
    rest = name.replace("_", "a")
    return rest[0].isalpha() and rest.replace("-", "").replace("'", "").isalnum()


def identifier(name: str) -> str:
    """A name that cannot be quoted: a variable or a parameter."""
    if is_identifier(name):
        return name
    raise CompilerBug(f"not a Nix identifier: {name!r}")


@lru_cache(maxsize=4096)
def attribute(name: str) -> str:
    """The name of an attribute, with quotes if it needs them."""
    return name if is_identifier(name) else '"' + escape_quoted(name) + '"'


def attribute_path(steps: tuple[str, ...]) -> str:
    if not steps:
        raise CompilerBug("an attribute path without steps")
    return attribute(steps[0]) if len(steps) == 1 else ".".join(map(attribute, steps))


def integer(value: int) -> str:
    """A number. With a sign, it needs parentheses as an argument or an element of a list."""
    if not _LEAST <= value <= _GREATEST:
        raise CompilerBug(f"an integer beyond 64 bits: {value}")
    if value == _LEAST:  # Nix reads the digits before the sign, and they are too large by one
        return "(" + str(value + 1) + " - 1)"
    return str(value)


# Strings


def check_text(text: str) -> str:
    """*text* itself. A Nix string cannot contain NUL."""
    if "\0" in text:
        raise CompilerBug("a NUL character in a Nix string")
    return text


def escape_quoted(text: str, *, before_expression: bool = False) -> str:
    """Text for a string in `"` quotes. A `$` before an interpolation must not become part of it."""
    check_text(text)
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if '"' in text:
        text = text.replace('"', '\\"')
    if "$" in text:
        text = text.replace("${", "\\${")
        if before_expression and text.endswith("$"):
            text = text[:-1] + "\\$"
    if text.isprintable():
        return text
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def escape_block(text: str, *, before_expression: bool = False, last: bool = False) -> str:
    """Text for a `''…''` string, before its lines are indented. Line ends stay unchanged.

    A single quote is escaped before another one or before an escape, where it would change the
    beginning of the next token. `last` says that the closing quotes may follow directly.
    """
    check_text(text)
    if "'" in text:
        text = text.replace("''", "\0").replace("'${", "''\\'${").replace("'\r", "''\\'\r")
        if last and text.endswith("'"):
            text = text[:-1] + "''\\'"
        elif before_expression and text.endswith("'$"):
            text = text[:-2] + "''\\'$"
    if "$" in text:
        text = text.replace("${", "''${")
        if before_expression and text.endswith("$"):
            text = text[:-1] + "''$"
    if "\r" in text:
        text = text.replace("\r", "''\\r")
    return text.replace("\0", "'''")


def interpolation(expression: str) -> str:
    """The code that inserts the value of *expression*, which is Nix text, into a string."""
    return "${" + expression + "}"


# Paths

_PATH_PUNCTUATION = str.maketrans("", "", "._-+")


def _is_plain_step(step: str) -> bool:
    return step.isascii() and (step.translate(_PATH_PUNCTUATION) or "a").isalnum()


def path_parts(text: str) -> tuple[str, str]:
    """A path as a path literal, and a string (perhaps empty) to add to it.

    A literal allows few characters. A path with others is the literal of the directory before them,
    and the rest as a string.
    """
    check_text(text)
    steps = [step for step in text.split("/") if step and step != "."]
    plain = 0
    while plain < len(steps) and _is_plain_step(steps[plain]):
        plain += 1
    if text.startswith("/"):
        start = "/" + "/".join(steps[:plain]) if plain else "/."
    elif steps[0:1] == [".."] and plain > 1:
        start = "/".join(steps[:plain])
    else:
        start = "./" + ("/".join(steps[:plain]) or ".")
    rest = steps[plain:]
    return start, "/" + "/".join(rest) if rest else ""


def search_path(name: str) -> str:
    """`<name>`, where name may have steps."""
    if not all(step and _is_plain_step(step) for step in name.split("/")):
        raise CompilerBug(f"not a Nix search path: {name!r}")
    return "<" + name + ">"


# Comments


def comment_line(text: str) -> str:
    """Text for a comment on one line. Characters that may end a line or hide text become blanks."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else " " for char in text])
