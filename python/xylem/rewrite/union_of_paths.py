"""Turn a union, intersection or difference of paths that differ only in their last step into one path.

    π/a | π/b[p]     →     π/*[self::a or self::b[p]]
    //a | //b        →     //*[self::a or self::b]
    π/(a | b)        →     π/*[self::a or self::b]
    π/(a, b)         →     π/*[self::a or self::b]
    π/* except π/a   →     π/*[not(self::a)]

Gain:   one scan of the elements in document order: neither side waits for the other, and no buffer for a sort.
Needs:  the same start, which constructs no new nodes, and the same steps up to the last; last steps on one axis, with
        tests for elements and without positional predicates.
Safe:   a path selects each node once, in document order, and so does an operation on sets of nodes.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import FN
from xylem.syntax import ast

from .step_lists import StepList, has_only_tests, step_list

_AXES = {"child", "descendant", "descendant-or-self", "self", "following-sibling"}
_STARTS = (ast.Root, ast.VarRef, ast.ContextItem)


def unite_paths(expr: ast.Expr) -> ast.Expr:
    """An equal expression without such unions; the very same object if there are none."""
    if not any(isinstance(node, ast.SetOperation) or _step_choice(node) for node in expr.walk()):
        return expr
    return replaced(expr, _replacement)


def _replacement(node: ast.Node) -> ast.Node | None:
    by_steps = _step_choice(node)
    if by_steps is not None:
        return replaced(by_steps, _replacement)
    if not isinstance(node, ast.SetOperation):
        return None
    if node.op != "union":
        return _restricted(node)
    members = [_steps(replaced(member, _replacement)) for member in _members(node)]
    paths = [member for member in members if member is not None]
    if len(paths) < len(members) or any(not _differ_in_last(paths[0], path) for path in paths[1:]):
        return None
    last = paths[0].steps[-1]
    choices = [replace(path.steps[-1], axis="self") for path in paths]
    some: ast.Expr = choices[0]
    for choice in choices[1:]:
        some = ast.Or(some, choice, span=node.span)
    return _path(paths[0], ast.AxisStep(last.axis, ast.Wildcard(), (some,), span=node.span))


def _step_choice(node: ast.Node) -> ast.Path | None:
    """π/(a, b) as π/(a | b): a path sorts the nodes of its last step into document order."""
    match node:
        case ast.Path(right=ast.SequenceExpr(items=(first, *others) as items)) if others:
            if all(isinstance(item, ast.AxisStep) and _steps(item) is not None for item in items):
                union: ast.Expr = first
                for other in others:
                    union = ast.SetOperation("union", union, other, span=node.right.span)
                return replace(node, right=union)
    return None


def _restricted(node: ast.SetOperation) -> ast.Expr | None:
    """π/a except π/b: the nodes of the left side that pass, or fail, a test."""
    left, right = _steps(replaced(node.left, _replacement)), _steps(replaced(node.right, _replacement))
    if left is None or right is None or not _differ_in_last(left, right):
        return None
    test: ast.Expr = replace(right.steps[-1], axis="self")
    if node.op == "except":
        test = ast.FunctionCall(ast.Name("not", "fn", FN), (test,), span=node.span)
    last = left.steps[-1]
    return _path(left, replace(last, predicates=(*last.predicates, test)))


def _members(expr: ast.Expr) -> list[ast.Expr]:
    """The members of a union of unions."""
    if isinstance(expr, ast.SetOperation) and expr.op == "union":
        return [*_members(expr.left), *_members(expr.right)]
    return [expr]


def _steps(expr: ast.Expr) -> StepList | None:
    if isinstance(expr, ast.AxisStep):
        found: StepList | None = StepList(ast.ContextItem(), (expr,))
    else:
        found = step_list(expr)
    if found is None or not found.steps or not isinstance(found.start, _STARTS):
        return None
    last = found.steps[-1]
    return found if last.axis in _AXES and is_element_test(last.test) and has_only_tests(last) else None


def _differ_in_last(one: StepList, other: StepList) -> bool:
    return (
        one.start == other.start and one.steps[:-1] == other.steps[:-1] and one.steps[-1].axis == other.steps[-1].axis
    )


def _path(path: StepList, last: ast.AxisStep) -> ast.Expr:
    if len(path.steps) == 1 and isinstance(path.start, ast.ContextItem):
        return last
    return StepList(path.start, (*path.steps[:-1], last)).path()
