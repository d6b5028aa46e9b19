"""Every slow test has its turn, the same for all processes of a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.turns import LISTED_DAYS, has_its_turn, listed, whose_turn

ROOT = Path(__file__).parents[1]
MEMBERS = [f"test-{number}" for number in range(7)]


def test_each_member_of_a_group_has_its_turn_within_as_many_days() -> None:
    assert {whose_turn(MEMBERS, day) for day in range(740_000, 740_007)} == set(MEMBERS)
    assert whose_turn(MEMBERS, 3) == whose_turn(reversed(MEMBERS), 3)


@pytest.mark.parametrize("days", [2, 5])
def test_each_case_has_one_turn_within_some_days(days: int) -> None:
    for case in MEMBERS:
        assert sum(has_its_turn(case, day, days) for day in range(100, 100 + days)) == 1


def collected(*arguments: str, **environment: str) -> tuple[set[str], str]:
    """The slow tests of a file that a run of pytest would choose, and all it says."""
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "python"), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.strip() for line in told.stdout.splitlines() if "<Function test_" in line}, told.stdout


SLOW = "tests/robustness/test_long_chains.py"


def test_a_run_chooses_by_its_day_and_says_so() -> None:
    one, told = collected(SLOW, "-k", "million", XYLEM_TEST_DAY="740000")
    other, _ = collected(SLOW, "-k", "million", XYLEM_TEST_DAY="740001")
    both, _ = collected(SLOW, "-k", "million", XYLEM_CAMPAIGN="1")
    assert len(one) == len(other) == 1
    assert one | other == both
    assert "XYLEM_TEST_DAY=740000 repeats them" in told


@pytest.mark.parametrize(
    ("file", "days"),
    [("tests/spark/test_frame.py", 3), ("tests/schema/test_definitions.py", 2), ("tests/bench/test_everyday.py", 2)],
)
def test_slow_kinds_run_every_few_days(file: str, days: int) -> None:
    found = [collected(file, XYLEM_TEST_DAY=str(740_000 + day))[0] for day in range(days)]
    everything, _ = collected(file, XYLEM_CAMPAIGN="1")
    assert set().union(*found) == everything
    assert everything not in found


def test_listed_tests_are_there_and_have_their_turns() -> None:
    for name in listed():
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(), name
    name = next(name for name in sorted(listed()) if "test_folded_joins" in name)
    file, _, function = name.partition("::")
    found = [collected(file, "-k", function, XYLEM_TEST_DAY=str(740_000 + day))[0] for day in range(LISTED_DAYS)]
    everything, _ = collected(file, "-k", function, XYLEM_CAMPAIGN="1")
    assert set().union(*found) == everything
    assert everything not in found


def test_a_test_that_is_named_runs_any_day() -> None:
    for day in ("740000", "740001"):
        named, _ = collected(f"{SLOW}::test_a_million_does_not_end_the_process[or]", XYLEM_TEST_DAY=day)
        assert len(named) == 1
