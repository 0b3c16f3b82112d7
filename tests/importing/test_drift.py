"""What a few recipes say otherwise: only what differs, so an edit of the rule reaches the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from support.command import tvarc
from support.effort import for_each
from support.families import put

CAPABILITIES: Final = {"sm80": "8.0", "sm90": "9.0", "sm100": "10.0", "sm120": "12.0"}
ISAS: Final = ("avx2", "avx512", "armv9")
ODD: Final = ("sm90", "avx512")


RULE: Final = ["-DA=ON", "-DAVX=512", "-DVNNI=ON", "-DARCH=9.0", "-DLAST=1"]
SCRIPT: Final = [
    "# its flags", "export FLAG=-DARCH=9.0", "export JOBS=4", "", "echo AVX512", "echo done",
]  # fmt: skip


def flags(gpu: str, isa: str) -> str:
    """The attributes of one recipe: what it adds to a list."""
    own = {"avx512": RULE[1:3], "avx2": ["-DAVX=2"]}.get(isa, [])
    return adding([RULE[0], *own, f"-DARCH={CAPABILITIES[gpu]}", RULE[-1]])


def adding(items: list[str]) -> str:
    said = " ".join([f'"{one}"' for one in items])
    return f"cmakeFlags = (old.cmakeFlags or [ ]) ++ [ {said} ];"


def script(gpu: str, isa: str) -> str:
    """The attributes of one recipe: a script."""
    capability = CAPABILITIES[gpu]
    lines = [SCRIPT[0], f"export FLAG=-DARCH={capability}", *SCRIPT[2:4]]
    return running([*lines, f"echo {isa.upper()}", SCRIPT[-1]])


def running(lines: list[str]) -> str:
    return "preConfigure = ''\n" + "".join([f"    {line}\n" for line in lines]) + "  '';"


def imported(here: Path, made: Callable[[str, str], str], odd: str) -> str:
    """The program of recipes of which one is *odd*."""
    rows = {(gpu, isa): made(gpu, isa) for gpu in CAPABILITIES for isa in ISAS} | {ODD: odd}
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": f"{{ pkgs }}: pkgs.hello.overrideAttrs (old: {{ {own} }})\n"
        for (gpu, isa), own in rows.items()
    }
    Path("variants.tvar").unlink(missing_ok=True)
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 3 and "12 files in" in done.output and "12 imported" in done.output
    return Path("variants.tvar").read_text(encoding="utf-8")


def drift_in(text: str) -> list[str]:
    """What a program says in its one block of drift."""
    assert text.count("# drift") == 1, text
    whole = text[text.index("# drift") : text.index("\n}\n\noutput")]
    first, *lines = [line.strip() for line in whole.split("\n")[1:]]
    condition = "when gpu == sm90 and isa == avx512"
    if first == f"{condition} {{":
        return lines[:-1]
    if first.endswith(f" {condition}"):
        return [first.removesuffix(f" {condition}")]
    return [first.removeprefix(f"{condition} {{ ").removesuffix(" }")]


def changed(what: str, becomes: str) -> list[str]:
    """The variants that change if the rule of the program is edited."""
    assert tvarc("build", "--no-git", "--out", "built").exit_code == 0
    before = {path: path.read_text(encoding="utf-8") for path in Path("built").rglob("*.nix")}
    program = Path("variants.tvar")
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace(what, becomes, 1), encoding="utf-8")
    assert tvarc("build", "--no-git", "--out", "built").exit_code == 0
    return [path.stem for path, was in before.items() if path.read_text(encoding="utf-8") != was]


@for_each(
    "odd, said",
    [
        ([*RULE, "-DMORE=1"], ['attrs { cmakeFlags += ["-DMORE=1"] }']),
        (RULE[:-1], ['attrs { cmakeFlags -= ["-DLAST=1"] }']),
        (
            [*RULE[:3], "-DARCH=9.1", RULE[-1]],
            [
                "attrs {",
                'cmakeFlags -= ["-DARCH={{gpu.capability}}", "-DLAST=1"]',
                'cmakeFlags += ["-DARCH=9.1", "-DLAST=1"]',
                "}",
            ],
        ),
        (["-DOTHER=1"], ['attrs { cmakeFlags = none, cmakeFlags += ["-DOTHER=1"] }']),
    ],
)
def test_of_a_list_the_elements_that_differ(odd: list[str], said: list[str], here: Path) -> None:
    assert drift_in(imported(here, flags, adding(odd))) == said


def test_of_a_list_that_is_set_the_elements_that_differ(here: Path) -> None:
    def systems(gpu: str, _: str) -> str:
        return f'systems = [ "one" "gpu={gpu}" "last" ];'

    odd = systems("sm90", "").replace('"last"', '"last" "more"')
    assert drift_in(imported(here, systems, odd)) == ['attrs { systems += ["more"] }']
    odd = systems("sm90", "").replace('"one"', "").replace("sm90", "sm91")
    assert drift_in(imported(here, systems, odd)) == ['attrs { systems = ["gpu=sm91", "last"] }']


def test_an_edit_of_a_list_reaches_what_is_odd(here: Path) -> None:
    imported(here, flags, adding([*RULE, "-DMORE=1"]))
    assert "tool-sm90-avx512" in changed('"-DLAST=1"]', '"-DLAST=2"]')


@for_each(
    "odd, said",
    [
        (
            [*SCRIPT[:3], "export MORE=1", *SCRIPT[3:]],
            ['script preConfigure { part more after its-flags "export MORE=1\\n" }'],
        ),
        (
            [*SCRIPT[:1], "export FLAG=-DARCH=9.0 -O3", *SCRIPT[2:]],
            ['script preConfigure { part flag "export FLAG=-DARCH={{gpu.capability}} -O3\\n" }'],
        ),
        ([*SCRIPT[:2], *SCRIPT[3:]], ["script preConfigure { part jobs = none }"]),
    ],
)
def test_of_a_script_the_lines_that_differ(odd: list[str], said: list[str], here: Path) -> None:
    """What the rule reads of an axis is read in the line that differs as well."""
    assert drift_in(imported(here, script, running(odd))) == said


def test_an_edit_of_a_script_reaches_what_is_odd(here: Path) -> None:
    imported(here, script, running([*SCRIPT[:3], "export MORE=1", *SCRIPT[3:]]))
    assert len(changed("export JOBS=4", "export JOBS=8")) == 12


def test_what_one_recipe_says_of_a_value_that_it_alone_has_is_no_drift(here: Path) -> None:
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f"  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ {flag} \"-DARCH={gpu}\" ];\n}})\n"
        for gpu in CAPABILITIES
        for isa, flag in (("avx2", '"-DAVX=2"'), ("avx512", '"-DAVX=512"'), ("armv9", ""))
        if isa != "armv9" or gpu == "sm90"
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    assert 'when isa.arch == "x86_64" {' in Path("variants.tvar").read_text(encoding="utf-8")


def test_a_word_of_which_all_files_differ_is_part_of_the_rule(here: Path) -> None:
    """Each of the two files for Arm has one flag otherwise, in another place. If both were drift,
    the rule for all words would have the flags of the others, and a new word for Arm would too."""
    gpus = ("sm61", "sm75", "sm80", "sm86", "sm89", "sm90", "sm100", "sm103", "sm110", "sm120")
    isas = ("avx", "avx2", "avx512", "avx512vnni", "avx512bf16")
    flags = {f"tool-{gpu}-{isa}": '"-x=1" "-mavx" "-y=1"' for gpu in gpus for isa in isas}
    flags |= {"tool-sm90-armv9": '"-x=2" "-y=1"', "tool-sm100-armv9": '"-x=1" "-y=2"'}
    files = {
        f"pkgs/{name}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f"  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ {some} ];\n}})\n"
        for name, some in flags.items()
    }
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert 'when isa.arch == "x86_64" { cmakeFlags += ["-mavx"] }' in made, made
