"""What Flox makes of the names of packages: W148."""

from __future__ import annotations

from support.compile import compile_text, lints, messages
from support.effort import for_each
from tvarc.advice.lints.flox import FloxNames
from tvarc.text.paths import are_store_names
from tvarc.text.source import Span

PLACE = Span("v.tvar", 0, 1)


def found(*names: str) -> list[tuple[int, str]]:
    looking = FloxNames().look([f".flox/pkgs/{name}.nix" for name in names], PLACE)
    return [(at, finding.what) for at, finding in looking]


@for_each("name", ["a", "a-b_9", "_a", "a/b", "a/b/default", "flakes", "default/a"])
def test_names_that_flox_takes_as_they_are(name: str) -> None:
    assert found(name, "other") == []


@for_each(
    "name, word",
    [
        ("armv8.2", "only by a name in quotes"),
        ("58", "only by a name in quotes"),
        ("2.7/default", "only by a name in quotes"),
        ("with", "only by a name in quotes"),
        ("libc++", "only by a name in quotes"),
        ("ä", "only by a name in quotes"),
        ("a/1.13", "only by a name in quotes"),
        ("a b", "cannot build a folder"),
        ("a$b", "cannot build a folder"),
        ("don't", "cannot build a folder"),
        ("flake", "does not find"),
        ("my-flake", "does not find"),
        ("default", "one package instead of all"),
    ],
)
def test_names_that_flox_takes_otherwise(name: str, word: str) -> None:
    ((at, what),) = found("other", name)
    assert at == 1 and word in what


def test_two_names_that_are_one_to_make() -> None:
    assert [at for at, _ in found("a-b", "c", "a_b", "a-c")] == [2]

    looking = FloxNames()
    files = [[f".flox/pkgs/{name}.nix" for name in names] for names in (["a-b", "c"], ["a_b", "d"])]
    assert [at for some in files for at, _ in looking.look(some, PLACE)] == [0]


def test_a_flake_in_a_folder_of_its_own_is_read() -> None:
    assert found("flake/default") == []


@for_each(
    "name, pname, count",
    [
        ("a b", "{{variant}}", 1),
        ("a b", '{{replace(variant, " ", "-")}}', 0),
        ("a b", "plain", 0),
        ("a.b+c?d=e_f-1", "{{variant}}", 0),
        ("ü", "x-{{variant}}", 1),
        ("a~b", "x-{{variant}}", 1),
    ],
)
def test_names_that_no_store_path_can_have(name: str, pname: str, count: int) -> None:
    made = compile_text(
        f'recipe r {{ package = pkgs.hello, pin = none, attrs {{ pname = "{pname}" }} }}\n'
        f'variant v {{ recipe = r, name = "{name}" }}\n'
    )
    made.recipes()
    assert lints(made) == ["store-name"] * count, messages(made)


def test_characters_of_store_paths() -> None:
    assert are_store_names(("a.b+c?d=e_f-1", "")) and not are_store_names(("a b",))
