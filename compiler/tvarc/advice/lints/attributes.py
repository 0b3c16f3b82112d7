"""Lints on settings of a package: lists, variables, sources, and names of store paths."""

from __future__ import annotations

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import VERSION, Outside, Stored, Unpacked, Whole
from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.nix.nixpkgs import NAMED_EARLY, REPOSITORY, folder_of_root, is_python_set
from tvarc.text.paths import STORE_SIGNS, are_store_names
from tvarc.values.row_facts import cite, version_fact


@lint(
    "W131",
    "own-list-dropped",
    "the package's own list is dropped",
    "a list replaces the package's own list",
)
def own_list_dropped(written: tuple[Whole, ...]) -> Iterator[Finding]:
    """`cmakeFlags = […]` for a package of nixpkgs, without a `because`: it drops the package's own
    list.

    `=` is one character from `+=`, so it is likely a slip.
    """
    for one in written:
        if one.call is not None:
            continue
        yield Finding(
            one.span,
            f"drops all that `{one.package}` has in `{one.name}`",
            "packages of nixpkgs have their own values in this list, and `=` replaces them",
            f"write `{one.name} += […]` to add to it, or give the reason: `{one.name} = […] "
            'because "…"`',
            by_hand=f"write `{one.name} = (old.{one.name} or [ ]) ++ [ … ];`",
        )


@lint(
    "W155",
    "call-value-replaced",
    "the value in the package's call is dropped",
    "an attribute replaces the one in the package's call",
)
def call_value_replaced(written: tuple[Whole, ...]) -> Iterator[Finding]:
    """`makeFlags = […]` for a package whose `call` has the list `makeFlags`, without a `because`,
    or a `version` although the source in the `call` has its own.
    """
    for one in written:
        if one.call is None:
            continue
        place = ((one.call, "the call"),)
        if one.name == VERSION:
            yield Finding(
                one.span,
                f"the source stays that of {one.held}",
                "the call fetches its source by the version that it has itself, so an attribute "
                "changes only the name of the package",
                "write the version in the call, or give the reason: "
                f'`{one.name} = "…" because "…"`',
                place,
                by_hand="write the version in the call",
            )
            continue
        yield Finding(
            one.span,
            f"replaces the {one.held} of the call",
            f"the package's call has its own `{one.name}`, and `=` replaces them",
            f"write `{one.name} += […]` to add to them, or give the reason: `{one.name} = […] "
            'because "…"`',
            place,
            by_hand=f"write `{one.name} = (old.{one.name} or [ ]) ++ [ … ];`",
        )


@lint(
    "W136",
    "variable-outside-env",
    "variable that belongs in `env`",
    "nixpkgs has this variable in `env`",
)
def variable_outside_env(outside: tuple[Outside, ...], facts: Facts) -> Iterator[Finding]:
    """A variable of a compiler that is an attribute, although nixpkgs has it in `env`."""
    for one in outside:
        row = facts.first("nixpkgs-variable", "variable", one.name)
        first = version_fact(row, "first") if row is not None else None
        if row is None or first is None:
            continue
        yield Finding(
            one.span,
            "this is an attribute outside `env`",
            f"packages of nixpkgs set it in `env` from {first.text} on, and nixpkgs refuses a "
            f"package with both {cite(row)}",
            f'write `env {{ {one.name} = "{{{{old.env.{one.name}}}}} …" }}`, which adds to the '
            "package's own"
            + ("" if one.dated else "; for an older nixpkgs, write its `release` in the pin"),
            by_hand=f'write `env = (old.env or {{ }}) // {{ {one.name} = "…"; }};`',
        )


@lint(
    "W135",
    "source-root-misfits",
    "source root does not match the source",
    "the source has no such folder",
)
def source_root_misfits(unpacked: tuple[Unpacked, ...]) -> Iterator[Finding]:
    """A `sourceRoot` that the given source does not have."""
    for one in unpacked:
        first = folder_of_root(one.root)
        if not first:
            continue
        if one.folder and first != one.folder:
            yield Finding(
                one.span,
                f"begins with `{first}`",
                f"nixpkgs unpacks this repository into `{one.folder}`",
                f'write `sourceRoot = "{one.folder}/…"`',
                ((one.source, "the source"),),
            )
        elif not one.folder and first == REPOSITORY:
            yield Finding(
                one.span,
                f"`{first}` is the folder of a repository",
                "an archive unpacks into its own folder, usually named after the package and its "
                "version",
                "write the name of the folder in the archive",
                ((one.source, "the source"),),
            )


_PYTHON = "python"


@lint(
    "W134",
    "name-unreached",
    "name that does not reach the store path",
    "the name of the store path does not change",
)
def name_unreached(stored: Stored | None, facts: Facts) -> Iterator[Finding]:
    """A `pname` or a `version` that is not in the name of the store path.

    Nixpkgs makes the name of such a package before the recipe changes it.
    """
    if stored is None or not is_python_set(stored.set):
        return
    row = facts.first("nixpkgs-name", "set", _PYTHON)
    if row is None:
        return
    roots = {key: "attrs" if key in stored.keys else "old" for key in ("pname", "version")}
    pname, version = ("{{" + f"{root}.{key}" + "}}" for key, root in roots.items())
    yield Finding(
        stored.span,
        f"this `{stored.keys[0]}` is not in the name of the store path",
        f"nixpkgs up to {NAMED_EARLY} makes the name of a Python package from the package's "
        f"original `pname` and `version`, and the pin is {stored.release} {cite(row)}",
        f'set the whole name: `name = "python3-{pname}-{version}"`',
        by_hand='set the whole name: `name = "python3-${pname}-${version}";`',
    )


NAMED: Final = (("attrs", "pname"), ("attrs", "name"), ("attrs", "version"))
"""The settings that nixpkgs makes the name of a derivation of."""


@lint(
    "W149",
    "store-name",
    "name that a store path cannot have",
    "Nix refuses this name for a store path",
)
def store_name(setting: ir.Setting | None) -> Iterator[Finding]:
    """A `pname`, `name` or `version` with a character that a store path cannot have."""
    if setting is None or not isinstance(setting.value, str):
        return
    odd = "".join(dict.fromkeys([one for one in setting.value if not are_store_names((one,))]))
    if odd:
        may = f"may have only letters, digits and `{STORE_SIGNS}`"
        case = f"`{setting.value}` contains `{odd}`; the name of a store path {may}"
        yield Finding(
            setting.origin.span,
            f"is part of the store path's name: `{setting.value}`",
            case,
            'remove these characters, for example with `replace(variant, " ", "-")`',
        )
