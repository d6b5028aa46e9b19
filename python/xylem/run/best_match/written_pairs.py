"""The results of a join as text, where each is an element with gaps: the kernel fills them for many pairs at a time.

A template is a tuple of pieces:

    ("fixed", '<m t="')                                 the same for all pairs
    ("path", hole, side, leaf, escape, spaced, only)    what a path from the item of a side says
    ("term", hole, term)                                a number that is computed of the pair
    ("content", (pieces…), "</m>")                      all the content of an element, which closes itself without any

Each hole has a function of the query, too, that gives its characters. It fills the gap where the kernel cannot: trees
of another kind, numbers that are no xs:double, several nodes where one is expected.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.source.kernel import pair_writer
from xylem.values.casting import string_of
from xylem.values.native_path import native_plan
from xylem.values.native_rows import NativePairWriter

from .best_pairs import Place
from .criteria import Row
from .node_rows import NodeRows
from .numeric_join import NumericJoin
from .side_rows import PathLeaf, SideRows

Piece = tuple[Any, ...]
Hole = Callable[[Row, Row], Sequence[Any]]
TOGETHER = 8192
"""Pairs that are written at a time."""


class PairText:
    """Writes the results of pairs."""

    def __init__(
        self, template: Sequence[Piece], holes: Sequence[Hole], paths: tuple[Sequence[PathLeaf], Sequence[PathLeaf]]
    ) -> None:
        """`paths`: of each side, those that the pieces of the template name by number."""
        self._template = template
        self._holes = holes
        self._paths = paths

    def texts(
        self, pairs: Sequence[Place], left: SideRows, right: SideRows, terms: NumericJoin | None
    ) -> Iterator[str]:
        """The text of all pairs, in pieces."""
        writer = self._native(left, right, terms)
        for start in range(0, len(pairs), TOGETHER):
            some = pairs[start : start + TOGETHER]
            text = None
            if writer is not None:
                lefts, rights = array("I", (one for one, _ in some)), array("I", (other for _, other in some))
                text = writer.write(lefts.tobytes(), rights.tobytes())
            if text is None:
                text = "".join(self._text(left.rows[one], right.rows[other]) for one, other in some)
            yield text

    # --- by the kernel

    def _native(self, left: SideRows, right: SideRows, terms: NumericJoin | None) -> NativePairWriter | None:
        described = _described(self._template, terms)
        parts = [_parts(rows, paths) for rows, paths in zip((left, right), self._paths, strict=True)]
        if described is None or parts[0] is None or parts[1] is None:
            return None
        columns: tuple[Sequence[Any], Sequence[Any]] = ((), ())
        if terms is not None:
            columns = terms.columns["left"], terms.columns["right"]
        return pair_writer(described, parts[0], parts[1], *columns)

    # --- by the functions of the query

    def _text(self, left: Row, right: Row) -> str:
        return "".join(self._pieces(self._template, left, right))

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
    """The template as the kernel has it; None where a number is not one of columns."""
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


def _parts(rows: SideRows, paths: Sequence[PathLeaf]) -> list[tuple[Any, bytes, list[Any]]] | None:
    """The rows of a side by their trees, with the plans of all paths; None where a tree is not the kernel's."""
    found = rows.rows if isinstance(rows.rows, NodeRows) else NodeRows.of([row[0] for row in rows.rows])
    if found is None:
        return None
    plans_for = [native_plan(path.steps) for path in paths]
    made = []
    for tree, numbers in found.parts:
        if tree.native is None:
            return None
        plans = [plan_for(tree) for plan_for in plans_for]
        if any(plan is None for plan in plans):
            return None
        made.append((tree.native, array("I", numbers).tobytes(), plans))
    return made
