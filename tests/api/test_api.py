"""The public interface: what it promises, and that it agrees with the commands."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from cli.test_start import HEAVY
from support.command import tvarc
from support.compile import ROOT, VARIANTS, std_sources
from support.effort import sampled
from tvarc import api
from tvarc.api import Program, Refused
from tvarc.api import compile as compiled
from tvarc.build.driver import compile_file
from tvarc.commands.programs.checking import check_program
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.render_json import render_json

SMALL = """\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  hash   = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
}
output nix { file = "nix/{{variant}}.nix" }
axis gpu { sm80 { big = false }, sm90 { big = true } }
axis size = ["s", "l"]
recipe hello {
  package = pkgs.hello
  attrs {
    pname = "hello-{{variant}}"
    marks = ["{{gpu}}", size]
  }
}
matrix cells {
  recipe = hello
  axes = gpu * size
  name = "{{gpu}}-{{size}}"
  exclude gpu.big and size == "s" because "too small for it"
}
"""
CASES = sorted(path.parent.name for path in (ROOT / "tests/snapshots").glob("*/input.tvar"))


def own_process(program: str, **env: str) -> str:
    """What a Python program says that sees the checkout's package."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- what is promised -------------------------------------------------------------------------


def test_the_public_names_and_signatures(snapshot: SnapshotAssertion) -> None:
    """A change here is a change of the public interface: see the rules in `docs/api.md`."""
    lines: list[str] = []
    for name in api.__all__:
        thing = getattr(api, name)
        if not inspect.isclass(thing):
            lines.append(f"{name}{inspect.signature(thing)}" if callable(thing) else name)
            continue
        lines.append(f"class {name}({', '.join(base.__name__ for base in thing.__bases__)})")
        fields = inspect.get_annotations(thing)
        lines += [f"    {field}: {kind}" for field, kind in fields.items()]
        for member, value in vars(thing).items():
            if member.startswith("_") or member in fields:
                continue
            if isinstance(value, property):
                assert value.fget is not None
                lines.append(f"    {member}{inspect.signature(value.fget)}  # property")
            elif callable(value):
                lines.append(f"    {member}{inspect.signature(value)}")
    assert "\n".join(lines) == snapshot


def test_each_public_name_is_documented() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in api.__all__:
        assert f"`{name}" in page, name
    members = [name for name in vars(Program) if not name.startswith("_")]
    for name in members:
        assert f"`{name}" in page, name


def test_it_is_light_to_import() -> None:
    program = "import sys; old = {*sys.modules}; import tvarc.api; print(*{*sys.modules} - old)"
    found = set(own_process(program).split())
    assert {name for name in found if name.startswith("tvarc")} == {
        "tvarc", "tvarc.api", "tvarc.light",
    }  # fmt: skip
    assert not found & HEAVY


WATCHED = """\
import os, sys
from tvarc import api
from tvarc.files.resources import grammar_text, stdlib_dir
own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(api.__file__))))
library = (own, sys.prefix, sys.base_prefix, os.path.dirname(os.__file__))
sys.dont_write_bytecode = True

def watch(event, args):
    if event == "open":
        path, mode, flags = args
        written = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        assert not written and str(path).startswith(library), (event, args)
    assert event not in ("os.exec", "os.fork", "os.posix_spawn", "os.system"), (event, args)
    assert not event.startswith(("socket.", "subprocess.", "shutil.", "tempfile.")), (event, args)
    assert event not in (
        "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
        "os.symlink", "os.truncate", "os.unlink", "os.utime",
    ), (event, args)

sys.addaudithook(watch)
made = api.compile(TEXT, {"x.tvar": ""})
assert len(made.variants) == 3 and len(made.dropped) == 1, made.messages()
made.recipe(0), made.explain(0), made.diagnostics, made.matrices
wrong = api.compile("use std.nope\\nuse std.nvidia\\nuse './x.tvar'\\n")
assert wrong.diagnostics and not wrong.ok
print("done")
"""


@pytest.mark.slow
def test_it_writes_nothing_and_starts_nothing() -> None:
    """Python itself tells of each file that is opened, and of each process."""
    program = f"TEXT = {SMALL!r}\n{WATCHED}"
    assert own_process(program, HOME="/nowhere", XDG_CACHE_HOME="") == "done\n"


@pytest.mark.slow
def test_it_leaves_the_process_as_it_was() -> None:
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1500)
        assert compiled(SMALL).recipe(0)
        assert sys.getrecursionlimit() == 1500
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.slow
def test_what_is_nested_needs_no_room_of_the_caller() -> None:
    deep = f'({"(" * 150}size == "s"{")" * 150})'
    text = SMALL.replace('size == "s"', deep).replace("size]", f'if {deep} then "s" else size]')
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack()) + 120)
        made = compiled(text)
        found = made.ok, len(made.dropped), made.recipe(0)[0].path, bool(made.explain(0).text)
    finally:
        sys.setrecursionlimit(before)
    assert found == (True, 1, "nix/sm80-s.nix", True)


