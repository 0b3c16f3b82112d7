"""An imported program says each thing once, as a person would."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from support.command import tvarc
from support.families import put

GPUS = ("sm80", "sm86", "sm89", "sm90", "sm120")
ISAS = ("avx", "avx2", "avx512", "avx512vnni", "avx512bf16", "armv8_2", "armv9")


def _imported(here: Path, recipe: dict[str, str]) -> str:
    files = {f"pkgs/tool-{isa}.nix": text for isa, text in recipe.items()}
    tvarc("import", str(put(here, files)), code=0)
    return Path("variants.tvar").read_text(encoding="utf-8")


def _hello(attributes: str) -> str:
    return f"{{ pkgs }}: pkgs.hello.overrideAttrs (old: {{ {attributes} }})\n"


def _flags(isa: str) -> str:
    more = ' "-a" "-b"' if isa == "avx" else ""
    return f'cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-x"{more} ];'


def test_what_one_value_of_the_only_axis_has_is_a_condition(here: Path) -> None:
    made = _imported(here, {isa: _hello(_flags(isa)) for isa in ISAS})
    assert "drift" not in made
    assert 'when isa == avx { cmakeFlags += ["-a", "-b"] }' in made


def test_the_usual_value_has_no_condition(here: Path) -> None:
    systems = {isa: '"x"' if isa != "avx2" else '"x" "y"' for isa in ISAS}
    made = _imported(here, {isa: _hello(f"tags = [ {one} ];") for isa, one in systems.items()})
    assert made.count("when ") == 1
    assert 'when isa == avx2 { attrs { tags = ["x", "y"] } }' in made


def test_a_script_in_one_part_needs_no_name(here: Path) -> None:
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  make a\n  make b\n'';"
    made = _imported(here, {isa: _hello(script) for isa in ISAS})
    assert 'script preConfigure += """\n' in made and "part " not in made


def test_lines_of_which_each_recipe_has_one_are_one_line(here: Path) -> None:
    """They are one command with a string, which a record says for each value of the axis."""
    said = {
        "avx": "Performance: as fast as a Core i7",
        "avx2": "Optimized for: Haswell, and what came after it",
        "avx512": "Use case: servers with a Xeon",
        "avx512vnni": "Use case: inference with INT8",
        "avx512bf16": "Use case: training with BF16",
        "armv8_2": "Hardware support: Graviton2",
        "armv9": "Hardware support: Grace",
    }
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  make\n  echo \"{}\"\n  exit\n'';"
    made = _imported(here, {isa: _hello(script.format(said[isa])) for isa in ISAS})
    assert "part " not in made and "when " not in made
    assert made.count("echo") == 1 and "Hardware support: Grace" in made


