"""Replays a recorded input: its bytes arrive at the times of its records, at any speed.

    source = replayed("log.xml", "/log/entry/@time", speed=10)          # ten times as fast as it was
    xylem.compile(query).stream(source)

The clock of a replay shows the time of the latest record. Its readers (`xylem:add-timestamp`) get the same times at
every speed: replays are deterministic, and a test need not wait.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from xylem.errors import DynamicError, InputError, XylemError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.values.atomic_type import DATE_TIME
from xylem.values.casting import cast
from xylem.values.datetimes import DateTime
from xylem.values.node import Node

from .byte_source import ByteSource, Source
from .limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from .scan import BatchTrees, Scanner

AS_FAST_AS_POSSIBLE = float("inf")
_STEP = re.compile(r"(//?)(@?)((?:Q\{[^}]*\})?)([\w.\-·]+|\*)")
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.\-]+)""")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def speed_of(text: str) -> float:
    """`10x`, `0.5x`, `10` or `max` as a factor; ValueError for anything else."""
    if text == "max":
        return AS_FAST_AS_POSSIBLE
    speed = float(text.removesuffix("x"))
    if not speed > 0:
        raise ValueError(text)
    return speed


@dataclass(frozen=True)
class Replay:
    """How to replay an input: the path to the times of records, and the speed."""

    path: str
    speed: float = 1.0

    @property
    def waits(self) -> bool:
        return self.speed != AS_FAST_AS_POSSIBLE

    def of(self, source: ByteSource, limits: Limits) -> ReplayedSource:
        """The source in replay."""
        return replayed(source, self.path, speed=self.speed, limits=limits)

    def shown(self, source: ByteSource, limits: Limits) -> ReplayedSource:
        """The source without delays, with the clock of the replay: the sender of the bytes has already waited."""
        return replayed(source, self.path, speed=AS_FAST_AS_POSSIBLE, limits=limits)

    def check(self) -> None:
        """XYIN0031 for an invalid path."""
        RecordTimes(self.path, DEFAULT_LIMITS)


