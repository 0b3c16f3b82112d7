"""`tvarc explain` of an element or a line: what let it in, what it read, what it stands over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from tvarc.commands.line import exits

PROGRAM = '''\
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
facts board (arch: string, flags: [string], sources: [string], mark: string) {
  rpi5 { arch = "aarch64", flags = ["-a"], sources = ["S1", "S2"], mark = "verified" }
  nuc  { arch = "x86_64", flags = ["-x"], sources = ["S3"], mark = "disputed" }
}
axis b = board[rpi5, nuc]
let arm = b.arch == "aarch64"
recipe base {
  package = pkgs.hello
  attrs {
    default a = "zero"
    list = [
      "plain",
      "for-{{b.arch}}",
      ...b.flags,
    ]
    jobs = 1
  }
  script build {
    part main """
      echo one

      echo {{b.arch}} {{meta.description}}
      {{join(b.flags, "\\n")}}
      echo last
    """
    part short "echo {{b.mark}}\\necho short\\n"
  }
  meta { description = "for {{b}}" }
}
recipe child extends base {
  attrs {
    a = "child"
    when arm and b.mark != "disputed" {
      jobs = 2
    } else when b.arch == "x86_64" {
      cores = 4
    }
  }
}
matrix all {
  recipe = child
  axes = b
  name = "v-{{b}}"
  attrs { force a = "matrix" }
}
output out { file = "{{variant}}.nix" }
'''


@pytest.fixture
def program(here: Path) -> Path:
    (here / "variants.tvar").write_text(PROGRAM)
    return here


def line_of(text: str) -> int:
    return 1 + next(n for n, line in enumerate(PROGRAM.splitlines()) if text in line)


def asked(*words: str) -> dict[str, Any]:
    result = tvarc("explain", *words, "--json", code=exits.OK)
    data = json.loads(result.stdout)
    assert isinstance(data, dict)
    return data


def test_ranks(program: Path) -> None:
    data = asked("rpi5", "attrs.a")
    assert [(one["value"], one["rank"]) for one in data["shadowed"]] == [
        ("zero", "matrix all's `force =` over recipe base's `default =`"),
        ("child", "matrix all's `force =` over recipe child's `=`"),
    ]
    text = " ".join(tvarc("explain", "rpi5", "attrs.a").stdout.split())
    assert 'shadows "child" (`force` in all: matrix all\'s `force =` over recipe child' in text


def test_ranks_of_an_overlay_s_settings(program: Path) -> None:
    overlay = "overlay ov for zlib {\n  default x = 1\n  x = 2\n}\n"
    text = PROGRAM.replace("recipe base {", f"{overlay}recipe base {{\n  overlays = [ov]")
    (program / "variants.tvar").write_text(text)
    (lost,) = asked("rpi5", "overlays.ov.x")["shadowed"]
    assert lost["rank"] == "overlay ov's `=` over overlay ov's `default =`"


def test_a_line_of_a_text_that_is_chosen(program: Path) -> None:
    chosen = '''meta {
    longDescription = if arm then """
      Of {{b.arch}}.
      An arm.
    """ else """
      No arm.
    """
   '''
    (program / "variants.tvar").write_text(PROGRAM.replace("meta {", chosen))
    first = tvarc("explain", "rpi5", "meta.longDescription:1").stdout
    assert (
        "Of aarch64." in first and "variants.tvar:31" in first and "reads board.rpi5.arch" in first
    )
    second = tvarc("explain", "rpi5", "meta.longDescription:2").stdout
    assert "An arm." in second and "variants.tvar:32" in second and "reads" not in second


def test_equals_have_no_rank_over_each_other(program: Path) -> None:
    attrs = """
    attrs {
      same  = 1
      same  = 1
      list  = [1]
      list += [2]
      list -= [2]
    }
    """
    (program / "variants.tvar").write_text(
        f"recipe r {{ package = pkgs.hello, pin = none\n{attrs} }}\nvariant v {{ recipe = r }}\n"
    )
    (lost,) = asked("v", "attrs.same")["shadowed"]
    assert (lost["value"], lost["why"], lost["rank"]) == (1, "the same value", None)
    data = asked("v", "attrs.list")
    assert [(one["op"], one["rank"]) for one in data["shadowed"]] == [("+=", None), ("-=", None)]
    assert " over " not in tvarc("explain", "v").stdout


def test_a_condition_has_the_values_of_its_operands(program: Path) -> None:
    data = asked("rpi5", "attrs.jobs")
    assert data["value"] == 2
    (condition,) = data["origin"]["conditions"]
    assert condition["operands"] == {"arm": True, "b.mark": "verified"}
    assert [(fact["row"], fact["field"]) for fact in condition["reads"]] == [
        ("rpi5", "arch"), ("rpi5", "mark"),
    ]  # fmt: skip
    rows = [line.split() for line in tvarc("explain", "rpi5", "attrs.jobs").stdout.splitlines()]
    assert ["arm", "=", "true"] in rows
    assert ["b.mark", "=", '"verified"'] in rows
    (lost,) = data["shadowed"]
    assert lost["rank"] == "recipe child's `=` under a condition over recipe base's `=`"
    assert asked("nuc", "attrs.jobs")["value"] == 1


@pytest.mark.parametrize(
    "path", ["attrs.list.1", "attrs.list:1", "attrs.list[1]", "attrs.list:for-", "list:for-x86_64"]
)
def test_an_element_by_number_and_by_text(program: Path, path: str) -> None:
    data = asked("nuc", path)
    assert data["value"] == "for-x86_64"
    (fact,) = data["reads"]
    assert fact == {
        "table": "board", "row": "nuc", "field": "arch", "value": "x86_64",
        "sources": ["S3"], "mark": "disputed", "file": "variants.tvar",
        "line": line_of("nuc  {"), "column": fact["column"],
    }  # fmt: skip


def test_each_element_tells_its_own_reads(program: Path) -> None:
    assert "reads" not in asked("nuc", "attrs.list:0")
    (fact,) = asked("nuc", "attrs.list:2")["reads"]
    assert fact["field"] == "flags"
    shown = tvarc("explain", "nuc", "attrs.list").stdout
    assert 'reads board.nuc.arch = "x86_64" (disputed; S3)' in " ".join(shown.split())


EQUAL = """\
list = [
      "-x",
      "for-{{b.arch}}",
      ...b.flags,
      "-x",
    ]
    list += ["-x"]"""


@pytest.mark.slow
def test_equal_elements_have_each_its_own_place_and_reads(program: Path) -> None:
    start, end = PROGRAM.index("list = ["), PROGRAM.index("    jobs = 1")
    text = f"{PROGRAM[:start]}{EQUAL}\n{PROGRAM[end:]}"
    (program / "variants.tvar").write_text(text)
    first = 1 + text[:start].count("\n")
    found = {
        place: asked("nuc", f"attrs.list[{place}]")["at"]["line"] - first for place in (0, 2, 3, 4)
    }
    assert found == {0: 1, 2: 3, 3: 4, 4: 6}
    (fact,) = asked("nuc", "attrs.list:2")["reads"]
    assert fact["field"] == "flags"
    assert all("reads" not in asked("nuc", f"attrs.list[{place}]") for place in (0, 3, 4))


@pytest.mark.parametrize(
    ("place", "text", "source"),
    [
        ("1", "echo one", "echo one"),
        ("2", "", None),
        ("3", "echo x86_64 for nuc", "{{meta.description}}"),
        ("4", "-x", "join(b.flags"),
        ("5", "echo last", "echo last"),
        ("6", "echo disputed", "part short"),
        ("7", "echo short", "part short"),
        ("last", "echo last", "echo last"),
    ],
)
def test_a_line_of_a_script(program: Path, place: str, text: str, source: str | None) -> None:
    data = asked("nuc", f"script.build:{place}")
    assert data["value"] == text
    if source is not None:
        assert data["at"]["line"] == line_of(source)


def test_a_line_tells_what_it_read(program: Path) -> None:
    data = asked("nuc", "script.build:3")
    assert [one["field"] for one in data["reads"]] == ["arch"]
    assert data["settings"] == ["meta.description"]
    assert data["of"] == "main"
    assert data["path"] == "script.build:3"
    assert "reads" not in asked("nuc", "script.build:1")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    ["script.build:99", "script.build:0", "attrs.list:9", "attrs.list:no", "script.build:echo",
     "attrs.jobs:0"],
)  # fmt: skip
def test_what_is_not_there_or_is_there_twice(program: Path, path: str) -> None:
    result = tvarc("explain", "nuc", path, code=exits.FAILED)
    assert f"error[E904]: this variant has no `{path}`" in result.stderr
    assert "did you mean" not in result.stderr


def test_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = tvarc("explain", "sm103-avx512bf16", "script.preConfigure:MAX_JOBS").stdout
    assert "(torch-base, part flags)" in shown
    assert "export MAX_JOBS=32" in shown
    text = (ROOT / "variants.tvar").read_text().splitlines()
    place = 1 + next(n for n, line in enumerate(text) if "MAX_JOBS" in line)
    assert f"variants.tvar:{place}" in shown
    shown = " ".join(tvarc("explain", "sm103-avx512bf16", "args.gpuTargets").stdout.split())
    assert "reads nvidia.sm103.capability = 10.3 (verified; NV-CC," in shown


def test_an_else_names_its_line_and_the_condition_that_is_false(project: Path) -> None:
    (project / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    shown = tvarc("explain", "v-nuc", "attrs.cores").stdout.split("\n")
    assert [line.split()[:-1] for line in shown if "when" in line] == [
        ["when", "not", "(arm", "and", "b.mark", "!=", '"disputed")'],
        ["when", 'b.arch', "==", '"x86_64"'],
    ]
    line = PROGRAM[: PROGRAM.index("} else when")].count("\n") + 1
    assert [text.split()[-1] for text in shown if "when" in text] == [f"variants.tvar:{line}"] * 2
    failed = 'not (arm and b.mark != "disputed")'
    kept = " ".join(tvarc("explain", "v-rpi5", "attrs.cores").stderr.split())
    assert f'when {failed}; here arm = true, b.mark = "verified"' in kept
    who = tvarc("who", f"variants.tvar:{line}").stdout
    assert f"switches off `when {failed}` (variants.tvar:{line}) in v-rpi5" in who
