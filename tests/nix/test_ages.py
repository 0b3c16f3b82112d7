"""Whatever nixpkgs is pinned: a setting reaches the derivation, or is refused in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from support.alone import emit
from support.compile import compile_text, write_recipes
from support.effort import sampled
from support.nix import requires_nix
from support.recipes import RELEASES, Asked, NixError, Outcome, drv_paths, model_value, outcomes

# --- settings of every kind, each with a marker that has to arrive -------------------------------

MARK: Final = "MARK_7_X"
_LATER: Final = "LATER_8_X"
HASH: Final = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
REV: Final = "0182a361324364ae3f436a63005877674cf45efb"
PIN_HASH: Final = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="


@dataclass(frozen=True, slots=True)
class Setting:
    """One kind of setting: what stands in the recipe and what beside it.

    `NAME` stands for the name of the setting, in the names of overlays and patches above all. Where
    the markers are not in the derivation itself, they are `depth` steps down. A nixpkgs has a way
    to it `since` one release and `before` another; elsewhere, and everywhere if it is `refusable`,
    a refusal in words is as good. `named` is what these words have to name, one or the other.
    """

    package: str = "hello"
    body: str = ""
    beside: str = ""
    depth: int = 0
    refusable: bool = False
    since: str = ""
    before: str = "99.11"
    named: tuple[str, ...] = ("NAME",)
    markers: tuple[str, ...] = (MARK,)

    def lands_in(self, release: str) -> bool:
        """Whether a nixpkgs of *release* has a way to it."""
        return not self.refusable and self.since <= release < self.before

    def declarations(self, name: str) -> str:
        """The recipe and the variant *name*, with what stands beside them."""
        listed = re.findall(r"^(?:overlay|patch) (\S+)", self.beside, re.MULTILINE)
        overlays = f"overlays = [{', '.join(listed)}]\n  " if listed else ""
        return f"""
{self.beside}
recipe r-NAME {{
  package = pkgs.{self.package}
  {overlays}{self.body}
}}
variant NAME {{ recipe = r-NAME }}
""".replace("NAME", name)


def program(names: Sequence[str], release: str | None) -> str:
    """A whole program of these settings, with a pin that states *release*."""
    return declared([settings()[name].declarations(name) for name in names], release)


def declared(declarations: Sequence[str], release: str | None) -> str:
    """A whole program of these declarations, with a pin that states *release*."""
    stated = f"release = {release}\n  " if release else ""
    head = f"""
pin nixpkgs {{
  github = "NixOS/nixpkgs"
  rev    = "{REV}"
  hash   = "{PIN_HASH}"
  {stated}config {{ allowUnfree = true, allowBroken = true }}
}}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
    return head + "\n".join(declarations)


def _inner(kind: str) -> str:
    return {
        "attr": f'{MARK} = "1"',
        "env": f'env {{ {MARK} = "1" }}',
        "script": f'script postPatch {{ part x """\n    echo {MARK}\n  """ }}',
    }[kind]


def _overlay(package: str, kind: str = "attr", via: str = "") -> Setting:
    form = f"via = {via}\n  " if via else ""
    text = f"overlay o-NAME for {package} {{\n  {form}{_inner(kind)}\n}}"
    return Setting(package, beside=text, refusable=bool(via))


def _patch(package: str, fields: str) -> Setting:
    text = f"patch o-NAME for {package} {{ {fields} }}"
    return Setting(package, beside=text, depth=1)


def _of_kinds(setting: str, *markers: str) -> Setting:
    return Setting("kinds", f"attrs {{ {setting} }}", markers=markers)


def _source(call: str) -> Setting:
    return Setting(body=f"attrs {{ src = {call} }}", depth=1, named=("github",))


# One package of each kind of set. What is behind a package is decided by how its set is made.
MEMBERS: Final[Mapping[str, str]] = {
    "top": "hello",
    "python": "python3Packages.numpy",
    "perl": "perlPackages.XMLParser",
    "lua": "luaPackages.penlight",
    "beam": "beam.packages.erlang.rebar3",
    "beam-top": "beamPackages.rebar3",
    "ocaml": "ocamlPackages.dune",
    "haskell": "haskellPackages.aeson",
    "linux": "linuxPackages.zfs",
    "r": "rPackages.RcppArmadillo",
    "gst": "gst_all_1.gst-plugins-base",
    "qt": "qt5.qtsvg",
    "llvm": "llvmPackages.clang",
    "llvm-libraries": "llvmPackages.libcxx",
    "ruby": "rubyPackages.rake",
}


