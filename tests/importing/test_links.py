"""What a file writes once and reads by a name stays so, and nothing else is explained by a name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import drv_paths, model_value

SHA256 = "0ssi1wpaf7plaswqqjwigppsg5fyh99vdlb9kzl7c9lng89ndq1i"
LZIP = f"""{{ stdenv, fetchurl }}:
stdenv.mkDerivation rec {{
  pname = "lzip";
  version = "1.21";
  src = fetchurl {{
    url = "https://example.org/${{pname}}/${{builtins.replaceStrings [ "." ] [ "_" ] version}}.gz";
    name = "${{pname}}-${{version}}.tar.gz";
    sha256 = "{SHA256}";
  }};
  meta.homepage = "https://www.nongnu.org/lzip/lzip.html";
}}
"""
GITHUB = f"""{{ stdenv, fetchFromGitHub }}:
stdenv.mkDerivation rec {{
  pname = "tool";
  version = "2.0.%d";
  src = fetchFromGitHub {{
    owner = "tool";
    repo = pname;
    rev = version;
    sha256 = "{SHA256}";
  }};
}}
"""
OVERLAY = f"""{{ }}:
let
  nixpkgs = import (fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
  }}) {{
    overlays = [ (final: prev: {{
      torch = prev.torch.overrideAttrs (old: rec {{
        version = "2.10.0";
        src = prev.fetchFromGitHub {{
          owner = "pytorch";
          repo = "pytorch";
          rev = "v${{version}}";
          sha256 = "{SHA256}";
        }};
      }});
    }}) ];
  }};
in
nixpkgs.torch.overrideAttrs (old: {{ pname = "%s"; about = "the one called %s"; }})
"""
VISION = """{ pkgs, tvVersion, ptVersion }:
pkgs.vision.overrideAttrs (old: {
  version = tvVersion;
  note = "GPU: built with torch ${ptVersion} on a machine with much memory";
  rev = "v${tvVersion}";
  about = "vision ${tvVersion} (for torch ${ptVersion})";
})
"""

FETCHED = f"""fetchurl {{ url = "https://example.org/${{version}}.gz"; sha256 = "{SHA256}"; }}"""
BUMPED = {
    # Recipes that read their version in several places: the file, the version, and another one.
    "lines": (
        f"""{{ stdenv, fetchurl }}: stdenv.mkDerivation rec {{
  pname = "lines"; version = "2.1"; src = {FETCHED};
  postPatch = ''
    echo "${{version}}" > .version
    echo "no version: 2.1"
  '';
  meta = {{ inherit version; description = "Lines"; longDescription = "Of ${{version}}"; }};
}}""",
        ("2.1", "2.2"),
    ),
    "copied": (
        f"""{{ stdenv, fetchurl }}: stdenv.mkDerivation rec {{
  pname = "copied"; version = "2018-08-23"; src = {FETCHED};
  installPhase = ''
    cp "${{src}}" $out
  '';
  meta.homepage = src.meta.homepage;
}}""",
        ("2018-08-23", "2019-01-02"),
    ),
    "joined": (
        f"""{{ stdenv, fetchurl }}: let name = "joined"; version = "4.9beta+git"; in
