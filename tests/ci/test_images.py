"""The file that makes images of variants: what it has, and what it refuses.

`tests/nix/test_examples_that_build.py` makes the images and runs what is in them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.conftest import PROGRAM, change, put
from support.command import tvarc
from support.effort import for_each
from support.nix import parse, requires_nix
from tvarc.commands.line import exits

ALL = 'output all: all { file = "all/default.nix" }\n'
IMAGES = 'output images: image { file = "made/images.nix" }\n'
EVERY = PROGRAM + ALL + IMAGES


def written(text: str = EVERY) -> str:
    put(text)
    tvarc("build", code=exits.OK)
    return Path("made/images.nix").read_text(encoding="utf-8")


def test_defaults_are_the_name_of_the_variant_and_the_newest() -> None:
    text = written()
    assert "variants = import ../all/default.nix arguments;" in text
    assert text.count("= images tools variants.app-sm") == 3
    assert 'name = "app-sm80";\n    tag = "latest";\n    run = [ ];\n    env = { };' in text


def test_fields_may_read_axes_and_settings() -> None:
    fields = 'name = meta.mainProgram, tag = gpu, run = [gpu.label], env = { GPU = gpu.label }'
    program = change(EVERY, "  meta  {", '  meta  { mainProgram = "app",')
    text = written(change(program, '"made/images.nix" }', f'"made/images.nix", {fields} }}'))
    assert 'name = "app";\n    tag = "sm80";\n    run = [ "A100" ];' in text
    assert 'env = {\n      GPU = "GB10";' in text


def test_a_condition_chooses_variants() -> None:
    text = written(change(EVERY, '"made/images.nix" }', '"made/images.nix", only = gpu != sm90 }'))
    assert "app-sm80" in text and "app-sm90" not in text


def test_tools_come_from_the_pin_without_settings_of_the_recipe() -> None:
    program = change(EVERY, "  env   {", "  config { allowUnfree = true }\n  env   {")
    text = written(program)
    assert text.count("fetchTarball") == 1 and "allowUnfree" not in text
    pin = PROGRAM[PROGRAM.index("pin ") : PROGRAM.index("recipe ")]
    other = pin.replace("nixpkgs {", "other {").replace('"0182', '"1182')
    chosen = "  pin = if gpu == sm90 then other else nixpkgs\n"
    text = written(other + change(EVERY, "  env   {", f"{chosen}  env   {{"))
    assert text.count("fetchTarball") == 2
    assert "app-sm90 = images tools-2 variants.app-sm90" in text
    text = written(change(EVERY, "  env   {", "  pin = none\n  env   {"))
    assert "import <nixpkgs> { }" in text and "tools = pkgs;" in text


@requires_nix
@pytest.mark.nix
def test_real_nix_reads_the_file() -> None:
    parse(written())


@pytest.mark.slow
def test_the_file_is_treated_like_recipes() -> None:
    written()
    assert tvarc("build", "--check").exit_code == exits.OK
    file = Path("made/images.nix")
    file.write_text(file.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    done = tvarc("build")
    assert done.exit_code != exits.OK and "error[E801]" in done.stderr
    assert tvarc("build", "--force").exit_code == exits.OK
    put(change(EVERY, "images.nix", "other.nix"))
    assert "made/images.nix" in tvarc("build", "--prune").stdout and not file.exists()


@for_each(
    "fields, told",
    [
        ('name = "App"', "`name` of an image must be a name in small letters"),
        ("", "`App-sm80`, for App-sm80"),
        ('name = "../b"', "`../b`, for app-sm80"),
        ('name = "a..b/c"', "`a..b/c`, for app-sm80"),
        (f'name = "{"0f" * 32}"', "this is the ID of an image, for"),
        (f'name = "{"a" * 260}"', "this has 260 characters, for"),
        ('name = "localhost:99999/app"', "99999 is no port, for"),
        (
            'name = "ghcr.io/me/b64:x"',
            'help: write `name = "ghcr.io/me/b64"` and `tag = "x"`',
        ),
        ('tag = "a b"', "`tag` of an image must be a tag"),
        ('tag = "a+b"', "a tag has at most 128 characters: letters of ASCII"),
        ('run = "app --serve"', "`run` of an image must be a list of words"),
        ('run = [""]', "a word is empty, for app-sm80"),
        ("env = { THREADS = true }", "`env` of an image must be a record of variables with texts"),
        ("env = { THREADS = true }", "`THREADS` is true or"),
        ('env = { a-b = "1" }', "`a-b` is not the name of"),
        ('env = { PATH = "/x" }', "the image sets `PATH`"),
    ],
)
def test_values_that_no_registry_takes_are_errors(fields: str, told: str) -> None:
    program = EVERY if fields else change(EVERY, '"app-{{gpu}}"', '"App-{{gpu}}"')
    put(change(program, '"made/images.nix" }', f'"made/images.nix", {fields} }}'))
    done = tvarc("check")
    assert "error[E403]" in done.stderr and told in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["localhost:5000/a/b", "ghcr.io/me-2/a__b", "a-b/c.d", "a" * 255])
def test_names_that_registries_take(name: str) -> None:
    chosen = f'"made/images.nix", name = "{name}", tag = gpu }}'
    assert f'name = "{name}";' in written(change(EVERY, '"made/images.nix" }', chosen))


def test_two_images_with_one_name_and_tag_are_an_error() -> None:
    apart = 'tag = if gpu == sm90 then "b" else "a"'
    for fields in ('name = "app"', 'name = "app", tag = "one"', f'name = "app", {apart}'):
        put(change(EVERY, '"made/images.nix" }', f'"made/images.nix", {fields} }}'))
        told = tvarc("check").stderr
        assert "error[E402]: output `images` makes two images with the same name and tag" in told
        assert "(gpu = sm80) and " in told, told
        assert ("also for 1 more pair" in told) is ("sm90" not in fields)
    written(change(EVERY, '"made/images.nix" }', '"made/images.nix", name = "app", tag = gpu }'))


@for_each(
    "program, told",
    [
        (PROGRAM + IMAGES, "error[E507]: the images of output `images` need one file"),
        (EVERY.replace("made/images.nix", "all/default.nix"), "error[E402]: outputs `all` and"),
        (
            EVERY.replace("made/images.nix", ".flox/pkgs/app-sm80.nix"),
            "error[E402]: output `images` would overwrite the file of a variant",
        ),
        (EVERY.replace("images.nix", "images.json"), "error[E403]: output `images` cannot have"),
        (EVERY.replace("images.nix", "{{variant}}.nix"), "error[E403]"),
    ],
)
def test_files_that_cannot_be_are_errors(program: str, told: str) -> None:
    put(program)
    done = tvarc("check")
    assert told in done.stderr, done.stderr
