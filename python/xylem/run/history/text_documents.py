"""The documents that the kernel holds of units, and the regions of text in them that it may change.

A unit is one document, with the parts of it that its loop reads; units that look up others have what they found in
theirs (`unit_document.py`). So a text may stand in several documents. The kernel answers updates of it only while it
holds all of them: when code evaluates a unit, the kernel forgets its document and leaves the texts in it to code, until
code has applied the next update of one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xylem.plan.unit_rows import UnitRows

from .answered_rows import AnsweredRows
from .commits import Stream
from .content import Slot, Version
from .engine import Engine
from .join_index import JoinedIndex
from .loops import Turns
from .text_regions import TextRegion
from .unit_document import NotPlain, UnitDocument
from .unit_notes import Unit, value_of

if TYPE_CHECKING:
    from xylem.source.kernel import TextUpdates

__all__ = ["TextDocuments"]

_MOST_UNITS = 2_000_000
"""The kernel holds no more units than this, at some 200 bytes each."""
_MOST_DOCUMENTS = 64
"""A text that stands in more documents is left to code: each has a copy."""
_ELSEWHERE = -1


class TextDocuments:
    """The documents of one stream.

    Holds:  in the kernel, the parts of each unit that the loop reads; here, the regions and units by their numbers.
    """

    def __init__(
        self, engine: Engine, stream: Stream, kernel: TextUpdates, rows: AnsweredRows, answered: UnitRows, source: int
    ) -> None:
        """`source`: the one whose units are answered; those of others are conditions of them, or looked up by them."""
        self._engine = engine
        self._stream = stream
        self._kernel = kernel
        self._rows = rows
        self._chosen = answered.chosen
        self._source = source
        self._joined = {one.source: one for one in answered.joined}
        loop = engine.only_loop
        indexes = loop.lookups if isinstance(loop, Turns) else ()
        self._indexes: dict[int, JoinedIndex] = {one.number: one for one in indexes}
        self._asked = frozenset(child for one in answered.joined for child in one.asked)
        self.regions: list[TextRegion | None] = []
        """By number."""
        self.units: list[Unit | None] = []
        """By the numbers of their documents."""
        self._free: list[int] = []
        """Free numbers of regions."""
        self._open: dict[Unit, list[TextRegion]] = {}
        """Of units that others look up, the regions that are answered."""
        engine.units.texts_grow = True
        engine.units.forget_native = self.forget
        engine.history.unnamed = self._unnamed
        engine.history.write_texts = self.write
        for index in self._indexes.values():
            index.forget_native = self.forget

    def begin(self) -> None:
        """Take over the existing units."""
        slots = self._stream.slots
        for slot in slots.values():
            if slot.text_region is None:
                self._engine.units.note_text_region(slot)
        self._take((id, slot.text_region) for id, slot in slots.items())

    def know(self, id: str) -> None:
        """Code has applied an update of a region: from now on the kernel may answer further ones."""
        slots = self._stream.slots
        slot = slots.get(id)
        region = None if slot is None else slot.text_region
        documents = None if region is None else self._documents_of(region)
        if region is None or documents is None:
            return
        ids: dict[str, None] = {}
        for unit in (*documents, *region.units):
            ids.update(dict.fromkeys(unit.named))
            unit.named = ()
        ids[id] = None
        self._take((one, slots[one].text_region) for one in ids if one in slots)

    def forget(self, unit: Unit) -> None:
        """Leave the texts of a unit to code."""
        assert unit.native is not None
        number, unit.native = unit.native, None
        if number == _ELSEWHERE:
            closed = [self._kernel.close(region.number) for region in self._open.pop(unit) if region.number >= 0]
            unit.named = [id for id in closed if id is not None]
            return
        self.units[number] = None
        unit.named, gone = self._kernel.forget(number)
        for one in gone:
            region = self.regions[one]
            assert region is not None
            self.regions[one] = None
            region.number = -1
        self._free += gone

    def write(self) -> None:
        """Write the texts that the kernel has taken into the store."""
        units = self._engine.units
        for number, versions in self._kernel.unwritten():
            region = self.regions[number]
            assert region is not None
            for version in versions:
                region.write(*version)
            units.longest = max(units.longest, len(region.slot.versions))

    def _unnamed(self, slot: Slot) -> None:
        for unit in slot.text_region.units if slot.text_region is not None else ():
            if unit.native is not None:
                self.forget(unit)

    def _documents_of(self, region: TextRegion) -> Iterable[Unit] | None:
        """The units in whose documents a text stands; None if only code can answer updates of it."""
        if not self._joined:
            units = region.units
            return units if len(units) == 1 and units[0].source.number == self._source else None
        found: dict[Unit, None] = {}
        child = (region.name.uri, region.name.local)
        for unit in region.units:
            number = unit.source.number
            # What a unit finds depends on some of its children, which a deeper text may be part of.
            if unit.depth != region.watch.depth - 1:
                return None
            if number == self._source:
                if child in self._asked:
                    return None
                found[unit] = None
                continue
            joined = self._joined.get(number)
            readers = None if joined is None or child in joined.keys else self._indexes[number].readers_of(unit)
            if readers is None:
                return None
            found.update(dict.fromkeys(readers))
        return found if 0 < len(found) <= _MOST_DOCUMENTS else None

    def _take(self, named: Iterable[tuple[str, TextRegion | None]]) -> None:
        """Let the kernel answer updates of some regions under their ids; of several ids of one, the last is used."""
        for id, region in named:
            documents = None if region is None else self._documents_of(region)
            if region is None or documents is None:
                continue
            numbers = []
            for unit in documents:
                if unit.native is None:
                    self._add(unit, region)
                if unit.native is None or unit.native == _ELSEWHERE:
                    break
                numbers.append(unit.native)
            else:
                if region.number >= 0 and self._kernel.open(id, region.number, numbers):
                    self._opened(region)

    def _opened(self, region: TextRegion) -> None:
        for unit in region.units:
            # The kernel does not change trees.
            self._engine.trees.let_go(unit)
            if unit.source.number != self._source:
                unit.native = _ELSEWHERE
                held = self._open.setdefault(unit, [])
                if region not in held:
                    held.append(region)

    def _add(self, unit: Unit, region: TextRegion) -> None:
        """Give the kernel the document of a unit, of which a region is known."""
        if not unit.is_alive or len(self.units) >= _MOST_UNITS:
            return
        found = []
        for number, joined in self._joined.items():
            others = self._indexes[number].found_by(unit)
            if others is None:
                # Something else decides whether it looks for any.
                return
            found.append((joined.around, others))
        own = region.slot if unit.depth == region.watch.depth else None
        try:
            written = UnitDocument(unit, own, self._follows, self._chosen, found)
        except NotPlain:
            return
        regions: list[tuple[int, str, int, int, list[str] | None, int]] = []
        new = []
        for slot, start, size, has_versions in written.places:
            held = slot.text_region
            assert held is not None
            if held.number < 0:
                self._number(held)
                new.append(held)
            past = [text_in(version) for version in slot.versions[-2::-1]] if has_versions else None
            regions.append((held.number, held.name.local, start, size, past, held.most))
        made = self._kernel.add(written.data, regions)
        if made is None:
            for held in new:
                self.regions[held.number] = None
                self._free.append(held.number)
                held.number = -1
            return
        number, text, items, is_atomic = made
        if number == len(self.units):
            self.units.append(None)
        self.units[number] = unit
        unit.native = number
        if not self._rows.is_made(unit, (text, items, is_atomic)):
            # If the template and the code write it differently, the code is right.
            self.forget(unit)
            return
        self._engine.trees.let_go(unit)

    def _follows(self, slot: Slot) -> bool:
        region = slot.text_region
        return region is not None and (bool(self._joined) or len(region.units) == 1)

    def _number(self, region: TextRegion) -> None:
        if self._free:
            region.number = self._free.pop()
            self.regions[region.number] = region
        else:
            region.number = len(self.regions)
            self.regions.append(region)


def text_in(version: Version) -> str:
    """The text that a version of a region is."""
    value = value_of(version)
    assert value is not None
    return value[1].value
