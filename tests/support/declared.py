"""The recipes and overlays that a module of the standard library declares, for its page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache

from support.compile import codes, compile_text, messages, std_sources
from support.stdlib_page import (
    Exclusion,
    Flag,
    Module,
    Overlay,
    Recipe,
    type_text,
)
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import show_target


@cache
def module_program(module: str) -> hir.Program:
    compilation = compile_text(f"use std.{module}\n")
    assert codes(compilation) == [], messages(compilation)
    assert compilation.resolution is not None
    return compilation.resolution.program


def module_recipes(module: str) -> list[Recipe]:
    """The recipes that `std.<module>` declares, in the order of its text."""
    recipes = module_program(module).recipes
    own = [recipe for recipe in recipes if recipe.span.file == f"std/{module}.tvar"]
    return [
        Recipe(
            recipe.name,
            recipe.parent.name if recipe.parent is not None else None,
            sorted({axis for one in recipe.chain() for axis in axes(one.layer)}),
            [flag(one, module) for one in recipe.layer.flags],
        )
        for recipe in own
    ]


def flag(declared: hir.FlagDef, module: str) -> Flag:
    default = text_of(declared.default, module)
    return Flag(declared.name, type_text(declared.type), default, declared.because)


def text_of(expr: hir.Expr, module: str) -> str:
    """What is written, on one line."""
    return " ".join(std_sources()[module][expr.span.start : expr.span.end].split())


def module_exclusions(module: str) -> list[Exclusion]:
    """The exclusions that `std.<module>` declares, in the order of its text."""
    return [
        Exclusion(text_of(check.expr, module), list(dict.fromkeys(axes(check))), check.because)
        for check in module_program(module).excludes
        if check.span.file == f"std/{module}.tvar"
    ]


def module_overlays(module: str) -> list[Overlay]:
    """The overlays and patches that `std.<module>` declares, in the order of its text."""
    overlays = module_program(module).overlays
    own = [overlay for overlay in overlays if overlay.span.file == f"std/{module}.tvar"]
    return [
        Overlay(
            overlay.name,
            show_target(overlay.target) or ", ".join(written(overlay.layer)),
            sorted(set(axes(overlay.layer))),
            overlay.because,
        )
        for overlay in own
    ]


def written(layer: hir.Layer) -> Iterator[str]:
    for write in layer.writes:
        if isinstance(write, hir.Write):
            yield ".".join(part for part in write.path if part != "attrs")


def axes(node: object) -> Iterator[str]:
    """The axes that a declaration reads, through `let`s, not through other declarations."""
    match node:
        case hir.AxisRef():
            yield node.axis
        case hir.LetDef():
            yield from axes(node.expr)
        case hir.Table() | hir.RecipeDef() | hir.OverlayDef() | hir.MatrixDef():
            pass
        case tuple() | list():
            for item in node:
                yield from axes(item)
        case _ if dataclasses.is_dataclass(node):
            for field in dataclasses.fields(node):
                yield from axes(getattr(node, field.name))
        case _:
            pass


def module_page(module: str, tables: dict[str, hir.Table]) -> Module:
    """All that the page shows of a module."""
    return Module(
        module,
        std_sources()[module],
        tuple(tables.values()),
        module_recipes(module),
        module_overlays(module),
        module_exclusions(module),
    )
