"""The subjects of lints, for all variants of a matrix. Each is computed once for each tuple of the
decided things that it reads."""

from __future__ import annotations

from tvarc.advice.lints.branches import DRIVER
from tvarc.advice.lints.flags import EXPORTED
from tvarc.advice.lints.model import FACTS, Line, Read, Subject
from tvarc.advice.lints.names import may_name, reading, stated_cuda
from tvarc.advice.lints.registry import SUBJECTS
from tvarc.advice.lints.run import Reader
from tvarc.advice.lints.subjects import PRINTING, is_description, text_lines
from tvarc.blocks import IN_PARTS, OF_PACKAGE
from tvarc.build.linting.settings import Settings
from tvarc.build.linting.tables import Table, combined, constant, same_table
from tvarc.build.linting.texts import FEW, NIX, Inserted, Texts, lines_of, pieces
from tvarc.decide.merge import origin_of
from tvarc.decide.plan import GroupKey, Placed, is_none
from tvarc.light import Any, Callable, Collection, Final, Iterator, cast
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.value import NixText

_PNAME: Final = ("attrs", "pname")
_BETWEEN: Final = " \t-_,;'\""  # characters that join a part of a line to its rest
_NO_PACKAGE: Final = ir.Setting(("package",), None, ir.Origin(Span("", 0, 0), ""))


