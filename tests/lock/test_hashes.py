"""Which hash a source gets: its own, the lock's, or a fake one that says whose it is."""

from __future__ import annotations

import pytest

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.build.lock.printer import lock_text
from tvarc.decide.lock import NIXPKGS_FAKE, Entry, fake_hash
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.text.diagnostics.model import Severity

GOOD = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
OTHER = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
PIN = f"""
pin nixpkgs {{ url = "https://example.org/nixpkgs.tar.gz", hash = "{GOOD}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
TARBALL = Fetched("tarball", (("url", "https://example.org/nixpkgs.tar.gz"),))
GITHUB = Fetched("github", (("repository", "a/b"), ("tag", "v1"), ("submodules", True)))
FILE = Fetched("file", (("url", "https://example.org/x.tar.gz"),))
PATCH = Fetched("patch", (("url", "https://example.org/x.patch"), ("excludes", ("a", "b"))))
SOURCES = {
    "github": (GITHUB, 'src = github("a/b", tag = "v1", submodules = true, hash = HASH)'),
    "named": (
        GITHUB,
        'src = github("a/b", tag = "v1", submodules = true, name = "x", hash = HASH)',
    ),
    "file": (FILE, 'src = url("https://example.org/x.tar.gz", hash = HASH)'),
    "nested": (FILE, 'srcs = [{ a = url("https://example.org/x.tar.gz", hash = HASH) }]'),
    "chosen": (
        FILE,
        'src = url("https://example.org/x.tar.gz", hash = if true then HASH else null)',
    ),
}


def locked(*pairs: tuple[Fetched, str]) -> dict[str, str]:
    return {"tvar.lock": lock_text(Entry(s, h, "2026-02-03", "log") for s, h in pairs)}


def emitted(made: Compilation) -> str:
    recipes = made.recipes()
    assert not made.sink.has_errors, messages(made)
    return "".join(file.text for file in emit(recipes, "input.tvar"))


def program(attrs: str, more: str = "") -> str:
    recipe = f"recipe r {{ package = pkgs.hello\n attrs {{ {attrs} }} }}"
    return f"{PIN}{more}\n{recipe}\nvariant v {{ recipe = r }}"


@pytest.mark.parametrize("case", SOURCES)
def test_each_kind_of_source_takes_its_hash_from_the_lock(case: str) -> None:
    source, written = SOURCES[case]
    unlocked = program(written.replace("HASH", "unlocked"))
    made = compile_text(unlocked)
    assert fake_hash(source) in emitted(made)
    assert codes(made) == ["W002"]
    made = compile_text(unlocked, files=locked((source, OTHER)))
    text = emitted(made)
    assert codes(made) == []
    assert OTHER in text and fake_hash(source) not in text
    stated = program(written.replace("HASH", f'"{GOOD}"'))
    assert emitted(compile_text(stated)) == emitted(compile_text(stated, files=locked()))


PATCHED = """
patch p for hello { url = "https://example.org/x.patch", excludes = ["a", "b"], hash = HASH }
recipe r { package = pkgs.hello, overlays = [p] }
variant v { recipe = r }
"""


def test_patches() -> None:
    text = PIN + PATCHED.replace("HASH", "unlocked")
    made = compile_text(text)
    assert fake_hash(PATCH) in emitted(made)
    assert codes(made) == ["W002"]
    made = compile_text(text, files=locked((PATCH, OTHER)))
    assert OTHER in emitted(made)
    assert codes(made) == []
    # Another part of the same file is another patch.
    made = compile_text(text.replace('"b"', '"c"'), files=locked((PATCH, OTHER)))
    assert OTHER not in emitted(made)


HELLO = "recipe r { package = pkgs.hello }\nvariant v { recipe = r }"


@pytest.mark.parametrize("hash", ["", ", hash = null"])
def test_a_pin_without_hash(hash: str) -> None:
    text = PIN.replace(f', hash = "{GOOD}"', hash) + HELLO
    made = compile_text(text)
    assert "sha256" not in emitted(made).partition("tvarc digest")[2].partition("\n")[2]
    assert codes(made) == []
    made = compile_text(text, files=locked((TARBALL, OTHER)))
    assert f'sha256 = "{OTHER}";' in emitted(made)
    made = compile_text(text)
    assert made.elaboration is not None
    made.elaboration.shared.hashes.strict = True
    made.recipes()
    assert codes(made) == ["E941"]


def test_an_unlocked_pin() -> None:
    text = PIN.replace(f'"{GOOD}"', "unlocked") + HELLO
    made = compile_text(text)
    assert f'sha256 = "{fake_hash(TARBALL)}";' in emitted(made)
    assert codes(made) == ["W002"]
    made = compile_text(text, files=locked((TARBALL, OTHER)))
    assert f'sha256 = "{OTHER}";' in emitted(made)


def test_a_null_hash_of_the_library_is_locked() -> None:
    text = """
    use std.nixpkgs
    let row = nixpkgs-6a030d5
    pin nixpkgs { github = "NixOS/nixpkgs", rev = row.rev, hash = row.hash }
    output nix { file = "{{variant}}.nix" }
    """
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz"
    made = compile_text(text + HELLO, files=locked((Fetched("tarball", (("url", url),)), OTHER)))
    assert OTHER in emitted(made)
    assert made.diagnostics == []


def test_once_for_each_source_not_for_each_place_or_variant() -> None:
    source = 'github("a/b", tag = "v{{x}}", hash = unlocked)'
    text = f"""{PIN}
    axis x = ["1", "2"]
    axis y = ["1", "2", "3"]
    recipe r {{ package = pkgs.hello, attrs {{ a = {source}, b = {source}, c = y }} }}
    matrix m {{ recipe = r, axes = x * y, name = "v{{{{x}}}}-{{{{y}}}}" }}
    """
    made = compile_text(text)
    made.recipes()
    assert [item.title for item in made.diagnostics if item.code == "W002"] == [
        "a/b v1 is built with a fake hash",
        "a/b v2 is built with a fake hash",
    ]
    made = compile_text(text)
    assert made.elaboration is not None
    made.elaboration.shared.hashes.strict = True
    made.recipes()
    assert codes(made) == ["E941", "E941"]


def test_two_hashes_of_one_source_are_an_alarm() -> None:
    stated = program(f'src = url("https://example.org/x.tar.gz", hash = "{GOOD}")')
    made = compile_text(stated, files=locked((FILE, OTHER)))
    made.recipes()
    (found,) = made.diagnostics
    assert (found.code, found.severity) == ("E942", Severity.ERROR)
    assert GOOD in messages(made) and OTHER in messages(made)
    assert [label.span.file for label in found.labels] == ["input.tvar", "tvar.lock"]
    both = program(
        f'a = url("https://example.org/x.tar.gz", hash = "{GOOD}")\n'
        f'b = url("https://example.org/x.tar.gz", hash = "{OTHER}")'
    )
    made = compile_text(both)
    made.recipes()
    assert codes(made) == ["E942"]
    pieces = compile_text(both)
    list(pieces.files(pieces.file))
    assert messages(pieces) == messages(made)
    assert f"known: {GOOD}" in messages(made)


def test_a_hash_of_another_algorithm_is_no_alarm() -> None:
    sha512 = f"sha512-{'A' * 85}Q=="
    stated = program(f'src = url("https://example.org/x.tar.gz", hash = "{sha512}")')
    made = compile_text(stated, files=locked((FILE, OTHER)))
    assert sha512 in emitted(made)


@for_each(
    "attrs, code",
    [
        ('src = url("https://example.org/x")', "E701"),
        ('src = url("https://example.org/x", hash = null)', "E701"),
        ('src = url("https://example.org/x", hash = none)', "E301"),
        ('src = url("https://example.org/{{old.version}}", hash = unlocked)', "E302"),
        ("x = unlocked", "E201"),
        ("x = if gpu == unlocked then 1 else 2", "E201"),
        ('src = url("https://example.org/x", hash = "{{unlocked}}")', "E301"),
        ('src = url("https://example.org/x", hash = upper(unlocked))', "E201"),
        ('src = url("https://example.org/x", name = unlocked, hash = unlocked)', "E201"),
    ],
)
def test_where_unlocked_cannot_stand(attrs: str, code: str) -> None:
    made = compile_text(program(attrs, 'let gpu = "x"'))
    made.recipes()
    assert codes(made) == [code]


def test_a_missing_hash_names_the_way_out() -> None:
    for text in (
        program('src = url("https://example.org/x")'),
        PIN + PATCHED.replace(", hash = HASH", ""),
    ):
        made = compile_text(text)
        made.recipes()
        assert "`hash = unlocked`" in messages(made) and "`tvarc lock`" in messages(made)


def test_a_declared_name_goes_first() -> None:
    made = compile_text(
        program('src = url("https://example.org/x", hash = unlocked)', f'let unlocked = "{GOOD}"')
    )
    assert GOOD in emitted(made)
    assert codes(made) == []


def test_the_hash_that_nixpkgs_calls_fake_may_be_stated() -> None:
    stated = program(f'src = url("https://example.org/x.tar.gz", hash = "{NIXPKGS_FAKE}")')
    assert NIXPKGS_FAKE in emitted(compile_text(stated))


def test_a_garbled_lock_is_told_once_and_no_more() -> None:
    files = {"tvar.lock": "version = 1\n[[source]]\nkind = 1\n"}
    made = compile_text(program('src = url("https://example.org/x", hash = unlocked)'), files=files)
    made.recipes()
    assert codes(made) == ["E943"]
