"""The resident memory of a process and all it has started, by kind, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(root: int) -> dict[str, int]:
    """By kind, bytes: the process itself (driver), Java (JVM), and everything else below it (workers)."""
    found = {"driver": 0, "JVM": 0, "workers": 0}
    for process in _tree(root):
        try:
            size = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
            name = Path(f"/proc/{process}/comm").read_text().strip()
        except (OSError, IndexError):
            continue
        found["driver" if process == root else "JVM" if name == "java" else "workers"] += size
    return found


def _tree(root: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(place.name))
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, [])
    return found