# Of sets whose members find each other through a fixed point: one, and another made from it.
DEPENDENTS: Final[Mapping[str, tuple[str, str]]] = {
    "python": ("python3Packages.filelock", "triton"),
    "perl": ("perlPackages.URI", "LWP"),
    "lua": ("luaPackages.luafilesystem", "penlight"),
    "beam": ("beam.packages.erlang.rebar3", "hex"),
    "ocaml": ("ocamlPackages.findlib", "dune"),
    "haskell": ("haskellPackages.text", "aeson"),
    "linux": ("linuxPackages.kernel", "bbswitch"),
    "r": ("rPackages.Rcpp", "RcppArmadillo"),
    "qt": ("qt5.qtbase", "qtsvg"),
}


@cache
def settings() -> Mapping[str, Setting]:
    """All kinds by name."""
    url = f'url = "https://e.org/{MARK}.patch", hash = "{HASH}"'
    env = f'env {{ {MARK} = "1" }}'
    found = {
        "attr": Setting(body=f'attrs {{ {MARK} = "1" }}'),
        "env": Setting(body=env, named=("env",)),
        # A package that has the variable already, or another one.
        "env-beside-own": Setting("jq", env, named=("env",), markers=(f"{MARK}=1", "CFLAGS=-O2")),
        "env-in-place-of-own": Setting(
            "jq", f'env {{ CFLAGS = "{MARK}" }}', named=("env",), markers=(f"CFLAGS={MARK}",)
        ),
        "env-after-own": Setting(
            "jq",
            f'env {{ CFLAGS = "{{{{old.env.CFLAGS}}}} {MARK}" }}',
            named=("env",),
            markers=(f"CFLAGS=-O2 {MARK}",),
        ),
        "for-env-after-own": Setting(
            "jq",
            beside="overlay o-NAME for jq {\n"
            f'  env {{ CFLAGS = "{{{{old.env.CFLAGS}}}} {MARK}" }}\n}}',
            markers=(f"CFLAGS=-O2 {MARK}",),
        ),
        "env-of-python": Setting(MEMBERS["python"], env, named=("env",)),
        "env-of-torch": Setting(
            "python3Packages.torch", env, named=("env", "torch"), since="22.11"
        ),
        "args-of-pytorch": Setting(
            "python3Packages.pytorch", f'args {{ buildDocs = true }}\n  attrs {{ {MARK} = "1" }}'
        ),
        "list": Setting(body=f'attrs {{ buildFlags += ["{MARK}"] }}'),
        # The package's own is a text, null, a list, one file.
        "list-after-text": _of_kinds(f'makeFlags += ["{MARK}"]', f"makeFlags=A=1\n{MARK}"),
        "list-after-null": _of_kinds(f'buildFlags += ["{MARK}"]', f"buildFlags={MARK}"),
        "list-after-file": _of_kinds(f'patches += ["{MARK}"]', f"cuda13.patch\n{MARK}"),
        "text-after-list": _of_kinds(
            f'checkFlags = "{{{{old.checkFlags}}}} {MARK}"', f"checkFlags=-a -b {MARK}"
        ),
        "text-after-null": _of_kinds(
            f'buildFlags = "{{{{old.buildFlags}}}}{MARK}"', f"buildFlags={MARK}"
        ),
        "text-after-file": _of_kinds(
            f'other = "{{{{old.patches}}}} {MARK}"', "magma-cuda13.patch", f"patch {MARK}"
        ),
        "patch-after-file": Setting(
            "kinds",
            beside=f'patch o-NAME for kinds {{ file = path("./{MARK}.patch") }}',
            depth=1,
            markers=("magma-cuda13.patch", MARK),
        ),
        # Of a text no element is taken.
        "element-of-text": Setting(
            "kinds",
            f'attrs {{ {MARK} = "1", makeFlags -= ["A=1"] }}',
            refusable=True,
            named=("makeFlags",),
        ),
        "list-of-package": Setting("curl", f'attrs {{ buildInputs += [nix""" "{MARK}" """] }}'),
        "script": Setting(body=f'script preConfigure {{ part x """\n    echo {MARK}\n  """ }}'),
        "args": Setting("openblas", f"args {{ blas64 = true }}\n  attrs {{ {MARK} = true }}"),
        "config": Setting(body=f'config {{ cudaSupport = false }}\n  attrs {{ {MARK} = "1" }}'),
        "passthru-and-meta": Setting(
            body=f'passthru {{ a = 1 }}\n  meta {{ broken = false }}\n  attrs {{ {MARK} = "1" }}'
        ),
        "github-tag": _source(f'github("a/{MARK}", tag = "v1", hash = "{HASH}")'),
        "github-rev": _source(f'github("a/{MARK}", rev = "{REV}", hash = "{HASH}")'),
        "github-tag-submodules": _source(
            f'github("a/{MARK}", tag = "v1", submodules = true, hash = "{HASH}")'
        ),
        "github-rev-submodules": _source(
            f'github("a/{MARK}", rev = "{REV}", submodules = true, hash = "{HASH}")'
        ),
        "url": _source(f'url("https://e.org/{MARK}.tar.gz", hash = "{HASH}")'),
        "overlay": Setting(
            beside=f'overlay o-NAME {{ fresh = "{MARK}" }}', body="attrs { x = pkgs.fresh }"
        ),
        "overlay-below": Setting(
            "curl", beside=f'overlay o-NAME for zlib {{ {MARK} = "1" }}', depth=1
        ),
        "overlay-source": Setting(
            beside=f'overlay o-NAME for hello {{ src = github("a/{MARK}", tag = "v1", '
            f'submodules = true, hash = "{HASH}") }}',
            depth=1,
        ),
        "patch-file": _patch("hello", f'file = path("./{MARK}.patch")'),
        "patch-file-python": _patch(MEMBERS["python"], f'file = path("./{MARK}.patch")'),
        "patch-url": _patch("hello", url),
        "patch-url-stripped": _patch("hello", f'{url}, stripLen = 1, includes = ["a"]'),
        "patch-url-relative": replace(_patch("hello", f'{url}, relative = "a"'), since="22.05"),
        "patch-url-python": _patch(MEMBERS["python"], url),
        "patch-url-perl": _patch(MEMBERS["perl"], url),
        # Whatever is fetched is fetched by curl.
        "patch-url-curl": replace(_patch("curl", url), refusable=True),
        "source-of-curl": Setting(
            "curl",
            beside=f'overlay o-NAME for curl {{ src = url("https://e.org/{MARK}", '
            f'hash = "{HASH}") }}',
            depth=1,
            refusable=True,
        ),
        # What an older nixpkgs does not have.
        "for-torch": replace(_overlay("python3Packages.torch"), since="22.11"),
        "for-torch-env": replace(_overlay("python3Packages.torch", "env"), since="22.11"),
        "for-cuda": replace(_overlay("cudaPackages.cudatoolkit"), since="22.05"),
        "for-cuda-plain": replace(_overlay("cudaPackages.cudatoolkit_10_2"), before="22.05"),
        # What says when it is not needed any more: of each nixpkgs it says so.
        "until-top": Setting(
            beside=f'overlay o-NAME for hello until hello >= 0.1 {{ {MARK} = "1" }}'
        ),
        "until-python": Setting(
            MEMBERS["python"],
            beside=f'overlay o-NAME for {MEMBERS["python"]} until numpy >= 0.1 {{ {MARK} = "1" }}',
        ),
        "until-perl": Setting(
            MEMBERS["perl"],
            beside=f"overlay o-NAME for {MEMBERS['perl']} until pkgs.hello >= 0.1 "
            f'{{ {MARK} = "1" }}',
        ),
        "until-patch": Setting(
            beside=f'patch o-NAME for hello until hello >= 0.1 {{ file = path("./{MARK}.patch") }}'
        ),
        # Two names of one set.
        "for-python-by-interpreter": Setting(
            MEMBERS["python"], beside=f'overlay o-NAME for python3.pkgs.numpy {{ {MARK} = "1" }}'
        ),
        "of-python-by-interpreter": Setting(
            "python3.pkgs.numpy",
            beside=f'overlay o-NAME for {MEMBERS["python"]} {{ {MARK} = "1" }}',
        ),
    }
    for name, package in MEMBERS.items():
        found[f"for-{name}"] = _overlay(package)
        found[f"for-{name}-env"] = _overlay(package, "env")
    found["for-top-script"] = _overlay(MEMBERS["top"], "script")
    found["for-python-script"] = _overlay(MEMBERS["python"], "script")
    for name, package in MEMBERS.items():
        path = package.rpartition(".")[0]
        if not path:
            continue
        found[f"for-{name}-twice"] = Setting(
            package,
            beside=f'overlay o-NAME for {package} {{ {MARK} = "1" }}\n'
            f'overlay p-NAME for {package} {{ {_LATER} = "1" }}',
            markers=(MARK, _LATER),
        )
        found[f"in-{name}"] = Setting(
            beside=f'overlay o-NAME in {path} {{ fresh = "{MARK}" }}',
            body=f"attrs {{ x = pkgs.{path}.fresh }}",
        )
        found[f"final-{name}"] = Setting(
            beside=f'overlay o-NAME in {path} {{ fresh = final.other, other = "{MARK}" }}',
            body=f"attrs {{ x = pkgs.{path}.fresh }}",
        )
        found[f"after-{name}"] = Setting(
            beside=f'overlay o-NAME in {path} {{ fresh = "{MARK}" }}\n'
            f"overlay p-NAME in {path} {{ later = prev.fresh }}",
            body=f"attrs {{ x = pkgs.{path}.later }}",
        )
        for via in ("scope", "extend", "override", "update"):
            found[f"via-{via}-{name}"] = _overlay(package, via=via)
    for name, (changed, dependent) in DEPENDENTS.items():
        found[f"reach-{name}"] = Setting(
            f"{changed.rpartition('.')[0]}.{dependent}",
            beside=f'overlay o-NAME for {changed} {{ {MARK} = "1" }}',
            depth=1,
        )
    found["all-at-once"] = Setting(
        beside="\n".join(
            f'overlay o-NAME-{name} for {package} {{ {MARK}_{name.replace("-", "_")} = "1" }}'
            for name, package in MEMBERS.items()
            if name != "top"
        ),
        body=f"attrs {{ all = [{', '.join(f'pkgs.{package}' for package in MEMBERS.values())}] }}",
        depth=1,
        markers=tuple(f"{MARK}_{name.replace('-', '_')}=" for name in MEMBERS if name != "top"),
    )
    found["via-extensions-python"] = _overlay(MEMBERS["python"], via="extensions")
    return found


