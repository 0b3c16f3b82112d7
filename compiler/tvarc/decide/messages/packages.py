"""Messages on the package of a recipe, its scope and its arguments."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

BAD_ARGUMENT: Final = Message(
    "E403",
    "`{name}` cannot be an argument of a recipe",
    label="the name comes from the file `{file}`",
    notes=("{why}",),
    help="give that file another name, or remove `by argument`",
)

ARGS_OF_CALL: Final = Message(
    "E209",
    "`args` cannot be combined with a `call`",
    label="this argument is outside of the call",
    other="this call makes the package",
    help="write it inside the call; `args` works only with `pkgs.NAME` and `path(…)`",
)

NO_PACKAGE: Final = Message(
    "E507",
    "recipe `{recipe}` has no package",
    label="`package` missing",
    help="write the package to build, such as `package = pkgs.python3Packages.torch`",
)

NOT_OF_NIXPKGS: Final = Message(
    "E301",
    "`package` must be a package of nixpkgs",
    label="this is {kind}",
    help='write `package = pkgs.NAME`, or `path("./f.nix")` for a package in a file',
)

SOURCE_AS_PACKAGE: Final = Message(
    "E301",
    "`package` must be a package of nixpkgs",
    label="this is a source",
    help="for a package in a file, write `file(INPUT, …)`; for a source, write the attribute `src "
    "= …`",
)

SET_OF_PACKAGES: Final = Message(
    "E301",
    "`{name}` is not a package",
    label="this is a set of packages",
    help="write a package of it: `package = {name}.NAME`",
)

LIB_AS_PACKAGE: Final = replace(
    SET_OF_PACKAGES, label="these are the functions of nixpkgs", help="write `package = pkgs.NAME`"
)

BAD_SCOPE: Final = Message(
    "E301",
    "`scope` must be a package set of nixpkgs",
    label="this is {kind}",
    notes=("the callPackage of this set passes the packages to the recipe",),
    help="write a set, such as `scope = pkgs.python3Packages`, or remove it for `pkgs`",
)
