"""Continuous queries in a process that a test kills: each in a thread, all in one session of Spark.

    python killed_streams.py STREAMS.json

Starting Java and Spark takes ten times as long as starting one more query: a kill of this process interrupts a batch of
each of them. They share Spark, and nothing that lasts.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from xylem.cli.stream_command import StreamArguments, continuous_query
from xylem.spark.continuous import continuous_run
from xylem.spark.session import session


class _NoSignals:
    """Only the main thread is told of signals, and this process gets none but SIGKILL."""

    def __init__(self, stop: object) -> None:
        pass

    def __enter__(self) -> _NoSignals:
        return self

    def take(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def main(place: Path) -> None:
    given = json.loads(place.read_text())
    vars(continuous_run)["StopSignals"] = _NoSignals
    session("local[2]", config=given["config"])
    threads = [threading.Thread(target=_run, args=(one,)) for one in given["streams"]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run(given: dict[str, Any]) -> None:
    try:
        arguments = StreamArguments(
            [Path(given["query"])],
            None,
            [given["input"]],
            given["output"],
            Path(given["checkpoint"]),
            routes=given["routes"],
            trigger=given["trigger"],
            batch_files=given["batch_files"],
            metrics=Path(given["metrics"]),
        )
        continuous_run.run_continuous(continuous_query(arguments))
    except BaseException:
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
