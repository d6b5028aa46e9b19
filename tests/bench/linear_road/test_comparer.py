"""The comparer of Linear Road finds what is wrong with answers, and nothing wrong with right ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xylem.bench.linear_road.comparer import Answer, Comparer, Verdict
from xylem.bench.linear_road.oracle import Expected, Oracle

from .hand_cases import balance, cases, crowd, report


@pytest.fixture(scope="module")
def expected() -> Expected:
    (accident,) = (case for case in cases() if case.name == "accident, direction 0")
    oracle = Oracle({7: "0:33"})
    rows = [*crowd(51, 10), report(310, 7, 10, lane=0), report(340, 7, 11), balance(350, 7, 1), balance(403, 7, 3)]
    rows += [{"type": 3, "time": 405, "vid": 7, "xway": 0, "qid": 2, "day": 1}]
    for row in sorted([*rows, *accident.rows], key=lambda row: row["time"]):
        oracle.take(row)
    return oracle.expected


def right_answers(expected: Expected) -> list[Answer]:
    answers = [
        Answer("toll", {"vid": vid, "time": time, "lav": lav, "toll": toll}, time + 0.5)
        for (vid, time), (lav, toll) in expected.tolls.items()
    ]
    answers += [
        Answer("accident", {"time": time, "xway": xway, "seg": seg, "dir": dir, "vid": vid}, time + 0.5)
        for time, xway, seg, dir, vid in sorted(expected.accidents)
    ]
    answers += [
        Answer("balance", {"time": t, "at": t, "qid": q, "bal": expected.balance(v, t)}, t + 0.5)
        for q, (t, v) in expected.balances.items()
    ]
    answers += [
        Answer("expenditure", {"time": time, "qid": qid, "bal": bal}, time + 0.5)
        for qid, (time, bal) in expected.expenditures.items()
    ]
    return answers


def judged(expected: Expected, answers: list[Answer], speed: float = 1.0) -> Verdict:
    comparer = Comparer(expected, speed=speed)
    for answer in answers:
        comparer.take(answer)
    return comparer.finish()


def test_right_answers_are_valid(expected: Expected) -> None:
    found = judged(expected, right_answers(expected))
    assert found.is_valid
    assert set(found.counts) == {"toll", "accident", "balance", "expenditure"}
    assert found.quantile(0.5) == pytest.approx(0.5)


def _with(answers: list[Answer], kind: str, **changes: int) -> list[Answer]:
    number = max(place for place, answer in enumerate(answers) if answer.kind == kind)
    one = answers[number]
    return [*answers[:number], one._replace(fields={**one.fields, **changes}), *answers[number + 1 :]]


def _moved(answers: list[Answer], kind: str, seconds: float) -> list[Answer]:
    return [one._replace(emit=one.emit + seconds) if one.kind == kind else one for one in answers]


MUTATIONS: dict[str, tuple[Callable[[list[Answer]], list[Answer]], str]] = {
    "dropped": (lambda a: a[1:], "toll: missing"),
    "doubled": (lambda a: [*a, a[0]], "toll: given twice"),
    "another toll": (lambda a: _with(a, "toll", toll=7), "toll: wrong toll"),
    "another LAV": (lambda a: _with(a, "toll", lav=99), "toll: wrong LAV"),
    "a LAV off by one": (lambda a: _with(a, "toll", lav=1), "toll: LAV off by one"),
    "another vehicle": (lambda a: _with(a, "toll", vid=99), "toll: not asked for"),
    "late": (lambda a: _moved(a, "toll", 5), "toll: late"),
    "too early": (lambda a: _moved(a, "accident", -1), "accident: before it was asked"),
    "an accident elsewhere": (lambda a: _with(a, "accident", seg=51), "accident: not asked for"),
    "an accident kept secret": (lambda a: [x for x in a if x.kind != "accident"], "accident: missing"),
    "another balance": (lambda a: _with(a, "balance", bal=3), "balance: wrong"),
    "a balance of 61 seconds ago": (lambda a: _with(a, "balance", at=342), "balance: stale"),
    "a balance of the future": (lambda a: _with(a, "balance", at=500), "balance: of the future"),
    "another expenditure": (lambda a: _with(a, "expenditure", bal=3), "expenditure: wrong"),
    "an expenditure after 10 s": (lambda a: _moved(a, "expenditure", 10), "expenditure: late"),
    "something else": (lambda a: [*a, Answer("travel", {}, 0)], "answers of no kind"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_is_caught(expected: Expected, name: str) -> None:
    mutate, what = MUTATIONS[name]
    found = judged(expected, mutate(right_answers(expected)))
    assert what in found.errors, found.errors
    assert found.examples[what]


def test_two_vehicles_swapped(expected: Expected) -> None:
    answers = [answer for answer in right_answers(expected) if answer.kind == "toll"]
    first, second = answers[-1], next(a for a in answers if a.fields["time"] != answers[-1].fields["time"])
    swapped = [a for a in right_answers(expected) if a not in (first, second)]
    swapped += [
        first._replace(fields={**first.fields, "vid": second.fields["vid"]}),
        second._replace(fields={**second.fields, "vid": first.fields["vid"]}),
    ]
    assert judged(expected, swapped).errors["toll: not asked for"] == 2


def test_an_old_balance_with_an_honest_time_is_right(expected: Expected) -> None:
    answers = right_answers(expected)
    old = [a._replace(fields={**a.fields, "at": 339, "bal": 0}) if a.fields.get("qid") == 1 else a for a in answers]
    assert judged(expected, old).is_valid


def test_a_replay_has_shorter_limits(expected: Expected) -> None:
    fast = [answer._replace(emit=answer.fields["time"] / 10 + 0.6) for answer in right_answers(expected)]
    found = judged(expected, fast, speed=10)
    assert found.errors["toll: late"] == found.counts["toll"]
