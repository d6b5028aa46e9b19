"""A scan that goes on for long holds on to nothing."""

from __future__ import annotations

import resource
from itertools import count

import pytest
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source.kernel import Scanner, is_kernel_built

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

SOME = ScanStep(0, "descendant", local="i", report=Report.ITEM, attributes=(("", "a"),))
SKIPS_NAMES = ScanPlan((ScanStep(-1), SOME))
KEEPS = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, report=Report.ITEM, keep=Keep.SUBTREE)))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize(
    ("plan", "record"),
    [
        (SKIPS_NAMES, "<n{0} a{0}='1' xmlns:p='urn:{0}'>text</n{0}>"),
        (KEEPS, "<i a='1'>text<b/></i>"),
        (KEEPS, "<i xmlns='urn:i'><b xmlns:p='urn:p' p:x='1'/></i>"),
    ],
)
def test_memory_does_not_grow(plan: ScanPlan, record: str) -> None:
    scanner = Scanner(plan)
    scanner.feed(b"<r>")
    numbers = count()
    before = 0.0
    for turn in range(60):
        scanner.feed("".join(record.format(next(numbers)) for _ in range(5_000)).encode(), True)
        if turn == 29:
            before = peak_megabytes()
    assert peak_megabytes() - before < 10