_FORMS: Final = ("", "scope", "extend", "override", "update")


@cache
def pairs() -> Mapping[str, Setting]:
    """Two overlays on one package of each kind of set, by each two forms, and on one set under two
    of its names. Each has a mark of its own."""
    found: dict[str, Setting] = {}
    for name, package in MEMBERS.items():
        if "." in package:
            for first, second in product(_FORMS, _FORMS):
                both = ((package, first), (package, second))
                found[f"pair-{name}-{first or 'usual'}-{second or 'usual'}"] = _pair(package, *both)
    for via in ("override", "update", "scope"):
        names = ("python3Packages.numpy", "python3.pkgs.numpy")
        for one, other in (names, names[::-1]):
            both = ((one, via), (other, ""))
            kind = "set" if one == names[0] else "interpreter"
            found[f"names-{kind}-{via}-first"] = _pair(one, *both)
            found[f"names-{kind}-{via}-last"] = _pair(one, *both[::-1])
    return found


def _pair(package: str, first: tuple[str, str], second: tuple[str, str]) -> Setting:
    """Both change *package*, each given by the name of the package and its form."""
    overlays = []
    for (changed, via), name, mark in ((first, "o-NAME", MARK), (second, "p-NAME", _LATER)):
        form = f"via = {via}, " if via else ""
        overlays.append(f'overlay {name} for {changed} {{ {form}{mark} = "1" }}')
    return Setting(
        package,
        beside="\n".join(overlays),
        markers=(MARK, _LATER),
        refusable=any(via not in ("", "update") for _, via in (first, second)),
    )


