"""Drop windows that have become too long to be returned.

    forseq $w in E sliding window                     a window of more than 10 items is dropped
    start position $s when A
    force end position $e when $e - $s lt 10 and B

    … where count($w) le 10 …                         the same

Gain:   a hopeless window keeps no items, and the run no longer tests it (windows paper, 6.3.5).
Needs:  a test that limits the number of items: in a `where` directly after the clause, or in the end condition of
        windows with `force`.
Safe:   windows only grow, so a test of the length that has failed cannot hold later. A tumbling window stays open
        until its end, where the next one may start, but it keeps no items.
"""

from __future__ import annotations

from collections.abc import Iterator

from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast

from .conditions import is_steady, tests_in
from .position_tests import position_test
from .rule import WindowFacts, WindowPlace, WindowRule


class DropHopelessWindows(WindowRule):
    name = "drop_hopeless_windows"
    paper = "6.3.5"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        if facts.is_sequential:
            return place
        lengths = [*_of_where(place), *_of_end(place.window)]
        if not lengths:
            return place
        return place.with_window(longest=ast.IntegerLiteral(max(0, min(lengths))))


def _of_where(place: WindowPlace) -> Iterator[int]:
    for clause in place.rest:
        if not isinstance(clause, ast.WhereClause):
            return
        parts = tests_in(clause.test)
        if all(map(is_steady, parts)):
            yield from _bounds(place.window, parts)


def _of_end(window: WindowPlan) -> Iterator[int]:
    if not window.force or window.is_newstart or window.kind == "tumbling":
        return
    parts = tests_in(window.end.when)
    if all(map(is_steady, parts)):
        yield from _bounds(window, parts)


def _bounds(window: WindowPlan, parts: list[ast.Expr]) -> Iterator[int]:
    """The greatest lengths that the tests allow."""
    for part in parts:
        test = position_test(window, part)
        if test is not None and test.op in ("eq", "le"):
            yield test.number + 1
        elif test is not None and test.op == "lt":
            yield test.number
