"""Lookups in JSON texts of the record, and variables and loops for values that are parsed from them.

        parse-json($o/data)?lines?*?sku              →   JsonPath(data, ("lines", None, "sku"))
        let $j := parse-json($o/data) return $j?id   →   LetValue(0, JsonPath(data, raw), JsonPath($0, ("id",)))
        for $l in $j?lines?* return $l?sku           →   EachItem(1, JsonPath($0, ("lines", None), raw), …)

Safe:   a variable holds a text that has been checked. Where its value is used, it must be a string, a number or a
        boolean: maps and arrays are left to the query, except where they are looked up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.functions.registry import FN, PREFIXES
from xylem.plan.kernel_expression import Call, JsonPath, KernelExpression, SlotValue
from xylem.syntax import ast

from ..template_paths import key_of
from .item_kinds import JSON

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_Step = str | int | None


def json_path(c: ExpressionCompiler, expr: ast.Expr) -> JsonPath | None:
    """What lookups find in a JSON text; None for any other expression."""
    text = _text(c, expr)
    if text is not None:
        return JsonPath(text)
    looked_up = _step(expr)
    found = None if looked_up is None else json_path(c, looked_up[0])
    if looked_up is None or found is None:
        return None
    _, step, is_call = looked_up
    if is_call:
        # Only a lookup may find nothing to look into, or several maps.
        found = JsonPath(Call("one", (replace(found, raw=True),)))
    return replace(found, steps=(*found.steps, step))


def _step(expr: ast.Expr) -> tuple[ast.Expr, _Step, bool] | None:
    """What is looked up by a constant, the key, and whether the map or array is called as a function."""
    match expr:
        case ast.Lookup(base=base, key=ast.StringLiteral(value=key)):
            return base, key, False
        case ast.Lookup(base=base, key=ast.IntegerLiteral(value=place)) if place > 0:
            return base, place, False
        case ast.Lookup(base=base, key=None):
            return base, None, False
        case ast.DynamicCall(function=base, arguments=(ast.StringLiteral(value=key),)):
            return base, key, True
        case ast.FunctionCall(name=name, arguments=(base, ast.StringLiteral(value=key))):
            return (base, key, True) if name.expanded == (PREFIXES["map"], "get") else None
        case ast.FunctionCall(name=name, arguments=(base, ast.IntegerLiteral(value=place))) if place > 0:
            return (base, place, True) if name.expanded == (PREFIXES["array"], "get") else None
    return None


def _text(c: ExpressionCompiler, expr: ast.Expr) -> KernelExpression | None:
    match expr:
        case ast.FunctionCall(name=name, arguments=(text,)) if name.expanded == (FN, "parse-json"):
            return c.value(text)
        case ast.VarRef(name=name) if key_of(name) in c.slots:
            slot = SlotValue(c.slots[key_of(name)])
            return slot if c.kinds_of(slot) == JSON else None
    return None
