"""Turn a condition on a variable into a predicate on its node: `$x/a = 3` becomes `a = 3`."""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import reads_focus
from xylem.syntax import ast

from .substitution import FocusInTheWay


def of_focus(condition: ast.Expr, name: str) -> ast.Expr:
    """The condition with the focus for `$name`; FocusInTheWay if the focus differs there, or is already read."""
    if reads_focus(condition):
        raise FocusInTheWay

    def focus(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=ast.VarRef(name=found), right=ast.AxisStep() as step) if found.expanded == ("", name):
                if _reads(step, name):
                    raise FocusInTheWay
                return step
            case ast.VarRef(name=found) if found.expanded == ("", name):
                return ast.ContextItem(span=node.span)
        if any(_reads(part, name) for part in _in_other_focus(node)):
            raise FocusInTheWay
        return None

    return replaced(condition, focus)


def _in_other_focus(node: ast.Node) -> tuple[ast.Node, ...]:
    """The parts of a node that are evaluated with another focus."""
    match node:
        case ast.Path(right=right) | ast.SimpleMap(right=right):
            return (right,)
        case ast.Filter(predicate=predicate):
            return (predicate,)
        case ast.AxisStep(predicates=predicates):
            return predicates
        case ast.InlineFunction(body=body):
            return (body,)
    return ()


def _reads(node: ast.Node, name: str) -> bool:
    return any(isinstance(part, ast.VarRef) and part.name.expanded == ("", name) for part in node.walk())
