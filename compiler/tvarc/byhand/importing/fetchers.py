"""What the fetchers of Nix fetch, as a tarball by its address and hash."""

from __future__ import annotations

import re

from tvarc.byhand.importing.model import Pin
from tvarc.byhand.importing.pins import REVISION, archive
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import entries_of, input_node, input_of, text_of
from tvarc.light import Final
from tvarc.meaning.evaluation.formats import as_sri
from tvarc.nix.language.syntax import NULL, NixApply, NixAttrs, NixExpr, NixIdent, NixSelect

_REPOSITORY: Final = re.compile(
    r"(?:git\+)?(?:https|ssh|git)://(?:git@)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?\Z"
)


def pin_of(source: NixExpr) -> Pin | None:
    """The tarball that *source* is, or that a fetcher makes; None for anything else."""
    tarball = input_of(source)
    if tarball is not None:
        return Pin(*tarball)
    match source:
        case NixApply(NixSelect(_, ("fetchFromGitHub",), None), NixAttrs() as given):
            return _github_pin(dict(entries_of(given)))
        case NixApply(
            NixIdent("fetchGit") | NixSelect(NixIdent("builtins"), ("fetchGit",), None),
            NixAttrs() as given,
        ):
            return _git_pin(dict(entries_of(given)))
        case _:
            return None


def tarball_of(given: NixExpr) -> NixExpr | None:
    """What fetchTarball makes of *given*."""
    url = text_of(given)
    if url is not None:
        return input_node(plain(url), "")
    if not isinstance(given, NixAttrs):
        return None
    fields = {key: text_of(value) for key, value in entries_of(given)}
    if set(fields) - {"url", "sha256", "name"} or fields.get("url") is None:
        return None
    if None in fields.values():
        return None
    return input_node(plain(fields["url"] or ""), _sri(fields.get("sha256") or ""))


def _github_pin(given: dict[str, NixExpr]) -> Pin | None:
    """The same tarball, as arguments of `fetchFromGitHub`: it unpacks to the same files."""
    texts = {key: plain(text_of(value) or "") for key, value in given.items()}
    digest = texts.pop("hash", "") or texts.pop("sha256", "")
    if texts.keys() - {"sha256", "name"} != {"owner", "repo", "rev"} or not digest:
        return None
    if texts.get("name", "source") != "source" or not all(map(texts.get, ("owner", "repo", "rev"))):
        return None
    return Pin(archive(f"{texts['owner']}/{texts['repo']}", texts["rev"]), _sri(digest))


def _git_pin(given: dict[str, NixExpr]) -> Pin | None:
    """The same tree as a tarball, where it is a revision at GitHub that is written out."""
    url = _REPOSITORY.match(plain(text_of(given.get("url", NULL)) or ""))
    rev = plain(text_of(given.get("rev", NULL)) or "")
    more = given.keys() - {"url", "rev", "ref", "name", "shallow", "allRefs"}
    if more or url is None or not REVISION.match(rev):
        return None
    return Pin(archive(url[1], rev), "")


def _sri(digest: str) -> str:
    """A hash in the one spelling that the language has."""
    return as_sri(plain(digest)) or plain(digest)