def test_what_needs_more_than_the_machine_has_is_a_diagnostic() -> None:
    deep = compiled("let x = " + "(" * 5000 + "1" + ")" * 5000 + "\n")
    assert [one.code for one in deep.diagnostics] == ["E109"]
    assert not deep.ok and deep.variants == () and deep.dropped == () and deep.matrices == ()


# --- what it answers --------------------------------------------------------------------------


def test_a_small_program() -> None:
    made = compiled(SMALL)
    assert made.ok and made.diagnostics == () and made.messages() == ""
    (matrix,) = made.matrices
    assert (matrix.name, matrix.recipe) == ("cells", "hello")
    assert matrix.axes == {"gpu": ("sm80", "sm90"), "size": ("s", "l")}
    assert [one.name for one in made.variants] == ["sm80-s", "sm80-l", "sm90-l"]
    assert made.variants[2].axes == {"gpu": "sm90", "size": "l"}
    (cell,) = made.dropped
    (reason,) = cell.reasons
    assert (cell.name, cell.axes, cell.matrix) == ("sm90-s", {"gpu": "sm90", "size": "s"}, "cells")
    assert reason.because == "too small for it"
    assert reason.exclusion == 'exclude gpu.big and size == "s"'
    assert reason.values == {"gpu.big": "true", "size": '"s"'}
    place = reason.range
    assert (place.file, place.start.line, reason.through) == ("variants.tvar", 20, None)
    assert SMALL[place.start.offset : place.end.offset].startswith("exclude gpu.big")
    (file,) = made.recipe(0)
    assert file.path == "nix/sm80-s.nix" and 'pname = "hello-sm80-s";' in file.text
    found = made.explain(2, "attrs.pname")
    assert isinstance(found.data, dict) and found.data["value"] == "hello-sm90-l"
    assert "variants.tvar:12" in found.text


@pytest.mark.slow
def test_errors_are_diagnostics() -> None:
    made = compiled(SMALL.replace("pkgs.hello", "pkg.hello"), name="my/own.tvar")
    (one,) = made.diagnostics
    assert (one.code, one.severity, one.name, made.ok) == ("E201", "error", "", False)
    (label,) = one.labels
    assert label.primary and label.range.file == "my/own.tvar"
    assert (label.range.start.line, label.range.start.column) == (10, 13)
    assert one.code in made.messages(width=60) and "\x1b" in made.messages(colour=True)
    for ask in (made.recipe, made.explain):
        with pytest.raises(Refused) as refused:
            ask(0)
        assert refused.value.diagnostics == made.diagnostics
        assert "E201" in str(refused.value)


def test_questions_that_have_no_answer() -> None:
    made = compiled(SMALL)
    with pytest.raises(Refused) as refused:
        made.explain(0, "attrs.pnam")
    (one,) = refused.value.diagnostics
    assert one.code == "E904" and "attrs.pname" in one.help
    for index in (-1, 3):
        for ask in (made.recipe, made.explain):
            with pytest.raises(IndexError):
                ask(index)


def test_other_files() -> None:
    """Modules, the lock and files that recipes name come from the mapping, and from it alone."""
    text = SMALL.replace("axis size", 'use "./std/own.tvar"\naxis size').replace(
        "attrs {", 'attrs {\n patches = [path("./fix.patch")]'
    )
    own: dict[str, str | bytes] = {"std/own.tvar": "let mine = 1\n", "./fix.patch": b"\xff"}
    made = compiled(text, own)
    assert made.ok, made.messages()
    assert "fix.patch" in made.recipe(0)[0].text
    assert [one.code for one in compiled(text, {}).diagnostics] == ["E106", "E106"]
    broken = compiled(text, {**own, "std/own.tvar": b"\xff"})
    assert [one.code for one in broken.diagnostics] == ["E107", "W131"]
    locked = compiled(SMALL, {"tvar.lock": "not a lock"})
    assert [one.code for one in locked.diagnostics] == ["E943"]
    below = compiled('use "../a.tvar"\n' + SMALL, {"x/a.tvar": "let a = 1\n"}, name="x/y/v.tvar")
    assert below.ok, below.messages()


