"""Mapped texts: printed text that knows of each of its lines what that was made of.

Where two of them are joined, the last line of the one goes on in the first of the other, which is
made of both. So a fragment that many files share is traced once, and the map of a file is the sum
of the maps of its fragments.

What stands around the settings of a block comes from all of them, and what stands around a
placeholder comes from what fills it. Both are known only when the file is whole. Until then a bit
takes their place in a set of lines (`backend.nix.context.Traced`, `Numbering.placeholder`), and
each fragment says which lines such a bit stands for as far as the fragment decides it.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.entries import Entry, of_config, of_overlays, of_pin, of_setting
from tvarc.assembly.present import Present
from tvarc.backend.nix.context import Context, Formals, Frame, Relative, Traced
from tvarc.backend.nix.lower import asking_overlays, lower_around
from tvarc.backend.nix.settings import head_of
from tvarc.elaborate.decide import Deciding
from tvarc.elaborate.elaborate import Elaboration, config_of
from tvarc.elaborate.placeholders import Placeholder
from tvarc.elaborate.plan import GroupKey
from tvarc.elaborate.provenance import Tracer, Tracing
from tvarc.light import Callable, Iterable, Mapping, Sequence, dataclass, replace
from tvarc.matrix.cells import Projection
from tvarc.matrix.variants import Variant
from tvarc.nix.document import LineMap
from tvarc.nix.printer import print_around_mapped
from tvarc.nix.syntax import NixFormal
from tvarc.provenance.model import Lines
from tvarc.sema import hir
from tvarc.source import Span

ContextOf = Callable[[Deciding, Formals], Context]

Line = tuple[Lines, Lines]
"""What the values on a line were made of, and what brought about what stands around them."""

NOTHING: Line = (0, 0)


class MappedText(bytes):
    """A text, and for each of its lines the lines of source that it was made of; what follows the
    last line end counts as a line. `adds` is what the text adds to the bits of a frame."""

    lines: tuple[Line, ...]
    adds: Mapping[Lines, Lines]

    @classmethod
    def of(
        cls, text: bytes, lines: Iterable[Line], adds: Mapping[Lines, Lines] | None = None
    ) -> MappedText:
        one = cls(text)
        one.lines = tuple(lines)
        one.adds = adds or {}
        return one

    @classmethod
    def mapped(cls, text: str, lines: LineMap) -> MappedText:
        return cls.of(text.encode(), zip(lines.made, lines.around, strict=True))

    def adding(self, adds: Mapping[Lines, Lines]) -> MappedText:
        return MappedText.of(self, self.lines, adds)


def lines_of(text: bytes) -> tuple[Line, ...]:
    """What the lines of *text* were made of; of one that is not mapped nothing is known."""
    if isinstance(text, MappedText):
        return text.lines
    return (NOTHING,) * (text.count(b"\n") + 1)


def summed(texts: Iterable[bytes]) -> list[Line]:
    """The lines of all *texts* joined."""
    found: list[Line] = [NOTHING]
    for text in texts:
        if not text and not isinstance(text, MappedText):
            continue
        first, *more = lines_of(text)
        last = found[-1]
        found[-1] = (last[0] | first[0], last[1] | first[1])
        found += more
    return found


def joined(texts: Sequence[bytes]) -> MappedText:
    """All *texts* as one mapped text."""
    return MappedText.of(b"".join(texts), summed(texts), added(texts))


def added(texts: Iterable[bytes]) -> dict[Lines, Lines]:
    """What *texts* add to the bits of a frame."""
    found: dict[Lines, Lines] = {}
    for text in texts:
        if isinstance(text, MappedText):
            for bit, lines in text.adds.items():
                found[bit] = found.get(bit, 0) | lines
    return found


def summed_maps(maps: Iterable[LineMap]) -> list[Line]:
    """The lines of several texts joined, with a line end before each of them."""
    found: list[Line] = [NOTHING]
    for one in maps:
        found += zip(one.made, one.around, strict=True)
    return found


def in_frame(lines: Iterable[Line], adds: Mapping[Lines, Lines], bits: Lines) -> list[Line]:
    """The *lines* of a whole file with each frame bit replaced by what its fragments have added to
    it (*bits*). A line that a value was made of is not repeated around that value."""
    found: list[Line] = []
    for made, around in lines:
        made &= ~bits
        open_ = around & bits
        if open_:
            around &= ~bits
            while open_:
                bit = open_ & -open_
                around |= adds.get(bit, 0)
                open_ ^= bit
        found.append((made, around))
    return found


def split_at(texts: Sequence[bytes], lines: Sequence[Line]) -> tuple[MappedText, ...]:
    """*texts* with placeholders between them, of which *lines* are those of all together."""
    found: list[MappedText] = []
    at = 0
    for text in texts:
        count = text.count(b"\n")
        found.append(MappedText.of(text, lines[at : at + count + 1]))
        at += count
    return tuple(found)


# --- what a fragment tells beside its text --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FragmentProvenance:
    """Of one combination of a fragment: the lines that it adds to what the bits of a frame stand
    for, its entries, and where the overlays are declared that it lists."""

    adds: Mapping[Lines, Lines]
    entries: tuple[Entry, ...] = ()
    used: tuple[Span, ...] = ()


def fragment_provenance(
    elaboration: Elaboration, deciding: Deciding, slot: str, group: GroupKey, formals: Formals
) -> FragmentProvenance:
    """What the fragment of *group*, which stands in *slot* and has been lowered with *formals*,
    tells of the variant of *deciding*. Raises Failed."""
    traced = traced_of(elaboration)
    adds = {traced.formal(name): lines for name, lines in formals.asked.items() if lines}
    used: tuple[Span, ...] = ()
    head = 0
    match slot:
        case "config":
            head = head_of(*config_of(deciding))
            entries = tuple(of_config(deciding))
        case "overlays":
            listed = deciding.decide(group)
            head = head_of(listed) if listed is not None else 0
            overlays = elaboration.overlays.decide(deciding)
            used = tuple([overlay.declared for overlay in overlays])
            for path, _ in formals.looked_at:
                bit = traced.looked_at(path)
                adds[bit] = adds.get(bit, 0) | asking_overlays(path, overlays)
            entries = tuple(of_overlays(elaboration, deciding, overlays))
        case _:
            setting = deciding.decide(group)
            head = head_of(setting) if setting is not None else 0
            entries = tuple(of_setting(deciding, group))
    if head:
        adds[traced.slot(slot)] = head
    return FragmentProvenance(adds, entries, used)


@dataclass(frozen=True, slots=True)
class PinProvenance:
    """The entries of a pin, and the lines that say of which age its nixpkgs is."""

    entries: tuple[Entry, ...]
    age: Lines


def pin_provenance(
    elaboration: Elaboration, deciding: Deciding, pin: ir.Pin | None
) -> PinProvenance:
    age = pin.prov.of("release", "date") if pin is not None and pin.prov is not None else 0
    return PinProvenance(tuple(of_pin(elaboration, deciding)), age)


def tracing_context(
    made: ContextOf, elaboration: Elaboration, age: Callable[[Deciding], Lines]
) -> ContextOf:
    """A function that makes the context which *made* makes, and gives the nodes that are lowered in
    it their places in the sources."""

    def context(deciding: Deciding, formals: Formals) -> Context:
        traced = traced_of(elaboration, age(deciding))
        return replace(made(deciding, formals), traced=traced)

    return context


def frame_of(
    elaboration: Elaboration,
    recipe: ir.Recipe,
    relative: Relative,
    frame: Frame,
    formals: Iterable[NixFormal],
) -> tuple[list[bytes], list[tuple[str, int]]]:
    """The mapped texts around the slots of *frame*, and the slots with their indentation."""
    body = lower_around(recipe, relative, frame, formals, traced_of(elaboration))
    found, slots = print_around_mapped(body)
    return [MappedText.mapped(text, lines) for text, lines in found], slots


def traced_of(elaboration: Elaboration, age: Lines = 0) -> Traced:
    """What gives the nodes that are lowered for *elaboration* their places in the sources."""
    assert elaboration.tracing is not None
    return Traced(elaboration.tracing.numbering.value, age=age)


# --- what fills placeholders --------------------------------------------------------------------


def filled(
    elaboration: Elaboration, variant: Variant, placeholder: Placeholder, text: str
) -> MappedText:
    """*text*, which fills *placeholder*, mapped to the lines that it was made of."""
    tracing = elaboration.tracing
    assert isinstance(tracing, Tracing) and placeholder.expr is not None
    tracer = Tracer(elaboration.deciding(variant), tracing)
    return filling(
        elaboration,
        placeholder,
        text.encode(),
        tracer.filling(placeholder.expr, named=placeholder.named),
    )


def filling(
    elaboration: Elaboration, placeholder: Placeholder, text: bytes, made: Lines
) -> MappedText:
    """*text*, which was *made* of these lines, as it stands in *placeholder*."""
    assert elaboration.tracing is not None
    return MappedText.of(
        text, ((made, 0),), {elaboration.tracing.numbering.placeholder(placeholder.char): made}
    )


def name_parts(
    elaboration: Elaboration, present: Present
) -> list[tuple[Projection, dict[int, Lines]]]:
    """What the variants' names were made of, part by part: for each combination of what a part
    reads its lines."""
    tracing = elaboration.tracing
    assert isinstance(tracing, Tracing)
    expr = present.built.matrix.name_expr
    found: list[tuple[Projection, dict[int, Lines]]] = []
    parts: list[hir.Expr] = [expr]
    if isinstance(expr, hir.Text):
        parts = [part for part in expr.parts if not isinstance(part, str)]
        texts = tuple([part for part in expr.parts if isinstance(part, str)])
        parts += (hir.Text(texts, expr.span),) if texts else ()
    for part in parts:
        projection = present.projection(elaboration.shared.reads.expr(part).axes)
        found.append(
            (
                projection,
                {
                    key: Tracer(elaboration.deciding(variant), tracing).of(part).all
                    for key, variant in present.variants(projection)
                },
            )
        )
    return found
