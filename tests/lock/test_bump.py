"""`tvarc bump`: one place changed, what depends on it unlocked, all else as it was."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from lock.programs import told
from support.command import calls, tvarc
from support.compile import VARIANTS
from support.effort import sampled
from tvarc.build.bump.unchanged_mentions import mentions
from tvarc.commands.line import exits

OLD, NEW = "6a030d535719c5190187c4cec156f335e95e3211", "0182a361324364ae3f436a63005877674cf45efb"
TORCH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
PIN = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
KNOWN = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="  # of NEW, as the library has it
SHARED = f"""\
pin nixpkgs {{   # the one pin
  github = "NixOS/nixpkgs",  rev="{OLD}"   # of February
  hash   =   "{PIN}"
}}
"""
PROGRAM = f"""\
use "./shared.tvar"

# Which PyTorch.\r
let torch  =  2.10.0     # kept
let suffix = "a\\"b"
let count = 3
let chosen = version("2.11.0rc1")
let made = "{{{{torch}}}}-x"

overlay source for python3Packages.torch {{
  src = github("pytorch/pytorch", tag = "v{{{{torch}}}}", submodules = true,
               hash = "{TORCH}")    # of the tag
}}
recipe hello {{
  package = pkgs.hello, overlays = [source]
  attrs {{ a = suffix, b = count, c = chosen, d = made,
          e = url("https://example.org/other", hash = "{PIN}") }}
}}
variant plain {{ recipe = hello }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""


@pytest.fixture
def project(here: Path) -> Path:
    write("variants.tvar", PROGRAM)
    write("shared.tvar", SHARED)
    return here


def write(name: str, text: str) -> None:
    Path(name).write_bytes(text.encode())


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


@pytest.mark.slow
def test_a_version(project: Path) -> None:
    result = tvarc("bump", "torch", "2.11.0")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    wanted = PROGRAM.replace("2.10.0", "2.11.0").replace(f'"{TORCH}"', "unlocked")
    assert read("variants.tvar") == wanted
    assert read("shared.tvar") == SHARED
    assert "-let torch  =  2.10.0     # kept\n+let torch  =  2.11.0     # kept\n" in result.stdout
    assert f'-               hash = "{TORCH}")    # of the tag\n' in result.stdout
    assert "\nvariants.tvar: changed, 1 hash unlocked\n" in result.stdout
    assert result.stdout.endswith(
        "1 source to lock: run `tvarc lock`, or build and run `tvarc lock --from-log FILE`\n"
    )
    assert tvarc("check").exit_code == exits.OK


@pytest.mark.slow
def test_a_pin_of_an_imported_file(project: Path) -> None:
    result = tvarc("bump", "pin", "nixpkgs", NEW)
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert read("shared.tvar") == SHARED.replace(OLD, NEW).replace(PIN, KNOWN)
    assert read("variants.tvar") == PROGRAM


@pytest.mark.slow
def test_a_pin_by_its_address(project: Path) -> None:
    text = SHARED.replace(
        f'github = "NixOS/nixpkgs",  rev="{OLD}"', f'url = "https://e.org/{OLD}.tar.gz"'
    )
    write("shared.tvar", text)
    assert tvarc("bump", "pin", "nixpkgs", NEW).exit_code == exits.OK
    assert read("shared.tvar") == text.replace(OLD, NEW).replace(f'"{PIN}"', "unlocked")


@pytest.mark.slow
@pytest.mark.parametrize(
    "where", ['github = "a/b"\n  rev = "{}"', 'url = "https://e.org/{}.tar.gz"']
)
def test_an_input(project: Path, where: str) -> None:
    declared = f'input tools {{\n  {where.format(OLD)}\n  hash = "{TORCH}"  # of it\n}}\n'
    text = declared + PROGRAM.replace("a = suffix", 'a = file(tools, "a")').replace(TORCH, PIN)
    text = text.replace("let suffix", "let unread")
    write("variants.tvar", text.replace(f'\n  hash = "{PIN}"', f'\n  hash = "{TORCH}"'))
    before = read("variants.tvar")
    result = tvarc("bump", "input", "tools", NEW, code=exits.OK)
    new = declared.replace(OLD, NEW).replace(f'"{TORCH}"', "unlocked")
    assert read("variants.tvar") == before.replace(declared, new)
    assert "1 hash unlocked" in result.stdout
    assert "1 source to lock" in result.stdout
    assert "pin" not in result.stdout.partition("changed, ")[2].partition("not changed")[0]


def test_an_input_by_path_has_no_commit(project: Path) -> None:
    (project / "tools").mkdir()
    text = 'input tools { path = "./tools" }\n' + PROGRAM.replace("a = suffix", "a = tools")
    write("variants.tvar", text.replace('let suffix = "a\\"b"\n', ""))
    result = tvarc("bump", "input", "tools", NEW, code=exits.FAILED)
    assert "input `tools` is a folder, not a commit" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("suffix", 'c"\\{{', '"a\\"b"', '"c\\"\\\\\\{{"'),
        ("count", "4", "count = 3", "count = 4"),
        ("chosen", "2.11.0", 'version("2.11.0rc1")', "2.11.0"),
        ("chosen", "2.12.0rc1", 'version("2.11.0rc1")', 'version("2.12.0rc1")'),
        ("torch", "2.11.0rc2", "2.10.0", 'version("2.11.0rc2")'),
    ],
)
def test_values_of_each_kind(project: Path, name: str, value: str, old: str, new: str) -> None:
    result = tvarc("bump", name, value)
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    text = PROGRAM.replace(old, new)
    assert read("variants.tvar") == (
        text.replace(f'"{TORCH}"', "unlocked") if name == "torch" else text
    )


