"""Every slow test has its turn, the same for all processes of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from math import lcm
from pathlib import Path
from typing import Any

import pytest

from tests.turns import LISTED_DAYS, MOST_DAYS, has_its_turn, listed, longest_wait, whose_turn

ROOT = Path(__file__).parents[1]
MEMBERS = [f"test-{number}" for number in range(7)]


def test_each_member_of_a_group_has_its_turn_within_as_many_days() -> None:
    assert {whose_turn(MEMBERS, day) for day in range(740_000, 740_007)} == set(MEMBERS)
    assert whose_turn(MEMBERS, 3) == whose_turn(reversed(MEMBERS), 3)


@pytest.mark.parametrize("days", [2, 5])
def test_each_case_has_one_turn_within_some_days(days: int) -> None:
    for case in MEMBERS:
        assert sum(has_its_turn(case, day, days) for day in range(100, 100 + days)) == 1


@pytest.mark.parametrize("shares", [(6, 5), (6, 3), (2, 6, 15), (6, 8)])
def test_a_share_of_a_share_has_one_turn_too(shares: tuple[int, ...]) -> None:
    within = lcm(*shares)
    assert within <= MOST_DAYS
    for case in MEMBERS:
        days = [day for day in range(500, 500 + within) if all(has_its_turn(case, day, share) for share in shares)]
        assert len(days) == 1


class Marked:
    """A test with markers, as far as turns ask."""

    def __init__(self, name: str, *markers: pytest.MarkDecorator) -> None:
        self.nodeid = name
        self.marks = [marker.mark for marker in markers]

    def iter_markers(self, name: str) -> list[pytest.Mark]:
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(iter(self.iter_markers(name)), None)


def test_nothing_waits_longer_than_is_said() -> None:
    """tests/conftest.py refuses a run in which something would wait longer; here is what it goes by."""
    kills: list[Any] = [Marked(f"kill {number}", pytest.mark.turns("kills")) for number in range(7)]
    sixth: list[Any] = [Marked("a sixth of a fifth", pytest.mark.share(6), pytest.mark.share(5))]
    assert longest_wait([]) == (1, "")
    assert longest_wait(kills)[0] == 7
    assert longest_wait(sixth + kills) == (30, "a sixth of a fifth")
    never: list[Any] = [Marked("both", pytest.mark.turns("kills"), pytest.mark.share(2))]
    assert longest_wait(kills + never) == (sys.maxsize, "both")


def collected(*runs: tuple[list[str], dict[str, str]]) -> tuple[list[set[str]], str]:
    """The tests that runs of pytest would choose, each by its arguments and environment; and all that they say.

    One process asks for all of them: what a second run imports is there already.
    """
    told = subprocess.run(
        [sys.executable, "-c", CHOOSE],
        input=json.dumps(runs),
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    return [set(names) for names in json.loads(told.stderr.splitlines()[-1])], told.stdout


CHOOSE = """
import json, os, pytest, sys

class Chosen:
    def pytest_collection_finish(self, session):
        found.append([item.nodeid for item in session.items])

found = []
for arguments, environment in json.load(sys.stdin):
    for name in ("XYLEM_TEST_DAY", "XYLEM_ALL_TESTS", "XYLEM_CAMPAIGN"):
        os.environ.pop(name, None)
    os.environ.update(environment)
    pytest.main(["--collect-only", "-p", "no:cacheprovider", *arguments], plugins=[Chosen()])
print(json.dumps(found), file=sys.stderr)
"""
SLOW = "tests/robustness/test_long_chains.py"


def test_a_run_chooses_by_its_day_and_says_so() -> None:
    million = [SLOW, "-k", "million"]
    days = [(million, {"XYLEM_TEST_DAY": str(740_000 + day)}) for day in range(2)]
    (one, other, both), told = collected(*days, (million, {"XYLEM_ALL_TESTS": "1"}))
    assert len(one) == len(other) == 1
    assert one | other == both
    assert "XYLEM_TEST_DAY=740000 repeats them" in told


def test_slow_kinds_and_listed_tests_run_every_few_days() -> None:
    for name in listed():
        file, _, function = name.partition("::")
        assert f"def {function.rpartition('::')[2]}(" in (ROOT / file).read_text(), name
    one_that_is_listed = next(name for name in sorted(listed()) if "test_folded_joins" in name)
    kinds = {
        "tests/spark/test_frame.py": 4,
        "tests/values/test_casting.py": 3,
        "tests/bench/test_everyday.py": LISTED_DAYS,
        one_that_is_listed: LISTED_DAYS,
    }
    files = [name.partition("::")[0] for name in kinds]
    days = [(files, {"XYLEM_TEST_DAY": str(740_000 + day)}) for day in range(max(kinds.values()))]
    (everything, *found), _ = collected((files, {"XYLEM_ALL_TESTS": "1"}), *days)
    for kind, within in kinds.items():
        whole = of_kind(everything, kind)
        each_day = [of_kind(names, kind) for names in found[:within]]
        assert set().union(*each_day) == whole
        assert whole not in each_day


def of_kind(names: set[str], kind: str) -> set[str]:
    return {name for name in names if name.startswith(kind)}


def test_a_test_that_is_named_runs_any_day() -> None:
    named = [f"{SLOW}::test_a_million_does_not_end_the_process[or]"]
    found, _ = collected(*((named, {"XYLEM_TEST_DAY": day}) for day in ("740000", "740001")))
    assert [len(names) for names in found] == [1, 1]
