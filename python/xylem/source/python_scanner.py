"""The scan in plain Python, on expat: the reference for the kernel's tests, and its replacement without a kernel.

Here bytes come in, in pieces of any size, and batches go out; what happens at each event is in `projection.py`.
Clear before fast: the kernel is the fast one.
"""

from __future__ import annotations

import codecs

from xylem.errors import InputError, InputPlace, XylemError
from xylem.plan.scan_plan import Batch, ScanPlan

from .doctype import DoctypeHandlers
from .encodings import LONGEST_DECLARATION, xml_encoding
from .limits import Limits
from .projection import Projection
from .xml_reader import input_error

_BATCH_ROWS = 20_000
_DECLARATIONS = ((b"<?xml", b"?>"), (b"Lo\xa7\x94\x93", b"\x6f\x6e"))
"""The beginning and end of an XML declaration, in ASCII and in EBCDIC."""
_ENCODING_MARK = 5
_REPEATED_PER_NEW = 4
_BUFFER_CHARACTERS = 65_536


class PythonScanner:
    """One scan; `plan/scan_plan.py` says what `feed` and `finish` do."""

    def __init__(self, plan: ScanPlan, limits: Limits) -> None:
        self.plan = plan
        self.limits = limits
        self.writes = False
        """An offer only: this scanner always leaves results to the query."""
        self._head = b""
        """The first bytes, until they show the encoding."""
        self._projection: Projection | None = None
        self._decoder: codecs.IncrementalDecoder | None = None
        self._input_bytes = 0
        self._is_finished = False
        self._error: XylemError | None = None

    def feed(self, data: bytes, flush: bool = False) -> Batch | None:
        """Read more input."""
        if self._is_finished and not data and self._error is None:
            return None
        self._read(data, False, flush)
        if self._projection is None:
            return None
        rows = self._projection.rows
        if self._error is not None:
            return rows.take(self._input_bytes)
        if rows.has_news:
            is_due = flush or rows.new_rows >= _BATCH_ROWS
            is_cheap = rows.held_rows <= max(_BATCH_ROWS, _REPEATED_PER_NEW * rows.new_rows)
            return rows.take(self._input_bytes) if is_due and is_cheap else None
        if rows.new_rows - rows.held_rows >= _BATCH_ROWS:
            return rows.take(self._input_bytes)
        return None

    def finish(self) -> Batch:
        """Read the end of the input; return the rest, even if it is empty."""
        self._is_finished = True
        self._read(b"", True, True)
        assert self._projection is not None
        if self._error is None:
            self._projection.end_document()
        return self._projection.rows.take(self._input_bytes)

    def _read(self, data: bytes, is_last: bool, flush: bool) -> None:
        """Parse; an error is raised at once only if nothing was completed before it, and otherwise at the next call."""
        if self._error is not None:
            raise self._error
        self._input_bytes += len(data)
        try:
            self._parse(data, is_last, flush)
        except XylemError as error:
            self._error = error
            if self._projection is None or not self._projection.rows.has_news:
                raise

    def _parse(self, data: bytes, is_last: bool, flush: bool) -> None:
        projection = self._projection
        if projection is None:
            self._head += data
            if not is_last and not _shows_encoding(self._head):
                return
            data = self._head
            self._projection = projection = self._begin(data)
        if self._decoder is None:
            _parse(projection, data, is_last, flush)
            return
        before = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            good = max(error.start - (len(error.object) - len(data)), 0)
            self._decoder.setstate(before)
            _parse(projection, self._decoder.decode(data[:good]).encode(), False, flush)
            place = self._input_bytes - len(data) + good
            raise InputError("XYIN0007", f"bytes that are not {error.encoding}", place=InputPlace(place)) from error
        _parse(projection, text.encode("utf-8"), is_last, flush)

    def _begin(self, head: bytes) -> Projection:
        from pyexpat import ParserCreate

        codec = xml_encoding(head[:LONGEST_DECLARATION])
        if codec is not None:
            self._decoder = codecs.getincrementaldecoder(codec)()
        parser = ParserCreate(None if codec is None else "utf-8")
        parser.buffer_text = True
        parser.buffer_size = _BUFFER_CHARACTERS
        parser.ordered_attributes = True
        projection = Projection(self.plan, parser, self.limits)
        projection.attach()
        DoctypeHandlers(projection, None, None).attach()
        return projection


def _parse(projection: Projection, data: bytes, is_last: bool, flush: bool) -> None:
    from pyexpat import ExpatError

    parser = projection.parser
    try:
        parser.Parse(data, is_last)
        if flush and not is_last and hasattr(parser, "SetReparseDeferralEnabled"):
            # Newer versions of expat delay a token until more input than necessary has arrived.
            parser.SetReparseDeferralEnabled(False)
            parser.Parse(b"", False)
            parser.SetReparseDeferralEnabled(True)
    except (ExpatError, LookupError, ValueError, UnicodeError) as error:
        raise input_error(projection, error) from error


def _shows_encoding(head: bytes) -> bool:
    """Whether the first bytes are enough to tell the encoding, by their first four or by a declaration."""
    if len(head) >= LONGEST_DECLARATION:
        return True
    if len(head) < _ENCODING_MARK:
        return False
    for first, last in _DECLARATIONS:
        if head.startswith(first):
            return last in head
    return True
