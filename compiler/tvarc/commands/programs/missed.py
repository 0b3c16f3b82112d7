"""Selectors of several programs, each of which must select something in one of them. A build of
several programs without a change loads this module, and not what selects."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Sequence, dataclass, field

if TYPE_CHECKING:
    from tvarc.text.diagnostics.model import Diagnostic, Sink
    from tvarc.text.source import SourceMap


@dataclass(slots=True)
class Missed:
    """The selectors that select something in any of several programs. One program may lack
    something that another has, so a selector is an error only if it selects nothing in any program.
    `faults` has the error of each selector, and `asked` is the number of programs.
    """

    asked: int = 0
    hit: set[str] = field(default_factory=set)
    faults: dict[str, tuple[Sequence[Diagnostic], SourceMap]] = field(default_factory=dict)

    def note(self, text: str, sink: Sink, sources: SourceMap) -> bool:
        """Note whether the selector *text* selects something in the last program. If it does,
        *sink* has no error for it.
        """
        if not sink.has_errors:
            self.hit.add(text)
            return True
        self.faults.setdefault(text, (sink.sorted(sources), sources))
        return False
