"""What recipes need of others, by real Nix: it is what the other recipe builds by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nix.stacks import CALLER, SCOPE, prepared, written
from support.nix import requires_nix
from support.recipes import nix_value

# Two recipes are one derivation in each Nix or in none.
pytestmark = [pytest.mark.nix, pytest.mark.once, pytest.mark.slow, requires_nix]

AXES = """
axis release {
  torch2_9  { version = 2.9 }
  torch2_10 { version = 2.10 }
}
axis vision {
  v24 { torch = 2.9 }
  v25 { torch = 2.10 }
}
axis gpu { sm80 { capability = "8.0" }, sm90 { capability = "9.0" } }
pin p { path = "../nixpkgs" }
"""
TORCH = """
recipe torch {
  package = pkgs.python3Packages.torch
  args  { cudaSupport = false }
  attrs { pname = "torch-{{gpu}}" }
  env   { CAPABILITY = gpu.capability, RELEASE = release.version }
"""
TORCHES = """
matrix torches { recipe = torch, axes = release * gpu, name = "torch-{{release}}-{{gpu}}" }
"""
VISIONS = """
matrix visions { recipe = tv, axes = vision * gpu, name = "vision-{{vision}}-{{gpu}}" }
output o { file = "recipes/{{matrix}}/{{variant}}.nix" }
"""
LINK = "torches[release where version == vision.torch]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return prepared(tmp_path)


def called(path: str, *, by_itself: bool) -> str:
    return f"import ./{path} {{ }}" if by_itself else f"{CALLER}.callPackage ./{path} {{ }}"


def needed_and_alone(
    project: Path, paths: dict[str, str], *, by_itself: bool
) -> dict[str, tuple[str, str]]:
    """Of each vision the derivation that it needs, and that of the variant by itself."""
    pairs = []
    for name, path in paths.items():
        if name.startswith("vision"):
            release = "torch2_9" if "-v24-" in name else "torch2_10"
            torch = paths[f"torch-{release}-{name.rpartition('-')[2]}"]
            needed = f"({called(path, by_itself=by_itself)}).needed.drvPath"
            alone = f"({called(torch, by_itself=by_itself)}).drvPath"
            pairs.append(f"{json.dumps(name)} = [ ({needed}) ({alone}) ];")
    found = nix_value(f"{{ {' '.join(pairs)} }}", cwd=project)
    assert isinstance(found, dict)
    return {name: (one, other) for name, (one, other) in found.items()}


@pytest.mark.parametrize("form", ["args", "overlay", "text"])
@pytest.mark.parametrize("theirs", ["", "pin = none", "attrs { A = caller.hello }"])
@pytest.mark.parametrize("mine", ["", "pin = none"])
def test_what_is_needed_is_the_variant_by_itself(
    project: Path, mine: str, theirs: str, form: str
) -> None:
    used = {
        "args": "args { torch = needs.torch }",
        "overlay": "overlays = [with-torch]",
        "text": 'attrs { A = "{{needs.torch.out}}", B = nix"""needs.torch.name""" }',
    }[form]
    overlay = "overlay with-torch in python3Packages { torch = needs.torch }\n"
    program = f"""{AXES}{TORCH}{theirs} }}{TORCHES}
{overlay if form == "overlay" else ""}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  {mine}
  needs torch = {LINK}
  {used}
  passthru {{ needed = needs.torch }}
}}{VISIONS}"""
    paths = written(project, program)
    assert len(paths) == 8
    by_itself = not mine and not theirs
    found = needed_and_alone(project, paths, by_itself=by_itself)
    assert len(found) == 4
    assert all(one == other for one, other in found.values())
    assert len({one for one, _ in found.values()}) == 4


TOOL = """{ pkgs }: pkgs.python3Packages.torch.overrideAttrs { A = "by hand"; }
"""
NEWER = 'overlay newer for python3Packages.torch { B = "newer" }\n'


@pytest.mark.parametrize("form", ["args", "overlay"])
@pytest.mark.parametrize(
    "theirs",
    ["", "pin = none", "overlays = [newer]", "config { A = 1 }", "pin = none\noverlays = [newer]"],
)
@pytest.mark.parametrize("mine", ["", "pin = none", "overlays = [newer]", "config { A = 1 }"])
def test_a_recipe_that_is_put_into_another_is_what_it_is_by_itself(
    project: Path, mine: str, theirs: str, form: str
) -> None:
    """It is decided for the cell of the one that needs it: the same as in a matrix of its own."""
    used = "args { torch = needs.torch }" if form == "args" else "overlays += [with-torch]"
    with_torch = "overlay with-torch in python3Packages { torch = needs.torch }\n"
    program = f"""{AXES}
{NEWER if "newer" in mine + theirs else ""}
{with_torch if form == "overlay" else ""}
recipe torch {{
  package = pkgs.python3Packages.torch
  attrs {{ pname = "torch-{{{{gpu}}}}" }}
  env   {{ CAPABILITY = gpu.capability }}
  {theirs}
}}
matrix torches {{ recipe = torch, axes = gpu, name = "torch-{{{{gpu}}}}" }}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  {mine}
  needs torch = torch
  {used}
  passthru {{ needed = needs.torch }}
}}
matrix visions {{ recipe = tv, axes = gpu, name = "vision-{{{{gpu}}}}" }}
output o {{ file = "recipes/{{{{variant}}}}.nix" }}
"""
    paths = written(project, program)
    by_itself = "none" not in mine + theirs
    for gpu in ("sm80", "sm90"):
        needed = f"({called(paths[f'vision-{gpu}'], by_itself=by_itself)})"
        alone = f"({called(paths[f'torch-{gpu}'], by_itself=by_itself)})"
        asked = f"[ {needed}.needed.drvPath {alone}.drvPath {needed}.torch.drvPath ]"
        one, other, used_one = nix_value(asked, cwd=project)
        assert one == other
        assert used_one == one


def test_recipes_that_agree_share_one_nixpkgs(project: Path) -> None:
    program = f"""{AXES}{NEWER}
