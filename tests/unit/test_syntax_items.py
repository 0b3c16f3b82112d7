"""Every construct of the language, parsed."""

from __future__ import annotations

from support.effort import for_each
from tvarc.commands.dump import dump_node
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_expression, parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

S = Span("t.tvar", 0, 0)  # takes no part in equality


def module(text: str) -> tuple[ast.Item, ...]:
    sink = Sink()
    parsed = parse_module(Source("t.tvar", text), sink)
    assert [item.title for item in sink] == []
    return parsed.items


def item(text: str) -> ast.Item:
    (only,) = module(text)
    return only


def value(text: str) -> ast.Expr:
    sink = Sink()
    parsed = parse_expression(Source("t.tvar", text), sink)
    assert [item.title for item in sink] == []
    assert parsed is not None
    return parsed


def n(text: str) -> ast.Name:
    return ast.Name(text, S)


def k(text: str, *, quoted: bool = False) -> ast.Key:
    return ast.Key(text, quoted, S)


def r(text: str) -> ast.Ref:
    return ast.Ref(text, S)


def s(*parts: str | ast.Interpolation, script: bool = False) -> ast.StringLit:
    return ast.StringLit(parts, script, S)


def i(number: int) -> ast.IntLit:
    return ast.IntLit(number, S)


def assign(name: str, to: ast.Expr, op: str = "=", strength: str = "normal") -> ast.Assign:
    return ast.Assign((k(name),), op, to, strength, None, S)  # type: ignore[arg-type]


LANGUAGE_PAGE = '''\
# PyTorch 2.10.0 with CUDA 13.0
use std.nvidia
use std.cpu

let torch = 2.10.0
let cuda  = 13.0

pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  config { allowUnfree = true, allowBroken = true }
}

axis gpu = nvidia[sm80, sm86, sm89, sm90, sm100, sm103, sm110, sm120, sm121]
axis isa = cpu[avx2, avx512, avx512bf16, avx512vnni, armv8_2, armv9]

overlay cuda-13_0 {
  cudaPackages = final.cudaPackages_13
}

patch magma-clockrate for magma because "CUDA 13 removed cudaDeviceProp.clockRate, which MAGMA reads" {
  name = "cuda-13.0-clockrate-fix.patch"
  url  = "https://github.com/icl-utk-edu/magma/commit/235aefb7b064954fce09d035c69907ba8a87cbcd.patch"
  hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
}

overlay torch-source for python3Packages.torch {
  version = torch
  src     = github("pytorch/pytorch", tag = "v{{torch}}", submodules = true,
                   hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=")
  patches = []          # nixpkgs' patches are for 2.9.1
}

recipe torch-base {
  package  = pkgs.python3Packages.torch
  overlays = [torch-source]

  attrs {
    pname                  = "pytorch210-{{variant}}"
    ninjaFlags             = ["-j32"]
    requiredSystemFeatures = ["big-parallel"]
    cmakeFlags            += ["-DTORCH_BUILD_VERSION={{torch}}"]
  }
  script preConfigure {
    part flags """
      export CXXFLAGS="{{isa.flags}} $CXXFLAGS"
      export CFLAGS="{{isa.flags}} $CFLAGS"
      export MAX_JOBS=32
    """
    part version """
      export PYTORCH_BUILD_VERSION={{torch}}
      echo "{{torch}}" > version.txt
    """
    part features ""              # filled by recipes and conditions below
    part banner """
      echo "{{meta.description}}"
    """
  }
  passthru { cpuISA = isa }
  meta {
    description = "PyTorch {{torch}} CPU-only + {{isa.label}}"
    platforms   = [isa.platform]
  }
}

recipe torch-cuda extends torch-base {
  config { cudaSupport = true }
  overlays = [cuda-13_0, magma-clockrate, torch-source]
  args { cudaSupport = true, gpuTargets = [gpu.capability] }

  flag cudnn: bool = gpu.capability >= 7.5 because "cuDNN for CUDA 13 needs compute capability 7.5"

  attrs { cmakeFlags += ["-DCMAKE_CUDA_FLAGS=-I/build/cccl-compat", "-DCUDA_VERSION={{cuda}}"] }
  script preConfigure {
    part cccl after version """
      mkdir -p /build/cccl-compat/cccl
      ln -sf {{pkgs.cudaPackages.cuda_cccl}}/include/cub /build/cccl-compat/cccl/cub
    """
    when not cudnn {
      part features """
        export USE_CUDNN=0
      """
    }
  }
  meta { description = "PyTorch {{torch}} for NVIDIA {{gpu.label}} ({{upper(gpu)}}) + {{isa.label}}" }
}

recipe torch-cpu extends torch-base {
  args  { cudaSupport = false }
  attrs { cmakeFlags += ["-DUSE_CUDA=OFF"] }
}

matrix gpu-builds {
  recipe = torch-cuda
  axes   = gpu * isa
  name   = "python313-cuda{{under(cuda)}}-{{gpu}}-{{isa}}"
  exclude isa.arch == "aarch64" and gpu not in [sm110, sm121]
    because "the plan builds ARM only where the GPU sits on an ARM host"
}

matrix cpu-builds {
  recipe = torch-cpu
  axes   = isa
  name   = "python313-cpu-{{isa}}"
  exclude isa.arch == "aarch64" because "the plan has no ARM build without a GPU"
}

when recipe is torch-cuda {
  require magma-clockrate in overlays because "every GPU build ships MAGMA"
}

warn impossible-host = off because "the plan asks for sm110 and sm121 on x86"

output flox { file = ".flox/pkgs/pytorch-{{variant}}.nix" }
'''  # noqa: E501


