"""The parts of an answer that can no longer change: an append-only sink may receive these.

A part is final when everything its unit reads is final, and everything before it in the document. If a later item may
change or precede the output of an operator (`order by`, aggregates, joins, versions), nothing is final before the input
ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.plan import history as plan
from xylem.sink.display_edits import Part

from .engine import Engine
from .evaluation import HistoryRun
from .feed import Feed
from .final_content import FinalContent
from .places import Place
from .unit_notes import Unit


def why_never_final(described: plan.HistoryPlan) -> str:
    """Why no part of an answer is final before the input ends; '' if frozen regions are."""
    root = described.root
    if described.whole:
        return described.whole
    if not isinstance(root, plan.Loop):
        return "its answer is not that of one loop"
    if root.columns or root.group is not None:
        return "what comes later may have to stand before it (order by, group by)"
    if root.windows is not None:
        return "a window may still change"
    if root.siblings is not None:
        return "its places among siblings may change"
    if root.holes or root.lookups:
        return "it reads beside each element what may change"
    if root.source.projection is not None or root.source.looks_back or root.timelines:
        return "it asks for versions"
    return "" if root.source.condition is None else "a predicate of an element around may change"


class FinalAnswer:
    """Gives each part of an answer once, in order, when it is final.

    Holds:  final units that come after one that is not.
    """

    def __init__(
        self, run: HistoryRun, described: plan.HistoryPlan | None, feeds: Sequence[Feed], given: int = 0
    ) -> None:
        """`given`: number of parts that an earlier run gave, if this run continues it."""
        self._run = run
        self._given = 0
        self._passed_over = given
        self._waiting: list[Unit] = []
        self._content: FinalContent | None = None
        self.why_not = "" if described is None else why_never_final(described)
        if not isinstance(run, Engine) or run.why_whole or described is None or self.why_not:
            return
        assert isinstance(described.root, plan.Loop)
        self._number = described.root.source.number
        name = run.units.sources[self._number].stream
        feed = next(feed for feed in feeds if feed.stream.name == name)
        self._content = FinalContent(feed.stream.document, feed.updates.is_open)

    def parts(self) -> list[Part]:
        """The parts that have become final."""
        run = self._run
        if self._content is None or not isinstance(run, Engine) or run.why_whole:
            return []
        units = run.units
        for element in self._content.advance():
            self._waiting += units.of(element, self._number)
        # Nested units end in another order than they begin.
        open_units = [unit for element in self._content.around for unit in units.of(element, self._number)]
        first = min((unit.place for unit in open_units), default=None)
        self._waiting.sort(key=_place)
        found: list[Part] = []
        while self._waiting and (first is None or self._waiting[0].place < first):
            unit = self._waiting.pop(0)
            found += (part for _, parts in unit.made or () for part in parts)
        known = min(max(self._passed_over - self._given, 0), len(found))
        self._given += len(found)
        return found[known:]

    def rest(self) -> list[Part]:
        """The remaining parts, when the input has ended."""
        return self._run.parts()[self._given :]


def _place(unit: Unit) -> Place:
    return unit.place
