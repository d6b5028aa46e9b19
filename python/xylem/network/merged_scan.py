"""One scan for many programs: it runs their plans side by side and gives each program its own records.

Several steps of a scan may reach one element, each as if it were alone (`plan/scan_plan.py`). So merging concatenates
the steps of all plans; they share only the document node. Plans with equal steps (`shared_steps.py`) share them as
takers, which may join and leave during the scan. Between two records the merged plan may be replaced: a scan that
begins there, with the elements around records open, gives the same records as one that read everything before. Programs
that have already seen the starts of these elements do not see them again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from xylem.errors import XylemError
from xylem.plan.result_template import Tally, Template
from xylem.plan.scan_plan import WRITTEN, Keep, PositionTest, Report, ScanPlan, ScanStep, ValueTest, Written
from xylem.plan.scan_table import ScanTable
from xylem.source import kernel
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.scan import BatchTrees, ScannedBatch, Scanner, scanner_class
from xylem.values.tree_interface import TreeInterface

from .shared_steps import SharedPlan, Taking, shared_plan, shared_shape

START = 1
_COUNT = int(Report.COUNT)


def can_be_merged(plan: ScanPlan) -> bool:
    """Whether a scan by a plan may begin between any two records, and run beside others."""
    document = plan.steps[0]
    if document.keep != Keep.NOTHING or document.report or document.text:
        return False
    if any(step.axis == "self" for step in plan.steps):
        # Nodes outside the root belong to the document.
        return False
    if any(step.remembers or step.awaits for step in plan.steps):
        # Nodes before or after a record are part of it.
        return False
    return not any(isinstance(test, PositionTest) for step in plan.steps for test in step.tests)


class Request:
    """The steps that one query needs from a scan."""

    __slots__ = ("plan", "shared")

    def __init__(self, plan: ScanPlan) -> None:
        self.plan = plan
        """Its steps; if they are shared, the common ones."""
        self.shared: SharedPlan | None = None
        if can_be_merged(plan):
            self.plan = ScanPlan(tuple(map(_step, plan.steps)), plan.comments)
            self.shared = shared_plan(self.plan) if kernel.is_kernel_built() else None
            if self.shared is not None:
                self.plan = self.shared.shape

    def replaced(self, change: Callable[[Any], Any]) -> Request:
        """The request with other constants; steps without constants stay shared with other requests."""
        made = Request.__new__(Request)
        made.plan = change(self.plan)
        made.shared = self.shared
        if self.shared is not None and made.plan is self.plan:
            made.shared = SharedPlan(self.plan, change(self.shared.takings))
        elif self.shared is not None:
            made.shared = SharedPlan(shared_shape(made.plan), change(self.shared.takings))
            made.plan = made.shared.shape
        return made


def _step(step: ScanStep) -> ScanStep:
    """A step without the parts that keep state in the scan."""
    return replace(step, result=None if isinstance(step.result, ScanTable) else step.result, late=False)


@dataclass
class Share:
    """The share of one plan in a batch, with the plan's own step numbers."""

    kinds: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)

    def add(self, kind: int, step: int, row: int) -> None:
        self.kinds.append(kind)
        self.steps.append(step)
        self.rows.append(row)

    def count(self, step: int, number: int, steps: int) -> None:
        if not self.counts:
            self.counts = [0] * steps
        self.counts[step] += number

    def without_starts_of(self, rows: Container[int]) -> Share:
        """The share without the start events of the elements around the records."""
        if START not in self.kinds:
            return self
        kept = [
            record
            for record in zip(self.kinds, self.steps, self.rows, strict=True)
            if record[0] != START or record[2] not in rows
        ]
        return replace(
            self,
            kinds=[kind for kind, _, _ in kept],
            steps=[step for _, step, _ in kept],
            rows=[row for _, _, row in kept],
        )


@dataclass
class Found:
    """The matches of a scan in some records, by the number of the query that asked for them."""

    tree: TreeInterface
    shares: dict[int, Share] = field(default_factory=dict)
    texts: list[tuple[int, int, Written]] = field(default_factory=list)
    """The step and the text of queries whose only matches are text of one step."""


@dataclass
class _Part:
    """Steps of the merged plan that belong together: those of one query, or those shared by several."""

    base: int
    size: int
    numbers: set[int] = field(default_factory=set)


