"""Turn landmark windows with at most one end for each start into sliding windows.

    forseq $w in E landmark window                  forseq $w in E sliding window
    start position $s when A                   →    start position $s when A
    force end position $e when $e - $s eq N         force end position $e when $e - $s eq N

Gain:   the run drops a sliding window when it ends; a landmark window stays open for ever.
Needs:  `force` and a test of the difference of positions by `eq`; or only the end of the input ends a window.
Safe:   positions grow by one, so the test holds for at most one end. Without `force`, a landmark window yields another
        window at the end of the input, and the rule does not apply.
"""

from __future__ import annotations

from .conditions import is_false, tests_in
from .position_tests import position_test
from .rule import WindowFacts, WindowPlace, WindowRule


class UseSlidingWindow(WindowRule):
    name = "use_sliding_window"
    paper = "6.3.2"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.kind != "landmark" or window.is_newstart:
            return place
        if is_false(window.end.when):
            return place.with_window(written="landmark", kind="sliding")
        tests = [position_test(window, part) for part in tests_in(window.end.when)]
        if window.force and any(test is not None and test.op == "eq" for test in tests):
            return place.with_window(written="landmark", kind="sliding")
        return place
