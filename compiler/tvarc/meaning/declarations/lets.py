"""Resolve `let`s and inputs. All are declared first, and each is resolved when it is first needed.
"""

from __future__ import annotations

from tvarc.light import replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions
from tvarc.meaning.declarations.inputs import Inputs
from tvarc.meaning.names.cycles import let_cycles
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink


class Lets:
    """The `let`s of one module that are not resolved yet, each with the names in its scope."""

    __slots__ = ("expressions", "inputs", "pending", "sink")

    def __init__(self, expressions: Expressions, inputs: Inputs, sink: Sink) -> None:
        self.expressions = expressions
        self.inputs = inputs
        self.sink = sink
        self.pending: dict[str, tuple[ast.Let | ast.Input, View]] = {}

    def declare(
        self, items: tuple[ast.Item, ...], into: dict[str, hir.LetDef], prefix: str, view: View
    ) -> None:
        """Declare the lets and inputs among *items*. Those that define each other in a circle are
        reported and become `Broken`."""
        written = [item for item in items if isinstance(item, ast.Let | ast.Input)]
        rings = let_cycles(written)
        told: set[str] = set()
        for item in written:
            name = item.name.text
            let = hir.LetDef(name, f"{prefix}::{name}", item.name.span)
            if name in into and into[name].span.file == item.name.span.file:
                continue
            into[name] = let
            if name in rings:
                if name not in told:  # one message for each circle
                    self.sink.report(
                        msg.declarations.LET_CIRCLE,
                        item.name.span,
                        name=name,
                        ring=" → ".join(rings[name]),
                    )
                told.update(rings[name])
                let.body.append(hir.Broken(item.span))
            else:
                self.pending[let.id] = (item, view)

    def demand(self, let: hir.LetDef) -> hir.Expr | None:
        """The expression of *let*. It is resolved now, unless it is already."""
        waiting = self.pending.pop(let.id, None)
        if waiting is not None:
            item, view = waiting
            if isinstance(item, ast.Input):
                let.body.append(self.inputs.input(item))
            else:
                inner = replace(view, what=f"`let {let.name}`")
                let.body.append(self.expressions.resolve(item.value, inner))
        return let.expr

    def widen(self, let: hir.LetDef, view: View) -> None:
        """Let *let* see the names of *view*, which was not known at its declaration."""
        if let.id in self.pending:
            self.pending[let.id] = (self.pending[let.id][0], view)
