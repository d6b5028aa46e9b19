"""The counts of a run, operator by operator: those of the meters, and those that follow from them.

Records of a scan and rows of sorts are counted per batch. Other counts follow from these: a loop has as many turns as
its input has items, an aggregate of everything gives one value. A count that is neither measured nor derived is left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .bounds import A_VALUE, NOTHING
from .operators import (
    Aggregate,
    Bind,
    Fold,
    Join,
    Meter,
    Number,
    Operator,
    OperatorPlan,
    Runs,
    Scan,
    Select,
    Sort,
    Step,
)
from .properties import properties


class Shown(Protocol):
    """The values of a meter."""

    items: int
    results: int | None
    entries: int


@dataclass(frozen=True)
class OperatorCount:
    """The figures of one operator; None for those neither counted nor derived."""

    items_in: int | None = None
    items_out: int | None = None
    peak_bytes: int | None = None
    entries: int | None = None
    """The most items, tuples or groups that it held."""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def words(self) -> Iterator[str]:
        """The figures in words, in parts."""
        if self.items_in is not None:
            yield f"{self.items_in:,} in"
        if self.items_out is not None:
            yield f"{self.items_out:,} out"
        if self.entries is not None:
            yield f"{self.entries:,} kept"
        if self.peak_bytes is not None:
            yield f"{self.peak_bytes:,} bytes"


class OperatorCounts:
    """The figures of all operators of a plan after a run."""

    def __init__(
        self,
        plan: OperatorPlan,
        figures: Mapping[Meter, Shown],
        peak_bytes: Mapping[str, int] | None = None,
        results: int | None = None,
    ) -> None:
        """`peak_bytes` is the memory held for variables, `results` the number of items in the answer."""
        self.plan = plan
        self._figures = figures
        self._peaks = peak_bytes or {}
        self._results = results
        self._known: dict[int, OperatorCount] = {}

    def of(self, operator: Operator) -> OperatorCount:
        number = self.plan.number(operator)
        if number not in self._known:
            self._known[number] = self._count(operator)
        return self._known[number]

    def rows(self) -> Iterator[tuple[int, Operator, OperatorCount]]:
        """Number, operator and figures, in the order of the plan."""
        for operator in self.plan.operators():
            yield self.plan.number(operator), operator, self.of(operator)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [
            {"id": number, "operator": operator.kind, "text": operator.told, **count.to_dict()}
            for number, operator, count in self.rows()
        ]

    def _count(self, operator: Operator) -> OperatorCount:
        shown = [self._figures[meter] for meter in operator.meters if meter in self._figures]
        counted_in, counted_out, entries = self._shown(operator, shown)
        items_in = counted_in if counted_in is not None else self._taken(operator)
        items_out = counted_out if counted_out is not None else self._follows(operator, items_in)
        if items_out is None and operator is self.plan.root:
            items_out = self._results
        return OperatorCount(items_in, items_out, self._bytes(operator), entries)

    def _shown(self, operator: Operator, shown: list[Shown]) -> tuple[int | None, int | None, int | None]:
        """What its own meters show: in, out, held."""
        if not shown:
            return None, None, None
        items = sum(each.items for each in shown)
        if operator.runs is Runs.MERGE:
            return items, None, None
        match operator:
            case Scan():
                return None, items, None
            case Join():
                return None, None, max(each.entries for each in shown)
            case Sort():
                return items, sum(each.results or 0 for each in shown), max(each.entries for each in shown)
            case Aggregate():
                return None, sum(each.results or 0 for each in shown), max(each.entries for each in shown)
        return None, None, None

    def _taken(self, operator: Operator) -> int | None:
        """The items it gets from its children."""
        if isinstance(operator, Scan):
            return None
        if isinstance(operator, Bind) and operator.inputs and isinstance(operator.inputs[0], Scan):
            # A scan counts its items for all tuples together.
            return self.of(operator.inputs[0]).items_out
        if operator.over is not None:
            return self.of(operator.over).items_out
        if len(operator.inputs) == 1 or isinstance(operator, (Select, Number, Sort, Aggregate, Fold)):
            return self.of(operator.inputs[0]).items_out if operator.inputs else None
        return None

    def _follows(self, operator: Operator, items_in: int | None) -> int | None:
        match operator:
            case Aggregate(keys=(), over=None) | Fold(over=None):
                # Each task gives one.
                return 1 if properties(operator).passes and operator.runs is not Runs.TASK else None
            case Bind(how="let"):
                return 1 if operator.over is None else items_in
            case Bind(limit=None, inputs=(source,)) if operator.over is None or isinstance(source, Scan):
                return items_in
            case Select(runs=Runs.SCAN):
                # The scan has tested the items it passes on.
                return items_in
            case Number(test="") | Step(path="data()", over=None):
                return items_in
        return None

    def _bytes(self, operator: Operator) -> int | None:
        if properties(operator).bound in (NOTHING, A_VALUE):
            return None
        names = [meter.key for meter in operator.meters if meter.what == "buffer"]
        return max((self._peaks[name] for name in names if name in self._peaks), default=None)
