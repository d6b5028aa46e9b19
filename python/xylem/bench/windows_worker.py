"""One measurement in a process of its own: CPU seconds, peak memory and the answer, as a line of JSON."""

from __future__ import annotations

import json
import sys
import time

from .peak_memory import peak_rss_bytes
from .windows_engines import LeftOut, answer


def main(arguments: list[str]) -> None:
    engine, task, size, items = arguments
    try:
        # What has to be loaded is loaded before the clock starts.
        answer(engine, task, min(int(size), 10), 30)
        started = time.process_time()
        found = answer(engine, task, int(size), int(items))
    except LeftOut as reason:
        print(json.dumps({"missing": str(reason)}))
        return
    spent = time.process_time() - started
    print(json.dumps({"cpu_seconds": spent, "peak_rss_bytes": peak_rss_bytes(), "answer": list(found)}))


if __name__ == "__main__":
    main(sys.argv[1:])
