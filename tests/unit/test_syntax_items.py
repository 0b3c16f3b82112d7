"""Every construct of the language, parsed."""

from __future__ import annotations

from support.compile import VARIANTS
from support.effort import for_each
from tvarc.commands.dump import dump_node
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span


def module(text: str) -> tuple[ast.Item, ...]:
    sink = Sink()
    parsed = parse_module(Source("t.tvar", text), sink)
    assert [item.title for item in sink] == []
    return parsed.items


def item(text: str) -> ast.Item:
    (only,) = module(text)
    return only


PAGE = VARIANTS.read_text(encoding="utf-8")


def test_a_module_with_windows_line_ends_is_the_same() -> None:
    assert module(PAGE.replace("\n", "\r\n")) == module(PAGE)
    assert module("\ufeff" + PAGE) == module(PAGE)
    assert module(PAGE.rstrip("\n")) == module(PAGE)


@for_each("text", ["", "\n", "# only\n  # comments", "\ufeff", "  \t", "\r\n\r\n"])
def test_a_file_without_items(text: str) -> None:
    assert module(text) == ()


def test_lines_that_continue_the_one_before() -> None:
    text = "let a = if b\n  then c\n  else d\n\n  or e\n  # note\n  and f\nlet g = h\n"
    assert len(module(text)) == 2
    assert item('recipe r { exclude a\n  because "b" }')


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


def test_every_span_of_a_program_round_trips() -> None:
    source = Source("t.tvar", PAGE)
    waiting: list[object] = list(parse_module(source, Sink()).items)
    seen = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif hasattr(node, "__dataclass_fields__") and not isinstance(node, Span):
            seen += 1
            span = node.span  # type: ignore[attr-defined]
            written = PAGE[span.start : span.end]
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
