"""The derivations that recipes come to, asked of Nix: `nix-instantiate`, as it is installed."""

# ruff: noqa: PTH103, PTH118, PTH120, PTH123
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
import posixpath
import subprocess
from tempfile import TemporaryDirectory

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.driver import emit
from tvarc.light import Callable, Iterator, Mapping, Sequence, replace
from tvarc.source import UnreadableSource
from tvarc.values import NixCall, NixPart, NixSource, NixText, PathValue, Record, Value

_SECONDS = 3600  # a first evaluation fetches nixpkgs
_ENOUGH = 3
_USUAL_SYSTEM = "x86_64-linux"

# A pinned recipe takes the system alone from its argument, unless it says that it reads more; all
# others are called by nixpkgs. Siblings are those that are needed by argument.
_EXPRESSION = """
{ jobs }:
let
  call = _: { file, system, caller, siblings }:
    let
      nixpkgs = import <nixpkgs> { inherit system; };
      pkgs = if caller then nixpkgs else { stdenv.hostPlatform = { inherit system; }; };
      others = builtins.mapAttrs (_: package) siblings;
      package = file:
        let
          recipe = import file;
          arguments = builtins.functionArgs recipe;
          given = builtins.intersectAttrs arguments others;
        in
        if arguments.pkgs or false then recipe (given // { inherit pkgs; })
        else nixpkgs.callPackage recipe given;
    in
    (package file).drvPath;
in
builtins.mapAttrs call (builtins.fromJSON (builtins.readFile jobs)).recipes
"""

ReadFile = Callable[[str], bytes]
"""The content of a file that a recipe names; raises UnreadableSource."""

NeededBy = Callable[[ir.Recipe], Sequence[ir.Recipe]]
"""The recipes that stand beside a recipe, since it needs them, or they each other."""


def alone(_: ir.Recipe) -> Sequence[ir.Recipe]:
    """What stands beside a recipe of a program in which none needs another."""
    return ()


Job = dict[str, str | bool | dict[str, str]]
"""What Nix is asked of one recipe: its file, for which system, whether it reads the nixpkgs that it
is called with, and the files that callPackage hands to it."""


class Refused(str):
    """Why a recipe has no derivation."""

    __slots__ = ()


class _Stopped(Exception):
    """Nothing can be asked; the reason has been reported."""


def derivations(
    recipes: Mapping[str, ir.Recipe],
    entry: str,
    read: ReadFile,
    sink: Sink,
    needed_by: NeededBy = alone,
) -> dict[str, str] | None:
    """The path of the derivation of each of *recipes*, by its key; `Refused` where there is none.
    None after reporting to *sink* that a file is not there, or that Nix is not installed.

    `entry` is the file that declares them, by the loader's name of it.
    """
    with TemporaryDirectory(prefix="tvarc-diff-") as folder:
        jobs: dict[str, Job] = {}
        for number, (key, recipe) in enumerate(recipes.items()):
            try:
                place = os.path.join(folder, str(number))
                jobs[key] = _job((recipe, *needed_by(recipe)), place, entry, read)
            except UnreadableSource as fault:
                sink.error(
                    fault.code, f"cannot read `{fault.file}`", notes=(fault.reason,),
                    help=f"variant `{recipe.variant}` names it",
                )  # fmt: skip
                return None
        try:
            return _evaluated(jobs, folder, sink)
        except _Stopped:
            return None


def has_files(recipe: ir.Recipe) -> bool:
    """Whether the derivation depends on files that the recipe only names."""
    return any(True for _ in _files(recipe))


def _job(recipes: Sequence[ir.Recipe], folder: str, entry: str, read: ReadFile) -> Job:
    """Write *recipes*, the first of which is asked for and needs the others, and the files that
    they name, as they stand to each other; what Nix is asked."""
    source = posixpath.basename(entry)
    base = posixpath.dirname(entry) or "."
    files = {file for recipe in recipes for file in _files(recipe)}
    named = {file: posixpath.relpath(file, base) for file in files}
    above = max((path.split("/").count("..") for path in named.values()), default=0)
    root = os.path.join(folder, *("d" for _ in range(above)))
    for file, path in named.items():
        if not posixpath.isabs(file):
            _put(os.path.join(root, path), read(file))
    by_argument = set(_by_argument(recipes))
    siblings: dict[str, str] = {}
    places: list[str] = []
    caller = False
    for recipe in map(_with_pin_in_place, recipes):
        output = next(emit((recipe,), source, entry))
        written = os.path.join(root, output.path)
        _put(written, output.text.encode("utf-8"))
        places.append(written)
        caller = caller or "<nixpkgs>" in output.text
        if recipe.variant in by_argument:
            siblings[posixpath.basename(output.path).removesuffix(".nix")] = written
    return {
        "file": places[0],
        "system": _system(recipes[0]),
        "caller": caller,
        "siblings": siblings,
    }


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
        pin = replace(pin, path=os.path.abspath(pin.path))  # noqa: PTH100
    return replace(recipe, pin=pin, needs=needs)


