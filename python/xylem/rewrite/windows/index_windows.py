"""Use an index on open windows to find those that an item ends.

    forseq $w in E landmark window start curItem $s when A end curItem $e when $s/@id eq $e/@id …

    a hash table keeps open windows by $s/@id, and each item looks up its $e/@id (windows paper, 6.3.3)

    … end position $e when $e - $s ge 10          open windows are kept by $s + 10, in order
    … end curItem $e when $e/@t > $s/@t + 60      open windows are kept by $s/@t + 60, in order

Gain:   the cost of an item does not grow with the number of open windows.
Needs:  a comparison of a value of the start with one of the end, by eq, lt, le, gt, ge or =, <, <=, >, >=, or of their
        difference with a value of neither; strings are compared by code points. The run tests the rest of the condition
        for the windows that the index finds.
Safe:   the index compares keys as the comparison does; if that is uncertain (sequences of values, mixed types, rounded
        sums), the run tests the windows concerned one by one (`run/windows/index_keys.py`).
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.facts.comparisons import TURNED
from xylem.analysis.facts.conjuncts import conjunction
from xylem.plan.window_plan import WindowIndex, WindowPlan
from xylem.syntax import ast

from .conditions import is_steady, reads, tests_in
from .position_tests import comparison
from .rule import WindowFacts, WindowPlace, WindowRule

_ORDERED = ("lt", "le", "gt", "ge")


class IndexWindows(WindowRule):
    name = "index_windows"
    paper = "6.3.3"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.kind == "tumbling" or window.is_newstart or facts.is_sequential or not facts.by_code_points:
            return place
        if any(variable.type is not None for variable in window.end.variables):
            return place
        parts = tests_in(window.own if window.is_split else window.end.when)
        if not all(map(is_steady, parts)):
            return place
        found = [(index, part) for part in parts if (index := _index(window, part)) is not None]
        if not found:
            return place
        # Of several, the one that finds the fewest windows: equality.
        index, indexed = min(found, key=lambda pair: pair[0].kind != "hash")
        own = conjunction([part for part in parts if part is not indexed])
        return place.with_window(index=index, own=own, is_split=True)


def _index(window: WindowPlan, test: ast.Expr) -> WindowIndex | None:
    found = comparison(test)
    if found is None or found[0] == "ne":
        return None
    is_general = isinstance(test, ast.GeneralComparison)
    for op, left, right in (found, (TURNED[found[0]], found[2], found[1])):
        made = _sides(window, op, left, right) or _difference(window, op, left, right)
        if made is not None:
            # A difference is a single value in any comparison.
            return made if made.offset is not None else replace(made, is_general=is_general)
    return None


def _sides(window: WindowPlan, op: str, left: ast.Expr, right: ast.Expr) -> WindowIndex | None:
    """`end op start`."""
    if not _is_of_end(window, left) or not _is_of_start(window, right):
        return None
    return WindowIndex(_kind(op), op, right, left)


def _difference(window: WindowPlan, op: str, left: ast.Expr, right: ast.Expr) -> WindowIndex | None:
    """`end - start op number`, or `start - end op number`, which is not indexed."""
    if not isinstance(left, ast.Arithmetic) or left.op != "-" or reads(right, window.names):
        return None
    if not _is_of_end(window, left.left) or not _is_of_start(window, left.right):
        return None
    return WindowIndex(_kind(op), op, left.right, left.left, offset=right)


def _kind(op: str) -> str:
    return "queue" if op in _ORDERED else "hash"


def _is_of_start(window: WindowPlan, expr: ast.Expr) -> bool:
    found = reads(expr, window.names)
    return bool(found) and found <= window.start.names


def _is_of_end(window: WindowPlan, expr: ast.Expr) -> bool:
    found = reads(expr, window.names)
    return bool(found) and found <= window.end.names
