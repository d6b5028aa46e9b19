"""A query over update streams, from operations to the answer after each commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from xylem.errors import DynamicError, memory_may_run_out
from xylem.sink.display_edits import Edits, Part
from xylem.sink.display_parts import DisplayParts
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import MalformedTally
from xylem.source.update_stream.operations import Operation
from xylem.source.update_stream.simple_run import apart

from ..program import Program
from .commits import Commit, History
from .engine import Engine
from .evaluation import Answer, Display, HistoryRun, Reevaluation, Surroundings
from .feed import Feed, Late
from .final_answer import FinalAnswer
from .kept_past import BEFORE_HISTORY, KeptPast
from .merged_streams import merged
from .program import HistoryProgram
from .retention import Keep, retention_of
from .text_runs import TextRuns

__all__ = ["Answer", "RunFigures", "UpdateInput", "UpdateRun", "history_run"]


@dataclass(frozen=True)
class UpdateInput:
    """An update stream: its name in the query, its name in messages, and its operations."""

    name: str
    source: str
    operations: Iterable[Operation]
    leaves_runs: bool = False
    """Whether runs of simple updates are passed on unparsed."""


@dataclass
class RunFigures:
    """Figures about the input and the kept state of a run."""

    updates: int = 0
    commits: int = 0
    changes: int = 0
    late: int = 0
    evaluated: int | None = None
    """Number of units that operators have evaluated; None if each commit evaluated the query from scratch."""
    most_versions: int | None = None
    """The longest history of a region."""
    whole: str = ""
    """Why operators gave up, if they did."""


def history_run(
    program: Program,
    history: History,
    around: Surroundings,
    operators: HistoryProgram | None = None,
    keep: Keep | None = None,
    *,
    is_edited: bool = True,
    why_whole: str = "",
    truncates: bool = True,
) -> HistoryRun:
    """The evaluator of answers after each commit; only this function chooses it.

    Operators maintain an answer in plain XML; any other answer is evaluated from scratch. `truncates`: drop versions
    that the query cannot ask for; otherwise the caller does.
    """
    retention = retention_of(program, keep) if truncates else None
    if operators is None or operators.plan.whole or program.output or around.output:
        return Reevaluation(program, history, around, retention)
    whole = Reevaluation(program, history, around)
    return Engine(
        operators,
        history,
        around,
        whole,
        truncates=truncates,
        retention=retention if operators.plan.scopes_look_back else None,
        is_edited=is_edited,
        why_whole=why_whole,
    )


class UpdateRun:
    """Runs a query over update streams."""

    def __init__(
        self,
        program: Program,
        inputs: Sequence[UpdateInput],
        around: Surroundings,
        *,
        tally: MalformedTally | None = None,
        late: Late = "stop",
        operators: HistoryProgram | None = None,
        keep: Keep | None = None,
        limits: Limits = DEFAULT_LIMITS,
        is_edited: bool = True,
    ) -> None:
        """With `operators`, the cost of a commit depends on its changes; without, the query is reevaluated after each.

        `is_edited`: whether the answer is requested after each commit, and not only at the end.
        """
        self.history = History()
        self.figures = RunFigures()
        # All streams must exist before the first commit: a query may ask for any of them at once.
        feeds = [
            Feed(self.history.stream(given.name), tally=tally, late=late, source=given.source, limits=limits)
            for given in inputs
        ]
        self._streams = [(feed, given.operations) for feed, given in zip(feeds, inputs, strict=True)]
        self.run = history_run(program, self.history, around, operators, keep, is_edited=is_edited)
        self._stopped_at: Decimal | None = None
        self._program, self._around, self._keep = program, around, keep
        self._operators = operators
        self._texts: TextRuns | None = None
        self._leaves_runs = keep is None and any(given.leaves_runs for given in inputs)

    def commits(self, until: Decimal | None = None) -> Iterator[tuple[Commit, Edits | None]]:
        """Each commit and its edits of the answer, or None if nothing changes. With `until`, only those up to then."""
        with memory_may_run_out():
            yield from self._commits(until)

    def _commits(self, until: Decimal | None) -> Iterator[tuple[Commit, Edits | None]]:
        for feed, operation in merged(self._apart(until)):
            if operation.simple is not None:
                self.prepare()
                texts = self._texts
                if texts is None:
                    yield from self._committed(feed, apart([operation]))
                    continue
                before = texts.taken, texts.commits
                yield from texts.followed(operation)
                self.figures.updates += texts.taken - before[0]
                self.figures.commits += texts.commits - before[1]
                continue
            if until is not None and operation.time is not None and operation.time > until:
                self._stopped_at = operation.time
                break
            yield from self._committed(feed, (operation,))
            if self._texts is not None:
                self._texts.know(operation)
        self.history.settle()
        if isinstance(self.run, Engine):
            self.figures.evaluated = self.run.evaluated
            self.figures.most_versions = self.run.longest_history
            self.figures.whole = self.run.why_whole
        self.figures.late = sum(feed.late for feed, _ in self._streams)

    def prepare(self) -> None:
        """Prepare for updates as soon as the base is there, or else before the first update."""
        if self._leaves_runs and isinstance(self.run, Engine):
            self._leaves_runs = False
            self._texts = TextRuns.of(self.run, self._streams[0][0])

    def _apart(self, until: Decimal | None) -> list[tuple[Feed, Iterable[Operation]]]:
        """The operations of the streams; single operations where each must be inspected."""
        self._leaves_runs = self._leaves_runs and len(self._streams) == 1 and until is None
        if self._leaves_runs:
            return self._streams
        return [(feed, apart(operations)) for feed, operations in self._streams]

    def _committed(self, feed: Feed, operations: Iterable[Operation]) -> Iterator[tuple[Commit, Edits | None]]:
        for operation in operations:
            self.figures.updates += operation.kind == "updates"
            commit = feed.apply(operation)
            if commit is not None:
                is_edited = self.run.follow(commit) or commit.number == 1
                self.figures.commits += 1
                yield commit, self.run.edits if is_edited else None

    def final_parts(self) -> Iterator[tuple[Commit, list[Part]]]:
        """The parts of the answer in order, each as soon as it is final; the rest at the end of the input."""
        feeds = [feed for feed, _ in self._streams]
        final = FinalAnswer(self.run, None if self._operators is None else self._operators.plan, feeds)
        last: Commit | None = None
        for commit, _ in self.commits():
            last = commit
            parts = final.parts()
            self.figures.changes += bool(parts)
            yield commit, parts
        if last is not None:
            yield last, final.rest()

    def answers(self) -> Iterator[Answer]:
        """The answer after each commit."""
        parts = DisplayParts()
        display = Display()
        for commit, edits in self.commits():
            is_changed = False
            if edits is not None:
                parts.apply(edits)
                text = parts.text
                is_changed = text != display.text
                self.figures.changes += is_changed
                display = Display(text) if is_changed else display
            yield Answer(commit, display, is_changed)

    def final(self) -> Display:
        """The answer when the input has ended."""
        for _ in self.commits():
            pass
        return self.run.display

    def as_of(self, time: Decimal) -> Answer:
        """The answer as of a time. XYDY0021 before the first commit.

        With a retention, the whole input is read, and the answer comes from the history kept at its end.
        """
        if self._keep is not None:
            return self._as_of_kept(time, self._keep)
        last = None
        for commit, _ in self.commits(time):
            last = commit
        if last is None or last.time > time:
            first = self._stopped_at if self.history.first_time is None else self.history.first_time
            there = "there is no commit" if first is None else f"the earliest time is {first}"
            raise DynamicError(BEFORE_HISTORY, f"{time}; {there}")
        return Answer(last, self.run.display, True)

    def _as_of_kept(self, time: Decimal, keep: Keep) -> Answer:
        past = KeptPast(self._program, self.history, self._around, keep)
        for feed, operation in merged(self._apart(time)):
            self.figures.updates += operation.kind == "updates"
            commit = feed.apply(operation)
            if commit is not None:
                self.figures.commits += 1
                past.follow(commit)
        return past.answer(time)
