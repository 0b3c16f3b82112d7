"""The page of a program: its matrix, and the data of each variant."""

from __future__ import annotations

import json
import posixpath

from tvarc.advice.lints.model import Finding
from tvarc.advice.lints.registry import OF_VARIANTS
from tvarc.advice.lints.run import Found, Lints
from tvarc.advice.lints.variants import same_build
from tvarc.build import messages as msg
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.diff.changes import Changes
from tvarc.build.diff.programs import compare_programs, variants_meant
from tvarc.build.diff.states import open_state
from tvarc.build.driver import Compilation
from tvarc.commands import messages as commands_msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session
from tvarc.commands.programs.find import file_name
from tvarc.commands.programs.selecting import dropped_meant, share_enough
from tvarc.commands.report.data import MatrixData
from tvarc.commands.report.picture import Against, Change, Picture, picture
from tvarc.commands.shown.html import Markup, data_block, document, element, is_written_by, void
from tvarc.commands.shown.lookup import path_text
from tvarc.decide.trace import Trace
from tvarc.doing import Doing, each
from tvarc.farm.ledger import known_to
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.resources import page_text, stdlib_dir
from tvarc.light import Collection, Final, Mapping, Sequence, dataclass, suppress
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.meaning.budget import Total
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceLoader, UnreadableSource
from tvarc.values.plain import Data, Json

MOST_VARIANTS: Final = 20_000
"""The greatest number of variants on a page. A thousand variants are about 2 MB."""

