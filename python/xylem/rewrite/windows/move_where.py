"""Move a condition of `where` into the start or the end of a window.

    forseq $w in E landmark window                  forseq $w in E landmark window
    start curItem $s when A                    →    start curItem $s when A and P($s)
    end curItem $e when true()                      force end curItem $e when Q($s, $e)
    where P($s) and Q($s, $e) return R              return R

Gain:   windows that `where` would drop are never opened, or never returned, so their items need no buffer.
Needs:  P and Q read neither $w nor a variable that is bound later, and have the same value whenever they are evaluated.
        P moves into the start of sliding and landmark windows whose end does not depend on the start of the next one. A
        condition that reads no variable of the window moves into any start. Q moves into the end of landmark windows
        that end everywhere, or only where their end condition holds.
Safe:   sliding and landmark windows open independently of each other, and landmark windows also end independently.
Not for tumbling windows: if a start is refused, a later item opens the window, which moves all windows after it; and a
refused end makes a tumbling or a sliding window longer.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.facts.conjuncts import conjunction
from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast

from .conditions import binds, is_steady, is_true, reads, tests_in, true
from .rule import WindowFacts, WindowPlace, WindowRule


class MoveWhere(WindowRule):
    name = "move_where"
    paper = "6.3.1"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        if facts.is_sequential or not place.rest or not isinstance(place.rest[0], ast.WhereClause):
            return place
        where = place.rest[0]
        to_start, to_end, stay = [], [], []
        for part in tests_in(where.test):
            if not is_steady(part) or binds([part], place.window.names):
                stay.append(part)
            elif _may_start(part, place.window):
                to_start.append(part)
            elif _may_end(part, place.window):
                to_end.append(part)
            else:
                stay.append(part)
        if not to_start and not to_end:
            return place
        window = _with_tests(place.window, to_start, to_end)
        left = conjunction(stay)
        rest = place.rest[1:] if left is None else (replace(where, test=left), *place.rest[1:])
        return replace(place, window=window, rest=rest)


def _may_start(part: ast.Expr, window: WindowPlan) -> bool:
    found = reads(part, window.names)
    if not found:
        return True
    return found <= window.start.names and window.kind != "tumbling" and not window.is_newstart


def _may_end(part: ast.Expr, window: WindowPlan) -> bool:
    if window.kind != "landmark" or window.is_newstart:
        return False
    if not (window.force or is_true(window.end.when)):
        return False
    return reads(part, window.names) <= window.start.names | window.end.names


def _with_tests(window: WindowPlan, to_start: list[ast.Expr], to_end: list[ast.Expr]) -> WindowPlan:
    if to_start:
        when = conjunction([*tests_in(window.start.when), *to_start]) or true()
        window = replace(window, start=replace(window.start, when=when))
    if to_end:
        when = conjunction([*tests_in(window.end.when), *to_end]) or true()
        window = replace(window, end=replace(window.end, when=when), force=True)
    return window
