"""Siblings, preceding and following nodes of an item, by conditions and by number.

    following-sibling::x[A = B]   →   let $p := .. for $x in $p/x where A($x) = B where $x >> . return $x
    B = preceding-sibling::x/A    →   exists(let $p := .. for $x in $p/x where $x/A = B where $x << . return $x)
    count(preceding-sibling::x)   →   count(let $p := .. for $x in $p/x where $x << . return $x)
    ../x[A = B]                   →   let $p := .. for $x in $p/x where A($x) = B return $x
    B = preceding::x/A            →   exists(let $r := root() for $x in $r//x where $x/A = B
                                             where last-inside($x) << . return $x)

The right side is a lookup by key and by document order, like any other (find_joins.py), with one index for each node of
the anchor, $p or $r (anchors.py).

Gain:   the neighbours are read once for all items there, instead of again for each of them.
Needs:  a step to one side of an item, which is `.` or a variable of a loop. Predicates are tests, except a last `[1]`,
        which selects the nearest.
Safe:   siblings are children of the same parent; preceding nodes end before the item begins, and following nodes begin
        after its end.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.focus import reads_item, uses_position
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from ..substitution import FocusInTheWay, Substitution
from .candidates import conditions, is_narrowing, is_test
from .surroundings import Surroundings

_PARENT = ast.AxisStep("parent", ast.AnyKindTest())
_LAST = ast.FunctionCall(ast.Name("last", "fn", FN), ())
_ROOT = ast.AxisStep("ancestor-or-self", ast.AnyKindTest(), (_LAST,))
_NO_ATTRIBUTE = ast.FunctionCall(ast.Name("not", "fn", FN), (ast.AxisStep("self", ast.AttributeTest()),))
_LAST_INSIDE = ast.Name("last-inside", "_places", PREFIXES["_places"])
_BESIDE = "beside"
"""`../x` as an axis."""
_BEHIND = ("following-sibling", "following")
_OF_PARENT = ("preceding-sibling", "following-sibling", _BESIDE)
_OF_ROOT = ("preceding", "following")


def compared_beside(node: ast.GeneralComparison, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """The condition under which a comparison with sibling steps is true; None for other comparisons."""
    if node.op != "=":
        return None
    for condition in conditions(node):
        beside, values = condition.own, list[ast.Expr]()
        while isinstance(beside, ast.Path):
            start, steps = _steps(beside)
            if len(steps) == 1:
                break
            values.append(beside.right)
            beside = beside.left
        start, steps = _steps(beside)
        if len(steps) != 1 or steps[0].predicates or any(map(uses_position, values)):
            continue
        key: ast.Expr = ast.VarRef(name, span=node.span)
        for value in reversed(values):
            key = ast.Path(key, value, span=value.span)
        test = ast.GeneralComparison("=", key, condition.other, span=node.span)
        found = _loop(start, steps[0], [test], around, name)
        if found is not None:
            return found
    return None


def tested_beside(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """$x/following-sibling::t[A = B]: a comparison with a value that changes in each iteration."""
    start, steps = _steps(path)
    if len(steps) != 1 or not all(map(is_test, steps[0].predicates)):
        return None
    asked = (one for predicate in steps[0].predicates for one in conditions(predicate) if is_narrowing(one))
    changing = (one.other for one in asked if reads_item(one.own) and not reads_item(one.other))
    if not any(free_in(other) and around.depth_of(around.settled(other)) >= around.depth for other in changing):
        # Conditions that are the same at each turn do not narrow the items.
        return None
    own = Substitution({}, ast.VarRef(name, span=path.span))
    try:
        tests = [own.apply(predicate) for predicate in steps[0].predicates]
    except FocusInTheWay:
        return None
    return _loop(start, steps[0], tests, around, name)


def nearest_beside(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """$x/preceding-sibling::t[A = B][1], as all nodes that pass the tests: the nearest is the first or the last of
    them.
    """
    match path:
        case ast.Path(right=ast.AxisStep(predicates=(*tests, ast.IntegerLiteral(value=1))) as step):
            return tested_beside(replace(path, right=replace(step, predicates=tuple(tests))), around, name)
        case ast.AxisStep(predicates=(*tests, ast.IntegerLiteral(value=1))):
            return tested_beside(replace(path, predicates=tuple(tests)), around, name)
    return None


def is_behind(path: ast.Expr) -> bool:
    """Whether a path of one step selects nodes later in the document."""
    step = path.right if isinstance(path, ast.Path) else path
    return isinstance(step, ast.AxisStep) and step.axis in _BEHIND


def counted_beside(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """All nodes that a step finds on one side of an item."""
    start, steps = _steps(path)
    return _loop(start, steps[0], [], around, name) if len(steps) == 1 and not steps[0].predicates else None


def all_before(path: ast.Expr, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """$x/preceding-sibling::t[A]: all nodes before an item that pass tests which are the same at each turn."""
    start, steps = _steps(path)
    if len(steps) != 1 or steps[0].axis != "preceding-sibling":
        return None
    step = steps[0]
    read = (name for predicate in step.predicates for name in free_in(predicate))
    if not all(map(is_test, step.predicates)) or any(around.depths.get(name, 0) >= around.depth for name in read):
        return None
    return _loop(start, step, [], around, name, step.predicates)


def _loop(
    start: ast.Expr | None, step: ast.AxisStep, tests: list[ast.Expr], around: Surroundings, name: ast.Name,
    predicates: tuple[ast.Expr, ...] = (),
) -> ast.Flwor | None:  # fmt: skip
    """A loop over all nodes that a step may find, with conditions for those that pass the tests.

    `predicates` are the same at each turn: the looked-up nodes have passed them.
    """
    if step.axis not in (*_OF_PARENT, *_OF_ROOT) or not _is_one(start, around):
        return None
    span = step.span
    whose = ast.ContextItem(span=span) if start is None else start
    found = ast.VarRef(name, span=span)
    origin = start
    if step.axis == "following-sibling":
        # An attribute has a parent, whose children come after its attributes, and no siblings.
        origin = ast.Filter(whose, _NO_ATTRIBUTE, span=span)
    upwards = replace(_PARENT if step.axis in _OF_PARENT else _ROOT, span=span)
    anchor = ast.Name(f"{name.local}-from", None, name.uri)
    let = ast.LetClause(
        anchor, None, upwards if origin is None else ast.Path(origin, upwards, span=span), span=span
    )
    axis = "child" if step.axis in _OF_PARENT else "descendant"
    reached = ast.Path(ast.VarRef(anchor, span=span), ast.AxisStep(axis, step.test, predicates, span=span), span=span)
    wanted = list(tests)
    match step.axis:
        case "preceding-sibling":
            wanted.append(ast.NodeComparison("<<", found, whose, span=span))
        case "following-sibling":
            wanted.append(ast.NodeComparison(">>", found, whose, span=span))
        case "preceding":
            wanted.append(ast.NodeComparison("<<", _last_inside(found), whose, span=span))
        case "following":
            wanted.append(ast.NodeComparison(">>", found, _last_inside(whose), span=span))
    wheres = (ast.WhereClause(test, span=test.span) for test in wanted)
    return ast.Flwor((let, ast.ForClause(name, None, reached, span=span), *wheres), found, span=span)


def _steps(path: ast.Expr) -> tuple[ast.Expr | None, list[ast.AxisStep]]:
    """The start of a path (None for the context item) and its steps; no steps if it contains other expressions."""
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


def _is_one(start: ast.Expr | None, around: Surroundings) -> bool:
    """Whether a path starts at one node that changes with a loop."""
    if around.depth == 0:
        return False
    if start is None or isinstance(start, ast.ContextItem):
        return around.focus.depth == around.depth
    return around.is_one_item(start)


def _last_inside(node: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(_LAST_INSIDE, (node,), span=node.span)
