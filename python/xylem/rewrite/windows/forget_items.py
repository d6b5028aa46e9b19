"""Keep no items of a window if the query does not read them.

    forseq $w in E … start position $s … end position $e … return $e - $s     no item of a window is kept

Gain:   memory; the state of a window holds only the position or the item at its two ends (windows paper, 6.3.6).
Needs:  nothing after the clause reads $w, except in aggregates that the run updates while items pass.
Safe:   the query does not read the items. Aggregates of paths from nodes of a finite input may need the items again,
        and keep them.
"""

from __future__ import annotations

from xylem.analysis.bound_names import read_variables

from .rule import WindowFacts, WindowPlace, WindowRule


class ForgetItems(WindowRule):
    name = "forget_items"
    paper = "6.3.6"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.type is not None or window.early:
            return place
        if any(window.name.expanded in read_variables(node) for node in place.followers):
            return place
        return place.with_window(keeps_items=False)
