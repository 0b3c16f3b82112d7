"""Lints on sources that a recipe writes of a package."""

from __future__ import annotations

from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Unpacked
from tvarc.light import Iterator
from tvarc.nix.nixpkgs import REPOSITORY, folder_of_root


@lint(
    "W135",
    "source-root-misfits",
    "source root does not match the source",
    "the source has no such folder",
)
def source_root_misfits(unpacked: tuple[Unpacked, ...]) -> Iterator[Finding]:
    """A `sourceRoot` that the given source does not have."""
    for one in unpacked:
        first = folder_of_root(one.root)
        if not first:
            continue
        if one.folder and first != one.folder:
            yield Finding(
                one.span,
                f"begins with `{first}`",
                f"nixpkgs unpacks this repository into `{one.folder}`",
                f'write `sourceRoot = "{one.folder}/…"`',
                ((one.source, "the source"),),
            )
        elif not one.folder and first == REPOSITORY:
            yield Finding(
                one.span,
                f"`{first}` is the folder of a repository",
                "an archive unpacks into its own folder, usually named after the package and its "
                "version",
                "write the name of the folder in the archive",
                ((one.source, "the source"),),
            )
