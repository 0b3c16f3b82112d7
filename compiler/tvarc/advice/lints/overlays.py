"""Lints on package sets: overlays that cannot reach what is built, and inputs of another set."""

from __future__ import annotations

from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Beside, Changed, Sets
from tvarc.light import Iterator
from tvarc.nix.nixpkgs import are_related, is_made_of, is_python_set

_MAY_NOT = "this overlay may not reach the package"


@lint(
    "W115",
    "overlay-unreached",
    "overlay does not reach the package",
    "this overlay does not reach the package",
)
def overlay_unreached(sets: Sets) -> Iterator[Finding]:
    """An overlay that changes a package set which the recipe does not use, or that changes, by
    `//`, a member of the set other than the package.

    The set `python312Packages`, for example, is made without the changes of `python3Packages`. A
    member that `//` replaces is not seen by the other members of its set.
    """
    if not sets.built or _is_replaced(sets):
        return
    for changed in sets.changed:
        if _is_taken(changed):
            continue
        if changed.path == sets.built:
            if changed.form == "update" and sets.name not in changed.members:
                yield _beside(changed, sets)
        # A change of all Python sets, or of each interpreter, changes this set too.
        elif changed.form != "extensions" and are_related(sets.built, changed.path):
            made_of = is_made_of(sets.built, changed.path)
            if made_of is not True:
                yield _another(changed, sets, sure=made_of is False)


@lint(
    "W154",
    "input-of-another-set",
    "package and input are of two sets",
    "the package and this input are of two sets",
)
def input_of_another_set(beside: tuple[Beside, ...]) -> Iterator[Finding]:
    """An input from the top level of nixpkgs, for a package of `pkgsMusl`, `pkgsStatic`,
    `pkgsCross.NAME` or the like.

    The two are for different platforms or C libraries. With a `scope` both come from one set.
    """
    for one in beside:
        whole, scope = ".".join(one.input), ".".join(one.instance)
        yield Finding(
            one.span,
            f"`{whole}` is from the top level of nixpkgs",
            f"the package is from `{scope}`, which is for another platform, C library or compiler "
            "(pkgs/top-level/stage.nix)",
            f"write `package = pkgs.{'.'.join(one.package)}` and `scope = pkgs.{scope}`: both are "
            'then from that set; or give the reason with `because "…"`',
            ((one.place, "the package"),),
            by_hand=f"write `{scope}.{whole}`",
        )


def _is_replaced(sets: Sets) -> bool:
    """Whether some overlay replaces the set of the package. Then the package is unknown."""
    whole = (*sets.built, sets.name)
    return any(whole[: len(path)] == path for path in sets.written)


def _is_taken(changed: Changed) -> bool:
    """Whether the recipe, or an overlay, passes on the package that *changed* makes, by its
    name.
    """
    whole = {(*changed.path, member) for member in changed.members}
    for path in changed.taken:
        if path == changed.path:
            return True
        if path[: len(changed.path)] == changed.path and (
            changed.form != "update" or path[: len(changed.path) + 1] in whole
        ):
            return True
    return False


def _another(changed: Changed, sets: Sets, *, sure: bool) -> Finding:
    mine, theirs = ".".join(changed.path), ".".join(sets.built)
    python = is_python_set(changed.path) and is_python_set(sets.built)
    how = f"`via = {changed.form}`" if changed.via else "such an overlay"
    how += " changes only the set that it names"
    if sure:
        case = f"which is another {'Python ' if python else ''}set: {how}"
    else:
        case = f"which only some releases of nixpkgs make from `{mine}`: {how}"
    all_of_them = python and changed.via != ""
    return Finding(
        changed.span,
        f"changes only `{mine}`",
        f"the package is from `{theirs}`, {case}",
        f"name `{theirs}` in the overlay"
        + (", or remove `via`: the overlay then changes all Python sets" if all_of_them else ""),
        ((sets.place, "the package"),),
        "" if sure else _MAY_NOT,
    )


def _beside(changed: Changed, sets: Sets) -> Finding:
    mine = ".".join(changed.path)
    member = changed.members[0] if changed.members else ""
    name = f"{mine}.{member}"
    how = "`via = update`" if changed.via else f"such an overlay on `{mine}`"
    argument = f"`args {{ {member} = pkgs.{name} }}`"
    return Finding(
        changed.span,
        "is visible only under its own name",
        f"{how} uses `//`, so other packages of the set do not see the change: if "
        f"`{sets.name}` uses `{member}`, it gets the old one",
        f"pass it to the package, such as with {argument} if the package has that argument"
        + (", or remove `via`" if changed.via and not changed.usual else ""),
        ((sets.place, "the package"),),
        by_hand=f"change the set with `{mine}.overrideScope`, or pass it to the package: "
        f"`.override {{ {member} = pkgs.{name}; }}` if the package has that argument",
    )