def test_the_complete_file_of_the_language_page() -> None:
    items = module(LANGUAGE_PAGE)
    assert [type(one).__name__ for one in items] == [
        "Use", "Use", "Let", "Let", "Pin", "Axis", "Axis", "Overlay", "Patch", "Overlay",
        "Recipe", "Recipe", "Recipe", "Matrix", "Matrix", "When", "Warn", "Output",
    ]  # fmt: skip
    exclusion = items[13].body[3]  # type: ignore[union-attr]
    assert isinstance(exclusion, ast.Exclude)
    assert exclusion.because == s("the plan builds ARM only where the GPU sits on an ARM host")
    script = items[10].body[3]  # type: ignore[union-attr]
    assert isinstance(script, ast.Script)
    part = script.body[1]
    assert isinstance(part, ast.Part)
    inner = ast.Interpolation(r("torch"), S)
    assert part.text == s(
        "export PYTORCH_BUILD_VERSION=", inner, '\necho "', inner, '" > version.txt\n', script=True
    )


def test_a_module_with_windows_line_ends_is_the_same() -> None:
    assert module(LANGUAGE_PAGE.replace("\n", "\r\n")) == module(LANGUAGE_PAGE)
    assert module("\ufeff" + LANGUAGE_PAGE) == module(LANGUAGE_PAGE)
    assert module(LANGUAGE_PAGE.rstrip("\n")) == module(LANGUAGE_PAGE)


@for_each("text", ["", "\n", "# only\n  # comments", "\ufeff", "  \t", "\r\n\r\n"])
def test_a_file_without_items(text: str) -> None:
    assert module(text) == ()


