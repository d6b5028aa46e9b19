"""One engine, one task, one document, in a process of its own: CPU time from file to answer, and peak memory.

    python -m xylem.bench.scan_worker Xylem Q1 auction.xml

Imports are not counted: they are paid once, whatever the size of the document. Memory is that of the whole process,
until there is an answer: comparing it with others comes after.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from pathlib import Path

from .answers import canonical
from .peak_memory import peak_rss_bytes
from .scan_engines import ENGINES, PACKAGES

_LONGEST_COMPARED_BYTES = 100_000_000


def main() -> None:
    """Run what the arguments name and print the figures as JSON."""
    engine, task, document = sys.argv[1:]
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        answer = ENGINES[engine](task, Path(document))
    except ImportError as missing:
        print(json.dumps({"missing": f"{missing} (pip install {PACKAGES.get(engine, engine)})"}))
        return
    started, clock = time.process_time(), time.perf_counter()
    found = answer()
    cpu_seconds, seconds = time.process_time() - started, time.perf_counter() - clock
    peak = peak_rss_bytes()
    figures = {"cpu_seconds": cpu_seconds, "seconds": seconds, "peak_rss_bytes": peak, "answer": _digest(found)}
    print(json.dumps(figures))


def _digest(found: str | Path) -> str:
    """What tells answers apart that differ as XML; of very long ones, as text."""
    if isinstance(found, Path):
        content = found.read_bytes()
        found.unlink()
        if len(content) > _LONGEST_COMPARED_BYTES:
            return hashlib.sha256(content).hexdigest()[:16]
        found = content.decode()
    return hashlib.sha256(canonical(found.strip()).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
