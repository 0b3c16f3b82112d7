"""Real Nix as judge: hashes that it finds, reports that it writes, and pure evaluation."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from lock.programs import told
from support.command import ROOT, tvarc
from tvarc.build.lock.log import mismatches
from tvarc.commands.line import exits
from tvarc.decide.lock import fake_hash
from tvarc.meaning.evaluation.fetched import Fetched


def has_programs() -> bool:
    """Whether the Nix on the path can build and prefetch; where all is meant to run, it has to."""
    wanted = ("nix-instantiate", "nix-build", "nix-prefetch-url")
    return all(map(shutil.which, wanted)) or bool(os.environ.get("CI"))


pytestmark = [
    pytest.mark.nix,
    pytest.mark.skipif(not has_programs(), reason="Nix is not installed"),
]

# A small nixpkgs. A builder of Nix itself fetches, here: it needs no shell, sandbox or build hook.
NIXPKGS = """\
{ system ? builtins.currentSystem, config, overlays }:
let
  fetch = name: { hash, url, unpack ? false }: derivation {
    inherit name url unpack;
    builder = "builtin:fetchurl";
    system = "builtin";
    executable = unpack;
    preferLocalBuild = true;
    outputHash = hash;
    outputHashMode = if unpack then "recursive" else "flat";
  };
  crate = attrs: attrs // {
    overrideAttrs = change: crate (attrs // change attrs);
    vendor = fetch "vendor" { url = attrs.vendored; hash = attrs.cargoHash; };
  };
  make = attrs: attrs // { overrideAttrs = change: make (attrs // change attrs); };