@cache
def paired(release: str | None) -> Mapping[str, str | None]:
    """The recipe of each of `pairs`."""
    text = declared([one.declarations(name) for name, one in pairs().items()], release)
    return dict(_emitted(text) or {})


@cache
def recipes(release: str | None) -> Mapping[str, str | None]:
    """The recipe of each setting as Nix text; None where the compiler refuses it, with an error."""
    together = [name for name in settings() if name not in _MAY_BE_REFUSED]
    made = _compiled(together, release)
    alone = list(settings()) if made is None else _MAY_BE_REFUSED
    found: dict[str, str | None] = dict(made or {})
    for name in alone:
        found[name] = (_compiled([name], release) or {}).get(name)
    return found


# What the compiler may refuse is compiled by itself: no other recipe is made beside an error.
_MAY_BE_REFUSED: Final = ("patch-url-curl", "patch-url-relative", "source-of-curl")


def _compiled(names: Sequence[str], release: str | None) -> dict[str, str] | None:
    return _emitted(program(names, release))


def _emitted(text: str) -> dict[str, str] | None:
    files = {f"{MARK}.patch": "--- a\n"}
    compilation = compile_text(text, files=files)
    decided = compilation.recipes()
    if compilation.sink.has_errors:
        return None
    return {Path(out.path).stem: out.text for out in emit(decided, compilation.file)}


