"""One engine, one task, one document, in a process of its own: CPU time from file to answer, and peak memory.

python -m xylem.bench.scan_worker Xylem Q1 auction.xml
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .file_to_answer import measured, on_one_core
from .scan_engines import ENGINES, PACKAGES


def main() -> None:
    """Run what the arguments name and print the figures as JSON."""
    engine, task, document = sys.argv[1:]
    on_one_core()
    try:
        answer = ENGINES[engine](task, Path(document))
    except ImportError as missing:
        print(json.dumps({"missing": f"{missing} (pip install {PACKAGES.get(engine, engine)})"}))
        return
    print(json.dumps(measured(answer)))


if __name__ == "__main__":
    main()
