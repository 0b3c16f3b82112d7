"""Inputs that once broke something: silent losses, hangs, faults of the compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import compile_file
from tvarc.files.disk import DiskLoader
from tvarc.files.output import folders, plan, write
from tvarc.files.output.folders import State
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import WriteMode
from tvarc.files.resources import stdlib_dir
from tvarc.meaning.overrides import Setting
from tvarc.syntax.nix_text import imbalance
from tvarc.text.diagnostics.model import Sink

TAIL = """
variant v { recipe = r }
output o { file = "{{variant}}.nix" }
"""


def found(text: str, *settings: Setting) -> list[str]:
    compilation = compile_text(text, *settings)
    compilation.recipes()
    return codes(compilation)


def recipe(attrs: str) -> str:
    return f"recipe r {{ package = pkgs.hello, pin = none, attrs {{ {attrs} }} }}" + TAIL


@pytest.mark.parametrize("kind", ["int", "[string]", "version", 'one_of("x")'])
def test_null_is_of_optional_types_only(kind: str) -> None:
    assert found(f"facts t (a: {kind}) {{ v {{ a = null }} }}\n") == ["E301"]
    assert found(f"facts t (a: {kind}?) {{ v {{ a = null }} }}\n") == []


@for_each(
    "option",
    ["attrs.x+=1", "attrs.x-=[1]", "attrs.a b=1", "attrs.a!=1", 'attrs.y="\udcff"', "attrs.=1"],
)
def test_a_path_on_the_command_line_is_one_of_the_language(option: str) -> None:
    assert "E505" in found(recipe("x = 1"), Setting("--set", option))


def test_a_quoted_step_on_the_command_line() -> None:
    compilation = compile_text(recipe("x = 1"), Setting("--set", 'attrs."a b"=1'))
    (made,) = compilation.recipes()
    assert [s.key for s in made.changes.attrs] == ["x", "a b"], messages(compilation)


@for_each("name", ["old", "x", "p", "builtins", "true", "null", "final"])
def test_arguments_of_a_called_recipe_hide_no_name_of_ours(name: str) -> None:
    compilation = compile_text(recipe(f'a = pkgs."{name}", b = old.y, c -= [pkgs.hello]'))
    (output,) = emit(compilation.recipes(), "input.tvar")
    head, _, body = output.text.partition("}:")
    handed = f"a = (callPackage (names@{{ {name} }}: names) {{ }}).{name};"
    assert handed in body, messages(compilation)
    assert "callPackage," in head


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "[l{0}, l{0}]",
        "{{ a = l{0}, b = l{0} }}",
        '"{{{{l{0}}}}}{{{{l{0}}}}}"',
        "join([l{0}, l{0}], l{0})",
    ],
)
@pytest.mark.parametrize("end", ['"text"', "pkgs.hello"])
def test_values_that_double_each_other_end(step: str, end: str) -> None:
    lets = [f"let l{i} = {step.format(i + 1)}" for i in range(60)]
    assert found("\n".join([*lets, f"let l60 = {end}", recipe("x = l0")]))


@pytest.mark.parametrize("text", ['attrs { "" = 1 }', 'attrs { "".a = 1 }', 'env { "" = "1" }'])
def test_a_setting_has_a_name(text: str) -> None:
    assert "E210" in found(f"recipe r {{ package = pkgs.hello, pin = none, {text} }}" + TAIL)


def test_a_path_of_very_many_steps_is_refused() -> None:
    assert "E109" in found(recipe(".".join("a" * 5000) + " = 1"))


def test_links_lead_to_one_module(here: Path) -> None:
    Path("d").symlink_to(".")
    Path("e").symlink_to(".")
    Path("m.tvar").write_text('use "./d/m.tvar" as x\nuse "./e/m.tvar" as y\n')
    compilation = compile_file("m.tvar", DiskLoader(stdlib_dir()))
    assert codes(compilation) == ["E204", "E204"]


@for_each(
    "text, balanced",
    [
        ("let a'' = 1; in [ a'' ] ++ [ 2 ]", True),
        ("https://example.org/a?b='c", True),
        ("with pkgs; [ hello ]", True),
        ("1 # c\r); evil = (1", False),
        ("x'' ) // { evil = 1; } // (x''", False),
        ("a:/* ); evil = (1 */", False),
        ("1;", False),
        ("# only a comment", False),
        ("/* c */", False),
        ("{ a = 1; }", True),
    ],
)
def test_nix_text_stands_for_one_expression(text: str, balanced: bool) -> None:
    assert (imbalance(text) is None) is balanced


# --- files of a person ---------------------------------------------------------------------------


def test_an_edit_made_while_the_build_runs_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (seal(["# made"], f"{n}\n") for n in "12")
    target = tmp_path / "a.nix"
    target.write_text(old)
    as_compared = write.as_compared

    def edited(folder: int, name: str, seen: State | None) -> bool:
        target.write_text("by hand\n")
        return as_compared(folder, name, seen)

    monkeypatch.setattr(write, "as_compared", edited)
    sink = Sink()
    write.write_files([OutputFile("a.nix", new)], str(tmp_path), WriteMode(), sink)
    assert target.read_text() == "by hand\n"
    assert [item.code for item in sink] == ["E801"]


def test_an_edit_made_while_the_file_is_compared_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (seal(["# made"], f"{n}\n") for n in "12")
    target = tmp_path / "a.nix"
    target.write_text(old)
    read = folders.read_all

    def edited(handle: int, size: int) -> bytes:
        found = read(handle, size)
        target.write_text("by hand, and longer than it was before\n" * 9)
        return found

    monkeypatch.setattr(plan, "read_all", edited)
    sink = Sink()
    write.write_files([OutputFile("a.nix", new)], str(tmp_path), WriteMode(), sink)
    assert target.read_text().startswith("by hand")
    assert [item.code for item in sink] == ["E801"]


def test_only_temporary_files_of_ours_are_removed(tmp_path: Path) -> None:
    mine = tmp_path / ".tvarc-notes.tmp"
    mine.write_text("mine\n")
    text = seal(["# made"], "1\n")
    write.write_files([OutputFile("a.nix", text)], str(tmp_path), WriteMode(), Sink())
    assert mine.read_text() == "mine\n"


def test_the_report_names_what_was_written_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [OutputFile(f"{name}.nix", seal(["# made"], name)) for name in "abc"]
    as_compared = write.as_compared

    def edited(folder: int, name: str, seen: State | None) -> bool:
        return name != "b.nix" and as_compared(folder, name, seen)

    monkeypatch.setattr(write, "as_compared", edited)
    report = write.write_files(files, str(tmp_path), WriteMode(), Sink())
    assert report.written == ("a.nix", "c.nix")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nix", "c.nix"]