class SubjectTables:
    """The subjects of some variants of a matrix. After an edit of settings, only those are computed
    again of which something that they read has changed."""

    __slots__ = (
        "_axis_tables", "_before", "_lines", "_made", "_reader", "_same_lines", "_seen_before",
        "settings", "texts",
    )  # fmt: skip

    def __init__(self, settings: Settings, reader: Reader) -> None:
        self.settings = settings
        self.texts = Texts(settings)
        self._reader = reader
        self._made: dict[str, Table] = {FACTS: constant(settings.present, reader.facts)}
        self._lines: list[Table] | None = None
        self._same_lines: dict[tuple[str, Span], Line] = {}
        # By the name of a subject: what it was computed from, and the result.
        self._before: dict[str, tuple[list[Table], Table]] = {}
        self._axis_tables: dict[str, list[Table]] = {}
        # For each subject and each setting that it reads: a value for each part that it uses.
        self._seen_before: dict[tuple[str, GroupKey, int], dict[object, object]] = {}

    def forget(self, groups: Collection[GroupKey]) -> None:
        """Drop what depends on the settings *groups*."""
        self.settings.forget(groups)
        self.texts = Texts(self.settings)
        self._same_lines.clear()
        dropped = {
            name
            for name, one in SUBJECTS.items()
            if any(read.accepts(*group) for read in one.reads for group in groups)
        }
        count = 0
        while count < len(dropped):
            count = len(dropped)
            dropped |= {
                name for name, one in SUBJECTS.items() if not dropped.isdisjoint(one.subjects)
            }
        for name in dropped:
            self._made.pop(name, None)
        if any(_is_of_lines(*group) for group in groups):
            self._lines = None

    @property
    def _present(self) -> Present:
        return self.settings.present

    def of(self, name: str) -> Table:
        """The subject *name*. Raises Failed."""
        known = self._made.get(name)
        if known is None:
            one = SUBJECTS[name]
            read, make = self._read(one) if one.reads else self._derived(one)
            before, known = self._before.get(name, ([], None))
            if len(before) == len(read):
                read = [*map(same_table, read, before)]
            if known is None or read != before:
                made = combined(self._present, read, make)
                known = made if known is None else same_table(made, known)
            self._before[name] = read, known
            self._made[name] = known
        return known

    def _derived(self, one: Subject) -> tuple[list[Table], Callable[..., object]]:
        """What the subject *one* is computed from, and the function that computes it."""

        def make(*arguments: object) -> object:
            return self._reader.computed(one, arguments)

        return [self.of(name) for name in one.subjects], make

    def _read(self, one: Subject) -> tuple[list[Table], Callable[..., object]]:
        """The settings and the axes that the subject *one* reads, and the function that computes
        it."""
        tables: dict[tuple[GroupKey, int], Table] = {}
        for read in one.reads:
            for group in self.settings.groups:
                if read.accepts(*group):
                    for index, table in enumerate(self._things(read, group)):
                        tables[group, index] = self._seen(read, table, (one.name, group, index))
        axes = self._axes(one)
        blocks = [block for (block, _), _ in tables]

        def make(*values: object) -> object:
            found = dict[str, list[object]]()
            for block, value in zip(blocks, values[len(axes) :], strict=True):
                if value is not None:
                    found.setdefault(block, []).append(value)
            recipe = self._recipe(found, cast("tuple[ir.AxisValue, ...]", values[: len(axes)]))
            return self._reader.computed(one, (recipe,))

        return [*axes, *tables.values()], make

    def _axes(self, one: Subject) -> list[Table]:
        """The values of the axes that *one* reads."""
        if one.axes is None:
            return []
        if one.name in self._axis_tables:
            return self._axis_tables[one.name]
        found = self._axis_tables[one.name] = []
        for place, pick in enumerate(self._present.built.matrix.axes):
            if not any(one.axes(pick.axis.name, value) for value in pick.values):
                continue
            values: dict[int, object] = {}
            for index, value in enumerate(pick.values):
                values[index] = ir.AxisValue.of(pick.axis.name, value, pick.axis.span)
            varies = len(pick.values) > 1
            projection = self._present.built.projections.on([place] if varies else [])
            found.append(Table(projection, values))
        return found

    def _things(self, read: Read, group: GroupKey) -> list[Table]:
        """The decided values of *group*. A script has a table for each part; anything else has one
        table."""
        settings = self.settings
        if group[0] in IN_PARTS:
            return [self._part(read, group, part) for part in settings.parts(group)]
        if read.place:
            return [settings.place(group)]
        if group[0] == "meta" and is_description(group[1]) and self.texts.is_wide(group):
            return [self._stating(group) or settings.decided(group)]
        return [settings.decided(group)]

    def _seen(self, read: Read, table: Table, key: tuple[str, GroupKey, int]) -> Table:
        """*table* with one object for all values that *read* does not distinguish: the one that had
        the *key* before, if there is one."""
        if read.sees is None or read.place:
            return table
        sees, before = read.sees, self._seen_before.get(key, {})
        same = self._seen_before[key] = {}

        def one(value: object) -> object:
            if value is None:
                return None
            seen = sees(value)
            return same.setdefault(seen, before.get(seen, value) if before else value)

        return combined(self._present, [table], one)

    def _part(self, read: Read, group: GroupKey, written: list[Placed]) -> Table:
        """The script *group* with one part. A part that no lint reads has an empty text."""
        if read.place or self._is_idle(written):
            return self.settings.part(group, written, with_text=False)
        return self.settings.part(group, written)

    def _is_idle(self, written: list[Placed]) -> bool:
        """Whether a part that varies along many axes exports nothing, and has no text that looks
        like an export."""
        texts = [one.write.value for one in written if not is_none(one.write.value)]
        if self.settings.many(self.texts.axes(texts)) <= FEW:
            return False
        found = [pieces(text) for text in texts]
        return all(
            one is not None
            and all(isinstance(p, str) or p.is_name or self.texts.inserted(p) for p in one)
            and not self.texts.may_be_nix(one)
            and not self.texts.may_hold(one, EXPORTED)
            for one in found
        )

    def _stating(self, group: GroupKey) -> Table | None:
        """The description *group* with only the lines that may state a driver, or that only Nix
        knows. None if its lines cannot be separated."""

        def kept(line: list[str | Inserted]) -> bool:
            return self.texts.may_hold(line, (DRIVER,), str.lower) or self.texts.may_be_nix(line)

        written = self.settings.written(group)
        if written is None:
            return None
        tables, starts = [written], dict[int, tuple[int, int]]()
        for write in written.distinct():
            lines = _lines(write)
            if lines is None:
                return None
            made = [self.texts.line(line) for line in lines if kept(line)]
            stating = [table for table in made if table is not None]
            if len(stating) < len(made):
                return None
            starts[id(write)] = (len(tables), len(tables) + len(stating))
            tables += stating

        def setting(*values: object) -> object:
            write = values[0]
            if not isinstance(write, hir.Write):
                return None
            start, end = starts[id(write)]
            text = "\n".join(map(str, values[start:end]))
            known = NixText((text.replace(NIX, " "),)) if NIX in text else text
            return ir.Setting(group, known, origin_of(write))

        return combined(self._present, tables, setting)

    # --- lines of descriptions -----------------------------------------------------------------

    def lines(self) -> list[Table]:
        """The lines of descriptions that name a GPU, a CPU or a CUDA, and the CUDA that is written
        in names and in lines that scripts print. There is a table for each line, with None for a
        variant in which the line names nothing. Raises Failed."""
        if self._lines is None:
            groups = [g for g in self.settings.groups if g[0] == "meta" and is_description(g[1])]
            found = [table for group in groups for table in self._lines_of(group)]
            found += self._stated_cuda()
            self._lines = [one for one in found if any(one.values.values())]
        return self._lines

    def _lines_of(self, group: GroupKey) -> list[Table]:
        if self.texts.is_wide(group):
            found = self._lines_apart(group)
            if found is not None:
                return found
        table = self.settings.decided(group)
        texts = {
            id(one): (text_lines(one), one.origin.span)
            for one in table.distinct()
            if isinstance(one, ir.Setting)
        }

        def line(index: int, setting: object) -> Line | None:
            lines, span = texts.get(id(setting), ((), None))
            return self._line(lines[index], span) if span and index < len(lines) else None

        most = max([len(lines) for lines, _ in texts.values()], default=0)
        return [
            combined(self._present, [table], lambda one, index=index: line(index, one))
            for index in range(most)
        ]

    def _lines_apart(self, group: GroupKey) -> list[Table] | None:
        """The lines of *group*, each with the insertions that matter; None if they cannot be
        separated."""
        written = self.settings.written(group)
        if written is None:
            return None
        deciding = self._reader.facts.deciding

        def read(line: list[str | Inserted], index: int) -> Callable[[str], str]:
            around = [one if isinstance(one, str) else None for one in line]
            return reading(around[:index], around[index + 1 :], deciding())

        found: list[Table] = []
        for write in written.distinct():
            lines = _lines(write)
            if lines is None:
                return None
            for line in lines:
                table = self.texts.line(line, read)
                if table is None:
                    return None

                def named(one: object, text: str, write: object = write) -> Line | None:
                    span = write.span if isinstance(write, hir.Write) else None
                    return self._line(text, span) if one is write and span else None

                found.append(combined(self._present, [written, table], named))
        return found

    def _stated_cuda(self) -> Iterator[Table]:
        """The CUDA that the names and the printed lines of the program state. What they insert is
        not read: it follows the axes."""
        name = self._present.built.matrix.name_expr
        for line in _of_cuda(name, name.span):
            yield constant(self._present, line)
        for group in self.settings.groups:
            if group == _PNAME:
                written = [self.settings.plan.groups[group]]
            elif group[0] in IN_PARTS:
                written = self.settings.parts(group)
            else:
                continue
            for some in written:
                for one in some:
                    for line in _of_cuda(one.write.value, one.write.span, group != _PNAME):
                        yield self._where(group, some, one.write, line)

    def _where(
        self, group: GroupKey, written: list[Placed], write: hir.Write, line: Line
    ) -> Table:
        """The *line* of *write*, one of *written*, in the variants in which it applies."""
        settings = self.settings
        if group == _PNAME:
            table = settings.place(group)
        else:
            # As for exports, so that a part is decided once.
            table = settings.part(group, written, with_text=not self._is_idle(written))

        def applies(setting: object) -> Line | None:
            return line if write.span in _places(setting) else None

        return combined(self._present, [table], applies)

    def _line(self, text: str, span: Span) -> Line | None:
        """The line *text* of the write at *span*; None if it names nothing."""
        text = text.strip()
        if not may_name(text):
            return None
        said = self._reader.facts.said(text)
        if not (said.gpus or said.targets or said.cuda or said.chips):
            return None
        key = (text, span)
        return self._same_lines.setdefault(key, Line(*key))

    def written_out(self, line: Line, variant: Variant) -> str:
        """The text of *line* in *variant*, with all insertions."""
        facts, wanted = self._reader.facts, self._reader.facts.said(line.text)
        elaboration = self.settings.elaboration
        deciding = elaboration.deciding(variant)
        for group in self.settings.groups:
            if group[0] != "meta" or not is_description(group[1]):
                continue
            setting = elaboration.shared.again(deciding.decide, group)
            if setting is not None and setting.origin.span == line.span:
                for text in text_lines(setting):
                    if may_name(text) and facts.said(text.strip()) == wanted:
                        return text.strip()
        return line.text

    # --- recipes of some parts -----------------------------------------------------------------

    def _recipe(
        self, parts: dict[str, list[object]], values: tuple[ir.AxisValue, ...]
    ) -> ir.Recipe:
        """A recipe with only these *parts*, by their blocks."""
        matrix = self._present.built.matrix

        def those(block: str) -> Any:
            return tuple(parts.get(block, ()))

        def the(block: str, default: object) -> Any:
            return parts.get(block, [default])[0]

        frame = ir.Frame(
            the("package", _NO_PACKAGE),
            scope=the("scope", None),
            config=the("config", ()),
            pin=the("pin", None),
            overlays=the("overlays", ()),
        )
        return ir.Recipe(
            "",
            matrix.name,
            matrix.span,
            (),
            values,
            frame,
            ir.Changes.to([one for block in OF_PACKAGE for one in those(block.name)]),
            (),
            (),
            needs=those("needs"),
        )


