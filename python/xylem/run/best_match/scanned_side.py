"""A side of a best-match join that a scan reads from its file: rows come in batches and hold only what the query reads.

The scan starts on the first request, and each further request scans again. A faulty file raises the error of doc().
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from os import PathLike, stat
from typing import Any

from xylem.errors import InputError
from xylem.functions.context import Context
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source.limits import Limits
from xylem.source.scan import scan
from xylem.values.node import ATTRIBUTE, TEXT
from xylem.values.paged_tree import TreePages
from xylem.values.uri import resolve

from .node_rows import NodeRows, Part
from .side_rows import PathLeaf, Row, SideRows, read_column

SCANNED_BYTES = 1 << 20
"""Smaller documents are read as trees: a scan would gain nothing."""
BATCH_ROWS = 4096
"""Batch size for a side with clauses of its own."""
LEAST_PAGE_BYTES, PAGES_IN_MEMORY = 1 << 14, 16
"""Input bytes per page, and the number of pages that fit in memory."""
_ITEM = 4


@dataclass(frozen=True)
class ScannedPath:
    """Items that a path of child steps leads to in a document that the query names."""

    document: str
    steps: tuple[tuple[str, str], ...]
    """The names of the elements, from the root to the items."""
    plan: ScanPlan
    """The leaves kept of each item; the last step of the path reports them."""


Rows = Callable[[Iterable[Any]], Iterator[Row]]


class ScannedSide:
    """Rows of a side as its file is read.

    Holds:  nothing; its readers decide what they keep of a batch.
    """

    def __init__(
        self,
        path: PathLike[str],
        limits: Limits,
        scanned: ScannedPath,
        rows: Rows | None,
        leaves: Sequence[Callable[[Row], Sequence[Any]]],
        paths: Sequence[PathLeaf | None],
    ) -> None:
        self._path = path
        self._limits = limits
        self._scanned = scanned
        self._rows = rows
        self._leaves = leaves
        self._paths = paths

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return stat(self._path).st_size

    def batches(self, pages: TreePages | None = None) -> Iterator[SideRows]:
        """The rows, in the batches that the scan gives."""
        if self._rows is None:
            for part in self._items(self._scanned.plan, pages):
                yield _copyable(SideRows(NodeRows((part,)).paged(pages), None, self._leaves, self._paths))
            return
        # Positions count on from batch to batch.
        empty = SideRows((), None, self._leaves, self._paths)
        rows = self._rows(node for (node,) in NodeRows.flowing(_paged(self._items(self._scanned.plan, pages), pages)))
        while batch := list(islice(rows, BATCH_ROWS)):
            yield empty.like(batch)

    def whole(self, pages: TreePages | None = None) -> SideRows:
        """All rows."""
        parts = _paged(self._items(self._scanned.plan, pages), pages)
        return _copyable(SideRows(NodeRows(parts), self._rows, self._leaves, self._paths))

    def ascends(self, leaf: int) -> bool:
        """Whether the values of a leaf never decrease, found by a scan that keeps nothing else."""
        path = self._paths[leaf]
        plan = None if path is None else self._only(path)
        if path is None or plan is None:
            return False
        last = -inf
        for part in self._items(plan):
            column = read_column(path, (part,))
            found = None if column is None or column.irregular is not None else column.ascends(last)
            if found is None:
                return False
            last = found
        return True

    def _items(self, plan: ScanPlan, pages: TreePages | None = None) -> Iterator[Part]:
        # Pages are small so that many fit in memory.
        size = None if pages is None else max(LEAST_PAGE_BYTES, pages.memory_bytes // PAGES_IN_MEMORY)
        try:
            for batch in scan(self._path, plan, limits=self._limits, batch_bytes=size):
                rows = batch.rows
                if batch.kinds.count(_ITEM) < len(rows):
                    rows = [row for kind, row in zip(batch.kinds, rows, strict=True) if kind == _ITEM]
                if rows:
                    yield batch.tree, array("I", rows)
        except InputError as error:
            raise InputError("FODC0002", f"{error.title}: {self._path}: {error.why}", hint=error.hint) from error

    def _only(self, path: PathLeaf) -> ScanPlan | None:
        """A plan that keeps one leaf of each item."""
        own = list(self._scanned.plan.steps[: len(self._scanned.steps) + 1])
        item = own[-1]
        own[-1] = ScanStep(item.parent, item.axis, item.uri, item.local, Report.ITEM)
        steps = list(path.steps)
        while steps:
            axis, test = steps.pop(0)
            before, last = own[-1], len(own) - 1
            if axis == "attribute" and test.kind == ATTRIBUTE and test.uri is not None and test.local is not None:
                own[-1] = replace(before, attributes=((test.uri, test.local),))
            elif test.kind == TEXT and axis == "child":
                own[-1] = replace(before, text=True)
            elif axis == "child" and not steps:
                own.append(ScanStep(last, "child", test.uri, test.local, keep=Keep.STRING))
            elif axis == "child":
                own.append(ScanStep(last, "child", test.uri, test.local))
            else:
                return None
        return ScanPlan(tuple(own))


def _copyable(rows: SideRows) -> SideRows:
    """Rows from which the query only makes new nodes and values (`lowering/python/scanned_sides.py`)."""
    rows.may_be_copied = True
    return rows


def _paged(parts: Iterable[Part], pages: TreePages | None) -> Iterator[Part]:
    """Parts as they arrive; their trees are spilled to a file while memory is short."""
    return (part for part in parts for _ in NodeRows((part,)).paged(pages).parts)


def side_source(
    context: Context,
    scanned: ScannedPath,
    items: Callable[[], Iterable[Any]],
    rows: Rows | None,
    leaves: Sequence[Callable[[Row], Sequence[Any]]],
    paths: Sequence[PathLeaf | None],
) -> SideRows | ScannedSide:
    """The side for the items of a path: scanned if the path is in a large file that nobody has read."""
    resources = context.run.resources
    unread = getattr(resources, "unread_file", None)
    path = None if unread is None else unread(resolve(scanned.document, context.static.base_uri or ""))
    if path is None or stat(path).st_size < SCANNED_BYTES:
        return SideRows(items(), rows, leaves, paths)
    return ScannedSide(path, resources.limits, scanned, rows, leaves, paths)  # type: ignore[attr-defined]
