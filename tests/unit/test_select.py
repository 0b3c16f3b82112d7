"""Selectors: what each form means, whole values only, and what is said when nothing is meant."""

from __future__ import annotations

import pytest

from support.compile import compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.select import runs, select

PROGRAM = """
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis gpu { sm9 { cap = 9.0 }, sm10 { cap = 10.0 }, sm103 { cap = 10.3 } }
axis isa { avx512 { arch = "x86_64" }, avx512-bf16 { arch = "x86_64" }, v8 { arch = "arm" } }
axis cuda = [12.8, 13.0]
axis lto { on { }, off { } }
let newest = gpu.cap >= 10.3
let toolkit = 13.0
recipe r { package = pkgs.hello }
matrix gpus {
  recipe = r, axes = gpu * isa * cuda, name = "py313-cuda{{under(cuda)}}-{{gpu}}-{{isa}}"
  exclude isa == v8 and gpu == sm9 because "none"
}
matrix cpus { recipe = r, axes = isa * lto[off], name = "py313-cpu-{{isa}}" }
"""


def chosen(*texts: str) -> tuple[list[str], Compilation]:
    made = compile_text(PROGRAM)
    assert made.resolution is not None
    assert not made.sink.has_errors, messages(made)
    found = select(texts, made.resolution, made.variants, made.sources, made.sink, made.loader.join)
    return [variant.name.removeprefix("py313-") for variant in found], made


@for_each(
    "texts, names",
    [
        (["py313-cpu-v8"], ["cpu-v8"]),
        # A name that is also the beginning of another one means itself.
        (["py313-cpu-avx512"], ["cpu-avx512"]),
        (["cpu-v8"], ["cpu-v8"]),
        (["cuda12_8-sm103-v8"], ["cuda12_8-sm103-v8"]),
        (["sm9-avx512"], ["cuda12_8-sm9-avx512", "cuda13_0-sm9-avx512"]),
        (["cuda13_0-sm9"], ["cuda13_0-sm9-avx512", "cuda13_0-sm9-avx512-bf16"]),
        (["13_0-sm103-v8"], ["cuda13_0-sm103-v8"]),
        # A matrix, where no name and no value is called so.
        (["cpus"], ["cpu-avx512", "cpu-avx512-bf16", "cpu-v8"]),
        # Values, in pairs.
        (["gpu=sm9 cuda=13.0 isa=avx512"], ["cuda13_0-sm9-avx512"]),
        (["gpu=sm9,cuda=13_0,isa=avx512"], ["cuda13_0-sm9-avx512"]),
        (["cuda=12.8 isa=v8"], ["cuda12_8-sm10-v8", "cuda12_8-sm103-v8"]),
        (["isa=v8 gpu=sm10 gpu=sm103 cuda=12.8"], ["cuda12_8-sm10-v8", "cuda12_8-sm103-v8"]),
        # A value that no name prints.
        (["off"], ["cpu-avx512", "cpu-avx512-bf16", "cpu-v8"]),
        # Expressions; a matrix without the axis has nothing to say.
        (["gpu.cap < 10.0 and isa == avx512"], ["cuda12_8-sm9-avx512", "cuda13_0-sm9-avx512"]),
        (["newest and isa == v8"], ["cuda12_8-sm103-v8", "cuda13_0-sm103-v8"]),
        (["matrix is cpus and isa == v8"], ["cpu-v8"]),
        # Several: all of them, in the order of variants.
        (["cpu-v8", "cuda12_8-sm103-v8", "sm103-v8"], [
            "cuda12_8-sm103-v8", "cuda13_0-sm103-v8", "cpu-v8",
        ]),
    ],
)  # fmt: skip
def test_forms(texts: list[str], names: list[str]) -> None:
    found, made = chosen(*texts)
    assert found == names, messages(made)
    assert not made.sink.has_errors


def test_a_let_and_no_selector() -> None:
    assert len(chosen("newest")[0]) == 6
    assert len(chosen()[0]) == 19


