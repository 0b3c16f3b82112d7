"""Each feature that an age of nixpkgs has, lacks, or may have, and the form written then."""

from __future__ import annotations

import pytest

from support.alone import emit, one_by_one
from support.compile import codes, compile_text, lints, messages
from support.effort import for_each
from support.library import fact, rows, text, version
from tvarc.build.driver import Compilation
from tvarc.nix.nixpkgs import (
    FEATURES,
    NAMED_EARLY,
    RELEASES,
    cannot_fetch,
    has,
    is_made_of,
    kind_of,
    set_name,
    usual_form,
)

SRI = '"sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="'
REV = "cd63096d6d887d689543a0b97743d28995bc9bc3"


def program(inner: str, top: str = "", stated: str = "", overlays: str = "[]") -> str:
    return f"""
pin p {{ github = "NixOS/nixpkgs", rev = "{REV}", hash = {SRI}
  {stated}
}}
{top}
recipe r {{
  package  = pkgs.hello
  overlays = {overlays}
  {inner}
}}
variant v {{ recipe = r }}
output nix {{ file = "v.nix" }}
"""


def recipe(inner: str, top: str = "", stated: str = "", overlays: str = "[]") -> str:
    made = compile_text(program(inner, top, stated, overlays))
    files = list(emit(one_by_one(made), made.file))
    assert not made.sink.has_errors, messages(made)
    # The same by pieces.
    other = compile_text(program(inner, top, stated, overlays))
    assert [file.data().decode() for file in other.files(other.file)] == [files[0].text]
    return files[0].text


def one_line(text: str) -> str:
    return " ".join(text.split())


# --- what is known -----------------------------------------------------------------------------


def test_the_compiler_has_the_rows_of_the_library() -> None:
    told = rows("nixpkgs", "nixpkgs-feature")
    assert set(told) == set(FEATURES)
    for name, row in told.items():
        known = FEATURES[name]
        assert version(row, "first").text == known.first
        assert text(row, "by") == known.by
        assert fact(row, "exact") == known.exact
    releases = rows("nixpkgs", "nixpkgs-release")
    assert [version(row, "release").text for row in releases.values()] == list(RELEASES)
    assert [text(row, "branched") for row in releases.values()] == list(RELEASES.values())
    (named,) = rows("nixpkgs", "nixpkgs-name").values()
    assert version(named, "last").text == NAMED_EARLY


@for_each(
    "release, date, known",
    [
        ("", "", None),
        ("", "2026-01-01", None),
        ("23.05", "", False),
        ("24.05", "", True),
        ("23.11", "", None),
        ("23.11", "2023-08-13", False),
        ("23.11", "2023-08-14", None),
        ("23.11", "2023-08-15", True),
        ("23.11", "2023-12-01", True),
        ("26.05", "", True),
    ],
)
def test_what_is_known_by_release_and_day(release: str, date: str, known: bool | None) -> None:
    assert has("scope-order", release, date) is known


def test_a_release_is_past_its_branch_off_by_its_day() -> None:
    assert has("env", "23.05", "2022-12-01") is None
    assert has("env", "23.05", "2022-12-14") is True
    assert has("perl-scope", "23.05", "2023-05-21") is None
    assert has("perl-scope", "23.05", "2023-05-22") is True


# --- forms -------------------------------------------------------------------------------------

TAG = f'attrs {{ src = github("a/b", tag = "v1", hash = {SRI}) }}'
DEEP = f'attrs {{ src = github("a/b", rev = "{REV}", submodules = true, hash = {SRI}) }}'
PATCH = f'patch o for hello {{ url = "https://e.org/p", hash = {SRI} }}'
ENV = 'env { CFLAGS = "{{old.env.CFLAGS}} 1" }'

