"""The things that a description names: GPUs, their compute capabilities, CPUs, and CUDA toolkits.
The parser is written by hand: each build uses it, and regular expressions take longer to load than
to run.
"""

from __future__ import annotations

from tvarc.advice.hosts.capability import Capability, capability_of
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
    lru_cache,
)
from tvarc.values.value import RowValue

BREAK: Final = ""  # a token: the words before and after it do not form one name
PLUS: Final = "+"
_SHOWN: Final = 60  # letters of a line
PLAIN: Final = "\x1a"  # a token: a word without influence on names
OF_CPUS: Final = "\x19"  # a token: the text after it is about CPUs
_BREAKING: Final = "\0"
_APART: Final = f" {_BREAKING} "
_JOINING: Final = " \t-_/"
_WITHIN: Final = (".", "_", PLAIN, OF_CPUS)  # what may stand within a word
CUDA: Final = "cuda"
_CU: Final = "cu"
_WHEEL: Final = "cu1"  # what `cu128` begins with
_CUDAS: Final = (CUDA, _WHEEL)
_TARGETS: Final = ("sm", "compute", "cc", "capability")
_BEFORE_NUMBERS: Final = (CUDA, *_TARGETS, "toolkit", "version", "v")
_RANGES: Final = frozenset(("to", "through", PLUS, "any", "all"))
# Words that say that the build is not for the named thing, or not only for it.
# fmt: off
APART: Final = frozenset((
    PLUS,
    "not", "no", "never", "without", "except", "unlike", "instead", "than", "versus", "vs",
    "neither", "nor", "older", "newer", "later", "before", "after", "until", "since", "up", "only",
    "other", "others", "also", "see", "use", "uses", "try", "choose", "take", "compared", "like",
    "dropped", "ended", "began", "successor", "predecessor", "future", "next", "previous", "below",
    "above", "least", "minimum", "maximum", "min", "max", "onwards", "upwards",
))
# Words of these that make a bound of a number: `driver 575 or newer`, `575+`.
_OF_NUMBERS: Final = frozenset((
    PLUS,
    "older", "newer", "later", "than", "since", "up", "before", "after", "below", "above", "least",
    "minimum", "maximum", "min", "max", "onwards", "upwards",
))
# With these a version is a bound, or belongs to something else: `CUDA 12.8 or newer`, `needs CUDA
# 12.4`.
_BOUNDS: Final = frozenset((
    PLUS,
    "or", "newer", "later", "older", "least", "up", "upwards", "onwards", "than", "from", "since",
    "until", "minimum", "maximum", "min", "max", "requires", "require", "required", "need",
    "needs", "needed", "supports", "support", "supported", "supporting", "compatible", "before",
    "after", "not", "no", "without", "unlike", "instead", "except", "driver", "drivers", "if",
    "see",
))
# Words that begin the names of GPUs; all others begin with a letter and a digit soon after it.
_FAMILIES: Final = frozenset((
    "rtx", "gtx", "quadro", "tesla", "titan", "jetson", "drive", "tegra", "dgx", "geforce",
    "nvidia", "blackwell", "hopper", "ada", "ampere", "turing", "volta", "pascal", "maxwell",
    "rubin", "vera", "thor", "orin", "xavier", "spark",
))
# The names after these words on a line are names of CPUs. Some of them, such as `GB10`, are also
# names of GPUs.
_CPUS: Final = frozenset((
    OF_CPUS,
    "cpu", "cpus", "core", "cores", "cortex", "neoverse", "graviton", "graviton2", "graviton3",
    "graviton4", "graviton5", "armv8", "armv9", "aarch64", "arm", "x86", "soc",
    "socs",
))
# fmt: on
# Names of GPUs as well, by which lines are judged anyway.
_OF_GPUS: Final = ("gb10", "jetson", "vera")
_NEGATIONS: Final = APART - {PLUS}  # `Graviton3+` names Graviton3 too
_ARM: Final = "armv"
_CHIPS: Final = ("graviton", "grace", "axion", "ampere", "cobalt", "apple")
_NEAR: Final = 4  # tokens before a version that may make a bound of it, and
_AFTER: Final = 3  # those after it
_JOINED: Final = 3  # digits of a version without a dot
_SYSTEMS: Final = ("thor", "orin", "xavier")  # names of chips, which modules have in their names
_BEGINNINGS: Final = (CUDA, _WHEEL, *_TARGETS)
_LIKELY: Final = frozenset((CUDA, *_TARGETS, *_FAMILIES))


