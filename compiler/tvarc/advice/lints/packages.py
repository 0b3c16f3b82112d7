"""The names that nixpkgs has for PyTorch and the packages that depend on it. This is the only table
of them.

Since September 2022 the package is `torch`, and `pytorch` an alias of it; before that `pytorch` was
the name. `torchWithCuda` and similar names are `torch` with other arguments. A name that ends in
`-bin` is a package that is unpacked from a wheel. It lacks the arguments and scripts of a build
from source.
"""

from __future__ import annotations

from tvarc.light import Final, Literal, Mapping, dataclass

Kind = Literal["torch", "torchvision", "torchaudio"]
TORCH: Final = "torch"
BESIDE_TORCH: Final[tuple[Kind, ...]] = ("torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class Known:
    """An attribute of a Python set: its project, and which build of it. `build` is empty for the
    package itself, `bin` for a wheel; all other builds are made of the package itself. `cuda` says
    whether it is a CUDA build, None if its name does not say.
    """

    kind: Kind
    build: str = ""
    cuda: bool | None = None

    @property
    def binary(self) -> bool:
        return self.build == _BIN


_BIN: Final = "bin"
_TORCH: Final = Known("torch")
_TORCH_BIN: Final = Known("torch", _BIN)
_WITH_CUDA: Final = Known("torch", "cuda", cuda=True)
_WITHOUT_CUDA: Final = Known("torch", "without-cuda", cuda=False)
_PACKAGES: Final[Mapping[str, Known]] = {
    "torch": _TORCH,
    "torch-bin": _TORCH_BIN,
    "torch-no-triton": Known("torch", "no-triton"),
    "torchWithCuda": _WITH_CUDA,
    "torchWithoutCuda": _WITHOUT_CUDA,
    "torchWithRocm": Known("torch", "rocm"),
    "torchWithoutRocm": Known("torch", "without-rocm"),
    "torchaudio": Known("torchaudio"),
    "torchaudio-bin": Known("torchaudio", _BIN),
    "torchvision": Known("torchvision"),
    "torchvision-bin": Known("torchvision", _BIN),
    # Aliases, and former names.
    "pytorch": _TORCH,
    "pytorch-bin": _TORCH_BIN,
    "pytorchWithCuda": _WITH_CUDA,
    "pytorchWithoutCuda": _WITHOUT_CUDA,
}


def known(name: str) -> Known | None:
    """The entry for the attribute *name*; None if it is not one of these packages."""
    return _PACKAGES.get(name)


def reaches(target: str, package: str) -> bool:
    """Whether a change of the attribute *target* changes *package*: itself, an alias of it, or one
    of its dependencies.
    """
    if target == package:
        return True
    changed, reached = known(target), known(package)
    if changed is None or reached is None or changed.kind != reached.kind:
        return False
    return changed.build == reached.build or (not changed.build and not reached.binary)


def one_set(path: tuple[str, ...]) -> tuple[str, ...]:
    """The normal form of the path of a package set: `python313Packages` for `python313.pkgs`."""
    if len(path) == 2 and path[1] == "pkgs" and path[0].startswith(("python", "pypy")):
        return (f"{path[0]}Packages",)
    return path
