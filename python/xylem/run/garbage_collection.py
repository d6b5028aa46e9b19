"""Make Python look for cycles less often, in our own processes.

Reference counts free the items of a stream: no object that a run creates per item is part of a cycle. With Python's
default thresholds, the search for cycles takes up to a fifth of a run that evaluates much. Programs that use this
package as a library keep their own settings.
"""

from __future__ import annotations

import gc

from xylem.values.cycle_search import YOUNG_OBJECTS


def collect_seldom() -> None:
    """Search for cycles only after twenty thousand new objects that are still alive."""
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
