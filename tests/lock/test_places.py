"""Every place where a hash can stand: which are open, and what `unlocked` is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.alone import emit
from support.command import tvarc
from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.build.lock.printer import lock_text
from tvarc.build.lock.reader import parse_lock
from tvarc.commands.line import exits
from tvarc.decide.lock import Entry, fake_hash
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import as_sri, is_open
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

GOOD = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
OTHER = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
BASE32 = "0xbfzf8mlgc80rfvdbvgq1bcskn9x92jw3ff2zr6hrafwd45y7xm"
PIN = f"""
pin nixpkgs {{ url = "https://example.org/nixpkgs.tar.gz", hash = "{GOOD}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""


def program(attrs: str, more: str = "") -> str:
    recipe = f"recipe r {{ package = pkgs.hello\n attrs {{\n{attrs}\n}} }}"
    return f"{PIN}{more}\n{recipe}\nvariant v {{ recipe = r }}\n"


def emitted(made: Compilation) -> str:
    recipes = made.recipes()
    assert not made.sink.has_errors, messages(made)
    return "".join(file.text for file in emit(recipes, "input.tvar"))


# --- what is open ---------------------------------------------------------------------------------


@for_each(
    "text",
    [
        "", "0" * 52, "0" * 64, "0" * 128, "A" * 43 + "=", f"sha256-{'A' * 43}=",
        f"sha512-{'A' * 86}==", f"sha256:{'0' * 52}", "sha256-",
        fake_hash(Fetched("file", (("url", "https://a.org/x"),))),
    ],
)  # fmt: skip
def test_no_content_has_these(text: str) -> None:
    assert is_open(text)


@pytest.mark.parametrize("text", [GOOD, BASE32, f"sha512-{'A' * 85}Q==", "0" * 51 + "1", "abc"])
def test_some_content_may_have_these(text: str) -> None:
    assert not is_open(text)


ZEROS = "0" * 52
OPEN = {
    "empty in a call": 'src = call(pkgs.fetchgit, { url = "https://a.org", sha256 = "" })',
    "zeros in a call": f'src = call(pkgs.fetchgit, {{ url = "u", sha256 = "{ZEROS}" }})',
    "all A in a call": f'src = call(pkgs.f, {{ hash = "sha256-{"A" * 43}=" }})',
    "deep in a call": 'src = call(pkgs.f, { a = [{ outputHash = "" }] })',
    "fake of lib in a call": "src = call(pkgs.f, { hash = pkgs.lib.fakeHash })",
    "cargoHash": 'cargoHash = ""',
    "vendorSha256": f'vendorSha256 = "{"0" * 64}"',
    "outputHash": 'outputHash = ""',
    "fake of lib": "vendorHash = pkgs.lib.fakeHash",
    "Nix text": 'vendorHash = nix"""lib.fakeSha256"""',
    "within Nix text": 'src = nix"""pkgs.fetchurl { url = "u"; sha256 = ""; }"""',
    "zeros in Nix text": f'src = nix"""pkgs.fetchurl {{ sha256 = "{ZEROS}"; }}"""',
    "in an old string": 'src = nix"""f { hash = \'\'\'\'; }"""',
    "with lib": 'src = nix"""with lib; f { hash = fakeHash; }"""',
    "of a fetcher": 'src = github("a/b", tag = "v1", hash = pkgs.lib.fakeHash)',
    "stated to a fetcher": f'src = url("https://a.org/x", hash = "sha256-{"A" * 43}=")',
    "under a name in quotes": 'src = nix"""f { "hash" = ""; }"""',
    "by name in Nix text": f'src = nix"""f {{ "a-1" = "sha256-{"A" * 43}="; }}"""',
    "a value in Nix text": 'src = nix"""f { hash = {{if true then "" else "x"}}; }"""',
    "a value in a string": 'src = nix"""f { hash = "{{if true then "" else "x"}}"; }"""',
    "without a name in Nix text": f'src = nix"""f [ \'\'sha256-{"A" * 43}=\'\' ]"""',
    "by name": 'cargoLock = { outputHashes = { "a-1.0" = "" } }',
    "of any language": 'pnpmDepsHash = ""',
    "of any language, zeros": f'nugetHash = "{ZEROS}"',
    "in Nix text, of any language": 'src = nix"""f { yarnHash = ""; }"""',
    "under any name": f'yarnHash = "sha256-{"A" * 43}="',
    "under any name, deep": f'deps = {{ "a-1" = "sha512-{"A" * 86}==" }}',
    "in a list": f'deps = ["x", "sha256-{"A" * 43}="]',
    "in a list of a call": f'src = call(pkgs.f, {{ a = ["sha256-{"A" * 43}="] }})',
    "Nix text in a call": 'src = call(pkgs.f, { hash = nix"""lib.fakeHash""" })',
    "in a condition": 'cargoHash = if true then "" else null',
}


@pytest.mark.parametrize("case", OPEN)
def test_each_place_is_told_and_refused(case: str, here: Path) -> None:
    Path("variants.tvar").write_text(program(OPEN[case]), encoding="utf-8")
    done = tvarc("build", "--no-git", code=exits.OK)
    assert done.stderr.count("warning[W002]") == 1
    done = tvarc("build", "--locked", "--no-git", code=exits.FAILED)
    assert done.stderr.count("error[E941]") == 1
    done = tvarc("lock", "--check", code=exits.STALE)
    assert ": the program states a fake hash (variants.tvar:7)\n" in done.stdout
    assert done.stdout.endswith("\n0 sources not locked, 1 fake hash\n")
    assert tvarc("lock").stdout.count("the program states a fake hash") == 1
    told = json.loads(tvarc("lock", "--check", "--json").stdout)
    assert [one["place"]["line"] for one in told["fakes"]] == [7]


@for_each(
    "arguments, name",
    [
        ('{ hash = nix"""lib.fakeHash""" }', "`fakeHash` in the Nix text of `hash` of call("),
        ('nix"""{ hash = lib.fakeHash; }"""', "`fakeHash` of call(pkgs.f, nix"),
    ],
)
def test_a_fake_hash_in_nix_text_of_a_call_is_named(arguments: str, name: str) -> None:
    made = compile_text(program(f"src = call(pkgs.f, {arguments})"))
    made.recipes()
    assert f": {name}" in messages(made)


@for_each(
    "attrs",
    [
        "vendorHash = null",
        f'cargoHash = "{GOOD}"',
        f'src = call(pkgs.fetchgit, {{ url = "u", sha256 = "{BASE32}" }})',
        'description = ""',
        f'yarnHash = "{GOOD}"',
        'gitHash = ""',
        f'commitHash = "{"0" * 40}"',
        f'src = nix"""pkgs.fetchurl {{ url = ""; sha256 = "{BASE32}"; }}"""',
        'src = nix"""f { a = "sha256 = 0000"; } # hash = \\"\\";"""',
        'src = nix"""let fakeHash = 1; in f fakeHashes"""',
        'src = nix"""f { ${"hash"} = x; hash = "${x}"; }"""',
    ],
)
def test_what_is_not_open(attrs: str) -> None:
    made = compile_text(program(attrs))
    assert made.elaboration is not None
    made.elaboration.shared.hashes.strict = True
    made.recipes()
    assert codes(made) == []


@pytest.mark.slow
def test_what_differs_along_many_axes_is_looked_at_as_well() -> None:
    """A text that varies along all axes may be filled in late: not in the place of a hash."""
    numbers = ", ".join(f'"{number}"' for number in range(9))
    axes = "\n".join(f"axis {name} = [{numbers}]" for name in "abc")
    value = '"{{if a == "3" and b == "4" and c == "5" then "" else "x{{a}}{{b}}{{c}}"}}"'
    text = f"""{PIN}{axes}
    recipe r {{ package = pkgs.hello, attrs {{ cargoHash = {value} }} }}
    matrix m {{ recipe = r, axes = a * b * c, name = "v{{{{a}}}}{{{{b}}}}{{{{c}}}}" }}
    """
    made = compile_text(text)
    for _ in made.files(made.file):
        pass
    assert codes(made) == ["W002"], messages(made)


# --- unlocked -------------------------------------------------------------------------------------

CALL = Fetched(
    "call",
    (
        ("function", "pkgs.fetchFromGitLab"),
        ("arguments", '{ owner = "o", repo = "r", rev = "v1" }'),
        ("name", "hash"),
    ),
)
SRC = 'src = call(pkgs.fetchFromGitLab, { owner = "o", repo = "r", rev = "v1", hash = unlocked })'
CARGO = Fetched(
    "attribute",
    (
        ("package", "pkgs.hello"),
        ("src", 'github(repository = "a/b", tag = "v1")'),
        ("name", "cargoHash"),
    ),
)
CRATE = f'src = github("a/b", tag = "v1", hash = "{GOOD}")\ncargoHash = unlocked'


def locked(*sources: Fetched) -> dict[str, str]:
    return {"tvar.lock": lock_text(Entry(one, OTHER, "2026-02-03", "log") for one in sources)}


@pytest.mark.parametrize(("attrs", "source"), [(SRC, CALL), (CRATE, CARGO)])
def test_unlocked_is_the_hash_of_the_lock(attrs: str, source: Fetched) -> None:
    made = compile_text(program(attrs))
    assert fake_hash(source) in emitted(made)
    assert codes(made) == ["W002"]
    made = compile_text(program(attrs), files=locked(source))
    assert OTHER in emitted(made)
    assert codes(made) == []


@pytest.mark.parametrize("src", ["input", 'file(input, "a.nix")'])
def test_a_file_of_an_input_is_a_source_as_well(src: str) -> None:
    made = compile_text(
        program(
            f"src = {src.replace('input', 'one')}\ncargoHash = unlocked",
            f'input one {{ url = "https://example.org/one.tar.gz", hash = "{GOOD}" }}',
        )
    )
    made.recipes()
    assert codes(made) == ["W002"], messages(made)


def test_the_lock_reads_what_it_prints() -> None:
    text = locked(CALL, CARGO)["tvar.lock"]
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", text), sink)
    assert not sink.has_errors
    assert list(lock.entries) == [CALL, CARGO]


def test_another_source_has_another_hash() -> None:
    """What is vendored of one version is not that of the next."""
    files = locked(CARGO)
    changed = program(CRATE.replace("v1", "v2"))
    made = compile_text(changed, files=files)
    assert OTHER not in emitted(made)
    assert codes(made) == ["W002"]


def test_a_text_that_is_no_hash_tells_sources_apart() -> None:
    """Its name ends like that of a hash."""
    made = compile_text(
        program(
            'src = call(pkgs.f, { treeHash = "a", hash = unlocked })\n'
            f'other = call(pkgs.f, {{ treeHash = "b", hash = unlocked, dataSha256 = "{BASE32}" }})'
        )
    )
    made.recipes()
    assert made.elaboration is not None
    given = {dict(one.fields).get("arguments") for one in made.elaboration.shared.hashes.asked}
    assert {'{ treeHash = "a" }', '{ treeHash = "b" }'} <= given


def test_each_cell_has_the_hash_of_its_own_source() -> None:
    text = f"""{PIN}
    axis rev = ["v1", "v2"]
    recipe r {{
      package = pkgs.hello
      attrs {{
        src       = github("a/b", tag = rev, hash = "{GOOD}")
        cargoHash = unlocked
      }}
    }}
    matrix m {{ recipe = r, axes = rev, name = "{{{{rev}}}}" }}
    """
    text = text.replace(f'hash = "{GOOD}")\n        cargo', "hash = unlocked)\n        cargo")
    src = ("src", 'github(repository = "a/b", tag = "v2")')
    second = Fetched("attribute", (CARGO.fields[0], src, CARGO.fields[2]))
    for way in ("plain", "fragments"):
        made = compile_text(text)
        files = emit(made.recipes(), "input.tvar") if way == "plain" else made.files(made.file)
        texts = {file.path: file.data().decode() for file in files}
        assert fake_hash(CARGO) in texts["v1.nix"] and fake_hash(CARGO) not in texts["v2.nix"]
        assert fake_hash(second) in texts["v2.nix"]


def test_files_are_named_from_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is the same wherever the command runs."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "f.nix").write_text("x: x\n", encoding="utf-8")
    attrs = 'src = call(path("./f.nix"), { hash = unlocked })'
    (folder / "variants.tvar").write_text(program(attrs), encoding="utf-8")
    told = []
    for at, word in ((tmp_path, "app/"), (folder, "."), (tmp_path, str(folder))):
        monkeypatch.chdir(at)
        told.append(json.loads(tvarc("lock", "--check", "--json", word).stdout)["sources"])
        told[-1][0].pop("place")
    assert told[0] == told[1] == told[2]
    assert told[0][0]["fields"]["function"] == 'path("f.nix")'


@for_each(
    "attrs, code",
    [
        ("cargoHash = unlocked", "E302"),
        ("src = pkgs.hello.src\ncargoHash = unlocked", "E302"),
        ("x = unlocked", "E201"),
        ("src = call(pkgs.f, { rev = unlocked })", "E201"),
        ("src = call(pkgs.f, unlocked)", "E201"),
        ("meta-data = { a = unlocked }", "E201"),
    ],
)
def test_where_unlocked_cannot_stand(attrs: str, code: str) -> None:
    made = compile_text(program(attrs))
    made.recipes()
    assert codes(made) == [code], messages(made)


# --- what is stated -------------------------------------------------------------------------------


def test_a_hash_in_base_32_is_known_as_a_hash(here: Path) -> None:
    """A log in which Nix found another one for the source is an alarm, not a foreign report."""
    attrs = f'src = call(pkgs.fetchgit, {{ url = "https://a.org", sha256 = "{BASE32}" }})'
    Path("variants.tvar").write_text(program(attrs), encoding="utf-8")
    same = tvarc("lock", "--check").stdout
    assert same == "0 sources not locked\n"
    Path("log").write_text(
        "error: hash mismatch in fixed-output derivation '/nix/store/x-a.drv':\n"
        f"  specified: {as_sri(BASE32)}\n     got:    {OTHER}\n",
        encoding="utf-8",
    )
    done = tvarc("lock", "--from-log", "log", code=exits.FAILED)
    assert "error[E942]: `sha256` of call(pkgs.fetchgit" in done.stderr


def test_a_log_of_a_stated_fake_says_where_it_is(here: Path) -> None:
    Path("variants.tvar").write_text(program('cargoHash = ""'), encoding="utf-8")
    zeros = "A" * 43
    Path("log").write_text(
        "error: hash mismatch in fixed-output derivation '/nix/store/x-hello-vendor.drv':\n"
        f"  specified: sha256-{zeros}=\n     got:    {OTHER}\n",
        encoding="utf-8",
    )
    done = tvarc("lock", "--from-log", "log", code=exits.FAILED)
    assert "error[E945]: the log has no hash that this program needs\n --> variants.tvar:7:" in (
        done.stderr
    )
    assert OTHER in done.stderr and "a hash in the program wins over the lock" in done.stderr


@pytest.mark.parametrize(
    "attrs",
    ['src = url("https://a.org/x", sha256 = "")', 'src = github("a/b", tag = "v1", sha256 = "")'],
)
def test_the_language_has_one_word_for_hashes(attrs: str) -> None:
    made = compile_text(program(attrs))
    made.recipes()
    assert "E211" in codes(made)
    assert 'write `hash = "…"`, in SRI form' in messages(made)


@pytest.mark.parametrize("form", ["", "0" * 52, "0" * 64])
def test_a_fake_one_in_another_form_is_to_be_left_to_the_lock(form: str) -> None:
    made = compile_text(program(f'src = url("https://a.org/x", hash = "{form}")'))
    made.recipes()
    assert codes(made) == ["E701"]
    assert "write `hash = unlocked`, then run `tvarc lock`" in messages(made)


@pytest.mark.parametrize(("name", "may"), [("cargoHash", True), ("gitHash", False)])
def test_the_lock_is_named_where_it_can_have_the_hash(name: str, *, may: bool) -> None:
    made = compile_text(program(f'{name} = "sha256-{"A" * 43}="'))
    made.recipes()
    assert codes(made) == ["W002"]
    assert ("`unlocked`" in messages(made)) is may


HEX = "f7dc02e69f57f4e2c5ee4b0a65dde6b59e6c4d2edc3d2dcbe3c3d4ae4d4e6b8f"


@pytest.mark.parametrize("form", [BASE32, HEX])
def test_another_form_is_told_in_the_one_that_is_wanted(form: str) -> None:
    made = compile_text(program(f'src = url("https://a.org/x", hash = "{form}")'))
    made.recipes()
    assert codes(made) == ["E701"]
    assert f'write it in SRI form: "{as_sri(form)}"' in messages(made)
