"""One measurement in a process of its own: CPU seconds, peak memory and the answer, as a line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time

from .peak_memory import peak_rss_bytes
from .windows_engines import STARTED_ANEW, LeftOut, answer


def main(arguments: list[str]) -> None:
    engine, task, size, items = arguments
    try:
        # What has to be loaded is loaded before the clock starts.
        before = _cpu_seconds()
        answer(engine, task, min(int(size), 10), 30)
        started = _cpu_seconds()
        found = answer(engine, task, int(size), int(items))
    except LeftOut as reason:
        print(json.dumps({"missing": str(reason)}))
        return
    spent = _cpu_seconds() - started
    if engine in STARTED_ANEW:
        # The first, short run tells what starting costs.
        spent = max(spent - (started - before), 0.0)
    print(json.dumps({"cpu_seconds": spent, "peak_rss_bytes": peak_rss_bytes(), "answer": list(found)}))


def _cpu_seconds() -> float:
    """Of this process, and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
