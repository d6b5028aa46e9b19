"""Records of ordinary documents as events: what adapters make updates of.

A record is an element that a path leads to from the root, `/*/*` by default. Keys, times and the like are found in a
record by short paths: `@id`, `guid`, `tags/@name`, `.`. Names in paths are local names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xylem.errors import InputError, InputPlace

from ..limits import DEFAULT_LIMITS, Limits
from .operations import End, Event, Start, Text
from .wire import read_wire

Path = tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """An element that is a record, with all in it."""

    events: tuple[Event, ...]
    place: InputPlace | None = None


def path_of(text: str) -> Path:
    """The steps of a path: names, `*`, `@name` as the last one, `.` for the element itself."""
    return tuple(step.rpartition(":")[2] if ":" in step else step for step in text.strip().strip("/").split("/"))


def records(chunks: Iterable[bytes], path: Path, limits: Limits = DEFAULT_LIMITS) -> Iterator[Record | Event]:
    """The records of a document, and the events of what is around them, in the order of the document."""
    depth = 0
    stack: list[str] = []
    taken: list[Event] = []
    is_inside = False
    for operation in read_wire(chunks, limits=limits, commits_items=True):
        if operation.kind != "base":
            raise InputError("XYIN0044", "updates of urn:xylem:update in a feed of another kind", place=operation.place)
        for event in operation.events:
            if isinstance(event, Start):
                stack.append(event.name.local)
                if not is_inside and _leads_to(path, stack):
                    is_inside, depth, taken = True, len(stack), []
            if is_inside:
                taken.append(event)
            else:
                yield event
            if isinstance(event, End):
                if is_inside and len(stack) == depth:
                    is_inside = False
                    yield Record(tuple(taken))
                stack.pop()


def _leads_to(path: Path, stack: Sequence[str]) -> bool:
    return len(path) == len(stack) and all(step in ("*", name) for step, name in zip(path, stack, strict=True))


def value_of(record: Record, path: Path) -> str | None:
    """The string value of the first thing a path leads to in a record; None where there is nothing."""
    if path == (".",):
        return "".join(event.value for event in record.events if isinstance(event, Text))
    last = path[-1]
    names = path[:-1] if last.startswith("@") else path
    stack: list[str] = []
    found: list[str] | None = None
    for event in record.events:
        if isinstance(event, Start):
            stack.append(event.name.local)
            if found is None and _leads_to(names, stack[1:]):
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
