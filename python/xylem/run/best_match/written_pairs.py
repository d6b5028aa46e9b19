"""The results of a join as text, where each is an element with gaps: the kernel fills them for many pairs at a time.

A template is a tuple of pieces:

    ("fixed", '<m t="')                                 the same for all pairs
    ("path", hole, side, leaf, escape, spaced, only)    text of a path from the item of a side
    ("term", hole, term)                                a number computed from the pair
    ("content", (pieces…), "</m>")                      all the content of an element, which closes itself without any

Each hole also has a query function that returns its characters. It fills the gap if the kernel cannot: for trees of
another kind, numbers other than xs:double, and several nodes where one is expected.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.source.kernel import pair_rows, pair_writer
from xylem.values.casting import string_of
from xylem.values.compact_tree import CompactTree
from xylem.values.native_path import native_plan
from xylem.values.native_rows import NativePairRows, NativePairWriter

from .best_pairs import Place
from .criteria import Row
from .node_rows import NodeRows, Part
from .numeric_join import NumericJoin
from .side_rows import PathLeaf, SideRows

Piece = tuple[Any, ...]
Taken = TypeVar("Taken")
Hole = Callable[[Row, Row], Sequence[Any]]
TOGETHER = 8192
"""Number of pairs written at a time."""


class PairText:
    """Writes the results of pairs."""

    def __init__(
        self, template: Sequence[Piece], holes: Sequence[Hole], paths: tuple[Sequence[PathLeaf], Sequence[PathLeaf]]
    ) -> None:
        """`paths`: for each side, the paths that the pieces of the template refer to by number."""
        self._template = template
        self._holes = holes
        self._paths = paths

    def texts(self, writer: NativeWriter, pairs: Iterable[Place], left: SideRows, right: SideRows) -> Iterator[str]:
        """The text of all pairs, in pieces."""
        sides = writer.rows(0), writer.rows(1)
        for some in batched(pairs, TOGETHER):
            text = writer.writer.write(*sides, numbered(some))
            if text is None:
                text = self.by_query((left.rows[one], right.rows[other]) for one, other in some)
            yield text

    def native(self, left: SideRows, right: SideRows, terms: NumericJoin | None) -> NativeWriter | None:
        """The description from which the kernel writes the results of these rows; None if it cannot."""
        described = _described(self._template, terms)
        parts = [_node_rows(rows) for rows in (left, right)]
        tests = (test for of_side in self._paths for path in of_side for _, test in path.steps)
        if described is None or parts[0] is None or parts[1] is None or any(test.element for test in tests):
            return None
        columns: tuple[Sequence[Any], Sequence[Any]] = ((), ())
        if terms is not None and _has_number(described):
            columns = terms.columns["left"], terms.columns["right"]
        return NativeWriter(pair_writer(described, *columns), (parts[0], parts[1]), self._paths)

    # --- by the functions of the query

    def by_query(self, rows: Iterable[tuple[Row, Row]]) -> str:
        """The text of the rows of some pairs that the kernel cannot write."""
        return "".join(piece for left, right in rows for piece in self._pieces(self._template, left, right))

    def _pieces(self, template: Sequence[Piece], left: Row, right: Row) -> Iterator[str]:
        for piece in template:
            match piece:
                case ("fixed", text):
                    yield text
                case ("content", content, end):
                    found = "".join(self._pieces(content, left, right))
                    yield f">{found}{end}" if found else "/>"
                case ("path", int() as hole, _, _, bool() as is_attribute, bool() as is_spaced, _):
                    characters = (" " if is_spaced else "").join(map(string_of, self._holes[hole](left, right)))
                    yield escape_attribute(characters) if is_attribute else escape_text(characters)
                case ("term", int() as hole, _):
                    yield " ".join(map(string_of, self._holes[hole](left, right)))


def _described(template: Sequence[Piece], terms: NumericJoin | None) -> list[Piece] | None:
    """The template in the kernel's form; None if a number is not computed from columns."""
    made: list[Piece] = []
    for piece in template:
        match piece:
            case ("path", _, side, leaf, is_attribute, is_spaced, is_only):
                made.append(("text", side == "right", leaf, is_attribute, is_spaced, is_only))
            case ("term", _, term):
                found = None if terms is None else terms.numeric(term)
                if found is None or found.kind != "double":
                    return None
                made.append(("number", found.term))
            case ("content", content, end):
                inner = _described(content, terms)
                if inner is None:
                    return None
                made.append(("content", inner, end))
            case _:
                made.append(piece)
    return made


def _has_number(described: Sequence[Piece]) -> bool:
    return any(piece[0] == "number" or (piece[0] == "content" and _has_number(piece[1])) for piece in described)


class NativeWriter:
    """The kernel's writer, and the rows of both sides by their trees; all paths have plans."""

    def __init__(
        self, writer: NativePairWriter, sides: tuple[NodeRows, NodeRows], paths: tuple[Sequence[PathLeaf], ...]
    ) -> None:
        self.writer = writer
        self.sides = sides
        self._plans = [[native_plan(path.steps) for path in of_side] for of_side in paths]

    def rows(self, side: int, parts: Sequence[Part] | None = None) -> NativePairRows:
        """Rows of a side (0 means left); all of them if none are given."""
        made = []
        for tree, numbers in self.sides[side].parts if parts is None else parts:
            assert tree.native is not None
            plans = [plan for plan_for in self._plans[side] if (plan := plan_for(tree)) is not None]
            made.append((tree.native, array("I", numbers).tobytes(), plans))
        return pair_rows(made)


def numbered(pairs: Sequence[Place]) -> tuple[bytes, bytes]:
    """The row numbers of both sides in the kernel's form."""
    lefts, rights = array("I", (one for one, _ in pairs)), array("I", (other for _, other in pairs))
    return lefts.tobytes(), rights.tobytes()


def batched(items: Iterable[Taken], size: int) -> Iterator[Sequence[Taken]]:
    """Items in batches of a given size."""
    remaining = iter(items)
    while some := list(islice(remaining, size)):
        yield some


def _node_rows(rows: SideRows) -> NodeRows | None:
    """The nodes that rows begin with, by tree; None if a tree is not in the kernel."""
    found = rows.rows if isinstance(rows.rows, NodeRows) else NodeRows.of([row[0] for row in rows.rows])
    if found is None or not all(isinstance(tree, CompactTree) for tree, _ in found.parts):
        return None
    return found
