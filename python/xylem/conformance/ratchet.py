"""The ratchet: known failures are listed with reasons, and the list may only change on purpose.

A line of the list is `testset/testcase`, the status, and the reason, separated by tabs. A case that fails and is not
listed is a regression; one that is listed and passes must be removed from the list; one that fails in another way has
changed unnoticed. All three break the build.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .suite import Verdict


@dataclass(frozen=True)
class Known:
    """A known failure: how the case ends, and why."""

    status: str
    reason: str


@dataclass
class Difference:
    """The differences between verdicts and list."""

    worse: list[Verdict] = field(default_factory=list)
    better: list[Verdict] = field(default_factory=list)
    other: list[Verdict] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.worse or self.better or self.other)

    def report(self) -> str:
        """One line for each case, for people."""
        lines = []
        for title, verdicts in (
            ("fails and is not listed", self.worse),
            ("listed and passes: take it off the list", self.better),
            ("fails in another way than listed", self.other),
        ):
            lines += [f"{title}:"] if verdicts else []
            lines += [f"  {v.case}\t{v.status}\t{' '.join(v.detail.split())[:200]}" for v in verdicts]
        return "\n".join(lines)


def read_known(path: Path) -> dict[str, Known]:
    """The list of known failures; lines that start with # are comments."""
    known = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            case, status, reason = line.split("\t", 2)
            known[case] = Known(status, reason)
    return known


def write_known(path: Path, verdicts: Iterable[Verdict], before: Mapping[str, Known]) -> int:
    """Write the failures among the verdicts, keeping reasons already given; returns how many have no reason yet."""
    lines, without = ["# Known failures of the W3C suite: case, status, reason. Kept by `make conformance`."], 0
    for verdict in sorted(verdicts, key=lambda v: v.case):
        if verdict.passed:
            continue
        reason = before[verdict.case].reason if verdict.case in before else UNEXPLAINED
        without += reason == UNEXPLAINED
        lines.append(f"{verdict.case}\t{verdict.status}\t{reason}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return without


UNEXPLAINED = "not yet explained"


def compare(verdicts: Iterable[Verdict], known: Mapping[str, Known]) -> Difference:
    """What got worse, better, or different."""
    difference = Difference()
    for verdict in verdicts:
        listed = known.get(verdict.case)
        if listed is None:
            if not verdict.passed:
                difference.worse.append(verdict)
        elif verdict.passed:
            difference.better.append(verdict)
        elif verdict.status != listed.status:
            difference.other.append(verdict)
    return difference


def sample(cases: Iterable[str], size: int, known: Mapping[str, Known], day: int = 0) -> list[str]:
    """The choice of a day: the cases with the smallest hashes, so that it changes only with the day and the suite.

    Cases that are known to run out of time belong to the whole run: here they would only take time.
    """
    quick = (case for case in cases if not (case in known and known[case].status == "timeout"))
    return sorted(sorted(quick, key=lambda case: zlib.crc32(f"{day} {case}".encode()))[:size])
