"""How long a person waits in an editor: `python -m bench.editor`.

A program is open in the server, and each round types one more letter into a comment at its end. The
first answer has the errors that need no variant; the second one has everything, after a pause. Both
are CPU time within the process of the server, without the wire.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench import sources, workload
from bench.markdown import table
from bench.timing import Failed
from tvarc.commands.lsp.open_programs import OpenPrograms, collect_in_pauses
from tvarc.files.cache import open_cache

ROUNDS = 25
EVERY = 5  # so many rounds have one second answer


def answers(program: Path) -> tuple[int, float, float]:
    """The variants of *program*, and the medians of both answers, in milliseconds."""
    programs = OpenPrograms(open_cache())
    real, text = str(program.resolve()), program.read_text(encoding="utf-8")
    first: list[float] = []
    second: list[float] = []
    count = 0
    for number in range(ROUNDS + 1):
        begin = time.process_time()
        (snapshot,) = programs.change(real, f"{text}\n# {'x' * number}\n")
        if not snapshot.ok:
            raise Failed(f"{program} has errors")
        first.append(time.process_time() - begin)
        if number % EVERY == 0:
            begin = time.process_time()
            snapshot.check()
            second.append(time.process_time() - begin)
            count = len(snapshot.made.variants)
            gc.collect()
    # The first round opens the program, and is no edit.
    return count, statistics.median(first[1:]) * 1000, statistics.median(second[1:]) * 1000


def main() -> None:
    root = sources.ROOT
    collect_in_pauses()
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        matrix = sources.matrix(workload.spec(948)).write(Path(folder), "", 0)
        for name, program in (
            ("variants.tvar", root / "variants.tvar"),
            ("examples/torch-2.10", root / "examples" / "torch-2.10" / "variants.tvar"),
            ("examples/torch-family", root / "examples" / "torch-family" / "variants.tvar"),
            ("the matrix", matrix),
        ):
            count, first, second = answers(program)
            rows.append((f"{name}, {count}", f"{first:.1f}", f"{second:.1f}"))
    shown = table(("program, variants", "first answer, ms", "second answer, ms"), rows)
    sys.stdout.write(f"{shown}\n")


if __name__ == "__main__":
    main()