# What is written: inside the recipe, at top level, and in a known, a lacking, an unknown nixpkgs.
FORMS = {
    "env": (ENV, "", '(old.env or { }) // { CFLAGS = "${toString (old.env.CFLAGS or "")} 1"; };',
            'CFLAGS = "${toString (old.CFLAGS or "")} 1";', '.drvAttrs ? env'),
    "fetch-tag": (TAG, "", 'tag = "v1";', 'rev = "refs/tags/v1";',
                  "pinned.lib.functionArgs pinned.fetchFromGitHub ? tag"),
    "fetchgit-hash": (DEEP, "", "hash = ", "sha256 = ",
                      "pinned.lib.functionArgs pinned.fetchgit ? hash"),
    "fetchpatch-hash": ("", PATCH, "hash = ", "sha256 = ",
                        "prev.lib.functionArgs final.fetchpatch ? relative"),
    "python-extensions": ("", 'overlay o for python3Packages.numpy { A = "1" }',
                          "prev.pythonPackagesExtensions ++ [",
                          "packageOverrides = prev.lib.composeExtensions",
                          "prev ? pythonPackagesExtensions"),
    "scope-order": ("", 'overlay o for qt5.qtbase { A = "1" }', "prev.qt5.overrideScope (",
                    "(prev.qt5.overrideScope' or prev.qt5.overrideScope)",
                    "prev.lib ? makeScopeWithSplicing'"),
    "perl-scope": ("", 'overlay o for perlPackages.XMLParser { A = "1" }',
                   "prev.perlPackages.overrideScope (",
                   "(old.overrides or (_: { })) packages", "prev ? perlPackages.overrideScope"),
    "cuda-scope": ("", 'overlay o for cudaPackages.nccl { A = "1" }',
                   "prev.cudaPackages.overrideScope (", "prev.cudaPackages // {",
                   "prev ? cudaPackages.overrideScope"),
}  # fmt: skip


@pytest.mark.parametrize("feature", FORMS)
def test_the_form_that_a_nixpkgs_has(feature: str) -> None:
    inner, top, newer, older, guard = FORMS[feature]
    listed = "[o]" if top else "[]"
    known = one_line(recipe(inner, top, "release = 26.05", listed))
    lacking = one_line(recipe(inner, top, "release = 20.09", listed))
    unknown = one_line(recipe(inner, top, "", listed))
    # The pin itself is fetched by `sha256`.
    for text_, form in ((known, newer), (unknown, newer), (lacking, older)):
        assert form in text_.partition("pinned = ")[2]
    assert newer not in lacking.partition("pinned = ")[2]
    assert "state the `release` of the pin" not in known + lacking
    assert guard in unknown
    assert f"from {FEATURES[feature].first} on" in unknown or feature == "cuda-scope"
    assert "state the `release` of the pin" in unknown


def test_a_tag_that_nix_knows_alone_becomes_a_ref() -> None:
    inner = f'attrs {{ src = github("a/b", tag = "v{{{{old.version}}}}", hash = {SRI}) }}'
    assert 'rev = "refs/tags/v${old.version or ""}"' in recipe(inner, "", "release = 22.05")


def test_a_recipe_holds_the_pin_to_its_release() -> None:
    made = recipe("", "", 'release = 24.11, date = "2024-12-01"')
    assert 'pinned.lib.trivial.release == "24.11"' in made
    assert "pin `p` states release 24.11, its nixpkgs is of ${pinned.lib.trivial.release}" in made
    assert "trivial.release" not in recipe("")


def test_a_release_comes_from_a_row_or_is_unknown() -> None:
    top = 'use std.nixpkgs\naxis of = ["x"]'
    assert "26.05" in recipe("", top, "release = nixpkgs-0182a36.release")
    assert "trivial.release" not in recipe("", top, "release = nixpkgs-6a030d5.release")


def test_pins_of_several_ages_in_one_matrix() -> None:
    made = compile_text(f"""
axis age = [20.09, 23.11, 26.05]
pin p {{ github = "NixOS/nixpkgs", rev = "{REV}", hash = {SRI}, release = age }}
recipe r {{ package = pkgs.hello, env {{ A = "1", B = "2" }}, meta {{ broken = false }} }}
matrix m {{ recipe = r, axes = age, name = "v{{{{under(age)}}}}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
""")
    files = {file.path: file.data().decode() for file in made.files(made.file)}
    assert "env = " not in files["v20_09.nix"]
    assert "env = (old.env" in one_line(files["v26_05.nix"])
    plain = {file.path: file.text for file in emit(one_by_one(made), made.file)}
    assert files == plain


def test_a_variable_and_an_attribute_share_their_place_before_env() -> None:
    inner = 'env { A = "1" }\nattrs { A = "2" }'
    assert codes(compile_all(inner, "release = 20.09")) == ["E501"]
    assert codes(compile_all(inner, "release = 26.05")) == []


