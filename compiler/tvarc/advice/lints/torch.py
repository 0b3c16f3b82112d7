"""Lints on nixpkgs' Torch package, and on the versions that go with a Torch."""

from __future__ import annotations

from tvarc.advice.lints.cuda import CUDA_SETS, Cuda, items
from tvarc.advice.lints.facts import Facts, wholes_fact
from tvarc.advice.lints.flags import CUDNN, FBGEMM, Flags
from tvarc.advice.lints.isa import Evidence
from tvarc.advice.lints.model import Finding, lint, subject
from tvarc.advice.lints.packages import BESIDE_TORCH, TORCH, Kind, known, reaches
from tvarc.advice.lints.pins import set_not_in_pin
from tvarc.advice.lints.subjects import Python, stated_version
from tvarc.advice.lints.toolkit import refused, target_row
from tvarc.light import Final, Iterator, dataclass
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.row_facts import cite, corrections, text_fact, version_fact, versions_fact
from tvarc.values.value import RowValue, Version, is_version

# Major versions of CUDA with which every known Torch package builds. They need no look-up in a
# table.
_BUILT_BY_ALL: Final = ("11", "12")
_NAMES: Final = {"torchvision": "TorchVision", "torchaudio": "TorchAudio"}
_CUDNN: Final = "cudnn"
# The fields on which findings are based. Their sources are cited.
_OF_CUDNN: Final = ("no-cudnn-from", "cudnn")
_OF_FIRST: Final = ("first-torch",)
_OF_PINS: Final = ("torch", "cuda-majors", "cmake-args")
_OF_PYTHONS: Final = ("python", "python-experimental", "python3")


@dataclass(frozen=True, slots=True)
class Torch:
    """The Torch of a build, and where that is written, if it is."""

    version: Version | None
    span: Span | None


@subject()
def torch(cuda: Cuda, version: ir.Setting | None, facts: Facts) -> Torch | None:
    """The Torch that is built, or that the package uses; None if it is unknown."""
    mine = known(cuda.package)
    if mine is None or not cuda.own_torch:
        return None
    written = _written(cuda, version, TORCH, binary=mine.binary)
    if written is not None:
        return Torch(written.version, written.span)
    of_pin = _of_pin(cuda, TORCH, facts, binary=mine.binary)
    return Torch(of_pin, None) if of_pin is not None else None


@lint(
    "W107",
    "cudnn-below-floor",
    "cuDNN does not run on the GPU",
    "this cuDNN no longer runs on the GPU",
)
def cudnn_below_floor(cuda: Cuda, switches: Flags, facts: Facts) -> Iterator[Finding]:
    """cuDNN enabled for a GPU on which it does not run."""
    if not cuda.on or not cuda.torch or cuda.pin is None or not cuda.targets:
        return
    if _replaced(cuda) or _other_cudnn(cuda):
        return
    if switches.switched_off(CUDNN) is not False:
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
            else f"the pin is newer than {teller.name}, which has cuDNN {version.text}"
        )
        yield Finding(
            target.span,
            f"builds for {target.name}",
            f"cuDNN {end.text} and newer do not run on {target.name}; {has} "
            f"{cite(row, teller, of=_OF_CUDNN)}",
            "switch cuDNN off in a script: `export USE_CUDNN=0`",
            corrections(row, *_OF_CUDNN),
        )


@lint(
    "W108",
    "cuda-marked-broken",
    "marked broken with this CUDA",
    "the pin marks Torch with this CUDA as broken",
)
def cuda_marked_broken(cuda: Cuda, broken: ir.Setting | None, facts: Facts) -> Iterator[Finding]:
    """A CUDA for which the pin marks Torch as broken, without `allowBroken`."""
    toolkit = cuda.toolkit
    if not cuda.on or not cuda.torch or cuda.pin is None or toolkit is None:
        return
    if toolkit.major in _BUILT_BY_ALL or _allowed(cuda, broken) or _replaced(cuda):
        return
    pin = facts.pin(cuda.pin)
    torch = version_fact(pin, "torch") if pin is not None else None
    if pin is None or torch is None:
        return
    rows = facts.torch_package(torch)
    majors = [wholes_fact(row, "cuda-majors") for row in rows]
    if not rows or any(int(toolkit.major) in one for one in majors):
        return
    if any(set_not_in_pin.look(cuda, facts)):
        return  # there is no such CUDA to be built with
    known = ", ".join(map(str, majors[0]))
    yield Finding(
        _cuda_place(cuda),
        f"chooses {toolkit.name}",
        f"the pin has Torch {torch.text}, which nixpkgs marks as broken with every CUDA except "
        f"{known} {cite(pin, *rows, of=_OF_PINS)}",
        "allow broken packages: `config { allowBroken = true }`",
        by_hand="allow broken packages: `config.allowBroken = true;`",
    )


