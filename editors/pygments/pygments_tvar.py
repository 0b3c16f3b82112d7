"""A lexer of `.tvar` for Pygments. It needs nothing but Pygments, so a site or a blog can use it
without tvarc. Tests of the compiler hold that its words are those of the grammar."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, include, words
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

DECLARATIONS = (
    "language", "use", "let", "facts", "axis", "pin", "input", "overlay", "patch", "recipe",
    "mixin", "matrix", "variant", "output", "flag", "needs", "script", "part",
)  # fmt: skip
"""Words that begin a declaration, and are followed by a name."""
CLAUSES = (
    "when", "include", "exclude", "require", "warn", "because", "until", "extends", "with", "from",
    "for", "as", "before", "after", "by", "argument", "override", "default", "force", "off", "if",
    "then", "else",
)  # fmt: skip
OPERATORS = ("and", "or", "not", "in", "is", "where")
CONSTANTS = ("true", "false", "null", "none")
NAMES = (
    "pkgs", "caller", "final", "prev", "old", "needs", "variant", "recipe", "matrix", "package",
    "pin", "overlays",
)  # fmt: skip
"""Names that the language gives a meaning."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_BEFORE = r"(?<![\w.-])"
_AFTER = r"(?![\w-])"
_QUOTES = (5, 4, 3)  # how many begin a text of several lines


class TvarLexer(RegexLexer):
    """The language `.tvar` of tvarc: build matrices, compiled to Nix recipes."""

    name = "tvar"
    aliases: ClassVar[list[str]] = ["tvar"]
    filenames: ClassVar[list[str]] = ["*.tvar"]
    mimetypes: ClassVar[list[str]] = ["text/x-tvar"]

    tokens: ClassVar = {
        "root": [
            (r"\s+", Text),
            (r"#.*", Comment.Single),
            *[(rf'(?:nix)?"{{{n}}}(?!")', String.Heredoc, f"text{n}") for n in _QUOTES],
            (r'(?:nix)?"{6}', String.Heredoc),
            (r'"', String.Double, "string"),
            (
                rf"{_BEFORE}({'|'.join(DECLARATIONS)})(\s+)(?=[\w\"])(?!(?:in|is|and|or|not)\b)({_NAME})?",
                bygroups(Keyword.Declaration, Text, Name.Class),
            ),
            (words(CLAUSES, prefix=_BEFORE, suffix=_AFTER), Keyword),
            (words(OPERATORS, prefix=_BEFORE, suffix=_AFTER), Operator.Word),
            (words(CONSTANTS, prefix=_BEFORE, suffix=_AFTER), Keyword.Constant),
            (
                r"-?[0-9][0-9A-Za-z_]*(?:\.[0-9A-Za-z_]+)*(?:[-+](?=[A-Za-z])[0-9A-Za-z_.]+)*",
                Number,
            ),
            (rf"{_NAME}(?=\()", Name.Function),
            (rf"{_NAME}(?:\.{_NAME})*(?=\s*(?:[+-]?=[^=]|\{{))", Name.Attribute),
            (words(NAMES, prefix=_BEFORE, suffix=_AFTER), Name.Builtin),
            (_NAME, Name),
            (r"\}\}", String.Interpol, "#pop"),
            (r"\+=|-=|==|!=|<=|>=|\.\.\.?|[=<>*?]", Operator),
            (r"[{}\[\](),.:]", Punctuation),
        ],
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
                # Within a comment of Nix two braces may stand alone.
                (r"\{\{(?=[^\n]*\}\})", String.Interpol, "code"),
                (rf'"{{{n},}}', String.Heredoc, "#pop"),
                (r'[^"{]+|\{|"', String.Heredoc),
            ]
            for n in _QUOTES
        },
        "code": [(r"\}\}", String.Interpol, "#pop"), include("root")],
    }
