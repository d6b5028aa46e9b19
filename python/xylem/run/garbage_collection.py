"""How often Python looks for cycles, in processes that are ours.

Items of a stream come and go by themselves: nothing that a run makes for each of them is in a cycle, so to look for
cycles among them finds nothing. With Python's own thresholds that takes up to a fifth of a run that evaluates much.
Programs that use this package as a library keep their own settings.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 20_000


def collect_seldom() -> None:
    """Look for cycles when twenty thousand objects have been made that are still there."""
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