recipe torch {{ package = pkgs.python3Packages.torch, overlays = [newer] }}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  OVERLAYS
  needs torch = torch
  args {{ torch = needs.torch }}
}}
matrix visions {{ recipe = tv, axes = gpu["sm80"], name = "vision" }}
output o {{ file = "recipes/{{{{variant}}}}.nix" }}
""".replace('gpu["sm80"]', "gpu[sm80]")
    shared = written(project, program.replace("OVERLAYS", "overlays = [newer]"))["vision"]
    assert (project / shared).read_text().count("import nixpkgs") == 1
    apart = written(project, program.replace("OVERLAYS", ""))["vision"]
    assert (project / apart).read_text().count("import nixpkgs") == 2
    assert (project / apart).read_text().count("nixpkgs = ../") == 1


@pytest.mark.parametrize(
    ("target", "by_hand"),
    [
        (
            'call(file(tools, "torch.nix"), { pkgs = pkgs })',
            "import ../tools/torch.nix { inherit pkgs; }",
        ),
        ('file(tools, "torch.nix")', "pkgs.callPackage ../tools/torch.nix { }"),
        ("pkgs.python3Packages.torch", "pkgs.python3Packages.torch"),
        ('nix"""pkgs.python3Packages.torch"""', "pkgs.python3Packages.torch"),
        ("if gpu == sm80 then pkgs.zlib else pkgs.hello", "pkgs.zlib"),
    ],
)
@pytest.mark.parametrize("pin", ["", "pin = none"])
def test_what_nix_makes_is_what_is_written_by_hand(
    project: Path, pin: str, target: str, by_hand: str
) -> None:
    (project.parent / "tools").mkdir()
    (project.parent / "tools" / "torch.nix").write_text(TOOL, encoding="utf-8")
    tools = 'input tools { path = "../tools" }\n' if "tools" in target else ""
    program = f"""{AXES}{tools}
