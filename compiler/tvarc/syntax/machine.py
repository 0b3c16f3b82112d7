"""Runs the parser's tables over a text."""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import Final, Iterable, NoReturn, dataclass
from tvarc.syntax.automaton import END, WRAP, Tables
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf, TooDeepError
from tvarc.syntax.pattern import Match, matcher
from tvarc.syntax.tables import tables
from tvarc.syntax.terminals import CLOSERS, OPENERS

_TURNS: Final = {**dict.fromkeys(OPENERS, 1), **dict.fromkeys(CLOSERS, -1)}
_BLANKS: Final = " \t"  # the characters of BLANK: no other terminal begins with one of them


class Refused(Exception):
    """A token that no rule allows here. The kind `char` is a character that begins no token.

    `accepted` are the terminals that are allowed here.
    """

    def __init__(self, kind: str, start: int, end: int, accepted: frozenset[str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.start = start
        self.end = end
        self.accepted = accepted


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of what is read. At `start` come `tokens`, by their terminals, and then the text
    from `end` on."""

    start: int
    end: int
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    """Tables that are ready to run. `match` finds the token at an offset, up to an end.

    `renamed` has the origin of each rule that only gives another name to its one symbol. Two of
    three reductions use such a rule. A run of such reductions is done in one step: `ends` has the
    state in which it ends, by the state before the symbol, the state after it, and the kind of the
    next token. `rules` has the fields of each `Rule`, its size first.
    """

    tables: Tables
    match: Match
    renamed: tuple[str | None, ...]
    rules: tuple[tuple[int, tuple[int, ...], bool, str, str], ...]
    ends: dict[tuple[int, int, str], int]


_made: list[Machine] = []  # the machine of this process, once it is made


def machine(cache: Cache | None = None) -> Machine:
    """The machine for this language; its tables come from *cache*."""
    if not _made:
        made = tables(cache)
        renamed = tuple(
            [
                rule.origin if rule.single and rule.size == 1 and not rule.dissolved else None
                for rule in made.rules
            ]
        )
        rules = tuple([(r.size, r.dissolved, r.single, r.name, r.origin) for r in made.rules])
        _made.append(Machine(made, matcher(made.pattern, cache), renamed, rules, {}))
    return _made[0]


class Run:
    """One run over a part of a text, by the rule *start*: `line` or `expression`.

    `before` are the tokens read so far. `stop` is the offset after the part that was read. For a
    `line` that is the offset of the next line.
    """

    __slots__ = ("_machine", "_start", "_states", "_values", "before", "stop")

    def __init__(self, machine: Machine, start: str) -> None:
        self._machine = machine
        self._start = start
        self._states = [machine.tables.starts[start]]
        self._values: list[Cst | Leaf] = []
        self.before: list[Leaf] = []
        self.stop = 0

    def read(
        self, text: str, begin: int, end: int, patches: Iterable[Patch] = ()
    ) -> Cst | Leaf | None:
        """The tree of the text from *begin* to *end*; None for an empty line. *patches* change what
        is read; they are in the order of the text.

        Raises Refused, and TooDeepError.
        """
        self.stop = end
        at = begin
        for patch in patches:
            if not self._take(text, at, patch.start):
                return self._finish(begin)
            for kind in patch.tokens:
                self._put(kind, patch.start)
            at = patch.end
        self._take(text, at, end)
        return self._finish(begin)

    def _put(self, kind: str, at: int) -> None:
        """Take a token of *kind* that the text does not have at the offset *at*."""
        token = Leaf(kind, at, at)
        self._states.append(self._reduced(kind, at, at))
        self._values.append(token)
        self.before.append(token)

    def _take(self, text: str, begin: int, end: int) -> bool:
        """Take the tokens from *begin* to *end*. False if the item ended there with its line."""
        made = self._machine.tables
        keywords, ignored, actions = made.keywords, made.ignored, made.actions
        match = self._machine.match
        before, states, values = self.before, self._states, self._values
        at, depth = begin, 0
        while at < end:
            if text[at] in _BLANKS:  # a third of all tokens; finding tokens is a tenth of reading
                at += 1
                continue
            found = match(text, at, end)
            if found is None:
                raise Refused("char", at, at + 1, self.accepted())
            kind = found.lastgroup or ""
            start, at = at, found.end()
            if kind in ignored:
                continue
            row = actions[states[-1]]
            if kind == "NAME":
                word = keywords.get(found[0])
                if word is not None and word in row:
                    kind = word
            elif kind == "_NL" and WRAP in row:
                continue
            elif kind in _TURNS:
                depth += _TURNS[kind]
                if depth > MAX_DEPTH:
                    raise TooDeepError(start, at)
            token = Leaf(kind, start, at)
            action = row.get(kind)
            if action is None or action < 0:
                action = self._reduced(kind, start, at)
            states.append(action)
            values.append(token)
            before.append(token)
            if kind == "_NL" and END in actions[action]:
                self.stop = at
                return False
        return True

    def _finish(self, begin: int) -> Cst | Leaf | None:
        if not self.before and self._start == "line":
            return None
        last = self.before[-1].end_pos if self.before else begin
        self._reduced(END, last, last)
        return self._values[-1]

    def _reduced(self, kind: str, start: int, end: int) -> int:
        """The state after the token of *kind*. All rules that end before the token are reduced
        first."""
        made, renamed, rules = self._machine.tables, self._machine.renamed, self._machine.rules
        actions, goals, states, values = made.actions, made.goals, self._states, self._values
        ends = self._machine.ends
        top = states.pop()
        while True:
            action = actions[top].get(kind)
            if action is None or action >= 0:
                states.append(top)
                if action is None:
                    self._refuse(kind, start, end)
                return action
            name = renamed[~action]
            if name is not None:
                key = (states[-1], top, kind)
                end_of_run = ends.get(key)
                if end_of_run is None:
                    end_of_run = ends[key] = self._end_of_run(*key)
                top = end_of_run
                continue
            size, dissolved, single, name, origin = rules[~action]
            if size:
                children = values[-size:]
                del values[-size:], states[len(states) + 1 - size :]
            else:
                children = []
                states.append(top)
            if dissolved:
                children = _dissolved(children, dissolved)
            values.append(children[0] if single and len(children) == 1 else Cst(name, children))
            top = goals[states[-1]][origin]

    def _end_of_run(self, before: int, state: int, kind: str) -> int:
        """The state after a symbol that got all its names, before a token of *kind*. *before* is
        the state before the symbol; *state* is the state after it under its first name."""
        made, renamed = self._machine.tables, self._machine.renamed
        while True:
            action = made.actions[state].get(kind)
            name = renamed[~action] if action is not None and action < 0 else None
            if name is None:
                return state
            state = made.goals[before][name]

    def _refuse(self, kind: str, start: int, end: int) -> NoReturn:
        raise Refused(kind, start, end, self.accepted())

    def accepted(self) -> frozenset[str]:
        """The terminals that could come next. The answer is exact: reductions that come first are
        followed."""
        state = self._states[-1]
        choices = self._machine.tables.actions[state]
        if choices.get(END) == state:  # all text is read: nothing comes next
            return frozenset()
        return frozenset([kind for kind in choices if kind != WRAP and self._takes(kind)])

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
    """*children*, with each child at *places* replaced by its own children. A growing list is not
    copied."""
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