@pytest.mark.slow
def test_a_dry_run_writes_nothing(project: Path) -> None:
    result = tvarc("bump", "torch", "2.11.0", "--dry-run", code=exits.OK)
    assert "+let torch  =  2.11.0     # kept\n" in result.stdout
    assert (read("variants.tvar"), read("shared.tvar")) == (PROGRAM, SHARED)


@pytest.mark.slow
def test_what_is_so_already(project: Path) -> None:
    result = tvarc("bump", "torch", "2.10.0", code=exits.OK)
    assert result.stdout == "nothing to change: torch is 2.10.0 already\n"
    assert read("variants.tvar") == PROGRAM


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["torhc", "2.11.0"], "did you mean `torch`?"),
        (["made", "x"], "`let made` is not a plain value"),
        (["torch", "new"], "cannot be the new value"),
        (["torch", "2.11.0 x"], "cannot be the new value"),
        (["count", "1.5"], "cannot be the new value"),
        (["nixpkgs", NEW], "`tvarc bump pin NAME REV`"),
        (["pin", "nixpkg", NEW], "did you mean `nixpkgs`?"),
        (["pin", "torch", NEW], "declares a pin `torch`"),
        (["pin", "nixpkgs", "main"], "E702"),
        (["input", "nixpkgs", NEW], "no file of the program declares an input `nixpkgs`"),
        (["input", "nixpkgs", "main"], "E946"),
        (["pin", "nixpkgs", NEW[:7]], "E702"),
        (["pin", "nixpkgs", NEW.upper()], "write it in lower case"),
        (["pin", "nixpkgs", f"refs/heads/{NEW}"], "a branch or a tag can move"),
        (["pin", "nixpkgs", f"{NEW}0"], "40 hexadecimal digits, this has 41"),
        (["pin", "nixpkgs", ""], "E702"),
        (["pin", "nixpkgs", f'{NEW[:38]}"}}'], "E702"),
        (["torch", ""], "cannot be the new value"),
        (["torch", "9" * 5000 + ".1"], "cannot be the new value"),
        (["torch", "1." + "9" * 19], "cannot be the new value"),
        (["count", "9" * 5000], "cannot be the new value"),
        (["torch", "--", "2.11.0; rm"], "cannot be the new value"),
    ],
)
def test_refusals(project: Path, words: list[str], said: str) -> None:
    result = tvarc("bump", *words, code=exits.FAILED)
    assert said in result.stderr
    assert (read("variants.tvar"), read("shared.tvar")) == (PROGRAM, SHARED)


@pytest.mark.slow
def test_what_is_left_is_told(project: Path) -> None:
    """What says the old value still, other versions, and what is fetched as before."""
    text = PROGRAM.replace("# Which PyTorch.", "# PyTorch 2.10, not 2.100 or 12.10.")
    text = text.replace("a = suffix", 'a = "pytorch210-{{suffix}}"') + "# torch_2_10_0\n"
    write("variants.tvar", text)
    write("shared.tvar", SHARED + "# 2.10.0\n")
    out = tvarc("bump", "torch", "2.11.0").stdout
    left = out.partition("these lines still have the old value:\n")[2]
    left = left.partition("\n1 source to lock")[0]
    still, _, others = left.partition("not changed:\n")
    lines = [line.partition(" in ")[0].strip() for line in still.splitlines()]
    assert lines == [
        "shared.tvar:5: 2.10.0", "variants.tvar:3: 2.10", "variants.tvar:16: 210",
        "variants.tvar:21: 2_10_0",
    ]  # fmt: skip
    assert '  variants.tvar:7: let chosen = version("2.11.0rc1")\n' in others
    assert "  shared.tvar:3: tarball https://github.com/NixOS/nixpkgs/" in others
    assert "file https://example.org/other, its hash is stated" in others
    # The next patch release is a 2.10 still.
    again = tvarc("bump", "torch", "2.11.1").stdout
    assert "still have" not in again and "library does not know 2.11.1" in again


