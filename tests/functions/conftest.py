"""A context for functions that are called without a query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.values.datetimes import DateTime


class NoResources:
    """Nothing can be read."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"no {name} in this test")


@pytest.fixture
def make_context() -> Callable[..., Context]:
    """A function that makes a context, given parts of the static one."""

    def make(**static: Any) -> Context:
        now = DateTime.from_python(datetime(2024, 2, 29, 12, 0, tzinfo=UTC))
        return Context(StaticPart(**static), RunPart(NoResources(), now))

    return make


@pytest.fixture
def ctx(make_context: Callable[..., Context]) -> Context:
    return make_context()
