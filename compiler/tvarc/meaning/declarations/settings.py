"""Flatten bodies: the settings, flags, scripts and checks of a recipe become lists of writes."""

from __future__ import annotations

from tvarc.blocks import (
    ATTRIBUTES,
    CONFIG,
    IN_PARTS,
    OF_RECIPE,
    OF_SYSTEMS,
    SCRIPT,
    SETS,
    TEST,
    knows_package,
)
from tvarc.light import TYPE_CHECKING, Iterator, Literal, dataclass, field, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions, hash_view
from tvarc.meaning.declarations.facts import Facts, because_text
from tvarc.meaning.evaluation.formless import refuse_declarations
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.load import dotted
from tvarc.meaning.names.scope import (
    IN_RECIPE,
    MATRIX_FIELDS,
    NEEDS,
    PLAIN_SETTINGS,
    ModuleScope,
    View,
)
from tvarc.syntax import ast
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.text.source import ElseSpan, Span
from tvarc.values.value import NONE, quote

if TYPE_CHECKING:
    from tvarc.meaning.declarations.needs import Waiting

LONGEST_PATH = 50


Holder = Literal["recipe", "matrix", "variant"]
"""The owner of a body of settings."""


@dataclass(slots=True)
class Body:
    """The flattened content of a body so far."""

    name: str
    id: str
    view: View
    noun: Holder = "recipe"
    writes: list[hir.Write] = field(default_factory=list)
    flags: list[hir.FlagDef] = field(default_factory=list)
    checks: list[hir.Check] = field(default_factory=list)
    conditions: list[hir.Condition] = field(default_factory=list)

    def layer(self, span: Span) -> hir.Layer:
        return hir.Layer(
            self.name,
            self.id,
            tuple(self.writes),
            tuple(self.flags),
            tuple(self.checks),
            tuple(self.conditions),
            span,
        )


Conditions = tuple[hir.Condition, ...]