stdenv.mkDerivation {{
  name = name + "-" + version;
  src = {FETCHED};
  flags = [ version "-D${{version}}" ];
}}""",
        ("4.9beta+git", "5.0"),
    ),
    "nested": (
        f"""{{ stdenv, lib, fetchurl }}: stdenv.mkDerivation rec {{
  pname = "nested"; version = "1.2.3"; src = {FETCHED};
  series = lib.versions.majorMinor version;
  note = "of ${{lib.versions.majorMinor version}}, in ${{version}}";
  postInstall = lib.optionalString stdenv.hostPlatform.isLinux "touch $out/${{version}}"
    + lib.optionalString stdenv.hostPlatform.isDarwin "rm $out/${{version}}";
}}""",
        ("1.2.3", "1.3.0"),
    ),
    "quiet": (
        f"""{{ stdenv, fetchurl }}: stdenv.mkDerivation {{
  pname = "quiet"; version = "7.0";
  src = fetchurl {{ url = "https://example.org/quiet.gz"; sha256 = "{SHA256}"; }};
}}""",
        ("7.0", "7.1"),
    ),
}
BASE = """{ version, patches ? [ ] }: { stdenv, lib, fetchurl, isRoot ? false }:
stdenv.mkDerivation {
  name = "icu4c-" + version;
  src = fetchurl {
    url = "https://example.org/${version}.gz";
    sha256 = "%s";
  };
  inherit patches isRoot;
  postPatch = if stdenv.hostPlatform.isLinux && lib.versionOlder version "62.1"
    then "substituteInPlace x" else null;
  postInstall = lib.optionalString isRoot "cp -r . $out/${version}" + "touch $out/done";
}
"""


def imported(here: Path, files: dict[str, str]) -> str:
    """The program of *files*, with a blank for all white space."""
    tvarc("import", str(put(here, files)), code=0)
    return re.sub(r"\s+", " ", Path("variants.tvar").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_version_is_written_once_and_bumped_in_one_place(here: Path) -> None:
    made = imported(here, {"pkgs/lzip.nix": LZIP})
    assert 'let pname = "lzip" let version = "1.21"' in made
    assert "pname = pname version = version" in made
    assert 'name = "{{pname}}-{{version}}.tar.gz"' in made
    assert 'https://example.org/{{pname}}/{{replace(version, ".", "_")}}.gz"' in made
    assert f'sha256 = "{SHA256}"' in made
    assert made.count("1.21") == 1 and 'homepage = "https://www.nongnu.org/lzip/lzip.html"' in made
    done = tvarc("bump", "version", "1.22")
    assert done.exit_code == 0 and "1 hash unlocked" in done.output, done.output
    assert tvarc("build", "--no-git", "--out", "built").exit_code == 0
    (built,) = Path("built").rglob("lzip.nix")
    text = built.read_text(encoding="utf-8")
    assert "lzip-1.22.tar.gz" in text and "lzip/1_22.gz" in text and "1.21" not in text


def built(out: str) -> dict[str, Path]:
    """The recipes that the program builds into the folder *out*, by their names."""
    assert tvarc("build", "--no-git", "--out", out).exit_code == 0
    return {path.stem: path for path in Path(out).rglob("*.nix") if path.stem != "base"}


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
def test_after_a_bump_the_program_is_what_the_files_are_after_it(here: Path) -> None:
    """What Nix reads by a name follows an edit of one place, wherever it is: in a script, in
    `meta`, in Nix text, and in a source that a script names."""
    for name, (text, (version, _)) in BUMPED.items():
        put(here, {f"pkgs/{name}.nix": text})
        assert text.count(f'"{version}"') == 1
    assert tvarc("import", "pkgs").exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("fetchurl") == 1 and r'cp \"{{src}}\" $out' in made, made
    assert "homepage = src.meta.homepage" in made, made
    for name, (text, (old, new)) in BUMPED.items():
        assert made.count(f'"{old}"') == 1, made
        made = made.replace(f'"{old}"', f'"{new}"')
        put(here, {f"pkgs/{name}.nix": text.replace(f'"{old}"', f'"{new}"')})
    Path("variants.tvar").write_text(made, encoding="utf-8")
    found = built("built")
    by_hand = {name: here / f"pkgs/{name}.nix" for name in BUMPED}
    assert drv_paths(found) == drv_paths(by_hand)
    for path in (by_hand["lines"], found["lines"]):
        meta = f"((import <nixpkgs> {{ }}).callPackage {path.resolve()} {{ }}).meta"
        assert model_value(f"{meta}.version") == "2.2"
        assert model_value(f"{meta}.longDescription") == "Of 2.2"


@requires_nix
@pytest.mark.nix
def test_a_comparison_of_versions_stays_one(here: Path) -> None:
    """A version on the other side of the one that the files compare it with takes the other side,
    and a cell that is written apart reads the version, too."""
    files = {"pkgs/base.nix": BASE % SHA256}
    for version in ("59.1", "60.2", "64.2", "65.1"):
        text = f'import ./base.nix {{ version = "{version}"; }}\n'
        files[f"pkgs/{version.partition('.')[0]}.nix"] = text
    files["pkgs/63.nix"] = f"""{{ stdenv, lib, fetchurl }}: import ./base.nix {{
  version = "63.1";
  patches = [ (fetchurl {{ url = "https://example.org/fix"; sha256 = "{SHA256}"; }}) ];
}} {{ inherit stdenv lib fetchurl; }}
"""
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "version(version) < 62.1" in made and 'kind in ["59", "60"]' not in made, made
    for old, new in (("60.2", "62.2"), ("63.1", "63.2"), ("64.2", "61.9")):
        assert made.count(f'"{old}"') == 1, made
        made = made.replace(f'"{old}"', f'"{new}"')
        path = here / f"pkgs/{old.partition('.')[0]}.nix"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    Path("variants.tvar").write_text(made, encoding="utf-8")
    found = built("built")
    assert drv_paths(found) == drv_paths({name: here / f"pkgs/{name}.nix" for name in found})


def test_versions_that_are_written_out_are_named(here: Path) -> None:
    """A person who changes the version by its name learns what that does not change."""
    text = OVERLAY.replace('about = "', 'flag = "-DVERSION=2.10.0"; about = "2.10.0.1 is another, ')
    files = {f"pkgs/{name}.nix": text % (name, name) for name in ("one", "two", "three")}
    done = tvarc("import", str(put(here, files)), "--report", "report.json")
    made = Path("variants.tvar").read_text(encoding="utf-8").split("\n")
    (line,) = [number for number, one in enumerate(made, 1) if "-DVERSION=2.10.0" in one]
    reach = "so a change of `version` does not reach"
    assert f"the files also write 2.10.0 out, {reach} line {line}\n" in done.output, done.output
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert report["versions"] == [{"version": "2.10.0", "lines": [line], "text_lines": []}]


def test_files_that_read_a_name_by_itself_are_linked(here: Path) -> None:
    made = imported(here, {"pkgs/tool.nix": GITHUB % 1})
    assert "repo = pname rev = version" in made and 'owner = "tool"' in made


def test_each_recipe_has_its_own_names(here: Path) -> None:
    other = """{ pkgs }: pkgs.hello.overrideAttrs (old: rec {
      version = "1.9"; about = "version ${version}"; doCheck = false; })
    """
    made = imported(here, {"pkgs/lzip.nix": LZIP, "pkgs/other.nix": other})
    assert 'let lzip-version = "1.21"' in made and 'let other-version = "1.9"' in made
    assert "version = lzip-version" in made and "version = other-version" in made


def test_a_version_of_each_file_of_a_family_is_a_column(here: Path) -> None:
    files = {f"pkgs/tool-{number}.nix": GITHUB % (number * 7) for number in (1, 2, 3)}
    made = imported(here, files)
    assert "let version =" in made and "rev = version" in made
    assert made.count('"2.0.14"') == 1


def test_a_name_that_one_file_shows_explains_nothing(here: Path) -> None:
    recipe = '{ pkgs }: pkgs.hello.overrideAttrs (old: { url = "http://www.mine.org"; })\n'
    made = imported(here, {"pkgs/mine.nix": recipe})
    assert 'url = "http://www.mine.org"' in made and "{{variant}}.org" not in made


def test_what_is_read_by_no_name_has_none(here: Path) -> None:
    recipe = '{ pkgs }: pkgs.hello.overrideAttrs (old: { version = "1.2"; rev = "1.2"; })\n'
    made = imported(here, {"pkgs/mine.nix": recipe})
    assert 'rev = "1.2", version = "1.2"' in made or 'version = "1.2", rev = "1.2"' in made


def test_a_version_that_plus_joins_is_a_link(here: Path) -> None:
    """`"v" + version` has the link that `"v${version}"` has."""
    files = {"pkgs/tool.nix": (GITHUB % 1).replace("rev = version", 'rev = "v" + version')}
    made = imported(here, files)
    assert 'rev = "v{{version}}"' in made and made.count("2.0.1") == 1, made


def test_the_version_of_an_overlay_is_a_link(here: Path) -> None:
    made = imported(here, {f"pkgs/{name}.nix": OVERLAY % (name, name) for name in ("one", "two")})
    assert 'let torch-overlay-version = "2.10.0" ' in made, made
    assert "version = torch-overlay-version" in made
    assert 'rev = "v{{torch-overlay-version}}"' in made and made.count("2.10.0") == 1


def test_what_a_column_says_is_not_said_again_with_words_around_it(here: Path) -> None:
    """A bump of a version is one edit, also if the revision is `v` and the version."""
    versions = {"a": ("0.25.0", "2.10.0"), "b": ("0.26.1", "2.11.2"), "c": ("0.27.0", "2.12.3")}
    files = {"pkgs/lib/vision.nix": VISION}
    for name, (own, torch) in versions.items():
        given = f'inherit pkgs; tvVersion = "{own}"; ptVersion = "{torch}";'
        files[f"pkgs/vision-{name}.nix"] = f"{{ pkgs }}: import ./lib/vision.nix {{ {given} }}"
    made = imported(here, files)
    for pair in versions.values():
        assert [made.count(one) for one in pair] == [1, 1], made
    assert 'about = "vision {{kind.tv-version}} (for torch {{kind.pt-version}})"' in made, made
    assert 'rev = "v{{kind.tv-version}}"' in made and "let " not in made


def test_a_text_that_is_computed_of_the_version_of_a_row_stays_computed(here: Path) -> None:
    """A new version of a row changes all that Nix computes of it, also the name of a file."""
    vision = """{ pkgs, ptVersion }:
