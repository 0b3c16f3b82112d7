"""Facts about nixpkgs: the features of each age, and how an overlay changes each kind of package
set.

The tables here are small, because each build reads them. `std.nixpkgs` has the same rows with their
sources, and a test compares the two.
"""

from __future__ import annotations

from tvarc.blocks import BY_NAME
from tvarc.light import Callable, Final, Literal, dataclass

Path = tuple[str, ...]

NAMES_PLATFORM = frozenset(("system", "config"))
"""The keys of `localSystem` and `crossSystem` that name a platform. All other keys describe it
further."""

TUNING = "gcc"
"""The key of a platform for the CPU that its compiler compiles for."""

GCC_ARCH = "gcc-arch"
"""The feature that `gcc.arch` has an effect."""

FORMS = ("extensions", "override", "scope", "extend", "update")

OLDEST: Final = "20.09"
"""The first release that recipes are emitted for."""

RELEASES: Final[dict[str, str | None]] = {
    "20.09": "2020-09-07",
    "21.05": "2021-05-22",
    "21.11": "2021-11-22",
    "22.05": "2022-05-23",
    "22.11": "2022-11-21",
    "23.05": "2023-05-22",
    "23.11": "2023-11-21",
    "24.05": "2024-05-22",
    "24.11": "2024-11-14",
    "25.05": "2025-05-16",
    "25.11": "2025-11-24",
    "26.05": "2026-05-24",
    "26.11": None,
}
"""The day on which the branch of each release left the development branch; None if it is unknown.
Until that day, the development branch has the name of this release."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that nixpkgs has from one release on.

    A release before `first` lacks the feature, or may lack it. `by` is a day from which the
    development branch certainly has it. With `exact`, the branch certainly lacks it before that
    day.
    """

    first: str
    by: str | None = None
    exact: bool = False


FEATURES: Final[dict[str, Feature]] = {
    "gcc-arch": Feature("21.05", "2021-01-23", exact=True),
    "python-scope": Feature("21.05"),
    "fetchgit-hash": Feature("22.05"),
    "fetchpatch-hash": Feature("22.05"),
    "fetchpatch-relative": Feature("22.05"),
    "cuda-scope": Feature("22.05", "2022-04-09"),
    "final-attrs": Feature("22.05"),
    "python-extensions": Feature("22.11"),
    "fetchpatch2": Feature("22.11"),
    "env": Feature("23.05", "2022-12-13"),
    "perl-scope": Feature("23.05"),
    "scope-order": Feature("23.11", "2023-08-14", exact=True),
    "override-attrs-set": Feature("23.11"),
    "fetch-tag": Feature("25.05", "2024-12-12"),
}


def order_of(release: str) -> tuple[int, ...]:
    """A release, `YY.MM`, as numbers that compare in the order of releases."""
    return tuple(map(int, release.split(".")))


def has(feature: str, release: str, date: str) -> bool | None:
    """Whether a nixpkgs with the name *release* has *feature*; None if that is not known.

    *date* is the day of its commit, `YYYY-MM-DD`. Either may be empty. The development branch has
    the name of the coming release. So a nixpkgs with the name of the feature's first release may be
    older than the feature.
    """
    if not release:
        return None
    known = FEATURES[feature]
    mine, first = order_of(release), order_of(known.first)
    if mine != first:
        return mine > first
    branched = RELEASES.get(known.first)
    if date and branched is not None and date >= branched:
        return True
    if date and known.by is not None:
        if date > known.by:
            return True
        if known.exact and date < known.by:
            return False
    return None


NAMED_EARLY: Final = "24.11"
"""The last release in which the name of a Python package is certainly made before `overrideAttrs`.
"""


def is_named_early(release: str) -> bool:
    """Whether a nixpkgs of *release*, which may be empty, makes the names of Python packages before
    `overrideAttrs`."""
    return bool(release) and order_of(release) <= order_of(NAMED_EARLY)


# --- attributes of packages --------------------------------------------------------------------

AttributeKind = Literal["list", "truth", "text"]

