"""Lints on what nixpkgs' Torch package does, and on what goes with a Torch."""

from __future__ import annotations

from tvarc import ir
from tvarc.hosts.rows import text_fact, version_fact
from tvarc.light import Collection, Final, Iterator, dataclass
from tvarc.lints.cuda import BESIDE_TORCH, TORCH, Cuda
from tvarc.lints.facts import Facts, cite, wholes_fact
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects
from tvarc.lints.toolkit import refused, target_row
from tvarc.source import Span
from tvarc.values import RowValue, Value, Version, is_version

# Majors of CUDA that every Torch package that was read builds with: no table has to be asked.
_BUILT_BY_ALL: Final = ("11", "12")
_NAMES: Final = {"torchvision": "TorchVision", "torchaudio": "TorchAudio"}


def cudnn_below_floor(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """cuDNN left on for a GPU on which that of the pin does not run."""
    cuda = subjects.cuda
    if not cuda.on or not cuda.torch or cuda.pin is None or not cuda.targets:
        return
    if subjects.switches.switched_off("USE_CUDNN") is not False:
        return
    for target in cuda.targets:
        row = target_row(target, facts)
        end = version_fact(row, "no-cudnn-from") if row is not None else None
        if row is None or end is None:
            continue
        if cuda.toolkit is not None and refused(cuda.toolkit, row):
            continue  # it is not built at all
        pin = facts.pin(cuda.pin)
        found = facts.cudnn(pin) if pin is not None else None
        if pin is None or found is None or found[0].compare(end) < 0:
            return
        version, teller = found
        has = (
            f"the pin has cuDNN {version.text}"
            if teller is pin
            else f"the pin is later than {teller.name}, which has cuDNN {version.text}"
        )
        yield Finding(
            target.span,
            f"builds for {target.name}",
            f"cuDNN from {end.text} on does not run on {target.name}; {has} {cite(row, teller)}",
            "switch it off in a script: `export USE_CUDNN=0`",
        )


def cuda_marked_broken(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A CUDA with which the pin's Torch package is marked broken, and nothing that allows it."""
    cuda, toolkit = subjects.cuda, subjects.cuda.toolkit
    if not cuda.on or not cuda.torch or cuda.pin is None or toolkit is None:
        return
    if toolkit.major in _BUILT_BY_ALL or _allowed(cuda, subjects.broken):
        return
    pin = facts.pin(cuda.pin)
    torch = version_fact(pin, "torch") if pin is not None else None
    if pin is None or torch is None:
        return
    rows = facts.torch_package(torch)
    majors = [wholes_fact(row, "cuda-majors") for row in rows]
    if not rows or any(int(toolkit.major) in one for one in majors):
        return
    known = ", ".join(map(str, majors[0]))
    yield Finding(
        _cuda_place(cuda),
        f"chooses {toolkit.name}",
        f"the pin has Torch {torch.text}, which nixpkgs marks as broken with any CUDA but "
        f"{known} {cite(pin, *rows)}",
        "allow it: `config { allowBroken = true }`",
    )


def cmake_flags_unreached(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """`cmakeFlags` of a package that setup.py builds, which does not look at them."""
    cuda, attrs = subjects.cuda, {one.key: one for one in subjects.cmake}
    if not cuda.torch or cuda.pin is None or "dontUseCmakeConfigure" in attrs:
        return
    written = [attrs["cmakeFlags"]] if "cmakeFlags" in attrs else []
    for overlay in cuda.overlays:
        if overlay.relation == "for" and overlay.target[-1:] == (cuda.package,):
            written += [one for one in overlay.changes.attrs if one.key == "cmakeFlags"]
    # A script may hand them over itself.
    handed = "cmakeFlags" in subjects.switches.mentions
    if not written or handed:
        return
    pin = facts.pin(cuda.pin)
    torch = version_fact(pin, "torch") if pin is not None else None
    rows = facts.torch_package(torch) if torch is not None else ()
    if pin is None or torch is None or not rows:
        return
    for span in _places(written):
        yield Finding(
            span,
            "has no effect",
            f"the pin has Torch {torch.text}, which setup.py builds: it hands CMake variables of "
            f"the environment, and no cmakeFlags {cite(pin, *rows)}",
            "export them in a script: `export USE_…=…`, `BUILD_…` or `CMAKE_…`",
        )


def release_not_paired(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A TorchVision or TorchAudio beside a Torch that it does not go with."""
    cuda = subjects.cuda
    torch = _written(cuda, subjects.version, TORCH)
    for package in BESIDE_TORCH:
        release = _written(cuda, subjects.version, (package,))
        if release is None and cuda.package != package:
            continue  # nothing says that it is used
        place = release or torch
        if place is None:
            continue  # what a pin has beside each other is nixpkgs' own affair
        version = release.version if release else _of_pin(cuda, package, facts)
        against = torch.version if torch else _of_pin(cuda, "torch", facts)
        if version is None or against is None or not _is_release(against):
            continue
        row = facts.release(package, version)
        needed = version_fact(row, "torch") if row is not None else None
        if row is None or needed is None or _fits(against, needed, row):
            continue
        name, exact = _NAMES[package], row.facts["exact"].value is True
        here = f"Torch {against.text}"
        yield Finding(
            place.span,
            f"{name} {version.text}" if release else here,
            f"{name} {version.text} needs Torch {needed.text}{'' if exact else ' or newer'}, "
            f"this is {against.text} {cite(row)}",
            f"take the release for Torch {against.text}, which std.torch lists",
            ((torch.span, here),) if release and torch else (),
        )


def _allowed(cuda: Cuda, broken: ir.Setting | None) -> bool:
    """Whether something makes nixpkgs build what is marked broken, or may do so."""
    for key, setting in cuda.config.items():
        if key.startswith("allowBroken") and setting.value is not False:
            return True
    marks = [broken] if broken is not None else []
    for overlay in cuda.overlays:
        if overlay.relation == "for" and overlay.target[-1:] == (cuda.package,):
            marks += [one for one in overlay.changes.meta if one.key == "broken"]
            marks += [one for one in overlay.changes.passthru if one.key == "brokenConditions"]
    return any(one.value is not True for one in marks)


def _cuda_place(cuda: Cuda) -> Span:
    """Where the CUDA set is chosen; the matrix, where an axis does it."""
    own = next((one for one in cuda.args if one.key == "cudaPackages"), None)
    setting = own or cuda.plain.get("cudaPackages")
    return setting.origin.span if setting is not None else cuda.place


def _places(settings: list[ir.Setting]) -> list[Span]:
    """Where *settings* were written; nowhere for a list that is empty."""
    spans = [
        place.origin.span
        for setting in settings
        for place in (setting.elements if setting.elements is not None else (setting,))
    ]
    return list(dict.fromkeys(spans))


@dataclass(frozen=True, slots=True)
class _Written:
    """A version that somebody wrote; None when the compiler does not know which."""

    version: Version | None
    span: Span


def _written(cuda: Cuda, own: ir.Setting | None, packages: Collection[str]) -> _Written | None:
    """The version that is written for one of *packages*, the recipe's before an overlay's."""
    if cuda.package in packages and own is not None:
        return _Written(_as_version(own.value), own.origin.span)
    for overlay in reversed(cuda.overlays):
        if overlay.relation == "for" and overlay.target and overlay.target[-1] in packages:
            for setting in overlay.changes.attrs:
                if setting.key == "version":
                    return _Written(_as_version(setting.value), setting.origin.span)
    return None


def _of_pin(cuda: Cuda, package: str, facts: Facts) -> Version | None:
    """The version of *package* in the pin, where that is sure and no overlay is in its way."""
    pin = facts.pin(cuda.pin) if cuda.pin is not None and not _touched(cuda, package) else None
    if pin is None:
        return None
    if package == "torch":
        sure = text_fact(pin, "torch-mark") in ("verified", "single")
        return version_fact(pin, "torch") if sure else None
    return version_fact(pin, package.removeprefix("torch"))


def _as_version(value: Value) -> Version | None:
    if isinstance(value, Version):
        return value
    plain = value.partition("+")[0] if isinstance(value, str) else ""
    return Version(plain) if is_version(plain) else None


def _touched(cuda: Cuda, package: str) -> bool:
    """Whether an overlay changes *package*, or a whole set that it may be in."""
    return any(
        overlay.target[-1:] == (package,) or overlay.relation == "in" or _replaces(overlay)
        for overlay in cuda.overlays
        if not overlay.patch
    )


def _replaces(overlay: ir.Overlay) -> bool:
    return overlay.relation is None and any(
        setting.key.startswith("python") for setting in overlay.changes.attrs
    )


def _is_release(version: Version) -> bool:
    return all(part.isdigit() for part in version.parts)


def _fits(torch: Version, needed: Version, row: RowValue) -> bool:
    order = torch.compare(needed)
    return order == 0 if row.facts["exact"].value is True else order >= 0
