"""Paths that begin at nodes that were gathered: in a variable, by a sort, in several places.

        sort($o/line)/sku    →   document order(EachOf(sorted lines, sku))
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import Call, EachOf, KernelExpression, SlotValue
from xylem.syntax import ast

from ..template_paths import NoTemplate, key_of
from .general_paths import general_path, has_general_steps
from .item_kinds import ELEMENTS, are_nodes

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_GATHERED = (
    ast.FunctionCall, ast.Flwor, ast.If, ast.SequenceExpr, ast.SetOperation, ast.Lookup, ast.DynamicCall,
    ast.TreatAs,
)  # fmt: skip
"""Expressions that give nodes otherwise than by steps from the element of a loop."""


def begins_at_items(c: ExpressionCompiler, expr: ast.Expr) -> bool:
    """Whether a path begins at nodes that were gathered, or has steps that no path of a template has."""
    if not c.keeps_nodes or not isinstance(expr, ast.Path) or not isinstance(expr.right, ast.AxisStep):
        return False
    if has_general_steps(c.in_terms_of_loops(expr)):
        return True
    match _beginning(expr):
        case ast.VarRef(name=name):
            return key_of(name) in c.slots and are_nodes(c.kinds_of(SlotValue(c.slots[key_of(name)])))
        case ast.Filter(base=base):
            while isinstance(base, ast.Filter):
                base = base.base
            return isinstance(base, _GATHERED) or (isinstance(base, ast.VarRef) and key_of(base.name) in c.slots)
        case beginning:
            return isinstance(beginning, _GATHERED)


def from_items(c: ExpressionCompiler, path: ast.Path) -> KernelExpression:
    """The steps of a path from each of some nodes, in document order."""
    whole = c.in_terms_of_loops(path)
    if has_general_steps(whole):
        assert isinstance(whole, ast.Path)
        return general_path(c, whole)
    beginning, item = _beginning(path), c.fresh()
    nodes = c.value(beginning)
    if c.kinds_of(nodes) != ELEMENTS:
        raise NoTemplate("a path from anything but elements", path)
    with c.scope(), c.turn(item) as turn:
        inner = c.value(_replaced_beginning(path, ast.VarRef(item)))
    return Call("document order", (turn.around(EachOf(nodes, inner)),))


def _beginning(path: ast.Expr) -> ast.Expr:
    """What the axis steps of a path begin at."""
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        path = path.left
    return path


def _replaced_beginning(path: ast.Expr, beginning: ast.Expr) -> ast.Expr:
    """The same steps from something else."""
    if isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        return replace(path, left=_replaced_beginning(path.left, beginning))
    return beginning


def set_operation(c: ExpressionCompiler, expr: ast.SetOperation) -> KernelExpression:
    """Nodes of one expression that are, or are not, nodes of another; or those of both."""
    left, right = c.value(expr.left), c.value(expr.right)
    if not c.keeps_nodes or "value" in c.kinds_of(left) | c.kinds_of(right):
        raise NoTemplate("an operation on anything but nodes", expr)
    if expr.op == "union":
        return Call("document order", (Call(",", (left, right)),))
    return Call(expr.op, (left, right))