def compile_all(inner: str, stated: str) -> Compilation:
    made = compile_text(program(inner, "", stated))
    for file in made.files(made.file):
        file.data()
    return made


def test_update_changes_the_one_set() -> None:
    made = recipe("", "overlay o for gst_all_1.gstreamer { via = update, A = final.x }", "", "[o]")
    assert "setFinal = final.gst_all_1;" in made
    assert "prev.gst_all_1 // {" in one_line(made)


@for_each(
    "change, code",
    [
        (f'patch o for zlib {{ url = "https://e.org/p", hash = {SRI} }}', ["E508"]),
        (f'overlay o for zlib {{ src = github("a/b", rev = "{REV}", hash = {SRI}) }}',
         ["E508"]),
        (f'overlay o for zlib {{ src = url("https://e.org/z", hash = {SRI}) }}', []),
        (f'overlay o for openssl {{ src = url("https://e.org/z", hash = {SRI}) }}',
         ["E508"]),
        (f'patch o for hello {{ url = "https://e.org/p", hash = {SRI} }}', []),
        ('patch o for zlib { file = path("./p") }', []),
    ],
)  # fmt: skip
def test_what_fetching_is_made_of(change: str, code: list[str]) -> None:
    made = compile_text(program("", change, "", "[o]"), files={"p": ""})
    list(one_by_one(made))
    assert codes(made) == code
    other = compile_text(program("", change, "", "[o]"), files={"p": ""})
    list(other.files(other.file))
    assert messages(made) == messages(other)


@for_each(
    "target",
    [
        "bison",
        "xz",
        "python3Packages.six",
        "unzip",
        "perlPackages.LocaleGettext",
        "perldevelPackages.LocaleGettext",
        "autoreconfHook",
        "hello",
    ],
)
def test_what_each_fetch_of_20_09_is_made_of(target: str) -> None:
    sources = {
        "patch": None,
        "url": f'url("https://e.org/z", hash = {SRI})',
        "github": f'github("a/b", rev = "{REV}", hash = {SRI})',
        "git": f'github("a/b", rev = "{REV}", hash = {SRI}, submodules = true)',
    }
    refused = {
        "bison": {"patch", "url", "github", "git"},
        "xz": {"patch", "url", "github", "git"},
        "python3Packages.six": {"git"},
        "unzip": {"github", "git"},
        "perlPackages.LocaleGettext": {"patch", "url", "github", "git"},
        "perldevelPackages.LocaleGettext": set(),
        "autoreconfHook": {"patch", "url", "github", "git"},
        "hello": set(),
    }
    for kind, source in sources.items():
        change = f"overlay o for {target} {{ src = {source} }}"
        if source is None:
            change = f'patch o for {target} {{ url = "https://e.org/p", hash = {SRI} }}'
        made = compile_text(program("", change, "release = 20.09", "[o]"))
        list(one_by_one(made))
        assert codes(made) == (["E508"] if kind in refused[target] else [])


@for_each(
    "overlay, code",
    [
        (f'overlay o in perlPackages {{ LocaleGettext = url("https://e.org/z", hash = {SRI}) }}',
         ["E508"]),
        (f'overlay o in perlPackages {{ Fresh = url("https://e.org/z", hash = {SRI}) }}', []),
        (f'overlay o {{ openssl = url("https://e.org/z", hash = {SRI}) }}', ["E508"]),
        (f'overlay o {{ fresh = url("https://e.org/z", hash = {SRI}) }}', []),
        (f'overlay o for openssl {{ a += [url("https://e.org/z", hash = {SRI})] }}', ["E508"]),
        (f'overlay o for openssl {{ args {{ a = url("https://e.org/z", hash = {SRI}) }} }}',
         ["E508"]),
        ('overlay o for openssl { url = "https://e.org/z" }', []),
    ],
)  # fmt: skip
def test_what_is_fetched_for_a_member_of_a_set(overlay: str, code: list[str]) -> None:
    made = compile_text(program("", overlay, "release = 20.09", "[o]"))
    list(one_by_one(made))
    assert codes(made) == code