KINDS: Final[dict[Path, AttributeKind]] = {
    **dict.fromkeys(
        [
            ("attrs", name)
            for name in (
                "buildInputs", "checkInputs", "configurePlatforms", "depsBuildBuild",
                "depsBuildBuildPropagated", "depsBuildTarget", "depsBuildTargetPropagated",
                "depsHostHost", "depsHostHostPropagated", "depsTargetTarget",
                "depsTargetTargetPropagated", "hardeningDisable", "hardeningEnable",
                "installCheckInputs", "nativeBuildInputs",
                "nativeCheckInputs", "nativeInstallCheckInputs", "outputs",
                "propagatedBuildInputs", "propagatedNativeBuildInputs",
            )
        ],
        "list",
    ),
    **dict.fromkeys(
        [
            ("attrs", name)
            for name in (
                "__contentAddressed", "__structuredAttrs", "doCheck", "doInstallCheck",
                "dontAddHostSuffix", "enableParallelBuilding", "separateDebugInfo", "strictDeps",
            )
        ],
        "truth",
    ),
    **dict.fromkeys([("attrs", name) for name in ("name", "pname", "version")], "text"),
    **dict.fromkeys(
        [
            ("meta", name)
            for name in (
                "badPlatforms", "knownVulnerabilities", "maintainers", "outputsToInstall",
                "platforms",
            )
        ],
        "list",
    ),
    ("meta", "broken"): "truth",
    **dict.fromkeys(
        [("meta", name) for name in ("description", "longDescription", "mainProgram")], "text"
    ),
}  # fmt: skip
"""The kinds of values that nixpkgs itself requires of attributes, in each release. It fails for a
value of another kind. A wrong text in `meta` fails only with `config.checkMeta`, and in tools that
show packages."""

OF_PACKAGES: Final = frozenset(
    [
        name
        for (block, name), kind in KINDS.items()
        if block == "attrs" and kind == "list" and (name.endswith("nputs") or name[:4] == "deps")
    ]
)
"""Attributes whose elements are packages, or files that a builder reads. The builder uses each
element as a path."""

LISTS: Final = frozenset(
    (
        *(path for path, kind in KINDS.items() if kind == "list"),
        ("attrs", "cmakeFlags"),
        ("attrs", "mesonFlags"),
        ("attrs", "qmakeFlags"),
    )
)
"""Attributes that are lists in all packages that have them. The last ones are lists only by custom.
"""

DEFAULTED: Final = frozenset(
    ("configurePlatforms", "forceShare", "installTargets", "patchFlags", "phases", "stripDebugList")
)
"""Lists for which nixpkgs or its builder has a default if a package has none. An addition to an
empty list would replace the default. The default of `outputs` is the same in each release."""

TEXTS: Final = frozenset(("name", "pname", "version"))
"""Attributes that are strings in all packages that have them."""

OVERWRITTEN: Final = {
    "stdenv": "it is an argument: write `args { stdenv = … }`",
    "system": "write the platform in the pin: `localSystem { … }`",
    "userHook": "write it in the configuration of nixpkgs: `config { stdenv = { userHook = … } }`",
}
"""Attributes that nixpkgs replaces with its own, and what to write instead."""


def is_compiler_variable(name: str) -> bool:
    """Whether the attribute *name* has a name of the variables that nixpkgs' compilers read."""
    return name.startswith("NIX_")


# --- sources -----------------------------------------------------------------------------------

REPOSITORY: Final = "source"
"""The folder into which a fetched repository is unpacked: the default `name` of fetchFromGitHub."""


def folder_of_root(root: str) -> str:
    """The folder that the path *root*, a `sourceRoot`, begins with. Empty if it begins with no
    name, but for example with a `.` or a variable of the shell."""
    first = root.removeprefix("./").partition("/")[0]
    plain = first.replace("-", "").replace("_", "").replace("+", "").replace(".", "")
    return first if plain.isalnum() else ""


# --- hashes ------------------------------------------------------------------------------------

HASHES: Final = frozenset(("hash", "md5", "sha1", "sha256", "sha512"))
"""The names of arguments that can only be hashes: pkgs/build-support/fetchurl."""

_ENDS: Final = ("Hash", "-hash", "_hash", "Md5", "Sha1", "Sha256", "Sha512")
_OF_COMMITS: Final = ("commit", "git", "rev")

