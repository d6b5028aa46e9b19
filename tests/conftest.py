"""What all tests share: property tests that do not depend on how busy the machine is, nor on chance; their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The time limit of each test is pytest's; a deadline per example would only measure the machine.
settings.register_profile("xylem", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("xylem")


SPARK = Path(__file__).with_name("spark")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with the longest tests begin: at the end, one worker would have them all while the others are done.

    What may take longest says so by its time limit; next come all that start Spark.
    """
    limits: dict[Path, float] = {}
    for item in items:
        limit = item.get_closest_marker("timeout")
        limits[item.path] = max(limits.get(item.path, 0), limit.args[0] if limit and limit.args else 0)
    items.sort(key=lambda item: (-limits[item.path], SPARK not in item.path.parents))
