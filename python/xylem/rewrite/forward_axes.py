"""Rewrite steps to parents, ancestors and siblings so that paths only go forward, where that is possible.

A stream shows an element before its content, so a backward step refers to something that has passed. Most such steps
have a forward form (`forward_parent`, `forward_ancestor` and `forward_predicate`; after "XPath: Looking Forward",
Olteanu et al., and XQPull §3.6). The others are answered from a buffer one level up.
"""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.near_siblings import AXES
from xylem.functions.registry import FN
from xylem.syntax import ast

from .forward_ancestor import forward_ancestor
from .forward_parent import forward_parent
from .forward_predicate import forward_predicate
from .forward_sibling import forward_sibling
from .nearest_siblings import with_nearest
from .step_lists import StepList, has_only_tests, is_document, relative, step_list

BACKWARD = {"parent", "ancestor", "ancestor-or-self", *AXES}
_FORMS = (forward_predicate, forward_parent, forward_ancestor, forward_sibling)


def forward(expr: ast.Expr) -> ast.Expr:
    """An equal expression with as few backward steps as possible; the very same object if there are none."""
    if not any(isinstance(node, ast.AxisStep) and node.axis in BACKWARD for node in expr.walk()):
        return expr
    return replaced(with_nearest(expr), _replacement)


def _replacement(node: ast.Node) -> ast.Node | None:
    if isinstance(node, ast.FunctionCall) and node.name.uri == FN and node.name.local == "count":
        counted = _count_of_parents(node) or _count_below_ancestors(node)
        if counted is not None:
            return counted
    if not isinstance(node, ast.Path):
        return None
    path = step_list(node)
    if path is None:
        return None
    below = below_all_ancestors(path)
    if below is not None:
        return ast.If(*below, ast.SequenceExpr(), span=node.span)
    changed = False
    while True:
        made = next((made for form in _FORMS if (made := form(path)) is not None), None)
        if made is None:
            break
        path, changed = made, True
    if not changed:
        return None
    # Predicates may hold backward steps of their own.
    return _inside(path)


def _inside(path: StepList) -> ast.Expr:
    steps = tuple(replaced(step, _replacement) for step in path.steps)
    return StepList(path.start, steps).path()


def below_all_ancestors(path: StepList) -> tuple[ast.Expr, ast.Expr] | None:
    """$ROOT//a[p]/ancestor::*//π → if (exists($ROOT/*//a[p])) then $ROOT/*//π: the condition and the path.

    If anything has an ancestor, the document's element is one, and what is below the others is below it.
    """
    if len(path.steps) < 3 or not is_document(path.start):
        return None
    down, up, first = path.steps[:3]
    if down.axis != "descendant" or up.axis != "ancestor" or first.axis != "descendant" or up.predicates:
        return None
    if not isinstance(up.test, ast.Wildcard) or up.test.local is not None or up.test.uri is not None:
        return None
    if not has_only_tests(down):
        return None
    top = ast.AxisStep("child", ast.Wildcard(), span=up.span)
    some = ast.FunctionCall(ast.Name("exists", "fn", FN), (StepList(path.start, (top, down)).path(),), span=down.span)
    return replaced(some, _replacement), StepList(path.start, (top, *path.steps[2:])).path()


def _count_below_ancestors(call: ast.FunctionCall) -> ast.Expr | None:
    """count(if (χ) then π else ()) → if (χ) then count(π) else 0."""
    path = step_list(call.arguments[0])
    below = None if path is None else below_all_ancestors(path)
    if below is None:
        return None
    condition, counted = below
    return ast.If(
        condition, ast.FunctionCall(call.name, (counted,), span=call.span), ast.IntegerLiteral(0), span=call.span
    )


def _count_of_parents(call: ast.FunctionCall) -> ast.Expr | None:
    """count($ROOT//a[p]/..) → count($ROOT//*[a[p]]) + count($ROOT[a[p]]): the document may be a parent too."""
    path = step_list(call.arguments[0])
    if path is None or len(path.steps) != 2 or not is_document(path.start):
        return None
    down, up = path.steps
    if down.axis != "descendant" or up.axis != "parent" or not isinstance(up.test, ast.AnyKindTest):
        return None
    if up.predicates or not has_only_tests(down):
        return None
    child = relative([ast.AxisStep("child", down.test, down.predicates, span=down.span)])
    elements = ast.Path(path.start, ast.AxisStep("descendant", ast.Wildcard(), (child,), span=up.span))
    document = ast.Filter(path.start, child, span=up.span)
    counts = [ast.FunctionCall(call.name, (part,), span=call.span) for part in (elements, document)]
    return ast.Arithmetic("+", counts[0], counts[1], span=call.span)
