"""The words of the language by kind, for highlighters that look at words alone."""

from __future__ import annotations

from tvarc.blocks import BY_NAME
from tvarc.files.cache import Cache
from tvarc.light import Final, dataclass
from tvarc.meaning.functions import SIGNATURES
from tvarc.meaning.names.scope import LATE_NAMES, ROOTS
from tvarc.syntax.machine import Refused, Run, machine
from tvarc.syntax.terminals import AFTER_VALUE, RESERVED, VALUE_START

NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
NUMBER: Final = r"-?[0-9][0-9A-Za-z_]*(?:\.[0-9A-Za-z_]+)*(?:[-+](?=[A-Za-z])[0-9A-Za-z_.]+)*"
KEYS: Final = rf"{NAME}(?:\.{NAME})*(?=\s*(?:[+-]?=[^=]|\{{))"
"""Names before a value or a body: what is set, or a block."""

SIGN: Final = r"\+=|-=|==|!=|<=|>=|\.\.\.?|[=<>*?]"
PUNCTUATION: Final = r"[{}\[\](),.:]"

BEFORE: Final = r"(?<![\w.-])"
AFTER: Final = r"(?![\w-])"
"""The characters around a word. A name may contain `-`, and a word after a `.` is not a keyword."""

QUOTES: Final = (5, 4, 3)
"""The quotes that may begin a text of several lines; the longest first."""


@dataclass(frozen=True, slots=True)
class Words:
    """Each keyword of the grammar is in one of the first five.

    `declarations` begin a declaration, and a name or a number follows. `modifiers` are before an
    assignment. `operators` and `constants` are parts of values. `clauses` are all other keywords.
    `names`, `functions` and `blocks` are no keywords: the language gives them a meaning.
    """

    declarations: tuple[str, ...]
    modifiers: tuple[str, ...]
    clauses: tuple[str, ...]
    operators: tuple[str, ...]
    constants: tuple[str, ...]
    names: tuple[str, ...]
    functions: tuple[str, ...]
    blocks: tuple[str, ...]

    @property
    def declared(self) -> str:
        """The pattern of the name after a word of `declarations`. No operator is a name."""
        return rf"(?=[\w\"])(?!(?:{'|'.join(self.operators)})\b)({NAME})?"


def words(cache: Cache | None = None) -> Words:
    """The words, as the tables of the parser and of the compiler have them."""
    reserved = {name.lower(): name for name in sorted(RESERVED)}
    keywords = {**machine(cache).tables.keywords, **reserved}
    first = _accepted("", cache)
    begins = {kind for kind in keywords.values() if kind in first}
    kinds: dict[str, list[str]] = {"declare": [], "modify": [], "and": [], "none": [], "": []}
    for word, name in keywords.items():
        follows = _accepted(word, cache)
        if name in RESERVED & AFTER_VALUE:
            kind = "and"
        elif name in RESERVED & VALUE_START:
            kind = "none"
        elif name not in begins or "LPAR" in follows:
            kind = ""
        else:
            kind = "modify" if follows & begins else "declare"
        kinds[kind].append(word)
    return Words(
        tuple(kinds["declare"]), tuple(kinds["modify"]), tuple(kinds[""]), tuple(kinds["and"]),
        tuple(kinds["none"]), (*ROOTS, *LATE_NAMES), tuple(SIGNATURES), tuple(BY_NAME),
    )  # fmt: skip


def _accepted(text: str, cache: Cache | None) -> frozenset[str]:
    """The terminals that may follow *text*, the beginning of an item; none if it is not one."""
    run = Run(machine(cache), "line")
    try:
        run.read(text, 0, len(text))
    except Refused as refused:
        return refused.accepted if refused.start == len(text) else frozenset()
    return run.accepted()
