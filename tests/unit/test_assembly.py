"""What is made once for several variants, and what is not kept of any."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from support.compile import codes, compile_text, messages
from tvarc.assembly import files, fragments, templates
from tvarc.assembly.templates import Unsteady, fills, print_with_placeholders
from tvarc.driver import Compilation, emit
from tvarc.elaborate.placeholders import may_have_placeholders
from tvarc.nix.printer import print_expr
from tvarc.nix.syntax import NixExpr, NixList, NixString
from tvarc.output.model import File, WriteMode
from tvarc.output.write import write_files

PIN = 'pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'


def program(count: int) -> str:
    return f"""{PIN}
    axis x = {list(range(count))}
    axis y = ["a", "b", "c"]
    axis z = [1.0, 2.0]
    recipe r {{
      package = pkgs.hello
      attrs {{ version = z, one = y, two = "{{{{x}}}} and {{{{y}}}} and {{{{z}}}}" }}
      attrs {{ pname = variant }}
      env {{ Z = z }}
      script preBuild {{ part a \"\"\"
        echo {{{{variant}}}} {{{{y}}}}
      \"\"\" }}
    }}
    matrix m {{ recipe = r, axes = x * y * z, name = "v{{{{x}}}}-{{{{y}}}}-{{{{flat(z)}}}}"
      limit = 1000000 }}
    output o {{ file = "{{{{variant}}}}.nix" }}
    """


def test_a_piece_is_printed_once_for_each_combination(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[fragments.Nodes] = []
    real = fragments.printed

    def counted(*args: object, **options: object) -> templates.Template:
        printed.append(args[0])  # type: ignore[arg-type]
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(fragments, "printed", counted)
    made = compile_text(program(20))
    assert len(list(made.files("input.tvar"))) == 120, messages(made)
    # `version` twice, `one` three times; `two`, `pname` and the script are one text each, with
    # placeholders.
    assert sorted([node.path[0] for (node,) in printed]) == [  # type: ignore[union-attr, type-var]
        "Z", "Z", "one", "one", "one", "pname", "preBuild", "two", "version", "version"
    ]  # fmt: skip


HELD = """
    axis x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
    axis y = ["a", "b", "c"]
    axis z = [1.0, 2.0]
    recipe r { package = pkgs.hello
      attrs { one = "{{x}} and {{y}} and {{z}}", two = %s } }
    matrix m { recipe = r, axes = x * y * z, name = "v{{x}}-{{y}}-{{flat(z)}}" }
    output o { file = "{{variant}}.nix" }
"""


@pytest.mark.parametrize(
    ("two", "ones"),
    [
        ('"of {{attrs.one}}"', 1),
        ("attrs.one", 1),
        ('if y == "a" then attrs.one else "none"', 1),
        ('if y == "a" then "none" else "of {{attrs.one}}"', 1),
        ('["b", "of {{attrs.one}}"]', 1),
        ('[...[attrs.one], "b"]', 120),
        ('{ a = "of {{attrs.one}}" }', 1),
        # What is made of it as a whole is a placeholder itself.
        ('if y == "a" then upper(attrs.one) else "none"', 1),
        ("upper(attrs.one)", 1),
        # Where the text itself matters there are no placeholders in it.
        ('if attrs.one == "1 and a and 1.0" then "this" else "none"', 120),
        ('["{{attrs.one}}", if attrs.one == "1 and a and 1.0" then "this" else "none"]', 120),
    ],
)
def test_a_text_has_holes_if_it_is_only_put_into_others(
    two: str, ones: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[fragments.Nodes] = []
    real = fragments.printed

    def counted(*args: object, **options: object) -> templates.Template:
        printed.append(args[0])  # type: ignore[arg-type]
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(fragments, "printed", counted)
    text = PIN + HELD % two
    made, plain = (compile_text(text) for _ in "ab")
    expected = [file.text for file in emit(plain.stream(), "input.tvar")]
    assert [file.data().decode() for file in made.files("input.tvar")] == expected, messages(made)
    found = [node.path[0] for (node,) in printed]  # type: ignore[union-attr]
    assert found.count("one") == ones


def peak(made: Compilation, root: Path) -> int:
    """The most bytes that building took beside what was there before."""
    tracemalloc.start()
    try:
        write_files(made.files("input.tvar"), str(root), WriteMode(), made.sink)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_no_file_is_kept(tmp_path: Path) -> None:
    made = [compile_text(program(count)) for count in (350, 1350)]
    small, large = (peak(one, tmp_path / str(i)) for i, one in enumerate(made))
    # The path of each, which the report names, and a few numbers: not its 900 bytes of text.
    assert (large - small) / 6_000 < 300


def test_only_what_is_written_is_made_again(tmp_path: Path) -> None:
    made = compile_text(program(3))
    first = list(made.files("input.tvar"))
    for file in first[1:]:
        (tmp_path / file.path).write_bytes(file.data())
    again = compile_text(program(3)).files("input.tvar")
    asked: list[bytes] = []

    class Watched:
        def __iter__(self) -> object:
            return iter(again)

        def among(self, wanted: bytes) -> object:
            asked.append(bytes(wanted))
            return again.among(wanted)

    report = write_files(
        Watched(),  # type: ignore[arg-type]
        str(tmp_path),
        WriteMode(),
        made.sink,
    )
    assert report.written == (first[0].path,)
    assert asked == [b"\1" + bytes(17)]
    assert (tmp_path / first[0].path).read_bytes() == first[0].data()


def one_by_one(monkeypatch: pytest.MonkeyPatch, text: str, **given: object) -> list[File]:
    """The files of a program, which must not be put together from fragments."""
    called = []
    real = files._Group._one_by_one

    def watched(self: files._Group) -> object:
        called.append(self)
        return real(self)

    monkeypatch.setattr(files._Group, "_one_by_one", watched)
    made = compile_text(text, **given)  # type: ignore[arg-type]
    found = list(made.files("input.tvar"))
    assert called
    return found


def test_a_frame_of_the_name_itself_is_made_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    body = """recipe r { package = pkgs[upper(variant)] }
    axis x = ["a", "b"]
    matrix m { recipe = r, axes = x, name = "{{x}}" }
    output o { file = "{{variant}}.nix" }
    """
    found = one_by_one(monkeypatch, PIN + body)
    assert [b"pinned.A" in found[0].data(), b"pinned.B" in found[1].data()] == [True, True]


@pytest.mark.parametrize(
    ("file", "code"),
    [("{{x}}.nix", "E402"), ("../{{variant}}.nix", "E403"), ("{{upper(y)}}.nix", "E402")],
)
def test_files_that_cannot_be_are_reported(file: str, code: str) -> None:
    body = f"""recipe r {{ package = pkgs.hello }}
    axis x = ["a", "b"]
    axis y = ["c", "d"]
    matrix m {{ recipe = r, axes = x * y, name = "{{{{x}}}}-{{{{y}}}}" }}
    output o {{ file = "{file}" }}
    """
    made, other = compile_text(PIN + body), compile_text(PIN + body)
    assert sum(1 for _ in made.files("input.tvar")) in (0, 4)
    other.recipes()
    assert codes(made) == [code]
    assert messages(made) == messages(other)


def test_files_of_two_matrices_are_held_against_each_other() -> None:
    body = """recipe r { package = pkgs.hello }
    axis x = ["a", "b"]
    matrix m { recipe = r, axes = x, name = "{{x}}" }
    matrix n { recipe = r, axes = x, name = "n-{{x}}" }
    output o { file = "{{if matrix == m then \\"n-\\" else \\"\\"}}{{variant}}.nix" }
    """.replace('\\"', '"')
    made = compile_text(PIN + body)
    list(made.files("input.tvar"))
    assert codes(made) == ["E402"]


def test_several_outputs_and_folders() -> None:
    body = """recipe r { package = pkgs.hello, attrs { src = path("./a"), x = x } }
    axis x = ["a", "b"]
    axis y = ["c", "d"]
    matrix m { recipe = r, axes = x * y, name = "{{x}}-{{y}}" }
    output o { file = "{{x}}/{{variant}}.nix" }
    output q { file = "deep/{{y}}/{{variant}}.nix" }
    """
    made, other = (compile_text(PIN + body, files={"a": ""}) for _ in "12")
    found = made.files("input.tvar")
    listed = [(file.path, file.data().decode()) for file in found]
    from tvarc.driver import emit

    assert listed == [(f.path, f.text) for f in emit(other.stream(), "input.tvar", "input.tvar")]
    assert "src = ../../a;" in dict(listed)["deep/c/a-c.nix"]
    flags = bytes([0, 1, 1, 0, 0, 0, 0, 1])
    chosen = [(file.path, file.data().decode()) for file in found.among(flags)]
    assert chosen == [one for one, flag in zip(listed, flags, strict=True) if flag]


# --- placeholders --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a", "a b", "-O2 -g", "é", "~/x", "1.0"])
def test_what_fills_a_placeholder(text: str) -> None:
    assert fills(text)


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a\n", "$", "{", "}", "'", '"', "\\", "\t", "x" * 1001, "\U00100000"]
)
def test_what_does_not(text: str) -> None:
    assert not fills(text)


def test_sources_with_characters_of_holes_have_none() -> None:
    assert may_have_placeholders('let a = "é"')
    assert not may_have_placeholders('let a = "\\u{100000}"')
    assert not may_have_placeholders("# \U00100000")


def template(expr: NixExpr) -> templates.Template:
    return print_with_placeholders(lambda change: print_expr(change(expr)), "\U00100000")  # type: ignore[arg-type]


def test_a_layout_that_depends_on_the_filling_is_noticed() -> None:
    placeholder = NixString(("a \U00100000",))
    assert template(placeholder) == ((b'"a ', b'"'), "\U00100000")
    assert template(NixList((placeholder, placeholder)))[1] == "\U00100000\U00100000"
    with pytest.raises(Unsteady):
        template(NixList((placeholder,)))


def test_a_folder_may_be_called_like_a_placeholder() -> None:
    text = """
    axis gpu = ["g1", "g2", "g3", "g4", "g5"]
    axis isa = ["i1", "i2", "i3", "i4", "i5"]
    axis rel = [2.9, 2.10.0]
    recipe r { package = pkgs.hello, pin = none
      attrs { a = "x {{gpu}} {{isa}} {{rel}}", s = path("./x.c") } }
    matrix m { recipe = r, axes = gpu * isa * rel, name = "v-{{gpu}}-{{isa}}-{{flat(rel)}}" }
    output o { file = "{{variant}}.nix" }
    """
    source = "d\U00100000/input.tvar"
    made, plain = (compile_text(text, files={"x.c": ""}) for _ in "ab")
    expected = [file.text for file in emit(plain.stream(), source)]
    assert [file.data().decode() for file in made.files(source)] == expected
