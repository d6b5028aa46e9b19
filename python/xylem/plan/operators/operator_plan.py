"""A whole plan: its operators with numbers, equal parts once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .operator import Operator


@dataclass(frozen=True)
class OperatorPlan:
    """The operators of one way to run a query.

    Numbers follow the order in which the plan is printed, from 1. A repeated part has one number: equal content with
    equal place and measurements is one operator.
    """

    root: Operator

    @cached_property
    def numbers(self) -> dict[tuple[object, ...], int]:
        found: dict[tuple[object, ...], int] = {}
        for operator in self._in_order():
            found.setdefault(_identity(operator), len(found) + 1)
        return found

    def number(self, operator: Operator) -> int:
        return self.numbers[_identity(operator)]

    def operators(self) -> Iterator[Operator]:
        """Each operator once, in the order of the numbers."""
        given: set[int] = set()
        for operator in self._in_order():
            number = self.number(operator)
            if number not in given:
                given.add(number)
                yield operator

    def rows(self) -> Iterator[tuple[int, Operator, bool]]:
        """(depth, operator, whether it was listed before) as printed: of repeated operators, the first is listed with
        all below it."""
        seen: set[int] = set()
        stack = [(0, self.root)]
        while stack:
            depth, operator = stack.pop()
            number = self.number(operator)
            is_known = number in seen
            yield depth, operator, is_known
            seen.add(number)
            if not is_known:
                stack.extend((depth + 1, child) for child in reversed(operator.children))

    def _in_order(self) -> Iterator[Operator]:
        return self.root.walk()


def _identity(operator: Operator) -> tuple[object, ...]:
    """Distinguishes equal operators that are measured or placed separately."""
    span = operator.span
    place = None if span is None else (span.start, span.end, span.source.name)
    return (operator.fingerprint, operator.runs, operator.meters, place)
