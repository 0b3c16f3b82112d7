"""`tvarc lock`: what it runs, what it takes from a log, and what it refuses."""

from __future__ import annotations

import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from lock.programs import Programs, told
from support.command import spawn, tvarc
from tvarc.build.driver import read_lock
from tvarc.build.lock.printer import lock_text
from tvarc.commands.line import exits
from tvarc.decide.lock import NIXPKGS_FAKE, Entry, fake_hash
from tvarc.files.disk import MemoryLoader
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceMap

GOOD = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
OTHER = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
BASE32 = "00xyyr3fi8l6hb839bv3f7yb86yjv7xi1cgh1xnhipym4asvb4aq"
SRI = "sha256-WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="
ZERO32 = "0" * 52

PROGRAM = """\
pin nixpkgs {
  url  = "https://example.org/nixpkgs.tar.gz"
  hash = unlocked
}

patch fix for hello {
  url      = "https://example.org/fix.patch"
  hash     = unlocked
  excludes = ["a b", "$(c)"]
}

recipe base {
  package  = pkgs.hello
  overlays = [fix]
  attrs {
    srcs = [
      github("own/plain", rev = "0182a361324364ae3f436a63005877674cf45efb", hash = unlocked),
      github("own/tagged", tag = "v1", hash = unlocked),
      github("own/deep", tag = "v2", submodules = true, hash = unlocked),
      url("https://example.org/file.tar.gz", hash = unlocked),
      url("https://example.org/stated.tar.gz",
          hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="),
    ]
  }
}

variant hello { recipe = base }
output nix { file = "{{variant}}.nix" }
"""

