"""An audit reads the forms that recipes have for nixpkgs of each age."""

from __future__ import annotations

import pytest

from support.alone import emit, one_by_one
from support.compile import compile_text, messages
from tvarc.byhand.audit.model import RecipeFacts
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.shared import RecipeParser

OVERLAYS = """
overlay py for python3Packages.numpy { doCheck = false }
overlay qt for qt5.qtbase { doCheck = false }
overlay perl for perlPackages.XMLParser { doCheck = false }
overlay cuda for cudaPackages.nccl { doCheck = false }
overlay gst for gst_all_1.gstreamer { doCheck = false }
overlay r for rPackages.Rcpp { doCheck = false }
overlay lua for luaPackages.lpeg { doCheck = false }
overlay hi for hello { doCheck = false }
"""


def read(stated: str) -> RecipeFacts:
    made = compile_text(f"""
{OVERLAYS}
pin p {{
  github = "NixOS/nixpkgs", rev = "cd63096d6d887d689543a0b97743d28995bc9bc3"
  hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
  {stated}
}}
recipe r1 {{
  package  = pkgs.hello
  overlays = [py, qt, perl, cuda, gst, r, lua, hi]
  attrs {{ doCheck = true, version = "2" }}
}}
variant v {{ recipe = r1 }}
output nix {{ file = "v.nix" }}
""")
    files = list(emit(one_by_one(made), made.file))
    assert not made.sink.has_errors, messages(made)
    return read_facts(RecipeParser(), files[0].text)


@pytest.mark.slow
@pytest.mark.parametrize("stated", ["release = 20.09", "release = 23.05", "release = 26.05", ""])
def test_each_overlay_is_understood(stated: str) -> None:
    pytest.importorskip("tree_sitter_nix")
    facts = read(stated)
    assert facts.gaps == ()
    assert set(facts.effects) == {
        "pythonPackages.numpy: doCheck",
        "qt5.qtbase: doCheck",
        "perlPackages.XMLParser: doCheck",
        "cudaPackages.nccl: doCheck",
        "gst_all_1.gstreamer: doCheck",
        "rPackages.Rcpp: doCheck",
        "luaPackages.lpeg: doCheck",
        "hello: doCheck",
    }
    assert facts.package is not None and facts.package.value == "hello"
    assert facts.settings["attrs.version"].value == "2"
