"""Rows wait in memory and in a file, and come back in order."""

from __future__ import annotations

import random

import pytest
from xylem.run.tasks.rows import Row
from xylem.spark.row_spool import PartRows, RowSpool, SortedRuns, packed, unpacked


def rows(count: int, seed: int = 1) -> list[Row]:
    chance = random.Random(seed)
    return [Row(1, bytes([chance.randrange(256)]), i % 7, i, b"x" * chance.randrange(50)) for i in range(count)]


def test_packing_keeps_rows() -> None:
    given = rows(1000)
    chunks = list(packed(given, 500))
    assert len(chunks) > 10
    assert [row for chunk in chunks for row in unpacked(chunk)] == given


def test_what_does_not_fit_into_memory_waits_in_a_file() -> None:
    given = rows(1000)
    spool = RowSpool(memory_bytes=2000)
    waiting = PartRows(spool)
    for chunk in packed(given, 500):
        waiting.add(chunk)
    assert spool.spilled_bytes > 10_000
    back = []
    while waiting:
        back += waiting.next_rows()
    assert back == given
    spool.close()


@pytest.mark.parametrize("memory_bytes", [2000, 10_000_000])
def test_runs_are_merged(memory_bytes: int) -> None:
    spool = RowSpool(memory_bytes)
    runs = SortedRuns(spool, of_tasks=False)
    given = rows(3000)
    order = lambda row: (row.key, row.range, row.ordinal)  # noqa: E731
    for run in range(10):
        for chunk in packed(sorted(given[run::10], key=order), 300):
            runs.add(run, chunk)
    assert list(runs.merged()) == sorted(given, key=order)
    assert list(SortedRuns(spool, of_tasks=False).merged()) == []
    spool.close()


@pytest.mark.parametrize("memory_bytes", [2000, 10_000_000])
def test_equal_keys_of_tasks_stay_in_their_order(memory_bytes: int) -> None:
    spool = RowSpool(memory_bytes)
    runs = SortedRuns(spool, of_tasks=True)
    given = [Row(1, b"key" if n % 3 else b"k", n // 100, n % 100, b"") for n in range(2000)]
    for task in reversed(range(4)):
        for chunk in packed(sorted(given[500 * task : 500 * task + 500], key=lambda row: row.key), 300):
            runs.add(task, chunk)
    assert list(runs.merged()) == sorted(given, key=lambda row: (row.key, row.range, row.ordinal))
    spool.close()
