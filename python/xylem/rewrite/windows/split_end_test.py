"""Test each part of an end condition as early as possible: when a window opens, once for all windows, or for each.

    forseq $w in E sliding window start curItem $s when A end curItem $e when P($s) and Q($e) and R($s, $e) …

    P is tested when a window opens; Q once per item; R for each open window, and only where Q holds.

Gain:   with many open windows, a part that does not depend on the window is tested once, not for each of them; and a
        window for which P is false cannot end: it is hopeless, and with `force` never opens (windows paper, 6.3.5).
Needs:  parts that have the same value at each evaluation.
Safe:   the condition is true if all its parts are, in any order of evaluation (XQuery 3.1 §2.3.4).
"""

from __future__ import annotations

from xylem.analysis.facts.conjuncts import conjunction
from xylem.syntax import ast

from .conditions import is_steady, reads, tests_in
from .rule import WindowFacts, WindowPlace, WindowRule


class SplitEndTest(WindowRule):
    name = "split_end_test"
    paper = "6.3.5"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.kind == "tumbling" or window.is_newstart or facts.is_sequential:
            return place
        if any(variable.type is not None for variable in window.end.variables):
            return place  # The types are checked where the condition is tested.
        parts = tests_in(window.end.when)
        if not parts or not all(map(is_steady, parts)):
            return place
        opening: list[ast.Expr] = []
        shared: list[ast.Expr] = []
        own: list[ast.Expr] = []
        for part in parts:
            of_start, of_end = reads(part, window.start.names), reads(part, window.end.names)
            (own if of_start and of_end else opening if of_start else shared).append(part)
        if not opening and not shared:
            return place
        return place.with_window(
            is_split=True, opening=conjunction(opening), shared=conjunction(shared), own=conjunction(own)
        )
