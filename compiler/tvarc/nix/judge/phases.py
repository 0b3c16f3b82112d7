"""Which scripts of a recipe its build does not run, and which flags nothing in it reads.

What decides that is in the derivation: the phases that it names, the texts of its own phases, and
the names of its inputs. The rules are those of `genericBuild` in nixpkgs,
`pkgs/stdenv/generic/setup.sh` of 20.09.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Derived
from tvarc.text.source import Span

PHASES: Final = {
    "unpack": "dontUnpack",
    "patch": "dontPatch",
    "configure": "dontConfigure",
    "build": "dontBuild",
    "check": "doCheck",
    "install": "dontInstall",
    "fixup": "dontFixup",
    "installCheck": "doInstallCheck",
    "dist": "doDist",
}
"""The phases that `genericBuild` runs, and the variable that leaves each out, or with `do` lets it
in."""
HOOKS: Final = {
    f"{when}{phase[0].upper()}{phase[1:]}": phase for phase in PHASES for when in ("pre", "post")
}
"""The hooks before and after each phase, with that phase."""
OTHERS: Final = frozenset(["postHook", "preHook", "exitHook", "failureHook", "userHook"])
"""Hooks that `setup.sh` runs whatever the phases are."""
LISTS: Final = (
    "prePhases", "preConfigurePhases", "preBuildPhases", "preInstallPhases", "preFixupPhases",
    "preDistPhases", "postPhases",
)  # fmt: skip
"""Variables that add phases to those of `genericBuild`; setup hooks add to them as well."""

TOOLS: Final = {
    "cmakeFlags": "cmake|lxqt-build-tools",
    "mesonFlags": "meson",
    "ninjaFlags": "ninja",
    "qmakeFlags": "qmake|qtbase|qt",
    "sconsFlags": "scons",
    "wafFlags": "waf",
}
"""Flags that only the setup hook of one tool reads, and what inputs are called that bring the hook.
Sources: the files of nixpkgs 20.09 that have these words, the setup hooks of the tools and
`pkgs/desktops/lxqt/lxqt-build-tools/setup-hook.sh`."""
_INPUTS: Final = re.compile(r"deps[A-Z]\w+|\w*[iI]nputs")
_CHECKS: Final = re.compile(r"check-hook")
"""Inputs that add a phase of their own, which runs the hooks of `checkPhase`."""
Kind = Literal["script", "flags"]
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NotRun:
    """A script that the build does not run, or flags that nothing reads: `why`, as a clause."""

    kind: Kind
    name: str
    span: Span
    why: str


def watched(recipe: ir.Recipe) -> Iterator[tuple[Kind, str, Span]]:
    """The settings of *recipe* that `not_run` checks: the kind, the name and the place of each."""
    for script in recipe.changes.scripts:
        if script.parts:
            yield "script", script.key, script.origin.span
    for setting in recipe.changes.attrs:
        if setting.key in TOOLS:
            yield "flags", setting.key, setting.origin.span


def not_run(recipe: ir.Recipe, derived: Derived) -> Iterator[NotRun]:
    """The scripts of *recipe* that the build in *derived* does not run, and the flags that nothing
    in it reads. It yields nothing where that is not certain."""
    found = derived.attributes
    if derived.structured or "stdenv" not in found or not _is_generic(derived):
        return
    for script in recipe.changes.scripts:
        reason = _why_not(script.key, found)
        if script.parts and reason is not None:
            yield NotRun("script", script.key, script.origin.span, reason)
    for setting in recipe.changes.attrs:
        tool = TOOLS.get(setting.key)
        if tool is not None and found.get(setting.key) and not _has_tool(setting.key, tool, found):
            name = tool.partition("|")[0]
            why = f"no input is called `{name}`, whose setup hook reads it"
            yield NotRun("flags", setting.key, setting.origin.span, why)


def _is_generic(derived: Derived) -> bool:
    """Whether the builder is that of nixpkgs, which runs phases."""
    arguments = derived.attributes.get("args", "")
    return re.search(r"(?:default|source-stdenv)[\w-]*", arguments) is not None


def _why_not(name: str, found: dict[str, str]) -> str | None:
    """Why nothing runs the script *name*; None where something may run it. Whether the name is
    misspelt a lint finds out, without Nix."""
    if name in OTHERS or _mentioned(name, found):
        return None
    if found.get("buildCommand") or found.get("buildCommandPath"):
        if name in ("buildCommand", "buildCommandPath"):
            return None
        return "the package is built by `buildCommand`, which runs no phases"
    phase = name.removesuffix("Phase") if name.endswith("Phase") else HOOKS.get(name)
    if phase is None or phase not in PHASES:
        return None
    phases = found.get("phases", "")
    if phases and f"{phase}Phase" not in phases.split():
        return f"`phases` of the package leaves out `{phase}Phase`"
    if phase == "check" and (found.get("doInstallCheck") or _CHECKS.search(_inputs(found))):
        return None  # builders of Python packages run their checks after the installation
    if _in_list(phase, found):
        return None
    if _is_left_out(phase, found):
        variable = PHASES[phase]
        state = "set" if variable.startswith("dont") else "not set"
        return f"`{variable}` is {state}, so `{phase}Phase` does not run"
    own = found.get(f"{phase}Phase", "")
    if name in HOOKS and own and not _may_run_hooks(own):
        return f"`{phase}Phase` of the package does not run hooks"
    return None


def _is_left_out(phase: str, found: dict[str, str]) -> bool:
    variable = PHASES[phase]
    is_set = bool(found.get(variable, ""))
    return not is_set if not variable.startswith("dont") else is_set


def _in_list(phase: str, found: dict[str, str]) -> bool:
    return any(f"{phase}Phase" in found.get(name, "") for name in LISTS)


def _may_run_hooks(text: str) -> bool:
    """Whether a phase's *text* calls another phase, which may run the hooks, or evaluates any."""
    words = _WORD.findall(text)
    called = any(word.endswith("Phase") or word in ("eval", "source") for word in words)
    computed = re.search(r"runHook\s+[\"']?\$", text) is not None
    return called or computed or not re.search(r"[\s;]", text.strip())


def _mentioned(name: str, found: dict[str, str]) -> bool:
    """Whether any other variable has the word *name*: its text may run it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(text) for key, text in found.items() if key != name)


def _has_tool(name: str, tool: str, found: dict[str, str]) -> bool:
    """Whether an input may bring the setup hook of *tool*, or a text reads the flags *name*."""
    called = re.compile(rf"/[0-9a-z]{{32}}-[^\s/]*(?:{tool})")
    return called.search(_inputs(found)) is not None or _mentioned(name, found)


def _inputs(found: dict[str, str]) -> str:
    """The paths of all inputs, with blanks between."""
    return " ".join(text for key, text in found.items() if _INPUTS.fullmatch(key))
