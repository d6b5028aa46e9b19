"""A tree of nodes as parallel columns, one row per node, in document order.

The number of a row is the node's `pre`. Attributes stand right after their element, before its children. For row p

    codes[p]    kind and name, see `name_pool.py`
    ends[p]     one past the last row of the subtree: its size is ends[p] - p - 1
    parents[p]  the row of the parent, -1 at the root
    values[p]   the characters of text, attributes, comments, processing instructions; None for the others

so a subtree is a range, a next sibling is one lookup, and "is a descendant of" two comparisons.

The columns are lists: in CPython reading a list item takes a quarter of the time of an `array` item, and since rows
share their integer objects a list row costs 60 bytes against 25. There is no column of levels: with parents no axis
needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from .copied_rows import CopiedRows, Copies
from .name_pool import KIND_BITS, KIND_MASK, NamePool
from .node import ATTRIBUTE, DOCUMENT, ELEMENT, TEXT, Node
from .qname import QName
from .tree_interface import XML_NAMESPACE, TreeInterface

__all__ = ["NO_INDEX", "XML_NAMESPACE", "Tree", "is_tree_shaped", "leaf", "next_order", "rows_with"]

_orders = count(1)
next_order = _orders.__next__
"""The place of a new tree among all trees of the process."""

# Most trees are small and need none of these: they share empty ones, which are replaced before the first entry.
_NO_NAMES: dict[int, QName] = {}
_NO_DECLARATIONS: dict[int, dict[str, str]] = {}
_NO_ROWS: set[int] = set()
_NO_RULES: frozenset[tuple[int, int]] = frozenset()
NO_INDEX: dict[int, list[int]] = {}


class Tree(TreeInterface):
    """The rows of one tree. Only a builder or reader appends to it; once it is finished nothing changes."""

    __slots__ = (
        "__weakref__",
        "_index",
        "codes",
        "copied",
        "declared",
        "ends",
        "is_finished",
        "isolated",
        "native",
        "noted",
        "numbers",
        "opened",
        "parents",
        "prefixed",
        "values",
    )

    def __init__(self, names: NamePool, base: str | None = None) -> None:
        self.order = next_order()
        self.native: None = None
        self.copies: Copies | None = None
        self.copied: CopiedRows | None = None
        self.names = names
        self.qnames: list[QName | None] | dict[int, QName | None] = names.qnames
        self.prefixed: dict[int, QName] = _NO_NAMES
        self.codes: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []
        self.values: list[str | None] = []
        self.declared: dict[int, dict[str, str]] = _NO_DECLARATIONS
        self.isolated: set[int] = _NO_ROWS
        self.numbers: dict[tuple[int, int], int] = {}
        self.opened: list[int] = []
        self.base = base
        self.document_uri: str | None = None
        self.id_rules = _NO_RULES
        self.idref_rules = _NO_RULES
        self._index = NO_INDEX
        self._elements_by_id: dict[str, int] | None = None
        self.is_finished = False
        """Whether a builder has finished it: it is immutable from then on."""
        self.noted: Any
        """Rows still to be copied: see `deferred_tree.py`."""

    # --- for builders

    def forget_names(self) -> None:
        """Nothing is declared, no prefix is unusual, no attribute is an identifier."""
        self.prefixed, self.declared, self.isolated = _NO_NAMES, _NO_DECLARATIONS, _NO_ROWS
        self.id_rules = self.idref_rules = _NO_RULES

    def rename(self, row: int, name: QName) -> None:
        """Set the prefix of a row."""
        if self.prefixed is _NO_NAMES:
            self.prefixed = {}
        self.prefixed[row] = name

    def declare(self, row: int, bindings: dict[str, str]) -> None:
        """Add namespace declarations to an element. Trees may share them: they are replaced, not changed."""
        if self.declared is _NO_DECLARATIONS:
            self.declared = {}
        here = self.declared.get(row)
        self.declared[row] = bindings if here is None else {**here, **bindings}

    def forget_index(self) -> None:
        """Drop indexes: rows were added to a tree that had been read already."""
        self._index = NO_INDEX
        self._elements_by_id = None

    def isolate(self, row: int) -> None:
        """Keep an element from inheriting namespaces."""
        if self.isolated is _NO_ROWS:
            self.isolated = set()
        self.isolated.add(row)

    # --- one node

    def kind(self, pre: int) -> int:
        return self.codes[pre] & KIND_MASK

    def name(self, pre: int) -> QName | None:
        if self.prefixed:
            found = self.prefixed.get(pre)
            if found is not None:
                return found
        return self.qnames[self.codes[pre] >> KIND_BITS]

    def string_value(self, pre: int) -> str:
        value = self.values[pre]
        if value is not None:
            return value
        codes = self.codes
        end = self.ends[pre]
        first = pre + 1
        while first < end and codes[first] & KIND_MASK == ATTRIBUTE:
            first += 1
        if end - first < 2:
            return self.values[first] or "" if first < end and codes[first] == TEXT else ""
        values = self.values
        texts = [values[p] for p, code in enumerate(codes[first:end], first) if code == TEXT]
        return "".join(texts)  # type: ignore[arg-type]  # a text row always has a value

    def attributes(self, pre: int) -> range:
        codes = self.codes
        end = self.ends[pre]
        first = last = pre + 1
        while last < end and codes[last] & KIND_MASK == ATTRIBUTE:
            last += 1
        return range(first, last)

    def children(self, pre: int) -> list[int]:
        codes, ends = self.codes, self.ends
        end = ends[pre]
        child = pre + 1
        while child < end and codes[child] & KIND_MASK == ATTRIBUTE:
            child += 1
        found = []
        while child < end:
            found.append(child)
            child = ends[child]
        return found

    # --- names

    def elements_named(self, code: int) -> list[int]:
        """The rows with a code, ascending. The list is cached: callers must not change it."""
        found = self._index.get(code)
        if found is None:
            if self._index is NO_INDEX:
                self._index = {}
            found = self._index[code] = rows_with(self.codes, code, 0, len(self.codes))
        return found

    def has_index(self, code: int) -> bool:
        return code in self._index

    def __len__(self) -> int:
        return len(self.codes)


def rows_with(codes: Sequence[int], code: int, start: int, end: int) -> list[int]:
    """The indexes of a code in a range of the column; `list.index` runs at C speed between the hits."""
    found: list[int] = []
    index = codes.index
    try:
        while True:
            start = index(code, start, end)
            found.append(start)
            start += 1
    except ValueError:
        return found


def leaf(names: NamePool, code: int, value: str, name: QName | None = None) -> Node:
    """A tree of one parentless attribute, text, comment, processing instruction or namespace node."""
    tree = Tree(names)
    tree.codes.append(code)
    tree.ends.append(1)
    tree.parents.append(-1)
    tree.values.append(value)
    if name is not None:
        usual = tree.qnames[code >> KIND_BITS]
        if usual is None or usual.prefix != name.prefix:
            tree.rename(0, name)
    return Node(tree, 0)


def is_tree_shaped(node: Node) -> bool:
    """True for documents and elements: the nodes that can have children."""
    return node.tree.codes[node.pre] & KIND_MASK in (DOCUMENT, ELEMENT)
