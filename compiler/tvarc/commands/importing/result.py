"""The result of `tvarc import`: which files it imports, which ones these read, and why it leaves
out the others."""

from __future__ import annotations

from tvarc.byhand.importing.folder import LeftOut
from tvarc.byhand.importing.imported import Imported
from tvarc.byhand.importing.report import unread_names
from tvarc.commands.evaluation.equivalence import Proof
from tvarc.light import dataclass
from tvarc.values.plain import Count, Ordinal


@dataclass(frozen=True, slots=True)
class SettingPlace:
    """A line that writes a setting."""

    file: str
    line: Ordinal


@dataclass(frozen=True, slots=True)
class Drift:
    """A setting that few files have in another way than the others."""

    setting: str
    """The path of a setting that is not as its rule has it."""
    of: Count
    """How many files the matrix has."""
    places: tuple[SettingPlace, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """A line of a comment outside of scripts, which is left out."""

    file: str
    line: Ordinal
    text: str


@dataclass(frozen=True, slots=True)
class Alike:
    """A recipe of the program whose settings equal those of one of the library."""

    recipe: str
    module: str
    """The module of the library."""
    library_recipe: str
    but: tuple[str, ...]
    """The settings that differ."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A name that recipes bind and nothing reads, which is left out."""

    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result for each file of a folder of recipes."""

    folder: str
    """The folder, as it was given."""
    imported: tuple[str, ...]
    """The files that the program builds, by their paths in the folder."""
    helpers: tuple[str, ...]
    """Files that these import, and that are no recipes by themselves."""
    left: tuple[LeftOut, ...]
    """The files that are not imported."""
    unpinned: tuple[LeftOut, ...]
    """The lines of a flake that call recipes by a nixpkgs that is not known: these use that of
    their caller."""
    drift: tuple[Drift, ...]
    comments: Count
    """How many lines of comments outside of scripts are left out."""
    comments_left: tuple[Comment, ...]
    """These lines."""
    axes_unused: tuple[str, ...]
    """Patterns of `--axis` that no word of a name matches."""
    alike: tuple[Alike, ...]
    unread: tuple[Unread, ...]
    matrices: Count
    """How many matrices and single variants the program has."""
    lines: Count
    """The length of the program, without the module of its descriptions."""
    text_lines: Count
    """The length of the module of its descriptions."""
    proof: Proof | None
    """With `--nix`: what Nix has compared. It is null without it, in a report by `--report`, and if
    no program was written."""


def result_of(made: Imported, folder: str, proof: Proof | None = None) -> Result:
    """The result of importing the *folder*, as it was given: *made*, with the *proof* of Nix."""
    return Result(
        folder,
        made.files,
        made.helpers,
        tuple(made.left_out),
        tuple(made.unpinned),
        tuple(
            [
                Drift(one.setting, one.of, tuple(map(SettingPlace, one.files, one.lines)))
                for one in made.drift
            ]
        ),
        len(made.comments),
        tuple([Comment(one.path, one.line, one.reason) for one in made.comments]),
        made.idle,
        tuple([Alike(name, one.module, one.recipe, one.but) for name, one in made.alike]),
        tuple([Unread(name, tuple(files)) for name, files in unread_names(made)]),
        made.matrices,
        made.text.count("\n"),
        made.texts.count("\n"),
        proof,
    )