HASHES_BY_NAME: Final = frozenset(("outputHashes",))
"""Sets in which each value is a hash: pkgs/build-support/rust/import-cargo-lock.nix, from 21.11."""

FAKE_HASHES: Final = frozenset(("fakeHash", "fakeSha256", "fakeSha512"))
"""The names in `lib` of hashes that no content has: lib/deprecated.nix."""


def is_hash(path: Path) -> bool:
    """Whether the value at *path*, a path of names, is a hash. The form of its name decides,
    because each language has its own names in nixpkgs, such as `cargoHash`, `vendorSha256` or
    `pnpmDepsHash`. A name of a commit, such as `gitHash`, is no hash."""
    name = path[-1]
    if name in HASHES or (name.endswith(_ENDS) and not name.lower().startswith(_OF_COMMITS)):
        return True
    return len(path) > 1 and path[-2] in HASHES_BY_NAME


def holds_no_path(path: Path) -> bool:
    """Whether the value of a package at *path* is never a path or a list of paths. This holds for
    its variables, `meta`, flags, and the scripts around phases. A phase may be a file."""
    if len(path) > 1:
        block = BY_NAME.get(path[0])
        return block is not None and block.holds in ("variables", "notes")
    name = path[0].removesuffix("Array")
    if name.endswith(("Flags", "FLAGS")) or name.startswith("NIX_"):
        return True
    return any(name.startswith(w) and name[len(w) : len(w) + 1].isupper() for w in ("pre", "post"))


# --- package sets ------------------------------------------------------------------------------

# Sets without a fixpoint, in all known releases.
_PLAIN: Final = (
    "apacheHttpdPackages",
    "beamPackages",
    "dhallPackages",
    "gst_all_1",
    "lispPackages",
    "nodePackages",
    "phpExtensions",
    "phpPackages",
    "rubyPackages",
    "texlive",
    "vimPlugins",
)

# The beginnings of the names of sets, by kind.
_KINDS: Final = {
    "haskellPackages": "extend",
    "linuxPackages": "extend",
    "luaPackages": "either",
    "luajitPackages": "either",
    "llvmPackages": "llvm",
    "perlPackages": "perl",
    "perldevelPackages": "perl",
    "cudaPackages": "cuda",
    "rPackages": "r",
}


def name_of_set(path: Path) -> str:
    """The last name of the set at *path*. For `python3.pkgs` it is `python3Packages`."""
    return f"{path[-2]}Packages" if path[-1] == "pkgs" and len(path) > 1 else path[-1]


def is_python_set(path: Path) -> bool:
    """Whether *path* is a set of Python packages: `python3Packages`, `pypy310Packages`,
    `python3.pkgs`. nixpkgs extends the sets of all Python versions through
    `pythonPackagesExtensions`."""
    name = name_of_set(path)
    for prefix in ("python", "pypy"):
        if name.startswith(prefix) and name.endswith("Packages"):
            version = name[len(prefix) : -len("Packages")]
            return version.isdigit() or (prefix == "python" and not version)
    return False


def leads_through_set(path: Path) -> bool:
    """Whether *path* leads through a name that nixpkgs gives to a set of packages only at its top
    level: `python38Packages`, `cudaPackages_12_4`, `python3.pkgs`, `beam.packages`. Other sets may
    have members with such names; for example, linuxPackages has `nvidiaPackages`."""
    first, between = path[0], path[1:-1]
    named = first in _PLAIN or is_python_set((first,)) or first.startswith(tuple(_KINDS))
    return len(path) > 1 and (named or "pkgs" in between or "packages" in between)


def has_sets(path: Path) -> bool:
    """Whether the set at *path* may contain sets of packages, other than those of languages."""
    return kind_of(path) not in ("perl", "python", "r")