in
builtins.foldl' (all: overlay: all // overlay all all) {
  lib = {
    inherit (builtins) functionArgs;
    remove = one: builtins.filter (each: each != one);
    toList = one: if builtins.isList one then one else [ one ];
    trivial.release = "26.05";
  };
  fetchurl = { url, sha256 ? null, hash ? sha256 }: fetch (baseNameOf url) { inherit url hash; };
  fetchpatch = { url, sha256 ? null, hash ? sha256, relative ? null, ... }:
    fetch "a.patch" { inherit url hash; };
  fetchtool = { address, sha256 }: fetch "tool" { url = address; hash = sha256; };
  crate = crate { name = "crate"; };
  hello = make { name = "hello"; patches = [ ]; };
} overlays
"""

PROGRAM = """\
pin nixpkgs {
  url = "ADDRESS/nixpkgs.tar.gz"
  hash = unlocked
}
patch fix for hello { url = "ADDRESS/a.patch", hash = unlocked }
recipe base {
  package  = pkgs.hello
  attrs { src = url("ADDRESS/source.tar.gz", hash = unlocked) }
}
variant hello { recipe = base }
output nix { file = "{{variant}}.nix" }
"""
PATCHED = PROGRAM.replace("package ", "overlays = [fix]\n  package ").replace(
    "attrs { src = url", 'attrs { src = nix"""(builtins.head old.patches)""", second = url'
)


class RealNix:
    """Nix with a store of its own below a folder, no network and no helpers."""

    def __init__(self, folder: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NIX_")}
        self.environment = {
            **kept,
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "NIX_REMOTE": str(folder / "store"),
            "NIX_CONF_DIR": str(ROOT / ".ci"),
            # A store below a folder has a sandbox whatever is set. Only builders of Nix itself run
            # here, which need no shell: with none in it, no busybox has to be there.
            "NIX_CONFIG": "sandbox = false\nsandbox-paths =",
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    @contextmanager
    def around(self) -> Iterator[None]:
        """Within, what this process starts has this Nix."""
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


@pytest.fixture
def nix(tmp_path: Path) -> RealNix:
    return RealNix(tmp_path)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the project's files are served: a builder sees no other file of this machine."""
    (tmp_path / "project").mkdir()
    handler = partial(Quiet, directory=str(tmp_path / "project"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def project(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "nixpkgs").mkdir()
    (folder / "nixpkgs" / "default.nix").write_text(NIXPKGS, encoding="utf-8")
    (folder / "a.patch").write_text("--- a\n+++ b\n", encoding="utf-8")
    for name, inner in (("nixpkgs", "nixpkgs"), ("source", "a.patch")):
        with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as tar:
            tar.add(folder / inner, arcname="top" if inner == "nixpkgs" else "top/a.patch")
    monkeypatch.chdir(folder)
    program(folder, address, PROGRAM.replace("patch fix", "# patch fix"))
    return folder


def program(folder: Path, address: str, text: str) -> None:
    (folder / "variants.tvar").write_text(text.replace("ADDRESS", address), encoding="utf-8")


def evaluated(nix: RealNix, recipe: Path, *options: str) -> tuple[int, str]:
    """The recipe itself as an expression: pure evaluation reads no file by its path."""
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    text = f"(({recipe.read_text(encoding='utf-8')}) {system}).src.drvPath"
    done = nix.run("nix-instantiate", "--eval", *options, "--expr", text)
    return done.returncode, done.stdout + done.stderr


PURE = ("--option", "pure-eval", "true")


@pytest.mark.slow
def test_a_locked_recipe_is_valid_in_pure_evaluation(
    project: Path, address: str, nix: RealNix
) -> None:
    program(
        project, address, (project / "variants.tvar").read_text().replace("  hash = unlocked\n", "")
    )
    assert tvarc("build").exit_code == exits.OK
    code, said = evaluated(nix, project / "hello.nix", *PURE)
    assert code != 0 and "pure" in said  # without a hash it is not
    with nix.around():
        result = tvarc("lock")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert tvarc("build", "--locked").exit_code == exits.OK
    code, said = evaluated(nix, project / "hello.nix", *PURE)
    assert code == 0 and ".drv" in said, said
    restricted = ("--option", "restrict-eval", "true", "--option", "allowed-uris", "http:")
    code, said = evaluated(nix, project / "hello.nix", *PURE, *restricted)
    assert code == 0, said


@pytest.mark.slow
def test_what_is_locked_is_what_the_recipe_fetches(project: Path, nix: RealNix) -> None:
    with nix.around():
        assert tvarc("lock").exit_code == exits.OK
    assert tvarc("build", "--locked").exit_code == exits.OK
    text = (project / "hello.nix").read_text(encoding="utf-8")
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    done = nix.run("nix-build", "--no-out-link", "--expr", f"(({text}) {system}).src")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_fetcher_of_the_pin_finds_the_hash_of_a_patch(
    project: Path, address: str, nix: RealNix
) -> None:
    program(project, address, PATCHED)
    with nix.around():
        result = tvarc("lock")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert 'by = "nix-build"' in (project / "tvar.lock").read_text(encoding="utf-8")
    assert tvarc("build", "--locked").exit_code == exits.OK
    text = (project / "hello.nix").read_text(encoding="utf-8")
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    for part in ("src", "second"):
        done = nix.run("nix-build", "--no-out-link", "--expr", f"(({text}) {system}).{part}")
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_reports_of_this_nix_are_read(project: Path, address: str, nix: RealNix) -> None:
    """Round by round: the pin is fetched first, then what it fetches."""
    tarball = Fetched("tarball", (("url", f"{address}/nixpkgs.tar.gz"),))
    file = Fetched("file", (("url", f"{address}/source.tar.gz"),))
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    for source in (tarball, file):
        assert tvarc("build").exit_code == exits.OK
        text = (project / "hello.nix").read_text(encoding="utf-8")
        done = nix.run("nix-build", "--no-out-link", "--expr", f"(({text}) {system}).src")
        assert done.returncode != 0
        assert len(mismatches(done.stderr)) == 1, done.stderr
        (report,) = mismatches(done.stderr)
        assert report.wanted == fake_hash(source)
        (project / "build.log").write_text(done.stderr, encoding="utf-8")
        result = tvarc("lock", "--from-log", "build.log")
        assert (result.exit_code, result.stderr) == (exits.OK, "")
        assert report.got in result.stdout
    assert tvarc("build", "--locked").exit_code == exits.OK
    text = (project / "hello.nix").read_text(encoding="utf-8")
    done = nix.run("nix-build", "--no-out-link", "--expr", f"(({text}) {system}).src")
    assert done.returncode == 0, done.stderr
    # What stands behind the address is changed: an alarm, and the lock stays as it is.
    before = (project / "tvar.lock").read_bytes()
    (project / "source.tar.gz").write_bytes(b"other")
    other = RealNix(project.parent / "other")
    (project.parent / "other").mkdir()
    done = other.run("nix-build", "--no-out-link", "--expr", f"(({text}) {system}).src")
    (project / "build.log").write_text(done.stderr, encoding="utf-8")
    result = tvarc("lock", "--from-log", "build.log")
    assert result.exit_code == exits.FAILED and told(result.stderr, "E942")
    assert (project / "tvar.lock").read_bytes() == before


@pytest.mark.slow
def test_several_reports_of_one_build_are_taken_at_once(
    project: Path, address: str, nix: RealNix
) -> None:
    """The pin first, then all that it fetches; after that the build is good, and pure."""
    program(project, address, PATCHED)
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    for added in (1, 2):
        assert tvarc("build").exit_code == exits.OK
        assert tvarc("build", "--locked").exit_code == exits.FAILED
        text = (project / "hello.nix").read_text(encoding="utf-8")
        both = f"let r = ({text}) {system}; in [ r.src r.second ]"
        done = nix.run("nix-build", "--no-out-link", "--keep-going", "--expr", both)
        assert done.returncode != 0 and done.stderr.count("hash mismatch in") == added
        (project / "build.log").write_text(done.stderr, encoding="utf-8")
        result = tvarc("lock", "--from-log", "build.log")
        assert (result.exit_code, result.stderr) == (exits.OK, "")
        assert f", {added} added" in result.stdout
    assert tvarc("build", "--locked").exit_code == exits.OK
    text = (project / "hello.nix").read_text(encoding="utf-8")
    both = f"let r = ({text}) {system}; in [ r.src r.second ]"
    done = nix.run("nix-build", "--no-out-link", *PURE, "--expr", both)
    assert done.returncode == 0, done.stderr


CALLED = PROGRAM.replace("patch fix", "# patch fix").replace(
    "attrs { src = url",
    'attrs { third = call(pkgs.fetchtool, { address = "ADDRESS/a.patch", sha256 = unlocked }), '
    "src = url",
)
CRATE = PROGRAM.replace("patch fix", "# patch fix").replace(
    "pkgs.hello\n  attrs { ",
    'pkgs.crate\n  attrs { vendored = "ADDRESS/a.patch", cargoHash = unlocked, ',
)
# The hash is in a record, and Nix text reads it.
TEXT = PROGRAM.replace("patch fix", "let hashes = { tool = unlocked }\n# patch fix").replace(
    "attrs { src = url",
    'attrs { third = nix"""pkgs.fetchtool { address = "ADDRESS/a.patch"; '
    'sha256 = {{hashes.tool}}; }""", src = url',
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "part"), [(CALLED, "third"), (CRATE, "vendor"), (TEXT, "third")]
)
def test_the_hash_of_what_a_function_or_a_package_fetches(
    project: Path, address: str, nix: RealNix, text: str, part: str
) -> None:
    """The pin and the source are locked in the same run, and so the builds have their hashes."""
    program(project, address, text)
    with nix.around():
        result = tvarc("lock")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert "tvar.lock: 3 sources, 3 added" in result.stdout
    assert tvarc("lock", "--check").stdout == "0 sources not locked\n"
    assert tvarc("build", "--locked").exit_code == exits.OK
    recipe = (project / "hello.nix").read_text(encoding="utf-8")
    system = '{ pkgs = { stdenv.hostPlatform.system = "x86_64-linux"; }; }'
    done = nix.run("nix-build", "--no-out-link", "--expr", f"(({recipe}) {system}).{part}")
    assert done.returncode == 0, done.stderr


def test_what_nix_says_is_told(project: Path, nix: RealNix) -> None:
    os.remove(project / "source.tar.gz")  # noqa: PTH107
    with nix.around():
        result = tvarc("lock")
    assert result.exit_code == exits.FAILED
    assert told(result.stderr, "E944") and "unable to download" in result.stderr


SHARED = """\
language 1
input more { url = "ADDRESS/more.tar.gz", hash = unlocked }
use "more.tvar" from more
recipe base { package = pkgs.hello, pin = none, attrs { x = word } }
"""
WITH_MODULES = """\
input recipes { url = "ADDRESS/recipes.tar.gz", hash = unlocked }
use "shared.tvar" from recipes
recipe r extends base { attrs { y = 1 } }
variant v { recipe = r }
output nix { file = "{{variant}}.nix" }
"""


@pytest.mark.slow
def test_modules_are_fetched_by_lock_alone(project: Path, address: str, nix: RealNix) -> None:
    """A module of an input, which takes one from another input. What is fetched is read from the
    store, and another content is refused."""
    for name, file, text in (
        ("recipes", "shared.tvar", SHARED.replace("ADDRESS", address)),
        ("more", "more.tvar", 'let word = "of the second"\n'),
    ):
        (project / file).write_text(text, encoding="utf-8")
        with tarfile.open(project / f"{name}.tar.gz", "w:gz") as tar:
            tar.add(project / file, arcname=f"top/{file}")
        (project / file).unlink()
    program(project, address, WITH_MODULES)
    with nix.around():
        assert told(tvarc("build").stderr, "E213") == 1
        assert tvarc("lock", "--check").exit_code == exits.STALE
        assert not (project / "tvar.lock").exists()
        locked = tvarc("lock")
        assert (locked.exit_code, locked.stderr) == (exits.OK, "")
        assert "2 sources, 2 added" in locked.stdout
        assert tvarc("build", "--locked").exit_code == exits.OK
        assert 'x = "of the second";' in (project / "v.nix").read_text(encoding="utf-8")
        assert "more/more.tvar:1" in tvarc("explain", "v", "attrs.x").stdout
        assert "unused" not in tvarc("lock", "--prune").stdout
        # The content is gone from the store, and the address has another one.
        store = Path(nix.environment["NIX_REMOTE"]) / "nix" / "store"
        (path,) = [one for one in store.glob("*-source") if (one / "more.tvar").exists()]
        nix.run("nix-store", "--delete", f"/nix/store/{path.name}")
        assert told(tvarc("list").stderr, "E213") == 1
        unread = tvarc("lock", "--check", code=exits.UNJUDGED)
        assert told(unread.stderr, "E213") == 1
        (project / "more.tvar").write_text("let word = 2\n", encoding="utf-8")
        with tarfile.open(project / "more.tar.gz", "w:gz") as tar:
            tar.add(project / "more.tvar", arcname="top/more.tvar")
        refused = tvarc("lock", code=exits.FAILED)
        assert "hash mismatch" in refused.stderr


BUMPED = WITH_MODULES.replace("recipes.tar.gz", f"{'1' * 40}.tar.gz")
MODULE = "recipe base { package = pkgs.hello, pin = none, attrs { x = WORD } }\n"


@pytest.mark.slow
def test_a_bump_fetches_the_modules_of_the_new_commit(
    project: Path, address: str, nix: RealNix
) -> None:
    """So it says which variants change. Without a network, it says what to run."""
    for rev, word in (("1" * 40, "1"), ("2" * 40, "2")):
        (project / "shared.tvar").write_text(MODULE.replace("WORD", word), encoding="utf-8")
        with tarfile.open(project / f"{rev}.tar.gz", "w:gz") as tar:
            tar.add(project / "shared.tvar", arcname="top/shared.tvar")
        (project / "shared.tvar").unlink()
    program(project, address, BUMPED)
    with nix.around():
        assert tvarc("lock").exit_code == exits.OK
        tried = tvarc("bump", "input", "recipes", "2" * 40, "--dry-run")
        assert "modules of recipes: a bump without `--dry-run` fetches them" in tried.stdout
        assert "1 source, 1 added" not in tried.stdout
        assert (project / "variants.tvar").read_text(encoding="utf-8").count("2" * 40) == 0
        done = tvarc("bump", "input", "recipes", "2" * 40)
        assert (done.exit_code, done.stderr) == (exits.OK, "")
        assert "1 variant with the modules of recipes: 1 changed (v)" in done.stdout
        assert "to lock" not in done.stdout
        assert tvarc("lock", "--check").exit_code == exits.OK
        assert "x = 2" in tvarc("explain", "v", "attrs.x").stdout
        lost = tvarc("bump", "input", "recipes", "3" * 40)
        assert (lost.exit_code, lost.stderr) == (exits.OK, "")
        assert "cannot be fetched\n" in lost.stdout
        assert "run `tvarc lock`, then `tvarc diff --against HEAD`" in lost.stdout
        assert "1 source to lock" in lost.stdout
        assert tvarc("lock", "--check").exit_code == exits.STALE
