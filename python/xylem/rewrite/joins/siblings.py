"""Siblings before and behind an item, by conditions and by number: elements of one parent, on one side of the item.

    following-sibling::x[A = B]     →     for $x in //x where A($x) = B
                                          where generate-id($x/..) = generate-id(..) where $x >> . return $x
    B = preceding-sibling::x/A      →     exists(for $x in //x where $x/A = B where … where $x << . return $x)
    count(preceding-sibling::x)     →     count(for $x in //x where … where $x << . return $x)
    ../x[A = B]                     →     for $x in //x where A($x) = B where … return $x

What stands on the right is a look-up by key, by parent and by document order, as any other (find_joins.py).

Gain:   the siblings of all items are in one index, instead of being read again for each of them.
Needs:  all siblings of one name on one side of an item, which is in the tree of the input, by `.` or a variable of a
        loop. Predicates are tests, but for a last `[1]`, which is the nearest.
Safe:   siblings of one name are the elements of that name that have the same parent; two nodes are the same where
        generate-id() is.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..substitution import FocusInTheWay, Substitution
from .candidates import conditions, is_narrowing, is_test
from .surroundings import Surroundings

_PARENT = ast.AxisStep("parent", ast.AnyKindTest())
_NO_ATTRIBUTE = ast.FunctionCall(ast.Name("not", "fn", FN), (ast.AxisStep("self", ast.AttributeTest()),))
_BESIDE = "beside"
"""Where `../x` goes, as an axis."""
_ORDERS = {"preceding-sibling": "<<", "following-sibling": ">>", _BESIDE: None}


def compared_siblings(node: ast.GeneralComparison, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """The siblings that make a comparison true; None for any other comparison."""
    if node.op != "=":
        return None
    for condition in conditions(node):
        start, steps = _steps(condition.own)
        if steps and not steps[0].predicates:
            key: ast.Expr = ast.VarRef(name, span=node.span)
            for step in steps[1:]:
                key = ast.Path(key, step, span=step.span)
            test = ast.GeneralComparison("=", key, condition.other, span=node.span)
            found = _loop(start, steps[0], [test], around, name)
            if found is not None:
                return found
    return None


def tested_siblings(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """$x/following-sibling::t[A = B]: a comparison of siblings with what changes from turn to turn."""
    start, steps = _steps(path)
    if len(steps) != 1 or not all(map(is_test, steps[0].predicates)):
        return None
    asked = (one for predicate in steps[0].predicates for one in conditions(predicate) if is_narrowing(one))
    if not any(reads_item(one.own) and not reads_item(one.other) and free_in(one.other) for one in asked):
        # What asks for the same at each turn leaves no fewer.
        return None
    own = Substitution({}, ast.VarRef(name, span=path.span))
    try:
        tests = [own.apply(predicate) for predicate in steps[0].predicates]
    except FocusInTheWay:
        return None
    return _loop(start, steps[0], tests, around, name)


def nearest_sibling(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """$x/preceding-sibling::t[A = B][1], as all that pass the tests: the nearest is the first of them, or the last."""
    match path:
        case ast.Path(right=ast.AxisStep(predicates=(*tests, ast.IntegerLiteral(value=1))) as step):
            return tested_siblings(replace(path, right=replace(step, predicates=tuple(tests))), around, name)
        case ast.AxisStep(predicates=(*tests, ast.IntegerLiteral(value=1))):
            return tested_siblings(replace(path, predicates=tuple(tests)), around, name)
    return None


def is_behind(path: ast.Expr) -> bool:
    """Whether a path of one step goes to what comes later in the document."""
    step = path.right if isinstance(path, ast.Path) else path
    return isinstance(step, ast.AxisStep) and step.axis == "following-sibling"


def counted_siblings(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """All siblings on one side of an item."""
    start, steps = _steps(path)
    return _loop(start, steps[0], [], around, name) if len(steps) == 1 and not steps[0].predicates else None


def _loop(
    start: ast.Expr | None, step: ast.AxisStep, tests: list[ast.Expr], around: Surroundings, name: ast.Name
) -> ast.Flwor | None:
    """A loop over all elements that siblings may be, with the conditions that leave those that pass the tests."""
    if step.axis not in _ORDERS or not isinstance(step.test, ast.NameTest) or not _is_one_of_input(start, around):
        return None
    span = step.span
    whose = ast.ContextItem(span=span) if start is None else start
    sibling = ast.VarRef(name, span=span)
    # An attribute has a parent, behind whose attributes its children stand, and no siblings.
    has_siblings = ast.Filter(whose, _NO_ATTRIBUTE, span=span) if step.axis == "following-sibling" else whose
    same_parent = ast.GeneralComparison("=", _parent_of(sibling), _parent_of(has_siblings), span=span)
    wanted = [*tests, same_parent]
    order = _ORDERS[step.axis]
    if order is not None:
        wanted.append(ast.NodeComparison(order, sibling, whose, span=span))
    root = ast.Root(is_any_node=True, span=span)
    everywhere = ast.Path(root, ast.AxisStep("descendant", step.test, span=span), span=span)
    wheres = (ast.WhereClause(test, span=test.span) for test in wanted)
    return ast.Flwor((ast.ForClause(name, None, everywhere, span=span), *wheres), sibling, span=span)


def _steps(path: ast.Expr) -> tuple[ast.Expr | None, list[ast.AxisStep]]:
    """What a path of steps starts with, None for the context item, and its steps; no steps where it has others."""
    steps: list[ast.AxisStep] = []
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        steps.append(path.right)
        path = path.left
    start: ast.Expr | None = path
    if isinstance(path, ast.AxisStep):
        steps.append(path)
        start = None
    match steps[::-1]:
        case [first, ast.AxisStep(axis="child") as child, *rest] if first == _PARENT:
            return start, [replace(child, axis=_BESIDE), *rest]
        case ordered:
            return start, ordered


def _is_one_of_input(start: ast.Expr | None, around: Surroundings) -> bool:
    """Whether a path starts at one node, in the tree whose root `/` is here, that changes with a loop."""
    if around.depth == 0 or not around.focus.is_in_input:
        return False
    match start:
        case None | ast.ContextItem():
            return around.focus.depth == around.depth
        case ast.VarRef(name=name):
            return name.expanded in around.in_input
    return False


def _parent_of(node: ast.Expr) -> ast.Expr:
    """The identity of the parent of a node, as a string."""
    parent = ast.Path(node, _PARENT, span=node.span)
    return ast.FunctionCall(ast.Name("generate-id", "fn", FN), (parent,), span=node.span)
