"""Fill the holes of results that the scan has written, a whole batch at a time (`plan/result_template.py`).

    <r>␜0 2.5 ␜</r><r>␜0 0.7 ␜</r>            →    <r>2.50</r><r>0.70</r>
    ␜!1 2.5 ␜<r>2.5</r>␜|1␜<s/>␜)1␜    →    <r>2.5</r>, if the code for 1 says so, or <s/>
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from xylem.plan.result_template import CONDITION, END_OF_CELL, END_OF_CONDITION, END_OF_MEMBER, HOLE, NULL, OTHERWISE
from xylem.plan.scan_plan import Written
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.values import atomic_type as at
from xylem.values.atomic_type import AtomicType
from xylem.values.casting import cast
from xylem.values.string_of import string_of
from xylem.values.strings import UntypedAtomic

_FIRST = ord("0")
_MARKS = CONDITION + OTHERWISE + END_OF_CONDITION
_TAG = re.compile(r"<!--.*?-->|<\?.*?\?>|<(?P<end>/?)(?P<name>[^<>/]+)[^<>]*?(?P<empty>/?)>", re.DOTALL)


class Filling(NamedTuple):
    """The function that fills a hole: it computes values from values. For a condition it returns one boolean."""

    function: Callable[..., Iterable[Any]]
    in_attribute: bool


def write_filled(
    written: Written, fillings: Sequence[Filling], environment: list[Any], write: Callable[[str, int], object]
) -> None:
    """Write the text of a batch without its holes. Text that is complete before an error is written first."""
    pieces = written.text.split(HOLE)
    filled = _Filled(fillings, environment)
    try:
        filled.take(pieces)
    except Exception:
        complete, items = _complete(_with_empty_tags(filled.parts))
        if items:
            write(complete, items)
        raise
    text = _with_empty_tags(filled.parts) if filled.may_be_empty else "".join(filled.parts)
    if text or written.items > filled.dropped:
        write(text, written.items - filled.dropped)


class _Filled:
    """The pieces of a text whose holes are filled one after another."""

    def __init__(self, fillings: Sequence[Filling], environment: list[Any]) -> None:
        self._fillings = fillings
        self._environment = environment
        self.parts: list[str] = []
        self.may_be_empty = False
        self.dropped = 0
        """Number of items removed."""
        self._conditions: list[bool] = []
        """The surrounding conditions: whether the current text is wanted."""

    def take(self, pieces: list[str]) -> None:
        """Process texts and holes in turn."""
        parts, conditions = self.parts, self._conditions
        is_wanted = True
        for place, piece in enumerate(pieces):
            if not place & 1:
                if is_wanted:
                    parts.append(piece)
            elif piece[0] in _MARKS:
                is_wanted = self._turn(piece, is_wanted)
            elif is_wanted:
                found = " ".join(map(string_of, self._values_for(piece, 0)))
                in_attribute = self._fillings[ord(piece[0]) - _FIRST].in_attribute
                parts.append(escape_attribute(found) if in_attribute else escape_text(found))
                self.may_be_empty |= not found and not in_attribute
        assert not conditions

    def _turn(self, piece: str, is_wanted: bool) -> bool:
        """At the start of a condition or the end of a branch: whether the following text is wanted."""
        conditions = self._conditions
        if piece[0] == CONDITION:
            # Conditions inside unwanted text are not evaluated.
            holds = is_wanted and next(iter(self._values_for(piece, 1)))
            conditions += (is_wanted, holds)
            return holds
        around, holds = conditions[-2:]
        is_last = piece[0] == END_OF_CONDITION
        if around and holds == is_last:
            self.dropped += int(piece[1:])
            self.may_be_empty = True
        if not is_last:
            return around and not holds
        del conditions[-2:]
        return around

    def _values_for(self, piece: str, place: int) -> Iterable[Any]:
        cells = piece[place + 1 : -1].split(END_OF_CELL) if len(piece) > place + 1 else ()
        function = self._fillings[ord(piece[place]) - _FIRST].function
        return function(self._environment, *map(_values, cells))


def _complete(text: str) -> tuple[str, int]:
    """The text before the element that is open at the end, and its number of items."""
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


def _values(cell: str) -> tuple[Any, ...]:
    """The values of an argument; each is followed by its end mark."""
    if not cell:
        return ()
    if NULL in cell:
        return tuple(_TYPED[text[1]](text[2:]) if text[:1] == NULL else UntypedAtomic(text) for text in _members(cell))
    if cell.find(END_OF_MEMBER) == len(cell) - 1:
        return (UntypedAtomic(cell[:-1]),)
    return tuple(map(UntypedAtomic, _members(cell)))


def _members(cell: str) -> list[str]:
    return cell[:-1].split(END_OF_MEMBER)


def _of_type(kind: AtomicType) -> Callable[[str], Any]:
    return lambda text: cast(text, kind)


_TYPED: dict[str, Callable[[str], Any]] = {
    "s": str,
    "i": int,
    "d": Decimal,
    "f": _of_type(at.DOUBLE),
    "b": "true".__eq__,
    "D": _of_type(at.DATE),
    "t": _of_type(at.DATE_TIME),
    "T": _of_type(at.TIME),
    "p": _of_type(at.DAY_TIME_DURATION),
}
"""By the kernel's letters for types."""


def _with_empty_tags(pieces: Iterable[str]) -> str:
    """The pieces, with empty tags for elements without content."""
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
    start = text.rfind("<")
    # If the tag does not begin there, a hole in an attribute came before.
    return start < 0 or not text.startswith("</", start)
