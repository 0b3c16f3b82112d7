"""Programs for the tests of lints, and what the lints say of them."""

from __future__ import annotations

from support.compile import codes, compile_text, messages
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Diagnostic

REV = "0182a361324364ae3f436a63005877674cf45efb"  # Torch 2.9.1, cuDNN at least 9.13.0
OLDER = "fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3"  # Torch 2.8.0, TorchVision 0.23.0
STRANGE = "ffffffffffffffffffffffffffffffffffffffff"  # nobody knows it
HASH = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
UNKNOWN = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="  # of no commit


def pin(rev: str = REV, config: str = "cudaSupport = true") -> str:
    """A pin with a hash and *config*."""
    hash = HASH if rev == REV else UNKNOWN
    return (
        f'pin p {{ github = "NixOS/nixpkgs", rev = "{rev}", hash = "{hash}"\n'
        f"config {{ {config} }} }}\n"
    )


def build(body: str, package: str = "pkgs.python3Packages.torch") -> str:
    """One variant of a recipe with *body*."""
    return f"recipe r {{ package = {package}\n{body}\n}}\nvariant v {{ recipe = r }}\n"


def cuda_set(name: str) -> str:
    """An overlay that chooses the CUDA set *name*; recipes list it as `kit`."""
    return f"overlay kit {{ cudaPackages = final.{name} }}\n"


def said(text: str) -> list[Diagnostic]:
    """What lints say of the program *text*, which has no error."""
    compilation = compile_text(text)
    compilation.recipes()
    assert codes(compilation) == [], messages(compilation)
    return [item for item in compilation.diagnostics if item.name in LINTS]


def names(text: str) -> list[str]:
    return [item.name for item in said(text)]


def about(text: str, name: str) -> list[Diagnostic]:
    """What the lint *name* says of the program *text*."""
    return [item for item in said(text) if item.name == name]


def told(text: str, name: str) -> str:
    """The notes of the one message of the lint *name*."""
    (item,) = about(text, name)
    return "\n".join(item.notes)