def kind_of(path: Path) -> str:
    """The kind of the set at *path*, by how it is made: `python`, `perl`, `r`, `cuda`, `extend`
    (extensible), `either` (extensible in older releases, a scope in newer ones), `llvm` (two joined
    sets in older releases, a scope in newer ones), `plain` (no fixpoint), or `scope`."""
    if is_python_set(path):
        return "python"
    name = name_of_set(path)
    if path[:2] == ("haskell", "packages"):
        return "extend"
    if path[:2] == ("beam", "packages"):
        return "either"
    if len(path) > 1 and path[-1] != "pkgs":
        return "scope"
    # In `perl538Packages` and `lua5_3Packages`, the number is before the word.
    for language in ("perl", "lua"):
        middle = name[len(language) : -len("Packages")]
        if (
            name.startswith(language)
            and name.endswith("Packages")
            and set(middle) <= set("0123456789_")
        ):
            return _KINDS[f"{language}Packages"]
    for prefix, kind in _KINDS.items():
        if (
            name == prefix
            or name.startswith(f"{prefix}_")
            or (name.startswith(prefix) and name[len(prefix)].isdigit())
        ):
            return kind
    if name in _PLAIN or name.startswith(("nodePackages_", "rubyPackages_", "php")):
        return "plain"
    return "scope"


def usual_form(path: Path) -> str:
    """The form in which an overlay changes the set at *path* in today's nixpkgs, if the program
    does not choose one."""
    match kind_of(path):
        case "python":
            return "extensions"
        case "extend":
            return "extend"
        case "plain":
            return "update"
        case "r":
            return "override"
        case _:
            return "scope"


# The instances of nixpkgs that nixpkgs itself has, made for another platform, C library or compiler
# (pkgs/top-level/stage.nix).
_INSTANCES: Final = frozenset(
    (
        "pkgsArocc", "pkgsLLVM", "pkgsMusl", "pkgsStatic", "pkgsZig", "pkgsi686Linux",
        "pkgsx86_64Darwin",
    )
)  # fmt: skip
_CROSS: Final = "pkgsCross"
_OF_BUILD: Final = ("buildPackages", "pkgsBuild")  # what runs on the machine that builds


def instance_depth(path: Path) -> int:
    """How many steps of *path*, an attribute of nixpkgs, lead to another instance of nixpkgs, such
    as `pkgsMusl` or `pkgsCross.riscv64`; 0 for an attribute of the top level."""
    if path[:1] == (_CROSS,):
        return 2 if len(path) > 2 else 0
    return int(len(path) > 1 and path[0] in _INSTANCES)


def is_of_top_level(path: Path) -> bool:
    """Whether *path* may be a package for the platform of the top level: neither a function of
    `lib` nor one of another instance, such as a tool that runs on the machine that builds."""
    other = path[:1] == ("lib",) or path[0].startswith(_OF_BUILD) or path[0] == _CROSS
    return not other and path[0] not in _INSTANCES


def is_interpreter(name: str) -> bool:
    """Whether the top-level name *name* belongs to one version of Python: `python38`, `pypy27`."""
    return any(name.startswith(p) and name[len(p) :].isdigit() for p in ("python", "pypy"))


# The sets of LLVM became scopes in 25.11 or 26.05. A nixpkgs that lacks this earlier feature is
# older.
_BEFORE_LLVM_SCOPE: Final = "fetch-tag"


def form_at(path: Path, knows: Callable[[str], bool | None]) -> str:
    """The result of `usual_form` for a given nixpkgs. *knows* says whether it has a feature."""
    kind = kind_of(path)
    if kind == "cuda" and knows("cuda-scope") is False:
        return "update"
    if kind == "perl" and knows("perl-scope") is False:
        return "override"
    if kind == "llvm" and knows(_BEFORE_LLVM_SCOPE) is False:
        return "update"
    return usual_form(path)


