"""One way over all messages, in a process of its own; the figures go to standard output as JSON.

python -m xylem.bench.messages_worker ENGINE TASK FOLDER SECONDS REPEAT
python -m xylem.bench.messages_worker calls TASK …
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .file_to_answer import on_one_core
from .messages_engines import MANY, RUNS, by_command, by_loop, by_many, small_calls
from .messages_tasks import NAMED


def main(arguments: list[str]) -> None:
    """Run what the arguments name and print the figures."""
    on_one_core()
    if arguments[0] == "calls":
        print(json.dumps(small_calls([NAMED[task] for task in arguments[1:]])))
        return
    engine, task, folder, seconds, repeat = arguments
    try:
        if engine == MANY:
            figures = by_many(NAMED[task], Path(folder))
        elif engine in RUNS:
            figures = by_command(engine, NAMED[task], Path(folder), int(repeat))
        else:
            figures = by_loop(engine, NAMED[task], Path(folder), float(seconds))
    except ImportError as missing:
        figures = {"missing": f"{missing} (pip install lxml)"}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
