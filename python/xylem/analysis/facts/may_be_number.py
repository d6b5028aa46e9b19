"""Decide whether a predicate may be a number, and so a position, by its form and its names."""

from __future__ import annotations

from collections.abc import Callable

from xylem.analysis.types import signature_type
from xylem.functions.library import look_up
from xylem.functions.traits import BOOLEAN
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, ItemType, NodeItem

Known = Callable[[ast.Expr], ItemType | None]
"""The type of the items of a variable, or of the context item, if the caller knows it."""

_NEVER_NUMBERS = (
    ast.And,
    ast.Or,
    ast.ValueComparison,
    ast.GeneralComparison,
    ast.NodeComparison,
    ast.Quantified,
    ast.InstanceOf,
    ast.CastableAs,
    ast.AxisStep,
    ast.Root,
    ast.SetOperation,
    ast.StringLiteral,
    ast.StringConcat,
    ast.DirectElement,
)


def _nothing(node: ast.Expr) -> ItemType | None:
    return None


def may_be_number(node: ast.Expr, known: Known = _nothing) -> bool:
    """Whether the items of an expression may include a number."""
    if isinstance(node, _NEVER_NUMBERS):
        return False
    match node:
        case ast.Path(right=right):
            # Facts about the focus do not hold after a step.
            return may_be_number(right)
        case ast.Filter(base=base):
            return may_be_number(base, known)
        case ast.FunctionCall(name=name, arguments=arguments):
            return _call_may_be_number(name, len(arguments))
        case ast.VarRef() | ast.ContextItem():
            item = known(node)
            return item is None or _item_may_be_number(item)
        case ast.If(then=then, otherwise=otherwise):
            return may_be_number(then, known) or may_be_number(otherwise, known)
    return True


def _call_may_be_number(name: ast.Name, arity: int) -> bool:
    if name.expanded in BOOLEAN:
        return False
    builtin = look_up(*name.expanded, arity) or look_up(*name.expanded, arity + 1)
    return builtin is None or _item_may_be_number(signature_type(builtin.returns).item)


def _item_may_be_number(item: ItemType) -> bool:
    if isinstance(item, NodeItem):
        return False
    if isinstance(item, AtomicItem):
        return item.type in (at.ANY_ATOMIC, at.ERROR) or item.type.derives_from(at.NUMERIC) or item.type is at.NUMERIC
    return True