def write(folder: Path, release: str | None) -> dict[str, Path]:
    """The recipes that the compiler makes, below *folder*, with the patch that they name."""
    return write_all(folder, recipes(release))


def write_all(folder: Path, made: Mapping[str, str | None]) -> dict[str, Path]:
    """Recipes by the names of their settings, below *folder*."""
    folder.mkdir(exist_ok=True)
    (folder / f"{MARK}.patch").write_text("--- a\n", encoding="utf-8")
    written: dict[str, Path] = {}
    for name, text in made.items():
        if text is not None:
            written[name] = folder / f"{name}.nix"
            written[name].write_text(text, encoding="utf-8")
    return written


# --- recipes as people wrote them by hand at each age of nixpkgs ----------------------------------


def by_hand(release: str) -> dict[str, str]:
    """Nix text by the name of a setting: the same build, in the idiom of *release*."""
    return {
        name: _recipe(name, changes, overlays)
        for name, (changes, overlays) in _written(release).items()
    }


def _recipe(name: str, changes: str, overlays: str) -> str:
    package = settings()[name].package
    changed = f".overrideAttrs (old: {{ {changes} }})" if changes else ""
    return f"""
{{ pkgs }}:
let
  nixpkgs = builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{REV}.tar.gz";
    sha256 = "{PIN_HASH}";
  }};
  p = import nixpkgs {{
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {{ allowUnfree = true; allowBroken = true; }};
    overlays = [ {overlays} ];
  }};
in
p.{package}{changed}
"""


_SCRIPT: Final = f"(old.preConfigure or \"\") + ''\n  echo {MARK}\n''"


