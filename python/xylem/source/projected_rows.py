"""The rows and records of one batch of the Python scanner, and the beginning of the next batch.

Elements are opened and closed here as a stack. When a batch is handed over, the open elements are repeated bare, each
with its attributes; from the outermost one that is to be reported as a whole, all rows are taken along.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.plan.scan_plan import Batch, Report
from xylem.values.name_pool import NamePool
from xylem.values.node import DOCUMENT

_ITEM = int(Report.ITEM)
ROW_BYTES = 32
"""Size of a row besides its value, as counted by the kernel."""


class OpenRow:
    """An element with a row: its place, and its number of attribute rows."""

    __slots__ = ("attributes", "is_whole", "remembered", "row")

    def __init__(self, row: int, attributes: int, is_whole: bool) -> None:
        self.row = row
        self.attributes = attributes
        self.is_whole = is_whole
        """Whether it is to be reported as an item, with all its rows."""
        self.remembered: list[tuple[int, int]] = []
        """Steps and rows of children that stay, in document order."""


class AwaitingItem:
    """An item that is reported when later siblings, or its parent, have ended."""

    __slots__ = ("held", "holds", "left", "place", "row", "step")

    def __init__(self, step: int, row: int, place: int, held: int, awaited: Iterable[tuple[int, int]]) -> None:
        self.step = step
        self.row = row
        self.place = place
        """The place of its parent among the open rows, or of the outermost ancestor whose children it waits for."""
        self.held = held
        """The first row that stays with it: its own, or that of the ancestor's child around it."""
        self.left = dict(awaited)
        """The awaited steps, with the number of elements of each."""
        self.holds: bool | None = None
        """Whether its tests hold; None while it is open."""


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
        """Content held of the outermost open element that is reported as a whole, except the document."""
        self._item_depth = 0
        self.awaiting: list[AwaitingItem] = []
        """In document order."""

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

    def number(self, label: int, number: int) -> None:
        """Give the innermost open element its number."""
        self.batch.numbers[self.open[-1].row, label] = number

    def remember(self, step: int, most: int) -> None:
        """Keep the innermost open element, which is about to end, while its parent is open."""
        parent, row = self.open[-2], self.open[-1].row
        same = [one for one in parent.remembered if one[0] == step]
        if len(same) >= most:
            parent.remembered.remove(same[0])
        parent.remembered.append((step, row))

    def wait(self, step: int, place: int, awaited: Iterable[tuple[int, int]]) -> None:
        """The innermost open element will be reported later; it waits in the open element at a place."""
        held = self.open[place + 1].row
        for other in self.awaiting:
            # Earlier items are reported first, so they wait as long.
            if other.place > place:
                other.place, other.held = place, held
        self.awaiting.append(AwaitingItem(step, self.open[-1].row, place, held, awaited))

    def complete(self, step: int, holds: bool) -> None:
        """The innermost open element, which will be reported later, is about to end."""
        for item in self.awaiting:
            if item.step == step and item.row == self.open[-1].row:
                item.holds = holds

    def end_waiting(self, steps: Iterable[int]) -> None:
        """The innermost open element, which the steps reach, is about to end: report items waiting in it or for it."""
        for item in self.awaiting:
            if item.place >= len(self.open) - 1:
                item.left.clear()
        for step in steps:
            self._meet(step)
        self.tell_awaited()

    def _meet(self, step: int) -> None:
        place, row = len(self.open) - 2, self.open[-1].row
        for item in self.awaiting:
            if item.place == place and item.holds is not None and item.row < row and step in item.left:
                item.left[step] -= 1
                if not item.left[step]:
                    del item.left[step]

    def tell_awaited(self) -> None:
        """Report the items that no longer wait."""
        while self.awaiting and self.awaiting[0].holds is not None and not self.awaiting[0].left:
            item = self.awaiting.pop(0)
            if item.holds:
                self.batch.kinds.append(_ITEM)
                self.batch.steps.append(item.step)
                self.batch.rows.append(item.row)

    def record_leaf(self, kind: int, step: int) -> None:
        """Report the last row."""
        self.batch.kinds.append(kind)
        self.batch.steps.append(step)
        self.batch.rows.append(len(self.batch.codes) - 1)

    def count(self, step: int) -> None:
        self.batch.counts[step] += 1
        self._has_counted = True

    # --- completing a batch

    @property
    def has_news(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.batch.kinds) or self._has_counted

    @property
    def held_rows(self) -> int:
        """Number of rows repeated in the next batch because of an open item."""
        held = [open_row.row for open_row in self.open if open_row.is_whole]
        held += [item.held for item in self.awaiting[:1]]
        return len(self.batch.codes) - min(held) if held else 0

    @property
    def new_rows(self) -> int:
        return len(self.batch.codes) - self._repeated

    def take(self, input_bytes: int) -> Batch:
        """Return the batch and begin another one."""
        done = self.batch
        for open_row in self.open:
            done.ends[open_row.row] = len(done.codes)
        done.new_names = [(q.uri, q.local, q.prefix) for q in self.names.qnames[self._told_names :] if q is not None]
        done.input_bytes = input_bytes
        self._told_names = len(self.names.qnames)
        self._has_counted = False
        self.batch = Batch(counts=[0] * len(done.counts))
        self._repeat_spine(done)
        self.batch.spine = [open_row.row for open_row in self.open]
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
            self._repeat_remembered(old, open_row, place)
            if self.awaiting and self.awaiting[0].place == place:
                self._repeat_all(old, self.awaiting[0].held, open_rows[place + 1 :])
                return

    def _repeat_remembered(self, old: Batch, parent: OpenRow, place: int) -> None:
        """Repeat the kept children of an open element, except those repeated for a waiting item."""
        held = self.awaiting[0].held if self.awaiting and self.awaiting[0].place == place else len(old.codes)
        moved: dict[int, int] = {}
        for first in sorted({row for _, row in parent.remembered if row < held}):
            moved[first] = len(self.batch.codes)
            self._repeat_rows(old, first, old.ends[first])
        parent.remembered = [(step, moved.get(row, row)) for step, row in parent.remembered]

    def _repeat_all(self, old: Batch, first: int, open_rows: list[OpenRow]) -> None:
        """Repeat everything from a row on: it is all inside the open element there."""
        around = self.open[-1:]
        shift = self._repeat_rows(old, first, len(old.codes))
        for open_row in open_rows:
            open_row.row += shift
        for open_row in (*around, *open_rows):
            is_around = open_row in around
            open_row.remembered = [
                (step, row if is_around and row < first else row + shift) for step, row in open_row.remembered
            ]
        for item in self.awaiting:
            item.row += shift
            item.held += shift
        self.open += open_rows

    def _repeat_rows(self, old: Batch, first: int, end: int) -> int:
        """Repeat some rows in the innermost open element; return by how much they move."""
        batch = self.batch
        shift = len(batch.codes) - first
        top = self.open[-1].row if self.open else -1
        batch.codes += old.codes[first:end]
        batch.values += old.values[first:end]
        batch.ends += [one + shift for one in old.ends[first:end]]
        batch.parents += [top if row < first else row + shift for row in old.parents[first:end]]
        for row in range(first, end):
            self._repeat_names(old, row, shift)
        batch.numbers.update(
            {(row + shift, label): number for (row, label), number in old.numbers.items() if first <= row < end}
        )
        return shift

    def _repeat_names(self, old: Batch, row: int, shift: int) -> None:
        if row in old.declared:
            self.batch.declared[row + shift] = old.declared[row]
        if row in old.prefixed:
            self.batch.prefixed[row + shift] = old.prefixed[row]