@for_each("text, wanted", [
    ("use std.nvidia", ast.Use(("std", "nvidia"), None, None, None, S, S)),
    ("use std.cuda as c", ast.Use(("std", "cuda"), None, None, n("c"), S, S)),
    ('use "./a.tvar" as part', ast.Use(None, "./a.tvar", None, n("part"), S, S)),
    ('use "a.tvar" from far as part', ast.Use(None, "a.tvar", n("far"), n("part"), S, S)),
    ("let x = 13.0", ast.Let(n("x"), ast.VersionLit("13.0", S), S)),
    ("let axis = let", ast.Let(n("axis"), r("let"), S)),
    ("axis gpu: nvidia", ast.Axis(n("gpu"), None, None, n("nvidia"), S)),
    ("axis v = [12.8, 13.0]", ast.Axis(n("v"), ast.ListLit(
        (ast.VersionLit("12.8", S), ast.VersionLit("13.0", S)), S), None, None, S)),
    ("axis v { a { x = 1 }, b {} }", ast.Axis(n("v"), None, (
        ast.Row(n("a"), (assign("x", i(1)),), S), ast.Row(n("b"), (), S)), None, S)),
    ("axis v {}", ast.Axis(n("v"), None, (), None, S)),
    ("facts T (a: string, b: [int]?, c: one_of(\"x\", \"y\"),) { r { a = 1 }\n q { } }", ast.Facts(
        n("T"), False, False, (
            ast.FieldDecl(n("a"), ast.NamedType("string", S), S),
            ast.FieldDecl(n("b"), ast.OptionalType(
                ast.ListType(ast.NamedType("int", S), S), S), S),
            ast.FieldDecl(n("c"), ast.OneOfType((s("x"), s("y")), S), S),
        ), (ast.Row(n("r"), (assign("a", i(1)),), S), ast.Row(n("q"), (), S)), None, S)),
    ('facts T (a: int) from "t.toml"', ast.Facts(
        n("T"), False, False, (ast.FieldDecl(n("a"), ast.NamedType("int", S), S),), (),
        ast.DataFile("t.toml", S), S)),
    ('facts T += from "t.csv"', ast.Facts(
        n("T"), True, False, (), (), ast.DataFile("t.csv", S), S)),
    ("facts T += { }", ast.Facts(n("T"), True, False, (), (), None, S)),
    ("facts T override { r { a = 1 } }", ast.Facts(
        n("T"), True, True, (), (ast.Row(n("r"), (assign("a", i(1)),), S),), None, S)),
    ("facts override override { }", ast.Facts(n("override"), True, True, (), (), None, S)),
    ("pin p {\n}", ast.Pin(n("p"), (), S)),
    ('input i { path = "x" }', ast.Input(n("i"), (assign("path", s("x")),), S)),
    ("overlay o { }", ast.Overlay(n("o"), None, (), None, None, (), S)),
    ("overlay o in python3Packages { }",
     ast.Overlay(n("o"), "in", (k("python3Packages"),), None, None, (), S)),
    ('overlay o for python3Packages."a b" because "why"\n{ }', ast.Overlay(
        n("o"), "for", (k("python3Packages"), k("a b", quoted=True)), None, s("why"), (), S)),
    ('overlay until until until.a >= v[0] because "why" { }', ast.Overlay(
        n("until"), None, (), ast.Until((k("until"), k("a")), ast.Index(r("v"), (i(0),), S), S),
        s("why"), (), S)),
    ('overlay o in a until "b c".d >= 1.2 { until = 1 }', ast.Overlay(
        n("o"), "in", (k("a"),),
        ast.Until((k("b c", quoted=True), k("d")), ast.VersionLit("1.2", S), S), None,
        (assign("until", i(1)),), S)),
    ("patch p for until until a >= 1.2 { }", ast.Patch(
        n("p"), (k("until"),), ast.Until((k("a"),), ast.VersionLit("1.2", S), S), None, (), S)),
    ('patch p for magma because "why" { }',
     ast.Patch(n("p"), (k("magma"),), None, s("why"), (), S)),
    ("recipe r extends q { }", ast.Recipe(n("r"), (n("q"),), (), False, (), S)),
    ("recipe r extends m.q { }", ast.Recipe(n("r"), (n("m"), n("q")), (), False, (), S)),
    ("recipe r\n\n{ }", ast.Recipe(n("r"), (), (), False, (), S)),
    ("recipe r extends q with a,\n m.b\n{ }",
     ast.Recipe(n("r"), (n("q"),), ((n("a"),), (n("m"), n("b"))), False, (), S)),
    ("mixin r { x = 1 }", ast.Recipe(n("r"), (), (), True, (assign("x", i(1)),), S)),
    ("matrix m { axes = a * b[v, w] }", ast.Matrix(n("m"), (), (assign("axes", ast.Product((
        r("a"), ast.Index(r("b"), (r("v"), r("w")), S)), S)),), S)),
    ("variant v { }", ast.Variant(n("v"), (), S)),
    ("output o { }", ast.Output(n("o"), None, (), S)),
    ("output o: all { }", ast.Output(n("o"), n("all"), (), S)),
    ("exclude a", ast.Exclude(r("a"), None, S)),
    ('require a # why\n\n  because "b"', ast.Require(r("a"), s("b"), S)),
    ("warn w = off", ast.Warn(n("w"), None, None, S)),
    ('warn w = a because "b"', ast.Warn(n("w"), r("a"), s("b"), S)),
    ("flag f = 1", ast.Flag(n("f"), None, i(1), None, S)),
    ('flag f: bool = a because "b"',
     ast.Flag(n("f"), ast.NamedType("bool", S), r("a"), s("b"), S)),
    ("needs torch = other", ast.Needs(n("torch"), r("other"), False, False, None, S)),
    ("when a { x = 1 }", ast.When(r("a"), (assign("x", i(1)),), None, S)),
    (
        "when a { x = 1 } else when b { } else { x = 2 }",
        ast.When(
            r("a"),
            (assign("x", i(1)),),
            ast.Else((ast.When(r("b"), (), ast.Else((assign("x", i(2)),), S), S),), S),
            S,
        ),
    ),
    ("script s { part a \"b\" }", ast.Script(k("s"), (
        ast.Part(n("a"), None, None, s("b"), "normal", S),), S)),
    ('script "s t" += """x"""', ast.Script(k("s t", quoted=True), (
        ast.Part(None, None, None, s("x", script=True), "normal", S),), S)),
    ('+= """x"""', ast.Part(None, None, None, s("x", script=True), "normal", S)),
    ("part a = none", ast.Part(n("a"), None, None, ast.NoneLit(S), "normal", S)),
    ('part a before b "c"', ast.Part(n("a"), "before", n("b"), s("c"), "normal", S)),
    ('part a after b "c"', ast.Part(n("a"), "after", n("b"), s("c"), "normal", S)),
    ('default part a "c"', ast.Part(n("a"), None, None, s("c"), "default", S)),
    ("force part a = none", ast.Part(n("a"), None, None, ast.NoneLit(S), "force", S)),
    ("x += 1", assign("x", i(1), "+=")),
    ("x -= 1", assign("x", i(1), "-=")),
    ("default x = 1", assign("x", i(1), strength="default")),
    ("force x = 1", assign("x", i(1), strength="force")),
    ("default = 1", assign("default", i(1))),
    ("force part = 1", assign("part", i(1), strength="force")),
    ("version = 1", assign("version", i(1))),
    ("axis = 1", assign("axis", i(1))),
    ("when = 1", assign("when", i(1))),
    ('a.b."c d" = 1 because "e"', ast.Assign(
        (k("a"), k("b"), k("c d", quoted=True)), "=", i(1), "normal", s("e"), S)),
    ("x = { a = 1 }", assign("x", ast.RecordLit((ast.RecordEntry((k("a"),), i(1), S),), S))),
    ("x { a = 1, }", ast.Block(n("x"), (assign("a", i(1)),), None, S)),
    ("test x { a = 1 }", ast.Block(n("test"), (assign("a", i(1)),), k("x"), S)),
    ("input { }", ast.Block(n("input"), (), None, S)),
])  # fmt: skip
def test_item(text: str, wanted: ast.Item) -> None:
    assert item(text) == wanted


