"""The notation of the paper: `sS eS sE eE cD sM eM sR eR sB eB sA eA`, for tests and for reading the paper along.

    sS(10,0) sM(0,1) cD(1,"x") eM(0,1) @1 sR(1,2) cD(2,"y") eR(1,2) eS(10,0)

`@T` is the time from there on, and `commit` a commit. Several updates, each with its own id, may be open at once, which
well-formed XML cannot express.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from xylem.errors import InputError, InputPlace
from xylem.values.qname import QName

from .operations import BeginRegion, BeginUpdate, End, EndRegion, EndUpdate, Event, Operation, Start, Text

BAD_TOKEN = "XYIN0044"
_TOKEN = re.compile(
    r"""\s*,?\s*(?:(?P<name>[se][SEMRBA]|cD)\(\s*(?P<a>[^,()\s]+)\s*(?:,\s*(?P<b>"(?:[^"\\]|\\.)*"|[^,()\s]*)\s*)?\)"""
    r"""|@(?P<time>[0-9.]+)|(?P<commit>commit)|[\[\]])"""
)
_KINDS = {"R": "replace", "B": "insert-before", "A": "insert-after"}


def read_tokens(chunks: Iterable[bytes]) -> Iterator[Operation]:
    """The operations of a stream in the notation of the paper."""
    reader = _Tokens()
    text = b"".join(chunks).decode("utf-8")
    at = 0
    while text[at:].strip(" \t\r\n,"):
        found = _TOKEN.match(text, at)
        if found is None:
            line = text.count("\n", 0, at) + 1
            raise InputError(BAD_TOKEN, f"no token: {text[at : at + 20].strip()!r}", place=InputPlace(at, line))
        at = found.end()
        yield from reader.take(found)
    yield from reader.finish()


class _Tokens:
    def __init__(self) -> None:
        self._base: list[Event] = []
        self._open: dict[str, list[Event]] = {}
        """The open content that ids write to; any other id writes to the base."""
        self._home: dict[str, list[Event]] = {}
        """The open update that contains a region."""
        self._time: Decimal | None = Decimal(0)

    def take(self, token: re.Match[str]) -> Iterator[Operation]:
        if token["time"] is not None:
            self._time = Decimal(token["time"])
        elif token["commit"] is not None:
            yield from self._flushed()
            yield self._timed(Operation("commit"))
        elif token["name"] is not None:
            yield from self._event(token["name"], token["a"], token["b"] or "")

    def finish(self) -> Iterator[Operation]:
        if self._base:
            yield self._timed(Operation("base", self._base))

    def _timed(self, operation: Operation) -> Operation:
        operation.time, self._time = self._time, None
        return operation

    def _flushed(self) -> Iterator[Operation]:
        if self._base:
            made, self._base = self._base, []
            yield self._timed(Operation("base", made, commits=False))

    def _content(self, id: str) -> list[Event]:
        return self._open.get(id, self._base)

    def _event(self, name: str, first: str, second: str) -> Iterator[Operation]:
        if second.startswith('"'):
            second = re.sub(r"\\(.)", r"\1", second[1:-1])
        match name:
            case "sS":
                return
            case "eS":
                made, self._base = self._base, []
                yield self._timed(Operation("base", made))
            case "sE":
                self._content(first).append(Start(QName("", second)))
            case "eE":
                self._content(first).append(End())
            case "cD":
                self._content(first).append(Text(second))
            case "sM":
                self._begin_region(first, second)
            case "eM":
                self._content(second).append(EndRegion())
            case "sR" | "sA" | "sB":
                self._open[second] = [BeginUpdate(_KINDS[name[1]], first, second)]
            case _:
                yield from self._end_update(first, second)

    def _begin_region(self, outer: str, inner: str) -> None:
        content = self._content(outer)
        content.append(BeginRegion(inner))
        if content is self._base:
            self._open.pop(inner, None)
            self._home.pop(inner, None)
        else:
            self._open[inner] = self._home[inner] = content

    def _end_update(self, of: str, id: str) -> Iterator[Operation]:
        events = self._open.pop(id, None)
        if events is None:
            raise InputError(BAD_TOKEN, f"the end of an update that has not begun: {of}, {id}")
        events.append(EndUpdate())
        home = self._home.get(of)
        if home is not None and any(home is other for other in self._open.values()):
            home += events
            return
        yield from self._flushed()
        yield self._timed(Operation("updates", events))