def test_names_that_are_known_of_20_09_alone() -> None:
    for target in (
        ("bison",),
        ("python38Packages", "six"),
        ("perlPackages", "URI"),
        ("cacert",),
        ("git",),
    ):
        assert "git" in cannot_fetch(target, oldest=True)
        assert not cannot_fetch(target, oldest=False)
    assert cannot_fetch(("openssl",), oldest=False) == {"url", "patch", "github", "git"}
    # Tools of stdenv: the `fetchurl` of later releases is not made of them.
    for tool in ("bash", "coreutils", "gnugrep", "gnused", "gnutar"):
        assert cannot_fetch((tool,), oldest=True) == {"url", "patch", "github", "git"}
        assert cannot_fetch((tool,), oldest=False) == {"patch", "github", "git"}
    # What only points to a package that is fetched with may be changed.
    assert not cannot_fetch(("kerberos",), oldest=True)
    assert not cannot_fetch(("perlPackages", "six"), oldest=True)


# --- attributes that nixpkgs looks at ----------------------------------------------------------


@for_each(
    "inner, code, said",
    [
        ("attrs { stdenv = pkgs.clangStdenv }", "E210", "write it"),
        ('attrs { system = "x86_64-linux" }', "E210", "localSystem"),
        ('env { userHook = "x" }', "E210", "has no effect in `attrs`"),
        ('attrs { doCheck += ["x"] }', "E301", "`doCheck` of a package must be true or false"),
        ("attrs { doCheck = 1 }", "E301", "this is an integer"),
        ("attrs { doCheck.x = 1 }", "E301", "sets a key of it"),
        ('attrs { version += ["1"] }', "E301", 'version = "{{old.version}}…"'),
        ("attrs { version = 3 }", "E301", "`version` of a package must be a string"),
        ("attrs { outputs = null }", "E301", "this is null"),
        ('attrs { buildInputs = "{{old.buildInputs}} x" }', "E301", "that only Nix knows"),
        ("meta { broken += [1] }", "E301", "`broken` of a package must be true or false"),
        ('env { meta = "x" }', "E301", "`meta { … }`"),
        ("env { doCheck = true }", "E301", "`doCheck` is not an environment variable"),
        ('attrs { doCheck = true, outputs = ["out"], version = 2.10 }', "", ""),
        ('attrs { buildInputs += [pkgs.zlib], version = "{{old.version}}-1" }', "", ""),
        ('attrs { doCheck = nix"""true""", outputs = old.outputs }', "", ""),
        ("attrs { doCheck = none }\n  attrs { doCheck = true }", "E501", ""),
        ('env { CFLAGS = "x" }\n  passthru { doCheck = 1 }', "", ""),
    ],
)
def test_an_attribute_that_nixpkgs_looks_at_is_of_its_kind(
    inner: str, code: str, said: str
) -> None:
    made = compile_text(program(inner, "", "", "[]"))
    list(one_by_one(made))
    assert codes(made) == ([code] if code else [])
    assert said.replace("write it", "`args { stdenv = … }`") in messages(made)
    # The same in an overlay for a package, but not among the names of a set.
    for overlay, expected in (
        (f"overlay o for hello {{ {inner.removeprefix('attrs { ').removesuffix(' }')} }}", code),
        (f"overlay o in qt5 {{ {inner.removeprefix('attrs { ').removesuffix(' }')} }}", ""),
    ):
        if inner.startswith("attrs") and "old" not in inner and code != "E501":
            made = compile_text(program("", overlay, "", "[o]"))
            list(one_by_one(made))
            assert codes(made) == ([expected] if expected else []), messages(made)


# --- overlays that reach nothing ---------------------------------------------------------------


