"""Constructed elements whose structure is known at compile time; only characters are computed.

    <item id="{ $i/@id }"><name>{ string($i/name) }</name></item>

is the same few rows for every $i: codes, ends and parents are shared by all trees of a *shape*, and a tree is the list
of its values. So an element costs only its characters, and is written by filling gaps (`sink/shaped_xml.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .name_pool import NamePool, current_pool
from .node import ATTRIBUTE, ELEMENT, TEXT, Node
from .qname import QName
from .tree import NO_INDEX, Tree, next_order

_MOST_VARIANTS = 64
_NO_NAMES: dict[int, QName] = {}
_NO_DECLARATIONS: dict[int, dict[str, str]] = {}
_NO_ROWS: set[int] = set()


class ShapeRow(NamedTuple):
    """One row: an element or attribute in no namespace, or text."""

    kind: int
    local: str
    parent: int
    value: str | None = None
    """Constant characters; None for computed ones, and for elements."""


class ElementShape:
    """The rows of an element, attributes first in each. It is complete when created; trees share its columns."""

    __slots__ = ("_pool", "_texts", "_variants", "codes", "ends", "parents", "rows", "written")

    def __init__(self, rows: Sequence[ShapeRow]) -> None:
        self.rows = tuple(rows)
        self.parents = [row.parent for row in rows]
        self.ends = [_end(self.parents, row) for row in range(len(self.parents))]
        self._texts = [i for i, row in enumerate(self.rows) if row.kind == TEXT and row.value is None]
        """Rows that only exist if they have characters."""
        self._variants: dict[tuple[int, ...], ElementShape] = {}
        self._pool: NamePool | None = None
        self.codes: list[int] = []
        self.written: Any = None
        """The template for writing such an element, once requested."""

    def __reduce__(self) -> tuple[type[ElementShape], tuple[tuple[ShapeRow, ...]]]:
        # Learned shapes belong to this process: a program can be shipped whether or not it has run.
        return ElementShape, (self.rows,)

    def node(self, base: str | None, values: list[str | None]) -> Node:
        """An element with these values, one per row."""
        for row in self._texts:
            if not values[row]:
                return self._without_empty_texts(base, values)
        pool = current_pool()
        if pool is not self._pool:
            self._learn(pool)
        return Node(ShapedTree(self, pool, base, values), 0)

    def _learn(self, pool: NamePool) -> None:
        # A new list: trees created with the old pool keep theirs.
        self.codes = [TEXT if row.kind == TEXT else pool.code(row.kind, "", row.local) for row in self.rows]
        self._pool = pool

    def _without_empty_texts(self, base: str | None, values: list[str | None]) -> Node:
        """The same for a text without characters, which is no node."""
        missing = tuple(row for row in self._texts if not values[row])
        found = self._variants.get(missing)
        if found is None:
            found = self._variant(missing)
        return found.node(base, [value for row, value in enumerate(values) if row not in missing])

    def _variant(self, missing: tuple[int, ...]) -> ElementShape:
        if len(self._variants) >= _MOST_VARIANTS:
            self._variants.clear()
        # Text has no rows below it, so only later places move.
        places = [row - sum(1 for other in missing if other < row) for row in range(len(self.rows))]
        made = self._variants[missing] = ElementShape(
            [
                row._replace(parent=places[row.parent] if row.parent >= 0 else -1)
                for number, row in enumerate(self.rows)
                if number not in missing
            ]
        )
        return made


class ShapedTree(Tree):
    """A tree of a shape. It is immutable."""

    __slots__ = ("shape",)

    native: None = None
    copies: None = None
    copied: None = None
    prefixed = _NO_NAMES
    declared = _NO_DECLARATIONS
    isolated = _NO_ROWS
    document_uri: str | None = None
    id_rules: frozenset[tuple[int, int]] = frozenset()
    idref_rules: frozenset[tuple[int, int]] = frozenset()

    def __init__(self, shape: ElementShape, pool: NamePool, base: str | None, values: list[str | None]) -> None:
        # The attributes of `Tree`; those shared by all trees are above.
        self.order = next_order()
        self.names = pool
        self.qnames = pool.qnames
        self.base = base
        self._index = NO_INDEX
        self._elements_by_id = None
        self.shape = shape
        self.codes = shape.codes
        self.ends = shape.ends
        self.parents = shape.parents
        self.values = values


def _end(parents: Sequence[int], row: int) -> int:
    """One past the last row below a row."""
    end = row + 1
    while end < len(parents) and parents[end] >= row:
        end += 1
    return end


__all__ = ["ATTRIBUTE", "ELEMENT", "TEXT", "ElementShape", "ShapeRow", "ShapedTree"]
