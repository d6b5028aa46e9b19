"""Columns in sorted runs in a file: a window that moves up has what a sorted list has."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest
from xylem.run.best_match import sorted_runs
from xylem.run.best_match.sorted_runs import SortedRuns
from xylem.source.kernel import is_kernel_built
from xylem.values.paged_tree import TreePages

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel sorts columns")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_runs, "LEAST_BYTES", 64)


def runs_of(values: list[float], intervals: list[tuple[float, float]], folder: Path, together: int) -> SortedRuns:
    made = SortedRuns(TreePages(folder, 1 << 20, 1 << 30), intervals, "Id", 1, 200)
    for start in range(0, len(values), together):
        some = values[start : start + together]
        made.append([array("I", range(start, start + len(some))).tobytes(), array("d", some).tobytes()])
    return made


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.usefixtures("small")
def test_windows_that_move_up(seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"runs {seed}")
    size = chance.choice((3, 200))
    values = [chance.choice((chance.randint(0, 20) * 1.0, chance.uniform(0, 20))) for _ in range(size)]
    if chance.random() < 0.3:
        values.sort()
    lows = sorted(chance.uniform(-1, 21) for _ in range(6))
    intervals = list(zip(lows, sorted(low + chance.choice((0, 1, 9)) for low in lows), strict=True))
    runs = runs_of(values, intervals, tmp_path, chance.choice((1, 7, 50)))
    for number, (low, high) in enumerate(intervals):
        found = runs.taken(number)
        wanted = sorted((value, row) for row, value in enumerate(values) if low <= value <= high)
        assert list(found[1]) == [value for value, _ in wanted]
        assert sorted(zip(found[1], found[0], strict=True)) == wanted


@pytest.mark.usefixtures("small")
def test_what_comes_in_order_is_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [number / 2 for number in range(300)]
    ordered, mixed = runs_of(values, [(0, 9)], tmp_path, 10), runs_of(values[::-1], [(0, 9)], tmp_path, 10)
    for runs in (ordered, mixed):
        assert len(runs.taken(0)[0]) == 19
    assert len(ordered._runs) == 1
    assert len(mixed._runs) > 5
