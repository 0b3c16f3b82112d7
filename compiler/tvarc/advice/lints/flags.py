"""Finds the variables that a build exports, and the compiler flags among them.

Only certain findings count: assignments outside of `if` and `case`, and words that contain no value
from Nix.
"""

from __future__ import annotations

from tvarc.advice.lints.cuda import items
from tvarc.advice.lints.model import Remembered
from tvarc.blocks import IN_PARTS
from tvarc.light import Final, Iterable, Iterator, dataclass, field, lru_cache
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.value import NixSource, NixText, Value, Version

# The shell's `if …; then` opens a list. `if(` of a CMake script opens none.
_OPENING: Final = ("if", "case", "while", "until", "for")
_CLOSING: Final = ("fi", "esac", "done")


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """The names and the values of `name=value` and `export name+=value`; the value without the
    quotes around it."""
    done = 0
    at = text.find("=")
    while at >= 0:
        end = at - 1 if at > done and text[at - 1] == "+" else at
        start = end
        while start > done and _is_word(text[start - 1]):
            start -= 1
        name = text[start:end]
        before = text[start - 1] if start else "\n"
        if name and name[0] in _FIRST and (before == ";" or before.isspace()):
            done = _end_of_value(text, at + 1)
            yield name, text[at + 1 : done].strip("\"'")
        at = text.find("=", max(done, at + 1))


def _end_of_value(text: str, start: int) -> int:
    quote = text[start : start + 1]
    if quote and quote in "\"'":
        closing = text.find(quote, start + 1)
        return closing + 1 if closing >= 0 else start
    end = start
    while end < len(text) and not (text[end] in ";\"'" or text[end].isspace()):
        end += 1
    return end


_FIRST: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def unguarded(text: str) -> str:
    """The lines of *text* that run in any case: those outside of `if`, `case` and loops."""
    depth = 0
    kept: list[str] = []
    for line in text.splitlines():
        depth += openings(line)
        if depth == 0:
            kept.append(line)
        elif _closes(line):
            depth -= 1
    return "\n".join(kept)


def openings(line: str) -> int:
    """The number of lists that *line* opens; 0 if it does not begin with one."""
    stripped = line.lstrip()
    if not any(_opens_at(stripped, 0, word) for word in _OPENING if stripped.startswith(word)):
        return 0
    count = 0
    for word in _OPENING:
        at = stripped.find(word)
        while at >= 0:
            count += _opens_at(stripped, at, word)
            at = stripped.find(word, at + len(word))
    return count


def _opens_at(line: str, at: int, word: str) -> bool:
    rest = line[at + len(word) : at + len(word) + 2]
    return rest[:1].isspace() and rest[1:] != "("


def _closes(line: str) -> bool:
    return any(
        part.startswith(word) and not _is_word(part[len(word) : len(word) + 1] or " ")
        for part in map(str.lstrip, line.split(";"))
        for word in _CLOSING
    )


# The mark for a value that only Nix knows. A word with this mark is unknown.
UNKNOWN: Final = "\0"
CUDNN: Final = "USE_CUDNN"
FBGEMM: Final = "USE_FBGEMM"
# The variable that PyTorch's build reads. nixpkgs makes it from `gpuTargets`.
TARGETS: Final = "TORCH_CUDA_ARCH_LIST"
SWITCHES: Final = (CUDNN, FBGEMM)
# Words that lints look for in scripts, and in the values of variables.
CMAKE_FLAGS: Final = "cmakeFlags"
ASKED_FOR: Final = (*SWITCHES, TARGETS, CMAKE_FLAGS)
# Parts of the names of CMake's switches for instruction sets, which lints check.
_OF_SWITCHES: Final = ("AVX", "AMX", "FMA", "F16C", "NATIVE", "ALL_VARIANTS")
_FLAGS: Final = "FLAGS"  # in the name of each variable that holds flags
EXPORTED: Final = (_FLAGS, *ASKED_FOR)
_SCRIPTS: Final = ("pre", "post", "env")  # attributes that may hold scripts
OFF: Final = frozenset({"0", "off", "no", "n", "false"})


@dataclass(frozen=True, slots=True)
class Export:
    """A variable of the build and its value, as far as it is known."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Word:
    """A compiler flag that begins with `-m`, and where it is exported."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Exported:
    """The exports of one script or setting; `Flags` has those of all of them."""

    exports: tuple[Export, ...]
    mentions: frozenset[str]
    known: bool


_NOTHING: Final = Exported((), frozenset(), True)
_KNOWN: Final = Remembered[Exported]()
"""The exports by the settings that have them. Recipes share most settings, so each setting is read
once."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The exports of the scripts, the environment and the attributes of a package that lints need.
    `mentions` are the words of `ASKED_FOR` in scripts. `known` is false if a whole script, or a
    whole line of one, is Nix.
    """

    exports: tuple[Export, ...]
    mentions: frozenset[str]
    known: bool
    _words: list[Word] | None = field(init=False, compare=False, repr=False, default=None)

    @property
    def words(self) -> list[Word]:
        """The compiler flags, computed on the first access, because lints need those of few
        exports."""
        if self._words is None:
            object.__setattr__(self, "_words", list(_machine_words(self.exports)))
        return self._words or []

    def switched_off(self, name: str) -> bool | None:
        """Whether the switch *name* is off; None if a script mentions it in a form that this module
        does not parse."""
        values = [one.value.lower() for one in self.exports if one.name == name]
        if values:
            last = values[-1]
            return None if not last or UNKNOWN in last else last in OFF
        return False if self.known and name not in self.mentions else None


