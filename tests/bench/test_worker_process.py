"""Measurements in processes of their own: their figures, their last words, and an end where they take too long."""

from __future__ import annotations

import pytest
from xylem.bench.worker_process import Limit, Stopped, best_of, figures_of

LONG = ["loop by hand", "sliding", "10", "100000000"]
SHORT = ["loop by hand", "sliding", "10", "100"]


@pytest.mark.parametrize("limit", [Limit(1), Limit(1, "cpu")])
def test_a_process_that_takes_too_long_is_stopped(limit: Limit) -> None:
    assert figures_of("windows_worker", LONG, limit) == Stopped(1)


def test_patience_has_an_end_where_cpu_time_is_limited() -> None:
    assert Limit(2, "cpu").patience_seconds == 20
    assert Limit(2).patience_seconds == 2
    assert not Limit().is_over(0, 1e9)


def test_the_best_of_some_processes() -> None:
    found = best_of(2, "windows_worker", SHORT, Limit(60, "cpu"))
    assert isinstance(found, dict)
    assert found["answer"]


def test_why_there_are_no_figures() -> None:
    assert best_of(2, "windows_worker", ["pandas", "keyed", "10", "100"]) != ""
    assert "not enough values to unpack" in str(figures_of("windows_worker", ["loop by hand"]))
