"""Quick answers about an expression's type before any code is written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.analysis.types import signature_type
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, ItemType, NodeItem

if TYPE_CHECKING:
    from .compiler import Compiler

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


def may_be_number(c: Compiler | None, node: ast.Expr) -> bool:
    """Whether a predicate may turn out to be a number, and so a position."""
    if isinstance(node, _NEVER_NUMBERS):
        return False
    match node:
        case ast.Path(right=right):
            return may_be_number(None, right)
        case ast.Filter(base=base):
            return may_be_number(c, base)
        case ast.FunctionCall(name=name, arguments=arguments):
            return _call_may_be_number(name, len(arguments))
        case ast.VarRef(name=name) if c is not None:
            variable = c.scope.variables.get(name.expanded)
            return variable is None or _item_may_be_number(variable.code.item)
        case ast.ContextItem() if c is not None and c.scope.focus.item is not None:
            return _item_may_be_number(c.scope.focus.item.code.item)
        case ast.If(then=then, otherwise=otherwise):
            return may_be_number(c, then) or may_be_number(c, otherwise)
    return True


def _call_may_be_number(name: ast.Name, arity: int) -> bool:
    if name.uri == FN and name.local in ("true", "false", "not", "boolean", "exists", "empty"):
        return False
    builtin = look_up(*name.expanded, arity) or look_up(*name.expanded, arity + 1)
    return builtin is None or _item_may_be_number(signature_type(builtin.returns).item)


def _item_may_be_number(item: ItemType) -> bool:
    if isinstance(item, NodeItem):
        return False
    if isinstance(item, AtomicItem):
        return item.type in (at.ANY_ATOMIC, at.ERROR) or item.type.derives_from(at.NUMERIC) or item.type is at.NUMERIC
    return True
