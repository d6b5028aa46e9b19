"""What each test costs in CPU time: XYLEM_CPU_TIMES names a file, to which every test of a run adds a line.

Time by the clock says how busy a machine is. CPU time of a test includes the processes that it started and that ended,
but not those that others use after it, such as the session of Spark.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

FILE = "XYLEM_CPU_TIMES"


def used() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    began = used()
    result = yield
    if path := os.environ.get(FILE):
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([item.nodeid, round(used() - began, 3)]) + "\n")
    return result
