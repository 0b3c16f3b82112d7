"""Recipes as people wrote them by hand at each age of nixpkgs, for some settings of `ages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from support.ages import HASH, MARK, MEMBERS, PIN_HASH, REV, settings


def by_hand(release: str) -> dict[str, str]:
    """Nix text by the name of a setting: the same build, in the idiom of *release*."""
    return {
        name: _recipe(name, changes, overlays)
        for name, (changes, overlays) in _written(release).items()
    }


def _recipe(name: str, changes: str, overlays: str) -> str:
    package = settings()[name].package
    changed = f".overrideAttrs (old: {{ {changes} }})" if changes else ""
    return f"""
{{ pkgs }}:
let
  nixpkgs = builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{REV}.tar.gz";
    sha256 = "{PIN_HASH}";
  }};
  p = import nixpkgs {{
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {{ allowUnfree = true; allowBroken = true; }};
    overlays = [ {overlays} ];
  }};
in
p.{package}{changed}
"""


_SCRIPT: Final = f"(old.preConfigure or \"\") + ''\n  echo {MARK}\n''"


def _written(release: str) -> Mapping[str, tuple[str, str]]:
    git = "hash" if release >= "22.05" else "sha256"
    patch = git
    tag = 'tag = "v1"' if release >= "25.05" else 'rev = "refs/tags/v1"'
    variable = (
        f'env = (old.env or {{ }}) // {{ {MARK} = "1"; }};'
        if release >= "23.05"
        else f'{MARK} = "1";'
    )
    source = f'owner = "a"; repo = "{MARK}";'
    fetched = f'url = "https://e.org/{MARK}.patch"; {patch} = "{HASH}";'
    patched = f"patches = (old.patches or [ ]) ++ [ (final.fetchpatch {{ {fetched} }}) ];"
    found = {
        "attr": (f'{MARK} = "1";', ""),
        "list": (f'buildFlags = (old.buildFlags or [ ]) ++ [ "{MARK}" ];', ""),
        "script": (f"preConfigure = {_SCRIPT};", ""),
        "env": (variable, ""),
        "env-of-python": (variable, ""),
        "github-tag": (f'src = p.fetchFromGitHub {{ {source} {tag}; hash = "{HASH}"; }};', ""),
        "github-rev": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; hash = "{HASH}"; }};',
            "",
        ),
        "github-tag-submodules": (
            f"src = p.fetchFromGitHub {{ {source} {tag}; fetchSubmodules = true; "
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "github-rev-submodules": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; fetchSubmodules = true; '
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "url": (
            f'src = p.fetchurl {{ url = "https://e.org/{MARK}.tar.gz"; hash = "{HASH}"; }};',
            "",
        ),
        "patch-url": ("", _top("hello", patched)),
        "patch-file": (
            "",
            _top("hello", f"patches = (old.patches or [ ]) ++ [ ./{MARK}.patch ];"),
        ),
        "patch-url-python": ("", _python(release, patched)),
    }
    for name, package in MEMBERS.items():
        for kind, change in (("", f'{MARK} = "1";'), ("-env", variable)):
            overlay = (
                _python(release, change)
                if name == "python"
                else _set(release, name, package, change)
            )
            found[f"for-{name}{kind}"] = ("", overlay)
    return found


def _change(package: str, change: str) -> str:
    return f"{package}.overrideAttrs (old: {{ {change} }})"


def _top(package: str, change: str) -> str:
    return f"(final: prev: {{ {package} = {_change(f'prev.{package}', change)}; }})"


def _python(release: str, change: str) -> str:
    extension = f"(f: p: {{ numpy = {_change('p.numpy', change)}; }})"
    if release >= "22.11":
        return f"""(final: prev: {{
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [ {extension} ];
        }})"""
    # The interpreter that python3 is, at these ages.
    interpreter = "python39" if release >= "21.11" else "python38"
    return f"""(final: prev: {{
      {interpreter} = prev.{interpreter}.override {{
        packageOverrides = {extension};
        self = final.{interpreter};
      }};
    }})"""


def _set(release: str, name: str, package: str, change: str) -> str:
    path, _, member = package.rpartition(".")
    if not path:
        return _top(package, change)
    function = f"(f: p: {{ {member} = {_change(f'p.{member}', change)}; }})"
    alone = f"{{ {member} = {_change(f'prev.{package}', change)}; }}"
    scope = "overrideScope" if release >= "23.11" else "overrideScope'"
    match name:
        case "perl":
            method = (
                f"overrideScope {function}"
                if release >= "23.05"
                else (f"override {{ overrides = _: {alone}; }}")
            )
        case "lua":
            method = f"overrideScope {function}" if release >= "22.11" else f"extend {function}"
        case "llvm" | "llvm-libraries" if release >= "26.05":
            method = f"overrideScope {function}"
        case "ocaml" | "qt":
            method = f"{scope} {function}"
        case "r":
            method = f"override {{ overrides = {alone}; }}"
        case "beam":
            return f"""(final: prev: {{
              beam = prev.beam // {{
                packages = prev.beam.packages // {{
                  erlang = prev.{path}.extend {function};
                }};
              }};
            }})"""
        case "haskell" | "linux":
            method = f"extend {function}"
        case _:
            return f"(final: prev: {{ {path} = prev.{path} // {alone}; }})"
    return f"(final: prev: {{ {path} = prev.{path}.{method}; }})"