def test_a_word_of_an_axis_gets_no_text_of_another_by_else(here: Path) -> None:
    """Two words with a text each are two rows, so that a third word lacks one. A module of texts
    reads the axis too, so these are rows of a record and none of the axis."""
    recipe = """{ pkgs }: pkgs.%s.overrideAttrs (old: {
  preConfigure = ''
    echo "%s Build Configuration"
  '';
  meta = old.meta // { longDescription = ''
    one for %s
    two
  ''; };
})
"""
    files = {
        f"pkgs/{name}-sm80-{isa}.nix": recipe % (name, name.capitalize(), f"{name} on {isa}")
        for name in ("torchaudio", "torchvision")
        for isa in ISAS
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert '{ torchaudio = "Torchaudio", torchvision = "Torchvision" }' in made
    texts = Path("variants-texts.tvar")
    more = texts.read_text("utf-8").replace('"torchaudio", ', '"torchaudio", "torchtext", ')
    texts.write_text(more, encoding="utf-8")
    assert 'where package-name is "torchtext"' in tvarc("check").output


def _flagged(here: Path) -> str:
    """A program of flags by CPU, as build scripts have them."""
    flags = {
        isa: " ".join(
            [
                '"-DAVX2=ON"' if "avx" in isa else '"-DARM=ON"',
                '"-DAVX512=ON"' * ("avx512" in isa),
                '"-DFAST=ON"' * (isa != "avx2"),
            ]
        )
        for isa in ("avx2", "avx512", "avx512bf16", "armv9")
    }
    texts = {
        isa: _hello(f"cmakeFlags = (old.cmakeFlags or [ ]) ++ [ {some} ];")
        for isa, some in flags.items()
    }
    return _imported(here, texts)


def test_a_condition_names_the_words_that_it_is_for(here: Path) -> None:
    """A word that somebody adds gets no flags of the others, but those that a fact decides."""
    made = _flagged(here)
    said = " ".join(made.split())
    assert 'when isa.arch == "x86_64" { cmakeFlags += ["-DAVX2=ON"] }' in said, made
    assert 'when isa in [avx512, avx512bf16] { cmakeFlags += ["-DAVX512=ON"] }' in said, made
    assert "when isa in [avx512, avx512bf16, armv9] {" in said and "!=" not in said, made
    path = Path("variants.tvar")
    path.write_text(made.replace("cpu[avx2,", "cpu[avx2, armv8_2,"), encoding="utf-8")
    flags = tvarc("explain", "tool-armv8_2", "cmakeFlags").stdout
    assert "ARM" not in flags and "AVX" not in flags and "FAST" not in flags, flags


def test_what_is_usual_for_two_words_is_no_rule(here: Path) -> None:
    """Neither word's list is what a third gets, and so each has its condition."""
    lists = {"mkl": '"x"', "openblas": '"x" "y"'}
    files = {f"pkgs/{name}.nix": _hello(f"tags = [ {some} ];") for name, some in lists.items()}
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("when package-name == ") == 2, made


def test_a_text_of_few_gpus_is_a_row_for_each(here: Path) -> None:
    """A GPU that somebody adds lacks its row (E207). It does not get the driver of another."""
    drivers = {"sm86": "525", "sm90": "525", "sm120": "570"}
    files = {
        f"pkgs/tool-{gpu}.nix": _hello(f'notes = "needs driver {driver} or newer";')
        for gpu, driver in drivers.items()
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    path = Path("variants.tvar")
    made = path.read_text(encoding="utf-8")
    assert " else " not in made and 'sm120 = "570"' in made, made
    path.write_text(made.replace("nvidia[", "nvidia[sm80, "), encoding="utf-8")
    done = tvarc("check")
    assert "E207" in done.output and "sm80" in done.output, done.output


def test_a_part_of_nix_text_that_is_of_two_kinds_is_behind_a_condition(here: Path) -> None:
    """The text is written once, although only some files have the `if` in it."""
    recipe = """{ stdenv, debug ? false }: stdenv.mkDerivation (
  if debug then { name = "tool-%s"; postPatch = "true"; }
  else { name = "tool-%s"; postPatch = %s; outputs = [ "out" %s ]; }
)
"""
    files = {
        f"pkgs/{number}.nix": recipe % (number, number, patch, outputs)
        for number in ("59", "60", "65", "66", "67")
        for patch in ("null" if number > "60" else 'if stdenv.isLinux then "sed" else null',)
        for outputs in ("" if number > "65" else '"dev"',)
    }
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("mkDerivation") == 1 and "when " not in made
    assert 'if {{series in ["59", "60"]}} then' in made


def _all_of(files: dict[str, str], here: Path) -> str:
    assert tvarc("import", str(put(here, files))).exit_code == 0
    return Path("variants.tvar").read_text(encoding="utf-8")


def test_a_choice_of_two_axes_is_one_chain(here: Path) -> None:
    """No choice stands between `then` and `else`, and each branch has a line."""
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": _hello(
            f'notes = "{"an old CPU" if isa == "avx" else rooms.get(gpu, "a small machine")}";'
        )
        for rooms in [{"sm80": "a datacenter with Haswell or later"}]
        for gpu in GPUS
        for isa in ISAS
    }
    made = _all_of(files, here)
    assert "then if" not in made
    assert '\n  else if gpu == sm80 then "a datacenter with Haswell or later"\n' in made


def test_what_all_recipes_say_is_one_recipe_beside_their_texts(here: Path) -> None:
    recipe = """{ pkgs }: pkgs.%s.overrideAttrs (old: {
  doCheck = false;
  %s
  meta = old.meta // { longDescription = ''
    one for %s
    two
  ''; };
})
"""
    files = {
        f"pkgs/{'of-' * odd}{name}-{isa}.nix": recipe % (name, "strictDeps = true;" * odd, isa)
        for odd, name in enumerate(("hello", "zlib"))
        for isa in ISAS
    }
    made = _all_of(files, here)
    assert "recipe common {\n" in made and made.count("doCheck") == 1
    assert "recipe of-zlib-build extends common with of-zlib-texts {" in made
    assert "mixin of-zlib-texts {" in Path("variants-texts.tvar").read_text(encoding="utf-8")


def test_few_cells_are_included_rather_than_many_excluded(here: Path) -> None:
    """Whichever takes fewer lines."""
    toolkits = ("cuda12_8", "cuda12_9", "cuda13_0")
    cells = [f"{toolkit}-sm80-{isa}" for toolkit in toolkits for isa in ISAS]
    cells += ["cuda12_8-sm61-avx", "cuda13_0-sm75-avx2"]
    made = _all_of({f"pkgs/tool-{cell}.nix": _hello("a = 1;") for cell in cells}, here)
    assert "exclude" not in made and "  include gpu == sm80\n" in made


