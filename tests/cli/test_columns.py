"""`list --format` and `--columns`: the variants in chosen columns, in each form; and the grid."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_schemas import validator
from support.command import ROOT, spawn, tvarc
from tvarc.commands.line import exits

PROGRAM = """\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  config { allowUnfree = true }
}
axis gpu {
  sm80 { label = "Ampere, A100", capability = 8.0, known-as = ["A100", "A30"] }
  sm90 { label = "H \\"big\\"", capability = 9.0, known-as = [] }
}
axis isa = ["avx2", "avx512"]
recipe r {
  package = pkgs.hello
  flag fast: bool = true
  attrs { doCheck = fast, extra += ["-a"], deep = { a.b = 1 }, own = pkgs.zlib }
  env   { MAX_JOBS = "8", FLAGS = "-O2", FORMULA = "=1+1" }
  script preConfigure { part one \"\"\"echo {{gpu}}\"\"\" }
  meta {
    description = "{{gpu.label}}\\nit is"
    platforms = [if gpu == sm90 then "aarch64-linux" else "x86_64-linux"]
  }
  when gpu == sm90 { env { ONLY = "here" } }
}
matrix m {
  recipe = r, axes = gpu * isa, name = "{{gpu}}-{{isa}}"
  exclude gpu == sm90 and isa == "avx2" because "nobody asked"
}
variant c { recipe = r, axes = gpu[sm80], name = "on", needs base = m[isa = "avx2"] }
output o { file = "out/{{variant}}.nix" }
"""


@pytest.fixture(autouse=True)
def project(here: Path) -> None:
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")


def data(columns: str, *words: str) -> list[dict[str, object]]:
    done = tvarc("list", "--json", "--columns", columns, *words, code=exits.OK)
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


def rows(columns: str, *words: str) -> list[list[str]]:
    done = tvarc("list", "--format", "csv", "--columns", columns, *words, code=exits.OK)
    return list(csv.reader(io.StringIO(done.stdout, newline="")))


def test_axes_and_facts_are_columns() -> None:
    assert data("name,gpu,gpu.label,gpu.known-as,gpu.capability", "sm80-avx2") == [
        {
            "name": "sm80-avx2",
            "gpu": "sm80",
            "gpu.label": "Ampere, A100",
            "gpu.known-as": ["A100", "A30"],
            "gpu.capability": "8.0",
        }
    ]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("env.MAX_JOBS", "8"),
        ("attrs.doCheck", True),
        ("attrs.deep", {"a": {"b": 1}}),
        ("attrs.deep.a.b", 1),
        ("attrs.own", {"nix": "pkgs.zlib"}),
        ("attrs.extra", {"added": ["-a"]}),
        ("script.preConfigure", {"added": "echo sm80"}),
        ("flags.fast", True),
        ("package", {"nix": "pkgs.hello"}),
        ("pin", "nixpkgs"),
        ("config.allowUnfree", True),
        ("env.ONLY", None),
        ("matrix", "m"),
        ("recipe", "r"),
        ("axes", {"gpu": "sm80", "isa": "avx2"}),
        ("platform", ["x86_64-linux"]),
        ("needs", {}),
        ("files", {"o": "out/sm80-avx2.nix"}),
        ("files.o", "out/sm80-avx2.nix"),
    ],
)
def test_settings_and_words_are_columns(column: str, value: object) -> None:
    assert data(column, "sm80-avx2") == [{column: value}]


def test_what_a_variant_needs_is_a_column() -> None:
    assert data("needs,needs.base", "on") == [
        {"needs": {"base": "sm80-avx2"}, "needs.base": "sm80-avx2"}
    ]
    assert data("needs.base", "sm80-avx2") == [{"needs.base": None}]


def test_where_there_is_nothing() -> None:
    assert rows("name,isa,env.ONLY", "on", "sm90-avx512") == [
        ["name", "isa", "env.ONLY"],
        ["sm90-avx512", "avx512", "here"],
        ["on", "", ""],
    ]
    lines = tvarc("list", "--columns", "isa,name,env.ONLY", "on").stdout
    assert lines == "-  on  -\n"


def test_an_axis_stands_before_a_word() -> None:
    Path("variants.tvar").write_text(
        'axis platform = ["a", "b"]\nrecipe r { package = pkgs.hello, pin = none }\n'
        'matrix m { recipe = r, axes = platform, name = "x-{{platform}}" }\n'
        'output o { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    assert [one["platform"] for one in data("platform")] == ["a", "b"]


@pytest.mark.slow
def test_csv_is_read_as_it_was_meant() -> None:
    """Quotes, commas and ends of lines; what would be a formula stands behind a `'`."""
    assert rows("name,gpu.label,meta.description,env.FLAGS,env.FORMULA", "sm90-avx512") == [
        ["name", "gpu.label", "meta.description", "env.FLAGS", "env.FORMULA"],
        ["sm90-avx512", 'H "big"', 'H "big"\nit is', "'-O2", "'=1+1"],
    ]
    assert data("env.FLAGS", "sm90-avx512") == [{"env.FLAGS": "-O2"}]


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\\t", "\\r", "\\n"])
def test_no_cell_is_a_formula(first: str) -> None:
    text = Path("variants.tvar").read_text(encoding="utf-8").replace('"=1+1"', f'"{first}x"')
    Path("variants.tvar").write_text(text, encoding="utf-8")
    ((_,), (cell,)) = rows("env.FORMULA", "sm80-avx2")
    assert cell == f"'{first}x".encode().decode("unicode_escape")


def test_the_forms_have_the_same_columns() -> None:
    columns = "name,gpu,gpu.label,attrs.extra,needs"
    assert tvarc("list", "--columns", columns, "on").stdout == (
        'on  sm80  Ampere, A100  += ["-a"]  base=sm80-avx2\n'
    )
    assert tvarc(
        "list", "--columns", columns, "--format", "markdown", "on"
    ).stdout.splitlines() == [
        "| name | gpu | gpu.label | attrs.extra | needs |",
        "|---|---|---|---|---|",
        '| `on` | `sm80` Ampere, A100 | Ampere, A100 | `+= ["-a"]` | `base=sm80-avx2` |',
    ]


def test_json_is_a_form_of_its_own() -> None:
    for form in ("csv", "markdown"):
        assert "it prints no JSON: leave out --json" in refused("list", "--json", "--format", form)
    github = tvarc("list", "--json", "--format", "github")
    assert github.stdout == tvarc("list", "--json").stdout != ""


def refused(*words: str) -> str:
    done = tvarc(*words, code=exits.USAGE)
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("other", [["--excluded"], ["--by", "gpu"], ["--count"]])
def test_they_are_of_variants_alone(other: list[str]) -> None:
    assert "only variants have columns" in refused("list", "--columns", "name", *other)
    assert "it lists only variants" in refused("list", "--format", "csv", *other)
    named = tvarc("list", "--json", *other, code=exits.OK)
    json.loads(named.stdout)


def test_unknown_columns_are_told_all_at_once() -> None:
    """[E914], each with what was probably meant."""
    done = tvarc("list", "--columns", "nam,gpu.lable,isa.label,meta.descriptoin,file,attrs.none,,x")
    assert done.exit_code == exits.FAILED
    assert done.stdout == ""
    told = [line for line in done.stderr.splitlines() if "E914" in line or "did you" in line]
    assert told == [
        "error[E914]: there is no column `nam`",
        "  = help: did you mean `name`?",
        "error[E914]: there is no column `gpu.lable`",
        "  = help: did you mean `gpu.label`?",
        "error[E914]: there is no column `isa.label`",
        "  = help: did you mean `gpu.label`?",
        "error[E914]: there is no column `meta.descriptoin`",
        "  = help: did you mean `meta.description`?",
        "error[E914]: there is no column `file`",
        "  = help: did you mean `files`?",
        "error[E914]: there is no column `attrs.none`",
        "  = help: did you mean `attrs.own`?",
        "error[E914]: there is no column ``",
        "error[E914]: there is no column `x`",
    ]
    assert "settings: attrs.doCheck, attrs.extra" in done.stderr


def test_a_comma_in_quotes_is_of_the_name() -> None:
    text = Path("variants.tvar").read_text(encoding="utf-8").replace("doCheck", '"a,b"')
    Path("variants.tvar").write_text(text, encoding="utf-8")
    assert data('attrs."a,b",name', "sm80-avx2") == [{'attrs."a,b"': True, "name": "sm80-avx2"}]


def test_a_setting_that_cannot_be_decided_is_told() -> None:
    text = Path("variants.tvar").read_text(encoding="utf-8")
    text = text.replace('MAX_JOBS = "8"', "MAX_JOBS = gpu.known-as[0]")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    done = tvarc("list", "--columns", "name,env.MAX_JOBS", code=exits.FAILED)
    assert done.stdout == ""
    assert "gpu.known-as[0]" in done.stderr


def test_several_programs() -> None:
    Path("more").mkdir()
    Path("more/variants.tvar").write_text(PROGRAM, encoding="utf-8")
    done = tvarc("list", "--all", "--json", "--columns", "name", "sm80-avx2")
    assert [(one["program"], one["result"]) for one in json.loads(done.stdout)] == [
        ("variants.tvar", [{"name": "sm80-avx2"}]),
        ("more/variants.tvar", [{"name": "sm80-avx2"}]),
    ]


def test_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """It describes what is printed, of whatever columns, and no more."""
    schema = validator("list")
    columns = "name,attrs.extra,attrs.own,attrs.deep,env.ONLY,flags.fast,files,gpu.capability"
    for words in ([], ["--columns", columns]):
        schema.validate(json.loads(tvarc("list", "--json", *words).stdout))
    monkeypatch.chdir(ROOT)
    schema.validate(json.loads(tvarc("list", "--json").stdout))
    wrong: list[object] = [{}, [1], [{"name": 1}], [{"needs": {"a": 1}}], [{"platform": "x"}]]
    for one in wrong:
        assert not schema.is_valid(one), one


# --- the grid -------------------------------------------------------------------------------------


def on_a_terminal(*words: str, columns: int = 80) -> list[str]:
    """What the command prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "tvarc", "list", *words]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, env=env, check=True)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 1 << 16)
        except OSError:  # as Linux ends a terminal that nobody writes to any more
            break
        if not more:
            break
        text += more
    os.close(ours)
    assert b"Traceback" not in done.stderr
    return [line.rstrip() for line in text.decode().splitlines()]


