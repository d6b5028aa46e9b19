"""The oracle of Linear Road on cases worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from xylem.bench.linear_road.oracle import Expected, Oracle, _mean_of_means

from .hand_cases import Case, Row, balance, cases, crowd, report


def expected(rows: list[Row], *, pooled: bool = False) -> Expected:
    oracle = Oracle({7: "0:33 1:44"}, pooled=pooled)
    for row in rows:
        oracle.take(row)
    return oracle.expected


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    found = expected(case.rows)
    assert {key: found.tolls.get(key) for key in case.tolls} == case.tolls
    assert not case.silent & set(found.tolls)
    if case.accidents is not None:
        assert {(vid, time, seg) for time, _, seg, _, vid in found.accidents} == case.accidents
    times = {row["qid"]: (row["time"], row["vid"]) for row in case.rows if row["type"] == 2}
    assert {qid: found.balance(vid, time) for qid, (time, vid) in times.items()} == case.balances


def test_balance_before_and_after_a_charge() -> None:
    rows = [*crowd(51, 10), report(310, 7, 10, lane=0), report(340, 7, 11), balance(350, 7, 1)]
    found = expected(rows)
    assert [found.balance(7, time) for time in (339, 340, 350)] == [0, 2, 2]


def test_reports_after_an_exit_are_not_counted() -> None:
    rows = [*crowd(50, 10), report(150, 7, 10, lane=0), report(180, 7, 10, lane=4)]
    # Without the last report of car 7 there would be 50 cars in minute 5.
    noise = [report(250, 7, 10)]
    enters = report(310, 8, 10, lane=0)
    ordered = sorted([*rows, *noise], key=lambda row: row["time"])
    assert expected([*ordered, enters]).tolls[8, 310] == (20, 0)


def test_average_of_vehicles_and_of_reports() -> None:
    rows = [report(0, 1, 5, spd=10), report(10, 1, 5, spd=10, pos=26_600), report(20, 2, 5, spd=40)]
    enters = report(60, 3, 5, lane=0)
    assert expected([*rows, enters]).tolls[3, 60] == (25, 0)
    assert expected([*rows, enters], pooled=True).tolls[3, 60] == (20, 0)


def test_means_are_exact_and_rounded_half_up() -> None:
    assert _mean_of_means([[10, 3], [1, 2]]) == (Fraction(10, 3) + Fraction(1, 2)) / 2
    rows = [report(0, 1, 5, spd=10), report(1, 2, 5, spd=11), report(60, 3, 5, lane=0)]
    assert expected(rows).tolls[3, 60] == (11, 0)


def test_expenditure_is_that_of_the_day() -> None:
    found = expected([{"type": 3, "time": 5, "vid": 7, "xway": 1, "qid": 4, "day": 2}])
    assert found.expenditures == {4: (5, 44)}


def test_a_request_without_history_is_noticed() -> None:
    with pytest.raises(ValueError, match="expressway 0"):
        expected([{"type": 3, "time": 5, "vid": 7, "xway": 1, "qid": 4, "day": 1}])