_OWN: Final = 12  # evaluations that a setting of a single variant counts as
_TOLD: Final = ("state", "machine", "seconds", "through", "log")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The selected *variants* and their picture. To compare them with another state took *compared*
    evaluations."""

    made: Compilation
    variants: Sequence[Variant]
    picture: Picture
    compared: int


def draw(session: Session, given: Arguments, loader: SourceLoader | None = None) -> Drawn:
    """The variants and the picture that the command line *given* selects. *loader* reads the
    program. Raises Ended."""
    file, selectors = given.program_and_words()
    made = session.compile(file, loader=loader)
    session.demand_matrix()
    session.stop_on_errors()
    selectors = join_pairs(selectors)
    variants = session.select(selectors)
    if len(variants) > MOST_VARIANTS:
        message = commands_msg.selection.TOO_MANY_FOR_PAGE
        session.sink.report(message, count=len(variants), most=MOST_VARIANTS)
        session.finish(exits.FAILED)
    state, before = given.text("against"), _evaluations_left(made)
    against = _against(session, made, selectors, state) if state is not None else None
    drawn = program_picture(made, variants, against, dropped=not selectors)
    return Drawn(made, variants, drawn, before - _evaluations_left(made))


@dataclass(frozen=True, slots=True)
class Page:
    """The `body` of the page with this `title`. `closing` reports variants that no longer exist."""

    title: str
    body: tuple[Markup, ...]
    closing: str

    def document(self) -> str:
        """The page as a self-contained file."""
        return page_document(self.title, *self.body)


def page_of(session: Session, drawn: Drawn, report: str | None) -> Page:
    """The page of *drawn*, with the states of the *report* of a build. Raises Ended."""
    made, variants = drawn.made, drawn.variants
    if not share_enough(made, variants, msg.questions.TOO_MUCH_TO_SHOW, _OWN):
        session.finish(exits.FAILED)
    all_of_them = len(variants) == len(made.variants)
    lints = made.lints()
    findings: dict[str, Found] = {}
    meant = None if all_of_them else variants
    for _ in made.files(
        posixpath.basename(made.file), meant, collections=all_of_them, sizes=False,
        looking=lints, findings=findings,
    ):  # fmt: skip
        pass
    session.stop_on_errors()
    names = {one.name for one in made.variants}
    states = (
        _of_variants(build_states(report, session.sink), names)
        if report is not None
        else _recorded_states(made, variants)
    )
    session.end_on_errors()
    data = matrix_data(made, variants, lints, findings, drawn.compared)
    if data is None:
        session.finish(exits.FAILED)
    with Doing("writing the page"):
        body = matrix_body(drawn.picture, data, states)
    closing = gone_line(states.keys() - names, report)
    return Page(drawn.picture.title, body, closing)


def _evaluations_left(made: Compilation) -> int:
    return made.elaboration.shared.total.evaluations_left


def _against(session: Session, made: Compilation, selectors: Sequence[str], label: str) -> Against:
    """The changes of the selected variants since the state *label*."""
    state = open_state(made, label, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    if state.made.sink.has_errors:
        session.finish_with(*state.diagnostics())
    chosen = variants_meant(selectors, state.made, made)
    assert not isinstance(chosen, str)  # each selector selects a variant of this program
    changes = compare_programs(state.made, made, *chosen)
    if changes is None or state.made.sink.has_errors:
        session.stop_on_errors()
        session.finish_with(*state.diagnostics())
    return against_of(label, changes, chosen[0])


def build_states(file: str, sink: Sink) -> dict[str, Json]:
    """The state of each variant in the report *file*, by its name, with its other fields. Errors of
    the file are reported."""
    name = file_name(file)
    try:
        data = json.loads(DiskLoader(stdlib_dir()).read(name).text)
    except UnreadableSource as fault:
        report_unreadable(fault, sink)
        return {}
    except (ValueError, RecursionError) as fault:
        _no_report(name, f"it is not JSON: {fault}", sink)
        return {}
    found: dict[str, Json] = {}
    variants = data.get("variants") if isinstance(data, dict) else None
    is_report = isinstance(variants, list)
    for one in variants if isinstance(variants, list) else ():
        match one:
            case {"name": str(variant), "state": str()}:
                found[variant] = {
                    key: value
                    for key in _TOLD
                    if isinstance(value := one.get(key), str | int) and value != ""
                }
            case _:
                is_report = False
    if not is_report:
        _no_report(name, "it has no list `variants` with a name and a state for each variant", sink)
    return found


def _of_variants(states: Mapping[str, Json], names: Collection[str]) -> dict[str, Json]:
    """*states*, with those of tests as states of their variants. *names* are all variants. If a
    test of a variant failed, the variant has the state of that test."""
    found: dict[str, Json] = {}
    for name, state in states.items():
        variant = name if name in names else name.rpartition(".tests.")[0]
        if variant not in names:
            found[name] = state
        elif variant not in found or (isinstance(state, dict) and state["state"] == "failed"):
            found[variant] = state
    return found


def _recorded_states(
    made: Compilation, variants: Sequence[Variant]
) -> dict[str, Json]:
    """The states from the ledger of *made*, for the variants that have results. Errors of the
    ledger are reported."""
    results = known_to(made)
    found: dict[str, Json] = {}
    for variant in variants:
        standing = results.standing(variant)
        build = standing.build
        if not standing.state:
            continue
        told: dict[str, Json] = {"state": "built" if standing.is_good else "failed"}
        if build is not None:
            fields = {key: getattr(build, key) for key in _TOLD[1:]}
            told |= {key: value for key, value in fields.items() if value not in (None, "")}
        found[variant.name] = told
    return found


def _no_report(name: str, why: str, sink: Sink) -> None:
    sink.report(commands_msg.builds.NO_REPORT, name=name, reason=why)


def program_picture(
    made: Compilation, variants: Sequence[Variant], against: Against | None, *, dropped: bool
) -> Picture:
    """The picture of *variants*, and with *dropped* also of all dropped cells."""
    cells = dropped_meant(made, (), made.sink) if dropped else None
    return picture(made.file, made.sources, variants, cells, against)


def against_of(label: str, changes: Changes, before: Sequence[Variant]) -> Against:
    """The changes since the state *label*, for the picture. That state had the variants *before*.
    """
    found: dict[str, Change] = dict.fromkeys(changes.changed, "changed")
    found |= dict.fromkeys([name for name, _ in changes.through], "changed")
    found |= dict.fromkeys([one.after for one in changes.renamed], "renamed")
    found |= dict.fromkeys(changes.added.variants, "new")
    removed = set(changes.removed.variants)
    blocks: list[Data] = []
    for block in changes.blocks:
        told: list[Json] = []
        for change in block.changes:
            one = change.difference
            example = change.example if change.values > 1 else ""
            told.append(
                {
                    "path": path_text(one.path),
                    "before": [*one.removed],
                    "after": [*one.added],
                    "example": example,
                }
            )
        blocks.append({"variants": [*block.variants], "changes": told})
    return Against(label, found, [one for one in before if one.name in removed], blocks)


def matrix_data(
    made: Compilation,
    variants: Sequence[Variant],
    lints: Lints,
    findings: Mapping[str, Found],
    compared: int,
) -> Data | None:
    """A page's data on *variants*, which can be decided. If no output writes a variant, its recipe
    is the one that an output next to the program would write. *findings* are what *lints* found in
    the variants, by their names. To compare them with another state took *compared* evaluations.
    None after reporting that a page cannot hold so much."""
    # Settings that were decided with late parts are decided without them here, with a budget of
    # their own.
    total = made.elaboration.shared.total = Total(made.elaboration.sink)
    total.asks(compared)
    order = {id(one): number for number, one in enumerate(OF_VARIANTS)}
    found: dict[str, list[tuple[str, str, Finding]]] = {}
    for name, those in findings.items():
        those = tuple(sorted(those, key=lambda one: order[id(one[0])]))
        found[name] = [(one.name, one.what, each) for one, each in those]
    if same_build.name not in lints.off:
        for name, finding in same_build.look(lints.builds):
            found.setdefault(name, []).append((same_build.name, same_build.what, finding))
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    data = MatrixData(made.sources, made.inputs, maps)
    for variant in each("explaining", variants, len(variants), "variants"):
        cost = total.evaluations_left + 1  # the maps may have used up their own budget
        with suppress(Failed):
            recipe = maps.recipe(variant, late=True)
            if recipe is not None:
                why = Trace(made.elaboration, variant, recipe, made.sources)
                cost = data.add(variant, recipe, found.get(variant.name, ()), why)
        if not total.asks(cost):
            message, matrix = msg.questions.TOO_MUCH_TO_SHOW, variant.matrix
            total.report_spent(made.sink, message, matrix.span, matrix.name)
            return None
    return data.data()


_GENERATOR: Final = "tvarc report"
_INTRODUCTION: Final = (
    "Choose a cell with the mouse, or with the arrow keys and Enter. A variant shows its recipe "
    "next to the sources; a dropped cell says why. Shift and a click, or c, compares two variants."
)


def matrix_body(
    drawn: Picture, details: Data, states: Mapping[str, Json]
) -> tuple[Markup, ...]:
    """The body of the page of a picture, with the *details* of its variants as `MatrixData` has
    them; *states* has the states of variants in a build."""
    return (
        element(
            "header",
            element("h1", drawn.title),
            element("p", drawn.subject, class_="note"),
            element("p", f"{drawn.summary}.", id="summary"),
        ),
        element(
            "main",
            element("div", id="legend", role="group", aria_label="Legend, highlights cells"),
            element(
                "details",
                element("summary", "Rows, columns, colours, search"),
                element(
                    "div",
                    _select("of", "Matrix"),
                    element("fieldset", element("legend", "Columns"), id="columns"),
                    _select("colour", "Colour"),
                    element("label", "Search", _input("search")),
                    class_="controls",
                ),
                id="options",
            ),
            element("p", "The script of this page draws the matrix.", id="status", role="status"),
            element("div", id="grid"),
            element(
                "section",
                element("p", _INTRODUCTION, class_="note"),
                id="detail", aria_label="Chosen cell", tabindex="-1",
            ),
        ),
        data_block("matrix", drawn.data(states)),
        data_block("details", details),
    )  # fmt: skip


_SCRIPTS: Final = ("pane.js", "matrix.js")


def page_document(
    title: str, *body: Markup, scripts: Sequence[str] = _SCRIPTS, connects: bool = False
) -> str:
    """The page with *body*, and with *scripts* of the folder `page/`. The scripts may send requests
    to the page's server only if it *connects*."""
    return document(
        title,
        *body,
        style=page_text("page.css"),
        script="".join(map(page_text, scripts)),
        generator=_GENERATOR,
        connects=connects,
    )


def is_page(data: bytes) -> bool:
    """Whether *data* begins like such a page."""
    return is_written_by(data, _GENERATOR)


def _select(name: str, label: str) -> Markup:
    return element("label", label, element("select", id=name))


def _input(name: str) -> Markup:
    return void(
        "input", type="search", id=name, placeholder="words, or axis=value", autocomplete="off"
    )


def gone_line(names: Collection[str], report: str | None) -> str:
    """A line about the variants *names*, which are in the *report* of a build but not in the
    program; empty if there are none."""
    if not names:
        return ""
    exist = "exists" if len(names) == 1 else "exist"
    told = f"{counted(len(names), 'variant')} of `{report}` no longer {exist}"
    return f"{told}, such as {min(names)}"