TARBALL = Fetched("tarball", (("url", "https://example.org/nixpkgs.tar.gz"),))
PATCH = Fetched("patch", (("url", "https://example.org/fix.patch"), ("excludes", ("a b", "$(c)"))))
PLAIN = Fetched(
    "github", (("repository", "own/plain"), ("rev", "0182a361324364ae3f436a63005877674cf45efb"))
)
TAGGED = Fetched("github", (("repository", "own/tagged"), ("tag", "v1")))
DEEP = Fetched("github", (("repository", "own/deep"), ("tag", "v2"), ("submodules", True)))
FILE = Fetched("file", (("url", "https://example.org/file.tar.gz"),))
ALL = (TARBALL, PLAIN, TAGGED, DEEP, FILE, PATCH)
PREFETCH = ["nix-prefetch-url", "--type", "sha256"]
UNPACK = [*PREFETCH, "--unpack", "--name", "source", "--"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1770076800")
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    made = Programs(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(made.folder))
    return made


def mismatch(wanted: str, got: str, name: str = "source") -> str:
    return (
        f"error: hash mismatch in fixed-output derivation '/nix/store/{'a' * 32}-{name}.drv':\n"
        f"         specified: {wanted}\n            got:    {got}\n"
    )


def read() -> dict[Fetched, Entry]:
    text = Path("tvar.lock").read_text(encoding="utf-8")
    sink = Sink()
    lock = read_lock("x.tvar", MemoryLoader({"tvar.lock": text}), SourceMap(), sink)
    assert not list(sink)
    return lock.entries


def write(*sources: Fetched, hash: str = OTHER) -> None:
    entries = [Entry(source, hash, "2026-02-03", "log") for source in sources]
    Path("tvar.lock").write_text(lock_text(entries), encoding="utf-8")


# --- fetching ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_kind_is_fetched_as_its_fetcher_does(project: Path, programs: Programs) -> None:
    programs.answer("nix-prefetch-url", {"https": BASE32})
    built = {source: mismatch(fake_hash(source), OTHER) for source in (DEEP, PATCH)}
    programs.answer(
        "nix-build", {"fetchFromGitHub": f"|{built[DEEP]}", "fetchpatch": f"|{built[PATCH]}"}
    )
    result = tvarc("lock")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert {source: entry.hash for source, entry in read().items()} == {
        source: OTHER if source in built else SRI for source in ALL
    }
    assert {entry.by for entry in read().values()} == {
        "nix-prefetch-url", "nix-prefetch-url --unpack", "nix-build"
    }  # fmt: skip
    assert {entry.date for entry in read().values()} == {"2026-02-03"}
    first, deep, plain, tagged, file, patch = programs.calls()
    assert [first, plain, tagged] == [
        [*UNPACK, "https://example.org/nixpkgs.tar.gz"],
        [
            *UNPACK,
            "https://github.com/own/plain/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz",
        ],
        [*UNPACK, "https://github.com/own/tagged/archive/refs/tags/v1.tar.gz"],
    ]
    assert file == [*PREFETCH, "--", "https://example.org/file.tar.gz"]
    for call, source in ((deep, DEEP), (patch, PATCH)):
        assert call[:3] == ["nix-build", "--no-out-link", "-E"]
        text = " ".join(call[3].split())
        # The fetchers are those of the nixpkgs that was locked a moment before.
        assert f'url = "https://example.org/nixpkgs.tar.gz"; sha256 = "{SRI}";' in text
        # The forms that nixpkgs of each age takes.
        assert f'sha256 = "{fake_hash(source)}";' in text
    assert "fetchSubmodules = true;" in deep[3] and 'rev = "refs/tags/v2";' in deep[3]
    assert '"$(c)"' in patch[3]
    # What was run is told, as a shell would take it.
    assert "$ nix-prefetch-url --type sha256 -- https://example.org/file.tar.gz\n" in result.stdout
    assert result.stdout.endswith(
        "tvar.lock: 6 sources, 6 added\n"
        "next: `tvarc build` writes the new hashes into the recipes\n"
    )


def test_a_second_run_runs_nothing(project: Path, programs: Programs) -> None:
    write(*ALL)
    before = Path("tvar.lock").read_bytes()
    result = tvarc("lock")
    assert (result.exit_code, result.stdout) == (exits.OK, "tvar.lock: 6 sources, 0 added\n")
    assert Path("tvar.lock").read_bytes() == before
    assert programs.calls() == []


@pytest.mark.slow
def test_only_what_is_missing_is_fetched_and_nothing_is_updated(
    project: Path, programs: Programs
) -> None:
    write(*(source for source in ALL if source != FILE))
    programs.answer("nix-prefetch-url", {"https": BASE32})
    assert tvarc("lock").exit_code == exits.OK
    assert len(programs.calls()) == 1
    assert read()[FILE].hash == SRI
    assert read()[PLAIN].hash == OTHER


def test_what_fails_is_told_and_the_rest_is_kept(project: Path, programs: Programs) -> None:
    write(*(source for source in ALL if source not in (FILE, PLAIN)))
    programs.answer("nix-prefetch-url", {"plain": f"{BASE32}", "file": "|error: no such host"})
    result = tvarc("lock", code=exits.FAILED)
    assert told(result.stderr, "E944") and "error: no such host" in result.stderr
    assert PLAIN in read() and FILE not in read()


@pytest.mark.parametrize("answer", ["not-a-hash", "", "|"])
def test_an_answer_that_is_no_hash(project: Path, programs: Programs, answer: str) -> None:
    write(*(source for source in ALL if source != FILE))
    programs.answer("nix-prefetch-url", {"https": answer})
    result = tvarc("lock")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E944")


@pytest.mark.parametrize("answer", ["0" * 52, "0" * 64, NIXPKGS_FAKE, fake_hash(FILE)])
def test_a_hash_that_no_content_has_is_not_taken(
    project: Path, programs: Programs, answer: str
) -> None:
    write(*(source for source in ALL if source != FILE))
    programs.answer("nix-prefetch-url", {"https": answer})
    result = tvarc("lock")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E944")
    assert "it printed a fake hash" in result.stderr
    assert FILE not in read() and not told(tvarc("lock", "--check").stderr, "E943")


def test_a_build_that_reports_a_fake_hash_is_not_believed(
    project: Path, programs: Programs
) -> None:
    write(*(source for source in ALL if source != PATCH))
    programs.answer("nix-build", {"fetchpatch": f"|{mismatch(fake_hash(PATCH), NIXPKGS_FAKE)}"})
    result = tvarc("lock")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E944")
    assert PATCH not in read()


def program(programs: Programs, text: str) -> None:
    path = programs.folder / "nix-prefetch-url"
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.slow
def test_what_a_program_leaves_running_is_not_waited_for(project: Path, programs: Programs) -> None:
    """It holds the pipe open long after the hash has been printed."""
    write(*(source for source in ALL if source != FILE))
    program(
        programs,
        "import os, sys, time\n"
        f"print('{BASE32}', flush=True)\n"
        "if not os.fork():\n    os.setsid()\n    time.sleep(30)\n",
    )
    started = time.monotonic()
    assert tvarc("lock").exit_code == exits.OK
    assert time.monotonic() - started < 20
    assert FILE in read()


@pytest.mark.slow
def test_of_what_a_program_prints_little_is_kept(project: Path, programs: Programs) -> None:
    write(*(source for source in ALL if source != FILE))
    program(
        programs,
        "import sys\nfor _ in range(64):\n"
        "    sys.stderr.write('x' * (1 << 20))\n    sys.stdout.write('y' * (1 << 20) + '\\n')\n"
        f"print('{BASE32}')\n",
    )
    tracemalloc.start()
    assert tvarc("lock").exit_code == exits.OK
    assert tracemalloc.get_traced_memory()[1] < 32 << 20
    tracemalloc.stop()
    assert FILE in read()


@pytest.mark.slow
def test_a_build_that_reports_another_hash_is_not_believed(
    project: Path, programs: Programs
) -> None:
    write(*(source for source in ALL if source != PATCH))
    programs.answer("nix-build", {"fetchpatch": f"|{mismatch(NIXPKGS_FAKE, GOOD)}"})
    result = tvarc("lock")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E944")
    assert PATCH not in read()


def test_without_nix(project: Path, programs: Programs) -> None:
    result = tvarc("lock", code=exits.FAILED)
    assert told(result.stderr, "E944") == 6
    assert "`nix-prefetch-url` is not installed" in result.stderr
    assert not Path("tvar.lock").exists()


def test_another_place_states_a_different_hash(project: Path, programs: Programs) -> None:
    text = PROGRAM.replace("stated.tar.gz", "file.tar.gz")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    write(*(source for source in ALL if source != FILE))
    programs.answer("nix-prefetch-url", {"https": BASE32})
    result = tvarc("lock", code=exits.FAILED)
    assert told(result.stderr, "E942") and GOOD in result.stderr and SRI in result.stderr
    assert FILE not in read()


def test_check_runs_and_writes_nothing(project: Path, programs: Programs) -> None:
    write(PLAIN)
    result = tvarc("lock", "--check", code=exits.STALE)
    assert result.stdout.endswith("5 sources not locked\n")
    assert list(read()) == [PLAIN]
    write(*ALL)
    assert tvarc("lock", "--check").exit_code == exits.OK
    assert programs.calls() == []


def test_unused_entries_are_named_and_removed_on_request(project: Path, programs: Programs) -> None:
    old = Fetched("file", (("url", "https://example.org/old"),))
    write(*ALL, old)
    result = tvarc("lock")
    assert "unused: file https://example.org/old\n" in result.stdout
    assert old in read()
    result = tvarc("lock", "--prune")
    assert "1 removed" in result.stdout
    assert set(read()) == set(ALL)


def test_a_garbled_lock_is_left_alone(project: Path, programs: Programs) -> None:
    Path("tvar.lock").write_text("version = 1\n<<<<<<<\n", encoding="utf-8")
    result = tvarc("lock")
    assert result.exit_code == exits.FAILED and "tvar.lock:2:1" in result.stderr
    assert Path("tvar.lock").read_text(encoding="utf-8") == "version = 1\n<<<<<<<\n"


def test_a_program_with_errors_is_not_locked(project: Path, programs: Programs) -> None:
    Path("variants.tvar").write_text(PROGRAM + "let x = nobody\n", encoding="utf-8")
    assert tvarc("lock").exit_code == exits.FAILED
    assert programs.calls() == []


def test_a_lock_that_cannot_be_written(project: Path, programs: Programs) -> None:
    programs.answer("nix-prefetch-url", {"https": BASE32})
    programs.answer("nix-build", {})
    Path("tvar.lock").mkdir()
    result = tvarc("lock", code=exits.FAILED)
    assert told(result.stderr, "E943") or told(result.stderr, "E802")
    assert list(Path("tvar.lock").iterdir()) == []


def test_programs_read_the_diagnostics(project: Path, programs: Programs) -> None:
    result = tvarc("lock", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert lines or json.loads(result.stdout)


# --- the log -------------------------------------------------------------------------------------


def from_log(text: str) -> tuple[int, str, str]:
    Path("build.log").write_text(text, encoding="utf-8")
    result = tvarc("lock", "--from-log", "build.log")
    return result.exit_code, result.stdout, result.stderr


def test_a_log_names_the_source_by_its_fake_hash(project: Path) -> None:
    log = "".join(mismatch(fake_hash(source), GOOD) for source in (PLAIN, DEEP))
    code, out, err = from_log(f"building…\n{log}error: 1 dependency failed\n")
    assert (code, err) == (exits.OK, "")
    assert {source: entry.hash for source, entry in read().items()} == {PLAIN: GOOD, DEEP: GOOD}
    assert {entry.by for entry in read().values()} == {"log"}
    assert (
        f"own/plain 0182a361324364ae3f436a63005877674cf45efb\nline 2 of the log: source\n{GOOD}\n"
        in out
    )


@pytest.mark.parametrize("got", [fake_hash(FILE), fake_hash(PLAIN), NIXPKGS_FAKE])
def test_a_fake_hash_in_a_log_is_not_taken(project: Path, got: str) -> None:
    code, _, err = from_log(mismatch(fake_hash(FILE), got))
    assert code == exits.FAILED and told(err, "E945") == 1
    assert "the log has a fake hash for file https://" in err
    assert not Path("tvar.lock").exists()


def test_the_log_of_a_pipe(project: Path) -> None:
    from typer.testing import CliRunner

    from tvarc.commands.start.app import app

    log = mismatch(fake_hash(FILE), GOOD).encode()
    result = CliRunner().invoke(app, ["lock", "--from-log", "-"], input=log)
    assert result.exit_code == exits.OK
    assert read()[FILE].hash == GOOD


@pytest.mark.slow
def test_an_input_that_is_closed(project: Path) -> None:
    result = spawn("lock", "--from-log", "-", cwd=project, shell="<&-", code=exits.FAILED)
    assert told(result.stderr.decode(), "E945") == 1
    assert b"the input is closed" in result.stderr


@pytest.mark.parametrize(
    "dress",
    [
        lambda line: line,
        lambda line: f"2026-02-03T10:11:12.1234567Z {line}",
        lambda line: f"torch> {line}",
        lambda line: f"\x1b[31;1m{line}\x1b[0m\r",
        lambda line: line.replace("specified", "wanted"),
        lambda line: line.replace("specified", "likely URL: https://example.org/\n specified"),
    ],
)
def test_dressed_logs(project: Path, dress: object) -> None:
    assert callable(dress)
    log = "\n".join(dress(line) for line in mismatch(fake_hash(FILE), GOOD).split("\n"))
    code, _, err = from_log(log)
    assert (code, err) == (exits.OK, "")
    assert read()[FILE].hash == GOOD


def test_a_tarball_is_reported_by_its_address_in_base_32(project: Path) -> None:
    url = "https://example.org/nixpkgs.tar.gz"
    log = (
        f"error: hash mismatch in file downloaded from '{url}':\n"
        f"         specified: sha256:{ZERO32}\n         got:       sha256:{BASE32}\n"
    )
    code, _, err = from_log(log)
    assert (code, err) == (exits.OK, "")
    assert read()[TARBALL].hash == SRI


def test_zeros_that_may_mean_several_are_not_taken(project: Path) -> None:
    code, _, err = from_log(mismatch(NIXPKGS_FAKE, GOOD))
    assert code == exits.FAILED
    assert (
        told(err, "E945")
        and "own/plain 0182a361324364ae3f436a63005877674cf45efb" in err
        and "own/tagged v1" in err
    )
    assert not Path("tvar.lock").exists()
    code, _, err = from_log(mismatch(NIXPKGS_FAKE, GOOD, "file.tar.gz"))
    assert (code, err) == (exits.OK, "")
    assert read()[FILE].hash == GOOD


def test_two_hashes_for_one_source_are_not_taken(project: Path) -> None:
    log = mismatch(fake_hash(FILE), GOOD) + mismatch(fake_hash(FILE), OTHER)
    code, _, err = from_log(log + mismatch(fake_hash(PLAIN), GOOD))
    assert code == exits.FAILED
    assert told(err, "E945") and GOOD in err and OTHER in err
    assert list(read()) == [PLAIN]


@pytest.mark.parametrize("wanted", [OTHER, fake_hash(FILE)])
def test_a_locked_source_that_changed_is_an_alarm(project: Path, wanted: str) -> None:
    write(FILE)
    code, _, err = from_log(mismatch(wanted, GOOD))
    assert code == exits.FAILED
    assert told(err, "E942") and GOOD in err and OTHER in err
    assert read()[FILE].hash == OTHER


def test_a_stated_source_that_changed_is_an_alarm(project: Path) -> None:
    code, _, err = from_log(mismatch(GOOD, OTHER))
    assert code == exits.FAILED and told(err, "E942")
    assert not Path("tvar.lock").exists()


def test_what_changes_no_entry_does_not_touch_the_file(project: Path, programs: Programs) -> None:
    write(*ALL)
    own = "# ours\r\n" + Path("tvar.lock").read_text().replace("\n\n", "\n\n# kept\n")
    Path("tvar.lock").write_bytes(own.encode())
    for words in ((), ("--prune",), ("--check",)):
        assert tvarc("lock", *words).exit_code == exits.OK
    assert from_log(mismatch(OTHER, GOOD))[0] == exits.FAILED
    assert Path("tvar.lock").read_bytes() == own.encode()


def test_a_log_of_others(project: Path) -> None:
    code, _, err = from_log(mismatch(f"sha256-{'B' * 43}=", GOOD, "other"))
    assert code == exits.FAILED and told(err, "E945") and "other" in err
    code, _, err = from_log("all went well\n")
    assert code == exits.FAILED and told(err, "E945")
    torn = mismatch(fake_hash(FILE), GOOD).partition("got")[0] + mismatch(fake_hash(PLAIN), OTHER)
    assert from_log(torn)[0] == exits.OK
    assert list(read()) == [PLAIN]
    result = tvarc("lock", "--from-log", "nowhere.log")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E945")


def test_a_tarball_of_a_flake_is_taken_whichever_way_round_its_hashes_are(project: Path) -> None:
    """Some versions of Nix print what they found as what they expected."""
    fake = fake_hash(TARBALL)
    for first, second in ((fake, GOOD), (GOOD, fake)):
        Path("tvar.lock").unlink(missing_ok=True)
        code, _, err = from_log(
            "error: NAR hash mismatch in input 'github:a/b', "
            f"expected '{first}' but got '{second}'\n"
        )
        assert (code, err) == (exits.OK, "")
        assert read()[TARBALL].hash == GOOD
    # Of a hash that is known, too: the other one is the new one.
    for first, second in ((GOOD, OTHER), (OTHER, GOOD)):
        write(TARBALL, hash=GOOD)
        code, _, err = from_log(
            f"NAR hash mismatch in input 'x', expected '{first}' but got '{second}'\n"
        )
        assert code == exits.FAILED and told(err, "E942")
        assert f"known: {GOOD}" in err and f"new:   {OTHER}" in err
        assert read()[TARBALL].hash == GOOD


def test_zeros_with_an_address_are_certain(project: Path) -> None:
    """Lix tells the address of what it fetched."""
    head = f"error: hash mismatch in fixed-output derivation '/nix/store/{'a' * 32}-source.drv':\n"
    rest = f"  specified: {NIXPKGS_FAKE}\n  got: {GOOD}\n"
    url = "https://github.com/own/tagged/archive/refs/tags/v1.tar.gz"
    code, _, err = from_log(f"{head}  likely URL: {url}\n{rest}")
    assert (code, err) == (exits.OK, "")
    assert list(read()) == [TAGGED]
    code, _, err = from_log(f"{head}  likely URL: (unknown)\n{rest}")
    assert code == exits.FAILED and told(err, "E945")
    code, _, err = from_log(f"{head}  likely URL: https://github.com/own/other/x.tar.gz\n{rest}")
    assert code == exits.FAILED and "own/other" not in Path("tvar.lock").read_text()


def test_a_fake_hash_that_is_stated_is_told_where(project: Path) -> None:
    text = PROGRAM.replace(GOOD, NIXPKGS_FAKE)
    Path("variants.tvar").write_text(text, encoding="utf-8")
    assert "stated.tar.gz is built with a fake hash" in tvarc("check").stderr
    assert "stated.tar.gz is not locked" in tvarc("build", "--locked").stderr
    code, _, err = from_log(mismatch(NIXPKGS_FAKE, GOOD, "stated.tar.gz"))
    assert code == exits.FAILED and told(err, "E945") == 1
    assert "variants.tvar:22" in err and GOOD in err and "`hash = unlocked`" in err
    assert not Path("tvar.lock").exists()


def test_what_is_still_to_be_done_is_told(project: Path) -> None:
    _, out, _ = from_log(mismatch(fake_hash(FILE), GOOD))
    assert "tvar.lock: 1 source, 1 added, 5 not locked yet\n" in out


def test_a_good_log_is_no_error_where_all_is_locked(project: Path) -> None:
    write(*ALL)
    code, out, err = from_log("all went well\n")
    assert (code, out, err) == (exits.OK, "tvar.lock: 6 sources, 0 added\n", "")
    assert from_log(mismatch(f"sha256-{'B' * 43}=", GOOD, "other"))[0] == exits.FAILED


def test_torn_reports_are_named(project: Path) -> None:
    torn = mismatch(fake_hash(FILE), GOOD).partition("got")[0]
    code, _, err = from_log("building\n" + torn)
    assert code == exits.FAILED and told(err, "E945")
    assert "not used, because cut off or mixed with other reports: line 2" in err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_logs_in_other_encodings(project: Path, encoding: str) -> None:
    log = f"é\n{mismatch(fake_hash(FILE), GOOD)}"
    Path("build.log").write_bytes(log.encode(encoding))
    assert tvarc("lock", "--from-log", "build.log").exit_code == exits.OK
    assert read()[FILE].hash == GOOD


@pytest.mark.slow
def test_a_killed_lock_is_whole(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at each of its calls that change the disk, it is the old lock or the new one."""

    class Killed(BaseException):
        pass

    left = 0

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return real(*args, **options)

        return call

    log = mismatch(fake_hash(FILE), GOOD)
    kills = 0
    for before in ((), (PLAIN,)):
        for at in range(1, 6):
            Path("tvar.lock").unlink(missing_ok=True)
            if before:
                write(*before)
            left = at
            for name in ("write", "fchmod", "replace", "fsync"):
                monkeypatch.setattr(os, name, dying(getattr(os, name)))
            with suppress(Killed):
                from_log(log)
            kills += left <= 0
            monkeypatch.undo()
            monkeypatch.chdir(project)
            monkeypatch.setenv("SOURCE_DATE_EPOCH", "1770076800")
            found = set(read()) if Path("tvar.lock").exists() else set()
            assert found in (set(before), {*before, FILE})
            assert tvarc("lock", "--from-log", "build.log").exit_code in (exits.OK, exits.FAILED)
            assert set(read()) == {*before, FILE}
            assert [one.name for one in project.iterdir() if one.name.startswith(".tvarc")] == []
    assert kills >= 6, "it is written beside its place, and renamed"


def test_a_lock_that_is_a_link_to_nothing(project: Path) -> None:
    Path("tvar.lock").symlink_to("elsewhere")
    code, _, err = from_log(mismatch(fake_hash(FILE), GOOD))
    assert code == exits.FAILED and "it is a link to nothing" in err
    assert not Path("elsewhere").exists()


def test_a_lock_that_is_a_link_stays_one(project: Path) -> None:
    write(PLAIN)
    Path("tvar.lock").rename("kept.lock")
    Path("tvar.lock").symlink_to("kept.lock")
    assert from_log(mismatch(fake_hash(FILE), GOOD))[0] == exits.OK
    assert Path("tvar.lock").is_symlink()
    assert set(read()) == {PLAIN, FILE}


def test_a_log_cannot_steer_the_terminal(project: Path) -> None:
    code, out, err = from_log(mismatch(fake_hash(FILE), GOOD, "x\x07\x9b31m"))
    assert code == exits.OK
    assert "\x07" not in out + err and "\x9b" not in out + err


# --- building ------------------------------------------------------------------------------------


def test_locked_builds(project: Path) -> None:
    result = tvarc("build", "--locked", code=exits.FAILED)
    assert told(result.stderr, "E941") == 6
    assert list(project.glob("*.nix")) == []
    assert tvarc("build").exit_code == exits.OK
    assert all(fake_hash(source) in (project / "hello.nix").read_text() for source in ALL)
    write(*ALL)
    assert tvarc("build", "--locked").exit_code == exits.OK
    text = (project / "hello.nix").read_text(encoding="utf-8")
    assert text.count(OTHER) == 6 and "AAAAAAAA" not in text
    assert os.listdir(project)  # noqa: PTH208


def test_the_old_entry_stays_while_the_new_one_cannot_be_had(
    project: Path, programs: Programs
) -> None:
    """Whoever goes back to the old version need not fetch it again."""
    old = Fetched("file", (("url", "https://example.org/old.tar.gz"),))
    write(old, *(source for source in ALL if source != FILE))
    programs.answer("nix-prefetch-url", {"file": "|error: no such host"})
    result = tvarc("lock", "--prune", code=exits.FAILED)
    assert old in read() and "unused: file https://example.org/old.tar.gz" in result.stdout
    programs.answer("nix-prefetch-url", {"file": BASE32})
    assert tvarc("lock", "--prune").exit_code == exits.OK
    assert old not in read() and FILE in read()


def test_the_alarm_says_how_the_old_hash_is_taken_out(project: Path) -> None:
    """To do what it says is no error."""
    text = Path("variants.tvar").read_text()
    write(Fetched("file", (("url", "https://example.org/stated.tar.gz"),)))
    result = tvarc("build", "--dry-run")
    assert told(result.stderr, "E942") == 1
    assert "in the source with `hash = unlocked`" in " ".join(result.stderr.split())
    Path("variants.tvar").write_text(text.replace(f'"{GOOD}"', "unlocked"))
    assert not told(tvarc("build", "--dry-run").stderr, "E942")


# --- what the library knows ----------------------------------------------------------------------

KNOWN = "sha256-nj2SvACFH+NERpye1kudcuygCcvnsZYv26M2+wgM5vE="  # of nixos-20_09 in std.nixpkgs


@pytest.mark.slow
@pytest.mark.parametrize("rev", ["cd63096d6d887d689543a0b97743d28995bc9bc3", "c" * 40])
@pytest.mark.parametrize("hash_", ["", ", hash = unlocked"])
def test_a_hash_that_the_library_has_is_named(
    project: Path, programs: Programs, rev: str, hash_: str
) -> None:
    """By each command that misses it. Of another commit none is named."""
    pin = f'pin nixpkgs {{ github = "NixOS/nixpkgs", rev = "{rev}"{hash_} }}\n'
    recipe = "recipe r { package = pkgs.hello }\nvariant v { recipe = r }\n"
    output = 'output nix { file = "{{variant}}.nix" }\n'
    Path("variants.tvar").write_text(pin + recipe + output, encoding="utf-8")
    programs.answer("nix-prefetch-url", {"https": "|error: no such host"})
    known = rev.startswith("cd")
    for command, code in (
        (["check"], exits.OK),  # W002, or W105
        (["build", "--locked"], exits.FAILED),  # E941
        (["lock"], exits.FAILED),  # E944
        (["lock", "--check"], exits.STALE),
    ):
        result = tvarc(*command, code=code)
        assert (KNOWN in result.stdout + result.stderr) == known, (command, result.stderr)
    Path("variants.tvar").write_text(
        pin.replace(hash_, "").replace(" }", f', hash = "{KNOWN}" }}') + recipe + output,
        encoding="utf-8",
    )
    assert tvarc("lock", "--check").exit_code == exits.OK


def test_a_hash_that_no_variant_reads_is_named(here: Path) -> None:
    """The value that reads it loses: its own hash is elsewhere."""
    text = """\
let sums = {
  a = { hash = unlocked }
  b = { hash = unlocked }
}
axis n = ["a", "b"]
recipe r {
  pin = none
  package = nix\"""
    pkgs.make (pkgs.fetchurl { url = "https://a/{{n}}"; sha256 = {{sums[n].hash}}; })
  \"""
  when n == "b" {
    package = call(pkgs.make, { src = url("https://b/b", hash = unlocked) })
  }
}
matrix m { recipe = r, axes = n, name = "x-{{n}}" }
output nix { file = "{{variant}}.nix" }
"""
    (here / "variants.tvar").write_text(text, encoding="utf-8")
    lines = tvarc("lock", "--check").stdout.splitlines()
    (said,) = [line for line in lines if "no variant reads this hash" in line]
    assert "https://a/b" in said and said.endswith("(variants.tvar:3)")
    assert lines[-1] == "3 sources not locked"
