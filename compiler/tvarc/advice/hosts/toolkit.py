"""The CUDA version of a variant: a fact of an axis, an axis, or a `let` called `cuda`."""

from __future__ import annotations

from tvarc.light import Final, dataclass
from tvarc.matrix.expand import CellEnvironment
from tvarc.meaning import hir
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.row_facts import has_fact, version_fact
from tvarc.values.value import RowValue, Value, Version

_NAME = "cuda"
GAP: Final = ("tegra-last-cuda", "sbsa-first-cuda")  # the fields of a `Gap`


@dataclass(frozen=True, slots=True)
class Toolkit:
    """A CUDA toolkit, and the row that has its facts, where there is one."""

    version: Version
    row: RowValue | None = None

    @property
    def min_driver(self) -> Version | None:
        """The oldest driver for its builds, if its row says so."""
        return version_fact(self.row, "min-driver")

    @property
    def driver(self) -> Version | None:
        """The driver that came with it, where its row says so."""
        return version_fact(self.row, "driver")


def toolkit_of(
    matrix: hir.MatrixDef, values: dict[str, Value], program: hir.Program
) -> Toolkit | None:
    """The toolkit of the cell *values* of *matrix*; None if nothing states it."""
    told = toolkit_of_axes(values)
    if told is not None:
        return told
    # A `let` of a recipe takes precedence over one of the program.
    lets = [recipe.lets.get(_NAME) for recipe in reversed(matrix.recipe.chain())]
    for let in (*lets, program.lets.get(_NAME)):
        value = _value(let, matrix, values) if let is not None else None
        if isinstance(value, Version):
            return Toolkit(value)
    return None


def toolkit_of_axes(values: dict[str, Value]) -> Toolkit | None:
    """The toolkit among the axis values *values*: a row of a toolkit, or a version of the axis
    `cuda`."""
    for value in values.values():
        if has_fact(value, "min-driver"):
            found = version_fact(value, "version")
            if found is not None:
                return Toolkit(found, value if isinstance(value, RowValue) else None)
    plain = values.get(_NAME)
    return Toolkit(plain) if isinstance(plain, Version) else None


def compiles_for(version: Version, first: Version, last: Version | None) -> bool:
    """Whether the toolkit of *version* is between *first* and *last*, the toolkits that support a
    GPU. There is no upper limit if *last* is None. 12.9 includes all its releases, such as 12.9.1.
    """
    if version.compare(first) < 0:
        return False
    return last is None or Version(".".join(version.parts[: len(last.parts)])).compare(last) <= 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Toolkits that support a GPU but that no host with it has. They come after `tegra`, the last
    toolkit for Tegras, and before `sbsa`, the first that treats such hosts as servers."""

    tegra: Version
    sbsa: Version

    @property
    def shown(self) -> str:
        """A clause that says which toolkits the hosts have."""
        return f"they have CUDA up to {self.tegra.text}, or from {self.sbsa.text} on"


def gap_of(gpu: Value) -> Gap | None:
    """The gap between the toolkits for hosts with the GPU of the row *gpu*: its `tegra-last-cuda`
    and `sbsa-first-cuda`. None if it has none."""
    tegra, sbsa = version_fact(gpu, "tegra-last-cuda"), version_fact(gpu, "sbsa-first-cuda")
    return Gap(tegra, sbsa) if tegra is not None and sbsa is not None else None


def system_cuda(gpu: Value) -> Version | None:
    """The CUDA that comes with the system of Tegras with the GPU of the row *gpu*: `tegra-cuda`."""
    return version_fact(gpu, "tegra-cuda")


def in_gap(first: Version, last: Version, gap: Gap) -> bool:
    """Whether every toolkit from *first* to *last* lies in *gap*."""
    return not compiles_for(first, first, gap.tegra) and last.compare(gap.sbsa) < 0


def _value(let: hir.LetDef, matrix: hir.MatrixDef, values: dict[str, Value]) -> Value:
    """The value of *let* in the cell; None when it depends on more than axes."""
    if let.expr is None:
        return None
    silent = Sink()  # errors are reported where the value is needed; this is only a guess
    try:
        return Evaluator(CellEnvironment(matrix, values, silent), silent).value(let.expr)
    except Failed:
        return None
