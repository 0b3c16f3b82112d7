"""Jobs: variants as other systems build them."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.nix import ir
from tvarc.values.value import Value

Form = Literal["flake", "all", "recipes"]
"""What a job is built from: a flake of all variants, a set of them, or the file of one."""


@dataclass(frozen=True, slots=True)
class Built:
    """The source of all jobs: its `form`, and the `file` of one that holds all variants. `pinned`
    says that no variant takes the nixpkgs of its builder, `scoped` that a package set of that
    nixpkgs calls one.
    """

    form: Form
    file: str
    pinned: bool
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A variant built for one system, by its name; empty if the program does not state the system.
    `file` is the variant's, `features` are those that its builder needs, as far as the program
    says. `scope` is the package set whose callPackage calls the file, empty for the top level of
    nixpkgs.
    """

    variant: str
    system: str
    file: str
    features: tuple[str, ...]
    axes: dict[str, Value]
    scope: ir.Path = ()


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of some variants, and their source."""

    built: Built
    jobs: tuple[Job, ...]