@for_each(
    "changed, via, built, speaks",
    [
        ("python3Packages.numpy", "override", "python38Packages.numpy", True),
        ("python38Packages.numpy", "override", "python39Packages.numpy", True),
        ("python38Packages.numpy", "override", "python3Packages.numpy", True),
        ("python38Packages.numpy", "update", "python3Packages.numpy", True),
        ("python313Packages.numpy", "scope", "python3Packages.numpy", True),
        ("python38.pkgs.numpy", "override", "python38Packages.numpy", False),
        ("python38Packages.numpy", "override", "python38.pkgs.numpy", True),
        ("python3.pkgs.numpy", "override", "python3Packages.numpy", True),
        ("python3.pkgs.numpy", "override", "python37.pkgs.numpy", True),
        ("pypy3Packages.numpy", "override", "python3Packages.numpy", True),
        ("python3Packages.numpy", "override", "python3Packages.numpy", False),
        ("python3Packages.numpy", "override", "python3Packages.scipy", False),
        ("python3Packages.numpy", "", "python38Packages.numpy", False),
        ("python38.pkgs.numpy", "extensions", "python3Packages.numpy", False),
        ("python3Packages.numpy", "override", "hello", False),
        ("python3Packages.numpy", "override", "luaPackages.lpeg", False),
        ("linuxPackages.zfs", "", "linuxPackages_5_4.zfs", True),
        ("linuxPackages_5_4.zfs", "", "linuxPackages_latest.zfs", True),
        ("linuxPackages_latest.zfs", "", "linuxPackages.zfs", True),
        ("cudaPackages.nccl", "", "cudaPackages_12_8.nccl", True),
        ("cudaPackages_12_8.nccl", "", "cudaPackages_12.nccl", True),
        ("haskellPackages.lens", "", "haskell.packages.ghc884.lens", True),
        ("haskell.packages.ghc865.lens", "", "haskellPackages.lens", True),
        ("perlPackages.XMLParser", "", "perl530Packages.XMLParser", True),
        ("perl530Packages.XMLParser", "", "perlPackages.XMLParser", True),
        ("luajitPackages.lpeg", "", "luaPackages.lpeg", True),
        ("lua52Packages.lpeg", "", "lua53Packages.lpeg", True),
        ("lua5_3.pkgs.lpeg", "", "lua53Packages.lpeg", False),
        ("ocaml-ng.ocamlPackages_4_08.lwt", "", "ocamlPackages.lwt", True),
        ("ocaml-ng.ocamlPackages_4_08.lwt", "", "ocaml-ng.ocamlPackages_4_09.lwt", True),
        ("ocaml-ng.ocamlPackages.lwt", "", "ocamlPackages.lwt", False),
        ("beam.packages.erlangR22.hex", "", "beamPackages.hex", True),
        ("php73Packages.composer", "", "php74Packages.composer", True),
        ("php73Packages.composer", "", "phpPackages.composer", True),
        ("php73Packages.composer", "", "phpExtensions.gd", False),
        ("php74.packages.composer", "", "php74Packages.composer", False),
        ("llvmPackages_9.llvm", "", "llvmPackages.llvm", True),
        ("llvmPackages_9.llvm", "", "llvmPackages_10.llvm", True),
        ("ruby_2_5.gems.nokogiri", "", "rubyPackages.nokogiri", True),
        ("ruby_2_5.gems.nokogiri", "", "rubyPackages_2_5.nokogiri", False),
        ("emacs26Packages.magit", "", "emacsPackages.magit", True),
        ("emacsPackages.dash", "", "emacs26Packages.magit", True),
        ("postgresql11Packages.postgis", "", "postgresql12Packages.postgis", True),
        ("xorg.libX11", "", "gnome3.gedit", False),
        # What else is in a set that is changed by `//` does not see it.
        ("gst_all_1.gstreamer", "", "gst_all_1.gst-plugins-base", True),
        ("gst_all_1.gstreamer", "", "gst_all_1.gstreamer", False),
        ("python38Packages.numpy", "update", "python38Packages.pandas", True),
        ("qt5.qtbase", "", "qt5.qtsvg", False),
        ("qt5.qtbase", "update", "qt5.qtsvg", True),
    ],
)
def test_an_overlay_on_another_name(changed: str, via: str, built: str, speaks: bool) -> None:
    form = f"via = {via}" if via else ""
    made = compile_text(
        program("", f"overlay o for {changed} {{\n  {form}\n  A = 1\n}}", "", "[o]").replace(
            "pkgs.hello", f"pkgs.{built}"
        )
    )
    list(one_by_one(made))
    assert ("overlay-unreached" in lints(made)) is speaks
    other = compile_text(
        program("", f"overlay o for {changed} {{\n  {form}\n  A = 1\n}}", "", "[o]").replace(
            "pkgs.hello", f"pkgs.{built}"
        )
    )
    list(other.files(other.file))
    assert messages(made) == messages(other)