class MergedScan:
    """A scan for several queries from some record on. A query without matches in a batch has no share of it."""

    def __init__(self, requests: Sequence[Request], opening: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        steps: list[ScanStep] = [ScanStep(-1)]
        self._parts: list[_Part] = []
        self._part_of_step = [-1]
        self._of_shape: dict[int, _Part] = {}
        self._shapes: list[ScanPlan] = []
        """Referenced, so that no other object gets the identity of one of them."""
        self._takers: dict[int, list[tuple[int, int]]] = {}
        """By query number: the steps it takes from, and its numbers there."""
        self._columns: dict[tuple[object, ...], int] = {}
        self._results: dict[Template | Tally, int] = {}
        self._next = 0
        parts: list[_Part] = []
        for request in requests:
            part = None if request.shared is None else self._of_shape.get(id(request.shared.shape))
            if part is None:
                part = self._part(request.plan, steps)
                if request.shared is not None:
                    self._of_shape[id(request.shared.shape)] = part
                    self._shapes.append(request.shared.shape)
            parts.append(part)
        self._scanner = self._new_scanner(
            ScanPlan(tuple(steps), any(request.plan.comments for request in requests)), limits
        )
        self._scanner.writes = True
        for request, part in zip(requests, parts, strict=True):
            self._enter(part, request)
        self.error: XylemError | None = None
        """The error that ended the scan, after the records it returned: for example a failing test of one plan."""
        # A start tag is only processed once something follows it: a comment, which nobody keeps.
        self.begun = self._batch(opening + b"<!---->" if opening else b"")
        """The matches in the elements around the records."""
        self._begun_parts = {
            id(part): self.begun.shares[number]
            for part in self._parts
            for number in part.numbers
            if self.begun is not None and number in self.begun.shares
        }

    def _part(self, plan: ScanPlan, steps: list[ScanStep]) -> _Part:
        base = len(steps) - 1
        part = _Part(base, len(plan.steps))
        for step in plan.steps[1:]:
            steps.append(replace(step, parent=step.parent + base if step.parent else 0))
            self._part_of_step.append(len(self._parts))
        self._parts.append(part)
        return part

    def _new_scanner(self, plan: ScanPlan, limits: Limits) -> Scanner:
        self._trees = BatchTrees(None, limits)
        self._trees.begin(None)
        made = scanner_class()
        return self._trees.scanner(plan, limits, None) if made is kernel.Scanner else made(plan, limits)

    # --- participants

    def add(self, request: Request) -> int | None:
        """Add a query from here on; return its number, or None if the scan lacks steps for it."""
        part = None if request.shared is None else self._of_shape.get(id(request.shared.shape))
        return None if part is None else self._enter(part, request)

    def begun_share(self, number: int) -> Share | None:
        """The share of a query in the elements around the records."""
        part = next(part for part in self._parts if number in part.numbers)
        return self._begun_parts.get(id(part))

    def remove(self, number: int) -> bool:
        """Remove a query; return whether the scan can go on without it."""
        takers = self._takers.pop(number, None)
        if takers is None:
            return False
        assert isinstance(self._scanner, kernel.Scanner)
        for step, taker in takers:
            self._scanner.remove_taker(step, taker)
        next(part for part in self._parts if number in part.numbers).numbers.discard(number)
        return True

    def _enter(self, part: _Part, request: Request) -> int:
        number, self._next = self._next, self._next + 1
        part.numbers.add(number)
        if request.shared is not None:
            self._takers[number] = [self._take(part, number, taking) for taking in request.shared.takings]
        return number

    def _take(self, part: _Part, number: int, taking: Taking) -> tuple[int, int]:
        scanner = self._scanner
        assert isinstance(scanner, kernel.Scanner)
        result = None
        if taking.result is not None:
            result = self._results.get(taking.result)
            if result is None:
                result = self._results[taking.result] = scanner.result(taking.result)
        tests = [
            [(self._column(test), test.op, test.string, test.number) for test in alternative]
            for alternative in taking.alternatives
        ]
        step = part.base + taking.step
        return step, scanner.add_taker(step, number, taking.step, tests, result)

    def _column(self, test: ValueTest) -> int:
        key = test.path, test.text, test.attribute
        found = self._columns.get(key)
        if found is None:
            assert isinstance(self._scanner, kernel.Scanner)
            found = self._columns[key] = self._scanner.column(test)
        return found

    # --- records

    def feed(self, records: bytes) -> Found | None:
        """The matches in some further whole records."""
        return self._batch(records)

    def end(self, closing: bytes) -> TreeInterface:
        """End the document: the tree of its last batch, which needs only the document node."""
        self._scanner.feed(closing)
        return self._trees.scanned(self._scanner.finish()).tree

    def _batch(self, data: bytes) -> Found | None:
        batch = None
        try:
            batch = self._scanner.feed(data, True)
            self._scanner.feed(b"")
        except XylemError as error:
            self.error = error
        return None if batch is None else self._found(self._trees.scanned(batch))

    def _found(self, batch: ScannedBatch) -> Found:
        found = Found(batch.tree)
        shares = found.shares
        written = iter(batch.written)
        for kind, step, row in zip(batch.kinds, batch.steps, batch.rows, strict=True):
            part = self._parts[self._part_of_step[step]]
            text = next(written) if kind == WRITTEN else None
            for number in part.numbers:
                share = shares.setdefault(number, Share())
                share.add(kind, step - part.base, row)
                if text is not None:
                    share.written.append(text)
        for step, count in enumerate(batch.counts):
            if count:
                part = self._parts[self._part_of_step[step]]
                for number in part.numbers:
                    shares.setdefault(number, Share()).count(step - part.base, count, part.size)
        self._add_taken(batch, found)
        return found

    def _add_taken(self, batch: ScannedBatch, found: Found) -> None:
        taken, shares, texts = batch.taken, found.shares, found.texts
        last = len(taken) - 1
        before = -1
        for at, (number, kind, step, rows, text, elements, items, most_characters, most_rows) in enumerate(taken):
            if kind == WRITTEN:
                assert text is not None
                written = Written(text, elements, items, most_characters, most_rows)
                if number != before and (at == last or taken[at + 1][0] != number) and number not in shares:
                    texts.append((number, step, written))
                    continue
            before = number
            share = shares.get(number)
            if share is None:
                share = shares[number] = Share()
            if kind == WRITTEN:
                share.add(kind, step, 0)
                share.written.append(written)
            elif kind == _COUNT:
                share.count(step, items, self._size_of(number))
            else:
                share.kinds += [kind] * len(rows)
                share.steps += [step] * len(rows)
                share.rows += rows

    def _size_of(self, number: int) -> int:
        return next(part.size for part in self._parts if number in part.numbers)
