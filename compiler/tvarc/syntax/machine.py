"""The machine that runs the parser's tables over a text."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.light import Final, NoReturn, dataclass
from tvarc.syntax.automaton import END, Tables
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.layout import Layout
from tvarc.syntax.pattern import Match, matcher
from tvarc.syntax.tables import tables
from tvarc.syntax.terminals import ALWAYS, BLANKS

_ALWAYS: Final = frozenset(ALWAYS)


class Refused(Exception):
    """A token that no rule has a place for, or with the kind `char` a character that begins none.

    `accepted` are the terminals that might have stood there.
    """

    def __init__(self, kind: str, start: int, end: int, accepted: frozenset[str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.start = start
        self.end = end
        self.accepted = accepted


@dataclass(frozen=True, slots=True)
class Machine:
    """Tables that are ready to run; `match` finds the token at an offset, up to another.

    `renamed` has for each rule its origin, where all that it does is to give the one symbol that it
    has another name; two of three reductions are of that kind.
    """

    tables: Tables
    match: Match
    renamed: tuple[str | None, ...]


_made: list[Machine] = []  # the one of this process


def machine(cache: Cache | None = None) -> Machine:
    """The machine for this language; *cache* is asked for its tables."""
    if not _made:
        made = tables(cache)
        renamed = tuple(
            [
                rule.origin if rule.single and rule.size == 1 and not rule.dissolved else None
                for rule in made.rules
            ]
        )
        _made.append(Machine(made, matcher(made.pattern, cache), renamed))
    return _made[0]


class Run:
    """One run over a part of a text by the rule *start*.

    `before` are the tokens that were fed; `stop` is the offset after what was read, which is less
    than the end where the layout was finished earlier.
    """

    __slots__ = ("_machine", "_start", "_states", "_values", "before", "layout", "stop")

    def __init__(self, machine: Machine, start: str, layout: Layout) -> None:
        self._machine = machine
        self._start = start
        self._states = [machine.tables.starts[start]]
        self._values: list[Cst | Leaf] = []
        self.layout = layout
        self.before: list[Leaf] = []
        self.stop = 0

    def read(self, text: str, begin: int, end: int) -> Cst | Leaf | None:
        """The tree of what stands from *begin* to *end*; None where an item might and nothing does.

        Raises Refused, and TooDeepError.
        """
        made = self._machine.tables
        keywords, ignored, actions, goals = made.keywords, made.ignored, made.actions, made.goals
        renamed = self._machine.renamed
        match = self._machine.match
        keep, before, states, values = (
            self.layout.keep, self.before, self._states, self._values,
        )  # fmt: skip
        at = begin
        self.stop = end
        while at < end:
            if text[at] in BLANKS:  # a third of all tokens; to find one is a tenth of reading
                at += 1
                continue
            found = match(text, at, end)
            if found is None:
                raise Refused("char", at, at + 1, self.accepted())
            kind = found.lastgroup or ""
            start, at = at, found.end()
            if kind in ignored:
                continue
            if kind == "NAME":
                word = keywords.get(found[0])
                if word is not None and (word in actions[states[-1]] or word in _ALWAYS):
                    kind = word
            token = Leaf(kind, start, at)
            if keep(token):
                action = actions[states[-1]].get(kind)
                while action is None or action < 0:
                    if action is None:
                        self._refuse(kind, start, at)
                    origin = renamed[~action]
                    if origin is None:
                        self._reduce(~action)
                    else:
                        states[-1] = goals[states[-2]][origin]
                    action = actions[states[-1]].get(kind)
                states.append(action)
                values.append(token)
                before.append(token)
            elif self.layout.finished:
                self.stop = at
                break
        return self._finish(begin)

    def _finish(self, begin: int) -> Cst | Leaf | None:
        if not self.before and self._start == "item":
            return None
        last = self.before[-1].end_pos if self.before else begin
        while True:
            action = self._machine.tables.actions[self._states[-1]].get(END)
            if action is None:
                self._refuse(END, last, last)
            if action >= 0:
                return self._values[-1]
            self._reduce(~action)

    def _reduce(self, number: int) -> None:
        rule = self._machine.tables.rules[number]
        states, values, size = self._states, self._values, rule.size
        children: list[Cst | Leaf]
        if size:
            children = values[-size:]
            del values[-size:]
            del states[-size:]
        else:
            children = []
        if rule.dissolved:
            children = _dissolved(children, rule.dissolved)
        if rule.single and len(children) == 1:
            values.append(children[0])
        else:
            values.append(Cst(rule.name, children))
        states.append(self._machine.tables.goals[states[-1]][rule.origin])

    def _refuse(self, kind: str, start: int, end: int) -> NoReturn:
        raise Refused(kind, start, end, self.accepted())

    def accepted(self) -> frozenset[str]:
        """The terminals that could come next: exact, whatever would be reduced before."""
        state = self._states[-1]
        choices = self._machine.tables.actions[state]
        if choices.get(END) == state:  # all is read: nothing comes next
            return frozenset()
        return frozenset([kind for kind in choices if self._takes(kind)])

    def _takes(self, kind: str) -> bool:
        made = self._machine.tables
        states = list(self._states)
        while True:
            action = made.actions[states[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                return True
            rule = made.rules[~action]
            if rule.size:
                del states[-rule.size :]
            states.append(made.goals[states[-1]][rule.origin])


def _dissolved(children: list[Cst | Leaf], places: tuple[int, ...]) -> list[Cst | Leaf]:
    """*children*, those at *places* replaced by their own; a list that grows is not copied."""
    made: list[Cst | Leaf] = []
    for index, child in enumerate(children):
        if index not in places:
            made.append(child)
        elif isinstance(child, Cst):
            if made:
                made += child.children
            else:
                made = child.children
    return made
