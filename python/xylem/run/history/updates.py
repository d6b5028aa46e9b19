"""Content and updates of one stream as they come, event by event: what readers of any format call.

    updates = Updates(history.stream("tickers"))
    base = updates.base
    base.start(QName("", "quote"), id="i"); base.text("100"); base.end()
    history.commit()
    new = updates.begin("replace", "i", "i2")
    new.start(QName("", "quote")); new.text("120"); new.end()
    updates.end(new)
    history.commit()

Several updates may be open at once, each with its own builder. The reader commits: after the end of the base, of each
outermost update or batch, and for a clock (`run/history/feed.py`). A refused update raises an `InputError` before
anything changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal

from xylem.errors import InputError
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.update_stream.operations import WrittenContent, WrittenNames, WrittenUpdate
from xylem.values.node import TEXT
from xylem.values.qname import QName

from .commits import Change, Stream
from .content import Content, Document, Element, Leaf, Owner, Slot, Version

UpdateKind = Literal["replace", "remove", "insert-before", "insert-after"]
_INSERTS = frozenset(("insert-before", "insert-after"))
_NEEDS_END = frozenset(("replace", "remove", "insert-after"))

UNKNOWN_TARGET = "XYIN0040"
OPEN_TARGET = "XYIN0041"
FROZEN_TARGET = "XYIN0042"
TIME_RUNS_BACK = "XYIN0043"
TOO_MANY_REGIONS = "XYIN0048"
TOO_MUCH_HISTORY = "XYIN0049"
_NODE_BYTES = 200
"""Approximate memory of a node of an update."""


FROZEN = Slot(Document())
"""The binding of ids of frozen slots."""
FROZEN.is_frozen = True


class Builder:
    """Content under construction: of the base, or of one update."""

    def __init__(self, updates: Updates, owner: Owner, number: int) -> None:
        self._updates = updates
        self._open: list[tuple[Owner, str | None]] = [(owner, None)]
        """The open owners of content, innermost last, with the ids that end with them."""
        self._elements_ids: list[str | None] = []
        self.number = number
        self.made: list[Element | Leaf | Version] = []
        """Content to show with the update; for the base, content since the last commit."""

    @property
    def owner(self) -> Owner:
        return self._open[-1][0]

    @property
    def depth(self) -> int:
        """The number of open elements and regions."""
        return len(self._open) - 1

    def is_open(self, owner: Owner) -> bool:
        return any(one is owner for one, _ in self._open)

    def start(
        self,
        name: QName,
        attributes: Sequence[tuple[QName, str]] = (),
        declared: Mapping[str, str] | None = None,
        id: str | None = None,
    ) -> None:
        """An element begins; with an id it is a slot whose first version is the element alone."""
        element = Element(name, attributes, declared)
        if id is not None:
            self.begin_region(id)
        self._append(element)
        self.made.append(element)
        self._open.append((element, None))
        self._elements_ids.append(id)

    def end(self) -> None:
        """The innermost element ends."""
        self._open.pop()
        if self._elements_ids.pop() is not None:
            self.end_region()

    def begin_region(self, id: str | None = None) -> None:
        """`u:mutable` begins."""
        slot = self._updates.new_slot(self.owner)
        version = Version(slot, [], self.number)
        slot.versions.append(version)
        self._append(slot)
        self.made.append(version)
        self._open.append((version, id))
        if id is not None:
            self._updates.open_region(id, slot)

    def end_region(self) -> None:
        _, id = self._open.pop()
        if id is not None:
            self._updates.close_region(id)

    def text(self, value: str) -> None:
        """Add characters; they extend the preceding text, unless a commit has shown it."""
        content = self.owner.content
        if content and type(last := content[-1]) is Leaf and last.kind == TEXT and last.shown == 0:
            last.value += value
        elif value:
            self.leaf(Leaf(value))

    def leaf(self, leaf: Leaf) -> None:
        """A text node, comment or processing instruction."""
        self._append(leaf)
        self.made.append(leaf)

    def _append(self, item: Content) -> None:
        self.owner.content.append(item)


class _Base(Builder):
    """The base: its content becomes visible with the next commit of any kind."""

    def _append(self, item: Content) -> None:
        super()._append(item)
        owner = self.owner
        if isinstance(owner, Document) or owner.shown:
            stream = self._updates.stream
            stream.history.note(Change("content", stream, owner=owner, node=item))


class Update(Builder):
    """An update that has begun and not ended."""

    def __init__(self, updates: Updates, kind: UpdateKind, target: Slot, id: str | None) -> None:
        number = updates.stream.history.next_update()
        self.kind = kind
        self.target = target
        self.id = id
        self.slot = updates.new_slot(target.owner) if kind in _INSERTS else target
        self.version = Version(self.slot, [], number)
        super().__init__(updates, self.version, number)
        self.made.append(self.version)


class Updates:
    """The content and the updates of a stream."""

    def __init__(self, stream: Stream, limits: Limits = DEFAULT_LIMITS) -> None:
        self.stream = stream
        self._limits = limits
        self.base: Builder = _Base(self, stream.document, 0)

    def new_slot(self, owner: Owner) -> Slot:
        """A new slot; XYIN0048 if there are too many."""
        history = self.stream.history
        history.regions += 1
        if history.regions > self._limits.regions:
            raise InputError(TOO_MANY_REGIONS, f"more than {self._limits.regions:,} in {self._what}")
        return Slot(owner)

    def is_open(self, owner: Owner) -> bool:
        """Whether the base may add to some content."""
        return self.base.is_open(owner)

    # --- updates

    def begin(self, kind: UpdateKind, of: str, id: str | None = None) -> Update:
        """Begin an update. XYIN0040…XYIN0042 if its target cannot be updated; then nothing has changed."""
        update = Update(self, kind, self.target(of, kind), id)
        if id is not None:
            self.open_region(id, update.slot)
        return update

    def end(self, update: Update) -> None:
        """End an update: the next commit shows it."""
        if update.id is not None:
            self.close_region(update.id)
        self._take_place(update.kind, update.target, update.version, update.made)

    def _take_place(self, update: str, target: Slot, version: Version, made: list[Element | Leaf | Version]) -> None:
        stream, slot = self.stream, version.slot
        version.size = _NODE_BYTES * len(made)
        history = stream.history
        history.held_bytes += version.size
        if history.held_bytes > self._limits.history_bytes:
            raise InputError(TOO_MUCH_HISTORY, f"about {history.held_bytes:,} bytes are kept")
        if slot is target:
            if type(slot.owner) is Version:
                slot = self._hoisted(slot, version)
            old = slot.versions[-1]
            slot.versions.append(version)
            kind: Literal["removed", "replaced"] = "replaced" if version.content else "removed"
            change = Change(kind, stream, slot, old, version)
        else:
            slot.versions.append(version)
            side: Literal["before", "after"] = "before" if update == "insert-before" else "after"
            target.beside(side).append(slot)
            change = Change("inserted", stream, slot, None, version, target, side)
        history.note(change)
        history.show(made)

    def _hoisted(self, slot: Slot, version: Version) -> Slot:
        """The slot of a new version: the outer slot, if the version fills it and no id names the inner slot any more.

        Both have one history, so it is the same in either. If each update brings the region that the next one replaces,
        `<u:replace of="i"><a u:id="i">…`, slots would nest without limit.
        """
        while type(around := slot.owner) is Version and not slot.names and self._is_all(slot, around):
            slot = around.slot
        version.slot = slot
        return slot

    def _is_all(self, slot: Slot, around: Version) -> bool:
        """Whether a slot is the entire content of a version that is the newest of a slot that may change."""
        outer = around.slot
        return (
            around.content == [slot]
            and not slot.before
            and not slot.after
            and bool(outer.versions)
            and outer.versions[-1] is around
            and not outer.is_frozen
            and not self.base.is_open(around)
        )

    def name(self, id: str, slot: Slot) -> None:
        """Bind an id to a slot. A slot without any id cannot be updated."""
        slots = self.stream.slots
        before = slots.get(id)
        if before is slot:
            return
        slots[id] = slot
        slot.names += 1
        if before is not None and self.stream.history.unnamed is not None:
            self.stream.history.unnamed(before)
        if before is not None and before is not FROZEN:
            before.names -= 1
            if not before.names and not before.is_frozen:
                self.stream.history.regions -= 1

    def write(self, update: WrittenUpdate) -> None:
        """Apply a complete update without inner updates: like `begin`, its content, and `end`."""
        kind, of, id, content, names = update
        target = self.target(of, kind)
        slot = self.new_slot(target.owner) if kind in _INSERTS else target
        if id is not None:
            self.name(id, slot)
        version = Version(slot, [], self.stream.history.next_update())
        made: list[Element | Leaf | Version] = [version]
        if content:
            self._write_content(version, content, names, names.declared, version.number, made)
        self._take_place(kind, target, version, made)

    def _write_content(
        self,
        owner: Element | Version,
        content: WrittenContent,
        names: WrittenNames,
        declared: Mapping[str, str] | None,
        number: int,
        made: list[Element | Leaf | Version],
    ) -> None:
        found = owner.content
        for item in content:
            if isinstance(item, str):
                leaf = Leaf(item)
                made.append(leaf)
                found.append(leaf)
                continue
            name, attributes, id, inner = item
            if id is None and len(inner) == 1 and isinstance(text := inner[0], str) and not attributes:
                # The most common case: a text in an element.
                leaf = Leaf(text)
                element = Element(names.elements[name], (), declared, [leaf])
                made += (element, leaf)
                found.append(element)
                continue
            named = [(names.attributes[one], value) for one, value in attributes] if attributes else ()
            element = Element(names.elements[name], named, declared)
            made.append(element)
            if id is None:
                found.append(element)
            else:
                slot = self.new_slot(owner)
                region = Version(slot, [element], number)
                slot.versions.append(region)
                made.append(region)
                found.append(slot)
                self.name(id, slot)
            if inner:
                self._write_content(element, inner, names, None, number, made)

    def remove(self, of: str, id: str | None = None) -> None:
        self.end(self.begin("remove", of, id))

    def has_content(self, id: str) -> bool:
        """Whether an id names a region that was not removed."""
        slot = self.stream.slots.get(id)
        return slot is not None and bool(slot.versions[-1].content)

    def freeze(self, of: str) -> None:
        """Freeze a slot against updates: it counts no more, and its id keeps no reference to it."""
        slot = self.target(of, "freeze")
        if self.stream.history.unnamed is not None:
            self.stream.history.unnamed(slot)
        slot.text_region = None
        if not slot.is_frozen:
            slot.is_frozen = True
            self.stream.history.regions -= 1
        if slot is not FROZEN:
            slot.names -= 1
            self.stream.slots[of] = FROZEN

    def target(self, of: str, kind: str = "replace") -> Slot:
        """The slot an id is bound to, if this kind of update is allowed for it."""
        slot = self.stream.slots.get(of)
        if slot is None:
            raise InputError(UNKNOWN_TARGET, f"nothing in {self._what} has the id {of!r}")
        if kind in _NEEDS_END and self.stream.open_ids.get(of):
            raise InputError(OPEN_TARGET, f"{of!r} of {self._what} has not ended")
        if slot.is_frozen and kind != "freeze":
            raise InputError(FROZEN_TARGET, f"{of!r} of {self._what} was frozen")
        return slot

    @property
    def _what(self) -> str:
        return f'stream("{self.stream.name}")' if self.stream.name else "the stream"

    # --- time

    def advance(self, time: Decimal) -> None:
        """Advance the time; XYIN0043 if it would run backwards."""
        history = self.stream.history
        if time < history.now:
            raise InputError(TIME_RUNS_BACK, f"{time} after {history.now}")
        history.now = time

    def show_base(self) -> None:
        """Make the content of the base visible with the next commit."""
        self.stream.history.show(self.base.made)
        self.base.made = []

    # --- ids, for builders

    def open_region(self, id: str, slot: Slot) -> None:
        self.name(id, slot)
        self.stream.open_ids[id] = self.stream.open_ids.get(id, 0) + 1

    def close_region(self, id: str) -> None:
        count = self.stream.open_ids[id] - 1
        if count:
            self.stream.open_ids[id] = count
        else:
            del self.stream.open_ids[id]
