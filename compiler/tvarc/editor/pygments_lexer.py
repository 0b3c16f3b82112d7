"""A lexer of `.tvar` for Pygments, which finds it by an entry point. No command loads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, include
from pygments.lexer import words as one_of
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
)

from tvarc.editor.words import (
    AFTER,
    BEFORE,
    KEYS,
    NAME,
    NUMBER,
    PUNCTUATION,
    QUOTES,
    SIGN,
    words,
)


class TvarLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """The language `.tvar` of tvarc: build matrices, compiled to Nix recipes."""

    name = "tvar"
    aliases: ClassVar[list[str]] = ["tvar"]
    filenames: ClassVar[list[str]] = ["*.tvar"]
    mimetypes: ClassVar[list[str]] = ["text/x-tvar"]

    @classmethod
    def get_tokendefs(cls) -> dict[str, list[Any]]:
        """The states of the lexer. Pygments calls this once, when it first needs them."""
        return {
            "root": list(_root()),
            "inner": [
                (r"\{\{", String.Interpol, "code"),
                (r"\\(?:\{\{|.)", String.Escape),
            ],
            "string": [
                include("inner"),
                (r'"', String.Double, "#pop"),
                (r'[^"\\{\n]+|\{', String.Double),
                (r"\n", Text, "#pop"),
            ],
            **{
                f"text{n}": [
                    (r"\\\{\{", String.Escape),
                    # Within a comment of Nix, two braces may be unpaired.
                    (r"\{\{(?=[^\n]*\}\})", String.Interpol, "code"),
                    (rf'"{{{n},}}', String.Heredoc, "#pop"),
                    (r'[^"{\\]+|[{"\\]', String.Heredoc),
                ]
                for n in QUOTES
            },
            "code": [(r"\}\}", String.Interpol, "#pop"), include("root")],
        }


def _root() -> Iterator[tuple[Any, ...]]:
    known = words()
    around = {"prefix": BEFORE, "suffix": AFTER}
    named = one_of(known.declarations, prefix=BEFORE, suffix=r"(\s+)").get()
    yield r"\s+", Text
    yield r"#.*", Comment.Single
    for n in QUOTES:
        yield rf'(?:nix)?"{{{n}}}(?!")', String.Heredoc, f"text{n}"
    yield r'(?:nix)?"{6}', String.Heredoc
    yield r'"', String.Double, "string"
    yield f"{named}{known.declared}", bygroups(Keyword.Declaration, Text, Name.Class)
    yield one_of((*known.clauses, *known.modifiers), **around), Keyword
    yield one_of(known.operators, **around), Operator.Word
    yield one_of(known.constants, **around), Keyword.Constant
    yield NUMBER, Number
    yield rf"{NAME}(?=\()", Name.Function
    yield KEYS, Name.Attribute
    yield one_of(known.names, **around), Name.Builtin
    yield NAME, Name
    yield r"\}\}", String.Interpol, "#pop"
    yield SIGN, Operator
    yield PUNCTUATION, Punctuation