def _written(release: str) -> Mapping[str, tuple[str, str]]:
    git = "hash" if release >= "22.05" else "sha256"
    patch = git
    tag = 'tag = "v1"' if release >= "25.05" else 'rev = "refs/tags/v1"'
    variable = (
        f'env = (old.env or {{ }}) // {{ {MARK} = "1"; }};'
        if release >= "23.05"
        else f'{MARK} = "1";'
    )
    source = f'owner = "a"; repo = "{MARK}";'
    fetched = f'url = "https://e.org/{MARK}.patch"; {patch} = "{HASH}";'
    patched = f"patches = (old.patches or [ ]) ++ [ (final.fetchpatch {{ {fetched} }}) ];"
    found = {
        "attr": (f'{MARK} = "1";', ""),
        "list": (f'buildFlags = (old.buildFlags or [ ]) ++ [ "{MARK}" ];', ""),
        "script": (f"preConfigure = {_SCRIPT};", ""),
        "env": (variable, ""),
        "env-of-python": (variable, ""),
        "github-tag": (f'src = p.fetchFromGitHub {{ {source} {tag}; hash = "{HASH}"; }};', ""),
        "github-rev": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; hash = "{HASH}"; }};',
            "",
        ),
        "github-tag-submodules": (
            f"src = p.fetchFromGitHub {{ {source} {tag}; fetchSubmodules = true; "
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "github-rev-submodules": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; fetchSubmodules = true; '
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "url": (
            f'src = p.fetchurl {{ url = "https://e.org/{MARK}.tar.gz"; hash = "{HASH}"; }};',
            "",
        ),
        "patch-url": ("", _top("hello", patched)),
        "patch-file": (
            "",
            _top("hello", f"patches = (old.patches or [ ]) ++ [ ./{MARK}.patch ];"),
        ),
        "patch-url-python": ("", _python(release, patched)),
    }
    for name, package in MEMBERS.items():
        for kind, change in (("", f'{MARK} = "1";'), ("-env", variable)):
            overlay = (
                _python(release, change)
                if name == "python"
                else _set(release, name, package, change)
            )
            found[f"for-{name}{kind}"] = ("", overlay)
    return found


def _change(package: str, change: str) -> str:
    return f"{package}.overrideAttrs (old: {{ {change} }})"


def _top(package: str, change: str) -> str:
    return f"(final: prev: {{ {package} = {_change(f'prev.{package}', change)}; }})"


def _python(release: str, change: str) -> str:
    extension = f"(f: p: {{ numpy = {_change('p.numpy', change)}; }})"
    if release >= "22.11":
        return f"""(final: prev: {{
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [ {extension} ];
        }})"""
    # The interpreter that python3 is, at these ages.
    interpreter = "python39" if release >= "21.11" else "python38"
    return f"""(final: prev: {{
      {interpreter} = prev.{interpreter}.override {{
        packageOverrides = {extension};
        self = final.{interpreter};
      }};
    }})"""


def _set(release: str, name: str, package: str, change: str) -> str:
    path, _, member = package.rpartition(".")
    if not path:
        return _top(package, change)
    function = f"(f: p: {{ {member} = {_change(f'p.{member}', change)}; }})"
    alone = f"{{ {member} = {_change(f'prev.{package}', change)}; }}"
    scope = "overrideScope" if release >= "23.11" else "overrideScope'"
    match name:
        case "perl":
            method = (
                f"overrideScope {function}"
                if release >= "23.05"
                else (f"override {{ overrides = _: {alone}; }}")
            )
        case "lua":
            method = f"overrideScope {function}" if release >= "22.11" else f"extend {function}"
        case "llvm" | "llvm-libraries" if release >= "26.05":
            method = f"overrideScope {function}"
        case "ocaml" | "qt":
            method = f"{scope} {function}"
        case "r":
            method = f"override {{ overrides = {alone}; }}"
        case "beam":
            return f"""(final: prev: {{
              beam = prev.beam // {{
                packages = prev.beam.packages // {{
                  erlang = prev.{path}.extend {function};
                }};
              }};
            }})"""
        case "haskell" | "linux":
            method = f"extend {function}"
        case _:
            return f"(final: prev: {{ {path} = prev.{path} // {alone}; }})"
    return f"(final: prev: {{ {path} = prev.{path}.{method}; }})"


# --- the tests ------------------------------------------------------------------------------------

# What lands at which age is decided by nixpkgs, whatever Nix reads it.
pytestmark = [pytest.mark.nix, pytest.mark.once, pytest.mark.slow, requires_nix]

Age = str | Mapping[str, object]

# What came to nixpkgs at one time, one thing before the other.
FEATURES = (
    ("env",),
    ("finalAttrs",),
    ("overrideAttrsSet",),
    ("gitHash",),
    ("patchHash", "patchRelative"),
    ("githubTag",),
    ("pythonExtensions",),
    ("pythonScope",),
    ("scopeFinalFirst", "makeScopeWithSplicing'"),
    ("perlScope",),
    ("luaScope",),
    ("beamTop",),
    ("llvmScope",),
    ("torchName",),
    ("torchStructured",),
    ("scopePrime",),
)

