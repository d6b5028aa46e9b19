"""An input without its malformed records: the rest is a well-formed document, and every skipped record is reported.

A parser cannot continue after an error. So each piece of the input is read twice: first only for its errors, with the
limits of the following scan. The bytes of a record are held until it has been read without an error, and then passed
on. A record with an error is skipped from its start tag to its end (`record_end.py`).

**Where it resumes.** After the end tag of the record, or where an ancestor ends. If the record has no end tag, all
later records seem to be inside it, until something does not match; then it tests whether everything matches if the
record ends where one of these begins. Broken text between two records is skipped up to the next one.

**What cannot be skipped.** Errors before the first record's parent is open, after the root element, or inside elements
that are not records: these are raised as usual. So are those of encodings that do not contain ASCII.

Holds:  one record, up to `limits.item_bytes` bytes of input: a longer one is malformed (XYIN0004).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from xylem.errors import InputError, InputPlace
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep

from .byte_ranges import CutPoint, Scope
from .byte_source import ByteSource
from .cut_points import CutFinder, Inside, uses_kernel
from .limits import Limits
from .malformed import EXCERPT_BYTES, MalformedRecord
from .record_end import WHOLE_TAG, RecordEnd, name_at, tag_names

_NO_CUTS = 1 << 62
_MOST_TRIES = 16
_SHORTEST = 4
_MUCH_TEXT = 1 << 20
_INCOMPLETE = 1 << 16
_RECOVERED = frozenset({"XYIN0001", "XYIN0004", "XYIN0007", "XYIN0008"})
_REFERENCE_ENDS = re.compile(rb"[;<>]")
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0", b"<\0")


@dataclass
class _Skip:
    """A bad stretch whose end is being searched for."""

    error: InputError
    start: CutPoint
    kind: str
    end: RecordEnd
    data: bytes = b""
    """The first bytes of it."""
    size: int = 0


class SoundRecords(ByteSource):
    """A byte source that skips malformed records of another one, and reports each."""

    def __init__(
        self,
        source: ByteSource,
        scopes: Sequence[Scope],
        plan: ScanPlan,
        limits: Limits,
        tell: Callable[[MalformedRecord], object],
        *,
        scanner: str = "auto",
        close: Callable[[], object] | None = None,
    ) -> None:
        """`scopes` lead to the records; `plan` is that of the scan which follows. `close` is called at the end."""

        def close_all() -> None:
            source.close()
            if close is not None:
                close()

        super().__init__((), name=source.name, uri=source.uri, size=source.size, close=close_all)
        self._source = source
        self._scopes = scopes
        self._plan = _only_kept(plan)
        self._limits = limits
        self._tell = tell
        self._scanner = scanner
        self._held = b""
        """Bytes that are not passed on yet."""
        self._place = CutPoint(0, 1, b"", b"")
        """Their offset."""
        self._inside = Inside.NOTHING
        self._skip: _Skip | None = None
        self._begin(self._place)

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._source:
            self.position = self._source.position
            yield from self._take(chunk)
        yield from self._finish()

    def _begin(self, cut: CutPoint) -> None:
        """Read on from a place, knowing only its context."""
        self._checker = self._new_checker(cut.opening)
        self._checked_from = cut
        self._finder = self._new_finder()
        self._looked_at = cut.offset
        if cut.opening:
            self._finder.resume(cut)

    def _new_checker(self, opening: bytes) -> _Checker:
        checker = _Checker(self._plan, self._limits, self._scanner)
        checker.feed(opening)
        return checker

    # --- input

    def _take(self, data: bytes) -> Iterator[bytes]:
        fresh = data
        while fresh:
            if self._skip is not None:
                fresh = self._skip_on(self._skip, fresh)
                continue
            self._held += fresh
            try:
                self._checker.feed(fresh)
                self._finder.feed(fresh)
                self._looked_at += len(fresh)
                yield from self._hand_on(*self._finder.place())
                self._check_size()
                return
            except InputError as error:
                fresh = yield from self._recover(self._located(error))

    def _finish(self) -> Iterator[bytes]:
        while True:
            if self._skip is not None:
                self._end_skip(self._skip, self._skip.size)
                yield self._place.closing
                return
            try:
                self._checker.finish()
            except InputError as error:
                # An error inside a tag may have waited for the end of the tag.
                earlier = self._error_in_held()
                rest = yield from self._recover(earlier or self._located(error), is_end=earlier is None)
                if rest:
                    yield from self._take(rest)
                continue
            yield self._held
            return

    def _hand_on(self, inside: Inside, place: CutPoint) -> Iterator[bytes]:
        self._inside = inside
        size = len(self._held) if inside is Inside.OVER else max(place.offset - self._place.offset, 0)
        good, self._held = self._held[:size], self._held[size:]
        self._place = replace(place, offset=self._place.offset + size)
        if good:
            yield good
        if inside is not Inside.ITEM and len(self._held) > _MUCH_TEXT:
            # A long text or comment between records; its possibly incomplete end is short.
            good, self._held = self._held[:-_INCOMPLETE], self._held[-_INCOMPLETE:]
            self._pass(good)
            yield good

    def _check_size(self) -> None:
        if self._inside is Inside.ITEM and len(self._held) > self._limits.item_bytes:
            why = f"item bytes: more than {len(self._held)} where {self._limits.item_bytes} are allowed"
            path = "".join(f"/{name.decode(errors='replace')}" for name in tag_names(self._place.opening))
            raise _Placed("XYIN0004", why, place=InputPlace(self._place.offset, self._place.line, path=path))

    def _error_in_held(self) -> InputError | None:
        try:
            self._new_checker(self._place.opening).feed(self._held)
        except InputError as error:
            return self._located(error, self._place)
        return None

    def _located(self, error: InputError, start: CutPoint | None = None) -> InputError:
        """An error of the checker, or of one that began at another place, with its place in the whole input."""
        place = error.place
        if isinstance(error, _Placed) or place is None:
            return error
        start = start or self._checked_from
        offset = start.offset + max(place.byte_offset - len(start.opening), 0)
        if place.line is not None and start.opening:
            line = start.line + max(place.line - 1 - start.opening.count(b"\n"), 0)
            column = place.column if line > start.line else None
            place = replace(place, line=line, column=column)
        return error.located(self.name or "", replace(place, byte_offset=offset))

    # --- recovery

    def _recover(self, error: InputError, is_end: bool = False) -> Generator[bytes, None, bytes]:
        """Begin to skip something, or raise the error; return the bytes that must be examined again."""
        if error.code not in _RECOVERED or error.place is None:
            raise error
        if error.place.byte_offset < self._place.offset:
            # Inside something that has been passed on already.
            raise error
        # Everything before the error is well formed, so its tags are what they seem.
        at = len(self._held) if is_end else self._index_of(error.place)
        inside, place = self._place_before(at, error)
        yield from self._hand_on(inside, place)
        around = tag_names(place.opening)
        if inside in (Inside.OTHER, Inside.OVER) or not around or place.opening.startswith(_WIDE):
            raise error
        at = len(self._held) if is_end else self._index_of(error.place)
        yield from self._start_skip(error, around, inside is Inside.ITEM, at, is_end)
        held, self._held = self._held, b""
        return held

    def _index_of(self, place: InputPlace) -> int:
        """The index of an error in the held bytes. A broken reference is reported where it breaks off: it begins
        earlier.
        """
        at = min(max(place.byte_offset - self._place.offset, 0), len(self._held))
        ampersand = self._held.rfind(b"&", 0, at)
        return at if ampersand < 0 or _REFERENCE_ENDS.search(self._held, ampersand, at) else ampersand

    def _place_before(self, at: int, error: InputError) -> tuple[Inside, CutPoint]:
        """What an index of the held bytes is inside of, and where to resume from."""
        known = self._looked_at - self._place.offset
        if not self._place.opening and at < _SHORTEST:
            # Too short to show an encoding: a tag of one letter, with nothing suitable after it.
            finder = self._new_finder()
            finder.resume(CutPoint(at, 1, self._held[:at], b""))
        elif at >= known:
            finder = self._finder
            finder.feed(self._held[known:at])
        elif self._inside is Inside.OTHER:
            raise error
        else:
            # The error waited for the end of its tag, which has already passed.
            finder = self._new_finder()
            if self._place.opening:
                finder.resume(self._place)
            finder.feed(self._held[:at])
        return finder.place()

    def _new_finder(self) -> CutFinder:
        return CutFinder(self._scopes, _NO_CUTS, limits=self._limits, scanner=self._scanner)

    def _start_skip(
        self, error: InputError, around: list[bytes], is_item: bool, at: int, is_end: bool
    ) -> Iterator[bytes]:
        held = self._held
        if not is_item:
            # The start tag of a record may itself be broken.
            start = held.rfind(b"<", 0, at)
            if start < 0 or WHOLE_TAG.match(held, start, at) is not None:
                start = at
            if self._begins_record(name_at(held[start:])):
                if start:
                    yield held[:start]
                self._pass(held[:start])
                held = self._held = held[start:]
                is_item = True
        kind = "end" if is_end and not held else "record" if is_item else "between records"
        if is_item:
            name = name_at(held)
            # If a limit is exceeded, a shorter record always fits.
            restart = None if is_end or error.code == "XYIN0004" else self._restart(held, name, at)
            if restart is not None:
                self._skip = _Skip(error, self._place, "unclosed record", _Known(restart))
                return
            end = RecordEnd([name], around, self._begins_record)
            end.feed(b"")
            self._skip = _Skip(error, self._place, kind, _AfterName(end, len(name) + 1))
            return
        # In any case, at least one byte must be skipped.
        between = _From(RecordEnd([], around, self._begins_record), max(at, 1))
        self._skip = _Skip(error, self._place, kind, between)

    def _begins_record(self, name: bytes) -> bool:
        local = name.rpartition(b":")[2].decode(errors="replace")
        return bool(name) and any(scope[-1][2] in (None, local) for scope in self._scopes)

    def _restart(self, held: bytes, name: bytes, at: int) -> int | None:
        """A place inside the broken record where a record may begin such that everything from there on matches."""
        place = 0
        for _ in range(_MOST_TRIES):
            place = held.find(b"<" + name, place + 1, at)
            if place < 0:
                return None
            if name_at(held[place:]) != name:
                continue
            checker = self._new_checker(self._place.opening)
            try:
                checker.feed(held[place:])
            except InputError as error:
                found = error.place
                if found is None or found.byte_offset - len(self._place.opening) + place <= at:
                    continue
            return place
        return None

    def _skip_on(self, skip: _Skip, data: bytes) -> bytes:
        """Look for the end in more bytes; return those after it."""
        end = skip.end.feed(data)
        skip.data += data[: max(EXCERPT_BYTES - len(skip.data), 0)]
        skip.size += len(data)
        if end is None:
            return b""
        skip.data = skip.data[:end]
        self._end_skip(skip, end)
        return skip.end.after

    def _end_skip(self, skip: _Skip, size: int) -> None:
        self._skip = None
        start = skip.start
        self._tell(MalformedRecord(skip.error, start.offset, start.line, size, skip.data, skip.kind))
        lines = skip.data.count(b"\n") if size == len(skip.data) else 0
        self._place = replace(start, offset=start.offset + size, line=start.line + lines)
        self._held = b""
        self._inside = Inside.NOTHING
        self._begin(self._place)

    def _pass(self, data: bytes) -> None:
        place = self._place
        self._place = replace(place, offset=place.offset + len(data), line=place.line + data.count(b"\n"))


class _Placed(InputError):
    """An error that has its place in the whole input."""


class _Known(RecordEnd):
    """A known end."""

    def __init__(self, size: int) -> None:
        super().__init__([], [], lambda name: False)
        self._size = size

    def feed(self, data: bytes) -> int | None:
        self.after = data[self._size :]
        return self._size


class _From(RecordEnd):
    """Ignores text before some place."""

    def __init__(self, end: RecordEnd, size: int) -> None:
        super().__init__([], [], lambda name: False)
        self._end = end
        self._left = self._size = size

    def feed(self, data: bytes) -> int | None:
        skipped = min(self._left, len(data))
        self._left -= skipped
        found = self._end.feed(data[skipped:])
        self.after = self._end.after
        return None if found is None else found + self._size


class _AfterName(_From):
    """The start tag of the record is recognised by its name; the rest of it may be broken."""

    def __init__(self, end: RecordEnd, size: int) -> None:
        super().__init__(end, size)
        self._start: bytes | None = b""

    def feed(self, data: bytes) -> int | None:
        if self._start is not None:
            self._start += data
            close = self._start.find(b">")
            following = self._start.find(b"<", 1)
            if close > 0 and self._start[close - 1 : close] == b"/" and (following < 0 or close < following):
                self.after = self._start[close + 1 :]
                return close + 1
            if close >= 0 or following >= 0:
                self._start = None
        return super().feed(data)


class _Checker:
    """Raises the errors of a scan, without output."""

    def __init__(self, plan: ScanPlan, limits: Limits, scanner: str) -> None:
        if uses_kernel(scanner):
            from .kernel import RecordChecker

            checker = RecordChecker(plan, limits)
            self.feed, self.finish = checker.feed, checker.finish
        else:
            from .python_scanner import PythonScanner

            python = PythonScanner(plan, limits)

            def feed(data: bytes) -> None:
                python.feed(data, True)
                python.feed(b"")

            def finish() -> None:
                python.finish()
                python.feed(b"")

            self.feed, self.finish = feed, finish


def plan_of_records(scopes: Sequence[Scope]) -> ScanPlan:
    """A scan that keeps whole records, for readers with unknown needs."""
    steps = [ScanStep(-1)]
    for scope in scopes:
        parent = 0
        for number, (axis, uri, local) in enumerate(scope, 1):
            is_record = number == len(scope)
            report = Report.ITEM if is_record else Report.NOTHING
            steps.append(ScanStep(parent, axis, uri, local, report, Keep.SUBTREE if is_record else Keep.NOTHING))
            parent = len(steps) - 1
    return ScanPlan(tuple(steps), comments=True)


def _only_kept(plan: ScanPlan) -> ScanPlan:
    """The plan without tests: the reader need not check the values that a query wants."""
    steps = tuple(replace(step, tests=(), value_tests=(), result=None) for step in plan.steps)
    return replace(plan, steps=steps)