@dataclass(slots=True, eq=False)
class Settings:
    """Flattens bodies of one module."""

    scope: ModuleScope
    expressions: Expressions
    facts: Facts
    warns: dict[str, Span]
    links: list[Waiting]
    needed: list[Span]  # where needs are written
    sink: Sink

    # --- recipes and the like ------------------------------------------------------------

    def recipe_items(
        self, items: tuple[ast.Item, ...], body: Body, conditions: Conditions = ()
    ) -> None:
        """Settings of a recipe, or of a matrix's own layer."""
        for item in items:
            match item:
                case ast.Assign():
                    self.setting(item, body, conditions)
                case ast.Block():
                    self.block(item, body, conditions)
                case ast.Script():
                    self.script(item, body, conditions)
                case ast.Flag():
                    self.flag(item, body, conditions)
                case ast.When():
                    for inner, held in self.when(item, body.view, conditions, body.conditions):
                        self.recipe_items(inner, body, held)
                case ast.Require() | ast.Warn() | ast.Exclude():
                    self.check(item, body, conditions)
                case ast.Let():
                    if conditions:
                        self.sink.report(msg.settings.LET_IN_WHEN, item.span)
                case ast.Needs():
                    self.need(item, body, conditions)
                case ast.Part():
                    self.sink.report(msg.settings.PART_OUTSIDE, item.span)
                case ast.Include():
                    self.refuse_include(item)
                case _:
                    self.sink.report(msg.settings.ONLY_AT_TOP, item.span, item=describe(item))

    def refuse_include(self, item: ast.Include) -> None:
        """Report an `include` that is not directly in a matrix."""
        path = _plain_string(item.condition)
        self.sink.report(
            msg.settings.INCLUDE_OUTSIDE,
            item.span,
            path=quote(path) if path.endswith(".tvar") else None,
        )

    def because(self, text: ast.StringLit | None) -> str:
        return because_text(text, self.sink)

    def when(
        self, item: ast.When, view: View, conditions: Conditions, into: list[hir.Condition]
    ) -> Iterator[tuple[tuple[ast.Item, ...], Conditions]]:
        """The items of each branch, with *conditions* and the condition of the branch. The
        condition of an `else` is the negation of the one before it. *into* gets the conditions that
        must hold for at least one variant."""
        view = replace(view, what="`when`", roots=frozenset())
        expr = self.expressions.condition(item.condition, view, "when")
        condition = hir.Condition(expr, item.condition.span)
        if item.body:
            into.append(condition)
        else:
            self.sink.report(msg.settings.EMPTY_WHEN, item.condition.span, word="when")
        yield item.body, (*conditions, condition)
        if item.otherwise is None:
            return
        word, behind = item.otherwise.span, item.otherwise.body
        failed = hir.Condition(hir.Not(expr, condition.span), ElseSpan(word, condition.span))
        if not behind:
            self.sink.report(msg.settings.EMPTY_WHEN, word, word="else")
        elif len(behind) > 1 or not isinstance(behind[0], ast.When):  # an `else when` has its own
            into.append(failed)
        yield behind, (*conditions, failed)

    def check(
        self, item: ast.Require | ast.Warn | ast.Exclude, body: Body, conditions: Conditions
    ) -> None:
        if isinstance(item, ast.Warn) and item.condition is None:
            self.sink.report(msg.settings.ONLY_AT_TOP, item.span, item=describe(item))
            return
        self.add_check(item, body.view, conditions, body.checks)

    def add_check(
        self,
        item: ast.Require | ast.Warn | ast.Exclude,
        view: View,
        conditions: Conditions,
        into: list[hir.Check],
    ) -> None:
        """Add a condition with a reason. An exclusion is decided before settings."""
        kind: Literal["exclude", "require", "warn"]
        match item:
            case ast.Exclude() if item.condition.span in self.scope.excluded:
                self.exclude_module(item, conditions, into)
                return
            case ast.Exclude():
                kind = "exclude"
            case ast.Require():
                kind = "require"
            case ast.Warn():
                kind = "warn"
        name = item.name.text if isinstance(item, ast.Warn) else ""
        view = replace(
            view, what=f"`{kind}`", roots=frozenset(), settings=view.settings and kind != "exclude"
        )
        assert item.condition is not None
        if isinstance(item, ast.Warn):
            self.name_warning(item.name)
        expr = self.expressions.condition(item.condition, view, kind)
        into.append(hir.Check(kind, expr, self.because(item.because), conditions, item.span, name))

    def exclude_module(
        self, item: ast.Exclude, conditions: Conditions, into: list[hir.Check]
    ) -> None:
        module = self.scope.excluded[item.condition.span]
        if module is not None:
            name = ".".join(dotted(item.condition))
            line = hir.ExcludeModule(name, self.because(item.because), item.span)
            into += brought_in(line, module, conditions, self.sink)

    def name_warning(self, name: ast.Name) -> None:
        """Report a warning whose name is taken. The name is unique in the program, because it is
        used to switch the warning off."""
        if name.text in LINTS or name.text in JUDGED:
            self.sink.report(
                msg.settings.NAME_OF_LINT if name.text in LINTS else msg.settings.NAME_OF_JUDGED,
                name.span,
                name=name.text,
            )
            return
        first = self.warns.get(name.text)
        if first is not None and first != name.span:
            self.sink.report(msg.settings.WARNING_TWICE, name.span, others=[first], name=name.text)
        self.warns.setdefault(name.text, name.span)

    # --- settings ------------------------------------------------------------------------

    def setting(self, item: ast.Assign, body: Body, conditions: Conditions) -> None:
        head = item.path[0]
        if head.text in PLAIN_SETTINGS:
            if len(item.path) > 1:
                self.sink.report(msg.settings.NOTHING_INSIDE, item.path[1].span, name=head.text)
                return
            self.write(item, (head.text,), body, conditions, IN_RECIPE)
        elif head.text in OF_RECIPE and len(item.path) > 1:
            self.in_block(head.text, item, item.path[1:], body, conditions)
        elif head.text in OF_RECIPE:
            self.sink.report(msg.settings.IS_A_BLOCK, item.span, name=head.text)
        elif head.text in IN_PARTS and len(item.path) > 1:
            self.sink.report(msg.settings.SCRIPT_WITHOUT_PARTS, item.span, name=item.path[1].text)
        else:
            self.unknown(item, body.noun)

    def unknown(self, item: ast.Assign, noun: str) -> None:
        """Report that a *noun* has no setting like *item*."""
        head = item.path[0]
        own = PLAIN_SETTINGS if noun == "recipe" else (*MATRIX_FIELDS, *PLAIN_SETTINGS)
        known = (*own, *OF_RECIPE, *IN_PARTS, "let", "flag", "when", "require")
        from tvarc.syntax.elsewhere_words import SETTINGS

        self.sink.report(
            msg.settings.UNKNOWN_SETTING,
            head.span,
            elsewhere=SETTINGS.get(head.text, ""),
            name=head.text,
            noun=noun,
            known=", ".join(own),
            blocks=", ".join((*OF_RECIPE, *IN_PARTS)),
            matrix=head.text if head.text in MATRIX_FIELDS else "",
            condition=head.text if head.text in ("exclude", "require") else "",
            script=head.text if _may_be_script(head.text) else "",
            variable=head.text if head.text.isupper() or head.text.startswith("NIX_") else "",
            op=item.op,
            guess=guess(head.text, known),
        )

    def block(
        self,
        item: ast.Block,
        body: Body,
        conditions: Conditions,
        blocks: tuple[str, ...] = OF_RECIPE,
    ) -> None:
        name = item.name.text
        if name not in blocks:
            self.sink.report(
                msg.settings.UNKNOWN_BLOCK,
                item.name.span,
                name=name,
                known=", ".join((*blocks, *IN_PARTS)),
                overlays=name if name == "overlays" else "",
                guess=guess(name, (*blocks, *IN_PARTS)),
            )
            return
        of = () if item.of is None else (item.of,)
        for inner in item.body:
            match inner:
                case ast.Assign():
                    self.in_block(name, inner, (*of, *inner.path), body, conditions)
                case ast.When():
                    for branch, held in self.when(inner, body.view, conditions, body.conditions):
                        self.block(replace(item, body=branch), body, held, blocks)
                case ast.Block() if name == ATTRIBUTES and inner.name.text in SETS:
                    self.own_block(inner.name)
                case ast.Block() if in_parts(inner) and name != TEST:
                    self.text((name, inner.name.text), inner, body, conditions)
                case ast.Block():
                    known = inner.name.text in OF_RECIPE
                    message = (
                        msg.settings.OF_RECIPE_IN_BLOCK if known else msg.settings.BLOCK_IN_BLOCK
                    )
                    self.sink.report(message, inner.span, name=inner.name.text)
                case _:
                    self.sink.report(msg.settings.ONLY_SETTINGS, inner.span, name=name)

    def in_block(
        self,
        block: str,
        item: ast.Assign,
        keys: tuple[ast.Key, ...],
        body: Body,
        conditions: Conditions,
    ) -> None:
        if block == ATTRIBUTES and keys[0].text in SETS:
            self.own_block(keys[0])
            return
        path = (block, *(key.text for key in keys))
        self.write(item, path, body, conditions, _roots(block, body.view))

    def own_block(self, key: ast.Key | ast.Name) -> None:
        self.sink.report(msg.settings.NOT_IN_ATTRS, key.span, name=key.text)

    def write(
        self,
        item: ast.Assign,
        path: hir.Path,
        body: Body,
        conditions: Conditions,
        roots: frozenset[str],
    ) -> None:
        if not self.fit_path(path, item):
            return
        view = replace(body.view, what=f"`{'.'.join(path)}`", roots=roots, path=path)
        if path[0] == ATTRIBUTES:
            view = hash_view(replace(view, locks=True), path[1:])
        if path[0] in OF_SYSTEMS:
            value = self.expressions.known(item.value, view)
        else:
            value = self.expressions.resolve(item.value, view)
        if refuse_declarations(path, value, self.scope, self.sink):
            value = hir.Broken(value.span)
        if path[0] == CONFIG:
            self.refuse_packages(value)
        op = item.op
        if path in (("package",), ("scope",)) and op != "=":
            self.sink.report(msg.declarations.PLAIN_ONLY, item.span, name=path[0])
            op = "="
        if item.op != "=" and item.strength != "normal":
            self.sink.report(
                msg.settings.STRENGTH_OF_OPERATOR, item.span, strength=item.strength, op=item.op
            )
        body.writes.append(
            hir.Write(
                path,
                op,
                value,
                item.strength,
                conditions,
                self.because(item.because),
                body.name,
                item.span,
                item.because.span if item.because is not None else None,
            )
        )

    def need(self, item: ast.Needs, body: Body, conditions: Conditions) -> None:
        """`needs NAME = TARGET`. It is a write like any other, and recipes that extend this one may
        replace it."""
        from tvarc.meaning.declarations.needs import Targets

        self.needed.append(item.span)
        path = (NEEDS, item.name.text)
        view = replace(body.view, what=f"`needs {item.name.text}`", roots=IN_RECIPE, path=path)
        value = Targets(self.expressions, self.links).target(item, view)
        if item.or_exclude and item.because is None:
            self.sink.report(msg.settings.EXCLUDE_WITHOUT_REASON, item.span)
        place = item.because.span if item.because is not None else None
        because = self.because(item.because)
        body.writes.append(
            hir.Write(
                path, "=", value, "normal", conditions, "" if item.or_exclude else because,
                body.name, item.span, None if item.or_exclude else place,
                or_exclude=because if item.or_exclude else None,
            )
        )  # fmt: skip

    def fit_path(self, path: hir.Path, item: ast.Assign) -> bool:
        """Whether a setting can have this path; False after reporting why not."""
        if len(path) > 1 and not path[1]:
            self.sink.report(msg.settings.EMPTY_NAME, item.path[0].span)
            return False
        if len(path) > LONGEST_PATH:
            place = item.path[0].span.to(item.path[-1].span)
            self.sink.report(msg.settings.PATH_TOO_LONG, place, most=LONGEST_PATH)
            return False
        return True

    def refuse_packages(self, value: hir.Expr) -> None:
        """Report packages in *value*, which is in `config`. `config` makes the package set, so it
        cannot read a package of it."""
        for expr in walk([value]):
            name, place = "", expr.span
            if isinstance(expr, hir.NixRoot) and expr.name != "caller":
                name = expr.name
            elif isinstance(expr, hir.NeedRef) and not expr.path:
                name = f"{NEEDS}.{expr.name}"
            elif isinstance(expr, hir.NixCode) and expr.pkgs is not None:
                name, place = "pkgs", expr.pkgs
            if name:
                self.sink.report(msg.settings.READ_IN_CONFIG, place, name=name)

    def flag(self, item: ast.Flag, body: Body, conditions: Conditions) -> None:
        view = replace(body.view, what=f"flag `{item.name.text}`", roots=frozenset())
        value = self.expressions.known(item.value, view)
        name = item.name.text
        if item.type is not None:
            if conditions:
                self.sink.report(msg.settings.FLAG_IN_WHEN, item.span)
                return
            kind = self.facts.type(item.type)
            body.flags.append(
                hir.FlagDef(name, kind, value, self.because(item.because), body.name, item.span)
            )
        elif name not in body.view.flags:
            if not self.scope.is_lost(name):
                self.sink.report(
                    msg.settings.UNKNOWN_FLAG,
                    item.name.span,
                    name=name,
                    guess=guess(name, body.view.flags),
                )
        else:
            body.writes.append(
                hir.Write(
                    ("flag", name),
                    "=",
                    value,
                    "normal",
                    conditions,
                    self.because(item.because),
                    body.name,
                    item.span,
                )
            )

    # --- texts in parts ------------------------------------------------------------------

    def script(self, item: ast.Script, body: Body, conditions: Conditions) -> None:
        """`script NAME { part … }`."""
        if item.name.text in SETS:
            self.own_block(item.name)
            return
        self.text((SCRIPT, item.name.text), item, body, conditions)

    def text(
        self, path: hir.Path, item: ast.Block | ast.Script, body: Body, conditions: Conditions
    ) -> None:
        """A setting whose value is a string in parts."""
        for inner in item.body:
            match inner:
                case ast.Part():
                    self.part(path, inner, body, conditions)
                case ast.When():
                    for branch, held in self.when(inner, body.view, conditions, body.conditions):
                        self.text(path, replace(item, body=branch), body, held)
                case _:
                    what = "a script" if isinstance(item, ast.Script) else "a string in parts"
                    self.sink.report(msg.settings.ONLY_PARTS, inner.span, what=what)

    def part(self, path: hir.Path, item: ast.Part, body: Body, conditions: Conditions) -> None:
        """One part of the text at *path*."""
        what = f"script `{path[1]}`" if path[0] in IN_PARTS else f"`{'.'.join(path)}`"
        view = replace(body.view, what=what, roots=_roots(path[0], body.view))
        value: hir.Expr = hir.Const(NONE, item.text.span)
        if isinstance(item.text, ast.StringLit):
            value = self.expressions.resolve(item.text, view)
        if path[0] == CONFIG:
            self.refuse_packages(value)
        place = hir.PartPlace(
            item.name.text if item.name else None,
            item.placement,
            item.anchor.text if item.anchor else None,
            item.anchor.span if item.anchor else None,
        )
        body.writes.append(
            hir.Write(
                path, "part", value, item.strength, conditions, "", body.name, item.span, part=place
            )
        )


