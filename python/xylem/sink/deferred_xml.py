"""A tree with placeholders (`values/deferred_tree.py`) as XML: its own rows as text, the pieces inside them as nodes.

Its own rows are in no namespace and declare none, so they are written the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from xylem.values.deferred_tree import DeferredTree, Noted, Piece, noted_rows
from xylem.values.name_pool import KIND_BITS, KIND_MASK
from xylem.values.node import ATTRIBUTE, COMMENT, ELEMENT, TEXT, Node
from xylem.values.qname import QName
from xylem.values.tree import Tree

from .character_expansion import escape_attribute, escape_text


def noted_text(tree: DeferredTree) -> Iterator[str | Node]:
    """Text with the usual escapes, and elements to be written as copies: nothing is declared around them."""
    begun = [_NotedRows(tree.noted, tree)]
    while begun:
        for written in begun[-1].rows:
            if isinstance(written, (str, Node)):
                yield written
            elif (noted := noted_rows(written)) is None:
                yield Node(written, 0)
            else:
                begun.append(_NotedRows(noted, written))
                break
        else:
            begun.pop()


class _NotedRows:
    """The rows of one tree, and how far they have been written."""

    def __init__(self, noted: Noted, tree: Tree) -> None:
        self._noted = noted
        self._qnames = tree.qnames
        self.rows = self._written()

    def _written(self) -> Iterator[str | Piece]:
        codes, ends, _, values, pieces = self._noted
        open_rows: list[tuple[int, str]] = []
        row = 0
        while row < len(codes):
            while open_rows and open_rows[-1][0] == row:
                yield open_rows.pop()[1]
            code = codes[row]
            kind = code & KIND_MASK
            if row in pieces:
                yield pieces[row]
                row += 1
            elif kind == ELEMENT:
                name, end = self._name(code), ends[row]
                row, attributes = self._attributes(row + 1, end)
                yield f"<{name}{attributes}/>" if row == end else f"<{name}{attributes}>"
                if row < end:
                    open_rows.append((end, f"</{name}>"))
            else:
                yield self._leaf(kind, code, values[row] or "")
                row += 1
        while open_rows:
            yield open_rows.pop()[1]

    def _attributes(self, row: int, end: int) -> tuple[int, str]:
        """The row after the attributes, and their text."""
        codes, values = self._noted.codes, self._noted.values
        found = []
        while row < end and codes[row] & KIND_MASK == ATTRIBUTE:
            found.append(f' {self._name(codes[row])}="{escape_attribute(values[row] or "")}"')
            row += 1
        return row, "".join(found)

    def _leaf(self, kind: int, code: int, value: str) -> str:
        if kind == TEXT:
            return escape_text(value)
        if kind == COMMENT:
            return f"<!--{value}-->"
        target = self._name(code).local
        return f"<?{target} {value}?>" if value else f"<?{target}?>"

    def _name(self, code: int) -> QName:
        name = self._qnames[code >> KIND_BITS]
        assert name is not None
        return name
