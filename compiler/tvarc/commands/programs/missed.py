"""Selectors that mean nothing in one program of several, and perhaps something in another."""

from __future__ import annotations

from tvarc.light import Sequence, dataclass, field
from tvarc.text.diagnostics.model import Diagnostic, Sink
from tvarc.text.source import SourceMap


@dataclass(slots=True)
class Missed:
    """Which selectors mean something in any of several programs. What one program lacks another may
    have, so only what none of them has is wrong: `faults` has what to tell of it, by selector, and
    `asked` counts the programs that were asked."""

    asked: int = 0
    hit: set[str] = field(default_factory=set)
    faults: dict[str, tuple[Sequence[Diagnostic], SourceMap]] = field(default_factory=dict)

    def note(self, text: str, sink: Sink, sources: SourceMap) -> bool:
        """Whether the selector *text* means something in the program that has just been asked, as
        *sink* has no error of it."""
        if not sink.has_errors:
            self.hit.add(text)
            return True
        self.faults.setdefault(text, (sink.sorted(sources), sources))
        return False
