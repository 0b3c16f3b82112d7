"""What the documents and the terminal show of results, each part by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench import commands, targets
from bench.markdown import paragraphs, strong, table
from bench.results import Growth, Machine, Results, Row, Table, growth

_SHORT = (*commands.BUILDS, "pkl", "nix", "jinja2", "jsonnet", "careful", "copy")
_NOTHING = "–"

Cell = Callable[[Row, Table], str]


def parts(results: Results) -> dict[str, str]:
    """Every part; one that nothing was measured for says so."""
    matrix = results.matrix
    other = {"other": beside_other(matrix)} if _present(matrix, commands.OTHERS) else {}
    return other | {
        "machine": machine(results.machine),
        "short": short(matrix),
        "targets": _by_size(matrix, commands.BUILDS, _against_target),
        "beside": beside(matrix),
        "wall": _by_size(matrix, commands.LABELS, _wall),
        "cpu": _by_size(matrix, commands.LABELS, _cpu),
        "growth": grown(matrix),
        "memory": _by_size(matrix, commands.LABELS, _peak),
        "programs": programs(results.programs),
        "start": start(results.start),
        "evaluation": evaluated(results.evaluation),
        "left-out": left_out(results),
    }


def machine(where: Machine) -> str:
    named = ", ".join(" ".join(pair) for pair in where.versions.items())
    cores = f"{where.cores} core{'s' if where.cores > 1 else ''}"
    return f"{where.date}, {where.processor}, {cores}, {where.system}; {named}."


def short(matrix: Sequence[Table]) -> str:
    """CPU time against the floor, and memory at the largest size."""
    if not matrix:
        return _NOTHING
    last = matrix[-1]
    rows = []
    for key in _present(matrix, _SHORT):
        ratios = [_cell(one, key, lambda row, _: _number(row.floor.cpu)) for one in matrix]
        rows.append(
            [commands.LABELS[key], *ratios, _cell(last, key, lambda row, _: _number(row.peak))]
        )
    return table(["CPU time / floor", *_sizes(matrix), f"MiB at {last.files:,}"], rows)


def beside(matrix: Sequence[Table]) -> str:
    """tvarc's time over that of each peer, as "wall (CPU)"."""
    head = ["tvarc / it: wall (CPU)", *_sizes(matrix)]
    peers = _present(matrix, commands.PEERS)
    shown = [one.rows[peer] for one in matrix for peer in peers if peer in one.rows]
    kinds = dict.fromkeys(key for row in shown for key in row.beside)
    found = []
    for kind in kinds:

        def cell(row: Row, _: Table, kind: str = kind) -> str:
            ratio = row.beside.get(kind)
            return f"{_number(ratio.wall)} ({_number(ratio.cpu)})" if ratio else _NOTHING

        rows = [[commands.LABELS[key], *(_cell(one, key, cell) for one in matrix)] for key in peers]
        found.append(paragraphs(f"{commands.LABELS[kind].partition(': ')[2]}:", table(head, rows)))
    return paragraphs(*found) or _NOTHING


def beside_other(matrix: Sequence[Table]) -> str:
    """Each build of tvarc over that of the other tvarc, as "wall (CPU), memory"."""
    rows = []
    for key in _present(matrix, commands.BUILDS):

        def cell(row: Row, one: Table, key: str = key) -> str:
            other = one.rows.get(commands.OTHER + key)
            ratio = other.beside.get(key) if other else None
            if other is None or ratio is None:
                return _NOTHING
            memory = _number(row.peak / other.peak)
            return f"{_number(ratio.wall)} ({_number(ratio.cpu)}), {memory}"

        rows.append([commands.LABELS[key], *(_cell(one, key, cell) for one in matrix)])
    return table(["ours / other: wall (CPU), MiB", *_sizes(matrix)], rows)


def grown(matrix: Sequence[Table]) -> str:
    """Fit and exponent of each command that was measured at two sizes or more."""
    rows = []
    for key in _present(matrix, commands.LABELS):
        points = [(one.files, one.rows[key].cpu) for one in matrix if key in one.rows]
        fit = growth(points)
        if fit:
            exponent = _exponent(key, fit, points[-1][0])
            rows.append([commands.LABELS[key], f"{fit.fixed:.1f}", f"{fit.each:.1f}", exponent])
    return table(["CPU time", "fixed ms", "µs a variant", "exponent"], rows) if rows else _NOTHING


