"""Expressions that give atomic values, functions or nothing, and never nodes, recognised by their form."""

from __future__ import annotations

from xylem.analysis.types import signature_type
from xylem.functions.library import look_up
from xylem.functions.registry import PREFIXES
from xylem.syntax import ast
from xylem.values.atomic_type import ATOMIC_TYPES
from xylem.values.sequence_type import AtomicItem

_VALUES = (
    ast.And,
    ast.Or,
    ast.Arithmetic,
    ast.CurlyArray,
    ast.CastAs,
    ast.CastableAs,
    ast.DecimalLiteral,
    ast.DoubleLiteral,
    ast.GeneralComparison,
    ast.InstanceOf,
    ast.IntegerLiteral,
    ast.MapConstructor,
    ast.NodeComparison,
    ast.Quantified,
    ast.Range,
    ast.SquareArray,
    ast.StringConcat,
    ast.StringConstructor,
    ast.StringLiteral,
    ast.Unary,
    ast.ValueComparison,
)


def value_type(expr: ast.Expr) -> AtomicItem | None:
    """The type of all values of an expression, if its form determines it: /log/entry/xs:integer(@size)."""
    match expr:
        case ast.FunctionCall(name=name, arguments=(_,)) if name.uri == PREFIXES["xs"]:
            found = ATOMIC_TYPES.get(name.local)
            return None if found is None else AtomicItem(found)
        case ast.FunctionCall(name=name, arguments=arguments):
            builtin = look_up(*name.expanded, len(arguments)) or look_up(*name.expanded, len(arguments) + 1)
            item = None if builtin is None else signature_type(builtin.returns).item
            return item if isinstance(item, AtomicItem) else None
        case ast.Path(right=right) | ast.SimpleMap(right=right):
            return value_type(right)
        case ast.Flwor(result=result):
            return value_type(result)
    return None


def gives_values(expr: ast.Expr) -> bool:
    """Whether the items of an expression certainly include no node."""
    match expr:
        case ast.FunctionCall(name=name) if name.uri == PREFIXES["xs"]:
            return True
        case ast.FunctionCall(name=name, arguments=arguments):
            builtin = look_up(*name.expanded, len(arguments)) or look_up(*name.expanded, len(arguments) + 1)
            return builtin is not None and isinstance(signature_type(builtin.returns).item, AtomicItem)
        case ast.SequenceExpr(items=items):
            return all(map(gives_values, items))
        case ast.If(then=then, otherwise=otherwise):
            return gives_values(then) and gives_values(otherwise)
        case ast.Path(right=right) | ast.SimpleMap(right=right):
            return gives_values(right)
        case ast.Flwor(result=result):
            return gives_values(result)
    return isinstance(expr, _VALUES)