def test_modules_of_an_input() -> None:
    """As with `--input`. Without the checkout, the diagnostic names what is missing."""
    text = (
        f'input team {{ github = "a/b", rev = "{"1" * 40}", hash = unlocked }}\n'
        'use "sub/torch.tvar" from team\nvariant v { recipe = tuned }\n'
        'output nix { file = "{{variant}}.nix" }\n'
    )
    module = (
        'recipe tuned { package = pkgs.hello, pin = none, attrs { patches += [path("a.patch")] } }'
    )
    files = {"../team/sub/torch.tvar": module, "../team/sub/a.patch": ""}
    made = api.compile(text, files, inputs={"team": "../team"})
    assert made.ok and '(team-input + "/sub/a.patch")' in made.recipe(0)[0].text
    assert "team/sub/torch.tvar:1" in made.explain(0, "attrs.patches").text
    assert "E213" in [one.code for one in api.compile(text, files).diagnostics]
    wrong = api.compile(text, files, inputs={"team": "../team", "other": "a"})
    assert not wrong.ok and "other" in wrong.messages()


def test_a_program_without_a_file_for_each_variant_has_recipes() -> None:
    one_file = SMALL.replace('output nix { file = "nix/{{variant}}', 'output o: all { file = "all')
    made = compiled(one_file)
    assert made.ok, made.messages()
    (file,) = made.recipe(1)
    assert file.path == "sm80-l.nix" and "hello-sm80-l" in file.text


@pytest.mark.slow
def test_places_in_the_library_are_real() -> None:
    """Facts may come from a module that the program does not use."""
    made = compiled(VARIANTS.read_text(encoding="utf-8") + 'exclude gpu == sm68 because "x"\n')
    library = std_sources()
    for one in made.diagnostics:
        for label in one.labels:
            if label.range.file.startswith("std/"):
                text = library[label.range.file.removeprefix("std/").removesuffix(".tvar")]
                assert label.range.end.offset <= len(text)


def test_each_compilation_stands_alone() -> None:
    first, second = compiled(SMALL), compiled(SMALL)
    assert first.variants == second.variants and first.dropped == second.dropped
    assert first.recipe(0) == second.recipe(0)
    compiled(SMALL.replace("sm80", "sm81"))
    assert first.recipe(0) == second.recipe(0)


# --- it says what the commands say ----------------------------------------------------------------


@pytest.fixture(scope="module")
def own() -> Program:
    return compiled(VARIANTS.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_recipes_are_those_of_build(own: Program) -> None:
    made = compile_file(str(VARIANTS), DiskLoader(stdlib_dir()))
    files = {one.path: one.data().decode() for one in made.files("variants.tvar")}
    found = {one.path: one.text for i in range(len(own.variants)) for one in own.recipe(i)}
    assert found == files and len(found) == 44


@pytest.mark.slow
def test_dropped_cells_are_those_of_list(own: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    cells = json.loads(tvarc("list", "--excluded", "--json").stdout)
    assert [one.name for one in own.dropped] == [cell["name"] for cell in cells]
    for one, cell in zip(own.dropped, cells, strict=True):
        assert one.axes == cell["axes"]
        assert [(r.because, r.range.start.line) for r in one.reasons] == [
            (r["because"], r["line"]) for r in cell["reasons"]
        ]
    listed = json.loads(tvarc("list", "--json").stdout)
    assert [one.name for one in own.variants] == [row["name"] for row in listed]
    assert [one.axes for one in own.variants] == [row["axes"] for row in listed]


@pytest.mark.slow
@pytest.mark.parametrize("path", [None, "attrs.pname", "script.preConfigure:1", "axes.gpu"])
def test_explanations_are_those_of_explain(
    own: Program, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    words = (own.variants[7].name, *([path] if path is not None else []))
    found = own.explain(7, path)
    assert found.text == tvarc("explain", *words).stdout
    assert found.data == json.loads(tvarc("explain", *words, "--json").stdout)


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(CASES, ci=8))
def test_diagnostics_are_those_of_check(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ROOT / "tests" / "snapshots" / case
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("options.txt", "diagnostics.txt")
    }
    text = files.pop("input.tvar")
    if not _is_utf8(text):
        return
    made = compiled(text.decode(), files, name="input.tvar")
    monkeypatch.chdir(folder)
    known = compile_file("input.tvar", DiskLoader(stdlib_dir()))
    if known.expansion is not None:
        check_program(known)
    told = json.loads(render_json(known.diagnostics, known.sources))["diagnostics"]
    assert [(one.code, one.title, one.help, one.notes) for one in made.diagnostics] == [
        (one["code"], one["title"], one["help"], tuple(one["notes"])) for one in told
    ]
    for one, expected in zip(made.diagnostics, told, strict=True):
        for label, place in zip(one.labels, expected["labels"], strict=True):
            assert label.range.start.offset == place["start"]["offset"]
            assert place["start"]["line"] in (None, label.range.start.line)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.slow
def test_the_examples_of_the_page(tmp_path: Path) -> None:
    """The blocks of `docs/api.md` run one after the other, as a reader would type them."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = page.split("```python\n")[1:]
    program = "\n".join(block.partition("\n```")[0] for block in blocks)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = [block.partition("```")[0] for block in page.split("```text\n")[1:]]
    assert done.stdout == "".join(shown)
    assert not list(tmp_path.iterdir())
