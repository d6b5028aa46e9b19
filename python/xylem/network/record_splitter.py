"""Split bytes into records as they arrive: each child of the root of an endless document is a record.

Malformed input never enters a stream: every piece is checked first. The splitter returns the complete records before an
error, and then raises the error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xylem.errors import InputError
from xylem.plan.scan_plan import ScanPlan
from xylem.source.byte_ranges import Scope
from xylem.source.cut_points import CutFinder, Inside
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.scan import scanner_class

CHILDREN_OF_ROOT: Scope = (("child", None, None), ("child", None, None))
_END_TAG = re.compile(rb"</[^<>\s/]+\s*>")


@dataclass
class RecordSplitter:
    """The records of one document whose bytes come in pieces of any size.

    Holds:  the incomplete record, up to the limit for items.
    Order:  that of the document.
    End:    nothing is taken after the root element; the scanner reports later content as XYIN0001.
    """

    limits: Limits = DEFAULT_LIMITS
    opening: bytes = b""
    """The start tags that make records a document; empty before the root element has begun."""
    is_over: bool = False
    _held: bytes = b""
    _at: int = 0
    """Offset of the first held byte."""
    _cuts: list[int] = field(default_factory=list)
    """The beginnings of the records not yet returned."""
    _has_records: bool = False

    def __post_init__(self) -> None:
        self._finder = CutFinder([CHILDREN_OF_ROOT], 1, limits=self.limits)
        self._checker = scanner_class()(ScanPlan(), self.limits)

    def feed(self, data: bytes) -> tuple[list[bytes], InputError | None]:
        """The records that the bytes complete, and the error in the bytes after them."""
        fault = self._fault(data)
        if fault is not None:
            end = self._at + len(self._held) + len(data)
            fault_at = fault.place.byte_offset if fault.place is not None else self._at
            data = data[: max(0, len(data) - (end - fault_at))]
        self._held += data
        for cut in self._finder.feed(data):
            if not self._has_records:
                # Text before the first record belongs to none.
                self._has_records = True
                self._held = self._held[cut.offset - self._at :]
                self._at = cut.offset
                self.opening = cut.opening
            self._cuts.append(cut.offset)
        inside, place = self._finder.place()
        boundary = self._end_of_records() if inside is Inside.OVER else place.offset
        if inside is Inside.OVER:
            self.is_over = True
        return (self._taken(boundary) if self._has_records else []), fault

    def finish(self) -> InputError | None:
        """The error in a document whose bytes end within a record; the elements around the records may stay open."""
        inside, _ = self._finder.place()
        is_in_tag = self._held.rfind(b"<") > self._held.rfind(b">")
        if self.is_over or (inside is Inside.NOTHING and not is_in_tag):
            return None
        try:
            self._checker.finish()
        except InputError as error:
            return error
        return None

    def _fault(self, data: bytes) -> InputError | None:
        try:
            self._checker.feed(data, False)
            self._checker.feed(b"", False)
        except InputError as error:
            return error
        return None

    def _end_of_records(self) -> int:
        """The offset of the end tag of the root element."""
        tags = list(_END_TAG.finditer(self._held))
        return self._at + (tags[-1].start() if tags else 0)

    def _taken(self, boundary: int) -> list[bytes]:
        """The records that end before an offset; white space and comments go with a record, or are dropped."""
        whole = [cut for cut in self._cuts if cut < boundary]
        ends = [*whole[1:], boundary]
        records = [self._held[cut - self._at : end - self._at] for cut, end in zip(whole, ends, strict=False)]
        if boundary > self._at:
            self._held = self._held[boundary - self._at :]
            self._at = boundary
            self._cuts = self._cuts[len(whole) :]
        return records
