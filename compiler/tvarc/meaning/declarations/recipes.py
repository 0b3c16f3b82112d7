"""Resolve recipes: each after the one that it extends."""

from __future__ import annotations

from tvarc.light import replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.lets import Lets
from tvarc.meaning.declarations.settings import Body, Settings
from tvarc.meaning.names.extended import extended, refuse_circle
from tvarc.meaning.names.scope import IN_ATTRS, Symbol, View
from tvarc.syntax import ast
from tvarc.text.source import Span


class Recipes:
    """Resolves the recipes of one module into *recipes*, which holds those of all by id."""

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
        self.known: dict[str, tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]] = {}
        self.sources = {
            item.name.span: item for item in reversed(items) if isinstance(item, ast.Recipe)
        }
        self.circular: set[str] = set()

    def recipe(self, item: ast.Recipe) -> hir.RecipeDef | None:
        symbol = self.scope.own.get(item.name.text)
        if symbol is None or symbol.kind != "recipe" or symbol.span != item.name.span:
            return None
        done = self.recipes.get(symbol.id)
        if done is not None:
            return done
        if symbol.id in self.open or symbol.id in self.circular:
            return None
        self.open.append(symbol.id)
        parent = self.parent(item)
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
        recipe = hir.RecipeDef(
            item.name.text, symbol.id, parent, body.layer(item.span), item.name.span, view.lets
        )
        self.recipes[symbol.id] = recipe
        return recipe

    def inherited(
        self, recipe: hir.RecipeDef | None
    ) -> tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]:
        """The lets and flags of *recipe* and of all that it extends. They are found once for each
        recipe, and shared where it adds none: a chain of recipes may be long."""
        waiting: list[hir.RecipeDef] = []
        while recipe is not None and recipe.id not in self.known:
            waiting.append(recipe)
            recipe = recipe.parent
        lets, flags = self.known[recipe.id] if recipe is not None else ({}, {})
        for link in reversed(waiting):
            if link.lets:
                lets = lets | link.lets
            if link.layer.flags:
                flags = flags | {flag.name: flag for flag in link.layer.flags}
            self.known[link.id] = (lets, flags)
        return lets, flags

    def body_view(
        self,
        items: tuple[ast.Item, ...],
        symbol: Symbol,
        lets: dict[str, hir.LetDef],
        flags: dict[str, hir.FlagDef],
    ) -> View:
        """The view of a recipe's body: lets and flags of its own beside the inherited ones."""
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
                self.sink.report(
                    msg.settings.FLAG_TWICE
                    if isinstance(item, ast.Flag)
                    else msg.settings.NAME_TWICE,
                    item.name.span,
                    others=[known],
                    name=name,
                )
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
