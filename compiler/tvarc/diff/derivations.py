"""The derivations that recipes of any state of a program come to, each in a file of its own. They
are written to the store, so that it can be told in what they differ."""

# ruff: noqa: PTH103, PTH118, PTH120, PTH211
# pathlib costs too much at start.
from __future__ import annotations

import os
import posixpath

from tvarc import ir
from tvarc.assembly.together import system_of
from tvarc.diagnostics.model import Sink
from tvarc.driver import emit
from tvarc.judge.evaluate import Derived, Evaluators, Job, chunks
from tvarc.judge.folder import in_folder
from tvarc.judge.named_files import files_in, files_in_text
from tvarc.judge.nix import as_text, put_file
from tvarc.judge.pins import fetched_for, unfetched
from tvarc.light import Callable, Final, Iterator, Mapping, Sequence, replace
from tvarc.source import Leaf, UnreadableSource
from tvarc.values import Value

ReadTree = Callable[[str], Mapping[str, Leaf]]
"""What is at a file or folder that a recipe names: each file by its path in that, or itself
by an empty path; raises UnreadableSource."""

NeededBy = Callable[[ir.Recipe], Sequence[ir.Recipe]]
"""The recipes that stand beside a recipe, since it needs them, or they each other."""


def alone(_: ir.Recipe) -> Sequence[ir.Recipe]:
    """What stands beside a recipe of a program in which none needs another."""
    return ()


class Refused(str):
    """Why a recipe has no derivation."""

    __slots__ = ()


def derivations(
    recipes: Mapping[str, ir.Recipe],
    entry: str,
    read: ReadTree,
    sink: Sink,
    needed_by: NeededBy = alone,
) -> dict[str, str] | None:
    """The path of the derivation of each of *recipes*, by its key; `Refused` where there is none.
    None after reporting to *sink* that a file is not there, or that Nix cannot judge here.

    `entry` is the file that declares them, by the loader's name of it.
    """

    def asks(folder: str) -> dict[str, str] | None:
        jobs: list[Job] = []
        for number, (key, recipe) in enumerate(recipes.items()):
            try:
                place = os.path.join(folder, str(number))
                jobs.append(_job(key, (recipe, *needed_by(recipe)), place, entry, read))
            except UnreadableSource as fault:
                sink.error(
                    fault.code, f"cannot read `{fault.file}`", notes=(fault.reason,),
                    help=f"variant `{recipe.variant}` names it",
                )  # fmt: skip
                return None
        return _evaluated(recipes, jobs, folder)

    help_ = "without `--nix` the recipes themselves are compared"
    return in_folder(asks, sink, "the derivations, by `--nix`", help_)


def has_files(recipe: ir.Recipe) -> bool:
    """Whether the derivation depends on files that the recipe only names."""
    return any(True for _ in named_files(recipe)) or any(True for _ in _files_in_text(recipe))


def _job(name: str, recipes: Sequence[ir.Recipe], folder: str, entry: str, read: ReadTree) -> Job:
    """Write *recipes*, the first of which is asked for and needs the others, and the files that
    they name, as they stand to each other; what Nix is asked."""
    source = posixpath.basename(entry)
    base = posixpath.dirname(entry) or "."
    files = {file for recipe in recipes for file in named_files(recipe)}
    in_text = {file for recipe in recipes for file in _files_in_text(recipe, base)} - files
    named = {file: posixpath.relpath(file, base) for file in files | in_text}
    above = max((path.split("/").count("..") for path in named.values()), default=0)
    root = os.path.join(folder, *("d" for _ in range(above)))
    for file, path in named.items():
        if not posixpath.isabs(file):
            place = os.path.normpath(os.path.join(root, path))
            try:
                tree = read(file)
            except UnreadableSource:
                if file in in_text:
                    continue  # that it is not there is for Nix to say
                raise
            if not tree:
                os.makedirs(place, exist_ok=True)
            for inner, leaf in tree.items():
                _put(os.path.join(place, inner) if inner else place, leaf)
    by_argument = set(_by_argument(recipes))
    siblings: dict[str, str] = {}
    places: list[str] = []
    caller = False
    for recipe in map(_with_pin_in_place, recipes):
        output = next(emit((recipe,), source, entry))
        written = os.path.join(root, output.path)
        put_file(written, output.text.encode("utf-8"))
        places.append(written)
        caller = caller or "<nixpkgs>" in output.text
        if recipe.variant in by_argument:
            siblings[posixpath.basename(output.path).removesuffix(".nix")] = written
    kind: Final = "called" if caller else "alone"
    system = system_of(recipes[0])
    return Job(name, places[0], system, kind=kind, siblings=tuple(siblings.items()))


