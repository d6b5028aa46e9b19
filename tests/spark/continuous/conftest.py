"""What tests of continuous queries share."""

from __future__ import annotations

import pytest
from xylem.errors import XylemError


@pytest.fixture(scope="session")
def needs_spark() -> None:
    """Skips where Spark cannot run; those that start it in processes of their own need no session here."""
    from xylem.spark.session import require_spark

    try:
        require_spark()
    except XylemError as missing:
        pytest.skip(str(missing))
