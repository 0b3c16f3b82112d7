"""What words of names are: axes, versions of several words, words that stand twice."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

GPUS = ("sm80", "sm90", "sm100")
ISAS = ("avx2", "avx512")


def imported(here: Path, files: dict[str, str]) -> str:
    """The program of *files*, which is proven to build all of them."""
    done = tvarc("import", str(put(here, files)), code=0)
    assert f"{len(files)} imported" in done.stdout
    return Path("variants.tvar").read_text(encoding="utf-8")


def versions(*wanted: str) -> dict[str, str]:
    """Recipes that say their version in their names, and in texts of one line and of several."""
    return {
        f"pkgs/torch-{version}-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "torch-{version}-{gpu}-{isa}";\n  version = "{version}";\n'
        f'  preConfigure = "export V={version}\\necho {gpu}\\n";\n}})\n'
        for version in wanted
        for gpu in GPUS
        for isa in ISAS
    }


@pytest.mark.parametrize(
    "wanted",
    [
        ("2.10-rc1", "2.10-rc2", "2.9-rc1", "2.9-rc3"),
        ("2.10-rc1", "2.9-rc3"),
        ("2.10-rc1", "2.9-beta2", "2.8-rc3"),
    ],
)
def test_a_version_of_two_words_is_no_row_for_each_cell(
    wanted: tuple[str, ...], here: Path
) -> None:
    made = imported(here, versions(*wanted))
    assert not re.search(r"let (?:\S+-)?by-\S*-(gpu|isa)\b", made), made
    assert made.count("\n") < 60


def test_two_words_that_decide_each_other_are_one_axis(here: Path) -> None:
    made = imported(here, versions("2.10-rc1", "2.9-rc3"))
    assert re.search(r'axis rc += \["2.9-rc3", "2.10-rc1"\]', made), made
    assert "exclude" not in made


def test_a_word_that_stands_in_a_name_twice_is_one_axis(here: Path) -> None:
    files = {
        f"pkgs/{python}.torch-{python}-{gpu}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "{python}-{gpu}";\n}})\n'
        for python in ("python311", "python312", "python313")
        for gpu in GPUS
    }
    made = imported(here, files)
    assert 'name = "{{python}}.torch-{{python}}-{{gpu}}"' in made
    assert made.count("\naxis ") == 2 and "exclude" not in made


@pytest.mark.slow
def test_a_number_in_the_name_is_one_rule_and_no_line_for_each_file(here: Path) -> None:
    files = {
        f"pkgs/tool-{number:03}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "tool-{number:03}";\n  preConfigure = "echo {number:03}\\n";\n}})\n'
        for number in range(1, 201)
    }
    made = imported(here, files)
    assert made.count("echo {{series}}") == 1 and made.count("part series") == 1
    assert made.count("\n") < 50


@pytest.mark.slow
def test_names_that_are_unlike_each_other_are_rows_of_one_axis(tmp_path: Path) -> None:
    """Each name is written once, on a line with what that file alone says."""
    names = ("bat", "curl", "fd", "fish", "htop", "jq", "nano", "ripgrep", "tmux", "tree", "zsh")
    digests = {
        name: f"sha256-{b64encode(sha256(name.encode()).digest()).decode()}" for name in names
    }
    files = {
        f"pkgs/{name}.nix": f"""{{ stdenv, fetchFromGitHub }}:
