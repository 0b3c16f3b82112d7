"""The sources that the fetchers of Nix and of nixpkgs fetch: address, revision and hash."""

from __future__ import annotations

import re

from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import call_of, entries_of, input_of, last_name, text_of
from tvarc.light import Collection, Final, Mapping, dataclass
from tvarc.meaning.evaluation.formats import as_sri
from tvarc.nix.language.syntax import NixAttrs, NixExpr, NixString

COMMIT: Final = re.compile(r"\b[0-9a-f]{40}\b")
_FETCHING: Final = "fetch"
_REFS: Final = ("rev", "tag", "ref")
_HASHES: Final = ("hash", "sha256", "outputHash")
_HASHED: Final = frozenset(("hash", "sha256", "name"))
"""Arguments of fetchFromGitHub that do not affect the fetched content."""
_REPOSITORY: Final = re.compile(
    r"(?:git\+)?(?:https|ssh|git)://(?:git@)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?\Z"
)
_ANY_REF: Final = frozenset(("ref", "name", "shallow", "allRefs"))
"""Arguments of fetchGit that have no effect if there is a revision."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source that is fetched. `url` is its address (for GitHub, that of the repository), empty if
    it is computed. `rev` is empty if no literal revision is given. `hash` is in SRI form, empty if
    there is none. `tarball` is the address of a tarball with exactly the same files, empty if that
    is not certain."""

    url: str
    rev: str
    hash: str
    tarball: str


def archive(repository: str, revision: str) -> str:
    """The address of GitHub's tarball of a *revision* of a *repository*."""
    return f"https://github.com/{repository}/archive/{revision}.tar.gz"


def revision_in(url: str) -> str:
    """The commit in *url*; empty if there is none."""
    found = COMMIT.search(url)
    return found[0] if found is not None else ""


def source_of(node: NixExpr) -> Source | None:
    """The source that the reduced *node*, a call of a fetcher, fetches; None for any other
    expression."""
    tarball = input_of(node)
    if tarball is not None:
        return Source(tarball[0], revision_in(tarball[0]), tarball[1], tarball[0])
    function, arguments = call_of(node)
    name = last_name(function)
    if not name.startswith(_FETCHING) or len(arguments) != 1:
        return None
    match arguments[0]:
        case NixAttrs() as given:
            fields = dict(entries_of(given))
        case NixString() as address:
            fields = {"url": address}
        case _:
            return None
    texts = {key: plain(text) for key, one in fields.items() if (text := text_of(one)) is not None}
    url = texts.get("url", "")
    if texts.keys() >= {"owner", "repo"}:
        url = f"https://github.com/{texts['owner']}/{texts['repo']}"
    ref = next((texts[key] for key in _REFS if texts.get(key)), "").removeprefix("refs/tags/")
    digest = next((texts[key] for key in _HASHES if texts.get(key)), "")
    digest = as_sri(digest) or digest
    return Source(url, ref or revision_in(url), digest, _tarball(name, fields, texts))


def _tarball(function: str, given: Collection[str], texts: Mapping[str, str]) -> str:
    """The address of a tarball with the same files as the result of *function* with the argument
    names *given*, whose known values are *texts*; empty if that is not certain."""
    known = [texts.get(key, "") for key in ("owner", "repo", "rev")]
    match function, set(given):
        case "fetchTarball", names if names <= {"url", "sha256", "name"} & texts.keys():
            return texts.get("url", "")
        case "fetchFromGitHub", names if names - _HASHED == {"owner", "repo", "rev"} and all(known):
            is_named = "name" not in names or texts.get("name") == "source"
            if is_named and any(texts.get(key) for key in _HASHES):
                return archive(f"{known[0]}/{known[1]}", known[2])
        case "fetchGit", names if names - _ANY_REF == {"url", "rev"}:
            found = _REPOSITORY.match(texts.get("url", ""))
            if found is not None and COMMIT.fullmatch(known[2]):
                return archive(found[1], known[2])
        case _:
            pass
    return ""
