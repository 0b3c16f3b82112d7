"""What a lint is, and what it finds."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, dataclass
from tvarc.lints.facts import Facts
from tvarc.lints.subjects import Subject, Subjects
from tvarc.source import Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one variant. What a lint finds at one place is one message, for all variants.

    `case` is a sentence with the fact and where it comes from; `help` says what to write, as the
    beginning of a sentence. `what` is the fault in a few words where it is not that of the lint.
    `by_hand` is the help for a recipe that somebody writes in Nix, where that is another one.
    """

    span: Span
    label: str
    case: str
    help: str
    others: tuple[tuple[Span, str], ...] = ()
    what: str = ""
    by_hand: str = ""


Look = Callable[[Subjects, Facts], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Only:
    """What has to hold for a lint to find anything. It reads fewer subjects than the lint, so it is
    asked less often: where it holds for none of them, a build does not run the lint at all."""

    reads: tuple[Subject, ...]
    holds: Callable[[Subjects, Facts], bool]


@dataclass(frozen=True, slots=True)
class Lint:
    """A lint by the name that switches it off. `what` is the fault in a few words; `reads` names
    the subjects that it looks at, and nothing else may decide what it finds."""

    name: str
    what: str
    reads: tuple[Subject, ...]
    look: Look
    only: Only | None = None