@lint(
    "W109",
    "cmake-flags-unreached",
    "flags that do not reach CMake",
    "these flags do not reach CMake",
)
def cmake_flags_unreached(
    cuda: Cuda, cmake: tuple[ir.Setting, ...], switches: Flags, facts: Facts
) -> Iterator[Finding]:
    """`cmakeFlags` of a Torch up to 2.9.1, which setup.py builds."""
    attrs = {one.key: one for one in cmake}
    if not cuda.torch or cuda.pin is None or "dontUseCmakeConfigure" in attrs or _replaced(cuda):
        return
    written = [attrs["cmakeFlags"]] if "cmakeFlags" in attrs else []
    for overlay in cuda.overlays:
        if overlay.relation == "for" and reaches(overlay.target[-1], cuda.package):
            written += [one for one in overlay.changes.attrs if one.key == "cmakeFlags"]
    # A script may pass the flags on. An unknown script may do so, too.
    handed = "cmakeFlags" in switches.mentions or not switches.known
    if not written or handed:
        return
    pin = facts.pin(cuda.pin)
    torch = version_fact(pin, "torch") if pin is not None else None
    rows = facts.torch_package(torch) if torch is not None else ()
    if pin is None or torch is None or not rows:
        return
    if any(row.facts["cmake-args"].value is not False for row in rows):
        return  # a later package passes them on, as CMAKE_ARGS
    for span in _places(written):
        yield Finding(
            span,
            "has no effect",
            f"the pin has Torch {torch.text}, which setup.py builds; setup.py passes environment "
            f"variables to CMake, but not cmakeFlags "
            f"{cite(pin, *rows, of=_OF_PINS)}",
            "export them in a script: `export USE_…=…`, `BUILD_…` or `CMAKE_…`",
        )


@lint(
    "W111",
    "release-not-paired",
    "releases that do not go together",
    "these releases do not go together",
)
def release_not_paired(cuda: Cuda, version: ir.Setting | None, facts: Facts) -> Iterator[Finding]:
    """A TorchVision or TorchAudio that does not fit the Torch."""
    if not cuda.own_torch and cuda.needed is None:
        return  # the release of that Torch is not known
    mine = known(cuda.package)
    binary = mine is not None and mine.binary
    torch = _written(cuda, version, TORCH, binary=binary)
    if cuda.needed is not None:
        torch = _of_need(cuda.needed, facts)
    for package in BESIDE_TORCH:
        release = _written(cuda, version, package, binary=binary)
        if release is None and (mine is None or mine.kind != package):
            continue  # nothing shows that it is used
        place = release or torch
        if place is None:
            continue  # the versions that one pin has are checked by nixpkgs
        own = release.version if release else _of_pin(cuda, package, facts, binary=binary)
        against = torch.version if torch else _of_pin(cuda, TORCH, facts, binary=binary)
        if own is None or against is None or not _is_release(against):
            continue
        row = facts.release(package, own)
        needed = version_fact(row, "torch") if row is not None else None
        if row is None or needed is None or _fits(against, needed, row):
            continue
        name, exact = _NAMES[package], row.facts["exact"].value is True
        here = f"Torch {against.text}"
        yield Finding(
            place.span,
            f"{name} {own.text}" if release else here,
            f"{name} {own.text} needs Torch {needed.text}{'' if exact else ' or newer'}, "
            f"but this is Torch {against.text} {cite(row, of=(TORCH,))}",
            f"use the matching release: `tvarc facts torch {against.text}` shows it",
            ((torch.span, here),) if release and torch else (),
        )


