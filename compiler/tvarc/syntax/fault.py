"""A syntax fault and its message as data, with the words for the expected tokens."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Literal, dataclass
from tvarc.syntax.cst import Leaf
from tvarc.syntax.machine import Patch
from tvarc.syntax.terminals import AFTER_VALUE, CLOSERS, OPENERS, PUNCTUATION, VALUE_START
from tvarc.text.source import Source

Place = Literal["item", "interpolation", "expression"]


@dataclass(frozen=True, slots=True)
class Fault:
    """The place where the parser stopped, and everything that it knew there.

    `kind` is the terminal that was found: `$END` at the end of the text, and `char` for a character
    that begins no token. `accepted` are exactly the terminals that could come next. `before` are
    the tokens read so far, including line ends that separate items. `openers` are the brackets
    still open, outermost first.
    """

    source: Source
    place: Place
    kind: str
    start: int
    end: int
    accepted: frozenset[str]
    before: tuple[Leaf, ...]
    openers: tuple[Leaf, ...]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def last(self, back: int = 1) -> Leaf | None:
        """The token read *back* tokens before the fault, or None."""
        return self.before[-back] if len(self.before) >= back else None

    def last_kind(self, back: int = 1) -> str:
        leaf = self.last(back)
        return leaf.type if leaf is not None else ""

    def last_text(self, back: int = 1) -> str:
        leaf = self.last(back)
        return self.text_of(leaf) if leaf is not None else ""

    def text_of(self, leaf: Leaf) -> str:
        """The text of the token *leaf*."""
        return self.source.text[leaf.start_pos : leaf.end_pos]

    @property
    def at_item(self) -> bool:
        """Whether an item could begin at the fault."""
        return {"AXIS", "LET", "PLUS_EQ"} <= self.accepted

    @property
    def wants_value(self) -> bool:
        return "NUMBER" in self.accepted

    @property
    def in_body(self) -> bool:
        """Whether the fault lies between the braces of a body or record."""
        return bool(self.openers)

    def advice(
        self, title: str, help: str = "", *, label: str = "", at: Leaf | None = None,
        since: Leaf | None = None, put: str | None = None, edits: Replaced = (),
        notes: tuple[str, ...] = (), code: str = "E101",
    ) -> Advice:  # fmt: skip
        """The message with this *title*. Its place is the fault, or the token *at*, or all from the
        token *since* to the fault. *put* is the text that replaces this place, and *edits* are
        other edits."""
        first = at or since
        start = first.start_pos if first is not None else self.start
        end = at.end_pos if at is not None else self.end
        edits = edits if put is None else ((start, end, put),)
        return Advice(title, start, end, label, help, notes, code, edits=edits)


Replaced = tuple[tuple[int, int, str], ...]
"""Edits of the source. Each has two offsets, and the text that replaces what is between them."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A message on a fault. `start` and `end` are the offsets of its primary place. `edits` make
    the change that the help describes, if there is only one way to make it. `repair` is what is
    missing or is there once too often: with it, the rest of the item has a meaning."""

    title: str
    start: int
    end: int
    label: str = ""
    help: str = ""
    notes: tuple[str, ...] = ()
    code: str = "E101"
    others: tuple[tuple[int, int, str], ...] = ()
    resume: int | None = None  # where to start looking for the next declaration; None for `start`
    edits: Replaced = ()
    repair: Patch | None = None


def open_brackets(tokens: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """The brackets that are open after *tokens*, outermost first."""
    found: list[Leaf] = []
    for token in tokens:
        if token.type in OPENERS:
            found.append(token)
        elif token.type in CLOSERS:
            found.pop()
    return tuple(found)


def closing(openers: tuple[Leaf, ...]) -> str:
    """The brackets that close *openers*, which are outermost first."""
    return "".join([PUNCTUATION[OPENERS[one.type]] for one in reversed(openers)])


def item_of(tokens: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The tokens of the item that the last of *tokens* belongs to; empty if that token ends an
    item."""
    start, depth = len(tokens), 0
    while start:
        token = tokens[start - 1]
        depth += (token.type in CLOSERS) - (token.type in OPENERS)
        if depth < 0 or (depth == 0 and token.type in ("_NL", "COMMA")):
            break
        start -= 1
    return tokens[start:]


