"""Lints on pins that are folders, on machines, and on overlays whose target is computed."""

from __future__ import annotations

from support.compile import compile_text, lints, messages

AXES = """
axis python { py312 { set = "python312Packages" }, py313 { set = "python313Packages" } }
axis isa = ["haswell", "skylake"]
"""
FILES = {"../nixpkgs/default.nix": ""}
OUTPUT = 'output nix { file = "{{variant}}.nix" }'


def told(program: str) -> list[str]:
    """The lints that speak: of variants one by one, and of all by what they share."""
    made = compile_text(AXES + program + OUTPUT, files=FILES)
    made.recipes()
    assert not made.sink.has_errors, messages(made)
    shared = compile_text(AXES + program + OUTPUT, files=FILES)
    for file in shared.files("input.tvar"):
        file.data()
    assert messages(shared) == messages(made)
    return lints(made)


MACHINES = """
pin p {{ path = "../nixpkgs", {systems} }}
recipe r {{ package = pkgs.hello }}
matrix m {{ recipe = r, axes = isa, name = "h-{{{{isa}}}}" }}
"""


def test_a_folder_needs_no_hash_and_machines_are_part_of_a_build() -> None:
    assert told(MACHINES.format(systems="localSystem { gcc.arch = isa }")) == []
    assert told(MACHINES.format(systems='crossSystem { system = "x86_64-linux", a = isa }')) == []
    # The one that is the same for both leaves them one build.
    assert told(MACHINES.format(systems='localSystem { gcc.arch = "haswell" }')) == ["same-build"]


def test_folders_are_told_apart() -> None:
    program = """
pin p { path = "../nixpkgs" }
pin q { path = "../other" }
recipe r { package = pkgs.hello, pin = if isa == "haswell" then p else q }
matrix m { recipe = r, axes = isa, name = "h-{{isa}}" }
"""
    FILES["../other/default.nix"] = ""
    assert told(program) == []


SETS = """
pin p {{ path = "../nixpkgs" }}
overlay o for pkgs[{set}].six {{ via = override, marked = true }}
recipe r {{ package = pkgs[python.set].six, overlays = [o] }}
matrix m {{ recipe = r, axes = python, name = "six-{{{{python}}}}" }}
"""


def test_the_set_of_an_overlay_is_that_of_the_cell() -> None:
    assert told(SETS.format(set="python.set")) == []
    other = 'if python == py312 then "python313Packages" else "python312Packages"'
    assert told(SETS.format(set=other)) == ["overlay-unreached"]