let short = builtins.replaceStrings [ "." ] [ "" ]
  (builtins.head (builtins.match "([0-9]+\\.[0-9]+).*" ptVersion)); in
pkgs.vision.overrideAttrs (old: {
  note = "GPU: built with torch ${ptVersion} on a machine with much memory";
  torch = "pytorch${short}-python313";
})
"""
    files = {"pkgs/lib/vision.nix": vision}
    for name, version in {"a": "2.10.0", "b": "2.11.2", "c": "2.12.1"}.items():
        given = f'inherit pkgs; ptVersion = "{version}";'
        files[f"pkgs/vision-{name}.nix"] = f"{{ pkgs }}: import ./lib/vision.nix {{ {given} }}"
    made = imported(here, files)
    version = "version(kind.pt-version)"
    assert f'"{{{{major({version})}}}}{{{{minor({version})}}}}"' in made, made
    path = Path("variants.tvar")
    path.write_text(path.read_text(encoding="utf-8").replace("2.12.1", "2.13.0"), encoding="utf-8")
    assert "pytorch213-python313" in tvarc("explain", "vision-c", "torch").stdout


def test_a_version_of_each_file_is_a_column_and_not_a_rule(here: Path) -> None:
    """A new row must not get its version by `else`. `replaceChars` of the library reads it."""
    text = """{ stdenv, fetchurl, lib }:
