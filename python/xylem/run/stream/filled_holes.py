"""Fills the holes of results that the scan has written: all those of a batch together (`plan/result_template.py`).

    <r>␜0 2.5 ␜</r><r>␜0 0.7 ␜</r>    →    <r>2.50</r><r>0.70</r>
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from xylem.plan.result_template import END_OF_CELL, END_OF_MEMBER, HOLE
from xylem.plan.scan_plan import Written
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.values.string_of import string_of
from xylem.values.strings import UntypedAtomic

_FIRST = ord("0")
_TAG = re.compile(r"<!--.*?-->|<\?.*?\?>|<(?P<end>/?)(?P<name>[^<>/]+)[^<>]*?(?P<empty>/?)>", re.DOTALL)


class Filling(NamedTuple):
    """The function that fills a hole: values computed from values."""

    function: Callable[..., Iterable[Any]]
    in_attribute: bool


def write_filled(
    written: Written, fillings: Sequence[Filling], environment: list[Any], write: Callable[[str, int], object]
) -> None:
    """Write the text of a batch without its holes. What is complete before an error comes before it."""
    pieces = written.text.split(HOLE)
    place, is_empty = 1, False
    try:
        for place in range(1, len(pieces), 2):
            hole = pieces[place]
            function, in_attribute = fillings[ord(hole[0]) - _FIRST]
            cells = hole[1:-1].split(END_OF_CELL) if len(hole) > 1 else ()
            found = " ".join(map(string_of, function(environment, *map(_values, cells))))
            pieces[place] = escape_attribute(found) if in_attribute else escape_text(found)
            is_empty |= not found and not in_attribute
    except Exception:
        complete, items = _complete(_with_empty_tags(pieces[:place]))
        if items:
            write(complete, items)
        raise
    write(_with_empty_tags(pieces) if is_empty else "".join(pieces), written.items)


def _complete(text: str) -> tuple[str, int]:
    """What stands before the element that is open at the end of a text, and how many items that is."""
    depth = items = start = 0
    last = text.rfind("<")
    if text.find(">", last) < 0:
        # A start tag: the hole is in one of its attributes.
        text = text[: max(last, 0)]
    for tag in _TAG.finditer(text):
        if tag["name"] is None or tag["empty"]:
            items += depth == 0
        elif tag["end"]:
            depth -= 1
        else:
            items, start = (items + 1, tag.start()) if depth == 0 else (items, start)
            depth += 1
    return (text[:start], items - 1) if depth else (text, items)


def _values(cell: str) -> tuple[UntypedAtomic, ...]:
    """The values of an argument; each has its end behind it."""
    if not cell:
        return ()
    if cell.find(END_OF_MEMBER) == len(cell) - 1:
        return (UntypedAtomic(cell[:-1]),)
    return tuple(map(UntypedAtomic, cell[:-1].split(END_OF_MEMBER)))


def _with_empty_tags(pieces: Iterable[str]) -> str:
    """The pieces, where an element without content is an empty tag."""
    made = ""
    parts: list[str] = []
    for piece in pieces:
        if piece.startswith("</") and _is_start_tag(made):
            parts[-1] = parts[-1][:-1]
            piece = "/>" + piece[piece.index(">") + 1 :]
        if piece:
            made = piece
            parts.append(piece)
    return "".join(parts)


def _is_start_tag(text: str) -> bool:
    """Whether a text ends with a start tag: `>` is written as a reference everywhere else."""
    if not text.endswith(">") or text.endswith(("/>", "->", "?>")):
        return False
    return not text.startswith("</", text.rindex("<"))