# Where sources do not agree on a release, it is written for both.
UNSURE: tuple[tuple[str, str, str], ...] = (
    ("21.11", "with", "gitHash"),
    ("22.05", "with", "pythonExtensions"),
    ("24.11", "with", "githubTag"),
    ("20.09", "with", "luaScope"),
    ("26.05", "without", "luaScope"),
    ("26.05", "without", "beamTop"),
    ("25.11", "with", "llvmScope"),
    ("26.05", "without", "llvmScope"),
    ("26.05", "with", "torchStructured"),
)


def judged(folder: Path, age: Age, release: str | None) -> dict[str, Outcome]:
    """What becomes of all settings whose recipes the compiler makes."""
    return tried(write(folder, release), settings(), age)


def tried(
    written: Mapping[str, Path], known: Mapping[str, Setting], age: Age
) -> dict[str, Outcome]:
    """What becomes of these recipes, of settings that are *known*."""
    asked = {
        name: Asked(path, age, known[name].markers, known[name].depth)
        for name, path in written.items()
    }
    return outcomes(asked)


def faults(
    found: Mapping[str, Outcome],
    land_in: str | None,
    known: Mapping[str, Setting] | None = None,
) -> list[str]:
    """What is wrong, a line for each setting that is neither in the derivation nor refused in words
    that name it; and for those that are refused though the release *land_in* has a way."""
    return [
        f"{name}: {fault}"
        for name, setting in (settings() if known is None else known).items()
        if (fault := _fault(name, setting, found.get(name), land_in))
    ]


def _fault(name: str, setting: Setting, outcome: Outcome | None, land_in: str | None) -> str | None:
    must_land = land_in is not None and setting.lands_in(land_in)
    if outcome is None:
        return "refused by the compiler" if must_land else None
    if outcome.drv_path is not None:
        return None if outcome.landed else "silently without effect"
    if not outcome.said:
        return f"a riddle: {outcome.error}"
    named = [text.replace("NAME", name) for text in setting.named]
    if not any(text in sentence for text in named for sentence in outcome.said):
        return f"refused without naming {' or '.join(named)}: {outcome.said[0]}"
    if must_land:
        return f"refused: {outcome.said[0]}"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=3))
def test_where_the_release_is_stated_every_setting_lands(tmp_path: Path, release: str) -> None:
    assert faults(judged(tmp_path, release, release), release) == []


@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=3))
def test_where_no_release_is_stated_a_setting_lands_or_is_refused_in_words(
    tmp_path: Path, release: str
) -> None:
    land_in = release if release >= "25.05" else None
    assert faults(judged(tmp_path, release, None), land_in) == []


@pytest.mark.slow
@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("release", sampled(["20.09", "22.05", "23.05", "24.11", "26.05"], 4, ci=4))
def test_two_overlays_on_one_package_both_take_effect(
    tmp_path: Path, release: str, *, stated: bool
) -> None:
    written = write_all(tmp_path, paired(release if stated else None))
    assert set(written) == set(pairs())
    found = tried(written, pairs(), release)
    assert faults(found, release if stated else None, pairs()) == []


@pytest.mark.parametrize("via", ["override", "update"])
@pytest.mark.parametrize(
    ("other", "markers"),
    [
        ('overlay two for python3Packages.numpy { OTHER_2 = "1" }', ("MARK_1", "OTHER_2")),
        ('overlay two for python38Packages.numpy { via = override, OTHER_2 = "1" }', ("MARK_1",)),
        # The interpreter itself is made anew.
        ('overlay two for python38 { OTHER_2 = "1" }', ("MARK_1",)),
    ],
)
def test_a_set_of_an_interpreter_is_not_lost_with_it(
    tmp_path: Path, via: str, other: str, markers: tuple[str, ...]
) -> None:
    one = f'overlay one for python38.pkgs.numpy {{ via = {via}, MARK_1 = "1" }}'
    texts = [
        Setting("python38.pkgs.numpy", beside="\n".join(both)).declarations(name)
        for name, both in (("first", (one, other)), ("last", (other, one)))
    ]
    for name, text in zip(("first", "last"), texts, strict=True):
        folder = tmp_path / name
        files = write_recipes(compile_text(declared([text], "20.09")), folder)
        found = outcomes({name: Asked(files[name], "20.09", markers)})
        assert found[name].landed, (name, found[name])


