"""Which other recipe a recipe needs, held against the matrix: stacks with one fault each."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from support.handmade import OLD_PIN
from tvarc.commands.line import exits

PIN = "0182a361324364ae3f436a63005877674cf45efb"
HASH = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
STACK = f"""\
pin nixpkgs {{ github = "NixOS/nixpkgs", rev = "{PIN}", hash = "{HASH}" }}

axis ssl {{ openssl3 {{ set = "openssl" }}, openssl11 {{ set = "openssl_1_1" }} }}
axis profile {{ release {{}}, debug {{}} }}

recipe library {{ package = pkgs[ssl.set], attrs {{ pname = variant }} }}

recipe client {{
  package = pkgs.curl
  args  {{ openssl = needs.ssl }}
  attrs {{ pname = variant, configureFlags += ["--with-ssl={{{{needs.ssl}}}}"] }}
}}

recipe service {{
  package = pkgs.ripgrep
  attrs {{ pname = variant, buildInputs += [needs.curl, needs.ssl], cargoBuildType = profile }}
}}

matrix libraries {{ recipe = library, axes = ssl, name = "{{{{ssl}}}}" }}
matrix clients   {{ recipe = client, axes = ssl, name = "curl-{{{{ssl}}}}", needs ssl = libraries }}
matrix services {{
  recipe = service
  axes   = ssl * profile
  name   = "service-{{{{ssl}}}}-{{{{profile}}}}"
  needs ssl  = libraries
  needs curl = clients
}}

output flox {{ file = ".flox/pkgs/{{{{variant}}}}.nix" }}
"""
SERVICE = "service-openssl3-debug"
CLIENT = "curl-openssl3"
VISION = "torchvision-python313-cpu-avx512"
TORCH = "pytorch-python313-cpu-avx512"


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("stacks")
    (folder / "small").mkdir()
    (folder / "small" / "variants.tvar").write_text(STACK, encoding="utf-8")
    shutil.copytree(ROOT / "examples" / "vision-audio", folder / "vision-audio")
    # 21 of its 132 recipes: all of them take longer to read, and say the same of one that differs.
    program = folder / "vision-audio" / "variants.tvar"
    text = program.read_text(encoding="utf-8")
    for rows, some in (("nvidia", "sm90, sm110"), ("cpu", "avx2, avx512, armv9")):
        text, count = re.subn(rf"(?<== {rows}\[).*(?=\])", some, text)
        assert count == 1
    program.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("small", "vision-audio"):
            patch.chdir(folder / name)
            tvarc("build", code=exits.OK)
    yield folder


@pytest.fixture
def small(stacks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A service on a curl on an OpenSSL, two of each."""
    return copied(stacks / "small", tmp_path, monkeypatch)


