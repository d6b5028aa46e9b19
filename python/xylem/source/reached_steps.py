"""The combined needs of the steps that reach one element, computed once for each set of steps."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from xylem.plan.scan_plan import AttributeTest, Keep, PresenceTest, Report, ScanPlan
from xylem.values.casting_numbers import parse_double
from xylem.values.node import COMMENT, TEXT
from xylem.values.node import PROCESSING_INSTRUCTION as INSTRUCTION

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Name = tuple[str, str]


class ReachedSteps:
    """The union of some steps that reach the same element, and the steps to follow from it."""

    __slots__ = (
        "_below",
        "attributes",
        "awaited",
        "awaiting",
        "copies",
        "counted",
        "holds",
        "is_item",
        "is_kept",
        "keeps_leaves",
        "keeps_remarks",
        "keeps_text",
        "leaves",
        "next_children",
        "next_descendants",
        "outermost",
        "records_at_end",
        "records_at_start",
        "remembered",
        "scopes",
        "takes_string",
    )

    def __init__(self, plan: ScanPlan, steps: Iterable[int]) -> None:
        only_counts = plan.only_counts()
        numbers = sorted(steps)
        asked = [plan.steps[number] for number in numbers]
        self.is_kept = any(not only_counts[number] for number in numbers)
        self.copies = any(step.keep == Keep.SUBTREE for step in asked)
        self.takes_string = any(step.keep == Keep.STRING for step in asked)
        self.keeps_text = any(step.text for step in asked)
        self.keeps_remarks = any(step.remarks for step in asked)
        self.keeps_leaves = self.keeps_text or self.keeps_remarks
        # What waits for an element of such a step may be in it: its rows stay while it is open.
        around = {other for step in plan.steps for other, _, scope in step.awaits if scope != 1}
        self.is_item = any(step.report & Report.ITEM for step in asked) or not around.isdisjoint(numbers)
        self.attributes = _united([step.attributes for step in asked])
        self.counted = [number for number in numbers if plan.steps[number].report & Report.COUNT]
        self.records_at_start = [n for n in numbers if plan.steps[n].report & Report.START]
        self.outermost = [n for n in numbers if plan.steps[n].outermost]
        self.leaves = {
            kind: [n for n in numbers if plan.steps[n].report & report]
            for kind, report in ((TEXT, Report.TEXTS), (COMMENT, Report.COMMENTS), (INSTRUCTION, Report.INSTRUCTIONS))
        }
        self.remembered = [n for n in numbers if plan.steps[n].remembers]
        self.holds = any(_holds(plan, number) for number in self.remembered)
        """Whether it is remembered with what is in it."""
        self.awaiting = [n for n in numbers if plan.steps[n].awaits]
        awaited = {other for step in plan.steps for other, _, _ in step.awaits}
        scopes = {-scope for step in plan.steps for _, _, scope in step.awaits if scope < 0}
        self.scopes = scopes.intersection(numbers)
        self.awaited = [n for n in numbers if n in awaited]
        self.records_at_end = [
            (int(kind), n) for n in numbers for kind in (Report.END, Report.ITEM) if plan.steps[n].report & kind
        ]
        below = [(number, step.axis) for number, step in enumerate(plan.steps) if step.parent in numbers]
        self.next_children = frozenset(number for number, axis in below if axis == "child")
        self.next_descendants = frozenset(number for number, axis in below if axis == "descendant")
        self._below: dict[frozenset[int], tuple[frozenset[int], tuple[int, ...]]] = {}

    def below(self, lasting: frozenset[int]) -> tuple[frozenset[int], tuple[int, ...]]:
        """The descendant steps to follow below the element, some being followed there already, and all steps."""
        found = self._below.get(lasting)
        if found is None:
            deeper = lasting | self.next_descendants
            found = self._below[lasting] = deeper, tuple(sorted(deeper | self.next_children))
        return found


def _holds(plan: ScanPlan, number: int) -> bool:
    """Whether a step keeps more of its elements than start tags, which are repeated while they are open."""
    step = plan.steps[number]
    has_steps = any(other.parent == number for other in plan.steps)
    return step.keep != Keep.NOTHING or step.text or step.remarks or has_steps


def _united(asked: list[tuple[Name, ...] | None]) -> frozenset[Name] | None:
    """The attributes that are kept; None for all."""
    names: set[Name] = set()
    for attributes in asked:
        if attributes is None:
            return None
        names.update(attributes)
    return frozenset(names)


def holds(test: AttributeTest | PresenceTest, attributes: dict[Name, str]) -> bool:
    """Whether a test holds for an element with these attributes; FORG0001 for a value that must be a number."""
    value = attributes.get((test.uri, test.local))
    if value is None or isinstance(test, PresenceTest):
        return value is not None
    if test.number is not None:
        return COMPARISONS[test.op](parse_double(value), test.number)
    return COMPARISONS[test.op](value, test.string)