# The interpreter or compiler with whose name other names of the same language begin.
_FLAVOURS: Final = {"pypy": "python", "luajit": "lua", "perldevel": "perl"}
# Languages whose versions may be written as one number: `38` is `3` and `8`.
_SPLIT: Final = frozenset(("python", "lua", "perl"))
# Languages whose sets are attributes of their interpreters, in each inspected release.
_CARRIED: Final = frozenset(("python", "lua", "perl", "php", "ruby"))
# Sets whose shorter name is always the alias and the longer name the original. PostgreSQL is not
# one of them: `postgresql11Packages` was once made from `postgresqlPackages`.
_STANDS_FOR_ONE: Final = frozenset(
    (
        "beamPackages", "cudaPackages", "emacsPackages", "haskellPackages", "linuxPackages",
        "llvmPackages", "luaPackages", "nodePackages", "ocamlPackages", "perlPackages",
        "phpExtensions", "phpPackages", "pythonPackages", "rubyPackages",
    )
)  # fmt: skip
# The attribute of an interpreter with its sets, and the word in the name of such a set.
_CARRIES: Final = {
    "pkgs": "Packages", "packages": "Packages", "gems": "Packages", "extensions": "Extensions"
}  # fmt: skip
# Sets that contain the sets of all versions, and their language.
_HOLDERS: Final = {
    ("haskell", "packages"): "haskell",
    ("beam", "packages"): "beam",
    ("linuxKernel", "packages"): "linux",
}
# Versions whose meaning changes from time to time.
_MOVING: Final = frozenset(("latest", "default", "testing", "lts", "stable"))


@dataclass(frozen=True, slots=True)
class SetName:
    """The parts of a package set's name: its language (`family`), another interpreter of the
    language (`flavour`), and the version. Empty parts mean the defaults. `held` says that the set
    is an attribute of an interpreter, or of a set of such sets: `python38.pkgs`."""

    family: str
    flavour: str
    version: tuple[str, ...]
    held: bool


def set_name(path: Path) -> SetName | None:
    """The parts of the name at *path*. None if no other name of such a set is known."""
    holder = path[:2]
    if holder in _HOLDERS and len(path) > 2:
        language = _HOLDERS[holder]
        version = path[2:]
        if language != "haskell":
            version = _version(language, path[2].lstrip(_LETTERS))
        return SetName(f"{language}Packages", "", version, True)
    held = len(path) == 2 and (path[1] in _CARRIES or path[0] == "ocaml-ng")
    if len(path) != 1 and not held:
        return None
    if held and path[0] != "ocaml-ng":
        word = _CARRIES[path[1]]
        language = path[0][: len(path[0]) - len(path[0].lstrip(_LETTERS))]
        rest = path[0][len(language) :]
    else:
        word = "Extensions" if "Extensions" in path[-1] else "Packages"
        before, found, after = path[-1].partition(word)
        language = before[: len(before) - len(before.lstrip(_LETTERS))]
        rest = before[len(language) :]
        if not found or rest.strip(_DIGITS) or (after and after[0] not in "_-"):
            return None
        rest += after
    if not language:
        return None
    family = _FLAVOURS.get(language, language)
    flavour = language if family != language else ""
    return SetName(f"{family}{word}", flavour, _version(family, rest), held)


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS: Final = "0123456789_"


def _version(language: str, text: str) -> tuple[str, ...]:
    parts = [part for part in text.replace("-", "_").split("_") if part]
    if language in _SPLIT and parts and parts[0].isdigit() and len(parts[0]) > 1:
        parts[:1] = [parts[0][0], parts[0][1:]]
    return tuple(parts)


def is_set(path: Path) -> bool:
    """Whether nixpkgs has a set of packages or functions at *path*, according to its name. False if
    the name does not show it."""
    if len(path) < 2 and (not path or path[0] == "lib" or path[0] in _PLAIN):
        return True
    if path[:2] in _HOLDERS:
        return len(path) < 4
    return set_name(path) is not None


def is_made_of(built: Path, changed: Path) -> bool | None:
    """Whether the set at *built* is *changed*, or is made from it under that name in nixpkgs, so
    that it has a change of this name. None if that depends on the nixpkgs.

    Two sets that only have in common that they are sets are not made from each other.
    """
    if built == changed:
        return True
    theirs, mine = set_name(built), set_name(changed)
    if theirs is None or mine is None or theirs.family != mine.family:
        return False
    if theirs.flavour != mine.flavour or (theirs.held and not mine.held):
        return False
    if theirs.version == mine.version:
        if changed[0] == "ocaml-ng":
            return True
        language = mine.family.removesuffix("Packages").removesuffix("Extensions")
        full = len(mine.version) > (1 if language in _SPLIT else 0)
        fixed = full and _MOVING.isdisjoint(mine.version)
        carried = mine.held and not theirs.held and language in _CARRIED
        return True if fixed and carried else None
    if theirs.version == mine.version[: len(theirs.version)]:
        return None
    if not _MOVING.isdisjoint(theirs.version):
        return None
    if mine.version == theirs.version[: len(mine.version)] and mine.family not in _STANDS_FOR_ONE:
        return None
    # `ghc94` is one of `ghc948`.
    both = theirs.version + mine.version
    alike = len(both) == 2 and both[0].startswith("ghc") and both[1].startswith(both[0])
    return None if alike else False


