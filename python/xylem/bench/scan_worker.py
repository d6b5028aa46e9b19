"""One engine, one task, one document, in a process of its own: CPU time from file to answer, and peak memory.

    python -m xylem.bench.scan_worker Xylem Q1 auction.xml

Imports are not counted: they are paid once, whatever the size of the document. Memory is that of the whole process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import sys
import time
from pathlib import Path

from .answers import canonical
from .scan_engines import ENGINES


def main() -> None:
    """Run what the arguments name and print the figures as JSON."""
    engine, task, document = sys.argv[1:]
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        answer = ENGINES[engine](task, Path(document))
    except ImportError as missing:
        print(json.dumps({"missing": str(missing)}))
        return
    started, clock = time.process_time(), time.perf_counter()
    text = answer()
    cpu_seconds, seconds = time.process_time() - started, time.perf_counter() - clock
    peak = _peak_rss_bytes()
    digest = hashlib.sha256(canonical(text.strip()).encode()).hexdigest()[:16]
    figures = {"cpu_seconds": cpu_seconds, "seconds": seconds, "peak_rss_bytes": peak, "answer": digest}
    print(json.dumps(figures))


def _peak_rss_bytes() -> int:
    """The most memory this process had. What getrusage says may be its parent's, from before it began."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
