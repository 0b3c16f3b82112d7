"""The lint for `${…}` in a text: what it tells, and what it is silent about."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compile import ROOT, compile_on_disk, compile_text, lints, messages, std_sources
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.meaning.declarations.nix_marks import nix_marks

NAME = "nix-mark-in-text"
HEAD = 'axis gpu = ["g1"]\nlet toolkit = "t"\n'


def program(text: str, more: str = "", *, setting: str = "") -> str:
    return (
        f"{HEAD}recipe r {{\n  package = pkgs.hello\n  pin = none\n"
        f"  {setting}\n  script preConfigure {{\n"
        f'    part one """\n      {text}\n    """\n    {more}\n  }}\n}}\n'
        'matrix m { recipe = r, axes = gpu, name = "v-{{gpu}}" }\n'
    )


def told(text: str) -> list[str]:
    made = compile_text(text)
    made.recipes()
    assert not made.sink.has_errors, messages(made)
    return [one.title.split("`")[1] for one in made.diagnostics if one.name == NAME]


@for_each(
    "mark",
    [
        *(
            "${pkgs.zlib}",
            "${caller.zlib}",
            "${lib.version}",
            "${old.x}",
            "${final.x}",
            "${prev.x}",
            "${self.x}",
        ),
        *("${super.x}", "${stdenv.cc}", "${builtins.x}", "${lib.getDev pkgs.zlib}"),
        *("${gpu}", "${toolkit}", "${gpu.label}", "${variant}", "${r}"),
        *("${toString gpu.label}", "${toString r}"),
        *("${ pkgs.zlib }", "${ gpu.label }", "${ gpu }"),
    ],
)
def test_what_is_told(mark: str) -> None:
    assert told(program(f"echo {mark}")) == [mark]
    assert told(program("echo", setting=f'attrs {{ x = "-{mark}-" }}')) == [mark]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('recipe r {{ package = pkgs.a, pin = none, attrs {{ x = "{}" }} }}', {
            "${pkgs.z}": "{{pkgs.z}}", "${caller.z}": "{{caller.z}}", "${old.z}": "{{old.z}}",
            "${final.z}": "{{pkgs.z}}", "${prev.z}": "{{pkgs.z}}", "${self.z.w}": "{{pkgs.z.w}}",
        }),
        ('recipe r {{ package = pkgs.a, pin = none, args {{ x = "{}" }} }}', {
            "${final.z}": "{{pkgs.z}}", "${old.z}": "",
        }),
        ('overlay o for a {{ x = "{}" }}\n'
         'recipe r {{ package = pkgs.a, pin = none, overlays = [o] }}', {
            "${final.z}": "{{final.z}}", "${super.z}": "{{prev.z}}", "${old.z}": "{{old.z}}",
        }),
        ('overlay o {{ x = "{}" }}\n'
         'recipe r {{ package = pkgs.a, pin = none, overlays = [o] }}', {
            "${old.z}": "", "${prev.z}": "{{prev.z}}",
        }),
    ],
)  # fmt: skip
def test_what_is_to_be_written_instead_stands_there(text: str, words: dict[str, str]) -> None:
    end = "\nvariant v { recipe = r }\n"
    for mark, instead in words.items():
        made = compile_text(text.format(mark) + end)
        made.recipes()
        assert not made.sink.has_errors, messages(made)
        (found,) = [one for one in made.diagnostics if one.name == NAME]
        if instead:
            assert f"write `{instead}`" in found.help
            right = compile_text(text.format(instead) + end)
            right.recipes()
            assert not right.sink.has_errors, messages(right)
        else:
            assert "`old` is available only in `attrs`, scripts and overlays" in found.help


@for_each(
    "text",
    [
        *(
            "${CFLAGS}",
            "${out}",
            "${src}",
            "${lib}",
            "${version}",
            "${nobody}",
            "${nobody.x}",
            "$gpu",
        ),
        *("${gpu:-x}", "${gpu%x}", "${#gpu}", "${gpu[0]}", "${!gpu}", "\\${gpu}", "$${gpu}"),
        *("# ${gpu}", "gpu=1; echo ${gpu}", "gpu+=1; echo ${gpu}", "export gpu; echo ${gpu}"),
        *(
            "for gpu in a b; do echo ${gpu}; done",
            "read -r gpu; echo ${gpu}",
            "local x gpu; echo ${gpu}",
        ),
        *("printf -v gpu x; echo ${gpu}", ": ${gpu:=x}; echo ${gpu}", "${", "${}", "${gpu"),
        "declare -a gpu; gpu[0]=1; echo ${gpu}",
    ],
)
def test_what_a_shell_means(text: str) -> None:
    assert told(program(text)) == []


def test_a_variable_of_another_part_or_of_the_environment() -> None:
    assert told(program("echo ${gpu}", 'part two "gpu=1"')) == []
    assert told(program("echo ${gpu}", setting="env { gpu = gpu }")) == []
    assert told(program("echo ${gpu}", setting="attrs { gpu = gpu }")) == []
    assert told(program("echo ${gpu}", setting="args { gpu = gpu }")) == ["${gpu}"]
    assert told(program("echo ${gpu}", setting="attrs { x.gpu = gpu }")) == ["${gpu}"]
    assert told(program("echo ${gpu}", setting="attrs { gpu.x = gpu }")) == []
    assert told(program("echo --gpu=1 x.gpu=1 ${gpu}")) == ["${gpu}"]


def test_what_a_script_assigns_is_known_to_scripts_alone() -> None:
    part = 'part two "gpu=1"'
    for setting in (
        'attrs { x = "-${gpu}-" }',
        'attrs { x = ["a", if gpu == "g1" then "${gpu}" else "b"] }',
        'attrs { x.y = { z = "${gpu}" } }',
        'env { X = "${gpu}" }',
        'args { x = "${gpu}" }',
        'passthru { x = "${gpu}" }',
        'meta { description = "for ${gpu}" }',
        'meta { description = "gpu=1 ${gpu}" }',
        'meta { longDescription = """\n    gpu=1 ${gpu}\n  """ }',
    ):
        assert told(program("gpu=1", part, setting=setting)) == ["${gpu}"], setting
    for setting in (
        'attrs { preBuild = "echo ${gpu}" }',
        'attrs { buildPhase = "echo ${gpu}" }',
        'attrs { x = "gpu=1; echo ${gpu}" }',
        'attrs { x = """\n    echo ${gpu}\n  """ }',
    ):
        assert told(program("gpu=1", part, setting=setting)) == [], setting


def test_a_description_has_no_variables() -> None:
    setting = 'env { gpu = gpu }\n  meta { description = "for ${gpu}" }'
    assert told(program("echo", setting=setting)) == ["${gpu}"]
    assert told(program("echo", setting='env { gpu = gpu, X = "${gpu}" }')) == []


def test_a_name_that_another_module_has_is_none_here() -> None:
    text = 'use "./o.tvar" as o\n' + program("echo ${other} ${o.other}")
    made = compile_text(text, files={"o.tvar": "let other = 1\n"})
    made.recipes()
    assert [one.title.split("`")[1] for one in made.diagnostics] == ["${o.other}"]


def test_it_is_switched_off_by_its_name() -> None:
    text = program("echo ${gpu}") + f'warn {NAME} = off because "meant"\n'
    made = compile_text(text)
    made.recipes()
    assert [one.code for one in made.diagnostics] == []
    idle = compile_text(text.replace("${gpu}", "{{gpu}}"))
    idle.recipes()
    assert [one.code for one in idle.diagnostics] == ["E606"]


def test_nix_text_is_nix() -> None:
    text = program("echo", setting='attrs { x = nix"""\'\' ${pkgs.zlib} ${gpu} \'\' """ }')
    assert told(text) == []


