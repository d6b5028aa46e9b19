"""The rows and records of one batch of the Python scanner, and what the next batch begins with.

Elements are opened and closed here as a stack. When a batch is handed over, the open elements are repeated bare, each
with its attributes; from the outermost one that is to be reported as a whole, all rows are taken along.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.plan.scan_plan import Batch
from xylem.values.name_pool import NamePool
from xylem.values.node import DOCUMENT

ROW_BYTES = 32
"""What a row takes beside its value, as the kernel counts it."""


class OpenRow:
    """An element with a row: where it stands, and how many attribute rows follow it."""

    __slots__ = ("attributes", "is_whole", "row")

    def __init__(self, row: int, attributes: int, is_whole: bool) -> None:
        self.row = row
        self.attributes = attributes
        self.is_whole = is_whole
        """Whether it is to be reported as an item, with all its rows."""


class ProjectedRows:
    """The batch being filled; `names` is the scanner's own table of names."""

    def __init__(self, names: NamePool, step_count: int) -> None:
        self.names = names
        self.open: list[OpenRow] = []
        self.batch = Batch(counts=[0] * step_count)
        self._told_names = 1
        self._repeated = 0
        self._has_counted = False
        self.item_bytes = 0
        """What is held of the outermost open element that is to be reported as a whole, the document apart."""
        self._item_depth = 0

    # --- filling

    def start_document(self, is_whole: bool) -> None:
        self._append(DOCUMENT, None)
        self.open.append(OpenRow(0, 0, is_whole))

    def start(
        self,
        code: int,
        attributes: list[tuple[int, str]],
        declared: dict[str, str] | None,
        prefixes: Iterable[tuple[int, str]] = (),
        is_whole: bool = False,
    ) -> int:
        """Open an element under the innermost open one; `prefixes` are unusual ones, by row counted from its own."""
        if is_whole and not self._item_depth and not self.open[0].is_whole:
            self._item_depth = len(self.open)
        row = self._append(code, None)
        self.open.append(OpenRow(row, len(attributes), is_whole))
        for attribute, value in attributes:
            self._append(attribute, value)
        if declared:
            self.batch.declared[row] = declared
        for place, prefix in prefixes:
            self.batch.prefixed[row + place] = prefix
        return row

    def leaf(self, code: int, value: str) -> None:
        """Add a text node, comment or processing instruction to the innermost open element."""
        self._append(code, value)

    def end(self) -> None:
        """Close the innermost open element or document."""
        self.batch.ends[self.open.pop().row] = len(self.batch.codes)
        if len(self.open) <= self._item_depth:
            self._item_depth = self.item_bytes = 0

    def _append(self, code: int, value: str | None) -> int:
        batch = self.batch
        row = len(batch.codes)
        batch.codes.append(code)
        batch.ends.append(row + 1)
        batch.parents.append(self.open[-1].row if self.open else -1)
        batch.values.append(value)
        if self._item_depth:
            self.item_bytes += ROW_BYTES
            if value is not None:
                self.item_bytes += len(value) if value.isascii() else len(value.encode())
        return row

    def record(self, kind: int, step: int) -> None:
        """Report the innermost open element."""
        self.batch.kinds.append(kind)
        self.batch.steps.append(step)
        self.batch.rows.append(self.open[-1].row)

    def record_leaf(self, kind: int, step: int) -> None:
        """Report the last row."""
        self.batch.kinds.append(kind)
        self.batch.steps.append(step)
        self.batch.rows.append(len(self.batch.codes) - 1)

    def count(self, step: int) -> None:
        self.batch.counts[step] += 1
        self._has_counted = True

    # --- handing over

    @property
    def has_news(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.batch.kinds) or self._has_counted

    @property
    def held_rows(self) -> int:
        """How many rows the next batch would begin with because of an open item."""
        for open_row in self.open:
            if open_row.is_whole:
                return len(self.batch.codes) - open_row.row
        return 0

    @property
    def new_rows(self) -> int:
        return len(self.batch.codes) - self._repeated

    def take(self, input_bytes: int) -> Batch:
        """The batch as it is; another one is begun."""
        done = self.batch
        for open_row in self.open:
            done.ends[open_row.row] = len(done.codes)
        done.new_names = [(q.uri, q.local, q.prefix) for q in self.names.qnames[self._told_names :] if q is not None]
        done.input_bytes = input_bytes
        self._told_names = len(self.names.qnames)
        self._has_counted = False
        self.batch = Batch(counts=[0] * len(done.counts))
        self._repeat_spine(done)
        self._repeated = len(self.batch.codes)
        return done

    def _repeat_spine(self, old: Batch) -> None:
        open_rows, self.open = self.open, []
        for place, open_row in enumerate(open_rows):
            if open_row.is_whole:
                self._repeat_all(old, open_row.row, open_rows[place:])
                return
            first = open_row.row
            shift = len(self.batch.codes) - first
            for row in range(first, first + 1 + open_row.attributes):
                self._append(old.codes[row], old.values[row])
                self._repeat_names(old, row, shift)
                if row == first:
                    open_row.row = first + shift
                    self.open.append(open_row)

    def _repeat_all(self, old: Batch, first: int, open_rows: list[OpenRow]) -> None:
        """Everything from a row on: it is all inside the open element there."""
        batch = self.batch
        shift = len(batch.codes) - first
        parent = self.open[-1].row if self.open else -1
        batch.codes += old.codes[first:]
        batch.values += old.values[first:]
        batch.ends += [end + shift for end in old.ends[first:]]
        batch.parents += [parent, *(row + shift for row in old.parents[first + 1 :])]
        for row in range(first, len(old.codes)):
            self._repeat_names(old, row, shift)
        for open_row in open_rows:
            open_row.row += shift
        self.open += open_rows

    def _repeat_names(self, old: Batch, row: int, shift: int) -> None:
        if row in old.declared:
            self.batch.declared[row + shift] = old.declared[row]
        if row in old.prefixed:
            self.batch.prefixed[row + shift] = old.prefixed[row]