def _roots(block: str, view: View) -> frozenset[str]:
    """The roots of Nix that a setting of *block* may begin with. A block that decides how to get
    the package cannot read the package itself, `old`."""
    return view.roots if knows_package(block) else view.roots - {"old"}


def in_parts(item: ast.Block) -> bool:
    """Whether *item* is a string in parts. The first item decides that, since a block may contain
    no other block."""
    first = item.body[0] if item.body else None
    while isinstance(first, ast.When) and (inner := ast.items_in(first)):
        first = inner[0]
    return isinstance(first, ast.Part)


def _plain_string(expr: ast.Expr) -> str:
    """The content of a string without interpolations; empty for anything else."""
    parts = expr.parts if isinstance(expr, ast.StringLit) else ()
    return "".join([part for part in parts if isinstance(part, str)])


def describe(item: ast.Item) -> str:
    """A description of *item* by its keyword, for messages."""
    match item:
        case ast.Assign():
            return "a setting"
        case ast.Block():
            return f"block `{item.name.text}`"
        case ast.Warn(condition=None):
            return "`warn … = off`"
        case _:
            return f"`{type(item).__name__.lower()}`"


def brought_in(
    line: hir.ExcludeModule,
    module: ModuleScope,
    conditions: tuple[hir.Condition, ...],
    sink: Sink,
) -> list[hir.Check]:
    """The exclusions of `exclude MODULE`: copies of those of *module*, under *conditions*. Each
    names the *line* that it comes from."""
    if not module.exclusions:
        sink.report(msg.settings.DROPS_NOTHING, line.span, module=line.module)
    return [
        replace(
            check,
            because="; ".join(filter(None, (check.because, line.because))),
            conditions=(*conditions, *check.conditions),
            through=line,
        )
        for check in module.exclusions
    ]


def _may_be_script(name: str) -> bool:
    """Whether *name* is the name of a phase or a hook."""
    return name.startswith(("pre", "post")) or name.endswith(("Phase", "Hook"))