stdenv.mkDerivation rec {{
  pname = "{name}";
  version = "{number}.{number * 3 % 7}";
  src = fetchFromGitHub {{
    owner = "{name[::-1]}";
    repo = "{name}";
    rev = "v${{version}}";
    hash = "{digests[name]}";
  }};
}}
"""
        for number, name in enumerate(names)
    }
    put(tmp_path, files)
    assert tvarc("import", "pkgs").exit_code == 0
    text = (tmp_path / "variants.tvar").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if "sha256-" in line]
    for name, row in zip(names, rows, strict=True):
        assert re.match(rf"  {name} +\{{ version = ", row)
        assert f'owner = "{name[::-1]}"' in row and f'hash = "{digests[name]}"' in row
    others = [line for line in text.splitlines() if line not in rows]
    assert not any(re.search(rf"\b{name}\b", line) for name in names for line in others)
    differing = 3 * len(names)  # version, owner and hash: the rest follows from the name
    assert text.count("\n") <= differing + 10
    assert "version = package-name.version" in text.replace("  ", "")
    assert tvarc("check").exit_code == 0


def test_unlike_names_of_several_packages_are_all_imported(here: Path) -> None:
    """Names of one word for each of three packages: a matrix for each."""
    packages = {
        "hello": ("ape", "bee", "cat"),
        "curl": ("dog", "elk", "fox"),
        "zlib": ("gnu", "hen"),
    }
    made = imported(
        here,
        {
            f"pkgs/{name}.nix": f'{{ pkgs }}: pkgs.{package}.override {{ a = "{name}"; }}\n'
            for package, names in packages.items()
            for name in names
        },
    )
    assert re.findall(r"axis .*= (\[.*\])", made) == [
        '["dog", "elk", "fox"]', '["ape", "bee", "cat"]', '["gnu", "hen"]'
    ]  # fmt: skip


def test_words_of_names_of_unlike_lengths_are_one_axis(here: Path) -> None:
    """Each axis has the words of one thing, wherever these stand."""
    files = {
        f"pkgs/fmt-{compiler}-{system}-{level}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  flags = "{compiler} {system} {level}";\n}})\n'
        for compiler in ("gcc13", "gcc14", "clang18")
        for system in ("linux-x64", "linux-arm64", "macos")
        for level in ("release", "debug", "asan")
    }
    made = imported(here, files)
    assert re.findall(r"axis .*= (\[.*\])", made) == [
        '["clang18", "gcc13", "gcc14"]',
        '["arm64", "x64"]',
        '["asan", "debug", "release"]',
    ]


def test_names_that_mean_something_else_stay_texts(tmp_path: Path) -> None:
    for name, level in (("gpu", 1), ("sm80", 2), ("9", 3), ("recipe", 4)):
        text = f'{{ hello }}:\nhello.overrideAttrs (old: {{ note = "{level * 7}"; }})\n'
        put(tmp_path, {f"pkgs/tool-{name}.nix": text})
    assert tvarc("import", "pkgs").exit_code == 0
    assert tvarc("check").exit_code == 0 and "4 variants" in tvarc("check").output


def test_a_word_that_a_name_has_twice_is_not_taken_out_of_it(here: Path) -> None:
    """As where folders are called like words in the names of the files in them."""
    files = {
        f"pkgs/{gpu}/torch-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "torch-{gpu}-{isa}";\n}})\n'
        for gpu in GPUS
        for isa in ISAS
    }
    text = imported(here, files)
    assert re.search(r'name += "\{\{gpu}}\.torch-\{\{gpu}}-\{\{isa}}"', text), text
    assert re.search(r'pname += "torch-\{\{gpu}}-\{\{isa}}"', text), text


def test_a_word_in_the_prefix_that_the_rest_begins_with_costs_no_recipe(here: Path) -> None:
    """`sm90-` comes twice in `sm90-sm90-x`: no text without it is the name without its first."""
    files = {
        f"pkgs/{gpu}/{gpu}-{isa}.nix": f'{{ pkgs }}: pkgs.stdenv.mkDerivation {{ pname = "{gpu}-'
        f'{isa}"; version = "1"; flags = [ "{gpu}-{isa}" "-j{len(isa)}" ]; }}\n'
        for gpu in GPUS
        for isa in ("10-rc1", "full-static-pie", "release-lto")
    }
    assert "full-static-pie" in imported(here, files)


@pytest.mark.slow
@pytest.mark.parametrize("gpus", [GPUS, GPUS[:1]])
def test_the_name_of_a_variant_in_an_overlay_is_one_of_axes(
    gpus: tuple[str, ...], here: Path
) -> None:
    """An overlay is for several variants, and cannot read `variant`."""
    files = {
        f"pkgs/{gpu}-torch-{isa}.nix": "{ pkgs }: let pinned = import (builtins.fetchTarball {\n"
        f'  url = "https://github.com/NixOS/nixpkgs/archive/{"1" * 40}.tar.gz";\n}}) {{\n'
        "  overlays = [ (final: prev: { zlib = prev.zlib.overrideAttrs (old: {\n"
        f'    pname = "zlib-{gpu}-torch-{isa}"; other = "torch-{isa}"; }}); }}) ];\n'
        f'}}; in pinned.hello.overrideAttrs (old: {{ pname = "{gpu}-torch-{isa}"; }})\n'
        for gpu in gpus
        for isa in ISAS[: len(gpus)]
    }
    text = imported(here, files)
    several = r'pname += "zlib-\{\{gpu}}-torch-\{\{isa}}"'
    assert re.search(several if len(gpus) > 1 else 'pname += "zlib-sm80-torch-avx2"', text), text


def test_names_are_those_on_disk(here: Path) -> None:
    """Dots, digits first, folders of versions: nothing is renamed, and nothing is left out."""
    files = {
        f"pkgs/{path}.nix": f'{{ hello }}: hello.overrideAttrs (old: {{ pname = "x"; n = {n}; }})\n'
        for n, path in enumerate(
            (
                "torch-armv8.2", "torch-armv9", "1.13", "58", "2.7/default", "3.8/default", "a b",
                "with", "libc++", "ü", "$HOME",
            )
        )
    }  # fmt: skip
    imported(here, files)
    names = {one["name"] for one in json.loads(tvarc("list", "--json").stdout)}
    assert names == {
        path.removeprefix("pkgs/").removesuffix(".nix").removesuffix("/default") for path in files
    }


def test_a_matrix_is_called_by_a_word_of_the_language(here: Path) -> None:
    files = {
        f"pkgs/{name}.nix": f'{{ {set} }}: {set}.overrideAttrs (old: {{ pname = "{name}"; }})\n'
        for name, set in (("1.13", "zlib"), ("++", "curl"), ("exclude", "bash"), ("no-1.1", "git"))
    }
    made = imported(here, files)
    assert len(re.findall(r"(?m)^(?:matrix|variant) [A-Za-z_]", made)) == 4


def test_a_record_of_one_column_says_what_it_holds(here: Path) -> None:
    """Each GPU has a string of its own, behind the same word of a line."""
    users = {"sm75": "workstations", "sm80": "data centers", "sm86": "desktops", "sm120": "all"}
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "tool-{gpu}-{isa}";\n  preConfigure = \'\'\n    echo "Users: {text}"\n'
        "  '';\n})\n"
        for gpu, text in users.items()
        for isa in ISAS
    }
    made = imported(here, files)
    assert "let users-by-gpu = {" in made
    assert r'"echo \"Users: {{users-by-gpu[gpu]}}\"\n"' in made, made


def test_a_second_value_has_the_name_of_its_matrix(here: Path) -> None:
    """Two families choose their flags by other rules."""
    wide = "-march=x86-64-v4 -mprefer-vector-width=512 -mtune=native"
    plain = "-O2 -fno-tree-vectorize -fno-strict-aliasing -mtune=generic"

    def recipe(name: str, flags: str) -> str:
        return (
            f'{{ pkgs }}: pkgs.hello.overrideAttrs (old: {{\n  pname = "{name}";\n'
            f'  preConfigure = "export OPTIMIZATION=\'{flags}\'\\n";\n}})\n'
        )

    isas = (*ISAS, "avx", "avx512vnni", "avx512bf16")
    gpus = (*GPUS, "sm86", "sm89")
    server = {f"server-{isa}": wide if isa == "avx512" else plain for isa in isas}
    tool = {f"tool-{gpu}-{isa}": wide if gpu == "sm90" else plain for gpu in gpus for isa in isas}
    files = {f"pkgs/{name}.nix": recipe(name, flags) for name, flags in (server | tool).items()}
    made = imported(here, files)
    names = re.findall(r"^let (\S+) ", made, re.MULTILINE)
    assert names == ["optimization", "server-optimization"], made


def test_a_second_column_has_a_word_of_the_recipes_that_read_it(here: Path) -> None:
    """What the rows of a record are is not in the name of a column."""
    cpus = {"avx": "Sandy Bridge", "avx2": "Haswell", "avx512": "Skylake", "avx512vnni": "Icelake"}
    rows = {isa: (f"{cpu} or later", f"{cpu[:4]}{len(cpu)}") for isa, cpu in cpus.items()}
    line = """preConfigure = ''
    echo "CPU Features: %s"
  '';"""
    hello = "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n  %s\n})\n"
    lines = {f"server-{isa}": line % text for isa, (_, text) in rows.items()}
    lines |= {f"tool-{gpu}-{isa}": line % text for gpu in GPUS for isa, (text, _) in rows.items()}
    files = {f"pkgs/{name}.nix": hello % text for name, text in lines.items()}
    made = imported(here, files)
    names = re.findall(r"Features: \{\{(\S+)-by-isa\[isa\]\}\}", made)
    assert names in (["features", "features-server"], ["features", "features-tool"]), made


def test_a_word_in_other_letters_is_its_title(here: Path) -> None:
    """The words of its line would be those of one package."""
    files = {
        f"pkgs/{name}-{gpu}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  preConfigure = "echo {name.title()} Build Configuration\\n";\n}})\n'
        for name in ("audio", "vision")
        for gpu in GPUS
    }
    made = imported(here, files)
    assert '  audio  { title = "Audio" }\n' in made, made


def test_a_matrix_of_two_packages_has_both_names(here: Path) -> None:
    """`avx` alone, the only word that no other file has, would not say what the matrix builds."""
    hello = "{ pkgs }: pkgs.hello.overrideAttrs (old: { tag = 1; })\n"
    files = {f"pkgs/{name}-py-{gpu}-avx.nix": hello for name in ("audio", "vision") for gpu in GPUS}
    files |= {f"pkgs/torch-py-{gpu}.nix": hello for gpu in GPUS}
    made = imported(here, files)
    assert re.findall(r"^matrix (\S+) ", made, re.MULTILINE) == ["audio-vision-avx", "torch"], made


def test_an_axis_of_unknown_words_is_named_for_their_builder_or_for_what_reads_them(
    here: Path,
) -> None:
    go = """{ buildGoPackage }:
