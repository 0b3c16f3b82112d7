"""The variants of two states of a program, compared. Most of them have the same texts in both
states, so they need not be decided one by one."""

from __future__ import annotations

import posixpath

from tvarc.build.assembly.bodies import Bodies
from tvarc.build.assembly.files import AllFiles
from tvarc.build.diff.changes import Member
from tvarc.build.driver import Compilation
from tvarc.digest import Hashing, sha256_of
from tvarc.doing import Doing, each
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.boxes import MATRIX
from tvarc.matrix.variants import Variant, axis_text
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import Value

_DIGEST: Final = 16  # bytes of a digest that distinguish two texts


@dataclass(frozen=True, slots=True)
class Emitted:
    """The output of a state for *variants*. `files` are its files; None for a program in which no
    variant has a file of its own. `digests` has a digest of the paths and texts of each variant's
    files, by its name. If the variant has no file, the digest is of the text that a file of its own
    would have."""

    made: Compilation
    variants: Sequence[Variant]
    files: AllFiles | None
    digests: Mapping[str, bytes]


def emitted(
    made: Compilation, variants: Sequence[Variant], *, texts: bool = True
) -> Emitted:
    """The output of *made* for *variants*. If a variant cannot be decided, it is reported to the
    sink of *made*, and the result must not be used. Without *texts*, the texts are known to be
    equal in both states, and all digests are equal."""
    found: dict[str, bytes] = {}
    files: AllFiles | None = None
    hashing = sha256_of(len(variants))
    if made.outputs:
        with Doing("comparing", len(variants), "variants") as step:

            def look(variant: str, own: Sequence[tuple[str, str]]) -> None:
                found[variant] = _digest(own, hashing)
                step.one()

            source = posixpath.basename(made.file)
            files = made.files(source, variants, lints=False, look=look if texts else None)
            for _ in files:  # so that all of them are decided
                pass
        if not texts:
            found = dict.fromkeys([one.name for one in variants], b"")
    else:
        bodies = Bodies(made.file)
        for variant in each("compiling", variants, len(variants), "variants"):
            recipe = made.elaboration.variant(variant, made.output_files.of, late=True)
            if recipe is not None:
                head, body = bodies.parts(recipe, f"{variant.name}.nix") if texts else ("", [])
                found[variant.name] = _digest([(head, "".join(body))], hashing)
    return Emitted(made, variants, files, found)


def have_one_source(before: Compilation, after: Compilation) -> bool:
    """Whether both states have the same modules, lock and settings, so that they emit the same."""
    return (
        _modules(before) == _modules(after)
        and before.lock == after.lock
        and before.settings == after.settings
    )


def _modules(made: Compilation) -> dict[str, str]:
    """The texts of the modules of *made*, by their names."""
    names = made.graph.modules if made.graph is not None else ()
    found = {name: made.sources.get(name) for name in names}
    return {name: source.text for name, source in found.items() if source is not None}


def _digest(files: Sequence[tuple[str, str]], hashing: Hashing) -> bytes:
    """A digest of the paths and texts of *files*, or of one header and the text below it. No path
    and no header contains a NUL."""
    whole = hashing(b"")
    for name, text in files:
        data = text.encode()
        whole.update(b"%s\0%d\0" % (name.encode(), len(data)))
        whole.update(data)
    return whole.digest()[:_DIGEST]


def alike(before: Emitted, after: Emitted) -> frozenset[str]:
    """The names of variants that both states emit with one text."""
    old = before.digests
    return frozenset(name for name, files in after.digests.items() if old.get(name) == files)


def others(before: Emitted, after: Emitted) -> frozenset[str]:
    """The names of variants that both states emit, with different texts."""
    old = before.digests
    return frozenset(
        name for name, files in after.digests.items() if name in old and old[name] != files
    )


def members(made: Compilation, variants: Sequence[Variant]) -> list[Member]:
    """*variants*, all of which can be decided, in the form that `diff` compares."""
    return list(_members(made, variants))


def _members(made: Compilation, variants: Sequence[Variant]) -> Iterator[Member]:
    shown: dict[int, str] = {}  # for the same values, which occur often

    def text(value: Value) -> str:
        known = shown.get(id(value))
        if known is None:
            known = shown[id(value)] = axis_text(value)
        return known

    for variant in variants:
        cell = {axis: text(value) for axis, value in variant.values.items()}
        cell.setdefault(MATRIX, variant.matrix.name)

        yield Member(variant.name, cell, _Decided(made, variant))


class _Decided:
    """Decides the recipe of a variant on request. There is one object for each variant, so it is
    small."""

    __slots__ = ("_made", "_variant")

    def __init__(self, made: Compilation, variant: Variant) -> None:
        self._made = made
        self._variant = variant

    def __call__(self) -> ir.Recipe:
        """The recipe. Raises Failed after reporting that all recipes together exceed the budget."""
        decided = self._made.recipe(self._variant)
        if decided is None:  # its text was made, from parts that it shares
            raise Failed
        return decided
