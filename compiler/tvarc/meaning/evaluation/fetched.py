"""A fetched source: all properties that decide its content, and thus its hash."""

from __future__ import annotations

from tvarc.light import Final, Literal, Mapping, Protocol, dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import NixCall, Value, holds_nix

_GITHUB: Final = "https://github.com/"
_LONGEST: Final = 120
Kind = Literal["tarball", "github", "file", "patch", "call", "attribute"]
Field = str | int | bool | tuple[str, ...]

# The fields of each kind, in order, with their types. A name does not count, because it does not
# change the content.
KINDS: Final[dict[str, dict[str, type]]] = {
    "tarball": {"url": str},
    "github": {"repository": str, "rev": str, "tag": str, "submodules": bool},
    "file": {"url": str},
    "patch": {
        "url": str,
        "stripLen": int,
        "extraPrefix": str,
        "relative": str,
        "includes": tuple,
        "excludes": tuple,
        "revert": bool,
    },
    "call": {"function": str, "arguments": str, "name": str},
    "attribute": {"package": str, "src": str, "name": str},
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """One thing to fetch. `kind` is one of KINDS. `fields` are the given fields, in the order of
    the kind.

    A tarball belongs to a pin, and a file to `url(…)`. nixpkgs normalises a patch. A function
    fetches a `call`. A package makes an `attribute` from its source, and `name` identifies the
    hash.
    """

    kind: Kind
    fields: tuple[tuple[str, Field], ...]

    def describe(self) -> str:
        """A description of the source for the user: `pytorch/pytorch v2.10.0 with submodules`."""
        given = dict(self.fields)
        if self.kind == "call":
            arguments = str(given["arguments"])
            return f"`{given['name']}` of call({given['function']}, {_brief(arguments)})"
        if self.kind == "attribute":
            return f"`{given['name']}` of {given['package']}, for {_brief(str(given['src']))}"
        if self.kind != "github":
            return f"{self.kind} {given.pop('url')}" + "".join(
                f", {name} {_shown(value)}" for name, value in given.items()
            )
        which = given.get("rev") or given.get("tag")
        return f"{given['repository']} {which}" + (
            " with submodules" if given.get("submodules") else ""
        )


def tarball(repository: str, rev: str) -> str:
    """The address of the tarball of a commit of a repository on GitHub."""
    return f"{_GITHUB}{repository}/archive/{rev}.tar.gz"


def commit_of(source: Fetched) -> tuple[str, str] | None:
    """The repository on GitHub, and the commit, whose tarball *source* is. None if it is no such
    tarball."""
    url = dict(source.fields).get("url")
    if source.kind != "tarball" or not isinstance(url, str) or not url.startswith(_GITHUB):
        return None
    repository, _, rest = url.removeprefix(_GITHUB).partition("/archive/")
    rev = rest.removesuffix(".tar.gz")
    return (repository, rev) if rev and url == tarball(repository, rev) else None


class SourceHashes(Protocol):
    """Finds the hash of a source that does not state it, and finds files in folders that are used
    without a hash."""

    def met(self, name: str) -> None:
        """Note that the input *name* is used."""

    def checkout(self, name: str, folder: str) -> str:
        """The folder of the input *name*: *folder*, or the checkout that replaces it in this run.
        Empty for an input that is fetched."""

    def has_folder(self, name: str) -> bool | None:
        """Whether *name* is a folder and not a file. None if it does not exist."""

    def has_beside(self, module: str, name: str) -> bool:
        """Whether the file *name* exists next to the source *module*, or in a folder there."""

    def lacks(self, folder: str, file: str) -> str:
        """The reason why *file* of *folder* cannot be read; empty if it can."""

    def of(
        self,
        source: Fetched,
        stated: str | None,
        span: Span,
        sink: Sink,
        *,
        optional: bool = False,
    ) -> str | None:
        """The hash to use for *source*, in SRI form. *stated* is the program's value at *span*;
        None for `unlocked`. With *optional*, the result is None if no hash is known."""

    def seen(self, file: str) -> str:
        """The lock's name for *file*, which the loader names so: its path from the folder of the
        program."""

    def fake(self, name: str, span: Span, sink: Sink, *, by_lock: bool = True) -> None:
        """Note that the program states a hash for *name* at *span* that no content has. With
        *by_lock*, it could leave the hash to the lock."""

    def states(self, source: Fetched, text: str, span: Span, sink: Sink) -> None:
        """Note that a function of Nix is called with *text* as the hash of *source*, at *span*."""

    def fetches(self, source: Fetched, call: NixCall) -> None:
        """Note that the value *call*, with the hash from `of`, fetches *source*."""


def fetched(kind: Kind, given: Mapping[str, Value]) -> Fetched | None:
    """The source with these fields; other fields are ignored. None if only Nix knows a field."""
    fields: list[tuple[str, Field]] = []
    for name, wanted in KINDS[kind].items():
        value = given.get(name)
        if value is None or value is False:
            continue
        if holds_nix(value) or not isinstance(value, wanted):
            return None
        if isinstance(value, tuple):
            if not all(isinstance(item, str) for item in value):
                return None
            if not value:
                continue
            fields.append((name, tuple(str(item) for item in value)))
        elif isinstance(value, str | int):
            fields.append((name, value))
    return Fetched(kind, tuple(fields))


def call_fetched(call: NixCall) -> Fetched | None:
    """The source that `github(…)` or `url(…)` fetches; None if only Nix knows it."""
    return fetched("github" if call.function == "github" else "file", dict(call.arguments))


def _brief(text: str) -> str:
    """*text* on one line, cut to the length that a message has room for."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _shown(value: Field) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)
