"""Random stacks, by real Nix: what a variant needs is the derivation of that variant by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

import pytest

from nix.stacks import CALLER, SCOPE, prepared, written
from support.compile import compile_text
from support.effort import sampled
from support.nix import requires_nix
from support.recipes import nix_value

# --- random stacks, with what each variant is to need, found without the compiler -----------------

Cell = dict[str, str]

AXES: Final = {"gpu": ["sm80", "sm90"], "release": ["r1", "r2", "r3"], "isa": ["avx2", "sve"]}
HEAD: Final = """
axis gpu     { sm80 { level = 1 }, sm90 { level = 2 } }
axis release { r1 { level = 1 }, r2 { level = 2 }, r3 { level = 3 } }
axis isa     { avx2 { level = 1 }, sve { level = 2 } }

pin p { path = "../nixpkgs" }
pin q { path = "../nixpkgs", config { allowUnfree = true } }
"""
NEWER: Final = 'overlay newer for zlib { NEWER = "yes" }'
_PACKAGES: Final = ("hello", "zlib", "curl", "python3Packages.numpy")


@dataclass
class Need:
    """A need of a matrix: the source of its target, and what it is in a cell: a variant's name, a
    package of the recipe's own nixpkgs, or None where it is not there."""

    name: str
    source: str
    of: dict[str, str | None] = field(default_factory=dict)  # by the name of the cell
    drops: bool = False
    by_argument: bool = False
    only: tuple[str, str] | None = None  # where an axis has a value

    def holds(self, cell: Cell) -> bool:
        return self.only is None or cell[self.only[0]] == self.only[1]


@dataclass
class Built:
    """A matrix: its cells that are built, by their names."""

    name: str
    axes: list[str]
    cells: dict[str, Cell]
    source: str = ""
    pinned: str = ""
    needs: list[Need] = field(default_factory=list)
    overlaid: bool = False
    missing: bool = False  # whether a variant needs what is not built

    def named(self, cell: Cell) -> str:
        return "-".join([self.name, *(cell[axis] for axis in self.axes)])


@dataclass
class Stack:
    """A program of matrices, with what of each recipe is put into others as a matrix of its own."""

    matrices: list[Built]
    alone: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not any(matrix.missing for matrix in self.matrices)

    @property
    def source(self) -> str:
        parts = [*(matrix.source for matrix in self.matrices), *self.alone]
        text = "\n".join([HEAD, *parts, 'output o { file = "recipes/{{variant}}.nix" }', ""])
        return text + NEWER + "\n" if "[newer]" in text else text

    def links(self) -> Iterator[tuple[str, str, str, Built]]:
        """Of each variant, and each of its needs, what this is to be."""
        for matrix in self.matrices:
            for name, cell in matrix.cells.items():
                for need in matrix.needs:
                    target = need.of.get(name)
                    if target is not None and need.holds(cell):
                        yield name, need.name, target, matrix


def stack(random: Random) -> Stack:
    """A stack of two to four matrices."""
    made = Stack([])
    for number in range(random.randint(2, 4)):
        _matrix(f"m{number}", made, random)
    return made


