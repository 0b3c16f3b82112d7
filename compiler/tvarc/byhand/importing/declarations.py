"""The declarations next to the expressions of a matrix: records for look-ups, and names."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, contextmanager

from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.lookups import Lookups
from tvarc.byhand.importing.names import free_name, fuller, is_name
from tvarc.byhand.importing.symbols import MARKED
from tvarc.byhand.reading.marks import plain
from tvarc.light import Final, Iterator, dataclass, field

_LABEL: Final = re.compile(r"([A-Za-z]+(?:[ _-][A-Za-z]+)?)[:=]\s*[\"']?\Z")
_STOP: Final = frozenset(["and", "for", "from", "not", "one", "that", "the", "use", "with", "you"])
_BRANCH: Final = re.compile(r'if ([\w-]+) (?:==|in) ([^"]+?) then "(?:\\.|[^"\\])*" else (if .*)')
_COMMAND: Final = re.compile(r"(?:echo|export)\s+[\"']?")


@dataclass(slots=True, eq=False)
class Declarations:
    """The records and the names that the expressions for the *cells* of one matrix read. While
    explanations are lenient, `odd` gathers the cells in which a rule does not hold. `owner` is the
    name of the matrix. It is part of names that another matrix would also use."""

    cells: Explaining
    lookups: Lookups
    lets: dict[str, str]
    owner: str = ""
    odd: set[int] = field(default_factory=set)
    setting: str = ""  # whose lines are being written
    word: str = ""  # all cells that are written separately

    @property
    def where(self) -> str:
        """The word that distinguishes the present cells from others, for a name."""
        return self.word or self.owner.partition("-")[0]

    def let(self, hint: str, code: str, more: str = "") -> str:
        """The name of a `let` with the value *code* in all cells: *hint*, or with *more* if another
        `let` has that name."""
        for name, known in self.lets.items():
            if known == code or self._is_rest(code, known):
                return name
        hint = f"{self.lookups.prefix}{hint}"
        whose = f"{self.setting}-{hint}" if self.setting not in ("", hint) else f"{hint}-text"
        base = hint if is_name(hint) and hint not in self.lookups.taken else whose
        base = fuller(base, more, self.lets)
        if base in self.lets and is_name(f"{self.owner}-{base}"):
            base = f"{self.owner}-{base}"
        name = free_name(base, self.lets, self.lookups.taken)
        self.lets[name] = code
        return name

    def _is_rest(self, code: str, known: str) -> bool:
        """Whether the choice *code* equals *known* except for branches for words that no cell
        has."""
        branch = _BRANCH.match(known)
        if branch is None or not code.startswith("if "):
            return False
        axis, words, rest = branch[1], re.findall(r"[\w.-]+", branch[2]), branch[3]
        is_none = all(cell.get(axis, words[0]) not in words for cell in self.cells.cells)
        is_none = is_none and "or" not in words
        return is_none and (rest == code or self._is_rest(code, rest))

    def into(self, lookups: Lookups, lets: dict[str, str]) -> AbstractContextManager[None]:
        """Use *lookups* and *lets* for declarations, and a new set of odd cells."""
        return instead(self, lookups=lookups, lets=lets, odd=set())

    def of_setting(self, name: str) -> AbstractContextManager[None]:
        """Name declarations after the setting *name*."""
        return instead(self, setting=name)

    def aside(self) -> AbstractContextManager[None]:
        """Try declarations in addition to the existing ones, and restore these afterwards."""
        return self.into(self.lookups.copy(), dict(self.lets))

    @contextmanager
    def leniently(self) -> Iterator[None]:
        """Search rules with exceptions, without declarations."""
        with self.into(self.lookups.empty(), {}), instead(self.cells, lenient=True):
            yield


@contextmanager
def instead(of: object, **values: object) -> Iterator[None]:
    """Replace attributes *of* an object by *values* within a context."""
    before = {name: getattr(of, name) for name in values}
    for name, value in values.items():
        setattr(of, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(of, name, value)


def hint_before(text: str, otherwise: str) -> str:
    """A name for the value that follows *text*, made from the words before its last `:` or `=`;
    *otherwise* if *text* does not end with one."""
    found = _LABEL.search(_COMMAND.sub("", plain(text)))
    name = "-".join(re.split("[ _-]+", found[1].lower())) if found else ""
    return name if name and is_name(name) else otherwise


def words_before(text: str) -> str:
    """The last meaningful word of *text*, for a name; empty if there is none."""
    words = re.findall(r"[a-z]{3,}", MARKED.sub(" ", plain(text)).lower())
    return next((one for one in reversed(words) if one not in _STOP), "")


def hint_of(line: str, otherwise: str) -> str:
    """A name for the content of *line*, from its first words; *otherwise* if it has no words."""
    said = _COMMAND.sub("", plain(line).strip()).lower().lstrip("-# ")
    words = re.sub(r"[^a-z]+", "-", re.split("[:=]", said)[0])
    name = "-".join(words.strip("-").split("-")[:2])[:18].strip("-")
    return name if is_name(name) else otherwise