def test_two_free_axes_are_a_grid() -> None:
    assert on_a_terminal("m") == [
        "m: gpu by isa",
        "",
        "      avx2  avx512",
        "sm80  +     +",
        "sm90  -     +",
        "",
        "+ built 3   - excluded 1",
    ]


@pytest.mark.slow
def test_selectors_fix_the_other_axes() -> None:
    text = PROGRAM.replace("axes = gpu * isa, name", "axes = gpu * isa * lto, name")
    text = text.replace('"{{gpu}}-{{isa}}"', '"{{gpu}}-{{isa}}{{if lto then "-lto" else ""}}"')
    text = text.replace("recipe r {", "axis lto = [true, false]\nrecipe r {", 1)
    text = text[: text.index("variant c")] + text[text.index("output o") :]
    Path("variants.tvar").write_text(text, encoding="utf-8")
    assert on_a_terminal("gpu.capability > 8.0 and not lto")[0].startswith("sm90-avx512")
    assert on_a_terminal("lto=false")[0] == "m: gpu by isa, lto = false"
    assert on_a_terminal("gpu=sm90")[2:] == [
        "        true  false",
        "avx2    -     -",
        "avx512  +     +",
        "",
        "+ built 2   - excluded 2",
    ]
    assert on_a_terminal()[0].startswith("sm80-avx2-lto")  # three axes are free


@pytest.mark.slow
def test_elsewhere_it_is_a_table() -> None:
    """What is no terminal gets lines, and so does who asks for a form or for columns; so do
    several matrices, and a terminal that is too narrow."""
    plain = tvarc("list", "m").stdout
    assert plain.splitlines()[0] == "sm80-avx2    sm80  avx2"
    assert spawn("list", "m", cwd=Path.cwd()).stdout.decode() == plain
    assert on_a_terminal("m", "--columns", "name,gpu,isa") == plain.splitlines()
    assert on_a_terminal("m", columns=12) == plain.splitlines()
    assert on_a_terminal("m", "--columns", "name") == ["sm80-avx2", "sm80-avx512", "sm90-avx512"]
    assert on_a_terminal("sm80")[0].startswith("sm80-avx2")
    assert len(on_a_terminal()) == 4
