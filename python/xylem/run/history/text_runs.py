"""Runs of updates that the kernel answers: it holds the units of a loop as small documents, and changes their texts.

    texts = TextRuns.of(engine, feed)              None where code must evaluate units
    for commit, edits in texts.followed(run): …    `run` is an operation with unparsed updates

Most updates replace the text of a region (`text_regions.py`), and most loops give results that a template can write.
Then one call handles a run of them: the kernel reads the updates, changes the documents and writes the results of their
units. Python updates the store and the answer as after any commit. All other operations are applied as usual; units
that it evaluates are unknown to the kernel until the next update of their texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING

from xylem.plan.unit_rows import Chosen
from xylem.rewrite.history.unit_query import only_loop
from xylem.sink.display_edits import Edits
from xylem.source.kernel import text_updates
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.update_stream.operations import BeginUpdate, Operation
from xylem.source.update_stream.simple_run import few_of

from .answered_rows import AnsweredRows
from .commits import Commit
from .content import Slot, Version
from .engine import Engine
from .feed import Feed
from .loops import FoldLoop, RegionLoop
from .text_regions import TextRegion
from .unit_document import NotPlain, UnitDocument
from .unit_notes import Unit, value_of

if TYPE_CHECKING:
    from xylem.source.kernel import TextUpdates

__all__ = ["TextRuns"]

Told = tuple[int, str | None, str, str | None, int, bool]
_SOME_BYTES = 1 << 14
"""Bytes of a run that are answered before its first commit is reported."""
_MOST_UNITS = 2_000_000
"""The kernel holds no more units than this, at some 200 bytes each."""


class TextRuns:
    """Follows the runs of one stream.

    Holds:  in the kernel, the parts of each unit that the loop reads; here, their texts by number.
    """

    def __init__(
        self, engine: Engine, feed: Feed, kernel: TextUpdates, rows: AnsweredRows, chosen: Sequence[Chosen], source: int
    ) -> None:
        self._engine = engine
        self._history = engine.history
        self._feed = feed
        self._kernel = kernel
        self._rows = rows
        self._chosen = chosen
        self._source = source
        """The source whose units are answered; those of others are conditions of them."""
        self.taken = 0
        """Number of updates read."""
        self._texts: list[tuple[TextRegion, Unit]] = []
        """For each region by number: the region, and its unit."""
        self._free: list[int] = []
        """Free region numbers."""
        engine.units.texts_grow = True
        engine.units.forget_native = self._forget
        self._history.unnamed = self._unnamed

    @classmethod
    def of(cls, engine: Engine, feed: Feed) -> TextRuns | None:
        """None if the kernel cannot answer units."""
        made = engine.program.unit_rows
        if engine.why_whole or made is None or not engine.history.writes_texts or not feed.takes_runs:
            return None
        loop, answered = engine.only_loop, made()
        if answered is None or not isinstance(loop, (RegionLoop, FoldLoop)):
            return None
        chosen = [(one.around, one.name, one.first, one.last) for one in answered.chosen]
        kernel = text_updates(DEFAULT_LIMITS, answered.template, answered.rows.value, chosen)
        found = only_loop(engine.program.plan.root)
        if kernel is None or found is None:
            return None
        rows = AnsweredRows(engine, loop, answered.rows)
        texts = cls(engine, feed, kernel, rows, answered.chosen, found[0].source.number)
        texts._begin()
        return texts

    # --- units

    def _begin(self) -> None:
        """Take over the existing units."""
        by_unit: dict[Unit, list[tuple[str, TextRegion]]] = {}
        for id, slot in self._feed.stream.slots.items():
            region = slot.text_region or self._engine.units.note_text_region(slot)
            if region is not None and self._is_answered(region):
                by_unit.setdefault(region.units[0], []).append((id, region))
        for unit, named in by_unit.items():
            self._add(unit, named)

    def _is_answered(self, region: TextRegion) -> bool:
        """Whether one unit reads a region, and the kernel may answer it."""
        return len(region.units) == 1 and region.units[0].source.number == self._source

    def _add(self, unit: Unit, named: list[tuple[str, TextRegion]]) -> None:
        """Register some texts of a unit, so that the kernel answers their updates."""
        if unit.native is not None or not unit.is_alive or len(self._texts) >= _MOST_UNITS:
            return
        # Of several ids the last one is used now.
        by_slot = {region.slot: (id, region) for id, region in named}
        try:
            written = UnitDocument(unit, by_slot.keys(), self._chosen)
        except NotPlain:
            return
        regions: list[tuple[str, str, int, int, int, list[str] | None]] = []
        for slot, (start, size, has_versions) in written.places.items():
            if slot in by_slot:
                id, region = by_slot[slot]
                past = [text_in(version) for version in slot.versions[-2::-1]] if has_versions else None
                regions.append((id, region.name.local, start, size, self._number(region, unit), past))
        found = self._kernel.add(written.data, regions) if regions else None
        numbers = tuple(region[4] for region in regions)
        if found is None:
            self._free += numbers
            return
        number, text, items, is_atomic = found
        unit.native = number, numbers
        if not self._rows.is_made(unit, (text, items, is_atomic)):
            # If the template and the code write it differently, the code is right.
            self._forget(unit)
            return
        self._engine.trees.let_go(unit)

    def _number(self, region: TextRegion, unit: Unit) -> int:
        if self._free:
            number = self._free.pop()
            self._texts[number] = region, unit
            return number
        self._texts.append((region, unit))
        return len(self._texts) - 1

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
        if region is None or not self._is_answered(region) or region.units[0].native is not None:
            return
        (unit,) = region.units
        ids = dict.fromkeys((*unit.named, id))
        unit.named = ()
        slots = self._feed.stream.slots
        known = [(one, slots[one].text_region) for one in ids if one in slots]
        self._add(unit, [(one, other) for one, other in known if other is not None and other.units == (unit,)])

    def _answered(self, found: list[Told]) -> Iterator[tuple[Commit, Edits | None]]:
        history, engine, texts = self._history, self._engine, self._texts
        now = history.now
        times = []
        for told in found:
            if told[1] is not None:
                now = Decimal(told[1])
            times.append(now)
        self.taken += len(found)
        update = history.updates
        number = first = history.commit_run(times)
        # Nobody can ask for the store as of any of these commits but the last.
        for told in found:
            update += 1
            region = texts[told[0]][0]
            region.write(told[2], update, number)
            number += 1
            if region.most > engine.units.longest:
                engine.units.longest = len(region.slot.versions)
        engine.evaluated += len(found)
        follow = self._rows.follow
        for number, (place, _, _, answer, items, is_atomic), time in zip(count(first), found, times, strict=False):
            engine.number, engine.now = number, time
            if answer is None:
                yield Commit(number, time), None
            else:
                yield Commit(number, time), follow(texts[place][1], (answer, items, is_atomic))


def text_in(version: Version) -> str:
    """The text that a version of a region is."""
    value = value_of(version)
    assert value is not None
    return value[1].value
