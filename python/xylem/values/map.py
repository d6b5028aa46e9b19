"""Maps (XDM 3.1 §2.8.2): immutable values from keys, compared by op:same-key, to sequences.

Entries keep the order in which their keys came, so that output can be read and repeated. A map is a dict from
`same_key(key)` to (key, value). Small maps are copied when updated. From `SHARED_FROM` entries on, the versions of a
map share one dict (H. Baker, "Shallow binding makes functional arrays fast", 1991): the version used last owns it, the
others know the one change that separates them from a neighbour, and the dict is switched back and forth as versions are
used. So a loop of map:put costs one dict operation per step, with the order kept and plain dict speed for read-only
maps; a hash trie would lose both, and add a compiled dependency.

A map constructed from names and single items is a record: the names, which all maps of that constructor share, and a
tuple of items. It only gets a dict if something reads more than the item of a name.

A map of such records, as programs keep for each vehicle or account, is a table: a dict from keys to the tuples of
items. So an update creates one tuple, which the search for cycles need not follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from sys import getrefcount
from threading import Lock
from typing import Any

from xylem.errors import DynamicError

from .comparison import same_key

Entry = tuple[Any, Sequence[Any]]

SHARED_FROM = 64
"""The size from which updates share a dict; below, copying is as cheap as sharing."""

_TURNING = Lock()


_NEW = object.__new__


@cache
def record_places(names: tuple[str, ...]) -> Mapping[str, int]:
    """The place of each name in the records that have these names: the same mapping for all of them."""
    return {name: place for place, name in enumerate(names)}


class _SharedEntries(dict[Hashable, Entry]):
    """A dict owned in turn by several versions of a map; a plain dict in a map is never changed.

    `work` counts its changes. After as many as it has entries, a copy is made instead, amortised by the changes:
    alternating reads of two versions, or a long chain behind a retained version, cost no more.
    """

    __slots__ = ("work",)

    def __init__(self, entries: dict[Hashable, Entry]) -> None:
        super().__init__(entries)
        self.work = 0

    def is_worn(self, more: int) -> bool:
        self.work += more
        return self.work > len(self)

    def swap(self, key: Hashable, entry: Entry | None) -> Entry | None:
        """Set an entry, or remove it for None; return the old one."""
        before = self.get(key)
        if entry is not None:
            self[key] = entry
        elif before is not None:
            del self[key]
        return before


class XMap:
    """An immutable map. Values are sequences that can be read again; a single item is a 1-tuple.

    >>> m = XMap.of([("a", (1,)), ("b", (2, 3))]).put("a", (4,))
    >>> list(m.items())
    [('a', (4,)), ('b', (2, 3))]
    """

    __slots__ = ("_change", "_entries", "_items", "_neighbour", "_places", "_row_places", "_rows")

    def __init__(self, entries: dict[Hashable, Entry] | None = None) -> None:
        """Takes over a dict from same_key(key) to (key, value)."""
        self._entries: dict[Hashable, Entry] | None = {} if entries is None else entries
        self._neighbour: XMap | None = None
        self._change: tuple[Hashable, Entry | None] | None = None
        self._places: Mapping[str, int] | None = None
        """For a record: the index of the item of each name."""
        self._items: tuple[Any, ...] = ()
        self._row_places: Mapping[str, int] | None = None
        """For a table of records: the indexes in each of them; only then there are rows."""
        self._rows: dict[int | str, tuple[Any, ...]]

    @staticmethod
    def record(places: Mapping[str, int], items: tuple[Any, ...]) -> XMap:
        """A map of names to single items: `places` has the place of each name, in order."""
        made = _NEW(XMap)
        made._entries = None
        made._places = places
        made._row_places = None
        made._items = items
        return made

    @staticmethod
    def table(places: Mapping[str, int], rows: dict[int | str, tuple[Any, ...]]) -> XMap:
        """A map of keys, each its own `same_key`, to records with the same names. Takes over the dict."""
        made = XMap()
        made._entries = None
        made._row_places = places
        made._rows = rows
        return made

    def as_table(self) -> XMap:
        """This map as a table, if all its values are records with the same names; otherwise itself."""
        rows: dict[int | str, tuple[Any, ...]] = {}
        names: tuple[str, ...] | None = None
        for key, value in self.items():
            if not (type(key) is int or type(key) is str) or len(value) != 1 or type(value[0]) is not XMap:
                return self
            record: dict[Any, Sequence[Any]] = dict(value[0].items())
            names = tuple(record) if names is None else names
            if tuple(record) != names or not all(type(name) is str and len(record[name]) == 1 for name in names):
                return self
            rows[key] = tuple(record[name][0] for name in names)
        return XMap.table(record_places(names), rows) if names else self

    @classmethod
    def of(cls, pairs: Iterable[Entry]) -> XMap:
        """A map of (key, value) pairs; of equal keys the last one wins, at the place of the first."""
        return cls({same_key(pair[0]): pair for pair in pairs})

    @classmethod
    def constructed(cls, pairs: Iterable[Entry]) -> XMap:
        """A map of (key, value) pairs that must differ in their keys (XQuery 3.1 §3.11.1.1)."""
        entries: dict[Hashable, Entry] = {}
        for pair in pairs:
            key = same_key(pair[0])
            if key in entries:
                raise DynamicError("XQDY0137", f"the key {pair[0]!s} occurs twice")
            entries[key] = pair
        return cls(entries)

    def __len__(self) -> int:
        entries = self._entries
        if type(entries) is dict:
            return len(entries)
        if self._row_places is not None:
            return len(self._rows)
        while True:
            entries = self._own()
            size = len(entries)
            if self._entries is entries:
                return size

    # A map is true as an object whatever its size: `if map` never means "if it has entries".
    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return self.keys()

    def __repr__(self) -> str:
        return f"map{{{', '.join(f'{key!r}: {value!r}' for key, value in self.items())}}}"

    def __reduce__(self) -> tuple[Any, ...]:
        return XMap.of, (list(self.items()),)

    def get(self, key: Any) -> Sequence[Any] | None:
        """The value of a key, None if absent."""
        entries, sameness = self._entries, key if type(key) is str else same_key(key)
        # A plain dict is never changed: most maps have one, and need no care.
        found = entries.get(sameness) if type(entries) is dict else self.entry(sameness)
        return None if found is None else found[1]

    def entry(self, sameness: Hashable) -> Entry | None:
        """Key and value for a `same_key`."""
        if self._places is not None:
            place = self._places.get(sameness)  # type: ignore[call-overload]
            return None if place is None else (sameness, (self._items[place],))
        if self._row_places is not None:
            items = self._rows.get(sameness)  # type: ignore[call-overload]
            return None if items is None else (sameness, (XMap.record(self._row_places, items),))
        while True:
            entries = self._own()
            found = entries.get(sameness)
            # Another thread may have switched the dict to its own version in between.
            if self._entries is entries:
                return found

    def contains(self, key: Any) -> bool:
        entries, sameness = self._entries, key if type(key) is str else same_key(key)
        return sameness in entries if type(entries) is dict else self.entry(sameness) is not None

    def items(self) -> Iterator[Entry]:
        """(key, value) pairs in order."""
        return iter(self._pairs())

    def keys(self) -> Iterator[Any]:
        return (pair[0] for pair in self._pairs())

    def values(self) -> Iterator[Sequence[Any]]:
        return (pair[1] for pair in self._pairs())

    def same_keys(self) -> Iterable[tuple[Hashable, Entry]]:
        """same_key(key) with (key, value), in order."""
        entries = self._own()
        return entries.items() if type(entries) is dict else self.entries().items()

    def put(self, key: Any, value: Sequence[Any]) -> XMap:
        """This map with one entry added or replaced, including its key."""
        entries, sameness = self._entries, key if type(key) is str else same_key(key)
        if type(entries) is dict and len(entries) < SHARED_FROM:
            copy = entries.copy()
            copy[sameness] = key, value
            return XMap(copy)
        return self._with(sameness, (key, value))

    def put_in_place(self, key: Any, value: Sequence[Any]) -> XMap:
        """The same as `put`, but by changing this very map; for callers with the only reference to it.

        If something is reading the entries at the moment, they are copied as in `put`.
        """
        entries = self._entries
        if not entries and len(value) == 1 and type(value[0]) is XMap and value[0]._places is not None:
            return self.put_row(value[0]._places, key, value[0]._items)
        if entries is None or self._places is not None or getrefcount(entries) != _HELD_HERE:
            return self.put(key, value)
        entries[key if type(key) is str else same_key(key)] = key, value
        return self

    def put_row(self, places: Mapping[str, int], key: Any, items: tuple[Any, ...]) -> XMap:
        """The same as `put_in_place` for a record: a table grows by a row."""
        if type(key) is int or type(key) is str:
            if self._row_places is places:
                rows = self._rows
                if getrefcount(rows) == _HELD_HERE:
                    rows[key] = items
                    return self
            elif not len(self):
                return XMap.table(places, {key: items})
        if self._entries:
            return self.put_in_place(key, (XMap.record(places, items),))
        return self.put(key, (XMap.record(places, items),))

    def remove(self, keys: Iterable[Any]) -> XMap:
        """This map without the entries of these keys."""
        gone = [k for k in {same_key(key): None for key in keys} if self.entry(k) is not None]
        if len(gone) == 1:
            return self._with(gone[0], None)
        if not gone:
            return self
        entries = self.entries()
        for key in gone:
            del entries[key]
        return XMap(entries)

    def entries(self) -> dict[Hashable, Entry]:
        """A new dict from same_key(key) to (key, value), to be changed and turned into a map again."""
        while True:
            entries = self._own()
            copy = dict(entries)
            if self._entries is entries:
                return copy

    def _pairs(self) -> Iterable[Entry]:
        if self._row_places is not None:
            return self._pairs_of_rows(self._row_places, self._rows)
        while True:
            entries = self._own()
            if type(entries) is dict:
                return entries.values()
            pairs = list(entries.values())
            if self._entries is entries:
                return pairs

    @staticmethod
    def _pairs_of_rows(places: Mapping[str, int], rows: dict[int | str, tuple[Any, ...]]) -> Iterator[Entry]:
        for key, items in rows.items():
            yield key, (XMap.record(places, items),)

    def _with(self, key: Hashable, entry: Entry | None) -> XMap:
        if len(self) < SHARED_FROM:
            copy = self.entries()
            if entry is not None:
                copy[key] = entry
            else:
                copy.pop(key, None)
            return XMap(copy)
        self._own()
        with _TURNING:
            return self._shared_with(key, entry)

    def _shared_with(self, key: Hashable, entry: Entry | None) -> XMap:
        entries = self._turn()
        self._places = None
        if not isinstance(entries, _SharedEntries):
            # This version moves to the shared dict too: its next update finds it there.
            self._entries = entries = _SharedEntries(entries)
        if entries.is_worn(1):
            copy = _SharedEntries(entries)
            copy.swap(key, entry)
            return XMap(copy)
        updated = XMap(entries)
        self._entries = None
        self._neighbour = updated
        self._change = key, entries.swap(key, entry)
        return updated

    def _own(self) -> dict[Hashable, Entry]:
        entries = self._entries
        if entries is not None:
            return entries
        if self._places is not None:
            names = self._places.items()
            self._entries = entries = {name: (name, (self._items[place],)) for name, place in names}
            return entries
        if self._row_places is not None:
            # From here on it is an ordinary map.
            self._entries = entries = {pair[0]: pair for pair in self._pairs()}
            self._row_places = None
            return entries
        with _TURNING:
            return self._turn()

    def _turn(self) -> dict[Hashable, Entry]:
        """Make this version the owner of the shared dict (or of a copy); call with the lock held."""
        if self._entries is not None:
            return self._entries
        path: list[XMap] = []
        owner: XMap = self
        while owner._entries is None:
            path.append(owner)
            assert owner._neighbour is not None
            owner = owner._neighbour
        entries = owner._entries
        assert isinstance(entries, _SharedEntries)
        if entries.is_worn(len(path)):
            entries = _SharedEntries(entries)
            for version in reversed(path):
                assert version._change is not None
                entries.swap(*version._change)
        else:
            for version in reversed(path):
                assert version._change is not None
                key, entry = version._change
                owner._entries, owner._neighbour = None, version
                owner._change = key, entries.swap(key, entry)
                owner = version
        self._entries, self._neighbour, self._change = entries, None, None
        return entries


def _references_of_entries() -> int:
    of = XMap()
    entries = of._entries
    return getrefcount(entries)


_HELD_HERE = _references_of_entries()
"""Result of getrefcount() for entries referenced only by their map and a local variable."""
