"""One Spark session for all tests here: starting one takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from xylem.errors import XylemError


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from xylem.spark.session import require_spark, session

    try:
        require_spark()
    except XylemError as missing:
        pytest.skip(str(missing))
    spark = session("local[2]", app_name="xylem tests")
    yield spark
    spark.stop()
