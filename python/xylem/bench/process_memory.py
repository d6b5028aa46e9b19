"""The resident memory of a process and all it has started, by kind, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

from .process_tree import descendants

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(root: int) -> dict[str, int]:
    """By kind, bytes: the process itself (driver), Java (JVM), and everything else below it (workers)."""
    found = {"driver": 0, "JVM": 0, "workers": 0}
    for process in descendants(root):
        try:
            size = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
            name = Path(f"/proc/{process}/comm").read_text().strip()
        except (OSError, IndexError):
            continue
        found["driver" if process == root else "JVM" if name == "java" else "workers"] += size
    return found