@dataclass(frozen=True, slots=True)
class Named:
    """A name of GPUs in a text: its words, the capabilities of these GPUs, and whether it is the
    name of an architecture."""

    words: str
    capabilities: frozenset[tuple[int, int]]
    architecture: bool


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a line of a text: the GPUs and the CPUs that it names, the capabilities and
    the versions of CUDA that it spells. A line that is `apart` also names GPUs for which the build
    is not made. A line with a range includes more versions than it spells.
    """

    gpus: tuple[Named, ...]
    chips: tuple[RowValue, ...]
    targets: tuple[Capability, ...]
    cuda: tuple[str, ...]
    apart: bool
    range: bool


Names = Mapping[str, Sequence[tuple[tuple[str, ...], str, Sequence[tuple[int, int]], bool]]]
"""GPUs by the first word of their names. Each entry has all words of the name, in lower case, and
the fields of `Named`; the longest names come first. It is plain data, because it is cached from one
build to the next."""


Chips = Mapping[str, Sequence[tuple[tuple[str, ...], RowValue]]]
"""CPUs by the first word of their names, in the form of `Names`; the rows are those of chips."""


class _Spaced(dict[int, str]):
    """The replacement of each letter of a text before it is split: the letter, a blank, or
    _BREAKING.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char.isalnum() or char == PLUS or char in _WITHIN:
            spaced = char
        else:
            spaced = " " if char in _JOINING else _BREAKING
        self[code] = spaced
        return spaced


_SPACED: Final = _Spaced()  # each letter is checked once, however many texts have it


def tokens(text: str) -> list[str]:
    """The tokens of *text*: words of letters and digits, whole versions, and BREAK for a separator
    of names."""
    return [*_tokens(text)]


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    """See `tokens`. `str.translate` replaces all letters at once, and only words with a dot or an
    underscore are split one by one. A build reads hundreds of descriptions, and this takes a third
    less time. Most lines are read three times, so the tokens are cached.
    """
    if text.replace(" ", "").isalnum():  # as most names of products are
        return tuple(text.split())
    found: list[str] = []
    # One letter for each, so that `str.translate` looks up each letter once.
    spaced = text.translate(_SPACED).replace(_BREAKING, _APART).replace(PLUS, f" {PLUS} ")
    for word in spaced.split(" "):
        if word.isalnum() or word == PLUS:
            found.append(word)
        elif word == _BREAKING:
            found.append(BREAK)
        elif word.replace(".", "").isdecimal() and _is_version(word):
            found.append(word)
        elif word:
            found += _parts(word)
    return tuple(found)


def _is_version(word: str) -> bool:
    """Whether *word*, which has only digits and dots, is a whole version: each dot has digits on
    both sides."""
    return word.isascii() and word[0] != "." != word[-1] and ".." not in word


def _parts(word: str) -> Iterator[str]:
    """The tokens of a word with signs of `_WITHIN` in it: `cuda12_8`, `sm_90.`, `2.8.1`."""
    part = ""
    for at, char in enumerate(word):
        before_digit = _is_digit(word[at + 1 : at + 2])
        if char.isalnum() or (char == "." and _is_digit(part[-1:]) and before_digit):
            part += char
            continue
        if char == "_" and _is_version_so_far(part) and before_digit:
            part += "."  # `cuda12_8`
            continue
        if part:
            yield part
            part = ""
        if char in (PLAIN, OF_CPUS):
            yield char
        elif char not in _JOINING:
            yield BREAK
    if part:
        yield part


