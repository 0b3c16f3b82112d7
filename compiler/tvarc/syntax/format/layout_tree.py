"""The tree from which a file is laid out: words, brackets, and the elements in them. It has every
token and every comment of the file."""

from __future__ import annotations

import re

from tvarc.light import Final, Literal, Sequence, dataclass
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.format.trivia import Trivia, read_trivia
from tvarc.syntax.parser import Trees
from tvarc.syntax.terminals import OPENERS

_LINE_END: Final = re.compile(r"(?<!\r)\r\n")  # a second `\r` before it is part of the text

BreakPoint = Literal["", "because", "branch", "logic", "body"]
"""The tokens before which a line may end outside of all brackets. `branch` are `then` and `else`,
and in a list `for` and `if`."""


@dataclass(frozen=True, slots=True)
class Word:
    """One token. `flat` is None for a text of several lines."""

    kind: str
    text: str
    flat: str | None


@dataclass(frozen=True, slots=True)
class Joint:
    """How a piece is joined to the piece before it: with `glue`, or with a new line at a break
    point. The kind is empty if a line cannot break there."""

    glue: str
    break_point: BreakPoint
    trivia: Trivia


@dataclass(frozen=True, slots=True)
class Element:
    """An item, an entry of a record or an element of a list, as a row of pieces.

    `trivia` is before the element. `column` is the index of the piece that is aligned with the
    same piece of neighbours of the same `family`; -1 if there is none.
    """

    trivia: Trivia
    pieces: tuple[tuple[Joint, Piece], ...]
    flat: str | None
    family: str = ""
    column: int = -1


@dataclass(frozen=True, slots=True)
class Bracket:
    """A pair of brackets, or a whole file (`opener` is then empty).

    `broken`: the author began a new line or wrote a comment in it. `commas`: commas separate the
    elements, with one after the last element. `hanging`: it is a call, whose arguments may continue
    below the first one.
    """

    opener: str
    closer: str
    elements: tuple[Element, ...]
    end: Trivia  # the text before the closer
    broken: bool
    commas: bool
    hanging: bool
    splits: bool  # whether breaking it makes lines shorter
    flat: str | None


Piece = Word | Bracket

BRANCHES: Final = "branches"
"""The family of a `when` with an `else`. Its braces are all on one line, or none are."""

BRACES: Final = ("{", "")
"""The openers of brackets in which a new line may replace a comma."""

# --- from the parser's trees --------------------------------------------------------------------

_SIGNS: Final = frozenset({"EQUAL", "PLUS_EQ", "MINUS_EQ"})
# Rules whose `=` is aligned with that of their neighbours, and rules whose `{` is aligned.
_SIGNED: Final = {
    "assign": "assign", "entry": "assign", "let": "let", "axis_source": "axis", "warn": "warn",
    "flag": "flag", "input": "input", "needs": "needs",
}  # fmt: skip
_BRACED: Final = frozenset(
    ("block", "row", "when", "pin", "overlay", "patch", "recipe", "mixin", "matrix",
     "variant", "output")
)
# Brackets without a comma after their last element.
_NO_COMMA: Final = frozenset({"paren", "list_type", "body", "rows", "record", "step"})
_BREAK_POINTS: Final[dict[str, BreakPoint]] = {
    "BECAUSE": "because", "THEN": "branch", "ELSE": "branch", "AND": "logic", "OR": "logic",
}  # fmt: skip


def whole_file(text: str, trees: Trees) -> Bracket:
    """The items of a file, as one bracket without opener and closer."""
    return _Reader(text).file(trees)