@for_each("text, wanted", [
    ("true", ast.BoolLit(True, S)),
    ("false", ast.BoolLit(False, S)),
    ("null", ast.NullLit(S)),
    ("none", ast.NoneLit(S)),
    ("0", i(0)),
    ("2.10.0", ast.VersionLit("2.10.0", S)),
    ("magma-clockrate", r("magma-clockrate")),
    ("nix", r("nix")),
    (
        'nix"""a {{b}}"""',
        ast.NixLit(("a ", ast.NixInterpolation(r("b"), "code", False, S)), (), (), S),
    ),
    ('nix"""\n    a\n      b\n  """', ast.NixLit(("a\n  b\n",), (), (), S)),
    ('nix"""old.x"""', ast.NixLit(("old.x",), (ast.NixOuter("old", False, S),), (), S)),
    ("(a)", r("a")),
    ("a.b", ast.Member(r("a"), k("b"), S)),
    ("a.part", ast.Member(r("a"), k("part"), S)),
    ('a."b c"', ast.Member(r("a"), k("b c", quoted=True), S)),
    ("a[b].c", ast.Member(ast.Index(r("a"), (r("b"),), S), k("c"), S)),
    ("a[b..c, d,]", ast.Index(r("a"), (ast.RangePick(r("b"), r("c"), S), r("d")), S)),
    ("a[12.8..13.0]", ast.Index(r("a"), (
        ast.RangePick(ast.VersionLit("12.8", S), ast.VersionLit("13.0", S), S),), S)),
    ("a[where b]", ast.Index(r("a"), (ast.WherePick(r("b"), S),), S)),
    ("[]", ast.ListLit((), S)),
    ("[\n a,\n b # c\n ,\n]", ast.ListLit((r("a"), r("b")), S)),
    ("[...a, ...if b then c else d]", ast.ListLit((
        ast.Spread(r("a"), S), ast.Spread(ast.Conditional(r("b"), r("c"), r("d"), S), S)), S)),
    ("{}", ast.RecordLit((), S)),
    ('{ a = 1, "b c" = 2\n x.y = 3 }', ast.RecordLit((
        ast.RecordEntry((k("a"),), i(1), S), ast.RecordEntry((k("b c", quoted=True),), i(2), S),
        ast.RecordEntry((k("x"), k("y")), i(3), S)), S)),
    ("not not a", ast.Not(ast.Not(r("a"), S), S)),
    ("not a == b", ast.Not(ast.Compare("==", r("a"), r("b"), S), S)),
    ("a not in b", ast.Compare("not in", r("a"), r("b"), S)),
    ("a is not b", ast.Compare("is not", r("a"), r("b"), S)),
    ("a is b", ast.Compare("is", r("a"), r("b"), S)),
    ("a or b and c", ast.Logic("or", r("a"), ast.Logic("and", r("b"), r("c"), S), S)),
    ("a and\n b", ast.Logic("and", r("a"), r("b"), S)),
    ("if a then b else if c then d else e", ast.Conditional(
        r("a"), r("b"), ast.Conditional(r("c"), r("d"), r("e"), S), S)),
    ("f()", ast.Call(n("f"), (), S)),
    ('github("o/r",\n tag = "v",)', ast.Call(n("github"), (
        ast.Argument(None, s("o/r"), S), ast.Argument(n("tag"), s("v"), S)), S)),
    ('""', s()),
    (r'"a\n\t\r\"\\\u{2013}\{{b"', s('a\n\t\r"\\–{{b')),
    ('"{a}"', s("{a}")),
    ('"{{a}}b{{ f("}}") }}"', s(
        ast.Interpolation(r("a"), S), "b",
        ast.Interpolation(ast.Call(n("f"), (ast.Argument(None, s("}}"), S),), S), S))),
    ('"{{f("{{a}}")}}"', s(ast.Interpolation(ast.Call(n("f"), (
        ast.Argument(None, s(ast.Interpolation(r("a"), S)), S),), S), S))),
    ('""""""', s(script=True)),
    ('""""a """ b""""', s('a """ b', script=True)),
    ('"""say "hi""""', s('say "hi"', script=True)),
    (r'"""\{{a}} \n $X ${X} \x"""', s(r"{{a}} \n $X ${X} \x", script=True)),
    ('"""\r\n  a\r\n  b"""', s("a\nb", script=True)),
])  # fmt: skip
def test_expression(text: str, wanted: ast.Expr) -> None:
    assert value(text) == wanted