_ITEM_START: Final = frozenset(
    {
        "LANGUAGE",
        "USE",
        "LET",
        "FACTS",
        "AXIS",
        "PIN",
        "INPUT",
        "OVERLAY",
        "PATCH",
        "RECIPE",
        "MIXIN",
        "MATRIX",
        "VARIANT",
        "OUTPUT",
        "INCLUDE",
        "EXCLUDE",
        "REQUIRE",
        "WARN",
        "FLAG",
        "NEEDS",
        "WHEN",
        "SCRIPT",
        "TEST",
        "PART",
        "DEFAULT",
        "FORCE",
        "NAME",
        "STRING",
        "PLUS_EQ",
    }
)
_WORDS: Final = {
    "NAME": "a name",
    "STRING": "a string",
    "SCRIPT_TEXT": "a script",
    "NIX": "a Nix expression",
    "NUMBER": "a number",
    "_NL": "the end of the item",
    "$END": "the end of the item",
}


def expected(fault: Fault) -> str:
    """The tokens that fit at the fault: `a value`, `` `,` or `]` ``. Empty if no token does."""
    rest = set(fault.accepted) or {"$END"}
    words: list[str] = []
    if fault.at_item:
        words.append("an item" if fault.in_body else "a declaration")
        rest -= _ITEM_START
    elif {"AXIS", "LET"} <= rest:  # any word may be a key here
        words.append("a name")
        rest -= _ITEM_START
    elif fault.wants_value:
        words.append("a value")
        rest -= VALUE_START | {"NOT", "IF", "SPREAD", "WHERE", "OFF"}
    if rest - AFTER_VALUE:
        rest -= AFTER_VALUE
    if "_NL" in rest:  # a comma or the closing brace would end the item as well
        rest -= {"COMMA", "RBRACE"}
    if rest & {"_NL", "$END"}:
        rest -= {"BECAUSE", "WHEN"}
    if "RSQB" in rest:
        rest.discard("FOR")
    if "EQUAL" in rest and rest >= {"PLUS_EQ", "MINUS_EQ"}:
        rest -= {"PLUS_EQ", "MINUS_EQ"}
    for terminal in sorted(rest):
        word = _WORDS.get(terminal) or f"`{PUNCTUATION.get(terminal, terminal.lower())}`"
        if terminal == "$END" and fault.place != "item":
            word = _end(fault)
        if word not in words:
            words.append(word)
    if len(words) > 4:
        words = [*words[:3], "something else"]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def found(fault: Fault) -> str:
    """The token at the fault: `` `}` ``, `the end of the line`."""
    match fault.kind:
        case "$END":
            return _end(fault)
        case "_NL":
            return "the end of the line"
        case "STRING":
            return "a string"
        case "SCRIPT_TEXT":
            return "a script"
        case "NIX":
            return "a Nix expression"
        case _:
            return f"`{shown(fault.text)}`"


def shown(text: str) -> str:
    """*text* shortened to fit in one line of a message, without unprintable characters."""
    cut = text if len(text) <= 30 else text[:30] + "…"
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in cut)


def line_end(text: str, at: int) -> int:
    found_at = text.find("\n", at)
    end = found_at if found_at >= 0 else len(text)
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _end(fault: Fault) -> str:
    if fault.place == "interpolation":
        return "the end of the interpolation"
    if fault.place == "expression":
        return "the end of the expression"
    rest = fault.source.text[fault.start :].lstrip(" \t\r\n")
    return "the end of the line" if rest else "the end of the file"
