"""What does not fit together in a graph of derivations, without Nix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from support.effort import for_each
from tvarc.commands.evaluation.coherence import toolkit_part
from tvarc.nix.judge.derivation import parsed_name
from tvarc.nix.judge.graph import Graph, Node, RunsWith, copies, graph_in


def path(name: str) -> str:
    """`zlib-1.3` as a derivation; `zlib-1.3'` is another one of that name."""
    digest = "b" if name.endswith("'") else "a"
    return f"/nix/store/{digest * 32}-{name.rstrip(chr(39))}.drv"


def made(edges: Mapping[str, tuple[str, str]]) -> Graph:
    """The graph of *edges*: by name, the inputs that are propagated, and all others."""
    names = {*edges, *(name for two in edges.values() for words in two for name in words.split())}
    return {
        path(name): Node(
            "x86_64-linux",
            (),
            tuple(map(path, edges.get(name, ("", ""))[1].split())),
            tuple(map(path, edges.get(name, ("", ""))[0].split())),
        )
        for name in names
    }


TORCHES = {
    "vision-1": ("torch-2.9 audio-1", ""),
    "audio-1": ("torch-2.9'", ""),
    "torch-2.9": ("numpy-2", ""),
    "torch-2.9'": ("numpy-2", ""),
}
LINKED = {
    "tool-1": ("", "zlib-1.3 curl-8"),
    "curl-8": ("", "ssl-3 zlib-1.3'"),
    "ssl-3": ("", "zlib-1.2"),
}


@for_each(
    "edges, start, needed, expected",
    [
        # Two that are propagated are loaded together, whoever means them.
        (TORCHES, "vision-1", "", {"torch": "torch-2.9 torch-2.9'"}),
        (TORCHES, "audio-1", "", {}),
        # What is linked may be a tool, unless the program needs one of them.
        (LINKED, "tool-1", "", {}),
        (LINKED, "tool-1", "zlib-1.3", {"zlib": "zlib-1.3 zlib-1.3'"}),
        # The inputs of inputs of inputs are too far away to be certain of.
        ({**LINKED, "curl-8": ("", "ssl-3")}, "tool-1", "zlib-1.3", {}),
        # Unless what is near propagates them.
        ({**LINKED, "curl-8": ("ssl-3", "")}, "tool-1", "zlib-1.3", {"zlib": "zlib-1.3 zlib-1.2"}),
        # One that several depend on is one.
        ({**LINKED, "curl-8": ("", "zlib-1.3")}, "tool-1", "zlib-1.3", {}),
        # A variant may be made of the package that it replaces.
        ({"torch-2.9": ("torch-2.9'", "")}, "torch-2.9", "", {}),
        # Hooks have no version.
        ({"a-1": ("hook hook'", "")}, "a-1", "hook", {}),
        # A name with an interpreter, or the language of a library, is another name.
        ({"a-1": ("python3.12-numpy-2 python3.13-numpy-2 numpy-2", "")}, "a-1", "", {}),
        # A graph with a circle of names ends.
        ({"a-1": ("b-1", ""), "b-1": ("a-1", "")}, "a-1", "b-1", {}),
        ({}, "a-1", "", {}),
    ],
)
def test_libraries_that_come_twice(
    edges: Mapping[str, tuple[str, str]], start: str, needed: str, expected: Mapping[str, str]
) -> None:
    found = copies(made(edges), path(start), {path(name): name for name in needed.split()})
    assert {name: [one.derivation for one in several] for name, several in found.items()} == {
        name: list(map(path, text.split())) for name, text in expected.items()
    }
    for several in found.values():
        assert {one.variant for one in several} <= {"", *needed.split()}


@for_each(
    "target, expected",
    [
        ("zlib-1.3", []),
        ("zlib-1.3'", ["curl-8"]),
        ("zlib-1.2", ["curl-8", "ssl-3"]),
    ],
)
def test_the_way_to_a_derivation(target: str, expected: Sequence[str]) -> None:
    reached = RunsWith(made(LINKED), path("tool-1"))
    assert path("tool-1") not in [*reached] and len([*reached]) == 5
    assert reached.copy(path(target)).through == tuple(map(path, expected))


def test_a_graph_as_an_evaluator_reports_it() -> None:
    told = {"system": "x", "features": "kvm big", "inputs": ["/b.drv"], "propagated": []}
    assert graph_in({"/a.drv": told}) == {"/a.drv": Node("x", ("big", "kvm"), ("/b.drv",), ())}


@for_each(
    "name, expected",
    [
        ("cuda_cudart-12.9.79", "12"),
        ("cuda13.0-cuda_nvrtc-13.0.88", "13"),
        ("cudatoolkit-10.2.89", "10"),
        ("cuda12.9-libcublas-12.9.1.4", "12"),
        # These count by themselves: 12.0 of them is of CUDA 13.
        ("libcufft-12.0.0.61", ""),
        ("cuda12.9-cudnn-9.13.0", ""),
        # A newer one runs with older drivers on purpose.
        ("cuda_compat-13.0.1", ""),
        ("python3.13-cuda-bindings-13.0.1", ""),
        ("cuda_cudart", ""),
    ],
)
def test_the_toolkit_that_a_package_is_of(name: str, expected: str) -> None:
    assert toolkit_part(path(name)) == expected


@for_each(
    "name, expected",
    [
        ("hello-2.12", ("hello", "2.12")),
        ("python3.13-numpy-2.3.4", ("python3.13-numpy", "2.3.4")),
        ("x264-0-unstable-2025-01-03", ("x264", "0-unstable-2025-01-03")),
        ("hook", ("hook", "")),
    ],
)
def test_names_and_versions(name: str, expected: tuple[str, str]) -> None:
    assert parsed_name(path(name)) == expected
    assert parsed_name(path(name).removesuffix(".drv")) == expected
