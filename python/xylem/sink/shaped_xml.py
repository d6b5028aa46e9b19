"""Elements of a shape (`values/shaped_tree.py`) as XML: a text with gaps for their characters.

Elements of shapes are in no namespace and declare none, so they are written the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xylem.values.node import Node
from xylem.values.shaped_tree import ATTRIBUTE, TEXT, ElementShape, ShapedTree, ShapeRow

from .character_expansion import escape_attribute, escape_text

Values = list[str | None]
Write = Callable[[Values], str]


def shaped_text(shape: ElementShape, values: Values) -> str:
    """The text of an element with the usual escapes, like that of `plain_xml.py`."""
    write: Write | None = shape.written
    if write is None:
        write = shape.written = _writer(shape)
    return write(values)


def text_of_shaped(item: Any) -> str | None:
    """The text of an item that is an element of a shape; None for others."""
    if type(item) is not Node or item.pre:
        return None
    tree = item.tree
    return shaped_text(tree.shape, tree.values) if type(tree) is ShapedTree else None


def _writer(shape: ElementShape) -> Write:
    gaps = [(number, escape_attribute if row.kind == ATTRIBUTE else escape_text) for number, row in _computed(shape)]
    text = "".join(_pieces(shape))
    if [number for number, _ in gaps] == list(range(1, len(shape.rows))) and all(
        escape is escape_attribute for _, escape in gaps
    ):
        return _AttributeText(text).of
    return lambda values: text % tuple([escape(values[number]) for number, escape in gaps])  # type: ignore[arg-type]


class _AttributeText:
    """An element with nothing but computed attributes: mostly none of them needs an escape."""

    def __init__(self, text: str) -> None:
        self._text = text

    def of(self, values: Values) -> str:
        computed: list[str] = values[1:]  # type: ignore[assignment]  # only the element has no value
        together = "".join(computed)
        if (
            "&" in together
            or '"' in together
            or "<" in together
            or ">" in together
            or not (together.isascii() and together.isprintable())
        ):
            computed = list(map(escape_attribute, computed))
        return self._text % tuple(computed)


def _computed(shape: ElementShape) -> list[tuple[int, ShapeRow]]:
    return [(n, row) for n, row in enumerate(shape.rows) if row.kind in (ATTRIBUTE, TEXT) and row.value is None]


def _pieces(shape: ElementShape) -> list[str]:
    """The text in pieces, with %s for computed values."""
    pieces: list[str] = []
    open_rows: list[int] = []
    for number, row in enumerate(shape.rows):
        while open_rows and number >= shape.ends[open_rows[-1]]:
            pieces.append(_end_tag(shape, open_rows.pop()))
        if row.kind == ATTRIBUTE:
            value = "%s" if row.value is None else escape_attribute(row.value).replace("%", "%%")
            pieces.append(f' {row.local}="{value}"')
        elif row.kind == TEXT:
            pieces.append("%s" if row.value is None else escape_text(row.value).replace("%", "%%"))
        else:
            pieces.append(f"<{row.local}")
            open_rows.append(number)
        if open_rows and _closes_tag(shape, number):
            pieces.append("/>" if number + 1 == shape.ends[open_rows[-1]] else ">")
    while open_rows:
        pieces.append(_end_tag(shape, open_rows.pop()))
    return pieces


def _closes_tag(shape: ElementShape, number: int) -> bool:
    """Whether a start tag ends after a row: an element or attribute that no attribute follows."""
    if shape.rows[number].kind == TEXT:
        return False
    return number + 1 == len(shape.rows) or shape.rows[number + 1].kind != ATTRIBUTE


def _end_tag(shape: ElementShape, number: int) -> str:
    """Empty if the element was empty."""
    has_content = any(
        row.parent == number and row.kind != ATTRIBUTE for row in shape.rows[number + 1 : shape.ends[number]]
    )
    return f"</{shape.rows[number].local}>" if has_content else ""
