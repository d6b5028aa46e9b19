"""Note that windows can start at one item only.

    forseq $w in E landmark window start position $s when $s eq 1 end … return sum($w)     the sum is one running value

Gain:   aggregates of all windows from one start are one running value, and the state holds nothing else.
Needs:  a test of the start position for equality with a number.
Safe:   no two items have the same position.
"""

from __future__ import annotations

from xylem.syntax import ast

from .conditions import tests_in
from .position_tests import comparison
from .rule import WindowFacts, WindowPlace, WindowRule


class NoteOnlyStart(WindowRule):
    name = "note_only_start"
    paper = "6.3.6"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        position = place.window.start.named("position")
        if position is None or place.window.kind == "tumbling":
            return place
        for part in tests_in(place.window.start.when):
            found = comparison(part)
            if found is None or found[0] != "eq":
                continue
            for one, other in (found[1:], found[:0:-1]):
                is_position = isinstance(one, ast.VarRef) and one.name.expanded == position.expanded
                if is_position and isinstance(other, ast.IntegerLiteral):
                    return place.with_window(has_one_start=True)
        return place