def test_comparison_operators() -> None:
    for op in ("==", "!=", "<", "<=", ">", ">=", "in"):
        assert value(f"a {op} b") == ast.Compare(op, r("a"), r("b"), S)


def test_lines_that_continue_the_one_before() -> None:
    text = "let a = if b\n  then c\n  else d\n\n  or e\n  # note\n  and f\nlet g = h\n"
    assert len(module(text)) == 2
    assert item('recipe r { exclude a\n  because "b" }')


def test_words_of_the_language_as_names() -> None:
    for word in (
        "version",
        "name",
        "meta",
        "for",
        "as",
        "because",
        "off",
        "extends",
        "override",
        "before",
        "part",
        "recipe",
        "script",
        "default",
        "in-x",
        "not_x",
        "iffy",
        "nix",
    ):
        assert item(f"let {word} = 1") == ast.Let(n(word), i(1), S)
        assert item(f"{word} = x.{word}") == assign(word, ast.Member(r("x"), k(word), S))


def test_spans_are_exact() -> None:
    text = 'let a = 1\nmeta {\n  b = "x{{ c.d }}" and (e) # f\n}\n'
    sink = Sink()
    parsed = parse_module(Source("t.tvar", text), sink)
    block = parsed.items[1]
    assert isinstance(block, ast.Block)
    setting = block.body[0]
    assert isinstance(setting, ast.Assign)
    logic = setting.value
    assert isinstance(logic, ast.Logic)
    assert isinstance(logic.left, ast.StringLit)
    inner = logic.left.parts[1]
    assert isinstance(inner, ast.Interpolation)

    def written(span: Span) -> str:
        return text[span.start : span.end]

    assert written(block.span) == text[10:-1]
    assert written(setting.span) == 'b = "x{{ c.d }}" and (e)'
    assert written(logic.span) == '"x{{ c.d }}" and (e)'
    assert written(logic.right.span) == "e"
    assert written(inner.span) == "{{ c.d }}"
    assert written(inner.value.span) == "c.d"
    assert written(parsed.span) == text