def _is_of_lines(block: str, key: str) -> bool:
    """Whether the setting *key* of *block* has lines that lints read."""
    return block in IN_PARTS or (block, key) == _PNAME or (block == "meta" and is_description(key))


def _of_cuda(text: hir.Expr, span: Span, is_script: bool = False) -> Iterator[Line]:
    """The statements of *text*, at *span*, about CUDA. Of a script, only the lines that it prints
    count."""
    found = pieces(text) or []
    if not any(isinstance(one, str) and stated_cuda(one) for one in found):
        return
    for first, *rest in lines_of(found):
        if is_script:
            if not isinstance(first, str) or not first.lstrip().startswith(PRINTING):
                continue
            first = first.lstrip().partition(" ")[2]
        for one in (first, *rest):
            if isinstance(one, str) and stated_cuda(one):
                yield Line(one.strip(_BETWEEN), span, only_cuda=True)


def _places(setting: object) -> list[Span]:
    """The place of a decided *setting*, if there is one, or of each part of its text."""
    if not isinstance(setting, ir.Setting):
        return []
    origins = [one.origin for one in setting.parts] or [setting.origin]
    return [one.span for one in origins if one is not None]


def _lines(write: object) -> list[list[str | Inserted]] | None:
    """The lines of the text of *write*; None if it writes no text."""
    if not isinstance(write, hir.Write):
        return []
    found = pieces(write.value)
    return lines_of(found) if found is not None else None