recipe tv {{
  package = pkgs.hello
  {pin}
  needs torch = {target}
  attrs {{ gpu = gpu.capability }}
  passthru {{ needed = needs.torch }}
}}
matrix visions {{ recipe = tv, axes = gpu, name = "vision-{{{{gpu}}}}" }}
output o {{ file = "recipes/{{{{variant}}}}.nix" }}
"""
    path = written(project, program)["vision-sm80"]
    needed = f"({called(path, by_itself=not pin)}).needed.drvPath"
    asked = f"[ ({needed}) ((let pkgs = {CALLER}; in {by_hand}).drvPath) ]"
    one, other = nix_value(asked, cwd=project)
    assert one == other


@pytest.mark.parametrize("theirs", ["", "pin = none"])
@pytest.mark.parametrize("mine", ["", "pin = none"])
def test_siblings_are_arguments_that_callpackage_fills(
    project: Path, mine: str, theirs: str
) -> None:
    """As Flox does, which calls each file with those beside it."""
    program = f"""{AXES}{TORCH}{theirs} }}{TORCHES}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  {mine}
  needs torch = {LINK} by argument
  args {{ torch = needs.torch }}
  passthru {{ needed = needs.torch }}
}}{VISIONS}""".replace("recipes/{{matrix}}/", "recipes/")
    paths = written(project, program)
    pairs = []
    for name in [name for name in paths if name.startswith("vision")]:
        release = "torch2_9" if "-v24-" in name else "torch2_10"
        torch = f"torch-{release}-{name.rpartition('-')[2]}"
        pairs.append(f"[ scope.{name}.needed.drvPath scope.{torch}.drvPath ]")
    found = nix_value(SCOPE.format(caller=CALLER, asked=f"[ {' '.join(pairs)} ]"), cwd=project)
    assert len(found) == 4
    assert all(one == other for one, other in found)
    assert "import ./torch" not in (project / paths["vision-v24-sm80"]).read_text()


def test_a_stack_of_three(project: Path) -> None:
    program = f"""{AXES}{TORCH} }}{TORCHES}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  needs torch = {LINK}
  args {{ torch = needs.torch }}
}}
matrix visions {{ recipe = tv, axes = vision * gpu, name = "vision-{{{{vision}}}}-{{{{gpu}}}}" }}
recipe app {{
  package = pkgs.hello
  needs vision = visions
  needs torch = {LINK}
  attrs {{ PARTS = [needs.vision, needs.torch] }}
  passthru {{ vision = needs.vision, torch = needs.torch }}
}}
matrix apps {{ recipe = app, axes = vision * gpu, name = "app-{{{{vision}}}}-{{{{gpu}}}}" }}
output o {{ file = "recipes/{{{{variant}}}}.nix" }}
"""
    paths = written(project, program)
    assert len(paths) == 12
    for vision, gpu, release in (("v24", "sm80", "torch2_9"), ("v25", "sm90", "torch2_10")):
        app, its = f"app-{vision}-{gpu}", f"vision-{vision}-{gpu}"
        torch = f"torch-{release}-{gpu}"
        app_, vision_, torch_ = (f"(import ./{paths[one]} {{ }})" for one in (app, its, torch))
        asked = f"""[
          {app_}.vision.drvPath {vision_}.drvPath
          {app_}.torch.drvPath {torch_}.drvPath {app_}.vision.torch.drvPath
        ]"""
        found = nix_value(asked, cwd=project)
        assert found[0] == found[1]
        assert found[2] == found[3] == found[4]


@pytest.mark.parametrize("theirs", ["", "pin = none"])
@pytest.mark.parametrize("mine", ["", "pin = none"])
@pytest.mark.parametrize("form", ["import", "put in", "twice"])
def test_arguments_of_what_is_imported_are_handed_on(
    project: Path, mine: str, theirs: str, form: str
) -> None:
    """Of what a recipe imports, or what is put into it, whoever calls it fills the arguments."""
    target = {"import": "visions", "put in": "holder", "twice": "wraps"}[form]
    holder = "recipe holder { package = pkgs.curl, needs v = visions, attrs { V = needs.v } }\n"
    wrap = (
        "recipe wrap { package = pkgs.curl, needs v = visions, attrs { V = needs.v } }\n"
        'matrix wraps { recipe = wrap, axes = vision * gpu, name = "wrap-{{vision}}-{{gpu}}" }\n'
    )
    program = f"""{AXES}{TORCH} }}{TORCHES}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  {theirs}
  needs torch = {LINK} by argument
  args {{ torch = needs.torch }}
  passthru {{ needed = needs.torch }}
}}
{holder if form == "put in" else ""}{wrap if form == "twice" else ""}
recipe app {{
  package = pkgs.hello
  {mine}
  needs vision = {target}
  attrs {{ VISION = needs.vision }}
  passthru {{ needed = needs.vision }}
}}
matrix apps {{ recipe = app, axes = vision * gpu, name = "app-{{{{vision}}}}-{{{{gpu}}}}" }}
{VISIONS}""".replace("recipes/{{matrix}}/", "recipes/")
    paths = written(project, program)
    pairs = []
    for name in [name for name in paths if name.startswith("app")]:
        other = name.replace("app", "wrap" if form == "twice" else "vision")
        vision = f"scope.{name}.needed" + (".V" if form == "put in" else "")
        pairs.append(f"[ {vision}.drvPath scope.{other}.drvPath ]")
    found = nix_value(SCOPE.format(caller=CALLER, asked=f"[ {' '.join(pairs)} ]"), cwd=project)
    assert len(found) == 4
    assert all(one == other for one, other in found)
