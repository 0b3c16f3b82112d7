"""The terminals of grammar/tvar.lark by kind, for the messages and the formatter."""

from __future__ import annotations

from tvarc.blocks import CONFIG, OF_RECIPE
from tvarc.light import Final

# Never names: in every place, they are terminals of their own.
RESERVED: Final = frozenset(
    {
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "IF",
        "THEN",
        "ELSE",
        "TRUE",
        "FALSE",
        "NULL",
        "NONE",
        "WHERE",
    }
)

PUNCTUATION: Final = {
    "LBRACE": "{", "RBRACE": "}", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]",
    "COMMA": ",", "DOT": ".", "DOTDOT": "..", "SPREAD": "...", "COLON": ":", "QMARK": "?",
    "EQUAL": "=", "PLUS_EQ": "+=", "MINUS_EQ": "-=", "STAR": "*",
    "EQEQ": "==", "NOT_EQ": "!=",
    "LESSTHAN": "<", "LESS_EQ": "<=", "MORETHAN": ">", "MORE_EQ": ">=",
}  # fmt: skip

FENCED: Final = frozenset({"SCRIPT_TEXT", "NIX"})
LITERALS: Final = FENCED | {"NAME", "STRING", "NUMBER"}

# The tokens that may begin a value.
VALUE_START: Final = LITERALS | {"LPAR", "LSQB", "LBRACE", "TRUE", "FALSE", "NULL", "NONE"}
COMPARE: Final = frozenset(
    {
        "EQEQ",
        "NOT_EQ",
        "LESSTHAN",
        "LESS_EQ",
        "MORETHAN",
        "MORE_EQ",
        "IN",
        "IS",
    }
)
# The tokens that may continue a value.
AFTER_VALUE: Final = COMPARE | {
    "AND",
    "OR",
    "NOT",
    "DOT",
    "LSQB",
    "LPAR",
    "STAR",
    "DOTDOT",
    "QMARK",
}

# Words that begin a declaration at top level, in the order in which messages list them.
TOP_WORDS: Final = (
    "language",
    "use",
    "let",
    "facts",
    "axis",
    "pin",
    "input",
    "overlay",
    "patch",
    "recipe",
    "mixin",
    "matrix",
    "variant",
    "output",
    "exclude",
    "require",
    "warn",
    "when",
)
# Those of them that are followed by a name.
NAMED: Final = (
    "pin", "input", "overlay", "patch", "recipe", "mixin", "matrix", "variant", "output", "facts",
    "axis",
)  # fmt: skip
# Words that begin an item between braces, besides settings and blocks.
BODY_WORDS: Final = (
    "let",
    "flag",
    "when",
    "needs",
    "script",
    "part",
    "default",
    "force",
    "include",
    "exclude",
    "require",
    "warn",
    CONFIG,
    "overlays",
    *[name for name in OF_RECIPE if name != CONFIG],
)

OPENERS: Final = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
CLOSERS: Final = {"RBRACE": "LBRACE", "RPAR": "LPAR", "RSQB": "LSQB"}
