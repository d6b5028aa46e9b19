"""Maps of constants, such as tables of codes, that are asked for a key of the record.

        map { "a": "open", "c": "closed" }($o/@state)  →  Lookup((("a", ("open",)), ("c", ("closed",))), False, @state)
        $names?($o/@state), map:get($names, $o/@state)  →  GivenLookup(…), for a map that is known when a run begins

Needs:  keys that are strings, and atomic values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.functions.registry import PREFIXES
from xylem.plan.kernel_expression import (
    Call,
    Constant,
    EachItem,
    GivenLookup,
    KernelExpression,
    Lookup,
    SlotValue,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .as_loops import is_atomic

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

MAP = PREFIXES["map"]


def lookup(c: ExpressionCompiler, expr: ast.Expr) -> KernelExpression | None:
    """A lookup in a map; None for any other expression."""
    match expr:
        case ast.DynamicCall(function=base, arguments=(key,)) if not isinstance(key, ast.ArgumentPlaceholder):
            return _of_key(c, base, Call("one", (c.value(key),)), is_test=False) if _may_be_map(c, base) else None
        case ast.FunctionCall(name=name, arguments=(base, key)) if name.expanded in ((MAP, "get"), (MAP, "contains")):
            return _of_key(c, base, Call("one", (c.value(key),)), is_test=name.local == "contains")
        case ast.Lookup(base=base, key=ast.StringLiteral() as key) if _may_be_map(c, base):
            return _of_key(c, base, c.value(key), is_test=False)
        case ast.Lookup(base=base, key=ast.Expr() as key) if _may_be_map(c, base):
            # Several keys give the values of all of them.
            values = c.value(key)
            with c.scope():
                slot = c.new_slot(c.fresh())
                return EachItem(slot, values, _of_key(c, base, SlotValue(slot), is_test=False))
    return None


def _may_be_map(c: ExpressionCompiler, base: ast.Expr) -> bool:
    return isinstance(base, ast.MapConstructor) or c.given_map(base) is not None


def _of_key(c: ExpressionCompiler, base: ast.Expr, key: KernelExpression, *, is_test: bool) -> KernelExpression:
    if not isinstance(base, ast.MapConstructor):
        function = c.given_map(base)
        if function is None:
            raise NoTemplate("a map that is no constant", base)
        return GivenLookup(function, is_test, key)
    entries: dict[str, tuple[Constant, ...]] = {}
    for entry in base.entries:
        if not isinstance(entry.key, ast.StringLiteral) or entry.key.value in entries:
            raise NoTemplate("keys that are computed, or there twice", base)
        items = entry.value.items if isinstance(entry.value, ast.SequenceExpr) else (entry.value,)
        entries[entry.key.value] = tuple(_constant(c, item) for item in items)
    return Lookup(tuple(entries.items()), is_test, key)


def _constant(c: ExpressionCompiler, item: ast.Expr) -> Constant:
    value = c.value(item) if is_atomic(item) else None
    if not isinstance(value, Constant):
        raise NoTemplate("a map whose values are computed", item)
    return value


def is_table(value: ast.Expr) -> bool:
    """Whether an expression is a map whose values are atomic, judged by its form."""
    match value:
        case ast.MapConstructor(entries=entries):
            return all(is_atomic(entry.value) for entry in entries)
        case ast.FunctionCall(name=name, arguments=(_, entry)) if name.expanded == (MAP, "entry"):
            return is_atomic(entry)
        case ast.FunctionCall(name=name, arguments=(maps, *_)) if name.expanded == (MAP, "merge"):
            return is_table(maps)
        case ast.Flwor(result=result):
            return is_table(result)
        case ast.SimpleMap(right=right):
            return is_table(right)
        case ast.SequenceExpr(items=items):
            return bool(items) and all(map(is_table, items))
    return False
