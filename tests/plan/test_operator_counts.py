"""What follows from what was counted, and what does not."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.plan.operator_counts import OperatorCount, OperatorCounts
from xylem.plan.operators import Aggregate, Bind, Meter, OperatorPlan, Runs, Scan, Select


@dataclass
class Shown:
    items: int
    results: int | None = None
    entries: int = 0


RECORDS = Meter("records", "2", 1)


def scan() -> Scan:
    return Scan(path="//a", captured=(), runs=Runs.SCAN, meters=(RECORDS,))


def test_a_loop_has_as_many_turns_as_there_are_items() -> None:
    bound = Bind(variable="a", inputs=(scan(),))
    counts = OperatorCounts(OperatorPlan(bound), {RECORDS: Shown(7)})
    assert counts.of(bound) == OperatorCount(7, 7)


def test_how_many_pass_a_test_of_generated_code_is_not_known() -> None:
    selected = Select(condition="$a > 1", over=Bind(variable="a", inputs=(scan(),)))
    total = Aggregate(functions=("count",), inputs=(selected,))
    counts = OperatorCounts(OperatorPlan(total), {RECORDS: Shown(7)})
    assert counts.of(selected) == OperatorCount(7, None)
    assert counts.of(total) == OperatorCount(None, 1)


def test_what_the_scan_tested_passed() -> None:
    selected = Select(condition="$a > 1", over=Bind(variable="a", inputs=(scan(),)), runs=Runs.SCAN)
    counts = OperatorCounts(OperatorPlan(selected), {RECORDS: Shown(7)}, results=99)
    assert counts.of(selected) == OperatorCount(7, 7)


def test_words_for_people() -> None:
    assert list(OperatorCount(1000, 1, 2048, 3).words()) == ["1,000 in", "1 out", "3 kept", "2,048 bytes"]
    assert list(OperatorCount().words()) == []
