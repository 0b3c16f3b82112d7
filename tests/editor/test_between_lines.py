"""What the editor shows between the lines: counts, values that win, and a recipe beside its source;
and the answers of commands that it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import SMALL, put_small, spawn
from support.language_client import Client, Json, position, session

WINNERS = """\
axis gpu { sm80 { capability = 8.0 }, sm90 { capability = 9.0 } }
axis cuda = [12.8, 13.0]
recipe base {
  pin = none, package = pkgs.hello
  attrs { word = "old" }
  when gpu.capability >= 9.0 {
    attrs { word = "new" }
    when cuda == 13.0 { attrs { more = "😀" } }
  }
}
matrix all {
  recipe = base
  axes = gpu * cuda
  name = "t-{{gpu}}-{{cuda}}"
  exclude gpu == sm80 and cuda == 13.0 because "never"
}
matrix one { recipe = base, axes = gpu[sm90] * cuda[13.0], name = "u-{{gpu}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


def run(editor: Client, command: str, *words: object) -> Json:
    return editor.ask("workspace/executeCommand", command=f"tvarc.{command}", arguments=[*words])


def hints(editor: Client, text: str) -> list[tuple[int, str, str]]:
    """The line, the text and the explanation of each hint."""
    everywhere = {
        "start": {"line": 0, "character": 0},
        "end": {"line": text.count("\n") + 1, "character": 0},
    }
    found = editor.of("inlayHint", range=everywhere)
    return sorted((one["position"]["line"] + 1, one["label"], one["tooltip"]) for one in found)


def test_counts_and_the_value_that_wins(editor: Client) -> None:
    text = editor.open(text=WINNERS)
    line = "In t-sm90-12.8 this value loses: "
    found = hints(editor, text)
    assert [(number, label) for number, label, _ in found] == [
        (5, '"new" wins'), (6, "3 of 4"), (8, "2 of 4"), (15, "1 of 4"),
    ]  # fmt: skip
    assert found[0][2].startswith(line)
    assert found[1][2] == "It holds in 3 of 4 variants."
    assert found[3][2] == "It drops 1 of 4 cells."
    assert run(editor, "chooseVariant", "t-sm80-12.8") is True
    assert [label for _, label, _ in hints(editor, text)] == ["3 of 4", "2 of 4", "1 of 4"]
    assert run(editor, "chooseVariant") is True


def test_the_field_of_a_test_that_wins(editor: Client) -> None:
    test = 'test runs { script = "true", max-closure-size = "1 GiB" }'
    small = 'test runs { max-closure-size = "2 GiB" }'
    text = WINNERS.replace('attrs { word = "old" }', test)
    editor.open(text=text.replace('attrs { word = "new" }', small))
    labels = [(number, label) for number, label, _ in hints(editor, text)]
    assert labels == [(5, '"2 GiB" wins'), (6, "3 of 4"), (8, "2 of 4"), (15, "1 of 4")]


def test_hints_only_where_they_are_asked_for(editor: Client) -> None:
    editor.open(text=WINNERS)
    lines = {"start": {"line": 5, "character": 0}, "end": {"line": 6, "character": 0}}
    assert [one["label"] for one in editor.of("inlayHint", range=lines)] == ["3 of 4"]


def test_lenses(editor: Client) -> None:
    editor.open(text=WINNERS)
    found = [
        (one["range"]["start"]["line"] + 1, one["command"]["title"])
        for one in editor.of("codeLens")
    ]
    assert found == [
        (11, "3 variants, 1 of 4 cells dropped"), (11, "open the recipe"),
        (17, "1 variant"), (17, "open the recipe"), (3, "4 variants"),
    ]  # fmt: skip


def test_the_variants_of_a_declaration(editor: Client) -> None:
    editor.open(text=WINNERS)
    uri = editor.uri("variants.tvar")
    assert run(editor, "variants", uri, "one") == ["u-sm90"]
    assert run(editor, "variants", uri, "base")[-1] == "u-sm90"
    assert run(editor, "variants", uri, "nobody") == []


def test_a_variant_is_chosen_for_one_program(editor: Client) -> None:
    """It is remembered after edits, and hover says its name."""
    put_small(editor.folder, WINNERS, "other.tvar")
    editor.open(text=WINNERS)
    editor.open("other.tvar")
    place = position(WINNERS, "gpu.capability", 1)
    assert run(editor, "chooseVariant", "t-sm90-13.0", editor.uri("variants.tvar")) is True
    assert run(editor, "chooseVariant", "t-sm91-13.0", editor.uri("variants.tvar")) is False
    editor.change("# more\n" + WINNERS)
    lower = position("# more\n" + WINNERS, "gpu.capability", 1)
    assert " in `t-sm90-13.0`" in editor.at("hover", lower)["contents"]["value"]
    assert " in `t-sm90-12.8`" in editor.at("hover", place, "other.tvar")["contents"]["value"]
    assert run(editor, "chooseVariant", "", editor.uri("variants.tvar")) is True
    assert " in `t-sm90-12.8`" in editor.at("hover", lower)["contents"]["value"]


@pytest.mark.parametrize(
    ("command", "words", "line"),
    [
        ("explain", ["t-sm90-12.8", "attrs.word"], (6, 14)),
        ("explain", ["t-sm90-12.8"], (5, 3)),
        ("who", ["variants.tvar:7", "--all"], (6,)),
        ("whyNot", ["gpu=sm80", "cuda=13.0"], ()),
    ],
)
def test_answers_in_the_words_of_the_command_line(
    editor: Client, command: str, words: list[str], line: tuple[int, ...]
) -> None:
    editor.open(text=WINNERS)
    (editor.folder / "variants.tvar").write_text(WINNERS)
    done = spawn(command.replace("N", "-n"), *words, cwd=editor.folder, code=0)
    asked = line or words
    found = run(editor, command, editor.uri("variants.tvar"), *asked)
    assert found.split() == done.stdout.decode().split()


def test_a_command_without_an_answer_says_why(editor: Client) -> None:
    editor.open(text=WINNERS.replace("sm80 and", "sm8 and"))
    uri = editor.uri("variants.tvar")
    for command, words in (("explain", [6, 14]), ("who", [6]), ("whyNot", ["sm80"])):
        assert "error[E2" in run(editor, command, uri, *words)
    assert run(editor, "recipe", uri, 6) is None
    assert run(editor, "who", editor.uri("other.tvar"), 6) is None


def test_a_recipe_and_the_lines_behind_it(editor: Client) -> None:
    """From a line of source to its lines of the recipe, and back."""
    editor.open(text=WINNERS)
    (editor.folder / "variants.tvar").write_text(WINNERS)
    assert spawn("build", cwd=editor.folder).returncode == 0
    uri = editor.uri("variants.tvar")
    found = run(editor, "recipe", uri, 6)
    assert (found["variant"], found["file"]) == ("t-sm90-12.8", "pkgs/t-sm90-12.8.nix")
    assert found["text"] == (editor.folder / found["file"]).read_text()
    lines = found["text"].split("\n")
    assert ['word = "new";' in lines[one] for one in found["here"]] == [True]
    assert {"uri": uri, "line": 6} in found["lines"][found["here"][0]]
    assert len(found["lines"]) == len(lines) - 1


def show(editor: Client) -> None:
    """Let the server show a recipe, and what depends on a line."""
    editor.open()
    lens = next(
        one["command"] for one in editor.of("codeLens") if "open" in one["command"]["title"]
    )
    editor.ask("workspace/executeCommand", **{**lens, "title": ""})
    assert run(editor, "show", "tvarc.who", editor.uri("variants.tvar"), 16) is True
    assert run(editor, "show", "tvarc.nobody") is False
    editor.settle()


def test_an_answer_is_shown_as_a_file(tmp_path: Path) -> None:
    put_small(tmp_path, SMALL)
    with session(tmp_path.resolve(), window={"showDocument": {"support": True}}) as editor:
        show(editor)
        recipe, answer = [Path(one["uri"].removeprefix("file://")) for one in editor.shown]
        assert recipe.name == "hello-cuda12_8-sm90.nix"
        assert recipe.read_text().startswith("# hello-cuda12_8-sm90")
        assert "flag fast" in answer.read_text()
    assert not recipe.exists()
    assert editor.messages == []


def test_an_answer_is_a_message_for_an_editor_that_opens_no_files(editor: Client) -> None:
    show(editor)
    assert editor.messages[0].startswith("# hello-cuda12_8-sm90")
    assert editor.shown == []
