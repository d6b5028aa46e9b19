"""Tasks are done in any order; what depends on their order is taken in turn."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import permutations
from pathlib import Path

import pytest
from xylem.errors import XylemError
from xylem.spark.arriving_rows import ArrivingRows, Outcomes
from xylem.spark.inputs import input_files, split_plan
from xylem.spark.row_spool import RowSpool
from xylem.spark.shipped_query import ShippedQuery, shipped_query
from xylem.spark.task import Figures, Outcome, StageWork

SORTED = "(string-join(//b, ' '), for $b in //b order by string-length($b), $b return string($b))"


class Run:
    def __init__(self, query: ShippedQuery) -> None:
        self.query = query
        self.done = 0

    def arrived(self, figures: Figures) -> None:
        self.done += 1


def done(path: Path, query: ShippedQuery, tasks: int) -> list[list[Outcome]]:
    """What each task hands over."""
    plan = split_plan(input_files(path), query.program().scopes, cores=2, partitions=tasks)
    assert len(plan.tasks) == tasks
    work = StageWork(query, 0)
    return [list(work.outcomes([task])) for task in plan.tasks]


def in_order_of(outcomes: list[list[Outcome]], order: Iterable[int], taken: list[int]) -> Outcomes:
    def given() -> Generator[tuple[int, list[Outcome]], None, None]:
        for number in order:
            taken.append(number)
            yield number, outcomes[number]

    return given()


def answer(query: ShippedQuery, outcomes: Outcomes, *, in_turn: bool = True) -> str:
    program = query.program()
    spool = RowSpool()
    parts = program.distribution.parts
    arriving = ArrivingRows(program, parts, spool, outcomes, Run(query), in_turn=in_turn)
    try:
        return "".join(program.pieces({part.number: arriving.rows(part) for part in parts}, **query.seen()))
    finally:
        spool.close()


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.xml"
    path.write_text(f"<a>{''.join(f'<b>{i * 7 % 101}</b>' for i in range(400))}</a>", encoding="utf-8")
    return path


def test_any_order_gives_the_same_answer(numbers: Path) -> None:
    query = shipped_query(SORTED)
    outcomes = done(numbers, query, 4)
    expected = answer(query, in_order_of(outcomes, range(4), []))
    assert expected.startswith("0 7 14 21 28")
    for order in permutations(range(4)):
        assert answer(query, in_order_of(outcomes, order, [])) == expected


def test_the_first_error_of_the_input_is_told_whichever_task_fails_first(numbers: Path) -> None:
    text = numbers.read_text(encoding="utf-8")
    numbers.write_text(text.replace("<b>7</b>", "<b>first</b>", 1) + " ", encoding="utf-8")
    broken = numbers.read_text(encoding="utf-8")
    at = broken.rindex("<b>7</b>")
    numbers.write_text(broken[:at] + "<b>last</b>" + broken[at + 8 :], encoding="utf-8")
    query = shipped_query("for $b in //b order by xs:integer($b) return string($b)")
    outcomes = done(numbers, query, 4)
    for order in permutations(range(4)):
        taken: list[int] = []
        with pytest.raises(XylemError, match="first") as caught:
            answer(query, in_order_of(outcomes, order, taken))
        assert caught.value.code == "FORG0001"
        assert taken[-1] == 0, "nothing is waited for once the first error is known"


def test_without_turns_rows_are_there_as_they_come(numbers: Path) -> None:
    query = shipped_query("for $b in //b return <c>{ string($b) }</c>")
    outcomes = done(numbers, query, 3)
    in_turn = answer(query, in_order_of(outcomes, (2, 0, 1), []))
    at_once = answer(query, in_order_of(outcomes, (2, 0, 1), []), in_turn=False)
    assert in_turn.startswith("<c>0</c><c>7</c>")
    assert not at_once.startswith("<c>0</c>")
    assert sorted(in_turn) == sorted(at_once)