@lint(
    "W121",
    "python-not-built",
    "no build for this Python",
    "this Torch does not support this Python",
)
def python_not_built(
    torch: Torch | None, python: Python, pin: ir.Pin | None, facts: Facts
) -> Iterator[Finding]:
    """A Python that the release of Torch does not support."""
    if pin is None:
        return  # the Python of a caller is unknown
    row = facts.torch_release(torch.version) if torch is not None and torch.version else None
    if torch is None or torch.version is None or row is None:
        return
    found = _python_of(python.set, pin, facts)
    if found is None:
        return
    mine, teller = found
    minors = (*versions_fact(row, "python"), *versions_fact(row, "python-experimental"))
    if not minors or any(one.compare(mine) == 0 for one in minors):
        return
    listed = f"{minors[0].text} to {minors[-1].text}" if len(minors) > 1 else minors[0].text
    told = f"`{python.set}` is Python {mine.text}; " if teller is not None else ""
    yield Finding(
        python.place,
        f"builds Torch {torch.version.text} for Python {mine.text}",
        f"{told}Torch {torch.version.text} supports Python {listed} "
        f"{cite(row, *((teller,) if teller is not None else ()), of=_OF_PYTHONS)}",
        "use the packages of another Python, or another Torch",
        ((torch.span, f"Torch {torch.version.text}"),) if torch.span is not None else (),
    )


@lint(
    "W123",
    "torch-too-old",
    "Torch too old for the GPU",
    "this Torch is too old for the GPU",
)
def torch_too_old(cuda: Cuda, torch: Torch | None, facts: Facts) -> Iterator[Finding]:
    """A GPU target that the release of Torch cannot name."""
    if cuda.on is False or not cuda.with_torch or not cuda.targets:
        return
    mine = known(cuda.package)
    if torch is None or torch.version is None or mine is None or mine.binary:
        return
    for target in cuda.targets:
        row = target_row(target, facts)
        first = version_fact(row, "first-torch") if row is not None else None
        if row is None or first is None or torch.version.compare(first) >= 0:
            continue
        yield Finding(
            target.span,
            f"builds for {target.name}",
            f"Torch {first.text} is the first that supports {target.text}; this is "
            f"Torch {torch.version.text} {cite(row, of=_OF_FIRST)}",
            "use a newer Torch, or another target",
            (
                *(((torch.span, f"Torch {torch.version.text}"),) if torch.span is not None else ()),
                *corrections(row, *_OF_FIRST),
            ),
        )


@lint(
    "W124",
    "fbgemm-left-on",
    "FBGEMM on CPUs without AVX2",
    "FBGEMM does not run on these CPUs",
)
def fbgemm_left_on(
    cuda: Cuda, switches: Flags, cmake: tuple[ir.Setting, ...], without_avx2: Evidence | None
) -> Iterator[Finding]:
    """FBGEMM in a Torch for CPUs without AVX2."""
    if not cuda.torch or _replaced(cuda):
        return
    if switches.switched_off(FBGEMM) is not False or _says_off(cmake, FBGEMM):
        return
    found = without_avx2
    if found is None:
        return
    yield Finding(
        found.span or cuda.built.origin.span,
        f"builds for {found.shown}" if found.span is not None else "builds FBGEMM",
        f"{found.shown} is also for CPUs without AVX2, and FBGEMM needs AVX2 (std.torch: BPT)",
        "switch FBGEMM off in a script: `export USE_FBGEMM=0`",
    )


def _says_off(cmake: tuple[ir.Setting, ...], switch: str) -> bool:
    """Whether flags of CMake name *switch*. Another lint checks whether they reach CMake."""
    return any(switch in str(item.value) for one in cmake for item in items(one))


def _python_of(name: str, pin: ir.Pin, facts: Facts) -> tuple[Version, RowValue | None] | None:
    """The Python of the set *name*, and the row that has it if the name does not."""
    if name == "python3Packages":
        return facts.python3(pin)
    digits = name.removeprefix("python").removesuffix("Packages")
    if f"python{digits}Packages" != name or not digits.isdecimal() or len(digits) < 2:
        return None
    return Version(f"{digits[0]}.{digits[1:]}"), None


def _allowed(cuda: Cuda, broken: ir.Setting | None) -> bool:
    """Whether a setting makes, or may make, nixpkgs build packages that are marked broken."""
    for key, setting in cuda.config.items():
        if key.startswith("allowBroken") and setting.value is not False:
            return True
    marks = [broken] if broken is not None else []
    for overlay in cuda.overlays:
        if overlay.relation == "for" and reaches(overlay.target[-1], cuda.package):
            marks += [one for one in overlay.changes.meta if one.key == "broken"]
            marks += [one for one in overlay.changes.passthru if one.key == "brokenConditions"]
    return any(one.value is not True for one in marks)


def _cuda_place(cuda: Cuda) -> Span:
    """The place that chooses the CUDA set; the matrix if an axis chooses it."""
    own = next((one for one in cuda.args if one.key == "cudaPackages"), None)
    setting = own or cuda.plain.get("cudaPackages")
    return setting.origin.span if setting is not None else cuda.place