buildGoPackage rec { pname = "%s"; version = "1"; goPackagePath = "a/${pname}"; }
"""
    app = """{ hello }:
let flavour = "%s"; in hello.overrideAttrs (old: { a = "${flavour}-x"; b = "${flavour}-y"; })
"""
    files = {f"pkgs/{name}.nix": go % name for name in ("bat", "fd", "jq")}
    files |= {f"pkgs/tool-{name}.nix": app % name for name in ("full", "small", "tiny")}
    made = imported(here, files)
    axes = re.findall(r"^axis (\S+)", made, re.MULTILINE)
    assert sorted(axes) == ["flavour", "go-package"], made


def test_a_pin_is_named_for_its_place_or_for_the_word_that_chooses_it(here: Path) -> None:
    """A name with a revision would be false after the next bump. A word of most recipes is enough
    if no recipe of another pin has it."""
    revisions = {"cpu": "2" * 40}
    for gpu, digit in {"sm80": "1", "sm90": "1", "sm100": "2"}.items():
        revisions |= {f"{gpu}-{isa}": digit * 40 for isa in ISAS}
    files = {
        f"pkgs/tool-{name}.nix": "{ pkgs }: let pinned = import (builtins.fetchTarball {\n"
        f'  url = "https://github.com/NixOS/nixpkgs/archive/{revision}.tar.gz";\n'
        '}) { }; in pinned.hello.overrideAttrs (old: { pname = "tool"; })\n'
        for name, revision in revisions.items()
    }
    made = imported(here, files)
    assert re.findall(r"^pin (\S+)", made, re.MULTILINE) == ["nixpkgs", "nixpkgs-sm100"], made


def test_a_part_of_a_script_has_the_words_of_its_lines(here: Path) -> None:
    """Lines without words are named for the part before, and a second line for what it does."""
    script = """preConfigure = (old.preConfigure or "") + ''
    export FLAGS="-O2"
    %s
    echo "FLAGS: $FLAGS"
    %s
    echo "=========="
  '';"""
    files = {
        f"pkgs/tool-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n  "
        + script % ("\n" if isa == "avx2" else "unset A", "unset B" if isa == "avx" else "")
        + "\n})\n"
        for isa in (*ISAS, "avx")
    }
    made = imported(here, files)
    parts = re.findall(r"part (\S+)", made)
    assert parts[0] == "flags" and "echo-flags" in parts, parts
    assert not any(re.search(r"blank|-\d$|^echo$", one) for one in parts), parts