def _exponent(key: str, fit: Growth, largest: int) -> str:
    target = targets.exponent(key, largest)
    return _judged(f"{fit.exponent:.3f}", fit.exponent, target)


def programs(found: Sequence[Table]) -> str:
    """Builds of real programs; the targets are those of the number of files, where there is one."""
    head = ["program", "command", "files", "wall ms", "CPU ms", "CPU / floor", "MiB"]
    rows = [
        [
            one.title,
            commands.LABELS[key],
            f"{one.files:,}",
            _number(row.wall),
            _number(row.cpu),
            _against_target(row, one, key),
            _peak(row, one, key),
        ]
        for one in found
        for key, row in _ordered(one)
    ]
    return table(head, rows, words=2) if rows else _NOTHING


def start(found: Sequence[Table]) -> str:
    head = ["program", "command", "wall ms", "CPU ms", "CPU / `python -c pass`", "MiB"]
    rows = [
        [
            one.title,
            commands.LABELS[key],
            _number(row.wall),
            _number(row.cpu),
            _judged(_number(row.floor.cpu), row.floor.cpu, targets.START.get(key)),
            _number(row.peak),
        ]
        for one in found
        for key, row in _ordered(one)
    ]
    return table(head, rows, words=2) if rows else _NOTHING


def evaluated(found: Sequence[Table]) -> str:
    """What Nix takes for all variants; the target is that of one file beside many."""
    head = ["variants", "evaluated", "wall ms", "CPU ms", "CPU / a process each", "MiB"]
    rows = [
        [
            one.title,
            commands.LABELS[key].partition(": ")[2],
            _number(row.wall),
            _number(row.cpu),
            _judged(_number(row.floor.cpu), row.floor.cpu, targets.EVALUATION.get(key)),
            _number(row.peak),
        ]
        for one in found
        for key, row in _ordered(one)
    ]
    return table(head, rows, words=2) if rows else _NOTHING


def left_out(results: Results) -> str:
    """What was not measured, with the reason."""
    lines = [
        f"- {commands.LABELS[key]}, {one.title}: {why}"
        for one in (*results.matrix, *results.programs, *results.start, *results.evaluation)
        for key, why in one.left_out.items()
    ]
    return "\n".join(lines) or "Nothing was left out."


def _by_size(
    matrix: Sequence[Table], keys: Iterable[str], show: Callable[[Row, Table, str], str]
) -> str:
    rows = []
    for key in _present(matrix, keys):

        def cell(row: Row, one: Table, key: str = key) -> str:
            return show(row, one, key)

        rows.append([commands.LABELS[key], *(_cell(one, key, cell) for one in matrix)])
    return table(["command", *_sizes(matrix)], rows) if rows else _NOTHING


def _against_target(row: Row, one: Table, key: str) -> str:
    return _judged(_number(row.floor.cpu), row.floor.cpu, targets.cpu(key, one.files))


def _wall(row: Row, _: Table, __: str) -> str:
    return f"{_number(row.wall)} ({_number(row.floor.wall)})"


def _cpu(row: Row, _: Table, __: str) -> str:
    return f"{_number(row.cpu)} ({_number(row.floor.cpu)})"


def _peak(row: Row, one: Table, key: str) -> str:
    return _judged(_number(row.peak), row.peak, targets.peak(key, one.files))


def _judged(text: str, value: float, target: float | None) -> str:
    """A number beside its target; in bold where it misses."""
    if target is None:
        return text
    return f"{text} ≤ {target:g}" if value <= target else strong(f"{text} > {target:g}")


def _cell(one: Table, key: str, show: Cell) -> str:
    return show(one.rows[key], one) if key in one.rows else _NOTHING


def _present(found: Sequence[Table], keys: Iterable[str]) -> list[str]:
    return [key for key in keys if any(key in one.rows for one in found)]


def _ordered(one: Table) -> list[tuple[str, Row]]:
    return [(key, one.rows[key]) for key in commands.LABELS if key in one.rows]


def _sizes(matrix: Sequence[Table]) -> list[str]:
    return [f"{one.files:,}" for one in matrix]


def _number(value: float) -> str:
    """Three digits, as far as they are before or just after the point."""
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
