"""fn:sort and fn:fold-left, with functions that are written there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import FoldValues, KernelExpression, KeyedValues, SortedValues
from xylem.plan.result_template import Order
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .as_loops import is_atomic
from .item_kinds import ELEMENTS, VALUES

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


def fold(c: ExpressionCompiler, values: ast.Expr, start: ast.Expr, step: ast.InlineFunction) -> KernelExpression:
    """fold-left(E, Z, function($a, $b) { F }), if only the values of nodes are used."""
    if len(step.parameters) != 2 or step.returns is not None or any(each.type for each in step.parameters):
        raise NoTemplate("a function with types", step)
    if not is_atomic(start) or not is_atomic(step.body):
        raise NoTemplate("a fold that may give nodes", step)
    taken, first = c.value(values), c.value(start)
    with c.scope():
        so_far, item = (c.new_slot(each.name) for each in step.parameters)
        kinds = c.kinds_of(taken)
        if c.keeps_nodes and kinds == ELEMENTS:
            item = c.new_slot(step.parameters[1].name, kinds)
        elif not is_atomic(values):
            item = c.leaf_slot(step.parameters[1].name, kinds)
        return FoldValues(so_far, item, taken, first, c.value(step.body))


def sort(c: ExpressionCompiler, values: ast.Expr, options: Sequence[ast.Expr]) -> KernelExpression:
    """sort(E, (), function($x) { K }): for $x in E order by K return $x, where missing keys come first."""
    match options:
        case () | (ast.SequenceExpr(items=()),):
            item, key = c.fresh(), None
        case (ast.SequenceExpr(items=()), ast.InlineFunction(parameters=(parameter,), returns=None, body=body)):
            item, key = parameter.name, body
            if parameter.type is not None:
                raise NoTemplate("a function with types", values)
        case _:
            raise NoTemplate("a sort by a collation, or a function that is not written there", values)
    if not c.by_code_points:
        raise NoTemplate("a sort by a collation", values)
    kept = c.kept_kinds(c.value(values), values)
    if kept != VALUES and key is None and not c.keeps_nodes:
        raise NoTemplate("nodes in another order", values)
    loop = ast.ForClause(item, None, values)

    def keyed() -> KernelExpression:
        found = c.value(ast.VarRef(item))
        return KeyedValues((c.value(ast.VarRef(item) if key is None else key),), found)

    with c.scope():
        return SortedValues((Order(False, False),), c.clauses((loop,), keyed))