@pytest.fixture
def vision(stacks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example: each TorchVision finds the Torch of its cell through an overlay."""
    return copied(stacks / "vision-audio", tmp_path, monkeypatch)


def copied(folder: Path, to: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(folder, to / "project")
    monkeypatch.chdir(to / "project")
    return to / "project" / ".flox" / "pkgs"


def findings() -> list[dict[str, Any]]:
    done = tvarc("audit", "--json")
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


def said(code: str = "W218") -> list[str]:
    """What findings of *code* say."""
    return [one["message"] for one in findings() if one["code"] == code]


def codes() -> set[tuple[str, str]]:
    return {(one["code"], one["file"].removesuffix(".nix")) for one in findings()}


def by_hand(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """The recipe *name* without the head that tvarc gives it, and with *changes*."""
    path = folder / f"{name}.nix"
    text = path.read_text(encoding="utf-8")
    text = "".join([line for line in text.splitlines(True) if not line.startswith("# ")])
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def test_what_tvarc_writes_has_no_finding(small: Path) -> None:
    assert tvarc("audit").stdout.endswith("8 up to date\n\nno findings\n")


@pytest.mark.parametrize("name", [SERVICE, CLIENT])
def test_a_need_that_is_written_as_tvarc_writes_it_is_equal(small: Path, name: str) -> None:
    by_hand(small, name)
    assert codes() == {("W203", name)}


@pytest.mark.slow
def test_a_need_in_an_overlay_is_equal(vision: Path) -> None:
    by_hand(vision, VISION)
    assert codes() == {("W203", VISION)}


FORMS = (
    "pkgs.callPackage ./openssl3.nix { }",
    "(import ./openssl3.nix) { inherit pkgs; }",
    "import (./openssl3.nix) { pkgs = pkgs; }",
    "builtins.import ./openssl3.nix { inherit pkgs; }",
    "let file = ./openssl3.nix; in import file { inherit pkgs; }",
    "let library = import ./openssl3.nix; in library { inherit pkgs; }",
    "let f = x: x; in f (import ./openssl3.nix { inherit pkgs; })",
)


@pytest.mark.parametrize("form", FORMS)
def test_forms_do_not_count(small: Path, form: str) -> None:
    own = "import ./openssl3.nix { inherit pkgs; }"
    by_hand(small, SERVICE, (own, form))
    by_hand(small, CLIENT, (own, form))
    assert codes() == {("W203", SERVICE), ("W203", CLIENT)}


def test_another_recipe_is_named_with_what_differs_in_its_cell(small: Path) -> None:
    by_hand(small, CLIENT, ("./openssl3.nix", "./openssl11.nix"))
    told = "uses `./openssl11.nix` for `args.openssl`; the matrix uses `./openssl3.nix`: "
    assert said() == [told + "ssl openssl11, not openssl3"]
    flags = '`attrs.configureFlags` lacks "--with-ssl=${./openssl3.nix}" and has '
    assert said("W213") == [
        f'{flags}"--with-ssl=${{./openssl11.nix}}", which the matrix does not have'
    ]


def test_another_recipe_in_a_list_is_named(small: Path) -> None:
    by_hand(small, SERVICE, ("./curl-openssl3.nix", "./curl-openssl11.nix"))
    told = (
        "uses `./curl-openssl11.nix` for `attrs.buildInputs`; the matrix uses `./curl-openssl3.nix`"
    )
    assert said() == [f"{told}: ssl openssl11, not openssl3"]
    assert codes() == {("W203", SERVICE), ("W218", SERVICE)}


@pytest.mark.slow
def test_another_recipe_in_an_overlay_is_named(vision: Path) -> None:
    by_hand(vision, VISION, (TORCH, "pytorch-python313-cuda13_0-sm90-avx2"), ('sm90-avx2"', '"'))
    (told,) = said()
    other = "./pytorch-python313-cuda13_0-sm90-avx2.nix"
    assert told.startswith(
        f"uses `{other}` for `pythonPackages.torch`; the matrix uses `./{TORCH}.nix`"
    )
    assert told.endswith("isa avx2, not avx512; with toolkit cuda13_0; with gpu sm90")
    assert {code for code, _ in codes()} == {"W203", "W218"}


def test_the_fault_of_the_other_file_is_told_there(small: Path) -> None:
    by_hand(small, CLIENT)
    by_hand(small, "openssl3", ("pinned.openssl.", "pinned.openssl_1_1."))
    assert codes() == {("W203", CLIENT), ("W203", "openssl3"), ("W212", "openssl3")}


def test_a_recipe_that_is_not_there_is_missing_and_no_more(small: Path) -> None:
    by_hand(small, CLIENT)
    (small / "openssl3.nix").unlink()
    assert codes() == {("W203", CLIENT), ("W201", "openssl3")}


def test_a_folder_with_a_default_is_the_recipe(small: Path) -> None:
    by_hand(small, CLIENT, ("./openssl3.nix", "./openssl3"))
    (small / "openssl3").mkdir()
    (small / "openssl3.nix").rename(small / "openssl3" / "default.nix")
    assert not said() and not said("W217")


@pytest.mark.slow
def test_a_copy_in_the_place_of_a_need_is_told(vision: Path) -> None:
    made = "pkgs.python3Packages.torch.override { cudaSupport = false; }"
    by_hand(vision, VISION, (f"import ./{TORCH}.nix {{ inherit pkgs; }}", made))
    assert said() == [f"changes `pythonPackages.torch` itself; the matrix uses `./{TORCH}.nix`"]


@pytest.mark.slow
def test_another_nixpkgs_in_the_place_of_a_need_is_told_by_its_commit(vision: Path) -> None:
    url = f"https://github.com/NixOS/nixpkgs/archive/{OLD_PIN}.tar.gz"
    made = f'(import (fetchTarball "{url}") {{ }}).python3Packages.torch'
    by_hand(vision, VISION, (f"import ./{TORCH}.nix {{ inherit pkgs; }}", made))
    assert said() == [
        f"has `pythonPackages.torch` = nixpkgs@{OLD_PIN[:12]}.python3Packages.torch; "
        f"the matrix uses `./{TORCH}.nix`"
    ]


@pytest.mark.slow
def test_a_package_of_another_nixpkgs_is_not_that_of_the_own(recipes: Path) -> None:
    name = "pytorch-python313-cuda13_0-sm120-avx512"
    url = f"https://github.com/NixOS/nixpkgs/archive/{OLD_PIN}.tar.gz"
    other = f'(import (fetchTarball "{url}") {{ }}).cudaPackages_13'
    by_hand(recipes, name, ("cudaPackages = final.cudaPackages_13", f"cudaPackages = {other}"))
    (told,) = said("W209")
    assert f"`cudaPackages` is nixpkgs@{OLD_PIN[:12]}.cudaPackages_13; the matrix has " in told


def test_a_need_that_the_matrix_has_not_is_told(small: Path) -> None:
    made = "pinned.ripgrep.override { openssl = import ./openssl11.nix { inherit pkgs; }; }"
    by_hand(small, SERVICE, ("pinned.ripgrep.overrideAttrs (", f"({made}).overrideAttrs ("))
    assert said() == ["uses `./openssl11.nix` for `args.openssl`; the matrix does not"]


@pytest.mark.slow
def test_a_need_that_is_changed_on_the_way_is_told(vision: Path) -> None:
    own = f"import ./{TORCH}.nix {{ inherit pkgs; }}"
    by_hand(vision, VISION, (own, f'({own}).overrideAttrs {{ pname = "mine"; }}'))
    told = '`pythonPackages.torch: pname` = "mine", which the matrix does not have'
    assert said("W209") == [f"has {told}"]
    assert not said()


@pytest.mark.slow
@pytest.mark.parametrize("by", ["file", "argument"])
def test_an_argument_is_the_file_of_its_name(
    by: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = small.parents[1] / "variants.tvar"
    text = program.read_text(encoding="utf-8")
    if by == "argument":
        text = text.replace("needs ssl = libraries", "needs ssl = libraries by argument")
        program.write_text(text, encoding="utf-8")
        assert tvarc("build").exit_code == exits.OK
    recipe = small / f"{CLIENT}.nix"
    recipe.write_text(
        f"""\
{{ openssl3, openssl11, pkgs }}:
let
  pinned = import (builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{PIN}.tar.gz";
    sha256 = "{HASH}";
  }}) {{ }};
