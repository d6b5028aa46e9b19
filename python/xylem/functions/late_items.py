"""Items that arrived too late for event time (`event_order.py`): counted, and passed on to a file if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LateItems:
    """Counts the items that came too late, and passes them on."""

    def __init__(self, keep: Callable[[Any, str], object] | None = None) -> None:
        """`keep` gets an item and the reason, if late items are kept."""
        self.count = 0
        self.by_side: dict[str, int] = {}
        """For joins of two streams: the number of items of each."""
        self.keep = keep

    def __getstate__(self) -> dict[str, Any]:
        # The receiver and the counts belong to the process.
        return {"count": 0, "by_side": {}, "keep": None}

    def take(self, item: Any, why: str, side: str = "") -> None:
        """Add one item, perhaps of one side of a join."""
        self.count += 1
        if side:
            self.by_side[side] = self.by_side.get(side, 0) + 1
        if self.keep is not None:
            self.keep(item, why)