stdenv.mkDerivation rec {
  pname = "icu4c";
  version = "%s";
  name = "${pname}-${version}";
  src = fetchurl {
    url = "https://example.org/release-${lib.replaceChars [ "." ] [ "-" ] version}/icu.tgz";
    sha256 = "%s";
  };
}
"""
    versions = ("59.1", "60.2", "63.1", "64.2", "65.1", "66.1", "67.1")
    files = {
        f"pkgs/{one.partition('.')[0]}.nix": text % (one, SHA256[:-1] + one[1])
        for one in versions
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "if kind" not in made and made.count('"60.2"') == 1, made
    assert 'release-{{replace(version, ".", "-")}}/' in made


def test_a_set_of_another_file_with_the_same_version_is_no_link(here: Path) -> None:
    """A bump of the recipe must not fetch another release of what it imports."""
    files = {
        "pkgs/tool/default.nix": f"""{{ stdenv, fetchurl }}:
let more = import ./more.nix {{ inherit stdenv fetchurl; }};
in stdenv.mkDerivation rec {{
  pname = "tool";
  version = "0.1";
  src = fetchurl {{ inherit version; name = pname; sha256 = "{SHA256}"; }};
  about = "${{pname}}-${{version}}";
  inputs = [ more ];
}}
""",
        "pkgs/tool/more.nix": f"""{{ stdenv, fetchurl }}: stdenv.mkDerivation {{
  pname = "more";
  src = fetchurl {{ name = "more"; version = "0.1"; sha256 = "{SHA256[:-1]}0"; }};
}}
""",
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert 'let version = "0.1"' in made and made.count("version = version") == 2, made
    assert 'version = "0.1";' in made, made


def test_a_version_that_reads_another_name_keeps_both_names(here: Path) -> None:
    """`"${major}.13"` is written once, and what reads it as well."""
    tool = f"""{{ stdenv, fetchurl }}:
let major = "1.1"; version = "${{major}}.13"; in
stdenv.mkDerivation {{
  pname = "tool";
  inherit version;
  src = fetchurl {{
    url = "https://example.org/${{major}}/${{version}}/tool-${{version}}.gz";
    sha256 = "{SHA256}";
  }};
}}
"""
    tvarc("import", str(put(here, {"pkgs/tool.nix": tool})), code=0)
    text = Path("variants.tvar").read_text(encoding="utf-8")
    assert 'version = "{{major}}.13"' in text and text.count(".13") == 1, text
    assert 'url    = "https://example.org/{{major}}/{{version}}/tool-{{version}}.gz"' in text, text


def test_a_number_is_no_part_of_a_longer_one(here: Path) -> None:
    """The name `1.72` is in `1.72.0`, which a new version `1.72.1` does not follow."""
    files = {
        f"pkgs/{name}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: { "
        f'url = "https://example.org/release/{name}.0/source"; }})\n'
        for name in ("1.70", "1.71", "1.72")
    }
    made = imported(here, files)
    assert "{{variant}}.0" not in made and "1.72.0" in made