PLACES = """
let major = "1.1"
let minor = "{{major}}.13"
let both = "{{major}}"
let xz-name = "xz-5.2.5"
let tag-name = "b5760"
let commit = "ae80846"
let word = "cu128"
let dated = "2018-08-23"
axis kind { old { label = "Old", flag = "-a" } }
recipe one {
  package = call(pkgs.stdenv.mkDerivation, {
    version = "5760", src = github("a/b", tag = "b5760", hash = unlocked)
  })
  pin = none
  attrs { a = xz-name, b = tag-name, c = commit, d = word, e = dated, f = minor, g = both }
}
recipe two { package = pkgs.hello, pin = none, attrs { version = "5760", s = "{{kind.flag}}" } }
variant first { recipe = one }
matrix second { recipe = two, axes = kind, name = "second-{{kind}}" }
output nix { file = "{{variant}}.nix" }
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["version", "5761"],
            "`version` is not a `let` of the program, but an attribute in 2 places … "
            "13 | version = \"5760\", … 18 | … declare `let version = VALUE`",
        ),
        (["tag", "b5761"], "not a `let` of the program, but an attribute … 13 | version"),
        (["flag", "b"], "but an attribute … 10 | … such as `tvarc bump kind.old.flag VALUE`"),
        (["minor", "1.1.14"], "edit `.13` here, or change what it reads: `tvarc bump major VALUE`"),
        (["both", "1.2"], "= help: change what it reads: `tvarc bump major VALUE`"),
        (["xz-name", "5.2.6"], "another form than `xz-5.2.5` … 5 | … did you mean `xz-5.2.6`?"),
        (["tag-name", "5761"], "did you mean `b5761`? … give it in quotes: '\"5761\"'"),
    ],
)
def test_a_place_or_a_form_is_proposed(project: Path, words: list[str], said: str) -> None:
    write("variants.tvar", PLACES)
    result = tvarc("bump", *words, code=exits.FAILED)
    shown = " ".join(result.stderr.split())
    at = 0
    for part in said.split(" … "):
        at = shown.index(part, at)
    assert read("variants.tvar") == PLACES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("xz-name", "xz-5.2.6"),
        ("xz-name", '"5.2.6"'),
        ("commit", "1234567"),
        ("word", "13"),
        ("dated", "1.0"),
    ],
)
def test_a_value_of_the_same_form_or_in_quotes_is_written(
    project: Path, name: str, value: str
) -> None:
    write("variants.tvar", PLACES)
    assert tvarc("bump", name, value).exit_code == exits.OK
    written = json.dumps(value.strip('"'))
    assert f"let {name} = {written}\n" in read("variants.tvar")


@pytest.mark.parametrize(
    ("source", "stays"),
    [
        (f'rev = "{OLD}"', f"`rev` {OLD[:7]} stays"),
        ('tag = "b5760"', "`tag` still names 5760"),
        ('tag = "b{{tool-version}}"', ""),
    ],
)
def test_a_source_that_does_not_read_the_version_is_named(
    project: Path, source: str, stays: str
) -> None:
    text = f"""
    let tool-version = "5760"
    recipe tool {{
      package = call(pkgs.stdenv.mkDerivation, {{
        name = "tool-{{{{tool-version}}}}", src = github("a/b", {source}, hash = unlocked)
      }})
      pin = none
    }}
    variant plain {{ recipe = tool }}
    output nix {{ file = "{{{{variant}}}}.nix" }}
    """
    write("variants.tvar", text)
    out = tvarc("bump", "tool-version", "5761", "--dry-run").stdout
    said = f"\npackage.src: version is 5761, but {stays}\n"
    assert said in out if stays else "package.src" not in out
    report = json.loads(tvarc("bump", "tool-version", "5761", "--json").stdout)
    assert [(one["before"], one["after"]) for one in report["outdated"]] == (
        [("5760", "5761")] if stays else []
    )


@pytest.mark.slow
def test_a_pin_says_how_many_it_is_for(project: Path) -> None:
    write("variants.tvar", PROGRAM.replace("variant plain", "variant bare { recipe = unpinned }\n"
          "recipe unpinned { package = pkgs.hello, pin = none }\nvariant plain"))  # fmt: skip
    write("shared.tvar", SHARED + f"# {OLD[:9]} is of February\n")
    out = tvarc("bump", "pin", "nixpkgs", NEW, "--dry-run").stdout
    assert "\n1 of 2 variants use pin nixpkgs\n" in out
    assert f"  shared.tvar:5: {OLD[:9]} in `# {OLD[:9]} is of February`\n" in out


@pytest.mark.slow
def test_new_warnings_are_told(project: Path) -> None:
    write("variants.tvar", PROGRAM + 'warn old = torch < 2.10 because "old"\n')
    assert "W001" not in tvarc("bump", "torch", "2.10.1", "--dry-run").stderr
    warned = PROGRAM + 'warn patches = torch > 2.10.0 because "patches are for 2.10"\n'
    write("variants.tvar", warned)
    result = tvarc("bump", "torch", "2.11.0", code=exits.OK)
    assert result.stderr.count("warning[W001]") == 1
    assert "W002" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines_stay(project: Path, end: str) -> None:
    text = PROGRAM.replace("\r", "").replace("\n", end).rstrip()  # and none at the end
    write("variants.tvar", f"\ufeff{text}")
    out = tvarc("bump", "torch", "2.11.0").stdout
    assert read("variants.tvar") == f"\ufeff{text}".replace("2.10.0", "2.11.0").replace(
        f'"{TORCH}"', "unlocked"
    )
    assert "\r" not in out


@pytest.mark.slow
def test_several_files_are_all_changed_or_none(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("shared.tvar", SHARED + f'let known = "{TORCH}"\n')
    write("variants.tvar", PROGRAM.replace('use "./shared.tvar"\n', 'use "./shared.tvar"\n'
          'use "./more.tvar"\n').replace("let torch  =  2.10.0     # kept\n", ""))  # fmt: skip
    write("more.tvar", "let torch = 2.10.0\n")
    before = {name: read(name) for name in ("variants.tvar", "shared.tvar", "more.tvar")}
    real = os.access

    def access(path: str, mode: int) -> bool:
        return not (str(path).endswith("variants.tvar") and mode == os.W_OK) and real(path, mode)

    monkeypatch.setattr(os, "access", access)
    result = tvarc("bump", "torch", "2.11.0")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E802")
    assert {name: read(name) for name in before} == before
    monkeypatch.undo()
    monkeypatch.chdir(project)
    assert tvarc("bump", "torch", "2.11.0").exit_code == exits.OK
    assert "2.11.0" in read("more.tvar") and "unlocked" in read("variants.tvar")


@pytest.mark.slow
def test_a_killed_bump_leaves_whole_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at each of its calls that change the disk, the file is the old or the new one."""
    calls = 0

    class Killed(BaseException):
        pass

    def dying(name: str, at: int) -> None:
        real = getattr(os, name)

        def call(*args: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == at:
                raise Killed
            return real(*args, **options)

        monkeypatch.setattr(os, name, call)

    new = PROGRAM.replace("count = 3", "count = 4")
    kills = 0
    for at in range(1, 6):
        write("variants.tvar", PROGRAM)
        calls = 0
        for name in ("write", "fchmod", "replace", "fsync"):
            dying(name, at)
        with suppress(Killed):
            tvarc("bump", "count", "4")
        kills += calls >= at
        monkeypatch.undo()
        monkeypatch.chdir(project)
        assert read("variants.tvar") in (PROGRAM, new)
        assert tvarc("bump", "count", "4").exit_code == exits.OK
        assert read("variants.tvar") == new
        assert [path.name for path in project.iterdir() if path.name.startswith(".tvarc")] == []
    assert kills >= 3, "it writes beside the file, and renames"


def test_an_axis_is_no_one_value(project: Path) -> None:
    text = "axis release = [2.9.1, 2.10.0]\n" + PROGRAM
    write("variants.tvar", text)
    result = tvarc("bump", "release", "2.11.0")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E946")
    assert "variants.tvar:1:6" in result.stderr
    assert read("variants.tvar") == text


def test_two_places_are_not_guessed_between(project: Path) -> None:
    write("shared.tvar", SHARED + "let torch = 2.9.0\n")
    text = PROGRAM.replace('"./shared.tvar"', '"./shared.tvar" as shared')
    write("variants.tvar", text)
    result = tvarc("bump", "torch", "2.11.0")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E946")
    assert "shared.tvar" in result.stderr and "variants.tvar" in result.stderr
    assert read("variants.tvar") == text


def test_a_commit_that_stands_elsewhere(project: Path) -> None:
    text = SHARED.replace(f'"{OLD}"', "nixpkgs-6a030d5.rev").replace(f'"{PIN}"', "null")
    write("shared.tvar", "use std.nixpkgs\n" + text)
    result = tvarc("bump", "pin", "nixpkgs", NEW)
    assert result.exit_code == exits.FAILED and told(result.stderr, "E946")
    assert "this is computed or declared elsewhere" in result.stderr
    said = " ".join(result.stderr.split())
    assert "`nixpkgs-6a030d5` comes from the library, std/nixpkgs.tvar" in said
    assert f'write `rev = "{NEW}"` and `hash = unlocked` in this pin' in said
    # To do so is to have the pin bumped.
    text = text.replace("nixpkgs-6a030d5.rev", f'"{NEW}"').replace("null", "unlocked")
    write("shared.tvar", text)
    assert tvarc("check").exit_code == exits.OK


def test_a_let_that_reads_a_row_is_changed_there(project: Path) -> None:
    text = PROGRAM.replace('let made = "{{torch}}-x"', "let made = torch").replace(
        "let torch  =  2.10.0", "facts known (v: version) { now { v = 2.10.0 } }\nlet torch = now.v"
    )
    for name in ("torch", "made", "known.now.v"):
        write("variants.tvar", text)
        assert tvarc("bump", name, "2.11.0").exit_code == exits.OK
        new = text.replace("{ v = 2.10.0", "{ v = 2.11.0").replace(f'"{TORCH}"', "unlocked")
        assert read("variants.tvar") == new


COLUMNS = f"""\
axis kind {{
  old {{ label = "Old", tag = "v1" }}
  new {{ label = "New", tag = "v2" }}
}}
axis gpu = ["sm80", "sm90"]
let by-kind = {{
  old = {{ version = "1.0", sha256 = "{TORCH}" }}
  new = {{ version = "2.0", sha256 = "{KNOWN}" }}
}}
let version = by-kind[kind].version
let hashes = {{ old = "{PIN}", new = "{PIN.replace("i9In", "i9Io")}" }}
recipe tool {{
  package = nix\"\"\"
    pkgs.stdenv.mkDerivation {{
      src = pkgs.fetchurl {{
        url = "https://example.org/{{{{version}}}}.tar.gz";
        sha256 = {{{{by-kind[kind].sha256}}}};
      }};
    }}
  \"\"\"
  pin = none
  attrs {{ extra = github("a/b", tag = kind.tag, hash = hashes[kind]), gpu = gpu }}
  meta {{ description = kind.label }}
}}
matrix tools {{ recipe = tool, axes = kind * gpu, name = "tool-{{{{kind}}}}-{{{{gpu}}}}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
_NEW_TOOL = COLUMNS.replace('"2.0"', '"2.1"').replace(f'"{KNOWN}"', "unlocked")
_NEW_TAG = COLUMNS.replace('"v2"', '"v3"').replace(f'"{PIN.replace("i9In", "i9Io")}"', "unlocked")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("by-kind.new.version", "2.1"), _NEW_TOOL),
        (("version", "2.1", "--only", "kind=new"), _NEW_TOOL),
        (("kind.new.tag", "v3"), _NEW_TAG),
        (("kind.tag", "v3", "--only", "kind=new"), _NEW_TAG),
        (("hashes.old", "unlocked"), COLUMNS.replace(f'"{PIN}"', "unlocked")),
        (("kind.label", "X", "--only", "new"), COLUMNS.replace('"New"', '"X"')),
        (
            ("kind.label", "X", "--only", "new", "--only", "old"),
            COLUMNS.replace('"New"', '"X"').replace('"Old"', '"X"'),
        ),
    ],
)
def test_a_column_is_changed_in_its_row(
    project: Path, words: tuple[str, ...], wanted: str
) -> None:
    """The version is in a row or a record, and so is the hash, which Nix text or another record
    has."""
    write("variants.tvar", COLUMNS)
    result = tvarc("bump", *words)
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert read("variants.tvar") == wanted
    # The lock can fill in what is unlocked, and `bump` writes a hash in its place.
    unlocked = wanted.count("unlocked")
    assert tvarc("lock", "--check").stdout.endswith(
        f"{unlocked} source{'' if unlocked == 1 else 's'} not locked\n"
    )
    if words[0] == "hashes.old":
        assert tvarc("bump", words[0], PIN).exit_code == exits.OK
        assert read("variants.tvar") == COLUMNS


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("version", "2.1"), "such as `tvarc bump by-kind.new.version VALUE`"),
        (("kind.tag", "v3"), "`kind.tag` has several values"),
        (("version", "2.1", "--only", "tool-new-sm80"), "it is also the value of tool-new-sm90"),
        (("version", "2.1", "--only", "mid"), "`mid` selects no variant"),
        (("by-kind.mid.version", "2.1"), "rows of `by-kind` here: old, new"),
        (("by-kind.new.hash", "x"), "row `new` of `by-kind` does not set `hash`"),
        (("gpu.x", "2.1"), "no file of the program has a fact `gpu.x`"),
    ],
)
def test_a_column_is_not_guessed(project: Path, words: tuple[str, ...], says: str) -> None:
    write("variants.tvar", COLUMNS)
    result = tvarc("bump", *words)
    assert result.exit_code == exits.FAILED
    assert says in " ".join(result.stderr.split())
    assert read("variants.tvar") == COLUMNS


@pytest.mark.slow
def test_versions_that_an_axis_has_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = VARIANTS.parent / "examples"
    monkeypatch.chdir(examples / "torch-2.10")
    result = tvarc("bump", "torch", "2.11.0", "--dry-run")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E946")
    assert "axis release = torch-release[torch2_10_0]" in result.stderr
    assert "replace the row of the old version" in result.stderr


def test_what_would_not_compile_is_shown_and_not_written(project: Path) -> None:
    text = PROGRAM + 'require torch < 2.11 because "the patches are for 2.10"\n'
    write("variants.tvar", text)
    result = tvarc("bump", "torch", "2.11.0", code=exits.FAILED)
    assert told(result.stderr, "E946") and told(result.stderr, "E405")
    assert "torch = 2.11.0" in result.stderr
    assert read("variants.tvar") == text


def test_a_program_with_errors_is_not_bumped(project: Path) -> None:
    write("variants.tvar", PROGRAM + "let x = nobody\n")
    result = tvarc("bump", "torch", "2.11.0")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E201")


def test_a_hash_that_is_not_beside_its_source(project: Path) -> None:
    text = PROGRAM.replace(f'hash = "{TORCH}"', "hash = known") + f'let known = "{TORCH}"\n'
    write("variants.tvar", text)
    assert tvarc("bump", "torch", "2.11.0").exit_code == exits.OK
    assert read("variants.tvar") == text.replace("2.10.0     #", "2.11.0     #").replace(
        f'"{TORCH}"', "unlocked"
    )


def test_a_hash_that_is_computed(project: Path) -> None:
    hash_ = 'hash = "sha256-{{known}}"'
    known = TORCH.removeprefix("sha256-")
    text = PROGRAM.replace(f'hash = "{TORCH}"', hash_) + f'let known = "{known}"\n'
    write("variants.tvar", text)
    result = tvarc("bump", "torch", "2.11.0")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E946")
    assert "`hash = unlocked`" in result.stderr
    assert read("variants.tvar") == text


@pytest.mark.slow
def test_a_hash_that_came_along_is_left(project: Path) -> None:
    """The hash of a library's row is right for that row: it changes with the version."""
    text = PROGRAM.replace(
        f'"{TORCH}"', f'if torch == 2.10.0 then "{TORCH}" else "{PIN.replace("i9In", "AAAA")}"'
    )
    write("variants.tvar", text)
    tvarc("bump", "torch", "2.11.0", code=exits.OK)
    assert read("variants.tvar") == text.replace("2.10.0     #", "2.11.0     #")


@pytest.mark.slow
def test_an_unlocked_source_stays_unlocked(project: Path) -> None:
    text = PROGRAM.replace(f'"{TORCH}"', "unlocked")
    write("variants.tvar", text)
    assert tvarc("bump", "torch", "2.11.0").exit_code == exits.OK
    assert read("variants.tvar") == text.replace("2.10.0", "2.11.0")


@pytest.mark.slow
def test_the_file_keeps_its_mode_and_its_place(project: Path) -> None:
    Path("real.tvar").write_bytes(PROGRAM.encode())
    os.chmod("real.tvar", 0o640)  # noqa: PTH101
    Path("variants.tvar").unlink()
    Path("variants.tvar").symlink_to("real.tvar")
    assert tvarc("bump", "count", "4").exit_code == exits.OK
    assert Path("variants.tvar").is_symlink()
    assert "let count = 4" in read("real.tvar")
    assert stat.S_IMODE(Path("real.tvar").stat().st_mode) == 0o640
    assert [path for path in project.iterdir() if path.name.startswith(".tvarc")] == []


@pytest.mark.slow
def test_a_file_that_cannot_be_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    result = tvarc("bump", "count", "4")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E802")
    assert read("variants.tvar") == PROGRAM


def test_wrong_usage(project: Path) -> None:
    for words in (["torch"], ["a", "b", "c"], ["pin", "a", "b", "c"], []):
        assert tvarc("bump", *words).exit_code == exits.USAGE


@pytest.mark.slow
def test_the_44(here: Path) -> None:
    text = VARIANTS.read_text(encoding="utf-8")
    write("variants.tvar", text)
    assert tvarc("bump", "torch", "2.11.0").exit_code == exits.OK
    changed = text.replace("let torch = 2.10.0", "let torch = 2.11.0").replace(
        f'"{TORCH}"', "unlocked"
    )
    assert read("variants.tvar") == changed
    assert tvarc("bump", "pin", "nixpkgs", NEW).exit_code == exits.OK
    assert read("variants.tvar") == changed.replace(OLD, NEW)


def test_the_library_is_not_parsed_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The changed program, and another state of it, read the trees that an earlier command kept."""
    parsed = calls(monkeypatch, "tvarc.syntax.parser.parse_module")  # that of library modules
    for name in ("variants.tvar", "old.tvar"):
        write(name, f"use std.cuda\n{PROGRAM}")
    for words in (("bump", "torch", "2.11.0", "--dry-run"), ("diff", "--against", "old.tvar")):
        for _ in range(2):
            parsed.clear()
            assert tvarc(*words).exit_code == exits.OK
        assert parsed == []


ROWS = """\
pin nixpkgs { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
facts releases (version: version, tag: string, patches: int) {
  r1 { version = 2.9.1, tag = "v2.9.1", patches = 3 }
  r2 { version = 2.10.0, tag = "v2.10.0", patches = 4 }
  r3 { version = 2.11.0, tag = "v2.11.0", patches = 0 }
}
axis release = releases[r1, r2]
axis cuda = [12.8, 13.0]
axis kind { small { jobs = "8", fast = true }, large { jobs = "16", fast = false } }
axis lto = [true]
recipe hello {
  package = pkgs.hello
  attrs { version = release.version, tag = release.tag, n = release.patches, c = cuda,
          jobs = kind.jobs, fast = kind.fast, lto = lto }
}
matrix all {
  recipe = hello, axes = release * cuda * kind * lto
  name = "h-{{release}}-{{under(cuda)}}-{{kind}}"
}
output nix { file = "{{variant}}.nix" }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "old", "new"),
    sampled(
        [
            (("releases.r2.tag", "v2.10.1"), '"v2.10.0"', '"v2.10.1"'),
            (("releases.r2.version", "2.10.1"), "= 2.10.0", "= 2.10.1"),
            (("releases.r2.patches", "5"), "patches = 4", "patches = 5"),
            (("kind.small.jobs", "4"), '"8"', '"4"'),
            (("kind.small.fast", "false"), "fast = true", "fast = false"),
            (("axis", "cuda", "13.0", "13.1"), "13.0]", "13.1]"),
            (("axis", "lto", "true", "false"), "lto = [true]", "lto = [false]"),
            (("axis", "release", "r1", "r3"), "[r1, r2]", "[r3, r2]"),
            (("axis", "kind", "small", "tiny"), "{ small {", "{ tiny {"),
        ],
        4,
        several=True,
    ),
)
def test_facts_and_values_of_axes(
    project: Path, words: tuple[str, ...], old: str, new: str
) -> None:
    write("variants.tvar", ROWS)
    result = tvarc("bump", *words)
    assert (result.exit_code, result.stderr) == (exits.OK, ""), result.stderr
    assert read("variants.tvar") == ROWS.replace(old, new)
    assert read("variants.tvar") != ROWS
    assert tvarc("bump", *words[:-1], "x y").exit_code == exits.FAILED or words[0] in (
        "releases.r2.tag", "kind.small.jobs",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("releases.r9.tag", "x"), "has a fact `releases.r9.tag`"),
        (("releases.r1.tga", "x"), "row `r1` of `releases` does not set `tga`"),
        (("releases.tag", "x"), "name the row, too: `releases.r1.tag`, `releases.r2.tag`"),
        (("releases.r1", "x"), "write a fact as `TABLE.ROW.FIELD`"),
        (("nothing.r1.tag", "x"), "has a fact `nothing.r1.tag`"),
        (("axis", "cuda", "13.2", "13.3"), "axis `cuda` does not list the value `13.2`"),
        (("axis", "cuda", "13.0", "12.8"), "axis `cuda` has the value `12.8` already"),
        (("axis", "cdua", "13.0", "12.9"), "declares an axis `cdua`"),
        (("axis", "cuda", "13.0", "new"), "this is a version"),
        (("kind.small.fast", "maybe"), "give `true` or `false`"),
        (("axis", "release", "r1", "r 4"), "this is a name"),
    ],
)
def test_facts_and_values_that_are_not_there(
    project: Path, words: tuple[str, ...], says: str
) -> None:
    write("variants.tvar", ROWS)
    result = tvarc("bump", *words, code=exits.FAILED)
    assert "error[E946]" in result.stderr and says in " ".join(result.stderr.split())
    assert read("variants.tvar") == ROWS


