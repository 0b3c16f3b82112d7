"""`nix-eval-jobs`, if it is installed. Its parallel workers evaluate one variant after the other,
and restart if they use too much memory. tvarc uses only the derivations that it reports, and not
its errors. So it changes only the time of an evaluation."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
import shutil
import tempfile

from tvarc.light import TYPE_CHECKING, Callable, Collection, Final, Iterator, dataclass
from tvarc.nix.judge.machine import MEMORY_EACH
from tvarc.nix.judge.nix import Installed, error_text, follow

if TYPE_CHECKING:
    import subprocess

_PROGRAM: Final = "nix-eval-jobs"
_MEGABYTE: Final = 1 << 20
_KEPT: Final = 1 << 16  # bytes of its other output that are kept, from the end


def installed() -> bool:
    """Whether the program is installed."""
    return shutil.which(_PROGRAM) is not None


@dataclass(slots=True)
class EvalJobs:
    """The program with this many *workers*, for all questions of one command. `ended` is the reason
    why it ended before it answered for every job; empty if it did not. With a reason, it is not
    used again."""

    workers: int
    ended: str = ""

    def run(
        self,
        words: Collection[str],
        asked: Collection[str],
        tell: Callable[[str, str, str], bool],
        started: Callable[[subprocess.Popen[bytes]], object],
    ) -> None:
        """Run the command *words*, which evaluates the attributes *asked*. *tell* gets each
        attribute that has a derivation, with the path of the derivation and its `meta`. It returns
        whether it can use them. *started* gets the process."""
        left = set(asked)
        others: list[str] = []

        def note(line: str) -> None:
            match _read(line):
                case {"attr": str(attribute), "error": str(fault)}:
                    if attribute in asked:
                        left.discard(attribute)
                    else:
                        others.append(fault)
                case {
                    "attr": str(attribute),
                    "drvPath": str(path),
                    "meta": {"tvarc": str(text)},
                }:
                    if attribute in left and tell(attribute, path, text):
                        left.discard(attribute)

        with tempfile.TemporaryFile() as errors:
            try:
                code = follow([*words], note, started, errors=errors)
            except OSError as fault:
                self.ended = str(fault)
                return
            if left:
                errors.seek(max(0, errors.seek(0, os.SEEK_END) - _KEPT))
                said = [errors.read().decode("utf-8", "replace"), *others]
                self.ended = _why("\n".join(said), code, len(left))


def command(nix: Installed, expression: str, jobs: str, workers: int, folder: str) -> list[str]:
    """The command that evaluates the *jobs* of a file with the *expression* of another file, in the
    way of *nix*. Its roots are in *folder*."""
    found = [_PROGRAM, "--workers", str(workers), "--meta"]
    found += ["--max-memory-size", str(MEMORY_EACH // _MEGABYTE)]
    found += ["--gc-roots-dir", os.path.join(folder, "roots"), *_search_path(nix)]
    return [*found, "--argstr", "jobs", jobs, expression]


def _search_path(nix: Installed) -> Iterator[str]:
    """The options for the search path. The program reads no setting from the environment, like
    `nix-instantiate`."""
    yield from ("--option", "nix-path", "")
    for name, path in nix.search_path:
        yield from ("-I", f"{name}={path}")


def _read(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None  # an incomplete line


def _why(said: str, code: int, left: int) -> str:
    """The reason why it ended, from its output *said* and its exit code."""
    if code < 0:
        return f"by signal {-code}"
    if "error:" in said:
        return error_text(said)
    return f"with exit code {code}" if code else f"without a word of {left} of the variants"
