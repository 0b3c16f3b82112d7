"""The data of a program that a process which builds repeatedly keeps between builds."""

from __future__ import annotations

import gc

from tvarc.advice.lints.variants import NumberOf
from tvarc.build.assembly.kept import Kept, KeptRecipes
from tvarc.build.linting.run import Look
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.plan import GroupKey, Plan
from tvarc.decide.renewal import Renewal
from tvarc.light import Collection, Mapping, Protocol
from tvarc.matrix.expand import Expansion

Decisions = tuple[Elaboration, Expansion, object]
"""The decisions of a build, its cells, and what came from the lock and the command line."""


class Compiled(Protocol):
    """A compilation (`build/driver.py`)."""

    is_plain: bool

    def decisions(self) -> Decisions | None: ...

    def continue_from(self, before: Decisions, renewal: Renewal) -> bool: ...

    def progress(self) -> tuple[int, ...]: ...


class KeptBuild:
    """The data of a program that is kept between builds. `texts` are the texts of its recipes,
    `looks` the findings of lints, and `pages` the texts of parts of pages, by their words. All
    decisions are kept, for an edit that only changes the values of some settings."""

    __slots__ = ("_before", "_decided", "_renewal", "_state", "looks", "pages", "texts")

    def __init__(self) -> None:
        self.texts = Kept()
        self._before: Decisions | None = None
        self._decided: Compiled | None = None
        self._start()

    def _start(self) -> None:
        self.texts.forget()
        self.texts.recipes = KeptRecipes()
        self.looks = KeptLooks()
        self.pages: dict[tuple[str, ...], str] = {}
        self._renewal = Renewal()

    @property
    def edits(self) -> int:
        """The number of edits that the last build continues from."""
        return self._renewal.count

    def of_library(self, library: object) -> None:
        """Begin a build with the state *library* of the library's files."""
        if self.texts.of_library(library):
            self._before = None
            self._start()

    def renew(self, made: Compiled) -> bool:
        """Whether *made*, which is resolved, continues from the last build: its variants are the
        same, and the settings that the edit does not concern are decided already."""
        before, self._before = self._before, None
        if before is not None and made.continue_from(before, self._renewal):
            self.looks.begin(self._renewal.affected)
            return True
        if before is not None:
            del before
            self._start()
            gc.collect()  # the decisions have reference cycles, and the next ones need the memory
        return False

    def decides(self, made: Compiled) -> None:
        """Note that *made* begins to decide its variants."""
        self._state = made.progress()

    def decided(self, made: Compiled) -> None:
        """Note that *made* has decided its variants. The next build can continue from them if they
        have no fault, and no file was read for them."""
        self._decided = made if made.progress() == self._state and made.is_plain else None

    def end(self, *, whole: bool, kept: bool) -> None:
        """End a build. *whole* says that all files are written, *kept* that its decisions may be
        kept."""
        self.texts.end(whole=whole)
        made, self._decided = self._decided, None
        self._before = made.decisions() if made is not None and whole and kept else None
        if self._before is None:
            self._start()


class KeptLooks:
    """The findings of lints, kept between builds of a program that stays the same except for some
    settings. `number_of` has the numbers of the parts that were compared."""

    __slots__ = ("_before", "looks", "number_of")

    def __init__(self) -> None:
        self._before: list[Look] = []
        self.number_of = NumberOf()
        self.looks: list[Look] = []  # of this build

    def begin(self, affected: Mapping[Plan, Collection[GroupKey]]) -> None:
        """Begin a build in which these settings are decided again."""
        self._before, self.looks = self.looks, []
        for look in self._before:
            look.tables.forget(affected.get(look.tables.settings.plan, ()))

    def look(self, new: Look) -> Look:
        """The look of the last build at the variants of *new*; *new* if there is none."""
        present, found = new.tables.settings.present, new
        for look in self._before:
            known = look.tables.settings.present
            if known.built is present.built and known.cells == present.cells:
                found = look
        self.looks.append(found)
        return found