in (pinned.curl.override {{ openssl = openssl3; }}).overrideAttrs (old: {{
  pname = "{CLIENT}";
  configureFlags = old.configureFlags ++ [ "--with-ssl=${{openssl3}}" ];
}})
""",
        encoding="utf-8",
    )
    assert codes() == {("W203", CLIENT)}
    recipe.write_text(recipe.read_text().replace("openssl = openssl3", "openssl = openssl11"))
    told = "uses `./openssl11.nix` for `args.openssl`; the matrix uses `./openssl3.nix`: "
    assert said() == [told + "ssl openssl11, not openssl3"]


def test_a_file_that_is_no_variant_is_followed(small: Path) -> None:
    """A helper is a part of the recipe: what it says is compared."""
    (small.parent / "lib.nix").write_text("{ pkgs }: pkgs.openssl.override { static = true; }\n")
    own = "import ./openssl3.nix { inherit pkgs; }"
    by_hand(small, CLIENT, (own, "import ../lib.nix { inherit pkgs; }"))
    assert said() == [] and said("W217") != []


def test_what_a_recipe_needs_is_data(small: Path) -> None:
    by_hand(small, CLIENT)
    files = json.loads(tvarc("audit", "--json").stdout)["files"]
    (says,) = [one["says"] for one in files if one["package"] == CLIENT]
    assert says["settings"]["args.openssl"] == {"recipe": "openssl3.nix"}


@pytest.mark.slow
def test_another_recipe_in_what_is_not_understood_is_named(here: Path) -> None:
    """A call of nixpkgs' function is not looked into, but which files it takes is known."""
    Path("variants.tvar").write_text(
        """\
axis pg { pg15 { attr = "postgresql_15" }, pg16 { attr = "postgresql_16" } }
recipe database { pin = none, package = pkgs[pg.attr], attrs { pname = variant } }
recipe image {
  pin = none
  package = call(pkgs.buildEnv, { name = variant, paths = [needs.client, needs.database] })
}
matrix databases { recipe = database, axes = pg, name = "{{pg}}" }
matrix clients   { recipe = database, axes = pg, name = "client-{{pg}}" }
matrix images {
  recipe = image
  axes   = pg
  name   = "image-{{pg}}"
  needs database = databases
  needs client   = clients by argument
}
output flox { file = ".flox/pkgs/{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    assert tvarc("build").exit_code == exits.OK
    folder = Path(".flox/pkgs")
    by_hand(folder, "image-pg15")
    assert said() == []
    by_hand(folder, "image-pg15", ("./pg15.nix", "./pg16.nix"))
    assert said() == ["uses `./pg16.nix`; the matrix uses `./pg15.nix`: pg pg16, not pg15"]
    by_hand(folder, "image-pg15", ("client-pg15", "client-pg16"))
    assert said() == [
        "does not use `./client-pg15.nix`, `./pg15.nix`; the matrix does",
        "uses `./client-pg16.nix`, `./pg16.nix`; the matrix does not",
    ]