def _matrix(name: str, made: Stack, random: Random) -> None:
    axes = random.sample(list(AXES), random.randint(1, 3))
    cells = [dict(zip(axes, values, strict=True)) for values in product(*(AXES[a] for a in axes))]
    built = Built(name, axes, {}, pinned=random.choice(["p", "p", "q", "none"]))
    dropped = random.choice(cells) if len(cells) > 1 and random.random() < 0.5 else None
    cells = [cell for cell in cells if cell != dropped]
    items = [
        f"package = pkgs.{random.choice(_PACKAGES)}",
        f"pin     = {built.pinned}",
        "attrs { OWN = [" + ", ".join(f'"{{{{{axis}}}}}"' for axis in axes) + f', "{name}"] }}',
    ]
    if random.random() < 0.3:
        items.append("overlays = [newer]")
        built.overlaid = True
    if made.matrices:
        for number in range(random.randint(1, 2)):
            built.needs.append(_need(f"n{number}", built, cells, made, random))
    for need in built.needs:
        if need.drops:
            cells = [cell for cell in cells if need.of[built.named(cell)] is not None]
    for need in built.needs:
        if not any(map(need.holds, cells)):
            need.only = None
        lacking = [need.of[built.named(cell)] is None for cell in cells if need.holds(cell)]
        built.missing |= any(lacking)
    built.missing |= not cells  # an empty matrix is an error as well
    built.cells = {built.named(cell): cell for cell in cells}
    items += [line for need in built.needs for line in _written(need, random)]
    body = "\n  ".join(items)
    exclude = ""
    if dropped is not None:
        condition = " and ".join(f"{axis} == {value}" for axis, value in dropped.items())
        exclude = f'\n  exclude {condition} because "it is not done"'
    text = "-".join([name, *(f"{{{{{axis}}}}}" for axis in axes)])
    built.source = (
        f"overlay of-{name} {{ {name}-parts = [PARTS] }}\n"
        f"recipe {name}-recipe {{\n  {body}\n}}\n"
        f"matrix {name} {{\n  recipe = {name}-recipe\n  axes   = {' * '.join(axes)}\n"
        f'  name   = "{text}"{exclude}\n}}\n'
    )
    always = ", ".join(f"needs.{need.name}" for need in built.needs if need.only is None)
    if always and random.random() < 0.5:
        built.source = built.source.replace("PARTS", always).replace(
            f"  pin     = {built.pinned}", f"  pin     = {built.pinned}\n  overlays += [of-{name}]"
        )
    else:
        built.source = built.source.partition("\n")[2]
    made.matrices.append(built)


def _need(name: str, mine: Built, cells: list[Cell], made: Stack, random: Random) -> Need:
    kind = random.choice(["link", "link", "link", "if", "recipe", "package"])
    need = Need(name, "")
    if random.random() < 0.25:
        axis = random.choice(mine.axes)
        need.only = (axis, random.choice(AXES[axis]))
    if kind == "package":
        package = random.choice(_PACKAGES)
        need.source = random.choice([f"pkgs.{package}", f'nix"""pkgs.{package}"""'])
        need.of = {mine.named(cell): f"pkgs.{package}" for cell in cells}
        return need
    if kind == "recipe":
        need.source = _put_in(mine, made, random)
        alone = f"alone-{mine.name}-{need.source}"
        for cell in cells:
            need.of[mine.named(cell)] = "-".join([alone, *(cell[axis] for axis in mine.axes)])
        made.alone.append(
            f"matrix {alone} {{ recipe = {need.source}, axes = {' * '.join(mine.axes)}, "
            f'name = "{"-".join([alone, *(f"{{{{{axis}}}}}" for axis in mine.axes)])}" }}'
        )
        return need
    need.drops = random.random() < 0.6 and need.only is None
    need.by_argument = random.random() < 0.3
    first, targets = _link(mine, cells, made, random)
    need.source = first
    if kind == "if":
        other, others = _link(mine, cells, made, random)
        axis = random.choice(mine.axes)
        value = random.choice(AXES[axis])
        need.source = f"if {axis} == {value} then {first} else {other}"
        targets = [
            one if cell[axis] == value else two
            for cell, one, two in zip(cells, targets, others, strict=True)
        ]
    need.of = {mine.named(cell): target for cell, target in zip(cells, targets, strict=True)}
    return need


def _put_in(mine: Built, made: Stack, random: Random) -> str:
    """A recipe over the axes of *mine*, declared there."""
    name = f"in-{len(made.alone)}"
    pin = random.choice(["p", "q", "none"])
    texts = ", ".join(f'"{{{{{axis}}}}}"' for axis in mine.axes)
    overlays = "overlays = [newer], " if random.random() < 0.4 else ""
    made.alone.append(
        f"recipe {name} {{ package = pkgs.{random.choice(_PACKAGES)}, pin = {pin}, {overlays}"
        f"attrs {{ IN = [{texts}] }} }}"
    )
    return name