class _Reader:
    """Reads the trees of one text from left to right."""

    __slots__ = ("_end", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0  # the offset after the last token read

    def file(self, trees: Trees) -> Bracket:
        elements = tuple(self._element(tree) for tree in trees)
        end = read_trivia(self._text, self._end, len(self._text))
        return Bracket("", "", elements, end, True, False, False, True, None)

    def _element(self, node: Cst | Leaf) -> Element:
        trivia = read_trivia(self._text, self._end, _start(node))
        pieces: list[tuple[Joint, Piece]] = []
        self._take(node, "", pieces)
        rule = node.rule if isinstance(node, Cst) else ""
        family, column = _alignment(rule, pieces)
        return Element(trivia, tuple(pieces), _flat(pieces), family, column)

    def _take(self, node: Cst | Leaf, rule: str, pieces: list[tuple[Joint, Piece]]) -> None:
        """Add *node*, a part of *rule*, to *pieces*."""
        if not isinstance(node, Cst):
            joint = self._joint(node, rule, pieces)
            pieces.append((joint, self._word(node)))
            return
        parts = node.children
        at = 0
        while at < len(parts):
            part = parts[at]
            if isinstance(part, Cst) or part.type not in OPENERS:
                self._take(part, node.rule, pieces)
                at += 1
                continue
            closer = OPENERS[part.type]
            stop = next(i for i in range(at, len(parts)) if _kind(parts[i]) == closer)
            joint = self._joint(part, node.rule, pieces)
            pieces.append((joint, self._bracket(node.rule, parts[at : stop + 1])))
            at = stop + 1

    def _joint(self, leaf: Leaf, rule: str, pieces: list[tuple[Joint, Piece]]) -> Joint:
        trivia = read_trivia(self._text, self._end, leaf.start_pos)
        self._end = leaf.end_pos
        if not pieces:
            return Joint("", "", Trivia())  # the element has this trivia
        last = pieces[-1][1]
        before = last.kind if isinstance(last, Word) else last.closer
        break_point: BreakPoint = _BREAK_POINTS.get(leaf.type, "")
        if (leaf.type == "BECAUSE" and rule != "because") or rule == "otherwise":
            break_point = ""
        elif leaf.type == "LBRACE" and rule in ("body", "rows"):
            break_point = "body"
        elif rule == "each" and leaf.type in ("FOR", "IF"):
            break_point = "branch"
        return Joint(_glue(before, leaf.type, rule), break_point, trivia)

    def _word(self, leaf: Leaf) -> Word:
        written = _LINE_END.sub("\n", self._text[leaf.start_pos : leaf.end_pos])
        return Word(leaf.type, written, None if "\n" in written else written)

    def _bracket(self, rule: str, parts: Sequence[Cst | Leaf]) -> Bracket:
        opener, closer = parts[0], parts[-1]
        elements = tuple(self._element(part) for part in parts[1:-1] if _kind(part) != "COMMA")
        end = read_trivia(self._text, self._end, _start(closer))
        self._end = _start(closer) + 1
        between = [*(element.trivia for element in elements), end]
        broken = any(one.newline or one.comments for one in between)
        signs = self._text[_start(opener)], self._text[_start(closer)]
        return Bracket(
            *signs,
            elements,
            end,
            broken and (bool(elements) or bool(end.comments)),
            rule not in _NO_COMMA,
            rule == "call",
            _splits(rule, elements),
            None if broken and elements else _flat_bracket(*signs, elements, end),
        )


def _flat(pieces: Sequence[tuple[Joint, Piece]]) -> str | None:
    """The pieces on one line, or None if that is not possible."""
    texts: list[str] = []
    for joint, piece in pieces:
        if piece.flat is None or joint.trivia.comments or (joint.trivia.newline and _kept(joint)):
            return None
        texts += (joint.glue, piece.flat)
    return "".join(texts)


def _kept(joint: Joint) -> bool:
    """Whether a new line that the author began there is kept."""
    return joint.break_point not in ("", "body")


def _flat_bracket(opener: str, closer: str, elements: Sequence[Element], end: Trivia) -> str | None:
    texts: list[str] = []
    for element in elements:
        if element.flat is None:
            return None
        texts.append(element.flat)
    if end.comments:
        return None
    inner = ", ".join(texts)
    if opener == "{":
        return f"{{ {inner} }}" if inner else "{ }"
    return f"{opener}{inner}{closer}"


def _splits(rule: str, elements: Sequence[Element]) -> bool:
    """Whether a bracket may be broken over lines. Around a single word, that would not make it
    shorter."""
    if not elements or rule in ("body", "rows", "record", "list") or len(elements) > 1:
        return bool(elements)
    return any(isinstance(piece, Bracket) and piece.splits for _, piece in elements[0].pieces)


def _alignment(rule: str, pieces: Sequence[tuple[Joint, Piece]]) -> tuple[str, int]:
    """The family of an element, and the index of the piece that is aligned with that of its
    neighbours."""
    if rule in _BRACED and isinstance(pieces[-1][1], Bracket):
        if any(isinstance(piece, Bracket) and piece.opener == "{" for _, piece in pieces[:-1]):
            return BRANCHES, -1
        family = rule if rule == "when" else f"{rule} of {len(pieces)}"
        return family, len(pieces) - 1
    if rule not in _SIGNED:
        return "", -1
    family = _SIGNED[rule]
    for index, (_, piece) in enumerate(pieces):
        if not isinstance(piece, Word):
            continue
        if index == 0 and piece.kind in ("DEFAULT", "FORCE"):
            family = piece.text
        if piece.kind == "COLON":  # types differ too much in length to be aligned
            return "", -1
        if piece.kind in _SIGNS:
            return family, index
    return "", -1


def _glue(before: str, after: str, rule: str) -> str:
    """The text between two tokens on one line."""
    if before in ("DOT", "DOTDOT", "SPREAD") or after in ("DOTDOT", "QMARK", "COLON", "COMMA"):
        return ""
    if after == "DOT":  # `1.x` would be read as one token
        return " " if before == "NUMBER" else ""
    if after == "LPAR" and rule in ("call", "choice_type"):
        return ""
    return "" if after == "LSQB" and rule in ("index", "step") else " "


def _kind(node: Cst | Leaf) -> str:
    return "" if isinstance(node, Cst) else node.type


def _start(node: Cst | Leaf) -> int:
    while isinstance(node, Cst):
        node = node.children[0]
    return node.start_pos
