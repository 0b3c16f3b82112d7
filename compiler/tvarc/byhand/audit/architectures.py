"""The GPUs that a build names to its compilers: in PyTorch's list, CMake's, or nvcc's flags."""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import Added, Found, Seen, holds_unread
from tvarc.byhand.audit.shell import exports
from tvarc.light import Final, Iterator, Mapping, dataclass

TORCH_LIST: Final = "TORCH_CUDA_ARCH_LIST"
# `CUDAARCHS` is what CMake takes for its list from the environment.
_CMAKE_LISTS: Final = ("CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS")
_GIVEN: Final = re.compile(
    rf"""-D({TORCH_LIST}|{_CMAKE_LISTS[0]})(?::\w+)?=("[^"]*"|'[^']*'|[^\s"']+)"""
)
_GENCODE: Final = re.compile(r"(?:-gencode|--generate-code)[=\s]+[\"']?arch=compute_(\d+[af]?)\b")
_ARCH: Final = re.compile(r"(?:-arch|--gpu-architecture)[=\s]+[\"']?(?:sm|compute)_(\d+[af]?)\b")
_CMAKE: Final = re.compile(r"(\d{1,2}\d[af]?)(?:-real|-virtual)?")
_COMPUTED: Final = "${"


@dataclass(frozen=True, slots=True)
class Architectures:
    """GPU targets as PyTorch spells them, and where they are named. `known` is false where not all
    of them are. `of_torch` is whether the list is PyTorch's own, which is kept as it is written."""

    targets: tuple[str, ...]
    seen: Seen
    known: bool
    of_torch: bool


def architectures(settings: Mapping[str, Seen]) -> Architectures | None:
    """What the last of *settings* that names any says, PyTorch's list before all others; None where
    none does."""
    found: Architectures | None = None
    for path, seen in settings.items():
        if not path.startswith(("attrs.", "env.")):
            continue
        key = path.rpartition(".")[2]
        for one in _named(key, seen, holds_unread(seen.value)):
            if found is None or one.of_torch or not found.of_torch:
                found = one
    return found


def _named(key: str, seen: Seen, unread: bool) -> Iterator[Architectures]:
    text = _text(seen.value)
    lists = [(key, text)] if key in (TORCH_LIST, *_CMAKE_LISTS) else []
    lists += [(name, value.strip("\"'")) for name, value in _GIVEN.findall(text)]
    lists += [one for one in exports(text) if one[0] in (TORCH_LIST, *_CMAKE_LISTS)]
    for name, value in lists:
        words = value.replace(";", " ").replace(",", " ").split()
        of_torch = name == TORCH_LIST
        targets = words if of_torch else [one for word in words for one in _of_cmake(word)]
        known = bool(targets) and len(targets) == len(words) and _COMPUTED not in value
        if words or unread:
            yield Architectures(tuple(targets), seen, known, of_torch)
    codes = [*_GENCODE.findall(text), *_ARCH.findall(text)]
    if codes:
        targets = list(dict.fromkeys(map(_dotted, codes)))
        yield Architectures(tuple(targets), seen, not unread, of_torch=False)


def _text(value: Found) -> str:
    """What is known of a text, or of the texts of a list, in one."""
    match value:
        case Added(_, inner):
            return _text(inner)
        case str():
            return value
        case tuple():
            return " ".join(_quoted(item) for item in value if isinstance(item, str))
        case _:
            return ""


def _quoted(flag: str) -> str:
    """*flag* as one word."""
    name, equals, value = flag.partition("=")
    return f'{name}="{value}"' if equals and flag.startswith("-D") else flag


def _of_cmake(word: str) -> Iterator[str]:
    """The target that a *word* of CMake's list names: of `90a-real`, `9.0a`."""
    found = _CMAKE.fullmatch(word)
    if found is not None:
        yield _dotted(found[1])


def _dotted(code: str) -> str:
    number = code.rstrip("af")
    return f"{number[:-1]}.{number[-1]}{code[len(number) :]}"
