"""What is made once for several variants, and what is not kept of any."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.alone import emit, one_by_one
from support.command import calls
from support.compile import codes, compile_text, messages
from tvarc.build.assembly import files
from tvarc.build.driver import Compilation
from tvarc.decide import decide, portions
from tvarc.files.output.header import File, seal
from tvarc.files.output.plan import WriteMode
from tvarc.files.output.write import write_files
from tvarc.nix.lower import memo

PIN = 'pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'


def program(count: int) -> str:
    return f"""{PIN}
    axis x = {list(range(count))}
    axis y = ["a", "b", "c"]
    axis z = [1.0, 2.0]
    recipe r {{
      package = pkgs.hello
      attrs {{ version = z, one = y, two = "{{{{x}}}} and {{{{y}}}} and {{{{z}}}}" }}
      attrs {{ pname = variant }}
      env {{ Z = z }}
      script preBuild {{ part a \"\"\"
        echo {{{{variant}}}} {{{{y}}}}
      \"\"\" }}
    }}
    matrix m {{ recipe = r, axes = x * y * z, name = "v{{{{x}}}}-{{{{y}}}}-{{{{flat(z)}}}}"
      limit = 1000000 }}
    output o {{ file = "{{{{variant}}}}.nix" }}
    """


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the settings that are printed from now on, each time."""
    return calls(
        monkeypatch, "tvarc.nix.lower.memo.print_entry", lambda entry, *_: str(entry.path[0])
    )


def test_a_setting_is_printed_once_for_each_combination(printed: list[str]) -> None:
    made = compile_text(program(20))
    assert len([file.data() for file in made.files("input.tvar")]) == 120, messages(made)
    # `version` twice, `one` three times. `two`, `pname` and the script have late parts.
    assert sorted(printed) == [
        "Z", "Z", "one", "one", "one", "pname", "preBuild", "two", "version", "version"
    ]  # fmt: skip


def test_files_that_were_left_begin_anew() -> None:
    found = compile_text(program(20)).files("input.tvar")
    first = next(iter(found))
    again = list(found)
    assert (again[0].path, len(again)) == (first.path, 120)


def test_variants_that_agree_on_the_settings_of_a_block_share_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_of = lambda _, __, entries, *___: len(entries)  # noqa: E731
    found = calls(monkeypatch, "tvarc.nix.lower.memo.Block.__init__", made_of)
    made = compile_text(program(20))
    assert len([file.data() for file in made.files("input.tvar")]) == 120, messages(made)
    # Four attributes for each `y` and `z`, `env` for each `z`, one script; and what is empty.
    assert sorted(found) == [0, 1, 1, 1, 4, 4, 4, 4, 4, 4]


HELD = """
    let pair = "{{x}}+{{y}}"
    let listed = ["b", "of {{pair}}"]
    axis x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
    axis y = ["a", "b", "c"]
    axis z = [1.0, 2.0]
    recipe r { package = pkgs.hello
      attrs { one = "{{x}} and {{y}} and {{z}}", two = %s } }
    matrix m { recipe = r, axes = x * y * z, name = "v{{x}}-{{y}}-{{flat(z)}}" }
    output o { file = "{{variant}}.nix" }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("two", "twos"),
    [
        ('"of {{attrs.one}}"', 1),
        ("attrs.one", 1),
        ('if y == "a" then attrs.one else "none"', 3),
        ('["b", "of {{attrs.one}}"]', 1),
        ("pair", 1),
        ('"of {{pair}}"', 1),
        ("listed", 1),
        # These read the whole text.
        ('[...[attrs.one], "b"]', 120),
        ("upper(attrs.one)", 120),
        ('if attrs.one == "1 and a and 1.0" then "this" else "none"', 120),
    ],
)
def test_a_text_has_late_parts_whatever_reads_it(two: str, twos: int, printed: list[str]) -> None:
    text = PIN + HELD % two
    made, alone = (compile_text(text) for _ in "ab")
    expected = [file.text for one in alone.recipes() for file in emit((one,), "input.tvar")]
    printed.clear()
    assert [file.data().decode() for file in made.files("input.tvar")] == expected, messages(made)
    assert (printed.count("one"), printed.count("two")) == (1, twos)


def test_a_text_whose_late_parts_change_its_layout() -> None:
    """A list of one element is on one line if it fits."""
    long = "x" * 90
    body = f"""
    axis x = ["a", "b", "c", "d", "{long}"]
    axis y = ["a", "b"]
    recipe r {{
      package = pkgs.hello
      attrs {{ one = ["{{{{x}}}}-{{{{y}}}}"], two = "{{{{x}}}}{{{{y}}}}" }}
    }}
    matrix m {{ recipe = r, axes = x * y, name = "v{{{{x}}}}-{{{{y}}}}" }}
    output o {{ file = "{{{{variant}}}}.nix" }}
    """
    made, alone = (compile_text(PIN + body) for _ in "ab")
    expected = [file.text for one in alone.recipes() for file in emit((one,), "input.tvar")]
    assert [file.data().decode() for file in made.files("input.tvar")] == expected, messages(made)
    assert 'one = [ "a-b" ];' in expected[1] and f'"{long}-b"\n' in expected[-1]


@pytest.mark.parametrize("form", ["all", "flake"])
def test_a_file_of_all_variants_fills_in_a_setting_that_is_alone(form: str) -> None:
    """A setting that is alone in its block is in no slot, but in the text around the slots."""
    body = f"""
    axis x = {[*range(9)]}
    axis y = {[*range(9)]}
    recipe r {{ package = pkgs.hello, attrs.one = "{{{{x}}}}-{{{{y}}}}" }}
    matrix m {{ recipe = r, axes = x * y, name = "v{{{{x}}}}-{{{{y}}}}" }}
    output o: {form} {{ file = "{"flake" if form == "flake" else "default"}.nix" }}
    """
    made = compile_text(PIN + body)
    (file,) = made.files("input.tvar", collections=True)
    text = file.data().decode()
    assert codes(made) == [], messages(made)
    assert [f'one = "{x}-{y}";' in text for x in range(9) for y in range(9)] == [True] * 81


def peak(made: Compilation, root: Path) -> int:
    """The most bytes that building took beside what was there before."""
    tracemalloc.start()
    try:
        write_files(made.files("input.tvar"), str(root), WriteMode(), made.sink)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow(seconds=11)
@pytest.mark.parametrize(("kept", "most"), [(files.MOST_KEPT, 1500), (100, 900)])
def test_no_file_is_kept(
    kept: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each variant its path and a digest are kept, and up to a number of variants what is
    decided for it. All else that is remembered has a limit. Both programs exceed it here."""
    monkeypatch.setattr(files, "MOST_KEPT", kept)
    monkeypatch.setattr(portions, "MOST_KEPT", 64)
    monkeypatch.setattr(decide, "REMEMBERED", 64)
    monkeypatch.setattr(memo, "MOST_CHARACTERS", 1 << 16)
    made = [compile_text(program(count)) for count in (350, 1350)]
    small, large = (peak(one, tmp_path / str(i)) for i, one in enumerate(made))
    assert (large - small) / 6_000 < most


def test_what_is_kept_of_all_variants_is_little() -> None:
    assert files.MOST_KEPT * 1500 < 32 << 20


def test_each_text_is_made_once(tmp_path: Path) -> None:
    """That of a new file, of one that is right, and of one that differs."""
    made = compile_text(program(3))
    first = list(made.files("input.tvar"))
    for file in first[1:]:
        (tmp_path / file.path).write_bytes(file.data())
    (tmp_path / first[1].path).write_text(seal(["# older"], "{ }\n"))
    asked: list[str] = []

    @dataclass
    class Watched:
        file: File

        @property
        def path(self) -> str:
            return self.file.path

        def data(self) -> bytes:
            asked.append(self.path)
            return self.file.data()

    report = write_files(map(Watched, first), str(tmp_path), WriteMode(), made.sink)
    assert report.written == (first[0].path, first[1].path)
    assert sorted(asked) == sorted(file.path for file in first)
    for file in first[:2]:
        assert (tmp_path / file.path).read_bytes() == file.data()


def test_text_around_the_settings_may_depend_on_the_name() -> None:
    body = """recipe r { package = pkgs[upper(variant)] }
    axis x = ["a", "b"]
    matrix m { recipe = r, axes = x, name = "{{x}}" }
    output o { file = "{{variant}}.nix" }
    """
    found = list(compile_text(PIN + body).files("input.tvar"))
    assert [b"pinned.A" in found[0].data(), b"pinned.B" in found[1].data()] == [True, True]


@pytest.mark.parametrize(
    ("file", "code"),
    [("{{x}}.nix", "E402"), ("../{{variant}}.nix", "E403"), ("{{upper(y)}}.nix", "E402")],
)
def test_files_that_cannot_be_are_reported(file: str, code: str) -> None:
    body = f"""recipe r {{ package = pkgs.hello }}
    axis x = ["a", "b"]
    axis y = ["c", "d"]
    matrix m {{ recipe = r, axes = x * y, name = "{{{{x}}}}-{{{{y}}}}" }}
    output o {{ file = "{file}" }}
    """
    made, other = compile_text(PIN + body), compile_text(PIN + body)
    assert sum(1 for _ in made.files("input.tvar")) in (0, 4)
    other.recipes()
    assert codes(made) == [code]
    assert messages(made) == messages(other)


def test_files_of_two_matrices_are_held_against_each_other() -> None:
    body = """recipe r { package = pkgs.hello }
    axis x = ["a", "b"]
    matrix m { recipe = r, axes = x, name = "{{x}}" }
    matrix n { recipe = r, axes = x, name = "n-{{x}}" }
    output o { file = "{{if matrix == m then \\"n-\\" else \\"\\"}}{{variant}}.nix" }
    """.replace('\\"', '"')
    made = compile_text(PIN + body)
    list(made.files("input.tvar"))
    assert codes(made) == ["E402"]


def test_several_outputs_and_folders() -> None:
    body = """recipe r { package = pkgs.hello, attrs { src = path("./a"), x = x } }
    axis x = ["a", "b"]
    axis y = ["c", "d"]
    matrix m { recipe = r, axes = x * y, name = "{{x}}-{{y}}" }
    output o { file = "{{x}}/{{variant}}.nix" }
    output q { file = "deep/{{y}}/{{variant}}.nix" }
    """
    made, other = (compile_text(PIN + body, files={"a": ""}) for _ in "12")
    found = made.files("input.tvar")
    listed = [(file.path, file.data().decode()) for file in found]
    assert listed == [(f.path, f.text) for f in emit(one_by_one(other), "input.tvar", "input.tvar")]
    assert "src = ../../a;" in dict(listed)["deep/c/a-c.nix"]
