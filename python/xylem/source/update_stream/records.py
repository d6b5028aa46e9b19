"""Records of ordinary documents as events, which adapters turn into updates.

A record is an element selected by a path from the root, `/*/*` by default. Keys, times and similar values are found in
a record by short paths: `@id`, `guid`, `tags/@name`, `.`. Names in paths are local names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from xylem.errors import InputError

from ..limits import DEFAULT_LIMITS, Limits
from .operations import End, Event, Start, Text, Where, place_of
from .places import Places
from .wire import WireReader, reading

Path = tuple[str, ...]
Origin = tuple[int, int]
"""Number of bytes and lines of the input before a document."""


@dataclass(frozen=True)
class Record:
    """An element that is a record, with its content."""

    events: tuple[Event, ...]
    where: Where | None = None
    data: bytes = b""
    """Its bytes in the input."""

    def value(self, path: Path) -> str | None:
        """The string value of the first node of a path; None if there is none."""
        return value_of(self, path)


@dataclass(frozen=True)
class ReadRecord(Record):
    """A record from which some values have been read, and whose content was replaced."""

    values: tuple[tuple[Path, str | None], ...] = ()

    def value(self, path: Path) -> str | None:
        return dict(self.values)[path]


def path_of(text: str) -> Path:
    """The steps of a path: names, `*`, `@name` as the last one, `.` for the element itself."""
    return tuple(step.rpartition(":")[2] if ":" in step else step for step in text.strip().strip("/").split("/"))


def records(
    chunks: Iterable[bytes],
    path: Path | Callable[[Sequence[str]], bool],
    limits: Limits = DEFAULT_LIMITS,
    origin: Origin = (0, 0),
) -> Iterator[Record | Event]:
    """The records of a document, and the events around them, in document order.

    `path`: the path to records, or a test of the names of open elements.
    """
    is_record = path if callable(path) else lambda names: leads_to(path, names)
    reader = _RecordReader(is_record, limits, origin)
    return reading(reader, chunks, reader.taken)


class _RecordReader(WireReader):
    """Separates records from the content around them."""

    def __init__(self, is_record: Callable[[Sequence[str]], bool], limits: Limits, origin: Origin) -> None:
        super().__init__(limits, False, None, True)
        self._places = Places(origin)
        self._is_record = is_record
        self._names_open: list[str] = []
        self._found: list[Record | Event] = []
        self._depth_of_record = 0
        """Number of open elements where the current record began; 0 for none."""
        self._record_where: Where = (0, 1, 1)

    @property
    def _holds_bytes(self) -> bool:
        return bool(self._depth_of_record)

    def taken(self) -> Iterator[Record | Event]:
        """What has been read."""
        if self._operations:
            self._refuse_updates(self._operations[0].where)
        if not self._depth_of_record:
            self._pass_on()
        found, self._found = self._found, []
        yield from found

    def _pass_on(self) -> None:
        self._found += self._base
        self._base.clear()

    def _start(self, tag: str, attributes: list[str]) -> None:
        self._names_open.append(self._name(tag).local)
        if not self._depth_of_record and self._is_record(self._names_open):
            self._pass_on()
            self._depth_of_record = len(self._names_open)
            self._start_byte, self._record_where = self._parser.CurrentByteIndex, self._where()
        super()._start(tag, attributes)

    def _end(self, tag: str) -> None:
        super()._end(tag)
        if self._depth_of_record == len(self._names_open):
            data = self._bytes_since(self._start_byte)
            self._found.append(Record(tuple(self._base), self._record_where, data))
            self._base.clear()
            self._depth_of_record = 0
        self._names_open.pop()

    def _base_node_ended(self) -> None:
        """Records are commits as their feeds decide."""

    def _start_update(self, kind: str, attributes: list[str]) -> None:
        self._refuse_updates(self._where())

    @staticmethod
    def _refuse_updates(where: Where | None) -> NoReturn:
        raise InputError("XYIN0044", "updates of urn:xylem:update in a feed of another kind", place=place_of(where))


def leads_to(path: Path, stack: Sequence[str]) -> bool:
    """Whether a path selects the innermost of some open elements."""
    return len(path) == len(stack) and all(step in ("*", name) for step, name in zip(path, stack, strict=True))


def value_of(record: Record, path: Path) -> str | None:
    """The string value of the first node of a path in a record; None if there is none."""
    if path == (".",):
        return "".join(event.value for event in record.events if isinstance(event, Text))
    last = path[-1]
    names = path[:-1] if last.startswith("@") else path
    stack: list[str] = []
    found: list[str] | None = None
    for event in record.events:
        if isinstance(event, Start):
            stack.append(event.name.local)
            if found is None and leads_to(names, stack[1:]):
                if not last.startswith("@"):
                    found = []
                elif (value := _attribute(event, last[1:])) is not None:
                    return value
        elif isinstance(event, Text):
            if found is not None:
                found.append(event.value)
        elif isinstance(event, End):
            if found is not None and len(stack) == len(names) + 1:
                return "".join(found)
            stack.pop()
    return None


def _attribute(event: Start, local: str) -> str | None:
    return next((value for name, value in event.attributes if name.local == local), None)
