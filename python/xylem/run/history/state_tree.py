"""The tree of a stream as of a commit. Earlier versions are added when a query asks for them.

The rows of the tree hold the newest version of every slot. An earlier version goes behind them: its nodes have their
parent in the tree but lie on no axis of other nodes. Its content is the newest, later edits included. In document
order it follows the newer versions of its slot (`rank`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from xylem.values.name_pool import KIND_BITS, current_pool
from xylem.values.node import ATTRIBUTE, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, Node
from xylem.values.qname import QName
from xylem.values.tree import Tree
from xylem.values.version_choice import Lifespan, VersionChoice

from .content import Document, Element, Leaf, Slot, Version, is_shown, placed
from .flat_history import FlatVersion, flat_history, newest_nodes, plain_versions, shown_nodes

if TYPE_CHECKING:
    from .commits import History, Stream
    from .content import Node as ContentNode

Key = tuple[float, ...]


class _Place:
    """The position of a slot in the content of its parent."""

    __slots__ = ("blocks", "end", "ordinal", "parent", "slot", "start")

    def __init__(self, slot: Slot, parent: int, ordinal: int) -> None:
        self.slot = slot
        self.parent = parent
        self.ordinal = ordinal
        self.start = self.end = 0
        """The rows of its newest version."""
        self.blocks: dict[int, list[int]] = {}
        """The top rows of earlier versions, by version number."""


class StateTree(Tree):
    """One stream as of a commit."""

    __slots__ = ("_asked", "_block_ends", "_blocks", "_items", "_place_of", "_places", "commit", "history", "stream")
    is_ranked = True

    def __init__(self, history: History, stream: Stream, commit: int) -> None:
        super().__init__(current_pool())
        self.history = history
        self.stream = stream
        self.commit = commit
        self._items: list[ContentNode | Document | None] = []
        """The content item of each row; None for attributes."""
        self._places: dict[int, list[int | _Place]] = {}
        """The content of an element or document, by its row: rows of nodes outside slots, and places of slots."""
        self._place_of: dict[int, tuple[_Place, int]] = {}
        """The slot and version number of rows directly in a slot."""
        self._asked: list[_Place] = []
        """The slots whose earlier versions were requested."""
        self._block_ends: list[int] = []
        self._blocks: list[tuple[int, Key]] = []
        """Appended blocks of rows: their start, and the prefix of their sort key. The first block is the tree."""
        self.document_uri = self.base = stream.document.uri
        self._fill(self._row(DOCUMENT, -1, None, stream.document), stream.document)
        self._close_block(0, ())

    @property
    def document(self) -> Node:
        return Node(self, 0)

    @property
    def now(self) -> Decimal:
        return self.history.time_of(self.commit) if self.commit else Decimal(0)

    # --- rows

    def _row(self, code: int, parent: int, value: str | None, item: ContentNode | Document | None) -> int:
        row = len(self.codes)
        self.codes.append(code)
        self.ends.append(row + 1)
        self.parents.append(parent)
        self.values.append(value)
        self._items.append(item)
        return row

    def _named(self, row: int, name: QName) -> None:
        usual = self.qnames[self.codes[row] >> KIND_BITS]
        if usual is not None and usual.prefix != name.prefix:
            self.rename(row, name)

    def _append(self, node: ContentNode, parent: int) -> int:
        """Append a node without its content."""
        names = self.names
        if isinstance(node, Leaf):
            code = names.code(node.kind, "", node.name) if node.kind == PROCESSING_INSTRUCTION else node.kind
            return self._row(code, parent, node.value, node)
        row = self._row(names.code_of(ELEMENT, node.name), parent, None, node)
        self._named(row, node.name)
        for name, value in node.attributes:
            self._named(self._row(names.code_of(ATTRIBUTE, name), row, value, None), name)
        if node.declared:
            self.declare(row, dict(node.declared))
        self.ends[row] = len(self.codes)
        return row

    def _fill(self, row: int, owner: Element | Document) -> None:
        """Append the content of an element or document, and of all elements in it."""
        stack = [(row, self._content(row, owner))]
        while stack:
            row, content = stack[-1]
            found = next(content, None)
            if found is None:
                stack.pop()
                self.ends[row] = len(self.codes)
                continue
            node, place = found
            child = self._append(node, row)
            if place is not None:
                self._place_of[child] = place, 0
            if isinstance(node, Element):
                stack.append((child, self._content(child, node)))

    def _content(self, row: int, owner: Element | Document) -> Iterator[tuple[ContentNode, _Place | None]]:
        """The nodes in an element or document; each is requested after those before it have been appended."""
        entries = self._places[row] = []
        for item in placed(owner.content):
            if not isinstance(item, Slot):
                if is_shown(item.shown, self.commit):
                    entries.append(len(self.codes))
                    yield item, None
                continue
            nodes = newest_nodes(item, self.commit)
            if nodes is None:
                continue
            place = _Place(item, row, len(entries))
            entries.append(place)
            place.start = len(self.codes)
            for node in nodes:
                yield node, place
            place.end = len(self.codes)

    def _block(self, place: _Place, number: int, version: FlatVersion | Version) -> list[int]:
        """The top rows of a version of a slot, appended on the first request."""
        if number == 0:
            return self._tops(place)
        found = place.blocks.get(number)
        if found is None:
            start = len(self.codes)
            found = place.blocks[number] = []
            self._asked.append(place)
            nodes = shown_nodes(version, self.commit) if isinstance(version, Version) else version.nodes
            for node in nodes:
                row = self._append(node, place.parent)
                found.append(row)
                self._place_of[row] = place, number
                if isinstance(node, Element):
                    self._fill(row, node)
            if found:
                self._close_block(start, (*self._key_behind(place), float(number)))
                self.forget_index()
        return found

    def _tops(self, place: _Place) -> list[int]:
        rows, row = [], place.start
        while row < place.end:
            rows.append(row)
            row = self.ends[row]
        return rows

    def _close_block(self, start: int, key: Key) -> None:
        self._block_ends.append(len(self.codes))
        self._blocks.append((start, key))

    def forget_versions(self) -> bool:
        """Drop the cached versions, because the set of earlier versions has changed. False if that is impossible."""
        size = self._block_ends[0]
        for place in self._asked:
            # A version without content has no rows, and is known all the same.
            place.blocks.clear()
        self._asked.clear()
        if len(self.codes) == size:
            return True
        if self.prefixed or self.declared:
            return False
        for rows in (self.codes, self.ends, self.parents, self.values, self._items):
            del rows[size:]
        del self._block_ends[1:], self._blocks[1:]
        for by_row in (self._place_of, self._places):
            for row in [row for row in by_row if row >= size]:
                del by_row[row]
        self.forget_index()
        return True

    # --- document order

    def rank(self, row: int) -> Key:
        """Sorts the rows of this tree in document order."""
        start, key = self._blocks[bisect_right(self._block_ends, row)]
        return (*key, row - start)

    def _key_behind(self, place: _Place) -> Key:
        """The key of content after the newest version of a slot, and before the content that follows it."""
        start, key = self._blocks[bisect_right(self._block_ends, place.parent)]
        # Between two rows; of slots that end at the same row, the inner one comes first.
        return (*key, place.end - start - 0.5, -self.depth(place.parent), place.ordinal)

    # --- versions

    def _lifespan(self, version: FlatVersion) -> Lifespan:
        time_of = self.history.time_of
        return time_of(version.begin), None if version.end is None else time_of(version.end)

    def chosen_content(self, row: int, choice: VersionChoice) -> list[int]:
        """The chosen versions of the content of an element or document, slot by slot."""
        found: list[int] = []
        for entry in self._places.get(row, ()):
            found += self._chosen(entry, choice, 0)
        return found

    def chosen_versions(self, row: int, choice: VersionChoice) -> list[int]:
        """The chosen versions of the slot a node stands in, relative to its own: nodes of the same kind and name."""
        standing = self._place_of.get(row)
        if standing is None:
            return self._chosen(row, choice, 0)
        place, number = standing
        # In its own version a node stands for itself, not for nodes of the same name beside it.
        return [
            found
            for found in self._chosen(place, choice, number)
            if found == row or (self._place_of[found][1] != number and self.codes[found] == self.codes[row])
        ]

    def _chosen(self, entry: int | _Place, choice: VersionChoice, current: int) -> list[int]:
        if isinstance(entry, int):
            if not choice.is_by_time:
                return [entry] if choice.counted(1, current) else []
            return [entry] if choice.places([self.lifespan(entry)], self.now, current) else []
        if not choice.is_by_time and (seen := plain_versions(entry.slot, self.commit)) is not None:
            # Look at no more of them than are chosen.
            return [
                row
                for place in choice.counted(len(seen), current)
                for row in self._block(entry, place, seen[-1 - place])
            ]
        history = flat_history(entry.slot, self.commit)
        if choice.is_by_time:
            places = choice.places([self._lifespan(version) for version in history], self.now, current)
        else:
            places = choice.counted(len(history), current)
        return [row for place in places for row in self._block(entry, place, history[place])]

    def lifespan(self, row: int) -> Lifespan:
        """The times at which the version of a node began and ended. A node outside slots has one version."""
        place = self._place_of.get(row)
        if place is not None:
            return self._lifespan(flat_history(place[0].slot, self.commit)[place[1]])
        item = self._items[row]
        if item is None:
            return self.lifespan(self.parents[row])[0], None
        if isinstance(item, Document):
            return self._first_shown(), None
        return self.history.time_of(item.shown), None

    def _first_shown(self) -> Decimal:
        """When the stream first showed anything."""
        rows = [entry if isinstance(entry, int) else entry.start for entry in self._places[0]]
        inside = [self.lifespan(row)[0] for row in rows if 0 < row < self._block_ends[0]]
        return min(inside, default=self.now)

    def id_attributes(self) -> list[int]:
        return [row for row in super().id_attributes() if row < self._block_ends[0]]

    def version_number(self, row: int) -> int:
        """The number of versions of its slot that are newer than the node's."""
        place = self._place_of.get(row)
        return 0 if place is None else place[1]

    # --- axes of a tree with earlier versions

    def siblings(self, row: int, *, are_after: bool) -> list[int]:
        """The siblings before or after a node, in document order: for other slots the newest version."""
        above = self.parents[row]
        if above < 0 or self._items[row] is None:
            return []
        place = self._place_of.get(row)
        if place is None or place[1] == 0:
            return [other for other in self.children(above) if (other > row if are_after else other < row)]
        mates = place[0].blocks[place[1]]
        children = self.children(above)
        if are_after:
            return [other for other in mates if other > row] + [c for c in children if c >= place[0].end]
        return [c for c in children if c < place[0].start] + [other for other in mates if other < row]

    # --- the same node as of another commit

    def counterpart(self, row: int, other: StateTree) -> int | None:
        """The row of the same node in the tree as of another commit; None if it did not exist then."""
        item = self._items[row]
        if item is None:
            owner = self.parents[row]
            found = self.counterpart(owner, other)
            return None if found is None else found + (row - owner)
        if isinstance(item, Document):
            return 0
        parent = self.counterpart(self.parents[row], other)
        return None if parent is None else other.child_of(parent, item)

    def key_of(self, row: int) -> tuple[object, ...]:
        """The identity of a node across all commits."""
        item = self._items[row]
        if item is None:
            return (self._items[self.parents[row]], self.codes[row])
        return (item,)

    def child_of(self, parent: int, item: ContentNode) -> int | None:
        """The row of a node in the content of another node, in any version."""
        for entry in self._places.get(parent, ()):
            if isinstance(entry, int):
                if self._items[entry] is item:
                    return entry
                continue
            for number, version in enumerate(flat_history(entry.slot, self.commit)):
                for place, node in enumerate(version.nodes):
                    if node is item:
                        return self._block(entry, number, version)[place]
        return None
