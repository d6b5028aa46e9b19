"""The number of records after which a handler is done, so that a run may stop early (`run/stream/stopping.py`)."""

from __future__ import annotations

from xylem.plan.flux import On
from xylem.rewrite.counted_positions import last_counted

from .selection import guards


def limit_of(handler: On) -> int | None:
    """The number of records after which a counting handler writes nothing more."""
    if handler.position is None or not (conditions := guards(handler.body)):
        return None
    found = [last for c in conditions if (last := last_counted(c, handler.position)) is not None]
    return min(found) if found else None