def _with_pin_in_place(recipe: ir.Recipe) -> ir.Recipe:
    """*recipe*, with the folder that it pins read where it is: it is not put beside it."""
    needs = tuple(
        [
            need if need.recipe is None else replace(need, recipe=_with_pin_in_place(need.recipe))
            for need in recipe.needs
        ]
    )
    pin = recipe.pin
    if pin is not None and pin.path:
        pin = replace(pin, path=as_text(os.path.abspath(pin.path)))  # noqa: PTH100
    return replace(recipe, pin=pin, needs=needs)


def _by_argument(recipes: Sequence[ir.Recipe]) -> Iterator[str]:
    """The variants that callPackage hands to others of *recipes*."""
    for recipe in recipes:
        for need in recipe.needs:
            if need.linked is not None and need.linked.argument:
                yield need.linked.variant
            if need.recipe is not None:
                yield from _by_argument((need.recipe,))


def _put(path: str, leaf: Leaf) -> None:
    if leaf.kind == "link":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):  # one folder may lie in another
            os.symlink(leaf.data, os.fsencode(path))
        return
    put_file(path, leaf.data)
    if leaf.kind == "executable":
        os.chmod(path, 0o755)  # noqa: PTH101


def _files_in_text(recipe: ir.Recipe, base: str = ".") -> Iterator[str]:
    """The files that relative paths in the Nix text of *recipe* name, which stands where a build
    below *base* writes it."""
    folder = posixpath.join(base, posixpath.dirname(recipe.files[0][1]) if recipe.files else "")
    return (file for value in _values(recipe) for file in files_in_text(value, folder))


def named_files(recipe: ir.Recipe) -> Iterator[str]:
    """The files that values of *recipe* name."""
    return (file for value in _values(recipe) for file in files_in(value))


def _values(recipe: ir.Recipe) -> Iterator[Value]:
    """The values that *recipe* sets."""
    changes = [recipe.changes, *(overlay.changes for overlay in recipe.overlays)]
    settings: list[Sequence[ir.Setting]] = [recipe.config, (recipe.package,)]
    for need in recipe.needs:
        if need.recipe is not None:
            yield from _values(need.recipe)
        elif need.linked is None:
            settings.append((need.setting,))
    settings += [overlay.patch for overlay in recipe.overlays]
    for one in changes:
        settings += [one.args, one.attrs, one.env, one.passthru, one.meta]
        for script in one.scripts:
            for part in script.parts:
                yield part.text
    for several in settings:
        for setting in several:
            yield setting.value
            yield setting.head


def _evaluated(
    recipes: Mapping[str, ir.Recipe], jobs: Sequence[Job], folder: str
) -> dict[str, str]:
    """All that can be had. What cannot be fetched is there for none of them. Raises
    NotInstalled."""
    missing = unfetched(recipes.values())
    found: dict[str, str] = {}
    left: list[Job] = []
    for job in jobs:
        wanted = fetched_for(recipes[job.name])
        absent = next((one for address, one in missing.items() if address in wanted), None)
        if absent is None:
            left.append(job)
        else:
            found[job.name] = Refused(" ".join(absent.words))
    for key, outcome in Evaluators(folder, 1, writes=True).run(chunks([left], 1)).items():
        found[key] = outcome.path if isinstance(outcome, Derived) else Refused(outcome.reason)
    return {key: found[key] for key in recipes}