def are_related(one: Path, other: Path) -> bool:
    """Whether these are names of sets of one language."""
    first, second = set_name(one), set_name(other)
    return first is not None and second is not None and first.family == second.family


# --- dependencies of fetchers ------------------------------------------------------------------
#
# The packages of 20.09 from which nixpkgs' fetchers are made. The derivations from which a fetch of
# each kind is built were listed, for a tree of 2020-10-14 on x86_64-linux. They were matched with
# the names of packages and of members of `python3Packages` and `perlPackages`. Then an overlay that
# fetches was evaluated for each of these names. Nix refused each of them: as a circle, or as the
# `fetchurl` of the stages before stdenv, which takes no `hash`. A package that is another name of
# one, such as `kerberos` for `krb5`, is not listed if an evaluation showed that changing it changes
# no fetcher.

Kind = Literal["url", "patch", "github", "git"]
"""The function that fetches a source: `fetchurl`, `fetchpatch`, `fetchFromGitHub`, or `fetchgit`
for submodules."""

_ALL: Final = frozenset(
    [
        "acl", "attr", "autoconf", "automake", "automake116x", "autoreconfHook", "binutils",
        "binutils-unwrapped", "bison", "ed", "expat", "gcc-unwrapped", "glibc", "gmp", "gmp6",
        "gnum4", "gnupatch", "help2man", "isl_0_17", "libelf", "libffi", "libiconv", "libmpc",
        "libtool", "libtool_2", "linuxHeaders", "lzip", "lzma", "m4", "mpfr", "nukeReferences",
        "patchelf", "pcre", "perl530", "pkg-config-unwrapped", "python3Minimal", "texinfo",
        "texinfo6", "which",
    ]
)  # fmt: skip
"""Further packages from which `fetchurl` and stdenv of 20.09 are made."""

_PATCHING: Final = frozenset(["patchutils_0_3_3"])
"""Further packages from which `fetchpatch` is made."""

_UNPACKING: Final = frozenset(["unzip"])
"""Further packages from which `fetchFromGitHub` is made."""

_CLONING: Final = frozenset(
    [
        "asciidoc", "audit", "autogen", "bashInteractive", "boehmgc", "cacert", "check",
        "cmake", "cpio", "cracklib", "db", "db4", "db48", "db5", "db53", "dns-root-data",
        "docbook-xsl-nons", "docbook_xml_dtd_42", "docbook_xml_dtd_43", "docbook_xml_dtd_45",
        "docbook_xsl", "e2fsprogs", "file", "findXMLCatalogs", "flex", "gdb", "gdbm", "getent",
        "getopt", "git", "gitMinimal", "glib", "glibcLocales", "gnu-efi", "gnupg", "gnupg22",
        "gnutls", "gperf", "gtk-doc", "guile", "guile_2_2", "hidapi", "intltool", "iptables",
        "iptables-legacy", "itstool", "kbd", "kexectools", "kmod", "libapparmor", "libarchive",
        "libassuan", "libcap", "libcbor", "libedit", "libevent", "libfido2", "libgcrypt",
        "libgpgerror", "libidn", "libipt", "libksba", "libmicrohttpd", "libmnl",
        "libnetfilter_conntrack", "libnfnetlink", "libnftnl", "libpcap", "libseccomp",
        "libselinux", "libsepol", "libtasn1", "libusb1", "libuv", "libxml2", "libxslt",
        "linux-pam", "lz4", "lzo", "makeWrapper", "meson", "ncurses", "nettle", "nettools",
        "ninja", "npth", "openssh", "p11-kit", "pam", "pciutils", "pcre2", "pruneLibtoolFiles",
        "python2", "python27", "python3", "python37", "python38", "re2c", "readline",
        "readline6", "readline63", "readline70", "readline80", "rhash", "shadow", "sharutils",
        "sqlite", "swig", "swig3", "systemd", "udev", "unbound", "utillinux", "zstd",
    ]
)  # fmt: skip
"""Further packages from which `fetchgit` is made, with `_CLONING_PYTHON` and `_CLONING_PERL`."""