def test_kinds_and_families_of_sets() -> None:
    assert kind_of(("perl530Packages",)) == "perl"
    assert kind_of(("lua5_3", "pkgs")) == "either"
    assert kind_of(("linuxPackages_5_4",)) == "extend"
    assert kind_of(("beam", "packages", "erlangR23")) == "either"
    assert kind_of(("rPackages",)) == "r"
    assert kind_of(("phpPackages",)) == "plain"
    assert kind_of(("qt5",)) == "scope"


@for_each(
    "built, changed, made",
    [
        ("python3Packages", "python38Packages", None),
        ("python39Packages", "python38Packages", False),
        ("python38Packages", "python3Packages", False),
        ("python38Packages", "python38.pkgs", True),
        ("python3Packages", "python3.pkgs", None),
        ("python3Packages", "python38.pkgs", None),
        ("python3.pkgs", "python38.pkgs", None),
        ("python38.pkgs", "python38Packages", False),
        ("python3Packages", "pypy3Packages", False),
        ("lua53Packages", "lua5_3Packages", None),
        ("linuxPackages_latest", "linuxPackages_5_4", None),
        ("linuxPackages_5_4", "linuxPackages_latest", False),
        ("linuxPackages_6_1", "linuxKernel.packages.linux_6_1", None),
        ("haskell.packages.ghc94", "haskell.packages.ghc948", None),
        ("haskell.packages.ghc884", "haskell.packages.ghc865", False),
        ("haskellPackages", "haskell.packages.ghc884", None),
        ("beamPackages", "beam.packages.erlangR22", None),
        ("beam.packages.erlangR22", "beamPackages", False),
        ("ocamlPackages", "ocaml-ng.ocamlPackages", True),
        ("ocamlPackages", "ocaml-ng.ocamlPackages_4_08", None),
        ("rubyPackages_2_5", "ruby_2_5.gems", True),
        ("rubyPackages_2_6", "ruby_2_5.gems", False),
        ("postgresql11Packages", "postgresqlPackages", None),
        ("cudaPackages_12_8", "cudaPackages", False),
        ("qt5", "gst_all_1", False),
    ],
)
def test_which_sets_are_made_of_which(built: str, changed: str, made: bool | None) -> None:
    assert is_made_of(tuple(built.split(".")), tuple(changed.split("."))) is made


def test_what_is_no_name_of_a_version() -> None:
    for path in (("qt5",), ("xorg",), ("texlive", "combined"), ("emacs26WithPackages",), ()):
        assert set_name(path) is None, path


def overlaid(top: str, built: str, inner: str = "", stated: str = "") -> list[str]:
    names = [line.split()[1] for line in top.splitlines() if line.startswith("overlay ")]
    listed = f"[{', '.join(names)}]"
    text = program(inner, top, stated, listed).replace("pkgs.hello", f"pkgs.{built}")
    made = compile_text(text)
    list(one_by_one(made))
    assert not made.sink.has_errors, messages(made)
    other = compile_text(text)
    list(other.files(other.file))
    assert messages(made) == messages(other)
    return [one.title for one in made.diagnostics if one.name == "overlay-unreached"]


@pytest.mark.slow
def test_an_overlay_whose_package_is_handed_on_reaches_it() -> None:
    top = "overlay o for gst_all_1.gstreamer { A = 1 }"
    built = "gst_all_1.gst-plugins-base"
    assert len(overlaid(top, built)) == 1
    for inner in (
        "args { gstreamer = pkgs.gst_all_1.gstreamer }",
        'args { gstreamer = nix"""pkgs.gst_all_1.gstreamer""" }',
        "attrs { buildInputs += [pkgs.gst_all_1.gstreamer] }",
        'attrs { buildInputs = nix"""with pkgs; [ gst_all_1.gstreamer ]""" }',
    ):
        assert overlaid(top, built, inner) == [], inner
    assert len(overlaid(top, built, "args { gstreamer = pkgs.gst_all_1.orc }")) == 1
    handed = "overlay q for gst_all_1.gst-plugins-base { args { gstreamer = final.gstreamer } }"
    assert overlaid(f"{top}\n{handed}", built) == []
    # What an overlay says of itself does not count.
    own = "overlay o for python38Packages.six { via = override, buildInputs = [final.py] }"
    assert len(overlaid(own, "python39Packages.six")) == 1