@for_each(
    "text, code, words",
    [
        ("sm1", "E901", "did you mean `sm10`?"),
        ("m103", "E901", "did you mean `sm103`?"),
        ("bf16x", "E901", "E901"),
        ("sm103-avx5", "E901", "E901"),
        ("sm11-avx512", "E901", "did you mean `sm10-avx512`?"),
        ("-sm103", "E901", "E901"),
        ("sm103-", "E901", "E901"),
        ("313", "E901", "a value of an axis (gpu, isa, cuda, lto)"),
        ("sm9-v8", "E901", "no variant has them together"),
        # A cell that the program drops: the command that says why.
        ("sm9-v8", "E901", "`tvarc why-not sm9-v8` shows what drops it"),
        ("py313-cuda12_8-sm9-v8", "E901", "`tvarc why-not py313-cuda12_8-sm9-v8` shows"),
        ("gpu=sm9,isa=v8", "E901", "`tvarc why-not gpu=sm9,isa=v8` shows what drops it"),
        # Values of two matrices, and two of one axis: nothing drops those.
        ("sm9-cpu", "E901", "the nearest are py313-cuda12_8-sm9-avx512"),
        ("sm9-sm10", "E901", "the nearest are py313-cuda12_8-sm9-avx512"),
        ("gpu=sm9 lto=off", "E901", "`tvarc list` shows every variant"),
        # Values that no name has side by side: the pairs to write.
        ("v8-sm10", "E901", "write `isa=v8,gpu=sm10`, or a whole name: py313-cuda12_8-sm10-v8"),
        ("sm10-foo", "E901", "`foo` is not a variant, a value of an axis"),
        ("", "E901", "the selector is empty"),
        ("gpuu=sm9", "E901", "did you mean `gpu`?"),
        ("gpu=sm99", "E901", "did you mean `sm9`?"),
        ("gpu=sm9 isa=v8", "E901", "no variant has them together"),
        ("gpu.cap > 20.0", "E901", "it is true for none of them"),
        ("gpu == sm9 and lto == off", "E901", "no variant has the axes `gpu`, `lto`"),
        ("gpu.cap >", "E101", "selector"),
        ("gpu.capp > 1.0", "E207", "did you mean `cap`?"),
        ("gpu.cap == 9", "E303", "write a version with a dot"),
        ("toolkit", "E301", "needs true or false"),
        ("attrs.pname == 1", "E302", "cannot be read here"),
        ("pkgs.x == 1", "E302", "only Nix knows"),
    ],
)
def test_faults(text: str, code: str, words: str) -> None:
    found, made = chosen(text)
    assert found == []
    assert code in messages(made)
    assert words in messages(made)
    assert len(made.sink) == 1


def test_a_value_whose_cells_are_all_dropped_is_no_unknown_one() -> None:
    made = compile_text(PROGRAM.replace("isa == v8 and gpu == sm9", "gpu == sm9"))
    assert made.resolution is not None
    for text in ("sm9", "gpu=sm9"):
        select((text,), made.resolution, made.variants, made.sources, made.sink, made.loader.join)
    assert messages(made).count("no variant has them together") == 2
    assert "`tvarc why-not sm9` shows" in messages(made)
    assert "`tvarc why-not gpu=sm9` shows" in messages(made)


def test_one_bad_selector_among_good_ones() -> None:
    found, made = chosen("cpu-v8", "nobody-here")
    assert found == ["cpu-v8"]
    assert made.sink.has_errors


def test_pairs_beside_each_other_are_one_selector() -> None:
    assert join_pairs(["a=1", "b=2", "x", "c=3"]) == ["a=1 b=2", "x", "c=3"]


def test_runs_begin_with_whole_values() -> None:
    made = compile_text(PROGRAM)
    assert list(runs(made.variants[2])) == [
        "cuda12_8-sm9-avx512-bf16",
        "12_8-sm9-avx512-bf16",
        "sm9-avx512-bf16",
        "avx512-bf16",
    ]


@pytest.mark.parametrize("path", ["../hello", "pkgs/hello", "./a.tvar/b"])
def test_a_path_is_no_selector(path: str) -> None:
    (one,) = chosen(path)[1].diagnostics
    assert (one.code, one.notes) == ("E901", ("it looks like a path, not like a selector",))
    assert one.help.endswith(f"with a `/` at its end: `{path}/`")


@pytest.mark.parametrize(
    ("pattern", "help_"),
    [
        ("sm9-*", "write `sm9`"),
        ("*-sm9-*", "write `sm9`"),
        ("sm*", "`tvarc list` shows every variant"),
        ("*", "`tvarc list` shows every variant"),
    ],
)
def test_a_pattern_is_no_selector(pattern: str, help_: str) -> None:
    (one,) = chosen(pattern)[1].diagnostics
    assert (one.code, one.help) == ("E901", help_)
    assert one.notes == ("a selector has no `*` and no `?`: a value selects all that have it",)
