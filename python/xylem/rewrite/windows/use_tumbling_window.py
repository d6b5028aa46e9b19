"""Turn sliding windows that cannot overlap into tumbling windows.

    forseq $w in E sliding window                   forseq $w in E tumbling window
    start position $s when $s mod 10 eq 1      →    start position $s when $s mod 10 eq 1
    end position $e when $e - $s eq 9               end position $e when $e - $s eq 9

Gain:   one window is open at a time, so no search among open windows.
Needs:  windows end where the next one starts; or with their first item; or within the distance of two starts; or the
        schema says that after every child that starts a window, a child that ends it comes before the next start.
Safe:   no start falls into an open window, so ignoring starts there changes nothing; windows that do not overlap have
        the same order by their first and by their last items.
"""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.plan.flux import ITEMS, ROOT
from xylem.plan.window_plan import WindowPlan
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.syntax import ast

from .conditions import is_true, tests_in
from .cycles import closes_before_reopening
from .position_tests import comparison, position_test
from .rule import WindowFacts, WindowPlace, WindowRule


class UseTumblingWindow(WindowRule):
    name = "use_tumbling_window"
    paper = "6.3.2"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.kind != "sliding":
            return place
        if window.is_newstart or is_true(window.end.when) or _is_short(window) or _is_cycle(window, facts):
            return place.with_window(kind="tumbling", written=window.written or window.kind)
        return place


def _is_short(window: WindowPlan) -> bool:
    """Whether every window ends before the next multiple of a distance."""
    tests = tests_in(window.end.when)
    if len(tests) != 1:
        return False
    test = position_test(window, tests[0])
    if test is None or test.op not in ("eq", "ge"):
        return False
    return 0 <= test.number < max(1, *(_distance(window, part) for part in tests_in(window.start.when)), 1)


def _distance(window: WindowPlan, test: ast.Expr) -> int:
    """N of `$s mod N eq r`: starts are at least this far apart."""
    found = comparison(test)
    position = window.start.named("position")
    if found is None or position is None or found[0] != "eq":
        return 1
    match found[1:]:
        case (
            ast.Arithmetic(op="mod", left=ast.VarRef(name=name), right=ast.IntegerLiteral(value=value)),
            ast.IntegerLiteral(),
        ) if name.expanded == position.expanded:
            return value
    return 1


def _is_cycle(window: WindowPlan, facts: WindowFacts) -> bool:
    """Whether the schema orders the input so that windows cannot overlap."""
    if facts.schema is None:
        return False
    is_fed = isinstance(window.collection, ast.VarRef) and window.collection.name.expanded == ITEMS.expanded
    collection = facts.fed_from if is_fed else window.collection
    parent = None if collection is None else _only_parent(collection, facts.schema)
    if parent is None:
        return False
    starts = [
        name for part in tests_in(window.start.when) if (name := _tested_name(part, window.start.named("current")))
    ]
    ends = tests_in(window.end.when)
    last = _tested_name(ends[0], window.end.named("current")) if len(ends) == 1 else None
    return last is not None and any(closes_before_reopening(parent, first, last) for first in starts)


def _only_parent(collection: ast.Expr, schema: Schema) -> ElementConstraints | None:
    """The one element whose children are the input: `/a/b/*`, each step leading to at most one element."""
    if not isinstance(collection, ast.Path) or not isinstance(collection.right, ast.AxisStep):
        return None
    step = collection.right
    if (
        step.axis != "child"
        or step.predicates
        or not isinstance(step.test, ast.Wildcard)
        or step.test.local is not None
    ):
        return None
    if step.test.uri is not None:
        return None
    return _reached(collection.left, schema)


def _reached(path: ast.Expr, schema: Schema) -> ElementConstraints | None:
    match path:
        case ast.Root():
            return schema.document()
        case ast.VarRef(name=name) if name.expanded == ("", ROOT):
            return schema.document()
        case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.NameTest(name=name), predicates=())):
            parent = _reached(left, schema)
            symbol = f"Q{{{name.uri}}}{name.local}" if name.uri else name.local
            if parent is None or not parent.at_most_once(symbol):
                return None
            return parent.child(symbol)
    return None


def _tested_name(test: ast.Expr, item: ast.Name | None) -> str | None:
    """The name of `$s/self::a`, `name($s) eq "a"`, `local-name($s) = "a"` or `node-name`-like tests."""
    if item is None:
        return None
    match test:
        case ast.Path(
            left=ast.VarRef(name=name), right=ast.AxisStep(axis="self", test=ast.NameTest(name=tested), predicates=())
        ) if name.expanded == item.expanded:
            return f"Q{{{tested.uri}}}{tested.local}" if tested.uri else tested.local
    found = comparison(test)
    if found is None or found[0] != "eq":
        return None
    for left, right in (found[1:], found[:0:-1]):
        match left, right:
            case (
                ast.FunctionCall(name=function, arguments=(ast.VarRef(name=name),)),
                ast.StringLiteral(value=value),
            ) if name.expanded == item.expanded and function.expanded == (FN, "local-name"):
                return value
    return None