def _is_digit(char: str) -> bool:
    return len(char) == 1 and "0" <= char <= "9"


def _is_version_so_far(word: str) -> bool:
    rest = word.lower().removeprefix(CUDA)
    return bool(rest) and rest.isdecimal() and len(rest) < 3


def said(text: str, names: Names, chips: Chips) -> Said:
    """The content of the line *text*, by the names of GPUs and of CPUs."""
    found = tokens(text)
    small = [token.lower() for token in found]
    whole = text.lower()
    chips_named = tuple(named_chips(found, small, chips))
    versions: tuple[str, ...] = ()
    if CUDA in whole or _WHEEL in whole:
        versions = tuple(dict.fromkeys(cuda_versions(small, labelled=":" in whole)))
    own = small[: _end_of_own(small, whole)]
    if not _OF_NUMBERS.isdisjoint(own):
        found, own = _without_bounds(found[: len(own)], own, names)
    return Said(
        tuple(gpus(found, own, names)),
        chips_named,
        tuple(targets(own)) if any(word in whole for word in _TARGETS) else (),
        versions,
        not APART.isdisjoint(own),
        not _RANGES.isdisjoint(own),
    )


def _without_bounds(
    found: Sequence[str], small: Sequence[str], names: Names
) -> tuple[list[str], list[str]]:
    """The tokens of a line, and the same in lower case, without the clauses that state the bound of
    a number and name no GPU: `driver 575+`, `CUDA 12.8 or newer`. Everything else is kept, so that
    a word of APART still counts for the whole line."""
    kept: list[int] = []
    start = 0
    for end in (*_clause_ends(small), len(small)):
        clause = small[start:end]
        apart = APART.intersection(clause)
        bound = apart and apart <= _OF_NUMBERS and any(map(_is_bounded, clause))
        if bound and not any(targets(clause)) and not any(gpus(found[start:end], clause, names)):
            kept += [start] if clause[0] == BREAK else []
        else:
            kept += range(start, end)
        start = end
    return [found[at] for at in kept], [small[at] for at in kept]


def _clause_ends(small: Sequence[str]) -> Iterator[int]:
    """The ends of the clauses of a line: before a BREAK, unless `or` or `and` continues the
    clause."""
    for at, token in enumerate(small):
        if at and token == BREAK and small[at + 1 : at + 2] not in (["or"], ["and"]):
            yield at


def _is_bounded(word: str) -> bool:
    """Whether *word* can have a lower bound: a driver, CUDA, or the version of one of them."""
    return word in ("driver", "drivers", CUDA) or _is_branch(word) or _is_whole_cuda(word)


def _is_branch(word: str) -> bool:
    """Whether *word* is the number of a branch of drivers, or of a driver: `575`, `570.26`. Those
    of today end in 0 or 5, unlike the 512 of AVX-512."""
    first = word.partition(".")[0]
    if len(first) != 3 or first[2] not in "05" or first < "400":
        return False
    return word.replace(".", "").isdecimal() and _is_version(word)


def is_likely(token: str) -> bool:
    """Whether *token* may begin the name of a GPU, a CPU or a CUDA."""
    small = token.lower()
    if small in _LIKELY or small.startswith((CUDA, *_CHIPS)):
        return True
    return token[:1].isalpha() and any(map(_is_digit, token[1:4]))


def may_name(line: str) -> bool:
    """Whether *line* may name a GPU, a CPU or a CUDA."""
    return any(map(is_likely, tokens(line)))


def deciding(names: Names, chips: Chips) -> frozenset[str]:
    """The words that decide which things a text names, in lower case."""
    found = {word for listed in names.values() for words, *_ in listed for word in words}
    found |= {word for listed in chips.values() for name, _ in listed for word in name}
    return frozenset(found.union(APART, _BOUNDS, _RANGES, _BEFORE_NUMBERS, ("altra", "and")))