def test_two_parts_of_which_each_recipe_has_one_are_branches(here: Path) -> None:
    """A fact decides which, so each word that somebody adds has one of them."""
    lines = {isa: "unset A\n  unset B" if "arm" in isa else "make a\n  make b" for isa in ISAS}
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  first\n  {}\n  last\n'';"
    made = _imported(here, {isa: _hello(script.format(lines[isa])) for isa in ISAS})
    assert "    } else {\n" in made and made.count("when ") == 1


OVERLAY = "(final: prev: {{ {name} = prev.{name}.overrideAttrs (old: {{ note = \"{name}\"; }}); }})"


def _with_overlays(names: str) -> str:
    overlays = " ".join([OVERLAY.format(name=name) for name in names.split()])
    return f"""{{ pkgs }}: let pinned = import (builtins.fetchTarball {{
  url = "https://github.com/NixOS/nixpkgs/archive/{"1" * 40}.tar.gz"; sha256 = "{"1" * 52}";
}}) {{ overlays = [ {overlays} ]; }}; in pinned.hello.overrideAttrs (old: {{ pname = "x"; }})
"""


def test_the_overlays_that_all_variants_have_are_under_no_condition(here: Path) -> None:
    """A word that somebody adds gets them; one that stands between them is with all others."""
    lists = {"avx": "zlib curl", "avx2": "zlib curl", "armv9": "zlib curl bash"}
    made = _imported(here, {isa: _with_overlays(names) for isa, names in lists.items()})
    assert "overlays = [zlib, curl]" in made, made
    assert "when isa == armv9 { overlays += [bash] }" in made and made.count("when ") == 1, made


def test_an_overlay_between_those_of_all_variants_makes_a_list_of_its_own(here: Path) -> None:
    lists = {"avx": "zlib curl", "avx2": "zlib curl", "armv9": "zlib bash curl"}
    made = _imported(here, {isa: _with_overlays(names) for isa, names in lists.items()})
    assert "overlays = [zlib, curl]" in made, made
    assert "when isa == armv9 { overlays = [zlib, bash, curl] }" in made, made


def test_what_most_recipes_say_is_common_and_the_others_say_otherwise(here: Path) -> None:
    """A value that one of them lacks is not common: it would get it."""
    usual = "doCheck = true; strictDeps = true;"
    files = {f"pkgs/tool-{gpu}-{isa}.nix": _hello(usual) for gpu in GPUS for isa in ISAS}
    files |= {f"pkgs/server-{isa}.nix": _hello(f"{usual} a = 1;") for isa in ISAS}
    files |= {f"pkgs/client-{gpu}.nix": _hello("doCheck = false;") for gpu in GPUS}
    made = _all_of(files, here)
    (common,) = re.findall(r"(?ms)^recipe common \{(.*?)^\}", made)
    assert "doCheck = true" in common and "strictDeps" not in common
    assert made.count("doCheck") == 2 and made.count("strictDeps = true") == 2


def test_columns_are_together_where_most_rows_are_saved(here: Path) -> None:
    """The first and the second fit on a line, but the other three do so, too."""
    sizes = {"alpha": 50, "beta": 20, "gamma": 20, "delta": 20}
    text = {
        (name, gpu): sha256(f"{name}{gpu}".encode()).hexdigest()[:size]
        for name, size in sizes.items()
        for gpu in GPUS
    }
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": _hello(
            " ".join([f'{name} = "{text[name, gpu]}";' for name in sizes])
        )
        for gpu in GPUS
        for isa in ISAS
    }
    made = _all_of(files, here)
    assert re.findall(r"(?m)^let (\S+)", made) == ["alpha-by-gpu", "by-gpu"], made


def test_a_choice_for_fewer_words_is_the_one_for_more(here: Path) -> None:
    """An edit of the flags reaches both families."""
    flags = {"avx": "old -mavx -mno-fma -mno-bmi2", "avx512": "-mavx512f -mno-tbm -mno-fma4"}
    plain = "$PLAIN -mno-sse4a -mno-xop -mno-lwp"
    line = """preConfigure = ''
    export CXXFLAGS="%s"
  '';"""
    isas = ("avx", *ISAS, "avx512vnni", "avx512bf16")
    files = {
        f"pkgs/{name}.nix": _hello(line % flags.get(name.split("-")[-1], plain))
        for name in [f"tool-{gpu}-{isa}" for gpu in GPUS for isa in isas]
        + [f"server-{isa}" for isa in isas if isa != "avx"]
    }
    made = _all_of(files, here)
    assert made.count(flags["avx512"]) == 1 and made.count("{{cxxflags}}") == 2, made


