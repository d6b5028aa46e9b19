"""The answer to a query over update streams, kept up to date: an update costs what it changes.

    engine = Engine(program, history, around, whole)
    engine.follow(history.commit())     # costs what the commit changes
    engine.display                      # the whole answer

At a commit, `units.py` reports the units that came, went or need another evaluation. The operators then follow in the
order of their dependences. `whole` evaluates the parts that no operator can maintain, from scratch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from heapq import heappop, heappush
from itertools import count
from typing import Any

from xylem.errors import EngineBug, XylemError
from xylem.sink.display_edits import Edit, Edits, Part

from .commits import Commit, History
from .content import Slot
from .evaluation import Display, HistoryRun, Reevaluation, Surroundings
from .join_index import JoinedIndex
from .live import Live, LiveBuilder, LiveComputed
from .live_scope import LiveScope
from .looking_back import LookingBack
from .loops import Condition, FoldLoop, LiveLoop, RegionLoop
from .moments import StateTrees
from .parts import Parts, text_of
from .program import HistoryProgram
from .retention import Retention
from .unit_notes import Unit, Unsuitable
from .unit_tree import UnitTrees
from .units import Units

__all__ = ["Engine"]


class Engine:
    """Keeps one answer.

    Holds:  the units of the query's loops, their results, and the indexes and sums that the operators need.
    """

    def __init__(
        self,
        program: HistoryProgram,
        history: History,
        around: Surroundings,
        whole: HistoryRun | None,
        *,
        truncates: bool = False,
        retention: Retention | None = None,
        is_edited: bool = True,
        why_whole: str = "",
    ) -> None:
        """With `truncates`, the engine is the only reader of the history and drops what the query will not read.

        `whole`: evaluates the query when operators give up; None if nothing can. `retention`: what to drop of each
        region instead, if parts are reevaluated from scratch. `is_edited`: whether the caller reads `edits`.
        `why_whole`: why operators gave up in a run that this one continues.
        """
        self.program = program
        self.history = history
        self.why_whole = why_whole or program.plan.whole
        """Why each commit reevaluates the query from scratch; '' while none does."""
        self.evaluated = 0
        """Number of evaluations of units."""
        self._given_whole = whole
        self._display: Display | None = None
        self._is_edited = is_edited
        self._edits: list[Edit] = []
        self._is_new = True
        """Whether it has followed no commit yet. Its first may be the last one of a saved history."""
        self._serial = count()
        self._wakes: list[tuple[tuple[Decimal, bool], int, Unit]] = []
        """Units whose result time alone may change: from when on or, with True, after when."""
        self._retention = retention
        if self.why_whole:
            return
        # Parts may compare the nodes that they read by identity, as the whole query would.
        trees = StateTrees(history, keeps_states=program.plan.scopes_look_back)
        self.scopes = [Reevaluation(scope, history, around, trees=trees) for scope in program.scopes]
        """Scopes that are reevaluated from scratch, by number."""
        functions, self.run, self._kept_values = program.functions(around.resources, around.variables)
        self.static = program.static
        self.number = 0
        self.now = Decimal(0)
        # Earlier values may be nodes, whose content must stay.
        are_kept = all(one.rule == "S" for one in program.plan.kept)
        looking_back = (one.number for one in program.plan.sources if one.looks_back)
        self.trees = UnitTrees(history, looking_back, are_kept=are_kept)
        kept = [one for one in program.plan.kept if one.rule == "S"]
        # The history of a value may have to be recomputed from earlier states, and parts that are
        # reevaluated from scratch may ask for versions of any region.
        self.truncates = truncates and len(kept) == len(program.plan.kept) and not program.plan.scopes_look_back
        self._longest = max((Decimal(one.seconds) for one in kept if one.seconds is not None), default=None)
        named = {source.stream: self._stream(source.stream) for source in program.plan.sources}
        self.units = Units(
            [replace(source, stream=named[source.stream]) for source in program.plan.sources],
            self.trees,
            [replace(one, stream=named[one.stream]) for one in kept],
            truncates=history if self.truncates else None,
            moves=program.units_move,
        )
        builder = LiveBuilder(self, functions)
        self._root: Live = builder.build(program.plan.root)
        self._steps = builder.steps
        # Reevaluated parts may hold on to nodes of earlier states.
        history.writes_texts = self.truncates and retention is None and not self.scopes
        self._looking_back = {number: LookingBack(some) for number, some in builder.looking_back.items() if some}

    def _stream(self, name: str) -> str:
        """The history's name of a stream; a single stream matches any name in the query."""
        streams = self.history.streams
        if name not in streams and len(streams) == 1 and (not name or "" in streams):
            # A single input without a name has any name, and a query that gives no name means the only input.
            return next(iter(streams))
        if name not in streams or (not name and len(streams) > 1):
            self.why_whole = "it names a stream that is not there"
        return name

    def follow(self, commit: Commit) -> bool:
        """Implements `HistoryRun`."""
        if not self.why_whole:
            try:
                return self._follow(commit)
            except Unsuitable as error:
                self.why_whole = error.why
            except XylemError as error:
                if self._given_whole is None:
                    raise
                # The query as written may never evaluate the expression that failed here.
                self.why_whole = f"a part of it fails by itself ({error.code})"
            self.history.writes_texts = False
            # It has not followed the earlier commits, so its first answer has nothing to be compared with.
            self._whole.follow(commit)
            return True
        return self._whole.follow(commit)

    @property
    def _whole(self) -> HistoryRun:
        if self._given_whole is None:
            raise EngineBug("XYBUG0001", f"operators gave up: {self.why_whole}")
        return self._given_whole

    @property
    def longest_history(self) -> int:
        """The largest number of versions kept for one region."""
        return self.units.longest

    @property
    def display(self) -> Display:
        """The whole answer."""
        if self.why_whole:
            return self._whole.display
        if self._display is None:
            self._display = Display(text_of(self._root.parts()))
        return self._display

    def parts(self) -> list[Part]:
        """Implements `HistoryRun`."""
        return self._whole.parts() if self.why_whole else list(self._root.parts())

    @property
    def edits(self) -> Edits:
        return self._whole.edits if self.why_whole else self._edits

    # --- one commit

    def _follow(self, commit: Commit) -> bool:
        units = self.units
        self.number = commit.number
        self.now = commit.time
        self.trees.begin()
        # Texts are changed in trees that were given to functions before.
        for kept in self._kept_values:
            kept.forget()
        if commit.text is not None:
            units.follow_text(commit.text)
        else:
            self._apply(commit)
        wakes = self._wakes
        while wakes and wakes[0][0] <= (commit.time, False):
            _, _, unit = heappop(wakes)
            unit.wake = None
            units.touch(unit)
        changed = False
        gone: list[Unit] = []
        for number, loop in self._steps:
            if isinstance(loop, (LiveComputed, LiveScope)):
                changed = loop.update(commit) or changed
                continue
            if removed := units.removed[number]:
                units.removed[number] = []
                for unit in removed:
                    loop.remove(unit)
                gone += removed
            if loop.begin():
                for unit in loop.all_units():
                    units.touch(unit)
            if added := units.added[number]:
                units.added[number] = []
                for unit in added:
                    if unit.is_alive:
                        self.evaluate(loop, unit)
            if dirty := units.dirty[number]:
                units.dirty[number] = []
                for unit in dirty:
                    unit.is_dirty = False
                    if unit.is_alive:
                        self.evaluate(loop, unit)
            changed = loop.end() or changed
        is_first, self._is_new = self._is_new, False
        if self._is_edited:
            self._edits = self._root.edits() if changed or is_first else []
        # Before their positions are removed: edits are reported in the order of positions.
        for unit in gone:
            units.release(unit)
        if self.truncates:
            self.history.forget_commits(None if self._longest is None else self.now - self._longest)
        if self._retention is not None:
            self._retention.truncate(self.history, commit, units.forget)
        if changed or is_first:
            self._display = None
        return changed

    def _apply(self, commit: Commit) -> None:
        units = self.units
        streams = {}
        for change in commit.changes:
            units.apply(change)
            if change.kind == "content":
                streams[change.stream.name] = change.stream
        units.forget_unread()
        for stream in streams.values():
            units.close_commit(stream)

    @property
    def only_loop(self) -> LiveLoop | None:
        """The operator, if there is only one besides conditions and indexes."""
        steps = [step for _, step in self._steps if not isinstance(step, (Condition, JoinedIndex))]
        return steps[0] if len(steps) == 1 and isinstance(steps[0], LiveLoop) else None

    def follow_row(self, loop: RegionLoop, unit: Unit, row: tuple[Any, Parts] | None) -> list[Edit]:
        """Replace the row of one unit of the only loop; return the edits of the answer."""
        self._display = None
        if loop is self._root:
            self._edits = loop.put_row(unit, row)
        else:
            loop.put_made(unit, () if row is None else [row])
            self._edits = self._root.edits() if self._is_edited else []
        return self._edits

    def follow_rows(self, loop: RegionLoop, rows: Sequence[tuple[Unit, list[tuple[Any, Parts]]]]) -> list[Edit]:
        """Replace the rows of some units of the only loop; return the edits of the answer."""
        self._display = None
        for unit, made in rows:
            loop.put_made(unit, made)
        self._edits = self._root.edits() if self._is_edited else []
        return self._edits

    def follow_values(self, loop: FoldLoop, values: Sequence[tuple[Unit, list[Any]]]) -> list[Edit]:
        """Replace the values of some units of the only loop; return the edits of the answer."""
        self._display = None
        for unit, found in values:
            loop.put(unit, found)
        self._edits = self._root.edits() if self._is_edited else []
        return self._edits

    def evaluate(self, loop: Any, unit: Unit) -> None:
        """Reevaluate a unit of a loop, and note when time alone may change its result."""
        self.evaluated += 1
        if unit.native is not None:
            self.units.forget_native(unit)
        loop.evaluate(unit)
        looking_back = self._looking_back.get(unit.source.number)
        if looking_back is not None:
            if type(unit.item) is Slot:
                self.units.truncate(unit.item)
            moment = looking_back.next_moment(unit.item, self.history)
            for timeline in unit.timelines or ():
                following = timeline.next_moment(self.now)
                if following is not None and (moment is None or following < moment):
                    moment = following
            # Evaluated at this very moment.
            wake = None if moment is None else (moment, moment == self.now)
            if wake is not None and wake != unit.wake:
                heappush(self._wakes, (wake, next(self._serial), unit))
            unit.wake = wake