def reduced(text: str, words: Collection[str], *, enclosed: bool) -> str:
    """*text* without the words that do not decide its names: PLAIN for a word that names nothing,
    OF_CPUS for a word after which the text is about CPUs. `words` are those of `deciding`. Texts
    that become equal name the same things wherever they are inserted, unless a letter is next to
    them or a number must follow there (`reading`). *enclosed* says that BREAK is on both sides:
    then the number of words does not matter."""
    found = tokens(text)
    small = [token.lower() for token in found]
    most = 1 if enclosed and not any(token.startswith(_CUDAS) for token in small) else _NEAR
    made: list[str] = []
    plain = 0
    number = False
    for token, known in zip(found, small, strict=True):
        if not number and known not in words and _is_of_cpus(known):
            made.append(OF_CPUS)
            plain = 0
        elif (
            number
            or not token
            or known in words
            or known.startswith(_BEGINNINGS)
            or _is_whole_cuda(known)
            or _is_branch(known)
        ):
            made.append(token or ",")
            plain = 0
        elif plain < most:
            made.append(PLAIN)
            plain += 1
        number = known in _BEFORE_NUMBERS
    return " ".join(made) if PLAIN in made or OF_CPUS in made else text


def reading(
    before: Sequence[str | None], after: Sequence[str | None], words: Collection[str]
) -> Callable[[str], str]:
    """A function that reads a text which is inserted between the pieces *before* and *after* of a
    line. A piece that is None is inserted as well. The function is `reduced`, unless a word of the
    text may continue in a neighbouring piece. *words* are those of `deciding`."""
    left, has_left = _near(before[::-1])
    right, has_right = _near(after)
    text_before, text_after = "".join(reversed(left)), "".join(right)
    backwards = text_before[::-1]
    if _goes_on(backwards, has_left) or _goes_on(text_after, has_right):
        return str
    if (has_left and not tokens(text_before)) or _waits_for_number(text_before):
        return str
    enclosed = _is_break(backwards) and _is_break(text_after)
    return lambda text: reduced(text, words, enclosed=enclosed)


def _near(away: Sequence[str | None]) -> tuple[list[str], bool]:
    """The pieces of *away*, in the direction away from an insertion, up to the next insertion, and
    whether there is one."""
    found: list[str] = []
    for piece in away:
        if piece is None:
            return found, True
        found.append(piece)
    return found, False


def _goes_on(text: str, more: bool) -> bool:
    """Whether *text*, read in the direction away from an insertion, continues the word there;
    *more* says that an insertion follows it."""
    near = text[:1]
    if near in (".", "_"):
        return text[1:2].isdecimal() or (more and len(text) == 1)
    return near.isalnum() or (more and not text)


def _is_break(text: str) -> bool:
    """Whether *text*, with all its letters, begins with a separator of names, or is empty."""
    return tokens(text)[:1] in ([], [BREAK])


def _waits_for_number(text: str) -> bool:
    """Whether the words after *text* on its line may be the number of a target or of a CUDA."""
    found = tokens(text)
    return bool(found) and found[-1].lower() in _BEFORE_NUMBERS


def _is_of_cpus(small: str) -> bool:
    return small in _CPUS or small.startswith(_ARM)


def _end_of_own(small: Sequence[str], whole: str) -> int:
    """The position up to which the line *whole*, with these tokens, is about the build's GPU. CPUs
    come after it."""
    if _CPUS.isdisjoint(small) and _ARM not in whole:  # as nearly all lines
        return len(small)
    return next((at for at, token in enumerate(small) if _is_of_cpus(token)), len(small))


