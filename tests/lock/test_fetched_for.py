"""Of a package whose attribute is left to the lock no more is built than what is fetched by it."""

from __future__ import annotations

import sys
from binascii import a2b_base64
from pathlib import Path

import pytest

from tvarc.build.lock.prefetch import FetchFailed, fetched_for, run
from tvarc.decide.lock import fake_hash
from tvarc.meaning.evaluation.fetched import Fetched

FAKE = fake_hash(Fetched("attribute", (("package", "p"), ("src", "s"), ("name", "cargoHash"))))
GOOD = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
# A stand-in for the programs of Nix: of a recipe three derivations, of which one fetches.
PROGRAM = """\
#!{python}
import pathlib, sys
here = pathlib.Path({folder!r})
with open(here / "asked", "a") as asked:
    print(*sys.argv[1:], file=asked)
name = pathlib.Path(sys.argv[0]).name
if name == "nix-instantiate":
    print(here / "recipe.drv")
elif "--query" in sys.argv:
    for one in ("source", "a.drv", "vendor.drv", "recipe.drv"):
        print(here / one)
else:
    sys.stderr.write(
        "error: hash mismatch in fixed-output derivation '/nix/store/x-vendor.drv':\\n"
        "  specified: {fake}\\n     got:    {good}\\n"
    )
    sys.exit(102)
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("nix-instantiate", "nix-store", "nix-build"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        text = PROGRAM.format(python=sys.executable, folder=str(tmp_path), fake=FAKE, good=GOOD)
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("a", "vendor", "recipe"):
        (tmp_path / f"{name}.drv").write_text("Derive([])", encoding="utf-8")
    return tmp_path


def digits() -> str:
    """The fake hash as derivations have it."""
    return a2b_base64(FAKE.partition("-")[2]).hex()


@pytest.mark.slow
def test_what_is_fetched_is_built_and_not_the_recipe(store: Path) -> None:
    (store / "vendor.drv").write_text(f'Derive([("out","","r:sha256","{digits()}")])')
    wanted = fetched_for("text", FAKE)
    assert wanted.words == ("nix-store", "--realise", str(store / "vendor.drv"))
    assert run(wanted) == GOOD
    assert "recipe.drv" not in (store / "asked").read_text().splitlines()[-1]


def test_an_attribute_that_comes_too_late_is_told(store: Path) -> None:
    """nixpkgs has taken the hash of the package itself: nothing is built for hours to find out."""
    with pytest.raises(FetchFailed, match="is fetched with this hash"):
        fetched_for("text", FAKE)
    assert "--realise" not in (store / "asked").read_text()


def test_of_a_store_elsewhere_all_is_built(store: Path) -> None:
    (store / "a.drv").unlink()
    assert fetched_for("text", FAKE).words == ("nix-build", "--no-out-link", "-E", "text")