def repository() -> list[Path]:
    return [ROOT / "variants.tvar", *sorted((ROOT / "examples").rglob("*.tvar"))]


@pytest.mark.slow
@pytest.mark.parametrize("file", repository(), ids=lambda file: file.name)
def test_no_false_alarm_in_the_programs_of_the_repository(file: Path) -> None:
    made = compile_on_disk(file)
    assert marks(made) == []


@for_each("module", std_sources())
def test_no_false_alarm_in_the_library(module: str) -> None:
    assert marks(compile_text(std_sources()[module])) == []


def marks(made: Compilation) -> list[str]:
    assert made.resolution is not None and made.graph is not None
    sources = {file: made.sources.get(file) for file in made.graph.modules}
    known = {file: source for file, source in sources.items() if source is not None}
    resolution = made.resolution
    return [one.written for one in nix_marks(resolution.marked, resolution.program, known)]


def test_an_error_does_not_hide_it() -> None:
    made = compile_text(program("echo ${gpu}", setting="attrs { x = nobody }"))
    made.recipes()
    assert lints(made) == ["nix-mark-in-text"]


def test_no_text_of_meta_is_a_script() -> None:
    """Whatever its name: elsewhere a setting may be a script, whose variable another one is."""
    setting = '{} {{ prefix = "${{toolkit}}" }}\nenv {{ toolkit = "x" }}'
    assert told(program("echo", setting=setting.format("meta"))) == ["${toolkit}"]
    assert told(program("echo", setting=setting.format("passthru"))) == []


@pytest.mark.parametrize("name", ["a-b", "a-bc", "a-b-c"])
def test_a_name_with_dashes(name: str) -> None:
    made = f"let {name} = 1\n" + program(f"echo ${{{name}}}")
    assert told(made) == [f"${{{name}}}"]
