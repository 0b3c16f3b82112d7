"""Texts of recipes as texts of the language: braces, what differs in a line, modules of texts."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import drv_paths, model_value
from tvarc.nix.language.reader import NixParser
from tvarc.nix.language.syntax import NixAttrs, NixBinding, NixString

HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
TARBALL = "https://github.com/NixOS/nixpkgs/archive/refs/tags/23.05.tar.gz"


def imported(here: Path, files: dict[str, str]) -> str:
    """The program of *files*, which is proven to build all of them, with its descriptions."""
    tvarc("import", str(put(here, files)), "--text", "keep", code=0)
    return Path("variants.tvar").read_text(encoding="utf-8")


def family(attributes: str) -> dict[str, str]:
    """Recipes with *attributes*, in which `@` is a GPU."""
    return {
        f"pkgs/hello-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f"{attributes.replace('@', gpu)}\n}})\n"
        for gpu in ("sm80", "sm90", "sm100")
        for isa in ("avx2", "avx512")
    }


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('a = "for {@}";', r'a = "for {{"{"}}{{gpu}}}"'),
        ('a = "{{@}}";', r'a = "\{{{{gpu}}}}"'),
        ('a = "{{{@";', r'a = "\{{{{"{"}}{{gpu}}"'),
        ('a = "{{ghc}}-@";', r'a = "\{{ghc}}-{{gpu}}"'),
        ('a = pkgs.f "{{ghc}}@";', r'a = nix"""pkgs.f "\{{ghc}}{{gpu}}" """'),
        ('a = pkgs.f "for {@}";', r'a = nix"""pkgs.f "for {{"{"}}{{gpu}}}" """'),
        ('a = pkgs.f "{{{@}";', r'a = nix"""pkgs.f "\{{{{"{"}}{{gpu}}}" """'),
        (r'a = pkgs.f "$\{@}";', r'a = nix"""pkgs.f "\${{"{"}}{{gpu}}}" """'),
        ('preBuild = "a {{x}} {@\nb\n";', r'a \{{x}} {{"{"}}{{gpu}}'),
    ],
)
def test_braces_are_escaped_as_the_language_has_it(written: str, made: str, here: Path) -> None:
    text = imported(here, family(written))
    assert made in text, text


def test_the_name_of_an_axis_is_a_step_of_a_path_as_it_is(here: Path) -> None:
    text = imported(here, family("a = pkgs.f pkgs.@; b = pkgs.@.c;"))
    assert 'a = nix"""pkgs.f pkgs.{{gpu}}"""' in text and "b = pkgs[gpu].c" in text, text


def test_the_comment_at_the_top_names_the_files_that_are_not_imported(here: Path) -> None:
    files = family("a = 1;")
    refused = {"pkgs/other.nix": "pkgs: pkgs.hello\n", "pkgs/odd\n.nix": "pkgs: pkgs.hello\n"}
    tvarc("import", str(put(here, {**files, **refused})), code=3)
    head = Path("variants.tvar").read_text(encoding="utf-8").split("\n")[:3]
    assert head[0] == "# Imported by tvarc from 6 recipes."
    assert head[1] == "# 2 files were not imported: odd\\n.nix, other.nix"


def test_a_part_without_ascii_letters_has_a_name(here: Path) -> None:
    text = imported(here, family('preBuild = "é€" + (old.preBuild or "");'))
    assert 'part text before old """\n' in text and "é€" in text, text


@requires_nix
@pytest.mark.nix
def test_text_beside_a_value_that_may_be_a_list_is_text(here: Path) -> None:
    """tvarc writes `old.x` of any attribute so that it may be a list; the package has a text, or
    lacks it. Within an expression of Nix the default stays, also if two changes make it."""
    added = "{ pkgs }: pkgs.hello.overrideAttrs (old: { %s })\n"
    files = {
        "pkgs/a.nix": added % 'buildPhase = (old.buildPhase or "") + "make all";',
        "pkgs/two.nix": "{ pkgs }: (pkgs.hello.overrideAttrs (o: { x = \"a\" + (o.x or \"\"); }))"
        ".overrideAttrs (old: { x = pkgs.lib.toLower \"${pkgs.zlib}\" + (old.x or \"\"); })\n",
        "pkgs/b.nix": added % 'note = "see " + (old.note or "") + ", and ${old.version}";',
    }
    text = imported(here, files)
    assert "script buildPhase +=" in text, text
    assert 'note = "see {{old.note}}, and {{old.version}}"' in text, text
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    built = {path.stem: path for path in (here / "built").rglob("*.nix")}
    by_hand = {path.stem: path for path in (here / "pkgs").glob("*.nix")}
    assert drv_paths(built) == drv_paths(by_hand)


def test_a_text_with_braces_is_no_value_within_a_text(here: Path) -> None:
    text = imported(here, family('a = "use {{ghc}}"; b = "{{@}}-{{sm80}}";'))
    assert r'a = "use \{{ghc}}"' in text
    assert not re.search(r'\{\{"[^"]*\{\{', text), text


def test_what_differs_in_a_line_is_named_for_the_line_and_its_setting(here: Path) -> None:
    hosts = {"avx2": "one that stands in any desktop", "avx512": "several, each in one server"}
    files = {
        f"pkgs/hello-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  meta = old.meta // {{ longDescription = "It is fast.\\nGPU: {host}.\\n"; }};\n}})\n'
        for gpu in ("sm80", "sm90", "sm100")
        for isa, host in hosts.items()
    }
    text = imported(here, files)
    assert "let long-description-gpu-by-isa = {" in text, text
    assert "gpu-text" not in text


CHOOSE = {
    ("sm80", "avx2"): "You have an A100 and want\nAVX2. Newer GPUs work, too.",
    ("sm80", "avx512"): "You have an A100 with AVX-512 for\ngeneral work.",
    ("sm90", "avx2"): "You have an H100, or another GPU of this kind, and want AVX2.",
    ("sm90", "avx512"): "You have H100s with a CPU that\nhas AVX-512. For sm80, use\nsm80 builds.",
}


def test_a_description_is_made_of_whole_phrases_that_a_new_word_lacks(here: Path) -> None:
    """No column has the end of a phrase, such as `, Hopper`, or a line that another one ends."""
    files = {
        f"pkgs/torch-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        "  meta = old.meta // {\n"
        f'    description = "Torch for {gpu}{", Hopper" if "H100s" in choose else ""} ({isa})";\n'
        f'    longDescription = "GPU: {"a quick " if gpu == "sm90" else ""}one\nChoose if: '
        f'{choose}\n";\n  }};\n}})\n'
        for (gpu, isa), choose in CHOOSE.items()
    }
    text = imported(here, files)
    assert ", Hopper" not in re.sub(r"sm90, Hopper\b", "", text), text
    assert '"one"' in text and '"a quick one"' in text, text
    for choose in CHOOSE.values():
        assert textwrap.indent(choose, "    ") in text or f'"{choose}"' in text, text
    assert "when" not in text, text
    Path("variants.tvar").write_text(text.replace("[sm80, sm90]", "[sm80, sm90, sm100]"), "utf-8")
    assert "E207" in tvarc("check", code=1).output


def test_names_that_follow_each_other_keep_the_end_of_the_last(here: Path) -> None:
    """A common end such as `Ti` is part of the last name, which a new row may lack."""
    cards = {"sm61": "GTX 1070/1080 Ti", "sm75": "T4/RTX 2080 Ti"}
    text = imported(
        here,
        {
            f"pkgs/{package}-{gpu}-avx.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
            "  meta = old.meta // {\n"
            f'    description = "{package} for {card} (GPU) with AVX";\n  }};\n}})\n'
            for package in ("Audio", "Vision")
            for gpu, card in cards.items()
        },
    )
    assert all(f'"{card}"' in text for card in cards.values()), text
    assert "]}} (GPU) with AVX" in text, text


@pytest.mark.parametrize("rev", ["refs/tags/v@", "refs/heads/release-@", "v@"])
def test_a_revision_that_is_no_commit_is_kept_as_it_is(rev: str, here: Path) -> None:
    files = {
        f"pkgs/hello-{name}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        '  src = pkgs.fetchFromGitHub { owner = "a"; repo = "b"; '
        f'rev = "{rev.replace("@", version)}"; hash = "{HASH}"; }};\n}})\n'
        for name, version in (("1_2", "1.2"), ("1_3", "1.3"))
    }
    text = imported(here, files)
    assert "call(pkgs.fetchFromGitHub, {" in text and "github(" not in text
    assert "tag =" not in text and re.search(r"\brev +=", text)
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    for name, version in (("1_2", "1.2"), ("1_3", "1.3")):
        (built,) = Path("built").rglob(f"hello-{name}.nix")
        assert f'rev = "{rev.replace("@", version)}"' in built.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        (
            f'fetchTarball {{ url = "{TARBALL}"; sha256 = "{HASH}"; }}',
            True,
        ),
        (
            'pkgs.fetchFromGitHub { owner = "NixOS"; repo = "nixpkgs"; rev = "refs/tags/23.05"; '
            f'hash = "{HASH}"; }}',
            True,
        ),
        ('fetchGit { url = "https://github.com/NixOS/nixpkgs"; ref = "refs/tags/23.05"; }', False),
        ('fetchGit { url = "https://github.com/NixOS/nixpkgs"; rev = "refs/tags/23.05"; }', False),
    ],
)
def test_a_nixpkgs_by_a_tag_is_kept_or_refused(source: str, kept: bool, here: Path) -> None:
    text = f"{{ pkgs }}: let own = import ({source}) {{ }}; in own.hello.override {{ a = 1; }}\n"
    done = tvarc("import", str(put(here, {"pkgs/hello.nix": text})))
    if not kept:
        assert done.exit_code == 1
        assert "the address of its nixpkgs is computed" in done.output
        return
    assert done.exit_code == 0, done.output
    program = Path("variants.tvar").read_text(encoding="utf-8")
    assert TARBALL in program


def test_an_empty_line_is_not_the_end_of_a_text_without_one(here: Path) -> None:
    """Laid side by side, the end of the short texts looks like the empty line of the long ones."""
    more = {"sm80": "", "sm86": "", "sm89": "", "sm90": "  Rare.\n", "sm100": "\n  vLLM: yes.\n"}
    files = {
        f"pkgs/hello-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        "  meta = old.meta // { longDescription = ''\n"
        f"  A build.\n  Python: 3.{len(isa)}\n{line}  ''; }};\n}})\n"
        for gpu, line in more.items()
        for isa in ("avx2", "avx512")
    }
    assert "vLLM" in imported(here, files)


@requires_nix
@pytest.mark.nix
@pytest.mark.once
def test_carriage_returns_stay_in_indented_strings_alone() -> None:
    r"""Nix reads `\r\n` as a newline in `"…"`, and keeps it in `''…''`, where it is no blank."""
    source = "{ a = \"x\r\ny\rz\"; b = ''\r\n  x\r\n  y\r\n''; c = ''\n  x\r\n  y\r\n''; }"
    read = NixParser().parse(source)
    assert isinstance(read, NixAttrs)
    texts = {
        one.path[0]: one.value.parts[0]
        for one in read.entries
        if isinstance(one, NixBinding) and isinstance(one.value, NixString)
    }
    assert texts == model_value(source)


def test_texts_with_the_line_ends_of_windows_are_told_and_cost_no_other_recipe(here: Path) -> None:
    folder = put(here, family("a = 1;\npostInstall = ''\n  echo @\n'';"))
    windows = [folder / f"hello-{one}.nix" for one in ("sm90-avx2", "sm100-avx2")]
    for path in windows:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    plain = windows[1].read_bytes().replace(b"''\r\n  echo", b'"echo').replace(b"''", b'"')
    windows[1].write_bytes(plain)
    data = json.loads(tvarc("import", str(folder), "--json").stdout)
    (left,) = data["left"]
    assert left["file"] == windows[0].name and "Windows line endings" in left["reason"]
    assert len(data["imported"]) == 5


@pytest.mark.slow
def test_a_recipe_without_a_script_is_drift_where_another_adds_to_its_end(here: Path) -> None:
    files = family("preConfigure = (old.preConfigure or '''') + ''\n  echo @\n'';")
    odd, more = "pkgs/hello-sm90-avx2.nix", "pkgs/hello-sm80-avx512.nix"
    files[odd] = "{ pkgs }: pkgs.hello.overrideAttrs (old: { })\n"
    files[more] = files[more].replace("echo sm80\n", "echo sm80\n  make -j8\n")
    files |= {
        path.replace("avx2", isa): text
        for path, text in family(
            "preConfigure = (old.preConfigure or '''') + ''\n  echo @\n'';"
        ).items()
        for isa in ("avx512vnni", "avx512bf16")
        if "avx2" in path
    }
    done = tvarc("import", str(put(here, files)))
    assert f"{len(files)} imported" in done.stdout, done.output


def test_a_description_that_has_the_version_of_a_row_reads_it_in_the_program(here: Path) -> None:
    """The version of each package is written once, and so is the axis of the packages."""
    packages = {"torchaudio": ("TorchAudio", "2.10.0"), "torchvision": ("TorchVision", "0.25.0")}
    files = {
        f"pkgs/{name}-{gpu}.nix": f"""{{ pkgs }}: pkgs.{name}.overrideAttrs (old: {{
  version = "{version}";
  meta = old.meta // {{
    description = "{title} for {gpu}, of {version}";
    longDescription = "Built for {gpu}.\\nIt needs a driver.";
  }};
}})
"""
        for name, (title, version) in packages.items()
        for gpu in ("sm80", "sm86", "sm89", "sm90")
    }
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "axis package-name {" in made, made
    assert "for {{gpu}}, of {{package-name.version}}" in made, made
    texts = Path("variants-texts.tvar").read_text(encoding="utf-8")
    assert "package-name" not in texts and "0.25.0" not in texts, texts