def test_every_span_of_the_language_page_round_trips() -> None:
    source = Source("t.tvar", LANGUAGE_PAGE)
    waiting: list[object] = list(parse_module(source, Sink()).items)
    seen = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif hasattr(node, "__dataclass_fields__") and not isinstance(node, Span):
            seen += 1
            span = node.span  # type: ignore[attr-defined]
            written = LANGUAGE_PAGE[span.start : span.end]
            assert written and written == written.strip()
            if isinstance(node, ast.Name | ast.Key | ast.VersionLit):
                assert node.text == written
            elif isinstance(node, ast.Ref):
                assert node.name == written
            elif isinstance(node, ast.Interpolation):
                assert (written[:2], written[-2:]) == ("{{", "}}")
            position = source.position(span.start)
            assert source.line(position.line)[position.column - 1 :].startswith(
                written.split("\n")[0]
            )
            waiting.extend(getattr(node, name) for name in node.__dataclass_fields__)
    assert seen > 300


def test_dump() -> None:
    source = Source("t.tvar", 'let a = [1, "x{{b}}"]\n')
    assert (
        dump_node(parse_module(source, Sink()), source)
        == """\
Module 1:1 file='t.tvar'
  items: (1)
    - Let 1:1
      name: Name 1:5 text='a'
      value: ListLit 1:9
        items: (2)
          - IntLit 1:10 value=1
          - StringLit 1:13 script=false
            parts: (2)
              - 'x'
              - Interpolation 1:15
                value: Ref 1:17 name='b'
"""
    )
