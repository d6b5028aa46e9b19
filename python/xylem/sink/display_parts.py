"""The parts of an answer by their places, edited in place: the cost of a change does not depend on its place.

Parts are held in blocks. A Fenwick tree over the sizes of the blocks finds the block of a place; a block keeps its
text, so the whole answer consists of a few long texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .display_edits import Edits, Part, edits_between

__all__ = ["DisplayParts", "Happened", "Shown"]

_MOST = 256
"""Most parts in a block."""


class Shown:
    """A part in an answer."""

    __slots__ = ("part", "region", "text")

    def __init__(self, part: Part, text: str) -> None:
        self.part = part
        self.text = text
        """Including its separator from the part before."""
        self.region = 0
        """Its number in a change log."""


class Happened(NamedTuple):
    """The effect of an edit."""

    place: int
    old: list[Shown]
    """The old parts."""
    texts: list[str]
    """Their texts."""
    new: list[Shown]
    """The new parts. A part that keeps its place stays the same object."""


class _Block:
    __slots__ = ("json", "shown", "text")

    def __init__(self, shown: list[Shown]) -> None:
        self.shown = shown
        self.text: str | None = None
        self.json: str | None = None


class DisplayParts:
    """An answer that is edited.

    Holds:  its parts, the text of each block, and on request the same as JSON.
    """

    def __init__(self) -> None:
        self.size = 0
        self._blocks: list[_Block] = []
        self._sums: list[int] = [0]

    # --- the whole

    @property
    def text(self) -> str:
        return "".join([block.text if block.text is not None else _text(block) for block in self._blocks])

    @property
    def json(self) -> str:
        """The text as a string of JSON."""
        return f'"{"".join([block.json if block.json is not None else _json(block) for block in self._blocks])}"'

    def __iter__(self) -> Iterator[Shown]:
        for block in self._blocks:
            yield from block.shown

    # --- edits

    def apply(self, edits: Edits) -> list[Happened]:
        """Apply the edits of a commit; return their effects, in order."""
        if isinstance(edits, tuple):
            edits = edits_between([shown.part for shown in self], edits)
        happened: list[Happened] = []
        behind = -1
        for place, removed, parts in edits:
            if 0 <= behind < place:
                self._separate(behind, happened)
            happened.append(self._edit(place, removed, parts))
            behind = place + len(parts)
        if behind >= 0:
            self._separate(behind, happened)
        return happened

    def _edit(self, place: int, removed: int, parts: Sequence[Part]) -> Happened:
        before = self._at(place - 1).part[1] if place else 0
        texts = []
        for text, sequence in parts:
            texts.append(f" {text}" if before and before == sequence else text)
            before = sequence
        common = min(removed, len(parts))
        old: list[Shown] = []
        new: list[Shown] = []
        old_texts: list[str] = []
        for index in range(common):
            shown = self._at(place + index, changes=True)
            old.append(shown)
            old_texts.append(shown.text)
            shown.part, shown.text = parts[index], texts[index]
            new.append(shown)
        for _ in range(removed - common):
            gone = self._remove(place + common)
            old.append(gone)
            old_texts.append(gone.text)
        if common < len(parts):
            more = [Shown(part, text) for part, text in zip(parts[common:], texts[common:], strict=True)]
            self._insert(place + common, more)
            new += more
        return Happened(place, old, old_texts, new)

    def _separate(self, place: int, happened: list[Happened]) -> None:
        """Update the separator of a part from the one before, which may have changed."""
        if place >= self.size:
            return
        shown = self._at(place)
        text, sequence = shown.part
        if sequence and place and self._at(place - 1).part[1] == sequence:
            text = f" {text}"
        if text != shown.text:
            before = shown.text
            self._at(place, changes=True).text = text
            happened.append(Happened(place, [shown], [before], [shown]))

    # --- blocks

    def _find(self, place: int) -> tuple[int, int]:
        """The block of a place, and the index in it."""
        sums, index = self._sums, 0
        step = 1 << (len(sums) - 1).bit_length()
        while step:
            following = index + step
            if following < len(sums) and sums[following] <= place:
                place -= sums[following]
                index = following
            step >>= 1
        return index, place

    def _at(self, place: int, *, changes: bool = False) -> Shown:
        index, offset = self._find(place)
        block = self._blocks[index]
        if changes:
            block.text = block.json = None
        return block.shown[offset]

    def _remove(self, place: int) -> Shown:
        index, offset = self._find(place)
        block = self._blocks[index]
        gone = block.shown.pop(offset)
        block.text = block.json = None
        self.size -= 1
        if block.shown:
            self._add(index, -1)
        else:
            del self._blocks[index]
            self._sum_up()
        return gone

    def _insert(self, place: int, shown: list[Shown]) -> None:
        index, offset = self._find(place) if place < self.size else (len(self._blocks) - 1, -1)
        self.size += len(shown)
        if index < 0:
            self._blocks = _cut(shown)
            self._sum_up()
            return
        block = self._blocks[index]
        held = block.shown
        if offset < 0:
            held += shown
        else:
            held[offset:offset] = shown
        block.text = block.json = None
        if len(held) > _MOST:
            self._blocks[index : index + 1] = _cut(held)
            self._sum_up()
        else:
            self._add(index, len(shown))

    def _add(self, index: int, difference: int) -> None:
        sums = self._sums
        index += 1
        while index < len(sums):
            sums[index] += difference
            index += index & -index

    def _sum_up(self) -> None:
        sums = self._sums = [0, *(len(block.shown) for block in self._blocks)]
        for index in range(1, len(sums)):
            parent = index + (index & -index)
            if parent < len(sums):
                sums[parent] += sums[index]


def _cut(shown: list[Shown]) -> list[_Block]:
    half = _MOST // 2
    return [_Block(shown[at : at + half]) for at in range(0, len(shown), half)]


def _text(block: _Block) -> str:
    block.text = "".join([shown.text for shown in block.shown])
    return block.text


def _json(block: _Block) -> str:
    text = block.text if block.text is not None else _text(block)
    block.json = json.dumps(text, ensure_ascii=False)[1:-1]
    return block.json