def _by_argument(recipes: Sequence[ir.Recipe]) -> Iterator[str]:
    """The variants that callPackage hands to others of *recipes*."""
    for recipe in recipes:
        for need in recipe.needs:
            if need.linked is not None and need.linked.argument:
                yield need.linked.variant
            if need.recipe is not None:
                yield from _by_argument((need.recipe,))


def _put(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _files(recipe: ir.Recipe) -> Iterator[str]:
    """The files that values of *recipe* name."""
    changes = [recipe.changes, *(overlay.changes for overlay in recipe.overlays)]
    settings: list[Sequence[ir.Setting]] = [recipe.config, (recipe.package,)]
    for need in recipe.needs:
        if need.recipe is not None:
            yield from _files(need.recipe)
        elif need.linked is None:
            settings.append((need.setting,))
    settings += [overlay.patch for overlay in recipe.overlays]
    for one in changes:
        settings += [one.args, one.attrs, one.env, one.passthru, one.meta]
        for script in one.scripts:
            for part in script.parts:
                yield from _paths(part.text)
    for several in settings:
        for setting in several:
            yield from _paths(setting.value)
            yield from _paths(setting.head)


def _paths(value: Value) -> Iterator[str]:
    match value:
        case PathValue():
            yield value.file
        case tuple():
            for item in value:
                yield from _paths(item)
        case Record():
            for _, item in value:
                yield from _paths(item)
        case NixCall():
            for _, item in value.arguments:
                yield from _paths(item)
        case NixText():
            for piece in value.parts:
                yield from _paths(piece)
        case NixSource():
            for part in value.parts:
                if isinstance(part, NixPart):
                    yield from _paths(part.value)
        case _:
            pass


def _system(recipe: ir.Recipe) -> str:
    """The system to evaluate for: the usual one, or the first that the recipe is for."""
    for setting in recipe.changes.meta:
        if setting.key == "platforms" and isinstance(setting.value, tuple):
            known = [one for one in setting.value if isinstance(one, str)]
            if known and _USUAL_SYSTEM not in known:
                return known[0]
    return _USUAL_SYSTEM


def _evaluated(jobs: dict[str, Job], folder: str, sink: Sink) -> dict[str, str]:
    """All at once; where Nix refuses one of them, one by one, until some were refused alike: a
    nixpkgs that cannot be fetched is none for any of them."""
    if not jobs:
        return {}
    found, said = _ask(jobs, folder, sink)
    if found is not None:
        return found
    if len(jobs) == 1:
        return {key: Refused(said) for key in jobs}
    answers: dict[str, str] = {}
    for key, job in jobs.items():
        first = set(answers.values())
        if len(answers) == _ENOUGH and len(first) == 1 and isinstance(next(iter(first)), Refused):
            return answers | {other: next(iter(first)) for other in jobs if other not in answers}
        answers |= _evaluated({key: job}, folder, sink)
    return answers


def _ask(jobs: dict[str, Job], folder: str, sink: Sink) -> tuple[dict[str, str] | None, str]:
    """What Nix answers, or None and what it says is wrong."""
    path = os.path.join(folder, "jobs.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"recipes": jobs}, file)
    command = ["nix-instantiate", "--eval", "--strict", "--json", "--argstr", "jobs", path]
    try:
        done = subprocess.run(
            [*command, "--expr", _EXPRESSION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        sink.error(
            "E912",
            "Nix is not installed here",
            notes=("`--nix` asks `nix-instantiate` for the derivations",),
            help="without `--nix` the recipes themselves are compared",
        )
        raise _Stopped from None
    except (OSError, subprocess.TimeoutExpired) as fault:
        return None, str(fault)
    if done.returncode == 0:
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and all(isinstance(answer.get(key), str) for key in jobs):
            return {key: answer[key] for key in jobs}, ""
        return None, "what `nix-instantiate` prints is no list of derivations"
    return None, _error(done.stderr.decode("utf-8", "replace"))


def _error(text: str) -> str:
    """The message among what Nix prints: the last `error:`, which is the innermost."""
    told = [line.strip() for line in text.splitlines() if line.strip().startswith("error:")]
    words = [line.removeprefix("error:").strip() for line in told]
    return next((word for word in reversed(words) if word), "Nix gave no reason")
