"""What is declared beside the expressions of a matrix: records that they look up, and names."""

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
    """The records and the names that the expressions of the *cells* of one matrix read. Cells in
    which a rule does not hold are gathered in `odd`, as long as the explanations are lenient.
    `owner` is the name of the matrix among several, in the names that would be another's."""

    cells: Explaining
    lookups: Lookups
    lets: dict[str, str]
    owner: str = ""
    odd: set[int] = field(default_factory=set)
    setting: str = ""  # whose lines are at hand
    word: str = ""  # of all cells that are written apart from the others

    @property
    def where(self) -> str:
        """What tells the cells at hand from others, for a name."""
        return self.word or self.owner.partition("-")[0]

    def let(self, hint: str, code: str, more: str = "") -> str:
        """The name of a `let` that is *code* in all cells: *hint*; if another is called so, with
        *more*."""
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
        """Whether the choice *code* is what *known* is for words other than those that it names
        before, which no cell has."""
        branch = _BRANCH.match(known)
        if branch is None or not code.startswith("if "):
            return False
        axis, words, rest = branch[1], re.findall(r"[\w.-]+", branch[2]), branch[3]
        is_none = all(cell.get(axis, words[0]) not in words for cell in self.cells.cells)
        is_none = is_none and "or" not in words
        return is_none and (rest == code or self._is_rest(code, rest))

    def into(self, lookups: Lookups, lets: dict[str, str]) -> AbstractContextManager[None]:
        """Declare into *lookups* and *lets*, and gather odd cells by themselves."""
        return instead(self, lookups=lookups, lets=lets, odd=set())

    def of_setting(self, name: str) -> AbstractContextManager[None]:
        """Name what is declared after the setting *name*."""
        return instead(self, setting=name)

    def aside(self) -> AbstractContextManager[None]:
        """Try what would be declared beside all that is, and leave all as it was."""
        return self.into(self.lookups.copy(), dict(self.lets))

    @contextmanager
    def leniently(self) -> Iterator[None]:
        """Look for rules with exceptions, and declare nothing."""
        with self.into(self.lookups.empty(), {}), instead(self.cells, lenient=True):
            yield


@contextmanager
def instead(of: object, **values: object) -> Iterator[None]:
    """Have *values* in the place of attributes *of* something for a while."""
    before = {name: getattr(of, name) for name in values}
    for name, value in values.items():
        setattr(of, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(of, name, value)


def hint_before(text: str, otherwise: str) -> str:
    """A name for what is behind *text*, after the words before its last `:` or `=`; *otherwise* if
    it does not end so."""
    found = _LABEL.search(_COMMAND.sub("", plain(text)))
    name = "-".join(re.split("[ _-]+", found[1].lower())) if found else ""
    return name if name and is_name(name) else otherwise


def words_before(text: str) -> str:
    """The last word of *text* that says something, for a name; empty where there is none."""
    words = re.findall(r"[a-z]{3,}", MARKED.sub(" ", plain(text)).lower())
    return next((one for one in reversed(words) if one not in _STOP), "")


def hint_of(line: str, otherwise: str) -> str:
    """A name for what stands in a *line*, after its first words; *otherwise* where it has none."""
    said = _COMMAND.sub("", plain(line).strip()).lower().lstrip("-# ")
    words = re.sub(r"[^a-z]+", "-", re.split("[:=]", said)[0])
    name = "-".join(words.strip("-").split("-")[:2])[:18].strip("-")
    return name if is_name(name) else otherwise
