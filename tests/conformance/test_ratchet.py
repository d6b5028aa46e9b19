"""The ratchet notices every change, and the day's sample of the W3C suite holds to the list of known failures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xylem.conformance.ratchet import UNEXPLAINED, Known, compare, read_known, sample, write_known
from xylem.conformance.suite import SuiteMissing, Verdict, all_cases, find_suite, run_cases
from xylem.conformance.whole_suite import table_by_group

from tests import turns

KNOWN_FAILURES = Path(__file__).with_name("known_failures.txt")
SAMPLE_SIZE = 750


def test_new_failures_passes_and_changes_are_told_apart() -> None:
    known = {"a/1": Known("fail", "why"), "a/2": Known("fail", "why"), "a/3": Known("error", "why")}
    verdicts = [
        Verdict("a/1", "pass"),
        Verdict("a/2", "error"),
        Verdict("a/3", "error"),
        Verdict("b/1", "fail"),
        Verdict("b/2", "pass"),
    ]
    difference = compare(verdicts, known)
    assert [v.case for v in difference.better] == ["a/1"]
    assert [v.case for v in difference.other] == ["a/2"]
    assert [v.case for v in difference.worse] == ["b/1"]
    assert "b/1\tfail" in difference.report()


def test_no_difference_is_no_report() -> None:
    difference = compare([Verdict("a/1", "fail"), Verdict("a/2", "pass")], {"a/1": Known("fail", "why")})
    assert not difference
    assert difference.report() == ""


def test_reasons_survive_rewriting(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    without = write_known(
        path,
        [Verdict("b/1", "fail"), Verdict("a/1", "error"), Verdict("a/2", "pass")],
        {"a/1": Known("fail", "no schema awareness")},
    )
    assert without == 1
    assert read_known(path) == {
        "a/1": Known("error", "no schema awareness"),
        "b/1": Known("fail", UNEXPLAINED),
    }


def test_the_sample_is_stable_and_leaves_out_what_only_costs_time() -> None:
    cases = [f"set/case-{n}" for n in range(1000)]
    chosen = sample(cases, 50, {})
    assert chosen == sample(reversed(cases), 50, {})
    assert chosen != sample(cases, 50, {}, day=1)
    assert set(sample(cases[:900], 50, {})) >= set(chosen) & set(cases[:900])
    assert chosen[0] not in sample(cases, 50, {chosen[0]: Known("timeout", "slow")})


def test_the_table_counts_by_group() -> None:
    verdicts = [Verdict("fn-abs/1", "pass"), Verdict("fn-abs/2", "fail"), Verdict("app-UseCaseR/1", "pass")]
    table = table_by_group(verdicts)
    assert table.splitlines()[2:] == [
        "| app-UseCase | 1 | 1 | 0 | 100.00 % |",
        "| fn | 2 | 1 | 1 | 50.00 % |",
        "| **total** | 3 | 2 | 1 | 66.67 % |",
    ]


def test_every_known_failure_has_a_reason() -> None:
    known = read_known(KNOWN_FAILURES)
    assert list(known) == sorted(known)
    assert not [case for case, failure in known.items() if not failure.reason or failure.reason == UNEXPLAINED]


@pytest.mark.timeout(1500)
def test_the_sample_differs_in_nothing_from_the_known_failures() -> None:
    try:
        suite = find_suite()
    except SuiteMissing as missing:
        pytest.skip(str(missing))
    known = read_known(KNOWN_FAILURES)
    cases = sample(all_cases(suite), SAMPLE_SIZE, known, turns.today())
    verdicts = list(run_cases(suite, cases, processes=min(2, os.cpu_count() or 1)))
    assert len(verdicts) == len(cases)
    difference = compare(verdicts, known)
    assert not difference, difference.report()
