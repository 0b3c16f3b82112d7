"""Reads Nix that a user wrote. It finds the places of values in the text, and checks that brackets,
strings and comments are closed.

One pass does both, with the words of Nix's own scanner (`nix_words`). Nix itself judges the meaning
of the text. But text that closes a bracket which it did not open would change the emitted file
around it. How a value is quoted depends on its place: in code or in a string, and as a value or as
a name. Text in which the place is in doubt is refused.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, dataclass
from tvarc.nix.language.words import BLANKS, Words
from tvarc.syntax import messages as msg
from tvarc.syntax.strings import Report, interpolation_end, line_end, unix
from tvarc.values.value import NixPlace

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
# A literal is a word of its own if it follows one of the first characters and precedes one of the
# second.
_BEFORE: Final = frozenset(BLANKS + "([{=,;!")
_AFTER: Final = frozenset(BLANKS + ")]};,#=")
# After these words a set is no value: `rec { … }`, and the old form `let { body = …; }`.
_BEFORE_SET: Final = frozenset(("rec", "let"))
# The characters with which an escape, a value, code or the end of a string may begin.
_IN_STRING: Final = frozenset("$\\{\"'")
OUTER: Final = frozenset(("pkgs", "final", "prev", "old"))
"""The names whose places are noted. Some of them may refer to something outside of the text."""
_NEEDS: Final = "needs"
# After these words a pattern, a set or a `let` may bind a name.
_BINDS: Final = frozenset(("{", ",", ";", "let", "@"))
# The words in code after which `${…}` may be the computed name of an attribute.
_BEFORE_NAMES: Final = frozenset((".", "?", "{", ";", "let"))
# The words after which a `;` is allowed outside of all brackets.
_WITH_SEMICOLON: Final = frozenset(("let", "with", "assert"))


@dataclass(frozen=True, slots=True)
class Imbalance:
    """A fault of brackets or strings, from `start` to `end` of the text. `reason` is a clause of
    the message.

    `foreign`: the text is a word that Nix does not have anywhere.
    """

    start: int
    end: int
    reason: str
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """`{{…}}` from `start` to `end`, or `\\{{` in a string of the text. See `values.NixPart`.

    `escaped`: it means the characters `{{`. `dollar`: it begins with a `$`.
    """

    start: int
    end: int
    place: NixPlace
    dollar: bool
    escaped: bool = False


@dataclass(frozen=True, slots=True)
class Outer:
    """A name, from `start` to `end`, that certainly refers to something outside of the Nix text.
    `later`: part of the text is a function, which may read the name only after everything else is
    made."""

    name: str
    start: int
    end: int
    later: bool


@dataclass(frozen=True, slots=True)
class Needed:
    """`needs.NAME`, from `start` to `end`. The name begins at `at`. It is empty where the text does
    not spell it out, as in `with needs;`."""

    name: str
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NixPieces:
    """Nix text in parts. Line ends are `\\n`, and two texts are never neighbours. `outer` has the
    first place of each name of `OUTER` that nothing in the text may bind. `needed` has all places
    that read `needs`, unless the text binds that name."""

    pieces: tuple[str | Gap, ...]
    imbalance: Imbalance | None
    outer: tuple[Outer, ...] = ()
    needed: tuple[Needed, ...] = ()


def read_nix(text: str, start: int, end: int, report: Report) -> NixPieces:
    """The Nix between two offsets of *text*. Faults at a `{{` go to *report*."""
    reader = _Reader(text, start, end, report)
    pieces = reader.pieces()
    return NixPieces(pieces, reader.imbalance, reader.outer(), reader.needed())


def imbalance(text: str) -> Imbalance | None:
    """The first place where *text* leaves a bracket or string open, or None."""
    return read_nix(text, 0, len(text), lambda *_, **__: None).imbalance


class _Reader:
    """Goes through Nix text once. The stack holds the openers with their places. Code in the `${…}`
    of a string is read too."""

    __slots__ = (
        "at", "binds_needs", "bound", "end", "found", "imbalance", "inherits", "kept", "last",
        "later", "lost", "meant", "named", "of_needs", "report", "run", "scanner", "stack", "start",
        "text", "word_end", "words",
    )  # fmt: skip

    def __init__(self, text: str, start: int, end: int, report: Report) -> None:
        self.text = text
        self.start = self.at = self.kept = start  # up to `kept`, all text is in `run` or `found`
        self.end = end
        self.report = report
        self.found: list[str | Gap] = []
        self.run: list[str] = []
        self.stack: list[tuple[str, int]] = []
        self.words: set[str] = set()
        self.scanner = Words(text, end)
        self.last = ("", "", "")  # the words before this place, nearest first, without comments
        self.inherits: list[int] = []  # the depths at which `inherit` lists names
        self.named: dict[str, tuple[int, int]] = {}  # the first place of each name of `OUTER`
        self.bound: set[str] = set()  # the names that the text itself may bind
        self.of_needs: list[Needed] = []
        self.binds_needs = False
        self.later = False  # whether part of the text is a function
        self.word_end = -1  # the end of the last name, number, path or address
        self.meant = False  # whether there is anything except blanks and comments
        self.imbalance: Imbalance | None = None
        self.lost = False  # whether some text was skipped, which may have closed a bracket

    def pieces(self) -> tuple[str | Gap, ...]:
        while self.at < self.end and self.imbalance is None:
            inside = self.stack[-1][0] if self.stack else ""
            if inside in ('"', "''"):
                self.string(inside)
            else:
                self.code(inside)
        self.keep(self.end)
        if self.lost:
            self.imbalance = None
            return tuple(self.found)
        if self.imbalance is None and self.stack:
            opener, at = self.stack[-1]
            opener = {"/${": "${"}.get(opener, opener)
            self.wrong(at, len(opener), f"this `{opener}` is not closed")
        if self.imbalance is None and not self.meant:
            self.imbalance = Imbalance(self.start, self.end, "there is no expression")
        return tuple(self.found)

    def outer(self) -> tuple[Outer, ...]:
        """The names that refer to something outside of the text. With a `with`, any name may come
        from that instead."""
        if self.lost or self.imbalance is not None or "with" in self.words:
            return ()
        return tuple(
            [
                Outer(name, *place, self.later)
                for name, place in self.named.items()
                if name not in self.bound
            ]
        )

    def wrong(self, at: int, length: int, reason: str, *, foreign: bool = False) -> None:
        self.imbalance = Imbalance(at, min(at + length, self.end), reason, foreign)

    def keep(self, to: int) -> None:
        """Add the text that was passed, up to *to*, to the pieces."""
        self.run.append(self.text[self.kept : to])
        joined = unix("".join(self.run))
        self.run.clear()
        self.kept = to
        if not joined:
            return
        if self.found and isinstance(self.found[-1], str):
            self.found[-1] += joined
        else:
            self.found.append(joined)

    def gap(self, gap: Gap) -> None:
        self.keep(gap.start - gap.dollar)
        self.found.append(gap)
        self.at = self.kept = gap.end

    def follows(self, words: str) -> bool:
        return self.text.startswith(words, self.at, self.end)

    # --- code --------------------------------------------------------------------------------

    def code(self, inside: str) -> None:
        text, at = self.text, self.at
        past = self.scanner.past_blank(at)
        if past is None:
            self.wrong(at, 2, "this comment is not closed")
            return
        if past > at:
            self.at = past
            return
        self.meant = True
        if self.follows("\\{{"):
            self.braces()
        elif self.follows("{{"):
            self.value()
        elif self.follows("${{") and not self.follows("${{{"):
            self.at = at + 1  # refused: a `$` before a value has no meaning in code
            self.passed("$")
        elif self.follows("''") or text[at] == '"':
            self.open("''" if text[at] == "'" else '"')
        elif self.follows("${"):
            if self.last[0] not in _BEFORE_NAMES and not self.inherits:
                reason = (
                    "`${…}` is for strings and for names of attributes: write this value without it"
                )
                self.wrong(at, 2, reason, foreign=True)
                return
            self.open("${")
        elif text[at] in "([{":
            self.open(text[at])
        elif text[at] in _CLOSES:
            self.close(inside)
        else:
            self.word()

    def open(self, opener: str) -> None:
        self.stack.append((opener, self.at))
        self.at += len(opener.removeprefix("/"))
        self.passed(opener)

    def close(self, inside: str) -> None:
        char = self.text[self.at]
        if not inside or inside[-1] != _CLOSES[char]:
            self.wrong(self.at, 1, f"this `{char}` has no opening bracket")
            return
        self.stack.pop()
        while self.inherits and self.inherits[-1] > len(self.stack):
            self.inherits.pop()
        self.at += 1
        self.passed(char)
        if inside == "/${":
            self.at = self.scanner.rest_of_path(self.at)
            self.path()

    def braces(self) -> None:
        """The characters `{{`, from `\\{{`."""
        at = self.at
        dollar = self.before(at) == "$" and self.last[0] == "$"
        if dollar and self.word_end == at - 1:
            self.wrong(at - 1, 4, "it is not clear whether this continues the path before it")
            return
        self.keep(at)
        self.kept = at + 1
        self.stack += (("${" if dollar else "{", at + 1), ("{", at + 2))
        self.at = at + 3
        self.passed("${" if dollar else "{")
        self.passed("{")

    def word(self) -> None:
        """A name, a number, a path, an address or an operator."""
        at = self.at
        word = self.scanner.word(at)
        written = self.text[at : word.end]
        self.at = word.end
        default = self.is_default()
        self.passed(written)
        if word.kind == "path":
            self.path()
        elif word.kind == "other":
            reason = "Nix allows this only in strings and comments: quote or remove it"
            self.wrong(at, len(written), reason, foreign=True)
        elif word.kind == "operator":
            if written == ":":
                self.later = True
            if written != ";":
                return
            if not self.stack and not self.words & _WITH_SEMICOLON:
                self.wrong(at, 1, "this `;` ends the expression: remove it")
            if self.inherits and self.inherits[-1] == len(self.stack):
                self.inherits.pop()
        else:
            self.word_end = word.end
            if word.kind == "name":
                self.words.add(written)
                if written in OUTER:
                    self.root(at, written)
                if written == _NEEDS:
                    self.needs(at, default=default)
                if written == "inherit":
                    self.inherits.append(len(self.stack))

    def root(self, at: int, name: str) -> None:
        """Note a name of `OUTER`. `passed` has just read it."""
        before = self.last[1]
        if before in (".", "?"):
            return
        listed = bool(self.inherits) and self.inherits[-1] == len(self.stack)
        if listed or before in _BINDS or self.next_word(self.at) in (":", "@"):
            self.bound.add(name)
        else:
            self.named.setdefault(name, (at, self.at))

    def needed(self) -> tuple[Needed, ...]:
        """The places that read the `needs` outside of the text. A `with` never hides that name."""
        if self.lost or self.imbalance is not None or self.binds_needs:
            return ()
        return tuple(self.of_needs)

    def needs(self, at: int, *, default: bool) -> None:
        """Note the names after the word `needs`, which `passed` has just read."""
        _, before, earlier = self.last
        if before == "." or (before == "?" and not default):
            return
        to = at + len(_NEEDS)
        steps, end = self.steps(to)
        follows = self.next_word(end)
        listed = bool(self.inherits) and self.inherits[-1] == len(self.stack)
        pattern = before in ("{", ",") and not steps and follows in (",", "}", "?")
        if listed or pattern or follows in (":", "@") or before == "@":
            self.binds_needs = True
        elif before in ("{", ";", "let") and follows == "=":
            # In a set that is not recursive it is a key, and binds nothing.
            self.binds_needs |= "let" in self.words or "rec" in self.words
        elif (before, earlier) == ("(", "inherit") and follows == ")" and not steps:
            self.inherited(end)
        elif steps and steps[0][0]:
            name, place, end = steps[0]
            self.of_needs.append(Needed(name, place + (self.text[place] == '"'), at, end))
        else:
            self.of_needs.append(Needed("", at, at, to))

    def inherited(self, at: int) -> None:
        """Note the names of `inherit (needs) a b;`. Its `)` is at *at*."""
        found, at = self.next(at)
        while found == ")" or found[:1].isalpha() or found[:1] in ("_", '"'):
            if found != ")":
                start = at - len(found)
                name, end = self.name_at(start)
                self.of_needs.append(Needed(name, start + (found == '"'), start, end))
                at = max(at, end)
            found, at = self.next(at)

    def steps(self, at: int) -> tuple[list[tuple[str, int, int]], int]:
        """The steps `.NAME` from *at* on, each with its start and end, and the end of all of them.
        A computed name is empty."""
        found: list[tuple[str, int, int]] = []
        word, end = self.next(at)
        while word == ".":
            place = self.past(end)
            name, after = self.name_at(place)
            found.append((name, place, after))
            at = after
            word, end = self.next(at)
        return found, at

    def name_at(self, at: int) -> tuple[str, int]:
        """The name of an attribute at *at*, and where it ends. The name is empty if it is computed,
        or a string with more than plain characters."""
        if at >= self.end:
            return "", at
        end = self.scanner.word(at).end
        written = self.text[at:end]
        if written[:1].isalpha() or written[:1] == "_":
            return written, end
        if written == '"':
            close = self.text.find('"', end, self.end)
            inner = self.text[end : max(close, end)]
            if close >= 0 and not set(inner) & {"$", "\\", "{", "\n"}:
                return inner, close + 1
        return "", end

    def next(self, at: int) -> tuple[str, int]:
        """The word that follows the offset, and its end."""
        at = self.past(at)
        if at >= self.end:
            return "", at
        end = self.scanner.word(at).end
        return self.text[at:end], end

    def past(self, at: int) -> int:
        """The offset after the blanks and comments at *at*."""
        while at < self.end:
            past = self.scanner.past_blank(at)
            if past is None or past == at:
                return at
            at = past
        return at

    def path(self) -> None:
        """After characters of a path: a `${…}` here continues the path."""
        self.word_end = self.at
        self.last = ("/", *self.last[1:])
        if self.follows("${") and (not self.follows("${{") or self.follows("${{{")):
            self.open("/${")
        elif self.before(self.at) == "/" and not self.follows("{{"):
            self.wrong(self.at - 1, 1, "a path in Nix cannot end with `/`: remove it", foreign=True)

    def passed(self, word: str) -> None:
        self.last = (word, *self.last[:2])

    def value(self) -> None:
        """`{{…}}` in code: a value, or the name of an attribute."""
        start = self.at
        end = self.interpolation_end()
        if end is None:
            return
        last = self.last[0]
        follows = self.next_word(end)
        attribute = self.names_attribute(follows)
        if self.is_glued(start, end, attribute):
            self.refuse(msg.nix_texts.GLUED, start, end)
            return
        if follows == "." and last not in (".", "?"):
            self.refuse(msg.nix_texts.BEFORE_DOT, start, end)
            return
        if not attribute and (
            follows in (":", "@") or last in (",", "@", "{") or last in _BEFORE_SET
        ):
            self.refuse(msg.nix_texts.NAME_EXPECTED, start, end)
            return
        self.keep(start)
        if self.before(start) not in _BEFORE and not (attribute and last == "."):
            self.blank(start)
        self.found.append(Gap(start, end, "attribute" if attribute else "code", False))
        self.at = self.kept = end
        after = self.text[end : min(end + 1, self.end)]
        if after not in _AFTER and not (attribute and after == "."):
            self.blank(end)
        self.passed("{{")

    def refuse(self, message: Message, start: int, end: int) -> None:
        self.report(message, start, end)
        self.at = end
        self.passed("{{")

    def blank(self, at: int) -> None:
        """Note a blank that the text does not have, so that the next character does not belong to
        the word before it."""
        if self.start < at < self.end:
            self.run.append(" ")
            self.keep(at)

    def next_word(self, at: int) -> str:
        """The word after the offset, past blanks and comments; empty if there is none."""
        return self.next(at)[0]

    def names_attribute(self, follows: str) -> bool:
        """Whether the text here is the name of an attribute: `a.{{x}}`, `{{x}} = 1`, `a ? {{x}}`,
        `inherit {{x}};`.
        """
        nearest = self.last[0]
        if nearest == "?":
            return not self.is_default()
        if self.inherits and self.inherits[-1] == len(self.stack):
            return True
        return nearest == "." or follows == "="

    def is_default(self) -> bool:
        """Whether the text here is the default value of an argument: `{ a ? x }: …`."""
        nearest, second, third = self.last
        named = second[:1].isalpha() or second[:1] == "_"
        return nearest == "?" and third in ("{", ",") and named

    def is_glued(self, start: int, end: int, attribute: bool) -> bool:
        """Whether a literal between these offsets would not be a word of its own."""
        before, after = self.before(start), self.text[end : min(end + 1, self.end)]
        if before and (start == self.word_end or before in "\"'/$~"):
            return True
        if before == "." and not (attribute and self.last[:2] != (".", ".")):
            return True
        if not after or after in BLANKS:
            return False
        if after in "\"'/$~" or self.text.startswith("{{", end, self.end):
            return True
        if after == "." and self.scanner.word(end).end == end + 1:
            return not attribute
        return self.scanner.word(end).kind not in ("operator", "other")

    def before(self, at: int) -> str:
        return self.text[at - 1] if at > self.start else ""

    def interpolation_end(self) -> int | None:
        """The offset after the `{{…}}` that begins here. None if there is no interpolation; the
        text is then passed."""
        end = interpolation_end(self.text, self.at, self.end)
        if end is not None:
            return end
        line = line_end(self.text, self.at, self.end)
        self.report(
            msg.strings.NOT_CLOSED
            if self.before(self.at) != "$"
            else msg.nix_texts.NOT_CLOSED_AFTER_DOLLAR,
            self.at,
            line,
        )
        self.at = line
        self.lost = True
        return None

    # --- strings -----------------------------------------------------------------------------

    def string(self, quote: str) -> None:
        """One step within a string: pass an escape or a value, leave the string, or enter code."""
        text, at = self.text, self.at
        while at < self.end and text[at] not in _IN_STRING:
            at += 1
        self.at = at
        if at == self.end:
            return
        dollar = text[at] == "$"
        if dollar and self.follows("${{{"):
            dollar = False  # here `${` opens code, and the code begins with a value
        elif self.characters(at + dollar, dollar, quote):
            return
        if self.follows("${"):
            self.open("${")
        elif self.follows("$$"):
            self.at = at + 2
        elif quote == '"':
            if text[at] == '"':
                self.stack.pop()
                self.passed('"')
            self.at = at + (2 if text[at] == "\\" else 1)
        elif self.follows("''"):
            after = text[at + 2 : min(at + 3, self.end)]
            if after not in ("$", "'", "\\") or not after:
                self.stack.pop()
                self.at = at + 2
                self.passed('"')
            elif self.text.startswith("\\{{", at + 2, self.end):
                self.report(msg.nix_texts.ESCAPE_BEFORE_VALUE, at, at + 5)
                self.at = at + 5
            else:
                self.at = at + (4 if after == "\\" else 3)
        else:
            self.at = at + 1

    def characters(self, at: int, dollar: bool, quote: str) -> bool:
        """Pass the value or the escape at *at*, if there is one."""
        if self.text.startswith("\\{{", at, self.end):
            self.gap(Gap(at, at + 3, self.place(at - dollar, quote), dollar, escaped=True))
            return True
        if not self.text.startswith("{{", at, self.end):
            return False
        self.at = at
        end = self.interpolation_end()
        if end is not None:
            self.gap(Gap(at, end, self.place(at - dollar, quote), dollar))
        return True

    def place(self, at: int, quote: str) -> NixPlace:
        """The kind of place that begins at *at*."""
        if quote == '"':
            return "string"
        text, opened = self.text, self.stack[-1][1] + 2
        while at > opened and text[at - 1] == " ":
            at -= 1
        # Some releases also remove blanks after an escaped line end.
        begins = at == opened or text[at - 1] == "\n" or text.endswith("''\\n", opened, at)
        return "line" if begins else "block"
