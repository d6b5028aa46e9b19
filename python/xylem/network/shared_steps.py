"""Plans that differ only in tests and results share their steps: each takes its own records from them.

    for $p in /photons/photon where $p/ra > 120 return <a>{ $p/en }</a>      the same steps, with
    for $p in /photons/photon where $p/ra > 130 return <b>{ $p/en }</b>      a taker of `photon` each

Gain:   the scan follows the steps once for any number of plans, and finds the takers by the values of an element.
Needs:  records come only from complete elements, except the start of the root element, which is reported once.
Safe:   a handler still makes the tests, unless the scan always decides them: those of strings and of presence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from xylem.plan.result_template import Tally, Template
from xylem.plan.scan_plan import (
    EXISTS,
    AttributeTest,
    NameTest,
    PresenceTest,
    Report,
    ScanPlan,
    ScanStep,
    StartTest,
    ValueTest,
)
from xylem.plan.scan_table import ScanTable

_SHAPES: WeakValueDictionary[ScanPlan, ScanPlan] = WeakValueDictionary()
_TAKEN = (Report.ITEM, Report.START | Report.ITEM)


@dataclass(frozen=True, slots=True)
class Taking:
    """One plan's request to a step that it shares with others."""

    step: int
    alternatives: tuple[tuple[ValueTest, ...], ...]
    """All tests of one of these must hold."""
    result: Template | Tally | None


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """A plan as steps that it may share with others, and its requests to them."""

    shape: ScanPlan
    """The same object for all plans with these steps."""
    takings: tuple[Taking, ...]


def shared_plan(plan: ScanPlan) -> SharedPlan | None:
    """A plan taken apart; None if its records are not those of complete elements."""
    steps: list[ScanStep] = []
    takings: list[Taking] = []
    has_reports_below = _reporting(plan)
    for number, step in enumerate(plan.steps):
        if not _is_taken(step):
            is_around = step.parent in (-1, 0) and step.axis == "child" and not step.text
            if step.report & ~Report.COUNT and not (is_around and not step.report & ~(Report.START | Report.END)):
                return None
            steps.append(step)
            continue
        tests, kept = list(step.value_tests), step.tests
        if not has_reports_below[number] and all(map(_is_decided, step.tests)):
            # Nodes below a failing element are not needed by anyone: the element itself can be tested.
            tests += [_on_the_element(test) for test in step.tests if not isinstance(test, NameTest)]
            kept = tuple(test for test in step.tests if isinstance(test, NameTest))
        result = None if isinstance(step.result, ScanTable) else step.result
        alternatives = tuple((*tests, *more) for more in step.alternatives or ((),))
        takings.append(Taking(number, alternatives, result))
        every = (test for alternative in alternatives for test in alternative)
        read = {test.attribute for test in every if not test.path and test.attribute is not None}
        attributes = step.attributes if step.attributes is None else tuple(sorted({*step.attributes, *read}))
        steps.append(replace(step, tests=kept, value_tests=(), alternatives=(), result=None, attributes=attributes))
    if not takings:
        return None
    return SharedPlan(shared_shape(ScanPlan(tuple(steps), plan.comments)), tuple(takings))


def shared_shape(plan: ScanPlan) -> ScanPlan:
    """The single plan that represents all equal plans."""
    return _SHAPES.setdefault(plan, plan)


def _is_taken(step: ScanStep) -> bool:
    if step.report not in _TAKEN or step.outermost or step.late:
        return False
    return step.report == Report.ITEM or step.nests


def _reporting(plan: ScanPlan) -> list[bool]:
    """For each step, whether a step below it reports anything."""
    found = [False] * len(plan.steps)
    for step in reversed(plan.steps[1:]):
        number = plan.steps.index(step)
        if step.report or found[number]:
            found[step.parent] = True
    return found


def _is_decided(test: StartTest) -> bool:
    """Whether a test always holds or fails, whatever the attribute's value."""
    if isinstance(test, AttributeTest):
        return test.number is None
    return isinstance(test, (NameTest, PresenceTest))


def _on_the_element(test: StartTest) -> ValueTest:
    if isinstance(test, AttributeTest):
        return ValueTest((), test.op, test.string, None, attribute=(test.uri, test.local))
    assert isinstance(test, PresenceTest)
    return ValueTest((), EXISTS, "", None, attribute=(test.uri, test.local))