@pytest.mark.parametrize("features", sampled(FEATURES, ci=4), ids="-".join)
def test_any_nixpkgs_between_two_ages_is_met_in_words(
    tmp_path: Path, features: tuple[str, ...]
) -> None:
    # Of a commit of the development branch nobody states what it has.
    ages: list[Age] = [
        {"release": "26.11", "without": list(features)},
        {"release": "20.09", "with": list(features)},
    ]
    for age in ages:
        assert faults(judged(tmp_path, age, None), None) == [], age


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "features"),
    sampled(
        [
            ("22.05", ("gitHash",)),
            ("22.05", ("patchHash", "patchRelative")),
            ("22.05", ("cudaScope",)),
            ("22.11", ("pythonExtensions",)),
            ("22.11", ("torchName",)),
            ("23.05", ("env",)),
            ("23.05", ("perlScope",)),
            ("23.11", ("scopeFinalFirst", "makeScopeWithSplicing'")),
            ("25.05", ("githubTag",)),
        ],
        4,
        several=True,
    ),
)
def test_a_commit_on_the_way_to_a_release_calls_itself_by_it(
    tmp_path: Path, release: str, features: tuple[str, ...]
) -> None:
    age = {"release": release, "without": list(features)}
    assert faults(judged(tmp_path, age, release), None) == []


@pytest.mark.slow
@pytest.mark.parametrize(("release", "switch", "feature"), sampled(UNSURE, 4, several=True))
def test_where_it_is_unsure_what_a_release_has_settings_land_either_way(
    tmp_path: Path, release: str, switch: str, feature: str
) -> None:
    age = {"release": release, switch: [feature]}
    assert faults(judged(tmp_path, age, release), release) == []


@pytest.mark.parametrize(("stated", "real"), [("25.05", "20.09"), ("20.09", "25.05")])
def test_a_release_that_is_not_the_pinned_one_is_refused_in_words(
    tmp_path: Path, stated: str, real: str
) -> None:
    wrong = []
    for name, outcome in judged(tmp_path, real, stated).items():
        said = " ".join(outcome.said)
        if outcome.drv_path is not None or real not in said or stated not in said:
            wrong.append(f"{name}: {outcome}")
    assert wrong == []


@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=3))
def test_a_recipe_is_the_build_that_people_wrote_by_hand_at_that_age(
    tmp_path: Path, release: str
) -> None:
    made = write(tmp_path, release)
    files: dict[str, Path] = {}
    for name, text in by_hand(release).items():
        files[f"{name}.by-hand"] = tmp_path / f"{name}.by-hand.nix"
        files[f"{name}.by-hand"].write_text(text, encoding="utf-8")
        files[name] = made[name]
    paths = drv_paths(files, ages=dict.fromkeys(files, release))
    assert [name for name in by_hand(release) if paths[name] != paths[f"{name}.by-hand"]] == []


@pytest.mark.parametrize(
    ("release", "setting", "variable"),
    [
        ("26.05", Setting("jq", 'attrs { CFLAGS = "1" }'), "CFLAGS"),
        ("26.05", Setting("python3Packages.torch", 'env { USE_NNPACK = "1" }'), "USE_NNPACK"),
    ],
)
def test_a_variable_in_the_other_place_than_the_packages_own_is_refused_by_nixpkgs(
    tmp_path: Path, release: str, setting: Setting, variable: str
) -> None:
    # Where a package keeps its own variables only nixpkgs knows, and says it in words.
    text = declared([setting.declarations("v")], release)
    files = write_recipes(compile_text(text), tmp_path)
    with pytest.raises(NixError, match=f"overlapping: {variable}"):
        drv_paths(files, ages={"v": release})


def test_the_features_are_those_of_the_model() -> None:
    known = model_value("import <nixpkgs/ages.nix> { }")
    assert tuple(known["releases"]) == RELEASES
    assert {name for names in FEATURES for name in names} <= set(known["featureNames"])