def gpus(found: Sequence[str], small: Sequence[str], names: Names) -> Iterator[Named]:
    """The GPUs that a line of the tokens *found* names, the longest names first; *small* are the
    tokens to check, in lower case."""
    if names.keys().isdisjoint(small):
        return
    at = 0
    while at < len(small):
        for words, name, capabilities, architecture in names.get(small[at], ()):
            end = at + len(words)
            if (*small[at:end],) != words or not _is_name(found[at:end]):
                continue
            if small[at] == "ampere" and small[at + 1 : at + 2] == ["altra"]:
                continue  # a CPU
            yield Named(name, frozenset(capabilities), architecture)
            at = end - 1
            break
        at += 1


def named_chips(found: Sequence[str], small: Sequence[str], chips: Chips) -> Iterator[RowValue]:
    """The CPUs for which the build is made, as a line with the tokens *found*, and in lower case
    *small*, names them: `Ampere Altra`, `Graviton3+`, not `newer than Graviton3`."""
    if chips.keys().isdisjoint(small) or not _NEGATIONS.isdisjoint(small):
        return
    for at, token in enumerate(small):
        for words, row in chips.get(token, ()):
            if (*small[at : at + len(words)],) == words and not found[at].islower():
                yield row
                break


def _is_name(words: Sequence[str]) -> bool:
    """Whether these words have the spelling of a name: `T4` or `Hopper`, and not `t4` or `ada`."""
    return any(char.isupper() for word in words for char in word)


def targets(small: Sequence[str]) -> Iterator[Capability]:
    """The compute capabilities that a line of these tokens, in small letters, spells: `sm90`,
    `sm_90a`, `sm 9.0`."""
    for at, token in enumerate(small):
        if not token.startswith(_TARGETS):
            continue
        for word in _TARGETS:
            if not token.startswith(word):
                continue
            number = token.removeprefix(word) or "".join(small[at + 1 : at + 2])
            capability = _capability(number, word)
            if capability is not None:
                yield capability
            break


def _capability(number: str, word: str) -> Capability | None:
    if "." in number:
        return capability_of(number)
    plain = number.rstrip("af")
    if word not in ("sm", "compute") or not plain.isdecimal() or not 2 <= len(plain) <= 3:
        return None
    return capability_of(f"{plain[:-1]}.{plain[-1]}{number[len(plain) :]}")


def stated_cuda(text: str) -> tuple[str, ...]:
    """The versions of CUDA that the line *text* states of the build."""
    whole = text.lower()
    if CUDA not in whole and _WHEEL not in whole:
        return ()
    return tuple(dict.fromkeys(cuda_versions(tokens(whole), labelled=":" in whole)))


def cuda_versions(small: Sequence[str], *, labelled: bool = False) -> Iterator[str]:
    """The versions of CUDA that a line of these tokens, in small letters, states of the build:
    `12.8`, `13`. If it is *labelled*, the line has a colon, as in `CUDA: 12.8`."""
    for at, token in enumerate(small):
        if not token.startswith(_CU):
            continue
        version, end = token.removeprefix(_CU).removeprefix("da"), at + 1
        if len(version) == _JOINED and version.isdecimal() and version < "200":
            version = f"{version[:2]}.{version[2]}"  # `cuda128`, `cu128`
        elif not token.startswith(CUDA):
            continue
        for word in ("toolkit", "version", "v"):
            if not version and small[end : end + 1] == [word]:
                end += 1
        while labelled and not version and small[end : end + 1] == [BREAK]:
            end += 1
        if not version:
            version, end = "".join(small[end : end + 1]).removeprefix("v"), end + 1
        if not _is_cuda(version) or _is_range(small[end : end + 2]):
            continue
        if not _is_bound(small[max(0, at - _NEAR) : at], small[end : end + _AFTER]):
            yield version