LISTS = """\
facts boards (archs: [string], versions: [version], label: string) {
  a {
    archs = ["sm80", "sm90"]   # as built
    versions = [12.8, version("13.0rc1")]
    label = "alpha"
  }
}
axis board = boards[a]
let flags = ["-O2", "-g"]
recipe hello {
  package = pkgs.hello, pin = none
  attrs { a = board.archs, v = board.versions, l = board.label, f = flags, z = "no sm80 here" }
}
matrix all { recipe = hello, axes = board, name = "h-{{board}}" }
output nix { file = "{{variant}}.nix" }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("boards.a.archs", '["sm90", "sm100"]', '["sm80", "sm90"]', '["sm90", "sm100"]'),
        ("boards.a.archs", "[ ]", '["sm80", "sm90"]', "[]"),
        ("boards.a.versions", "[13.0]", '[12.8, version("13.0rc1")]', "[13.0]"),
        ("flags", r'["-O3",  "a\"b",]', '["-O2", "-g"]', r'["-O3", "a\"b"]'),
    ],
)
def test_a_list_is_written_anew(project: Path, name: str, value: str, old: str, new: str) -> None:
    write("variants.tvar", LISTS)
    result = tvarc("bump", name, value)
    assert (result.exit_code, result.stderr) == (exits.OK, ""), result.stderr
    assert read("variants.tvar") == LISTS.replace(old, new)
    # What stands elsewhere is told of the elements that are gone.
    assert ("still have" in result.stdout) == (name == "boards.a.archs")
    if name == "boards.a.archs":
        assert "sm80 in `attrs" in result.stdout and "sm90 in" not in result.stdout


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("boards.a.archs", "sm80", "give a list of plain values"),
        ("boards.a.archs", "[sm80]", "give a list of plain values"),
        ("boards.a.archs", "[1]", "the program does not compile with boards.a.archs = [1]"),
        ("flags", '["a"', "give a list of plain values"),
    ],
)
def test_a_value_that_is_not_a_list_is_refused(
    project: Path, name: str, value: str, says: str
) -> None:
    write("variants.tvar", LISTS)
    result = tvarc("bump", name, value, code=exits.FAILED)
    assert "error[E946]" in result.stderr and says in " ".join(result.stderr.split())
    assert read("variants.tvar") == LISTS


@pytest.mark.slow
def test_no_comment_is_lost_with_a_list(project: Path) -> None:
    text = LISTS.replace('["-O2", "-g"]', '[\n  "-O2", # fast\n  "#",\n]')
    write("variants.tvar", text)
    result = tvarc("bump", "flags", '["-O3"]', code=exits.FAILED)
    assert "the comments in this list would be lost" in result.stderr
    assert read("variants.tvar") == text
    write("variants.tvar", text.replace("# fast", ""))
    assert tvarc("bump", "flags", '["-O3"]').exit_code == exits.OK


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("boards.a.label", "alpha beta", ["# alpha"]),
        ("boards.a.label", "the alpha", ["# alpha"]),
        ("boards.a.label", "alp", ["# alpha", "# alpha beta"]),
        ("suffix", "v1-rc2", []),
    ],
)
def test_a_new_value_with_the_old_one_in_it_is_not_the_old_one(
    project: Path, name: str, value: str, left: list[str]
) -> None:
    text = LISTS.replace("f = flags", "f = flags, s = suffix") + (
        'let suffix = "v1"\n# alpha\n# alpha beta\n'
    )
    write("variants.tvar", text)
    result = tvarc("bump", name, value, "--json", code=exits.OK)
    still = [one["text"] for one in json.loads(result.stdout)["still_there"]]
    assert still == ([*left, "# alpha beta"] if value == "the alpha" else left)


def test_digits_within_a_hash_are_not_the_old_version() -> None:
    hashes = "# sha256-RKa210+aa=, 0123456789abcdef0123456789abc210"
    found = mentions({"a.tvar": f"{hashes}\n# pytorch210\n"}, "2.10.0", "2.11.0")
    assert [(one.line, one.what) for one in found] == [(2, "210")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("suffix", '"in quotes"', '"in quotes"'),
        ("suffix", r'"a\"b c"', r'"a\"b c"'),
        ("suffix", "bare", '"bare"'),
        ("suffix", '"', r'"\""'),
        ("chosen", 'version("2.12.0rc2")', 'version("2.12.0rc2")'),
        ("chosen", "2.12.0rc2", 'version("2.12.0rc2")'),
    ],
)
def test_a_value_is_given_bare_or_as_set_takes_it(
    project: Path, name: str, value: str, written: str
) -> None:
    assert tvarc("bump", name, value).exit_code == exits.OK
    assert f"let {name} = {written}\n" in read("variants.tvar")


@pytest.mark.slow
def test_a_pin_has_the_hash_that_the_library_knows(project: Path) -> None:
    text = SHARED.replace("# the one pin", "")
    write("shared.tvar", text)
    assert tvarc("bump", "pin", "nixpkgs", NEW).exit_code == exits.OK
    assert read("shared.tvar") == text.replace(OLD, NEW).replace(PIN, KNOWN)
    write("shared.tvar", text)
    nobody = "f" * 40
    assert tvarc("bump", "pin", "nixpkgs", nobody).exit_code == exits.OK
    assert read("shared.tvar") == text.replace(OLD, nobody).replace(f'"{PIN}"', "unlocked")
    # Another repository of the same commit is another source.
    other = text.replace("NixOS/nixpkgs", "somebody/nixpkgs")
    write("shared.tvar", other)
    assert tvarc("bump", "pin", "nixpkgs", NEW).exit_code == exits.OK
    assert read("shared.tvar") == other.replace(OLD, NEW).replace(f'"{PIN}"', "unlocked")


@pytest.mark.slow
@pytest.mark.parametrize("hash_", ["hash = unlocked", ""])
def test_the_lock_gets_the_hash_that_the_library_knows(project: Path, hash_: str) -> None:
    """Of a pin that states none itself, as one of `tvarc init`; nothing is fetched for it."""
    text = SHARED.replace("# the one pin", "").replace(f'hash   =   "{PIN}"', hash_)
    write("shared.tvar", text)
    dry = tvarc("bump", "pin", "nixpkgs", NEW, "--dry-run")
    assert "would be locked with the library's hash: tarball https://" in dry.stderr + dry.stdout
    assert not Path("tvar.lock").exists()
    done = tvarc("bump", "pin", "nixpkgs", NEW, "--json", code=exits.OK)
    found = json.loads(done.stdout)
    (locked,) = found["locked"]
    assert (locked["hash"], found["to_lock"]) == (KNOWN, [])
    assert read("shared.tvar") == text.replace(OLD, NEW)
    lock = read("tvar.lock")
    assert f'hash = "{KNOWN}"' in lock and f"archive/{NEW}.tar.gz" in lock
    assert 'by = "library"' in lock
    assert tvarc("lock", "--check").exit_code == exits.OK
    # What the library does not know is to be locked as ever.
    nobody = json.loads(tvarc("bump", "pin", "nixpkgs", "f" * 40, "--json").stdout)
    assert nobody["locked"] == [] and len(nobody["to_lock"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("hash_", ["hash = unlocked", ""])
def test_the_lock_gets_the_hash_of_the_commit_that_a_pin_has_already(
    project: Path, hash_: str
) -> None:
    text = SHARED.replace(OLD, NEW).replace(f'hash   =   "{PIN}"', hash_)
    write("shared.tvar", text)
    dry = tvarc("bump", "pin", "nixpkgs", NEW, "--dry-run", code=exits.OK)
    assert "would be locked with the library's hash: tarball https://" in dry.stdout
    assert not Path("tvar.lock").exists()
    done = tvarc("bump", "pin", "nixpkgs", NEW, code=exits.OK)
    first, second = done.stdout.splitlines()
    assert first == f"nothing to change: pin nixpkgs is {NEW} already"
    assert second.startswith("locked with the library's hash: tarball https://")
    assert read("shared.tvar") == text
    assert f'hash = "{KNOWN}"' in read("tvar.lock")
    again = tvarc("bump", "pin", "nixpkgs", NEW)
    assert again.stdout == f"nothing to change: pin nixpkgs is {NEW} already\n"


@pytest.mark.slow
def test_a_lock_that_cannot_be_written_keeps_the_program_as_it_is(project: Path) -> None:
    text = SHARED.replace(f'hash   =   "{PIN}"', "")
    write("shared.tvar", text)
    Path("tvar.lock").symlink_to("nothing")
    tvarc("bump", "pin", "nixpkgs", NEW, code=exits.FAILED)
    assert read("shared.tvar") == text


@pytest.mark.slow
def test_what_a_pin_states_of_the_old_commit_is_told(project: Path) -> None:
    text = SHARED.replace("hash ", 'release = 26.05\n  date = "2026-02-17"\n  hash ')
    write("shared.tvar", text)
    done = tvarc("bump", "pin", "nixpkgs", NEW, "--json", code=exits.OK)
    told_of = [one["what"] for one in json.loads(done.stdout)["not_changed"]]
    assert 'date = "2026-02-17" of the pin' in told_of
    assert "release = 26.05 of the pin" in told_of
