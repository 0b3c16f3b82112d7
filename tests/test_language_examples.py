"""Every `tvar` block of the documents compiles, or fails with the code that it names.

The comment before a block, `<!-- example: … -->`, says how it is to be read:

    (none)         a whole program
    top            declarations; what they need to be a program is put around them
    recipe         the body of a recipe over the axes `gpu` and `isa`
    values         an expression a line, and after `#` its value in the first variant
    file=NAME      a module for the blocks that follow it in the same document
    … error=CODE   the same, but it has this error, and no other
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.alone import emit
from support.compile import ROOT, codes, compile_text, lints, messages
from support.effort import for_each
from support.fences import FENCE, words_of
from support.reference import pages, whole
from tvarc.build.driver import Compilation
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.values.value import show

DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *pages(),
    ROOT / "docs" / "architecture.md",
)

PIN = 'pin hidden { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'
OUTPUT = 'output hidden-output { file = "hidden/{{variant}}.nix" }\n'
AXES = "use std.nvidia\nuse std.cpu\naxis gpu = nvidia[sm80, sm90]\naxis isa = cpu[avx2, avx512]\n"
MATRIX = 'matrix shown { recipe = example, axes = gpu * isa, name = "{{gpu}}-{{isa}}" }\n'


@dataclass(frozen=True)
class Block:
    """One example: where it stands, how it is read, the modules that it may use."""

    place: str
    form: str
    error: str | None
    text: str
    files: dict[str, str]


def blocks() -> Iterator[Block]:
    for document in DOCUMENTS:
        yield from blocks_of(document)


def blocks_of(document: Path) -> Iterator[Block]:
    text = document.read_text(encoding="utf-8")
    files: dict[str, str] = {"../nixpkgs/default.nix": ""}
    for found in FENCE.finditer(text):
        forms, options = words_of(found)
        if "file" in options:
            files[options["file"]] = found["text"]
            continue
        if found["language"] != "tvar":
            continue
        assert len(forms) <= 1 and options.keys() <= {"error"}, found[0]
        line = text.count("\n", 0, found.start()) + 1
        place = f"{document.relative_to(ROOT)}:{line}"
        form = forms[0] if forms else "program"
        yield Block(place, form, options.get("error"), found["text"], dict(files))


def program_of(block: Block) -> str:
    """The whole program that *block* is shown as a part of."""
    match block.form:
        case "program":
            return block.text
        case "top":
            return around(block.text)
        case "recipe":
            return recipe(block.text)
        case "values":
            written = "\n".join(f"v{i} = {e}" for i, (e, _) in enumerate(values_of(block.text)))
            return recipe(f"attrs {{\n{written}\n}}")
        case other:
            raise AssertionError(f"{block.place}: `{other}` is no form of an example")


def recipe(body: str) -> str:
    package = "" if re.search(r"^package\b", body, re.MULTILINE) else "package = pkgs.hello\n"
    return f"{PIN}{OUTPUT}{AXES}recipe example {{\n{package}{body}\n}}\n{MATRIX}"


def around(text: str) -> str:
    """*text* with a pin, an output, a recipe that uses its overlays, and a variant, where it has
    none itself."""
    parts = [text]
    if not declares(text, "pin"):
        parts.append(PIN)
    if not declares(text, "output"):
        parts.append(OUTPUT)
    if not declares(text, "matrix") and not declares(text, "variant"):
        listed = ", ".join(re.findall(r"^(?:overlay|patch) ([\w-]+)", text, re.MULTILINE))
        parts.append(f"recipe example {{ package = pkgs.hello, overlays = [{listed}] }}\n")
        parts.append("variant shown { recipe = example }\n")
    return "\n".join(parts)


def declares(text: str, word: str) -> bool:
    return re.search(rf"^{word} ", text, re.MULTILINE) is not None


def values_of(text: str) -> list[tuple[str, str]]:
    """Expression and value of each line. The value follows the last `  # `."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        expression, mark, value = line.rpartition("  # ")
        assert mark, f"no value beside {line!r}"
        found.append((expression.strip(), value.strip()))
    return found


BLOCKS = tuple(blocks())


def test_the_reference_has_examples() -> None:
    assert len([block for block in BLOCKS if block.place.startswith("docs/language/")]) >= 30


@for_each("block", BLOCKS)
def test_example(block: Block) -> None:
    made = compile_text(program_of(block), files=block.files)
    recipes = made.recipes()
    if block.error is not None:
        assert set(codes(made)) == {block.error}, messages(made)
        return
    assert codes(made) == [], messages(made)
    assert recipes
    for output in emit(recipes, made.file):
        assert output.text
    if block.form == "program":  # of the others a reader sees a part only
        assert lints(made) == [], messages(made)
    if block.form == "values":
        assert shown_values(made) == [value for _, value in values_of(block.text)]


def shown_values(made: Compilation) -> list[str]:
    """The attributes of the first variant, in the language's spelling."""
    first = made.recipe(made.variants[0])
    assert first is not None
    return [show(setting.value) for setting in first.changes.attrs]


def test_the_lints_of_the_reference_are_those_that_there_are() -> None:
    text = whole()
    rows = re.findall(r"^\| `([\w-]+)` \| (W\d{3}) \|", text, re.MULTILINE)
    assert dict(rows) == LINTS | JUDGED
    assert len(rows) == len(LINTS) + len(JUDGED)


# --- what the reference says about its examples ---------------------------------------------------


def example(marker: str) -> Compilation:
    """The one example of the reference that holds *marker*, compiled."""
    (block,) = [b for b in BLOCKS if b.place.startswith("docs/language/") and marker in b.text]
    return compile_text(program_of(block), files=block.files)


def test_the_first_example_makes_three_variants() -> None:
    made = example('because "nobody asked for it"')
    assert [variant.name for variant in made.variants] == ["sm80-avx2", "sm90-avx2", "sm90-avx512"]


def test_what_is_unset_is_left_as_the_comments_say() -> None:
    (recipe_,) = example("-DMINE").recipes()
    attrs = {one.key: (one.extends, show(one.value)) for one in recipe_.changes.attrs}
    assert attrs == {"cmakeFlags": (True, '["-DMINE"]'), "hooks": (False, '{ second = "b" }')}


def test_additions_land_as_the_comments_say() -> None:
    (recipe_,) = example("-DCHILD=1").recipes()
    shown = {setting.key: setting for setting in recipe_.changes.attrs}
    assert show(shown["flags"].value) == '["-b"]'
    assert show(shown["cmakeFlags"].value) == '["-DBASE=1", "-DCHILD=1"]'
    assert shown["cmakeFlags"].extends
    assert not shown["flags"].extends


def test_parts_stand_in_the_order_that_the_text_names() -> None:
    (recipe_,) = example("part early before old").recipes()
    (script,) = recipe_.changes.scripts
    assert [part.name for part in script.parts] == ["early", "old", "flags", "log"]
    assert script.parts[2].text == 'export CFLAGS="-O3 $CFLAGS"\n'


def test_flags_of_the_example() -> None:
    (recipe_,) = example("flag blas: one_of").recipes()
    assert {flag.key: flag.value for flag in recipe_.flags} == {"tests": False, "blas": "mkl"}