class ReplayClock:
    """Shows the time of the latest record, and waits until the next one is due."""

    def __init__(
        self,
        speed: float = 1.0,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.speed = speed
        self._monotonic = monotonic
        self._sleep = sleep
        self._first: float | None = None
        self._began = 0.0
        self._latest = float("-inf")
        self._shown: DateTime | None = None

    def reach(self, seconds: float, shown: DateTime) -> None:
        """Wait until a record of this time is due. A late one passes at once, and does not turn the clock back."""
        left = self.seconds_left(seconds)
        if left > 0:
            self._sleep(left)
        self.show(seconds, shown)

    def seconds_left(self, seconds: float) -> float:
        """How long it is until a record of this time is due; the first one is due at once."""
        if self._first is None:
            self._first, self._began = seconds, self._monotonic()
        if self.speed == AS_FAST_AS_POSSIBLE:
            return 0.0
        return self._began + (seconds - self._first) / self.speed - self._monotonic()

    def show(self, seconds: float, shown: DateTime) -> None:
        """A record of this time has arrived."""
        if seconds > self._latest:
            self._latest, self._shown = seconds, shown

    def now(self) -> DateTime | None:
        """The time it shows; None before the first record."""
        return self._shown


class ReplayedSource(ByteSource):
    """An input whose bytes arrive record by record, each when it is due."""

    def __init__(self, source: ByteSource, path: str, clock: ReplayClock, limits: Limits = DEFAULT_LIMITS) -> None:
        again = None
        if source.can_be_read_again:
            again = lambda: ReplayedSource(source.again(), path, clock, limits)  # noqa: E731
        super().__init__((), name=source.name, uri=source.uri, size=source.size, close=source.close, again=again)
        self.clock = clock
        self._source = source
        self._times = RecordTimes(path, limits)

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._source:
            for piece in self._times.pieces(chunk):
                for text in self._times.found_in(piece):
                    if self.before_waiting is not None and self.clock.speed != AS_FAST_AS_POSSIBLE:
                        self.before_waiting()
                    self.clock.reach(*moment_of(text, self._times.path))
                self.position = self._source.position
                yield piece
        if not self._times.has_found:
            raise InputError("XYIN0031", f"no record has {self._times.path}")


def replayed(
    source: Source | ByteSource,
    path: str,
    *,
    speed: float = 1.0,
    clock: ReplayClock | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ReplayedSource:
    """An input to be replayed as recorded: `path` selects the time of each record.

    Times are xs:dateTime or numbers of seconds. `clock` is for tests that do not want to wait.
    """
    opened = ByteSource.of(source, limits.decompression_ratio)
    return ReplayedSource(opened, path, clock or ReplayClock(speed), limits)


def moment_of(text: str, path: str) -> tuple[float, DateTime]:
    """A time as seconds, for comparison, and as a date and time, for display."""
    text = text.strip()
    try:
        seconds = float(text)
        if seconds != seconds or abs(seconds) > 1e11:
            raise InputError("XYIN0031", f"{text!r} at {path} is not a number of seconds")
        return seconds, DateTime.from_python(_EPOCH + timedelta(seconds=seconds))
    except ValueError:
        pass
    try:
        shown: DateTime = cast(text, DATE_TIME)
    except DynamicError:
        raise InputError("XYIN0031", f"{text!r} at {path} is neither a date and time nor a number") from None
    minutes, seconds_past = shown.compare_key()
    return minutes * 60 + float(seconds_past), shown


class RecordTimes:
    """Finds the times of records in bytes that arrive in pieces."""

    def __init__(self, path: str, limits: Limits) -> None:
        self.path = path
        self.has_found = False
        self._limits = limits
        self._plan, self._attribute, self._name = _plan_of(path)
        self._scanner: Scanner | None = None
        self._trees: BatchTrees | None = None
        self._has_failed = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """The chunk, cut before the tags that contain times. Slightly wrong cuts do no harm."""
        start = 0
        place = chunk.find(self._name, 1)
        while place > 0:
            yield chunk[start:place]
            start = place
            place = chunk.find(self._name, place + 1)
        yield chunk[start:]

    def found_in(self, piece: bytes) -> Iterator[str]:
        """The times of the records whose tags are in a piece."""
        if self._has_failed:
            return
        try:
            batch = self._in_use(piece).feed(piece, True)
            if batch is None:
                return
            assert self._trees is not None
            scanned = self._trees.scanned(batch)
        except XylemError:
            # The reader of the bytes reports their errors.
            self._has_failed = True
            return
        for row in scanned.rows:
            node = Node(scanned.tree, row)
            if self._attribute is None:
                self.has_found = True
                yield node.string_value
                continue
            for place in scanned.tree.attributes(row):
                name = scanned.tree.name(place)
                if name is not None and name.local == self._attribute:
                    self.has_found = True
                    yield Node(scanned.tree, place).string_value

    def _in_use(self, first: bytes) -> Scanner:
        if self._scanner is None:
            from .scan import BatchTrees, scanner_class

            declared = _ENCODING.match(first)
            is_plain = first[:2] not in (b"\xff\xfe", b"\xfe\xff") and b"\0" not in first[:4]
            is_plain = is_plain and (declared is None or declared[1].lower() in (b"utf-8", b"us-ascii", b"ascii"))
            self._scanner = scanner_class("auto" if is_plain else "python")(self._plan, self._limits)
            self._trees = BatchTrees(None, self._limits)
        return self._scanner


def _plan_of(path: str) -> tuple[ScanPlan, str | None, bytes]:
    """The scan for the elements that have times, the attribute they are in, and what their tags begin with."""
    steps = list(_STEP.finditer(path if path.startswith("/") else f"//{path}"))
    written = "".join(step.group() for step in steps)
    if not steps or written != (path if path.startswith("/") else f"//{path}"):
        raise InputError("XYIN0031", f"{path!r} is not a path such as /log/entry/@time or //reading/time")
    attribute = steps.pop()[4] if steps[-1][2] else None
    if not steps or any(step[2] for step in steps) or steps[-1][4] == "*":
        raise InputError("XYIN0031", f"{path!r} names no element that has the time")
    planned = [ScanStep(-1)]
    for number, step in enumerate(steps, 1):
        axis = "descendant" if step[1] == "//" else "child"
        uri = step[3][2:-1] if step[3] else None
        local = None if step[4] == "*" else step[4]
        if number < len(steps):
            planned.append(ScanStep(number - 1, axis, uri, local))
        elif attribute is None:
            planned.append(ScanStep(number - 1, axis, uri, local, Report.ITEM, Keep.STRING))
        else:
            planned.append(ScanStep(number - 1, axis, uri, local, Report.START, attributes=None))
    return ScanPlan(tuple(planned)), attribute, b"<" + steps[-1][4].encode()
