"""Resolve recipes: each after the one that it extends."""

from __future__ import annotations

from tvarc.light import Literal, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.lets import Lets
from tvarc.meaning.declarations.settings import Body, Settings
from tvarc.meaning.names.extended import extended, refuse_circle
from tvarc.meaning.names.scope import IN_ATTRS, Symbol, View
from tvarc.syntax import ast
from tvarc.text.source import Span


class Recipes:
    """Resolves the recipes of one module. It adds them to *recipes*, which has those of all modules
    by id."""

    __slots__ = (
        "circular",
        "items",
        "known",
        "lets",
        "open",
        "recipes",
        "scope",
        "settings",
        "sink",
        "sources",
    )

    def __init__(
        self,
        items: tuple[ast.Item, ...],
        settings: Settings,
        lets: Lets,
        recipes: dict[str, hir.RecipeDef],
    ) -> None:
        self.items = items
        self.scope = settings.scope
        self.settings = settings
        self.sink = settings.sink
        self.lets = lets
        self.recipes = recipes
        self.open: list[str] = []
        self.known: dict[hir.RecipeDef, tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]] = {}
        self.sources = {
            item.name.span: item for item in reversed(items) if isinstance(item, ast.Recipe)
        }
        self.circular: set[str] = set()

    def recipe(self, item: ast.Recipe) -> hir.RecipeDef | None:
        symbol = self.scope.own.get(item.name.text)
        kind: Literal["recipe", "mixin"] = "mixin" if item.partial else "recipe"
        if symbol is None or symbol.kind != kind or symbol.span != item.name.span:
            return None
        done = self.recipes.get(symbol.id)
        if done is not None:
            return done
        if symbol.id in self.open or symbol.id in self.circular:
            return None
        self.open.append(symbol.id)
        parent = self.parent(item)
        for names in item.mixins:
            if not isinstance(parent, hir.Broken):
                parent = self.with_mixin(parent, names)
        self.open.pop()
        if isinstance(parent, hir.Broken):
            return None
        lets, flags = self.inherited(parent)
        view = self.body_view(item.body, symbol, lets, flags)
        body = Body(item.name.text, symbol.id, view)
        self.settings.recipe_items(item.body, body)
        excludes = [check for check in body.checks if check.kind == "exclude"]
        for span in dict.fromkeys((check.through or check).span for check in excludes):
            self.sink.report(msg.settings.EXCLUDE_IN_RECIPE, span)
        body.checks = [check for check in body.checks if check.kind != "exclude"]
        for write in body.writes:
            if item.partial and write.path == ("package",):
                self.sink.report(msg.settings.PACKAGE_OF_MIXIN, write.span, name=item.name.text)
        name, layer = item.name.text, body.layer(item.span)
        recipe = hir.RecipeDef(name, symbol.id, parent, layer, item.name.span, view.lets, kind)
        self.recipes[symbol.id] = recipe
        return recipe

    def with_mixin(
        self, parent: hir.RecipeDef | None, names: tuple[ast.Name, ...]
    ) -> hir.RecipeDef | hir.Broken:
        """The mixin with this name, applied on top of *parent*. Broken after reporting why it
        cannot be."""
        span = names[0].span.to(names[-1].span)
        symbol = extended(names, "mixin", self.settings.expressions.names)
        mixin: hir.RecipeDef | None = None
        if symbol is not None:
            own = symbol.file == self.scope.file
            mixin = self.recipe(self.sources[symbol.span]) if own else self.recipes.get(symbol.id)
        if mixin is None:
            return hir.Broken(span)
        if parent is not None and mixin.id in [link.id for link in parent.chain()]:
            self.sink.report(msg.settings.MIXIN_TWICE, span, name=mixin.name)
        lets, flags = self.inherited(parent)
        declared = {flag.name: flag.span for flag in mixin.layer.flags}
        declared |= {name: let.span for name, let in mixin.lets.items()}
        for name, place in declared.items():
            known = lets.get(name) or flags.get(name)
            if known is not None and known.span != place:
                others = [known.span, place]
                self.sink.report(msg.settings.NAME_OF_MIXIN, span, others=others, name=name)
        return replace(mixin, parent=parent)

    def inherited(
        self, recipe: hir.RecipeDef | None
    ) -> tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]:
        """The lets and flags of *recipe* and of all that it extends. They are found once for each
        recipe. A recipe that adds none shares those of its parent, because a chain of recipes may
        be long."""
        waiting: list[hir.RecipeDef] = []
        while recipe is not None and recipe not in self.known:
            waiting.append(recipe)
            recipe = recipe.parent
        lets, flags = self.known[recipe] if recipe is not None else ({}, {})
        for link in reversed(waiting):
            if link.lets:
                lets = lets | link.lets
            if link.layer.flags:
                flags = flags | {flag.name: flag for flag in link.layer.flags}
            self.known[link] = (lets, flags)
        return lets, flags

    def body_view(
        self,
        items: tuple[ast.Item, ...],
        symbol: Symbol,
        lets: dict[str, hir.LetDef],
        flags: dict[str, hir.FlagDef],
    ) -> View:
        """The view of a recipe's body. It has the body's own lets and flags, and the inherited
        ones."""
        own_lets: dict[str, hir.LetDef] = {}
        own_flags: dict[str, hir.FlagDef] = {}
        seen: dict[str, Span] = {n: let.span for n, let in lets.items()}
        seen |= {n: flag.span for n, flag in flags.items()}
        for item in items:
            declares = isinstance(item, ast.Let) or (
                isinstance(item, ast.Flag) and item.type is not None
            )
            if not declares:
                continue
            assert isinstance(item, ast.Let | ast.Flag)
            name = item.name.text
            known = seen.get(name) or next((s.span for s in self.scope.find(name)), None)
            if known is not None:
                if isinstance(item, ast.Flag) or name in flags:
                    message = msg.settings.FLAG_TWICE
                else:
                    message = msg.settings.LET_TWICE if name in lets else msg.settings.NAME_TWICE
                self.sink.report(message, item.name.span, others=[known], name=name)
                continue
            seen[name] = item.name.span
            if isinstance(item, ast.Flag):
                own_flags[name] = hir.FlagDef(
                    name, hir.FieldType("any"), hir.Broken(item.span), "", "", item.name.span
                )
        view = View(
            "a recipe", roots=IN_ATTRS, lets={**lets, **own_lets}, flags={**flags, **own_flags}
        )
        self.lets.declare(items, own_lets, symbol.id, view)
        view = replace(view, lets={**lets, **own_lets})
        for let in own_lets.values():
            self.lets.widen(let, view)
        for let in own_lets.values():
            self.lets.demand(let)
        return view

    def parent(self, item: ast.Recipe) -> hir.RecipeDef | hir.Broken | None:
        """The recipe that *item* extends; Broken after reporting that there is none."""
        if not item.extends:
            return None
        symbol = extended(item.extends, "recipe", self.settings.expressions.names)
        span = item.extends[0].span.to(item.extends[-1].span)
        if symbol is None:
            return hir.Broken(span)
        if symbol.file != self.scope.file:
            return self.recipes.get(symbol.id) or hir.Broken(span)
        if symbol.id in self.open:
            refuse_circle(symbol, self.open, span, self.sink)
            self.circular.update(self.open)
            return hir.Broken(span)
        return self.recipe(self.sources[symbol.span]) or hir.Broken(span)
