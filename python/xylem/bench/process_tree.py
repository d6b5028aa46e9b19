"""A process and all it has started, and the CPU time they have taken, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def descendants(root: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and (fields := _fields(int(place.name))):
            children.setdefault(int(fields[1]), []).append(int(place.name))
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, [])
    return found


def cpu_seconds(root: int) -> float:
    """Of a process and its descendants, with those they have waited for; to the tick."""
    told = (_fields(process) for process in descendants(root))
    return sum(sum(map(int, fields[11:15])) for fields in told if fields) / _TICKS


def _fields(process: int) -> list[str]:
    """What the system says of a process, from its state on (proc(5), `stat`); nothing where it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