@pytest.mark.parametrize(
    ("stated", "speaks"),
    [("release = 20.09", True), ("release = 24.11", True), ("release = 26.05", False), ("", False)],
)
def test_sets_of_llvm_were_put_together_by_hand_once(stated: str, *, speaks: bool) -> None:
    top = "overlay o for llvmPackages_9.libcxx { A = 1 }"
    text = program("", top, stated, "[o]").replace("pkgs.hello", "pkgs.llvmPackages_9.clang")
    made = compile_text(text)
    list(one_by_one(made))
    assert ("overlay-unreached" in lints(made)) is speaks


def test_a_set_that_is_written_anew_may_be_anything() -> None:
    top = "overlay o for cudaPackages_12_8.nccl { A = 1 }"
    assert overlaid(top, "cudaPackages.nccl") == [
        "overlay-unreached: this overlay may not reach the package"
    ]
    anew = "overlay c { cudaPackages = final.cudaPackages_12_8 }"
    assert overlaid(f"{top}\n{anew}", "cudaPackages.nccl") == []


@for_each(
    "value, speaks",
    [
        ("prev.numpy", True),
        ("final.numpy", False),
        ("prev.scipy", False),
        ("pkgs.python38Packages.numpy", False),
        ('nix"""prev.numpy"""', True),
        ('nix"""prev.numpy.overrideAttrs (o: { B = o.B or 1; })"""', True),
        ('nix"""prev.numpy.overrideAttrs (o: { B = {{"x"}}; })"""', True),
        ('nix"""prev.numpy.override { blas = prev.scipy; }"""', False),
        ('nix"""prev.numpy.override { blas = pkgs.blas; }"""', False),
        ('nix"""prev . numpy"""', False),
        ('nix"""with prev; numpy"""', False),
        ('nix"""let inherit (prev) numpy; in numpy"""', False),
        ('nix"""if prev ? numpy then final.numpy else null"""', False),
        ('nix"""prev.numpy // (import <nixpkgs> { }).python3Packages.numpy"""', False),
        ("null", False),
    ],
)
def test_a_member_made_of_itself_alone_is_not_written_anew(value: str, speaks: bool) -> None:
    other = "overlay o for python38Packages.numpy {\n  via = override\n  A = 1\n}"
    anew = f"overlay c in python3Packages {{ numpy = {value} }}"
    assert bool(overlaid(f"{other}\n{anew}", "python3Packages.numpy")) is speaks


def test_a_member_of_a_set_by_update_made_of_itself_alone_has_the_old_other_members() -> None:
    top = "overlay o for gst_all_1.gstreamer { A = 1 }"
    built = "gst_all_1.gst-plugins-base"
    own = "prev.gst-plugins-base.overrideAttrs (o: { B = 1; })"
    hands = "prev.gst-plugins-base.override { gstreamer = prev.gstreamer; }"
    for value, count in ((own, 1), (hands, 0)):
        anew = f'overlay c in gst_all_1 {{ gst-plugins-base = nix"""{value}""" }}'
        assert len(overlaid(f"{top}\n{anew}", built)) == count


def test_a_set_that_is_written_as_it_was_is_not_written_anew() -> None:
    top = "overlay o for cudaPackages_12_8.nccl { A = 1 }"
    assert len(overlaid(f"{top}\noverlay c {{ cudaPackages = prev.cudaPackages }}",
                        "cudaPackages.nccl")) == 1  # fmt: skip


def test_members_of_a_set_that_older_releases_have_without_a_fixpoint() -> None:
    top = "overlay o for cudaPackages.cudatoolkit { A = 1 }"
    assert len(overlaid(top, "cudaPackages.nccl", stated="release = 20.09")) == 1
    assert overlaid(top, "cudaPackages.nccl", stated="release = 24.05") == []


def test_several_members_are_changed_by_one_overlay() -> None:
    top = "overlay o in gst_all_1 { gstreamer = final.a, orc = final.b }"
    assert len(overlaid(top, "gst_all_1.gst-plugins-base")) == 1
    assert overlaid(top, "gst_all_1.orc") == []


def test_the_form_of_each_set_is_that_of_the_library() -> None:
    found = rows("nixpkgs", "nixpkgs-set")
    assert found
    for name, row in found.items():
        written = row.facts["form"].value
        form = usual_form((name.removesuffix("-of-any"),))
        assert form == ("scope" if written == "either" else written), name
