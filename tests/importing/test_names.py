"""What words of names are: axes, versions of several words, words that stand twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

GPUS = ("sm80", "sm90", "sm100")
ISAS = ("avx2", "avx512")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(here: Path, files: dict[str, str]) -> str:
    """The program of *files*, which is proven to build all of them."""
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 0, done.output
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
    assert not re.search(r"let by-\S*-(gpu|isa)\b", made), made
    assert made.count("\n") < 60


def test_two_words_that_decide_each_other_are_one_axis(here: Path) -> None:
    made = imported(here, versions("2.10-rc1", "2.9-rc3"))
    assert re.search(r'axis rc += \["9-rc3", "10-rc1"\]', made), made
    assert "exclude" not in made


def test_a_word_that_stands_in_a_name_twice_is_one_axis(here: Path) -> None:
    files = {
        f"pkgs/{python}.torch-{python}-{gpu}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "{python}-{gpu}";\n}})\n'
        for python in ("python311", "python312", "python313")
        for gpu in GPUS
    }
    made = imported(here, files)
    assert 'name   = "{{python}}-torch-{{python}}-{{gpu}}"' in made
    assert made.count("\naxis ") == 2 and "exclude" not in made


def test_a_number_in_the_name_is_one_rule_and_no_line_for_each_file(here: Path) -> None:
    files = {
        f"pkgs/tool-{number:03}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  pname = "tool-{number:03}";\n  preConfigure = "echo {number:03}\\n";\n}})\n'
        for number in range(1, 201)
    }
    made = imported(here, files)
    assert made.count("echo {{kind}}") == 1 and made.count("part echo") == 1
    assert made.count("\n") < 50