def may_export(key: str) -> bool:
    """Whether the attribute *key* is a variable that lints check, or may hold a script."""
    return is_exported(key) or key in ASKED_FOR or key.startswith(_SCRIPTS)


def together(parts: Iterable[Exported]) -> Flags:
    """The exports of *parts* together, in their order."""
    exports: list[Export] = []
    mentions: set[str] = set()
    known = True
    for one in parts:
        exports += one.exports
        mentions |= one.mentions
        known = known and one.known
    return Flags(tuple(exports), frozenset(mentions), known)


def exported_by(part: ir.Setting) -> Exported:
    """The exports of *part* alone. No other part changes them."""
    return _KNOWN.get((id(part),)) or _KNOWN.put((id(part),), (part,), _exported_by(part))


def forget_settings() -> None:
    """Drop the cached settings of earlier programs. A process that runs for long needs this."""
    _KNOWN.known.clear()


def _exported_by(part: ir.Setting) -> Exported:
    if part.path[0] in IN_PARTS:
        mentions: frozenset[str] = frozenset()
        exports: list[Export] = []
        for text, span in _texts(part):
            named, assigned = _read(text)
            mentions |= named
            exports += [Export(name, value, span) for name, value in assigned]
        known = not any(_may_state(one.text) for one in part.parts)
        return Exported(tuple(exports), mentions, known)
    if part.key == CMAKE_FLAGS:
        return Exported(tuple(_switches(part)), frozenset(), _shell_value(part.value) is not None)
    value = _shell_value(part.value)
    if part.key.startswith(_SCRIPTS):
        words = [word for word in ASKED_FOR if value is not None and word in value]
        return Exported((), frozenset(words), value is not None)
    if value is None:
        known = not (is_exported(part.key) or part.key in ASKED_FOR)
        return Exported((), frozenset(), known)
    if is_exported(part.key):
        return Exported((Export(part.key, value, part.origin.span),), frozenset(), True)
    return _NOTHING


def _switches(flags: ir.Setting) -> Iterator[Export]:
    """The switches of CMake among *flags* that lints check."""
    for one in items(flags):
        text = one.value
        if not isinstance(text, str) or not text.startswith("-D"):
            continue
        if any(map(text.__contains__, _OF_SWITCHES)):
            yield Export(CMAKE_FLAGS, text, one.span)


def _texts(script: ir.Setting) -> Iterator[tuple[str, Span]]:
    for part in script.parts:
        if part.text is not None and part.origin is not None:
            yield _plain(part.text), part.origin.span


def _may_state(text: Value) -> bool:
    """Whether Nix code in a part of a script may become a whole line of it."""
    if isinstance(text, NixSource):
        return True
    if not isinstance(text, NixText):
        return False
    before = ""
    for one in text.parts:
        if isinstance(one, NixSource) and not before.rpartition("\n")[2].strip():
            return True
        before = before + one if isinstance(one, str) else UNKNOWN
    return False


def is_exported(name: str) -> bool:
    """Whether lints check the variable *name*."""
    return _FLAGS in name or name in SWITCHES or name == TARGETS


def _plain(text: Value) -> str:
    if isinstance(text, NixText):
        return "".join(part if isinstance(part, str) else UNKNOWN for part in text.parts)
    return text if isinstance(text, str) else UNKNOWN


def _shell_value(value: Value) -> str | None:
    """The text that the builder gets for *value*; None if it is not plain text."""
    match value:
        case bool():
            return "1" if value else ""
        case str() | NixText():
            return _plain(value)
        case int():
            return str(value)
        case Version():
            return value.text
        case tuple():
            words = [_shell_value(item) for item in value]
            return " ".join(word for word in words if word is not None)
        case _:
            return None


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """The words of ASKED_FOR in the script *text*, and the names and values that it exports. Many
    variants have a text in common, so this is half of the time that a build takes for exports."""
    if not any(word in text for word in EXPORTED):
        return frozenset(), ()
    words = frozenset([word for word in ASKED_FOR if word in text])
    return words, tuple([one for one in assignments(unguarded(text)) if is_exported(one[0])])


def _machine_words(exports: Iterable[Export]) -> Iterator[Word]:
    seen: set[str] = set()
    for one in exports:
        if "FLAGS" not in one.name or "LDFLAGS" in one.name:
            continue
        for word in one.value.split():
            if word.startswith("-m") and UNKNOWN not in word and word not in seen:
                seen.add(word)
                yield Word(word, one.span)