def _is_bound(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the words around a version say that it is a bound."""
    if BREAK in before:
        before = before[len(before) - before[::-1].index(BREAK) :]
    if after[:1] == [BREAK] and after[1:2] in (["or"], ["and"]):
        after = after[1:]
    if BREAK in after:
        after = after[: after.index(BREAK)]
    return not _BOUNDS.isdisjoint((*before, *after))


def _is_range(after: Sequence[str]) -> bool:
    """Whether a version is followed by another one: `12.4-12.8`, `12.4–12.8`, `12.8, 13.0`."""
    if after[:1] == [BREAK]:
        after = after[1:]
    return bool(after) and _is_whole_cuda(after[0])


def _is_whole_cuda(text: str) -> bool:
    return "." in text and _is_cuda(text)


def _is_cuda(text: str) -> bool:
    major, dot, minor = text.partition(".")
    plain = all(part.isdecimal() for part in minor.split(".")) if dot else True
    return major.isdecimal() and 8 <= int(major) < 100 and plain


def names_of(rows: Iterable[tuple[Capability, str, Iterable[str]]]) -> Names:
    """The names of GPUs: of each row its capability, architecture and products."""
    products: dict[tuple[str, ...], tuple[str, set[tuple[int, int]]]] = {}
    generations: dict[tuple[str, ...], tuple[str, set[tuple[int, int]]]] = {}
    for capability, architecture, listed in rows:
        mine = (capability.major, capability.minor)
        for product in listed:
            for name in _spellings(product):
                _add(products, name, mine)
        for name in _generations(architecture):
            _add(generations, name, mine)
    for key, (_, own) in products.items():
        if key[-1:] in products and key[-1] in _SYSTEMS:
            own |= products[key[-1:]][1]  # `Jetson Thor` had two capabilities, one after the other
    found = {key: (name, own, True) for key, (name, own) in generations.items()}
    found.update({key: (name, own, False) for key, (name, own) in products.items()})
    grouped: dict[str, list[tuple[tuple[str, ...], str, Sequence[tuple[int, int]], bool]]] = {}
    for key in sorted(found, key=len, reverse=True):
        name, own, is_architecture = found[key]
        grouped.setdefault(key[0], []).append((key, name, sorted(own), is_architecture))
    return grouped


def chips_of(rows: Iterable[RowValue]) -> Chips:
    """The names of CPUs: their words, and these as one word: `Ampere Altra`, `AmpereOne`."""
    found: dict[tuple[str, ...], RowValue] = {}
    for row in rows:
        words = tuple(row.name.split("-"))
        if words[0] not in _OF_GPUS:
            found.setdefault(words, row)
            found.setdefault(("".join(words),), row)
    grouped: dict[str, list[tuple[tuple[str, ...], RowValue]]] = {}
    for key in sorted(found, key=len, reverse=True):
        grouped.setdefault(key[0], []).append((key, found[key]))
    return grouped


def _add(
    into: dict[tuple[str, ...], tuple[str, set[tuple[int, int]]]], name: str, mine: tuple[int, int]
) -> None:
    key = tuple([token.lower() for token in tokens(name) if token])
    if key:
        into.setdefault(key, (name, set()))[1].add(mine)


def _spellings(product: str) -> Iterator[str]:
    """*product*, and its short forms."""
    yield product
    words = product.split()
    if words[:1] == ["Jetson"] or words[:1] == ["DRIVE"]:
        yield from [word for word in words[1:] if word.lower() in _SYSTEMS]
    if words[:2] == ["RTX", "PRO"]:
        yield " ".join(words[:3])
    if words[:1] == ["Tesla"]:
        yield words[-1]


def _generations(architecture: str) -> Iterator[str]:
    yield architecture
    first, _, rest = architecture.partition(" ")
    if rest:
        yield first


def quoted(text: str) -> str:
    """The label of a finding in the line *text*. A value that only Nix knows is shown as `…`."""
    text = text.replace(_BREAKING, "…")
    return f"says `{text if len(text) <= _SHOWN else f'{text[: _SHOWN - 2]} …'}`"
