"""XML patches (RFC 5261): the first document is the base, and each `<diff>` after it a batch of updates.

`sel` must name an element by its key, `id('k')` or `…/item[@id='k']`: anything else would need the tree. Elements with
the key attribute are regions, with an empty region at the beginning and at the end of their content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from xylem.errors import InputError
from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import KeyedFeed
from .operations import BeginRegion, BeginUpdate, End, EndRegion, EndUpdate, Event, Operation, Start, place_of
from .records import Record, records
from .times import time_of
from .wire import read_wire

NOT_BY_KEY = "XYIN0046"
_BY_ID = re.compile(r"""id\(\s*(?:"([^"]*)"|'([^']*)')\s*\)""").fullmatch
_BY_ATTRIBUTE = re.compile(r"""[^\[\]]*\[\s*@([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]""").fullmatch
FIRST, LAST = "\0first ", "\0last "
"""The prefixes of the ids of the regions at both ends of an element; no key begins with them."""
_PLACES: dict[str, tuple[str, str]] = {
    "before": ("insert-before", ""),
    "after": ("insert-after", ""),
    "prepend": ("insert-after", FIRST),
    "": ("insert-before", LAST),
}
"""By `pos`: the update, and the prefix of its target."""


@saved("patches-feed", 2, fields=("versions", "known", "has_base"))
@dataclass
class PatchFeed(KeyedFeed):
    """Elements by the attribute that is their key."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        if not self.has_base:
            self.has_base = True
            for operation in read_wire(chunks, limits=limits):
                operation.events = list(self._keyed(operation.events))
                yield operation
            return
        data = b"".join(chunks)
        before, lines = self.origin
        batch = Operation("updates", where=(before, lines + 1, 1), data=data)
        for found in records([data], ("diff", "*"), limits, self.origin):
            try:
                if isinstance(found, Record):
                    batch.events += self._change(found)
                elif isinstance(found, Start):
                    batch.time = self._time_of_diff(found)
            except InputError as error:
                batch.error = batch.error or error
        yield batch

    @staticmethod
    def _time_of_diff(root: Start) -> Decimal | None:
        if root.name.local != "diff":
            raise InputError(NOT_BY_KEY, f"<{root.name.local}> where <diff> was expected")
        time = next((value for name, value in root.attributes if name.local == "t"), None)
        return None if time is None else time_of(time)

    @property
    def _attribute(self) -> str:
        return self.key[-1].removeprefix("@")

    def _key_of(self, event: Start) -> str | None:
        return next((value for name, value in event.attributes if name.local == self._attribute), None)

    def _keyed(self, events: Iterable[Event]) -> Iterator[Event]:
        """The same events with regions for elements that have a key."""
        keys: list[str | None] = []
        for event in events:
            if isinstance(event, Start):
                key = self._key_of(event)
                keys.append(key)
                yield event if key is None else event._replace(id=key)
                if key is not None:
                    yield from (BeginRegion(FIRST + key), EndRegion())
                continue
            if isinstance(event, End):
                key = keys.pop()
                if key is not None:
                    yield from (BeginRegion(LAST + key), EndRegion())
            yield event

    def _change(self, record: Record) -> list[Event]:
        first = record.events[0]
        assert isinstance(first, Start)
        given = {name.local: value for name, value in first.attributes}
        key = self._selected(given.get("sel", ""))
        kind = first.name.local
        content = list(self._keyed(record.events[1:-1]))
        position = given.get("pos", "")
        if key is None or kind not in ("add", "replace", "remove") or "type" in given or position not in _PLACES:
            told = "".join(f' {name}="{given[name]}"' for name in ("sel", "pos", "type") if name in given)
            what = f"<{kind}{told}>"
            raise InputError(NOT_BY_KEY, what, place=place_of(record.where))
        if kind == "remove":
            return [BeginUpdate("remove", key, None, record.where), EndUpdate()]
        own = _only_key(content)
        if own is not None:
            # The update itself has the key: content added next to it later is not part of its history.
            assert isinstance(content[0], Start)
            content[0] = content[0]._replace(id=None)
        if kind == "replace":
            return [BeginUpdate("replace", key, own, record.where), *content, EndUpdate()]
        update, prefix = _PLACES[position]
        return [BeginUpdate(update, prefix + key, own, record.where), *content, EndUpdate()]

    def _selected(self, selector: str) -> str | None:
        """The key in a selector; None if it has none."""
        by_id = _BY_ID(selector.strip())
        if by_id is not None:
            return by_id[1] if by_id[1] is not None else by_id[2]
        by_attribute = _BY_ATTRIBUTE(selector.strip())
        if by_attribute is None or by_attribute[1].rpartition(":")[2] != self._attribute:
            return None
        return by_attribute[2] if by_attribute[2] is not None else by_attribute[3]


def _only_key(content: list[Event]) -> str | None:
    """The key of the only element of some content; None if there is anything else, or nothing."""
    depth = 0
    for place, event in enumerate(content):
        depth += isinstance(event, Start) - isinstance(event, End)
        if depth == 0 and place < len(content) - 1:
            return None
    first = content[0] if content else None
    return first.id if isinstance(first, Start) else None
