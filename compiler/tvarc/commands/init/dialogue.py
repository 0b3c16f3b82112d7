"""Questions to the person at a terminal. The questions go to stderr, the results to stdout."""

from __future__ import annotations

import sys

from tvarc.commands.line import exits
from tvarc.commands.line.console import Console, is_terminal
from tvarc.commands.line.session import Ended
from tvarc.commands.line.signals import interrupted
from tvarc.light import Final, NoReturn, Sequence, dataclass, suppress
from tvarc.text.diagnostics.render_cells import safe

_YES: Final = ("y", "yes")
_NO: Final = ("n", "no")


def can_ask() -> bool:
    """Whether somebody sees questions and can answer them."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


@dataclass(frozen=True, slots=True, eq=False)
class Dialogue:
    """One question after another. Raises Ended where there is no answer: after an interruption, or
    the end of the input."""

    console: Console

    def choose(self, question: str, options: Sequence[tuple[str, str]]) -> str:
        """The choice of one of *options*, each a name and its meaning; the first is the default. A
        person may type a name, its number, or an unambiguous beginning of a name."""
        width = max(len(name) for name, _ in options)
        tell = self.console.error
        tell(f"{question}\n")
        for number, (name, about) in enumerate(options, 1):
            tell(f"  {number}  {name:<{width}}  {about}\n")
        while True:
            given = self._answer(f"Type a number or a name [{options[0][0]}]: ")
            fitting = [
                name
                for number, (name, _) in enumerate(options, 1)
                if given in (str(number), name) or (given and name.startswith(given))
            ]
            if not given:
                return options[0][0]
            if len(fitting) == 1:
                return fitting[0]
            tell(f"`{safe(given)}` is not one of these.\n")

    def confirm(self, question: str) -> bool:
        """Whether the answer is yes, which it is by default."""
        while True:
            given = self._answer(f"{question} [Y/n]: ").lower()
            if not given or given in _YES:
                return True
            if given in _NO:
                return False
            self.console.error("Type `y` or `n`.\n")

    def _answer(self, prompt: str) -> str:
        """The typed answer, without blanks around it."""
        try:
            self.console.error(prompt)
            with suppress(OSError, AttributeError):
                sys.stderr.flush()
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "?"
        except KeyboardInterrupt as fault:
            self._end(interrupted(fault))
        except OSError:
            line = ""
        if not line:
            self._end(exits.INTERRUPTED)
        return line.strip()

    def _end(self, code: int) -> NoReturn:
        self.console.error("\nnothing was written\n")
        raise Ended(code)