def _places(settings: list[ir.Setting]) -> list[Span]:
    """The places of *settings*; none for an empty list."""
    spans = [
        place.origin.span
        for setting in settings
        for place in (setting.elements if setting.elements is not None else (setting,))
    ]
    return list(dict.fromkeys(spans))


@dataclass(frozen=True, slots=True)
class _Written:
    """A written version; None if the compiler does not know its value."""

    version: Version | None
    span: Span


def _written(cuda: Cuda, own: ir.Setting | None, kind: Kind, *, binary: bool) -> _Written | None:
    """The version that is written for *kind*, the recipe's before an overlay's. A source without a
    version has an unknown one, and so has a replacement by an overlay.
    """
    mine = known(cuda.package)
    if mine is not None and mine.kind == kind and own is not None:
        return _Written(_as_version(own), own.origin.span)
    wanted = f"{kind}-bin" if binary else kind
    for overlay in reversed(cuda.overlays):
        if overlay.patch:
            continue
        if overlay.relation == "for" and overlay.target and reaches(overlay.target[-1], wanted):
            found = stated_version(overlay.changes.attrs)
            if found is not None:
                return _Written(_as_version(found), found.origin.span)
        elif _puts(overlay, wanted):
            return _Written(None, overlay.declared)
    return None


def _of_pin(cuda: Cuda, kind: Kind, facts: Facts, *, binary: bool) -> Version | None:
    """The version of *kind* in the pin, if it is known and no overlay can change it."""
    wanted = f"{kind}-bin" if binary else kind
    pin = facts.pin(cuda.pin) if cuda.pin is not None and not _touched(cuda, wanted) else None
    if pin is None or binary:
        return None  # wheels have releases of their own
    if kind == TORCH:
        sure = text_fact(pin, "torch-mark") in ("verified", "single")
        return version_fact(pin, kind) if sure else None
    return version_fact(pin, kind.removeprefix("torch"))


def _of_need(built: ir.Built, facts: Facts) -> _Written:
    """The version of the needed Torch: the one that its recipe sets, or that of its pin."""
    if built.version is not None:
        return _Written(_as_version(built.version), built.version.origin.span)
    pin = facts.pin(built.pin) if built.pin is not None else None
    sure = pin is not None and text_fact(pin, "torch-mark") in ("verified", "single")
    found = version_fact(pin, TORCH) if pin is not None and sure else None
    return _Written(found, built.package.origin.span)


def _as_version(setting: ir.Setting) -> Version | None:
    value = setting.value
    if setting.key != "version":
        return None
    if isinstance(value, Version):
        return value
    plain = value.partition("+")[0] if isinstance(value, str) else ""
    return Version(plain) if is_version(plain) else None


def _touched(cuda: Cuda, package: str) -> bool:
    """Whether an overlay changes *package*, or a whole set that it may be in."""
    return any(
        (bool(overlay.target) and reaches(overlay.target[-1], package))
        or overlay.relation == "in"
        or _replaces(overlay)
        for overlay in cuda.overlays
        if not overlay.patch
    )


def _replaces(overlay: ir.Overlay) -> bool:
    return overlay.relation is None and any(
        setting.key.startswith("python") for setting in overlay.changes.attrs
    )


def _puts(overlay: ir.Overlay, package: str) -> bool:
    """Whether *overlay* replaces *package* or its whole set."""
    return _replaces(overlay) or (
        overlay.relation == "in"
        and any(reaches(setting.key, package) for setting in overlay.changes.attrs)
    )


def _replaced(cuda: Cuda) -> bool:
    """Whether the package may differ from that of the pin. Then the facts of the pin do not
    apply."""
    return any(_puts(overlay, cuda.package) for overlay in cuda.overlays)


def _other_cudnn(cuda: Cuda) -> bool:
    """Whether cuDNN may differ from that of the pin, by an argument, an overlay, or a CUDA set that
    only Nix knows."""
    if cuda.toolkit_unread or _CUDNN in cuda.arguments or _CUDNN in cuda.plain:
        return True
    return any(
        overlay.target[:1] and overlay.target[0].startswith(CUDA_SETS) for overlay in cuda.overlays
    )


def _is_release(version: Version) -> bool:
    return all(part.isdigit() for part in version.parts)


def _fits(torch: Version, needed: Version, row: RowValue) -> bool:
    order = torch.compare(needed)
    return order == 0 if row.facts["exact"].value is True else order >= 0
