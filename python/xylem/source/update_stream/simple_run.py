"""Runs of updates that the kernel reads at once: one call for many updates, and none for each event.

Most of an update stream is one small update after the other. Where a run of them may begin, the bytes go to the kernel
(`kernel/src/simple_updates.rs`), which reads as many as are simple. The rest goes to the reader of the whole format,
which need not know about them: each was a separate element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from xylem.errors import InputError
from xylem.values.qname import QName

from ..kernel import simple_extent, simple_updates
from ..limits import Limits
from .operations import Operation, OperationKind, Where, WrittenUpdate, place_of
from .places import characters_at_end
from .times import BAD_UPDATE, seconds_of, why_bad_time

MOST_DEPTH = 48
MOST_ATTRIBUTES = 32
"""Deeper nesting, or more attributes, are read otherwise."""
_KINDS: dict[str, OperationKind] = {"commit": "commit", "clock": "clock"}


class SimpleRun:
    """Reads runs of updates under one declaration of namespaces.

    Holds:  the names seen.
    """

    def __init__(
        self, prefix: str, scope: Mapping[str, str], declared: Mapping[str, str] | None, limits: Limits
    ) -> None:
        """`prefix`: of the updates, or '' if each declares its own. `scope`: the namespaces around all of them."""
        most = (min(MOST_DEPTH, limits.depth - 3), min(MOST_ATTRIBUTES, limits.attributes))
        self.prefix = prefix.encode()
        self.told = self.prefix, [prefix.encode() for prefix in scope if prefix], most
        self.elements: Mapping[str, QName] = _Names(scope, scope.get("", ""), limits.names)
        self.attributes: Mapping[str, QName] = _Names(scope, "", limits.names)
        self.declared = declared
        self._time_text = ""
        self._time: Decimal | None = None

    def extent(self, data: bytes) -> int:
        """The length of the run at the beginning of some bytes."""
        return simple_extent(data, *self.told)[0]

    def read(self, data: bytes, place: Where) -> tuple[list[Operation], int]:
        """The operations of the run at the beginning of some bytes, and its length."""
        found, end = simple_updates(data, *self.told, place)
        made = []
        for kind, of, id, time, content, where, written in found:
            error = None
            if time is None:
                seconds = None
            elif time == self._time_text:
                seconds = self._time
            else:
                self._time_text = time
                seconds = self._time = seconds_of(time)
            if time is not None and seconds is None:
                error = InputError(BAD_UPDATE, why_bad_time(time), place=place_of(where))
            update = None if of is None else WrittenUpdate(kind, of, id, content, self)
            made.append(Operation(_KINDS.get(kind, "updates"), [], seconds, True, where, written, error, update))
        return made, end


_FEW_BYTES = 1 << 7


def few_of(run: Operation, start: int) -> tuple[list[Operation], int]:
    """An operation of a run from an index on, or two of them, and where they end."""
    assert run.simple is not None
    size = _FEW_BYTES
    while True:
        made, end = run.simple.read(run.data[start : start + size], _place_in(run, start))
        if made or start + size >= len(run.data):
            return made, start + end
        size *= 2


def apart(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Operations with those of runs one by one."""
    for operation in operations:
        if operation.simple is None:
            yield operation
        else:
            yield from operation.simple.read(operation.data, operation.where or (0, 1, 1))[0]


def _place_in(run: Operation, start: int) -> Where:
    offset, line, column = run.where or (0, 1, 1)
    before = run.data[:start]
    return offset + start, line + before.count(b"\n"), characters_at_end(before, column - 1) + 1


class _Names(dict[str, QName]):
    """QNames by their written form."""

    def __init__(self, scope: Mapping[str, str], default: str, most: int) -> None:
        self._scope = scope
        self._default = default
        self._most = most

    def __missing__(self, written: str) -> QName:
        prefix, _, local = written.rpartition(":")
        made = QName(self._scope[prefix] if prefix else self._default, local, prefix)
        if len(self) < self._most:
            self[written] = made
        return made
