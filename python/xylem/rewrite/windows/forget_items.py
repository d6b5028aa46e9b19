"""Keep no items of windows whose items nobody reads.

    forseq $w in E … start position $s … end position $e … return $e - $s     no item of a window is kept

Gain:   memory; the position or the item at an end of a window is all that is left of it (windows paper, 6.3.6).
Needs:  nothing behind the clause reads $w, but through aggregates that are kept on the way.
Safe:   what is not read cannot be missed. Aggregates of paths from nodes of a finite input may need its items again,
        and keep them.
"""

from __future__ import annotations

from xylem.analysis.focus import read_variables

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
