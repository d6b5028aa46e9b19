"""Elements told late: of a step that is late, a scanner tells those with records of later steps inside, in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import XylemError
from xylem.plan.scan_plan import Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.limits import DEFAULT_LIMITS

from .scan_cases import documents, plans
from .scan_views import View, cut, expected, observed

pytestmark = pytest.mark.skipif(kernel.kernel_build() is None, reason="only the kernel tells elements late")

BOTH = Report.START | Report.END


@st.composite
def late_plans(draw: st.DrawFn) -> ScanPlan:
    plan = draw(plans())
    late = draw(st.lists(st.integers(1, len(plan.steps) - 1), min_size=1, max_size=3))
    steps = [replace(step, report=BOTH, late=True) if n in late else step for n, step in enumerate(plan.steps)]
    return replace(plan, steps=tuple(steps))


def late_above(plan: ScanPlan, step: int) -> list[int]:
    """The late steps before one on its path, outermost first."""
    found: list[int] = []
    while (step := plan.steps[step].parent) >= 0:
        found += [step] if plan.steps[step].late else []
    return found[::-1]


def told_late(plan: ScanPlan, whole: View) -> list[object]:
    """The records of a scan that tells all elements, without those that need not be told."""
    told: list[object] = []
    waiting: dict[int, list[tuple[object, int, bool]]] = {n: [] for n, step in enumerate(plan.steps) if step.late}
    for record in whole.records:
        kind, step, path, _ = record
        if step in waiting and kind == Report.START:
            waiting[step].append((record, len(path), False))
            continue
        if step in waiting and not waiting[step].pop()[2]:
            continue
        for late in late_above(plan, step):
            for place, (start, depth, is_told) in enumerate(waiting[late]):
                if depth < len(path) and not is_told:
                    told.append(start)
                    waiting[late][place] = start, depth, True
        told.append(record)
    return told


@settings(max_examples=120, deadline=None)
@given(
    document=documents(),
    plan=late_plans(),
    places=st.one_of(st.just([]), st.lists(st.integers(0, 10_000), max_size=8)),
    flush=st.booleans(),
)
def test_only_elements_with_records_inside_are_told(
    document: bytes, plan: ScanPlan, places: list[int], flush: bool
) -> None:
    view = observed(kernel.Scanner, plan, [(piece, flush) for piece in cut(document, places)])
    whole = expected(document, replace(plan, steps=tuple(replace(step, late=False) for step in plan.steps)))
    assert view.error == whole.error
    assert view.records == told_late(plan, whole)


def test_elements_without_records_cost_none() -> None:
    late, asked = ScanStep(0, "descendant", report=BOTH, late=True), ScanStep(1, local="b", report=Report.START)
    steps = (ScanStep(-1), late, asked)
    document = b"<r><a>" + b"<x><y/></x>" * 100 + b"</a><a><b/></a></r>"
    view = observed(kernel.Scanner, ScanPlan(steps), [(document, True)])
    assert [(kind, step, len(path)) for kind, step, path, _ in view.records] == [
        (Report.START, 1, 2),
        (Report.START, 1, 3),
        (Report.START, 2, 4),
        (Report.END, 1, 3),
        (Report.END, 1, 2),
    ]


@pytest.mark.parametrize("report", [Report.START, Report.END, Report.ITEM, Report.START | Report.ITEM])
def test_what_cannot_be_late_is_refused(report: Report) -> None:
    steps = (ScanStep(-1), ScanStep(0, "descendant", report=report, late=True))
    with pytest.raises((ValueError, XylemError)):
        kernel.Scanner(ScanPlan(steps), DEFAULT_LIMITS)
