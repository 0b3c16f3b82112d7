"""Settings of every kind, each with a marker that has to arrive, for nixpkgs of any age."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

from support.compile import compile_text
from tvarc.build.driver import emit

RELEASES: Final = (
    "20.09",
    "21.05",
    "21.11",
    "22.05",
    "22.11",
    "23.05",
    "23.11",
    "24.05",
    "24.11",
    "25.05",
    "25.11",
    "26.05",
    "26.11",
)
"""All of `tests/nixpkgs/ages.nix`."""

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