def _link(
    mine: Built, cells: list[Cell], made: Stack, random: Random
) -> tuple[str, list[str | None]]:
    """A link to an earlier matrix, and the variant that it is in each of *cells*."""
    target = random.choice(made.matrices)
    picks: list[str] = []
    chosen: Cell = {}
    of_facts: dict[str, str] = {}
    for axis in target.axes:
        if axis in mine.axes and random.random() < 0.8:
            continue
        other = random.choice(mine.axes)
        # A value by its level, which only some values of a longer axis have in a shorter one.
        if random.random() < 0.4:
            of_facts[axis] = other
            picks.append(f"{axis} where level == {other}.level")
        else:
            chosen[axis] = random.choice(AXES[axis])
            picks.append(random.choice([f"{axis} = {chosen[axis]}", f'{axis} = "{chosen[axis]}"']))
    found: list[str | None] = []
    for cell in cells:
        values: dict[str, str | None] = {}
        for axis in target.axes:
            if axis in of_facts:
                level = AXES[of_facts[axis]].index(cell[of_facts[axis]])
                values[axis] = AXES[axis][level] if level < len(AXES[axis]) else None
            else:
                values[axis] = chosen.get(axis) or cell[axis]
        name = "-".join([target.name, *(values[axis] or "" for axis in target.axes)])
        found.append(name if name in target.cells else None)
    return f"{target.name}[{', '.join(picks)}]" if picks else target.name, found


def _written(need: Need, random: Random) -> Iterator[str]:
    """The need, and where it is read."""
    words = f"needs {need.name} = "
    words += f"({need.source})" if need.source.startswith("if ") else need.source
    words += " by argument" if need.by_argument else ""
    words += ' or exclude because "there is none"' if need.drops else ""
    read = random.choice(
        [
            f"attrs {{ {need.name} = needs.{need.name} }}",
            f'attrs {{ {need.name} = "{{{{needs.{need.name}}}}}" }}',
            f'attrs {{ {need.name} = nix"""[ needs.{need.name} ]""" }}',
        ]
    )
    passed = f"passthru {{ needed.{need.name} = needs.{need.name} }}"
    if need.only is None:
        yield from (words, read, passed)
    else:
        axis, value = need.only
        yield f"when {axis} == {value} {{\n    {words}\n    {read}\n    {passed}\n  }}"


# --- the tests ------------------------------------------------------------------------------------

# Whether two of them are one derivation is decided by what they say, whatever Nix reads it.
pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

FILES = {"../nixpkgs/default.nix": ""}
TRIED = range(96)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(TRIED, ci=6))
def test_what_is_needed_is_the_variant_by_itself(tmp_path: Path, seed: int) -> None:
    made = stack(Random(seed))
    if not made.is_whole:
        told = compile_text(made.source, files=FILES)
        told.recipes()
        codes = {one.code for one in told.diagnostics}
        assert codes & {"E408", "E401"}, (codes, made.source)
        assert codes <= {"E408", "E401", "W114"}, (codes, made.source)
        return
    project = prepared(tmp_path)
    paths = written(project, made.source)
    expected = {name for matrix in made.matrices for name in matrix.cells}
    assert expected == {name for name in paths if not name.startswith("alone-")}, made.source
    pairs = []
    for name, need, target, matrix in made.links():
        alone = f"scope.{target}"
        if target.startswith("pkgs."):
            if matrix.overlaid:
                continue
            allowed = "{ allowUnfree = true; }" if matrix.pinned == "q" else "{ }"
            pinned = f"(import ../nixpkgs {{ {ARGUMENTS} config = {allowed}; overlays = [ ]; }})"
            alone = ("pkgs" if matrix.pinned == "none" else pinned) + target.removeprefix("pkgs")
        pairs.append(f"[ scope.{name}.needed.{need}.drvPath {alone}.drvPath ]")
    found = nix_value(SCOPE.format(caller=CALLER, asked=f"[ {' '.join(pairs)} ]"), cwd=project)
    assert len(found) == len(pairs)
    for (one, other), pair in zip(found, pairs, strict=True):
        assert one == other, (pair, made.source)


ARGUMENTS = "system = builtins.currentSystem;"


@pytest.mark.parametrize("seed", sampled(TRIED, ci=6))
def test_a_matrix_that_is_called_otherwise_is_missed(seed: int) -> None:
    made = stack(Random(seed))
    for matrix in made.matrices:
        needed = any(
            matrix.name in need.source.replace("[", " ").split()
            for other in made.matrices
            for need in other.needs
        )
        if needed:
            text = made.source.replace(f"matrix {matrix.name} {{", "matrix renamed {")
            told = compile_text(text, files=FILES)
            told.recipes()
            assert told.sink.has_errors, text
