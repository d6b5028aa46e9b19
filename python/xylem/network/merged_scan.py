"""One scan for many programs: their plans side by side, and the records of each to the one that asked for them.

A scan lets several steps reach one element, each as if it were alone (`plan/scan_plan.py`). So plans are merged by
putting their steps behind each other; only the document node is the same for all. Between two records the merged plan
may become another one: a scan that begins there, with the elements around records open, gives the same records as one
that had read all before. Whoever has seen these elements begin is not told again.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from xylem.errors import XylemError
from xylem.plan.scan_plan import WRITTEN, Keep, PositionTest, ScanPlan, ScanStep, Written
from xylem.plan.scan_table import ScanTable
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.scan import BatchTrees, ScannedBatch, Scanner, scanner_class
from xylem.values.tree_interface import TreeInterface

START = 1


def can_be_merged(plan: ScanPlan) -> bool:
    """Whether a scan by a plan may begin between any two records, and beside others."""
    document = plan.steps[0]
    if document.keep != Keep.NOTHING or document.report or document.text:
        return False
    return not any(isinstance(test, PositionTest) for step in plan.steps for test in step.tests)


def mergeable(plan: ScanPlan) -> ScanPlan:
    """The plan without what would keep state in the scan."""
    return ScanPlan(tuple(map(_step, plan.steps)), plan.comments)


def _step(step: ScanStep) -> ScanStep:
    return replace(step, result=None if isinstance(step.result, ScanTable) else step.result, late=False)


@dataclass
class Share:
    """What one of the plans is given of a batch, in its own numbers of steps."""

    kinds: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)


    def without_starts_of(self, rows: Container[int]) -> Share:
        """The same without the news that some elements have begun: those around the records."""
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


class MergedScan:
    """A scan by several plans from some record on. One that asks for nothing in a batch has no share of it."""

    def __init__(self, plans: Sequence[ScanPlan], opening: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        steps: list[ScanStep] = [ScanStep(-1)]
        self._owners = [-1]
        self._bases: list[int] = []
        self._sizes: list[int] = []
        for number, plan in enumerate(plans):
            base = len(steps) - 1
            self._bases.append(base)
            self._sizes.append(len(plan.steps))
            for step in plan.steps[1:]:
                steps.append(replace(step, parent=step.parent + base if step.parent else 0))
                self._owners.append(number)
        self._scanner = self._new_scanner(ScanPlan(tuple(steps), any(plan.comments for plan in plans)), limits)
        self._scanner.writes = True
        self.error: XylemError | None = None
        """What ended the scan, behind the records that it has given: a test of one of the plans that fails, say."""
        self.begun = self._batch(opening)
        """What the elements around the records gave."""

    def _new_scanner(self, plan: ScanPlan, limits: Limits) -> Scanner:
        self._trees = BatchTrees(None, limits.names)
        self._trees.begin(None)
        made = scanner_class()
        from xylem.source import kernel

        return self._trees.scanner(plan, limits, None) if made is kernel.Scanner else made(plan, limits)

    def feed(self, records: bytes) -> tuple[TreeInterface, dict[int, Share]] | None:
        """The shares of some more whole records, by the number of the plan."""
        return self._batch(records)

    def end(self, closing: bytes) -> TreeInterface:
        """End the document: the tree of its last batch, in which nothing but the document node need be."""
        self._scanner.feed(closing)
        return self._trees.scanned(self._scanner.finish()).tree

    def _batch(self, data: bytes) -> tuple[TreeInterface, dict[int, Share]] | None:
        found = None
        try:
            found = self._scanner.feed(data, True)
            self._scanner.feed(b"")
        except XylemError as error:
            self.error = error
        if found is None:
            return None
        batch = self._trees.scanned(found)
        return batch.tree, self._shares(batch)

    def _shares(self, batch: ScannedBatch) -> dict[int, Share]:
        shares: dict[int, Share] = {}
        owners, bases = self._owners, self._bases
        written = iter(batch.written)
        for kind, step, row in zip(batch.kinds, batch.steps, batch.rows, strict=True):
            owner = owners[step]
            share = shares.get(owner)
            if share is None:
                share = shares[owner] = Share()
            share.kinds.append(kind)
            share.steps.append(step - bases[owner])
            share.rows.append(row)
            if kind == WRITTEN:
                share.written.append(next(written))
        for step, count in enumerate(batch.counts):
            if count:
                owner = owners[step]
                share = shares.setdefault(owner, Share())
                if not share.counts:
                    share.counts = [0] * self._sizes[owner]
                share.counts[step - bases[owner]] = count
        return shares
