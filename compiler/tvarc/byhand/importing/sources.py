"""Things that recipes take from elsewhere: other repositories, files, and fetched sources."""

from __future__ import annotations

import re

from tvarc.byhand.importing.names import free_name, name_from
from tvarc.byhand.importing.needs import is_import
from tvarc.byhand.importing.skeleton import (
    Atoms,
    Skeleton,
    folder_of,
    is_within,
    leads_out,
    paths_of,
)
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import CannotSay, Roots, Site
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.pins import COMMIT
from tvarc.byhand.reading.trees import entries_of, file_of_input, input_of, text_of
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass
from tvarc.meaning.evaluation.formats import bad_hash
from tvarc.nix.language.syntax import (
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixExpr,
    NixIdent,
    NixSelect,
    NixString,
)

_REPOSITORY: Final = re.compile(r"https://[^/]+/[^/]+/([^/]+)/")
_FOLDER: Final = re.compile(r"\./(?:.*/)?([^/]+)\Z")
_FETCHING: Final = ("@pkgs", "@final", "@prev")
_GITHUB: Final = frozenset(["owner", "repo", "rev", "tag", "hash", "fetchSubmodules", "name"])

Value = Callable[[Sequence[NixExpr], Site], str]
"""Returns an expression with the value of a different node in each cell."""


@dataclass(slots=True, eq=False)
class Sources:
    """Writes expressions for things that the cells of one matrix take from elsewhere, with *value*,
    or as Nix text with a *skeleton*. *inputs* are the names of other repositories by address and
    hash, *outputs* is the output folder."""

    atoms: Atoms
    skeleton: Callable[[Roots], Skeleton]
    value: Value
    inputs: dict[tuple[str, str], str]
    outputs: str

    @property
    def templates(self) -> Templates:
        return self.atoms.templates

    def of_input(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """The expression for another repository, a file in it, or the result of a function in such
        a file; None unless all nodes are of this kind."""
        tarballs = {input_of(node) for node in nodes}
        if len(tarballs) == 1 and (tarball := tarballs.pop()) is not None:
            return self._input(tarball)
        files = [file for node in nodes if (file := file_of_input(node)) is not None]
        if len(files) == len(nodes):
            if len({node for node, _ in files}) > 1:
                raise CannotSay("files are from different repositories")
            named = [plain(path).lstrip("/") for _, path in files]
            source = self._input(input_of(files[0][0]) or ("", ""))
            return f"file({source}, {self.templates.line(named, at)})"
        match nodes[0]:
            case NixApply(NixIdent("import"), _):
                inner = [one.argument for one in nodes if isinstance(one, NixApply)]
                if all(file_of_input(one) is not None for one in inner):
                    return self.of_input(inner, at)
            case NixApply(function, _) if is_import(function):
                calls = [node for node in nodes if isinstance(node, NixApply)]
                functions = [one.function for one in calls]
                if len(calls) == len(nodes) and all(map(is_import, functions)):
                    called = self.of_input(functions, at)
                    given = self.value([one.argument for one in calls], at)
                    return f"call({called}, {given})" if called is not None else None
            case _:
                pass
        return None

    def _input(self, tarball: tuple[str, str]) -> str:
        """The name of another repository, or of a folder of this repository."""
        name = self.inputs.get(tarball)
        if name is None:
            found = _REPOSITORY.search(tarball[0]) or _FOLDER.match(tarball[0])
            base = name_from(found[1]) if found is not None else "files"
            declared = self.atoms.declared
            taken = {*self.inputs.values(), *declared.lets, *declared.lookups.taken}
            name = free_name(base if base not in taken else f"{base}-files", taken)
            self.inputs[tarball] = name
        return name

    def differing(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """The expression for different files, if all nodes are files: their names with axes if axes
        describe them, or else each name. The output folder cannot be an input."""
        paths = paths_of(nodes)
        if paths is None:
            return None
        folder = folder_of(paths)
        names = self.atoms.below(folder, paths)
        if not self.atoms.follow_axes(names, at):
            return self.atoms.choice(paths, at)
        if at.hint != "package" and not leads_out(folder) and not is_within(self.outputs, folder):
            source = self._input((f"./{folder}", ""))
            return f"file({source}, {self.templates.line(names, at)})"
        return self.skeleton(at.roots).files_of(folder, names, at)

    def github(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """`github(…)`, if all nodes are one."""
        rows = _fetched(nodes, "fetchFromGitHub")
        if not rows or set(rows[0]) - _GITHUB:
            return None
        names = list(rows[0])
        if any(not isinstance(row.get("owner"), NixString) for row in rows):
            return None
        if "fetchSubmodules" in names and any(row["fetchSubmodules"] != TRUE for row in rows):
            return None
        if "rev" in names and not all(
            COMMIT.fullmatch(plain(text_of(row["rev"]) or "")) for row in rows
        ):
            return None
        if "rev" not in names and "tag" not in names:
            return None
        repositories: list[NixExpr] = []
        for row in rows:
            owner, repo = text_of(row["owner"]), text_of(row.get("repo", NULL))
            if owner is None or repo is None:
                return None
            repositories.append(NixString((f"{owner}/{repo}",)))
        parts = [self.value(repositories, at)]
        parts += [
            f"{name} = {self.value([row[name] for row in rows], at.named(name))}"
            for name in ("rev", "tag", "name")
            if name in names
        ]
        if "fetchSubmodules" in names:
            parts.append("submodules = true")
        parts.append(f"hash = {self.value([row['hash'] for row in rows], at.named('hash'))}")
        return f"github({', '.join(parts)})"

    def url(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """`url(…)`, if all nodes are one."""
        rows = _fetched(nodes, "fetchurl")
        if not rows or set(rows[0]) - {"name"} != {"url", "hash"}:
            return None
        if any(None in map(text_of, row.values()) for row in rows):
            return None

        def said(name: str) -> str:
            return self.value([row[name] for row in rows], at.named(name_from(name)))

        named = [f"name = {said('name')}"] if "name" in rows[0] else []
        hashed = f"hash = {said('hash')}"
        return f"url({', '.join([said('url'), *named, hashed])})"


def _fetched(nodes: Sequence[NixExpr], fetcher: str) -> list[dict[str, NixExpr]]:
    """The arguments of the *fetcher* of nixpkgs in each of *nodes*: the same names, with a hash in
    the form of the language; None if a node is not such a call."""
    rows: list[dict[str, NixExpr]] = []
    for node in nodes:
        match node:
            case NixApply(NixSelect(NixIdent(root), (name,), None), NixAttrs() as given) if (
                root in _FETCHING and name == fetcher
            ):
                rows.append(dict(entries_of(given)))
            case _:
                return []
    same = all(list(row) == list(rows[0]) and has_hash(row) for row in rows)
    return rows if same else []


def is_fetcher(node: NixExpr) -> bool:
    """Whether *node* is a call of a fetcher of nixpkgs."""
    match node:
        case NixApply(NixSelect(NixIdent(root), (*_, str() as name), None), NixAttrs()):
            return root in _FETCHING and name.startswith("fetch")
        case _:
            return False


def has_hash(given: Mapping[str, NixExpr]) -> bool:
    """Whether a fetcher gets a hash in the form of the language. With another name, such as
    `sha256`, or another spelling, the derivation would differ, although the content does not."""
    digest = text_of(given.get("hash", NULL))
    return digest is not None and bad_hash(plain(digest)) is None
