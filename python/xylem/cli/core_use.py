"""Whether a run may read its input by several threads."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run_query import RunOptions

LEAST_BYTES = 256 << 20
"""A smaller file is read faster by one thread, because preparing several takes time."""


def may_use_cores(options: RunOptions) -> bool:
    """Whether the input is a large file, and nothing is asked that needs one pass over it in order."""
    others = (
        options.schema, options.plot, options.statistics, options.replay, options.entities, options.format,
        options.event_time, options.metrics, options.routes,
    )  # fmt: skip
    if len(options.inputs) != 1 or options.stream is False or any(others) or options.on_malformed != "stop":
        return False
    try:
        size = os.stat(options.inputs[0]).st_size if Path(options.inputs[0]).is_file() else 0
    except (OSError, ValueError):
        return False
    # On a terminal each result has a line of its own, as it comes.
    is_read_by_people = options.output is None and sys.stdout.isatty()
    return size >= LEAST_BYTES and cores() > 1 and not is_read_by_people


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