_CLONING_PYTHON: Final = frozenset(
    [
        "anytree", "bootstrapped-pip", "cython", "docutils", "libselinux", "libxml2", "lxml",
        "pip", "pipInstallHook", "pygments", "python", "pythonCatchConflictsHook",
        "pythonImportsCheckHook", "pythonNamespacesHook", "pythonRecompileBytecodeHook",
        "pythonRemoveBinBytecodeHook", "pythonRemoveTestsDirHook", "setuptools",
        "setuptoolsBuildHook", "setuptoolsCheckHook", "six", "wheel", "wrapPython",
    ]
)  # fmt: skip
"""Members of the sets of Python packages."""

_CLONING_PERL: Final = frozenset(
    [
        "BCOW", "CGI", "CGIFast", "CPANMetaCheck", "CaptureTiny", "Clone", "Encode",
        "EncodeLocale", "FCGI", "FCGIProcManager", "FileListing", "HTMLParser", "HTMLTagCloud",
        "HTMLTagset", "HTTPCookies", "HTTPDaemon", "HTTPDate", "HTTPMessage", "HTTPNegotiate",
        "IOHTML", "LWP", "LWPMediaTypes", "ModuleBuild", "NetHTTP", "SubUplevel", "TermReadKey",
        "TestDeep", "TestFatal", "TestNeeds", "TestNoWarnings", "TestRequiresInternet",
        "TestWarn", "TimeDate", "TimeLocal", "TryTiny", "URI", "WWWRobotRules", "XMLParser",
    ]
)  # fmt: skip
"""Members of the sets of Perl packages."""

_ALL_PERL: Final = frozenset(("LocaleGettext", "perl"))
"""Packages from which all fetchers are made."""

_PERLS: Final = (("perlPackages",), ("perl530Packages",), ("perl530", "pkgs"))
"""The names of the set of Perl packages from which 20.09 is made."""

_FETCHERS: Final = frozenset(
    [
        "c-ares", "curl", "keyutils", "krb5", "libev", "libkrb5", "libssh2", "nghttp2", "openssl",
        "openssl_1_1", "openssl_3", "perl", "pkg-config", "pkgconfig",
    ]
)  # fmt: skip
"""In all releases, `fetchurl` is made from these packages."""

_BOOTSTRAP: Final = frozenset(
    [
        "bash", "bzip2", "coreutils", "diffutils", "findutils", "gawk", "gettext", "gnugrep",
        "gnumake", "gnused", "gnutar", "gzip", "libidn2", "libunistring", "patch", "xz", "zlib",
    ]
)  # fmt: skip
"""stdenv is made from these packages, so `fetchpatch` and `fetchFromGitHub` fail in them."""


def cannot_fetch(target: Path, *, oldest: bool) -> frozenset[Kind]:
    """The kinds of fetchers that cannot be used in the package at *target*, because their tools are
    built from it.

    *oldest* says that the nixpkgs is certainly 20.09, for which all names are known.
    """
    name, within = target[-1], target[:-1]
    if not within:
        found: set[Kind] = set()
        bootstrap = name in _BOOTSTRAP
        if name in _FETCHERS or (oldest and (bootstrap or name in _ALL)):
            found |= {"url", "patch", "github", "git"}
        if bootstrap:
            found |= {"patch", "github", "git"}
        if oldest and name in _PATCHING:
            found |= {"patch", "git"}
        if oldest and name in _UNPACKING:
            found |= {"github", "git"}
        if oldest and name in _CLONING:
            found.add("git")
        return frozenset(found)
    if not oldest:
        return frozenset()
    if within in _PERLS and name in _ALL_PERL:
        return frozenset(("url", "patch", "github", "git"))
    python = is_python_set(within) and name in _CLONING_PYTHON
    perl = within in _PERLS and name in _CLONING_PERL
    return frozenset(("git",)) if python or perl else frozenset()
