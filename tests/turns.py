"""Which of the slow tests run today. The others have their turn on another day; `make test-all` runs them all.

    @pytest.mark.turns("kills")     one of the tests (or, with a module's fixture, files) of that group runs each day
    @pytest.mark.share(5)           a fifth of the cases of a parametrised test runs each day
    slow_tests.txt                  a sixth of the cases of the tests that are listed there, or of their share

Nothing is left to chance: within as many days as a group has members, and within five days for a fifth, each one has
run; within thirty for a sixth of a fifth. No case waits longer than that: a run refuses to begin if one would
(`longest_wait`). The day is a number that the header of the report shows; XYLEM_TEST_DAY sets it, so that a failure can
be repeated.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from math import lcm
from pathlib import Path

import pytest

LISTED = Path(__file__).with_name("slow_tests.txt")
LISTED_DAYS = 6
MOST_DAYS = 30
"""Within so many days each case has run."""
DAY = "XYLEM_TEST_DAY"
ALL = "XYLEM_ALL_TESTS"
CAMPAIGN = "XYLEM_CAMPAIGN"


def is_campaign() -> bool:
    """Whether random tests try as many cases as fit into hours: `make campaign`."""
    return bool(os.environ.get(CAMPAIGN))


def is_everything_asked_for() -> bool:
    """Whether no test waits for its day: `make test-all`, with as many random cases as every day, or a campaign."""
    return bool(os.environ.get(ALL)) or is_campaign()


def today() -> int:
    """The number of the day, the same for all processes of a run although midnight may come in between."""
    return int(os.environ.setdefault(DAY, str(date.today().toordinal())))


def header() -> str:
    if is_everything_asked_for():
        return "slow tests: all"
    return f"slow tests: those of day {today()} ({DAY}={today()} repeats them, {ALL}=1 runs all)"


@cache
def listed() -> frozenset[str]:
    """The tests that take a second of CPU time or more on a slow machine, all their cases together."""
    lines = LISTED.read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_listed(item: pytest.Item) -> bool:
    return item.nodeid.partition("[")[0] in listed()


def whose_turn(members: Iterable[str], day: int) -> str:
    """The member of a group that runs on a day."""
    in_order = sorted(set(members), key=_place)
    return in_order[day % len(in_order)]


def has_its_turn(case: str, day: int, days: int) -> bool:
    """Whether a case runs on a day, when all have run within some days."""
    return (_place(case) + day) % days == 0


def divided(items: Sequence[pytest.Item], always: Iterable[str] = ()) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that run today, and the others. A test named in `always` runs: it failed the last time."""
    day, wanted = today(), set(always)
    groups: dict[str, set[str]] = {}
    for item in items:
        for group in item.iter_markers("turns"):
            groups.setdefault(group.args[0], set()).add(_member(item))
    chosen = {whose_turn(members, day) for members in groups.values()}

    def runs(item: pytest.Item) -> bool:
        if item.nodeid in wanted:
            return True
        if any(_member(item) not in chosen for _ in item.iter_markers("turns")):
            return False
        return all(has_its_turn(_case(item), day, share.args[0]) for share in item.iter_markers("share"))

    return [item for item in items if runs(item)], [item for item in items if not runs(item)]


def longest_wait(items: Sequence[pytest.Item]) -> tuple[int, str]:
    """Within how many days each test has run, and one that waits so long.

    A case with several shares runs when all of them are due. They count the days from the same place, so that this
    happens once in the least number of days that each of them divides. Groups count from places of their own: a test of
    two groups, or of a group with a share, might never run, and waits for ever.
    """
    members: dict[str, set[str]] = {}
    for item in items:
        for group in item.iter_markers("turns"):
            members.setdefault(group.args[0], set()).add(_member(item))

    def days(item: pytest.Item) -> int:
        shares = [share.args[0] for share in item.iter_markers("share")]
        groups = [len(members[group.args[0]]) for group in item.iter_markers("turns")]
        return lcm(*shares, *groups) if not groups or len(shares) + len(groups) == 1 else sys.maxsize

    return max(((days(item), item.nodeid) for item in items), default=(1, ""))


def _member(item: pytest.Item) -> str:
    """What has its turn: a test, or the file of tests that share what takes so long (`turns(…, by_file=True)`)."""
    marker = item.get_closest_marker("turns")
    return item.nodeid.partition("::")[0] if marker is not None and marker.kwargs.get("by_file") else item.nodeid


def _case(item: pytest.Item) -> str:
    """The parameters of a test: the tests of a file that share a fixture by them run on the same day."""
    parameters = getattr(item, "callspec", None)
    return f"{item.path.name} {parameters.id}" if parameters is not None else item.nodeid


def _place(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
