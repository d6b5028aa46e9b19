"""Save a history as plain values and load it again: a run over messages keeps it from one start to the next.

The content becomes a flat list of marks, without recursion however deep it is: an element, a slot or a version precedes
its content, and an end mark follows. An id whose slot lies in a dropped version names an invisible slot, before and
after.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xylem.values.qname import QName

from .commits import Change, Commit, History, Stream
from .content import Content, Document, Element, Leaf, Owner, Slot, Version, placed
from .updates import FROZEN

_END = ("/",)
_ORPHAN = -1
_IS_FROZEN = -2
Mark = tuple[Any, ...]


def history_state(history: History) -> tuple[Any, ...]:
    """The complete state of a history."""
    history.settle()
    return history.counters(), {name: _stream_state(stream) for name, stream in history.streams.items()}


def _stream_state(stream: Stream) -> tuple[Any, ...]:
    numbers: dict[Slot, int] = {}
    marks = list(_marks(stream.document, numbers))
    ids = {id: _IS_FROZEN if slot is FROZEN else numbers.get(slot, _ORPHAN) for id, slot in stream.slots.items()}
    return marks, ids


def restore_history(history: History, state: tuple[Any, ...]) -> Commit:
    """Load a saved state into a new history of the same streams: all content as one commit, the last one saved."""
    counters, streams = state
    history.take_counters(counters)
    for name, (marks, ids) in streams.items():
        stream = history.streams[name]
        slots = _Reading(stream.document).read(marks)
        for id, number in ids.items():
            slot = FROZEN if number == _IS_FROZEN else _unseen() if number == _ORPHAN else slots[number]
            stream.slots[id] = slot
            if slot is not FROZEN:
                slot.names += 1
    changes = [change for stream in history.streams.values() for change in _changes(stream)]
    return Commit(history.number, history.now, tuple(changes))


def _changes(stream: Stream) -> Iterator[Change]:
    for item in placed(stream.document.content):
        yield Change("content", stream, owner=stream.document, node=item)


def _unseen() -> Slot:
    slot = Slot(Document())
    slot.versions.append(Version(slot, [], 0))
    return slot


def _marks(document: Document, numbers: dict[Slot, int]) -> Iterator[Mark]:
    stack: list[Content | Mark] = [*reversed(document.content)]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            yield item
        elif isinstance(item, Leaf):
            yield "leaf", item.kind, item.name, item.value, item.shown
        elif isinstance(item, Element):
            attributes = tuple((_name(name), value) for name, value in item.attributes)
            declared = None if item.declared is None else tuple(item.declared.items())
            yield "element", _name(item.name), attributes, declared, item.shown
            stack += [_END, *reversed(item.content)]
        else:
            numbers[item] = len(numbers)
            yield "slot", item.is_frozen
            stack.append(_END)
            for side, beside in (("after", item.after), ("before", item.before)):
                if beside:
                    stack += [_END, *reversed(beside), (side,)]
            for version in reversed(item.versions):
                told = ("version", version.number, version.shown, version.size)
                stack += [_END, *reversed(version.content), told]


def _name(name: QName) -> tuple[str, str, str]:
    return name.uri, name.local, name.prefix


class _Reading:
    """Rebuilds content from the marks."""

    def __init__(self, document: Document) -> None:
        self._slots: list[Slot] = []
        self._owners: list[Owner] = [document]
        self._lists: list[list[Any]] = [document.content]
        """The lists that receive content, innermost last."""
        self._open: list[tuple[bool, Slot | None]] = []
        """For each open node: whether it is an owner of content, and its slot."""

    def read(self, marks: list[Mark]) -> list[Slot]:
        for kind, *fields in marks:
            getattr(self, f"_{_KINDS[kind]}")(*fields)
        return self._slots

    def _leaf(self, kind: int, name: str, value: str, shown: int) -> None:
        leaf = Leaf(value, kind, name)
        leaf.shown = shown
        self._lists[-1].append(leaf)

    def _element(self, name: tuple[str, str, str], attributes: Any, declared: Any, shown: int) -> None:
        named = [(QName(*one), value) for one, value in attributes]
        element = Element(QName(*name), named, None if declared is None else dict(declared))
        element.shown = shown
        self._lists[-1].append(element)
        self._enter(element)

    def _enter(self, owner: Element | Version) -> None:
        self._owners.append(owner)
        self._lists.append(owner.content)
        self._open.append((True, None))

    def _slot(self, is_frozen: bool) -> None:
        slot = Slot(self._owners[-1])
        slot.is_frozen = is_frozen
        self._lists[-1].append(slot)
        self._slots.append(slot)
        self._lists.append([])
        self._open.append((False, slot))

    def _version(self, number: int, shown: int, size: int) -> None:
        slot = self._innermost()
        version = Version(slot, [], number)
        version.shown, version.size = shown, size
        slot.versions.append(version)
        self._enter(version)

    def _before(self) -> None:
        self._beside(self._innermost().beside("before"))

    def _after(self) -> None:
        self._beside(self._innermost().beside("after"))

    def _beside(self, slots: list[Slot]) -> None:
        self._lists.append(slots)
        self._open.append((False, None))

    def _innermost(self) -> Slot:
        slot = self._open[-1][1]
        assert slot is not None
        return slot

    def _end(self) -> None:
        is_owner, _ = self._open.pop()
        self._lists.pop()
        if is_owner:
            self._owners.pop()


_KINDS = {"leaf": "leaf", "element": "element", "slot": "slot", "version": "version", "before": "before",
          "after": "after", "/": "end"}  # fmt: skip
