"""Runs of updates that the kernel answers: it holds the units of a loop as small documents, and changes their texts.

    texts = TextRuns.of(engine, feed)              None where code must evaluate units
    for commit, edits in texts.followed(run): …    `run` is an operation with unparsed updates

Most updates replace the text of a region (`text_regions.py`), and most loops give results that a template can write.
Then one call handles a run of them: the kernel reads the updates, changes the documents and writes the results of their
units. Python updates the store and the answer as after any commit. All other operations are applied as usual; units
that it evaluates are unknown to the kernel until the next update of their texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING

from xylem.sink.display_edits import Edits
from xylem.source.kernel import text_updates
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.update_stream.operations import BeginUpdate, Operation
from xylem.source.update_stream.simple_run import few_of

from .commits import Commit
from .content import Leaf, Slot, Version
from .engine import Engine
from .feed import Feed
from .loops import FoldLoop, RegionLoop
from .text_regions import TextRegion
from .unit_document import NotPlain, UnitDocument
from .unit_notes import Unit, value_of

if TYPE_CHECKING:
    from xylem.source.kernel import TextUpdates

__all__ = ["TextRuns"]

NewRegion = tuple[str, str, int, int, int]
Told = tuple[int, str | None, str, str | None, int]
_SOME_BYTES = 1 << 14
"""Bytes of a run that are answered before its first commit is reported."""
_MOST_UNITS = 2_000_000
"""The kernel holds no more units than this, at some 200 bytes each."""


class TextRuns:
    """Follows the runs of one stream.

    Holds:  in the kernel, the parts of each unit that the loop reads; here, their texts by number.
    """

    def __init__(self, engine: Engine, feed: Feed, kernel: TextUpdates, loop: RegionLoop | FoldLoop) -> None:
        self._engine = engine
        self._history = engine.history
        self._feed = feed
        self._kernel = kernel
        self._loop = loop
        self.taken = 0
        """Number of updates read."""
        self._texts: list[tuple[Version, Leaf, Unit]] = []
        """For each region by number: its version, its text, and its unit."""
        self._free: list[int] = []
        """Free region numbers."""
        engine.units.forget_native = self._forget
        self._history.unnamed = self._unnamed

    @classmethod
    def of(cls, engine: Engine, feed: Feed) -> TextRuns | None:
        """None if the kernel cannot answer units."""
        made = engine.program.unit_template
        if engine.why_whole or made is None or not engine.history.writes_texts or not feed.takes_runs:
            return None
        loop, template = engine.only_loop, made()
        if template is None or not isinstance(loop, (RegionLoop, FoldLoop)):
            return None
        kernel = text_updates(DEFAULT_LIMITS, template)
        if kernel is None:
            return None
        texts = cls(engine, feed, kernel, loop)
        texts._begin()
        return texts

    # --- units

    def _begin(self) -> None:
        """Take over the existing units."""
        by_unit: dict[Unit, list[tuple[str, TextRegion]]] = {}
        for id, slot in self._feed.stream.slots.items():
            region = slot.text_region or self._engine.units.note_text_region(slot)
            if region is not None and len(region.units) == 1:
                by_unit.setdefault(region.units[0], []).append((id, region))
        for unit, named in by_unit.items():
            self._add(unit, named)

    def _add(self, unit: Unit, named: list[tuple[str, TextRegion]]) -> None:
        """Register some texts of a unit, so that the kernel answers their updates."""
        if unit.native is not None or not unit.is_alive or len(self._texts) >= _MOST_UNITS:
            return
        try:
            written = UnitDocument(unit)
        except NotPlain:
            return
        regions: list[NewRegion] = []
        for id, region in named:
            place = written.places.get(region.slot)
            version = region.slot.versions[-1]
            value = value_of(version)
            if place is not None and value is not None:
                regions.append((id, region.name.local, *place, self._number(version, value[1], unit)))
        found = self._kernel.add(written.data, regions) if regions else None
        numbers = tuple(region[4] for region in regions)
        if found is None:
            self._free += numbers
            return
        number, text, items = found
        unit.native = number, numbers
        if not self._is_made(unit, text, items):
            # If the template and the code write it differently, the code is right.
            self._forget(unit)
            return
        self._engine.trees.let_go(unit)

    def _number(self, version: Version, leaf: Leaf, unit: Unit) -> int:
        if self._free:
            number = self._free.pop()
            self._texts[number] = version, leaf, unit
            return number
        self._texts.append((version, leaf, unit))
        return len(self._texts) - 1

    def _is_made(self, unit: Unit, text: str, items: int) -> bool:
        """Whether the operator and the kernel give the same result for a unit."""
        if isinstance(self._loop, FoldLoop):
            return bool(unit.made == (int(text),))
        return [parts for _, parts in unit.made or ()] == ([((text, 0),)] if items else [])

    def _forget(self, unit: Unit) -> None:
        assert unit.native is not None
        number, texts = unit.native
        unit.named = self._kernel.forget(number)
        unit.native = None
        self._free += texts

    def _unnamed(self, slot: Slot) -> None:
        for unit in slot.text_region.units if slot.text_region is not None else ():
            if unit.native is not None:
                self._forget(unit)

    # --- runs

    def followed(self, run: Operation) -> Iterator[tuple[Commit, Edits | None]]:
        """Each commit of a run and its edits of the answer, or None if it changes nothing."""
        assert run.simple is not None
        at, size = 0, len(run.data)
        while at < size:
            if self._history.is_settled and not self._engine.why_whole and not run.simple.declared:
                some = run.data[at : at + _SOME_BYTES]
                found, end = self._kernel.read(some, 0, *run.simple.told, str(self._history.now))
                if found:
                    at += end
                    yield from self._answered(found)
                    continue
            operations, at = few_of(run, at)
            for operation in operations:
                self.taken += operation.kind == "updates"
                commit = self._feed.apply(operation)
                if commit is not None:
                    yield commit, self._engine.edits if self._engine.follow(commit) else None
                self.know(operation)

    def know(self, operation: Operation) -> None:
        """Code has applied an operation: from now on the kernel may know the regions that it updated."""
        if operation.update is not None:
            self._know(operation.update.of)
        for event in operation.events:
            if isinstance(event, BeginUpdate):
                self._know(event.of)

    def _know(self, id: str) -> None:
        slot = self._feed.stream.slots.get(id)
        region = None if slot is None else slot.text_region
        if region is None or len(region.units) != 1 or region.units[0].native is not None:
            return
        (unit,) = region.units
        ids = dict.fromkeys((*unit.named, id))
        unit.named = ()
        slots = self._feed.stream.slots
        known = [(one, slots[one].text_region) for one in ids if one in slots]
        self._add(unit, [(one, other) for one, other in known if other is not None and other.units == (unit,)])

    def _answered(self, found: list[Told]) -> Iterator[tuple[Commit, Edits | None]]:
        history, engine, loop, texts = self._history, self._engine, self._loop, self._texts
        now = history.now
        times = []
        for told in found:
            if told[1] is not None:
                now = Decimal(told[1])
            times.append(now)
        self.taken += len(found)
        update = history.updates
        number = first = history.commit_run(times)
        # One version is kept, and nothing can ask when its content began.
        for told in found:
            update += 1
            version, leaf, _ = texts[told[0]]
            leaf.value = told[2]
            version.number = update
            version.shown = number
            number += 1
        engine.evaluated += len(found)
        follow = engine.follow_answer
        for number, (place, _, _, answer, items), time in zip(count(first), found, times, strict=False):
            engine.number, engine.now = number, time
            if answer is None:
                yield Commit(number, time), None
            else:
                yield Commit(number, time), follow(loop, texts[place][2], answer, items)
