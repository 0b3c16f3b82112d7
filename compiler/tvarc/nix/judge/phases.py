"""The scripts of a recipe that its build does not run, and the flags that its build does not read.

Both are found from the derivation: the phases that it names, the texts of its own phases, and the
names of its inputs. The rules are those of `genericBuild` in nixpkgs 20.09, in
`pkgs/stdenv/generic/setup.sh`.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.judge.leaving_out import CONDITIONAL
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
"""The phases that `genericBuild` runs, each with the variable that turns it off. A variable that
begins with `do` turns its phase on."""
HOOKS: Final = {
    f"{when}{phase[0].upper()}{phase[1:]}": phase for phase in PHASES for when in ("pre", "post")
}
"""The hooks before and after each phase, each with its phase."""
OTHERS: Final = frozenset(["postHook", "preHook", "exitHook", "failureHook", "userHook"])
"""Hooks that `setup.sh` runs whichever phases there are."""
LISTS: Final = (
    "prePhases", "preConfigurePhases", "preBuildPhases", "preInstallPhases", "preFixupPhases",
    "preDistPhases", "postPhases",
)  # fmt: skip
"""Variables that add phases to those of `genericBuild`. Setup hooks add to them as well."""

PHASE_FLAGS: Final = {
    "configureFlags": ("configure",),
    "buildFlags": ("build",),
    "checkFlags": ("check",),
    "checkTarget": ("check",),
    "installFlags": ("install",),
    "installTargets": ("install",),
    "installCheckFlags": ("installCheck",),
    "installCheckTarget": ("installCheck",),
    "distFlags": ("dist",),
    "distTarget": ("dist",),
    "makeFlags": ("build", "check", "install", "installCheck", "dist"),
}
"""Flags that only some phases read, with these phases. Sources: `setup.sh`, and setup hooks of
nixpkgs 20.09, which read the flags in their own version of the same phases."""

TOOLS: Final = {
    "cmakeBuildType": "cmake|lxqt-build-tools",
    "cmakeDir": "cmake|lxqt-build-tools",
    "cmakeFlags": "cmake|lxqt-build-tools",
    "disabledTests": "pytest-check-hook|check-hook",
    "gnFlags": "gn",
    "mesonBuildType": "meson",
    "mesonFlags": "meson",
    "ninjaFlags": "ninja",
    "pytestFlagsArray": "pytest-check-hook|check-hook",
    "qmakeFlags": "qmake|qtbase|qt",
    "sconsFlags": "scons",
    "wafFlags": "waf",
}
"""Flags that only the setup hook of one tool reads, with the names of the inputs that bring the
hook. Sources: the files of nixpkgs 20.09 that contain these words, the setup hooks of the tools,
and `pkgs/desktops/lxqt/lxqt-build-tools/setup-hook.sh`."""
_INPUTS: Final = re.compile(r"deps[A-Z]\w+|\w*[iI]nputs")
_CHECKS: Final = re.compile(r"(?<!imports-)check-hook")
"""Inputs that add their own phase, which runs the hooks of `checkPhase`. The phase that checks the
imports of Python packages runs no hooks."""
Kind = Literal["script", "flags"]
_WORD: Final = re.compile(r"\w+")
_SCRIPTS: Final = frozenset([*HOOKS, *[f"{phase}Phase" for phase in PHASES]])
"""Attributes that are scripts."""


@dataclass(frozen=True, slots=True)
class NotRun:
    """A script that the build does not run, or flags that nothing reads. `why` is a clause with the
    reason. `lacks_input`: some input of the build would read it, but is missing."""

    SHOWN = ("span", "kind", "name", "why")
    KEYS = (("span", ""), ("why", "because"))

    kind: Kind
    name: str
    span: Span
    why: str
    lacks_input: bool = False


def watched(changes: ir.Changes) -> Iterator[tuple[Kind, str, Span]]:
    """The settings of *changes* that `not_run` checks, with the kind, the name and the place of
    each. A script may also be written as an attribute."""
    for script in changes.scripts:
        if script.parts:
            yield "script", script.key, script.origin.span
    for setting in changes.attrs:
        if len(setting.path) != 2:
            continue
        if setting.key in TOOLS or setting.key in PHASE_FLAGS or setting.key in CONDITIONAL:
            yield "flags", setting.key, setting.origin.span
        elif setting.key in _SCRIPTS:
            yield "script", setting.key, setting.origin.span


def not_run(changes: ir.Changes, derived: Derived) -> Iterator[NotRun]:
    """The scripts of *changes* that the build in *derived* does not run, and the flags that it does
    not read. *derived* was made with *changes*.

    Only certain cases are returned. A name that no phase and no hook of `setup.sh` has is not
    certain, since any input may bring a setup hook that runs it.
    """
    found = derived.attributes
    if derived.structured or "stdenv" not in found or not _is_generic(derived):
        return
    for kind, name, span in watched(changes):
        if not found.get(name):
            continue
        tool = TOOLS.get(name)
        reason = _why_not(name, found) if tool is None else _why_no_tool(name, tool, found)
        if reason is not None:
            yield NotRun(kind, name, span, reason, lacks_input=tool is not None)


def _is_generic(derived: Derived) -> bool:
    """Whether the builder is the one of nixpkgs, which runs phases."""
    arguments = derived.attributes.get("args", "")
    return re.search(r"(?:default|source-stdenv)[\w-]*", arguments) is not None


def _why_not(name: str, found: dict[str, str]) -> str | None:
    """The reason why nothing runs the script *name*, or reads the flags of that name; None if
    something may. A lint that needs no Nix finds names that are nearly another name."""
    if name in OTHERS or _mentioned(name, found):
        return None
    if name in CONDITIONAL:  # nixpkgs does not pass the lists that it knows to the builder
        older = name.replace("nativeC", "c").replace("nativeI", "i")
        return f"this nixpkgs calls the list `{older}`; `{name}` is only a variable of the build"
    if found.get("buildCommand") or found.get("buildCommandPath"):
        if name in ("buildCommand", "buildCommandPath"):
            return None
        return "the package is built by `buildCommand`, which runs no phases"
    phase = name.removesuffix("Phase") if name.endswith("Phase") else HOOKS.get(name, "")
    reasons = [_why_not_in(one, name, found) for one in PHASE_FLAGS.get(name, (phase,))]
    return reasons[0] if all(reasons) else None


def _why_not_in(phase: str, name: str, found: dict[str, str]) -> str | None:
    """The reason why *phase* does not run the script *name*, or read the flags of that name; None
    if it may."""
    if phase not in PHASES:
        return None
    left_out = _why_left_out(phase, found)
    own = found.get(f"{phase}Phase", "")
    is_phase = name == f"{phase}Phase"
    if left_out is None and not is_phase and own and not _may_run_hooks(own):
        does = "run hooks" if name in HOOKS else "read it"
        may_be_elsewhere = _in_list(phase, found) or _checks_later(phase, found)
        return None if may_be_elsewhere else f"`{phase}Phase` of the package does not {does}"
    return left_out


def _why_left_out(phase: str, found: dict[str, str]) -> str | None:
    """The reason why the build does not run *phase*; None if it may."""
    phases = found.get("phases", "")
    if phases and f"{phase}Phase" not in phases.split():
        return f"`phases` of the package leaves out `{phase}Phase`"
    if _checks_later(phase, found) or _in_list(phase, found) or not _is_left_out(phase, found):
        return None
    variable = PHASES[phase]
    state = "set" if variable.startswith("dont") else "not set"
    return f"`{variable}` is {state}, so `{phase}Phase` does not run"


def _checks_later(phase: str, found: dict[str, str]) -> bool:
    """Whether *phase* is the check phase, and may run after the installation. Builders of Python
    packages do that."""
    return phase == "check" and bool(found.get("doInstallCheck") or _CHECKS.search(_inputs(found)))


def _is_left_out(phase: str, found: dict[str, str]) -> bool:
    variable = PHASES[phase]
    is_set = bool(found.get(variable, ""))
    return not is_set if not variable.startswith("dont") else is_set


def _in_list(phase: str, found: dict[str, str]) -> bool:
    return any(f"{phase}Phase" in found.get(name, "") for name in LISTS)


def _may_run_hooks(text: str) -> bool:
    """Whether the *text* of a phase calls another phase, which may run the hooks and read flags, or
    evaluates any text."""
    words = _WORD.findall(text)
    called = any(word.endswith("Phase") or word in ("eval", "source") for word in words)
    computed = re.search(r"runHook\s+[\"']?\$", text) is not None
    return called or computed or not re.search(r"[\s;]", text.strip())


def _mentioned(name: str, found: dict[str, str]) -> bool:
    """Whether another variable contains the word *name*. Its text may run the script."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(text) for key, text in found.items() if key != name)


def _why_no_tool(name: str, tool: str, found: dict[str, str]) -> str | None:
    """The reason why nothing reads the flags *name* of *tool*; None if an input may bring its setup
    hook, or a text reads them."""
    called = re.compile(rf"/[0-9a-z]{{32}}-[^\s/]*(?:{tool})")
    if called.search(_inputs(found)) is not None or _mentioned(name, found):
        return None
    return f"no input is called `{tool.partition('|')[0]}`, whose setup hook reads it"


def _inputs(found: dict[str, str]) -> str:
    """The paths of all inputs, separated by blanks."""
    return " ".join(text for key, text in found.items() if _INPUTS.fullmatch(key))
