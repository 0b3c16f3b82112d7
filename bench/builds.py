"""tvarc as jobs: a build in each state that a person meets it in, and commands that ask only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import trees
from bench.commands import ALLOWING_DRIFT, IMPORT, OTHER, START, Places, printed
from bench.sources import Changes, Edit, Source
from bench.timing import Failed, Job, Run, nothing, timed
from bench.watching import Watching

Around = Callable[[int], None]
_SAME = "tvarc-same"


def default_command() -> list[str]:
    """The `tvarc` beside this interpreter, which is what a person runs; else the module."""
    script = Path(sys.executable).with_name("tvarc")
    return [str(script)] if script.exists() else [sys.executable, "-m", "tvarc"]


@dataclass(frozen=True, slots=True)
class Builds:
    """`tvarc build` of one program; `command` is how tvarc is called.

    Each state has a folder of its own, with the program, a cache and the output. A cache is warm
    from the uncounted round on. `other` says that this tvarc is the one that ours is set beside.
    """

    command: Sequence[str]
    source: Source
    places: Places
    other: bool = False

    def pack(self, limit: float) -> tuple[int, int]:
        """Build once, untimed, and pack what comes out: the files, and their bytes in all."""
        job = self.same()
        timed(job.argv, limit, job.environment)
        tree = self.places.tree(_SAME)
        return trees.write_pack(trees.files_below(tree), self.places.pack)

    def jobs(self) -> list[Job]:
        watches = [self.watch(one) for one in self.source.edits if not one.afresh]
        return [self.first(), *map(self.edit, self.source.edits), self.same(), *watches]

    def first(self) -> Job:
        """Nothing is there: no cache, no file."""
        key = "tvarc-first"

        def tidy(number: int) -> None:
            trees.remove(self.places.tree(key))
            trees.remove(self.places.cache(key))

        return self._job(key, check=lambda number: self.places.demand_pack(key), tidy=tidy)

    def same(self) -> Job:
        """All is there, and as it has to be."""
        key = _SAME
        return self._job(key, check=lambda number: self.places.demand_pack(key))

    def edit(self, edit: Edit) -> Job:
        """The program was edited since the last build, in another way for each round."""
        key = edit.key

        def prepare(number: int) -> None:
            if number == 0 and not edit.afresh:
                self.places.unpack(key)
            self.source.write(self.places.home(key) / "program", key, number + 1)

        def tidy(number: int) -> None:
            if edit.afresh:
                trees.remove(self.places.tree(key))

        check = partial(self._demand_changes, key, edit.changes)
        return self._job(key, prepare=prepare, check=check, tidy=tidy)

    def watch(self, edit: Edit) -> Job:
        """A watch that lives over all rounds; a run is one edit, until its files are written."""
        key = edit.key.replace("tvarc-", "watch-")
        program = self.places.home(key) / "program"
        process = Watching(self._argv("watch", key, "--json"), self.places.caching(key))

        def prepare(number: int) -> None:
            if number == 0:
                process.start()

        def measure(number: int, limit: float) -> Run:
            return process.run(partial(self.source.write, program, edit.key, number + 1), limit)

        return Job(
            OTHER + key if self.other else key,
            (),
            prepare=prepare,
            check=partial(self._demand_changes, key, edit.changes),
            measure=measure,
            close=process.close,
        )

    def _demand_changes(self, key: str, wanted: Changes, number: int) -> None:
        """`Failed` unless *wanted* files are other ones than in the pack."""
        count = sum(1 for _ in trees.read_pack(self.places.pack))
        changed = trees.changed(trees.read_pack(self.places.pack), self.places.tree(key))
        right = {"some": 0 < changed < count, "all": changed == count, "any": changed > 0}
        if not right[wanted]:
            raise Failed(f"{changed} of {count} files changed")

    def taken(self) -> Job:
        """What was built is taken for recipes by hand, and made a program of."""
        key = IMPORT

        def prepare(number: int) -> None:
            if number == 0:
                self.places.unpack(key)

        argv: list[str | Path] = [*ALLOWING_DRIFT, *self.command, "import"]
        argv += [self.places.tree(key), "--dry-run"]
        return Job(key, argv, self.places.caching(key), prepare=prepare)

    def _job(
        self, key: str, check: Around, prepare: Around = nothing, tidy: Around = nothing
    ) -> Job:
        argv = self._argv("build", key)
        environment = self.places.caching(key)
        shown = OTHER + key if self.other else key
        return Job(shown, argv, environment, prepare=prepare, check=check, tidy=tidy)


    def _argv(self, command: str, key: str, *more: str) -> list[str | Path]:
        """The words of *command*, for the program as it is and the output of *key*."""
        entry = self.source.write(self.places.home(key) / "program", "", 0)
        return [*self.command, command, entry, "--out", self.places.tree(key), *more]


def starts(command: Sequence[str], source: Source, places: Places) -> list[Job]:
    """Commands that write nothing, with a warm cache, beside Python's own start."""
    entry = source.write(places.home("start") / "program", "", 0)
    folder, environment = entry.parent, places.caching("start")
    listed = printed([*command, "list", "--file", entry.name], folder, environment)
    variant = listed.splitlines()[-1].split()[0]
    completing = {
        "_TVARC_COMPLETE": "complete_bash",
        "COMP_WORDS": f"tvarc explain {variant[:-1]}",
        "COMP_CWORD": "2",
    }

    def job(key: str, *arguments: str, **more: str) -> Job:
        argv = [*command, *arguments]
        return Job(key, argv, environment | more, folder)

    explain = ("explain", variant, "--file", entry.name)
    return [
        Job(START, [sys.executable, "-c", "pass"], environment, folder),
        job("tvarc-version", "--version"),
        job("tvarc-list", "list", "--file", entry.name),
        job("tvarc-explain", *explain),
        job("tvarc-explain-path", *explain, "meta.description"),
        job("tvarc-complete", **completing),
    ]