def test_a_matrix_of_one_line_is_below_its_recipe(here: Path) -> None:
    made = _all_of({f"pkgs/tool-{isa}.nix": _hello(f'a = "{isa}";') for isa in ISAS}, here)
    assert "\n}\nmatrix tool { recipe = tool-build, " in made, made


def test_a_part_of_a_script_that_nearly_all_words_have_is_taken_from_the_others(
    here: Path,
) -> None:
    """A word that somebody adds has the part, and not in silence nothing."""
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  make a\n{}  make b\n'';"
    more = "  export USE_MKLDNN=1\n  export USE_CBLAS=1\n"
    recipes = {isa: _hello(script.format("" if isa == "avx" else more)) for isa in ISAS}
    made = _imported(here, recipes)
    assert "when isa == avx { part use-mkldnn = none }" in made and made.count("when ") == 1, made
    path = Path("variants.tvar")
    path.write_text(made.replace("avx512bf16,", "avx512bf16, avx512fp16,"), encoding="utf-8")
    assert "USE_CBLAS" in tvarc("explain", "tool-avx512fp16", "preConfigure").stdout


def test_a_part_that_most_words_of_two_axes_have_is_taken_from_the_others(here: Path) -> None:
    gpus = (*GPUS, "sm100", "sm103", "sm110")
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  make a\n{}  make b\n'';"
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": _hello(script.format("" if is_odd else '  echo "$FLAGS"\n'))
        for gpu in gpus
        for isa in ISAS
        for is_odd in [isa == "avx" or gpu in ("sm80", "sm103")]
    }
    made = _all_of(files, here)
    assert "when gpu in [sm80, sm103] or isa == avx { part flags = none }" in made, made
    assert made.count("when ") == 1, made


def test_a_part_of_one_line_is_on_one_line(here: Path) -> None:
    """So it is with quotes around what a command gets; with more of them they are no escapes."""
    script = "preConfigure = (old.preConfigure or \"\") + ''\n  make a\n{}  make b\n'';"
    rows = {isa: '  echo "$FLAGS"\n' if isa == "avx" else "" for isa in ISAS}
    made = _imported(here, {isa: _hello(script.format(row)) for isa, row in rows.items()})
    assert r'when isa == avx { part flags "echo \"$FLAGS\"\n" }' in made, made
    rows = {isa: row.replace('"$FLAGS"', '"$FLAGS" "$MORE"') for isa, row in rows.items()}
    put(here, {f"two/{isa}.nix": _hello(script.format(row)) for isa, row in rows.items()})
    tvarc("import", "two", "-o", "two.tvar", code=0)
    assert '\n        echo "$FLAGS" "$MORE"\n' in Path("two.tvar").read_text(encoding="utf-8")


def test_a_long_setting_has_its_condition_behind_it(here: Path) -> None:
    """It stands in no block. A short one is in a block on one line, several are in one block."""
    long = " ".join([f'"-DUSE_A_LONG_NAME_{number}=OFF"' for number in range(6)])
    flags = {isa: f'"-a" {long if isa == "avx" else ""}' for isa in ISAS}
    made = _imported(
        here,
        {
            isa: _hello(f"cmakeFlags = (old.cmakeFlags or [ ]) ++ [ {some} ];")
            for isa, some in flags.items()
        },
    )
    assert "\n    ] when isa == avx\n" in made and "when isa == avx {" not in made, made


def test_the_name_of_a_single_file_is_its_variants_where_that_is_so_of_all(here: Path) -> None:
    """A comment that ends in the name is left out as well: a change of the name would miss it."""
    files = {f"pkgs/tool-{gpu}.nix": _hello(f'pname = "tool-{gpu}"; a = 1;') for gpu in GPUS}
    for isa in ISAS:
        files[f"pkgs/tool-cpu-{isa}.nix"] = _hello(f'pname = "tool-cpu-{isa}"; b = 1;')
    head = "# For macOS alone.\n# Package: tool-darwin-mps\n"
    files["pkgs/tool-darwin-mps.nix"] = head + _hello('pname = "tool-darwin-mps"; c = 1;')
    made = _all_of(files, here)
    assert made.count("pname") == 1 and "pname = variant" in made, made
    assert "# For macOS alone." in made and "Package:" not in made
    assert tvarc("explain", "tool-darwin-mps", "attrs.pname").stdout.count("tool-darwin-mps")
