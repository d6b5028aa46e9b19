"""The queries that tasks evaluate over each input, and the answers that grow from the rows.

Usually there is one input, and an answer for each query. For two joined inputs there is one query: tasks find the items
of both, and a single answer pairs them. If inputs carry updates, tasks read the messages, and each answer takes those
of all inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xylem.errors import DynamicError
from xylem.pipeline import Program
from xylem.run.limited_run import UNLIMITED, RunLimits

from ..shipped_query import ShippedQuery
from .answer_in_order import AnswerInOrder, SavedPlaces
from .answers import Answer, AnswerInItems, AnswerInParts, AnswerOfEach
from .checkpoint import Checkpoint
from .document_answers import DocumentAnswers, moment
from .join_answer import JoinAnswer
from .join_plan import JoinPlan, JoinSide, join_plan
from .match_answer import MatchAnswer
from .match_plan import MatchPlan, MatchSide, match_plan
from .modes import mode_of
from .places import InputPlace
from .subscription import Changed, Malformed, Mode, Subscription, Work
from .update_answer import WHOLE_DOCUMENT, UpdateAnswer
from .update_stream import RecordTask, UpdateStream
from .window_stage import WindowStage, fixed_slots, window_parts, windows_of


@dataclass(frozen=True)
class Join:
    """Two inputs by the names that the query gives them, and how far apart items that join may have arrived.

    A best-match join has no such bound: its own says how far apart the values of a pair may be.
    """

    names: tuple[str, str]
    within_seconds: float | None


class Evaluations:
    """The queries of one run, prepared for their inputs. Static errors are raised here."""

    def __init__(
        self,
        queries: Sequence[tuple[str, ShippedQuery]],
        inputs: Sequence[InputPlace],
        join: Join | None,
        *,
        malformed: Malformed,
        changed: Changed = Changed.TELL,
        run_limits: RunLimits = UNLIMITED,
        each_item: bool,
        updates: UpdateStream | None = None,
    ) -> None:
        self.names = [name for name, _ in queries]
        self._updates = updates
        # Joined items are kept by the join.
        self._queries = [query.spread(keeps_windows=join is None) for _, query in queries]
        self._inputs = inputs
        self._join = join
        self._plan: JoinPlan | MatchPlan | None = None
        self._malformed = malformed
        self._changed = changed
        self._run_limits = run_limits
        self._each_item = each_item
        if updates is not None:
            if join is not None or any(place.is_one_document for place in inputs):
                raise DynamicError("XYRT0021", "updates come as messages, or as documents of a directory")
            self._modes = [Mode.EACH for _ in queries]
            if len(queries) == 1:
                self._updates = updates.spread(self._queries[0], malformed)
        elif join is None:
            is_one = inputs[0].is_one_document
            self._modes = [mode_of(query, is_one_document=is_one) for query in self._queries]
        else:
            if len(queries) > 1:
                raise DynamicError("XYRT0027", "there is more than one query")
            written = self._queries[0].compiled.written
            self._plan = (match_plan if join.within_seconds is None else join_plan)(written, join.names)

    def works(self, started_ms: int) -> list[Work]:
        """The work of tasks on each input; `started_ms` is the time of the first start."""
        begun = [query.begun(moment(started_ms)) for query in self._queries]
        if self._updates is not None and self._updates.by_tasks:
            begun[0].once(RecordTask)
            records = (Subscription(self.names[0], begun[0], Mode.EACH),)
            feed = tuple(self._updates.told.items())
            return [Work(records, self._malformed, self._changed, run_limits=self._run_limits, feed=feed)]
        if self._updates is not None:
            # Tasks return the text of each message, and the driver has the queries.
            asked = begun[0].asking(WHOLE_DOCUMENT).spread(output=())
            asked.once(DocumentAnswers)
            messages = (Subscription(self.names[0], asked, Mode.EACH),)
            work = Work(messages, self._malformed, self._changed, self._each_item, run_limits=self._run_limits)
            return [replace(work, input_number=number) for number in range(len(self._inputs))]
        if self._plan is None:
            for query, mode in zip(begun, self._modes, strict=True):
                # Code for tasks is compiled here, and sent with the query.
                if mode is Mode.EACH:
                    query.once(DocumentAnswers)
                else:
                    query.program()
            subscribed = zip(self.names, begun, self._modes, strict=True)
            told = tuple(Subscription(name, query, mode) for name, query, mode in subscribed)
            return [Work(told, self._malformed, self._changed, self._each_item, run_limits=self._run_limits)]
        works = []
        if isinstance(self._plan, MatchPlan):
            # Static errors are raised before anything has begun.
            begun[0].asking(self._plan.match).once(_program)
        sides: Sequence[JoinSide | MatchSide] = self._plan.sides
        for number, (side, place) in enumerate(zip(sides, self._inputs, strict=True)):
            asked = begun[0].asking(side.text, with_event_time=False)
            query = asked.spread(several_documents=not place.is_one_document).with_items()
            if mode_of(query, is_one_document=False) is not Mode.SPREAD:
                raise DynamicError("XYRT0027", f"the items of stream({side.stream!r}) cannot be found one by one")
            told = (Subscription(side.stream, query, Mode.SPREAD),)
            work = Work(told, self._malformed, self._changed, True, run_limits=self._run_limits)
            works.append(replace(work, input_number=number, is_joined=True))
        return works

    @property
    def updates(self) -> UpdateStream | None:
        """How the inputs carry updates, if they do."""
        return self._updates

    @property
    def gathers(self) -> bool:
        """Whether tasks evaluate one query per input, and each answer takes the rows of all."""
        return self._plan is not None or self._updates is not None

    def lines(self) -> list[str]:
        """How each query is evaluated, and warnings about slow answers."""
        if isinstance(self._plan, MatchPlan):
            return [f"{self.names[0]}: best matches of two streams, swept by the driver"]
        if self._join is not None:
            return [f"{self.names[0]}: pairs of items that arrive within {self._join.within_seconds:g} s of each other"]
        if self._updates is not None:
            by = "tasks evaluate records, the driver keeps it" if self._updates.by_tasks else "kept by the driver"
            return [f"{name}: the change log of its answer; {by}" for name in self.names]
        lines = []
        for name, query, mode in zip(self.names, self._queries, self._modes, strict=True):
            lines.append(f"{name}: {mode}")
            if mode is Mode.SPREAD:
                lines += [f"{name}: windows {part.why}" for part in windows_of(query)]
            if mode is Mode.IN_ORDER and not query.once(DocumentAnswers).is_streaming:
                lines.append(f"{name}: it needs its whole input, and gives no answer before that ends")
        return lines

    def windows(
        self, works: Sequence[Work], checkpoint: Checkpoint, slots: int, state_limit_bytes: int, *, keeps_late: bool
    ) -> WindowStage:
        """The window parts of the queries. `slots`: the number of places for keys, unless it is already fixed."""
        states = checkpoint.last_commit().states
        spread = [
            (number, one.name, one.query)
            for number, one in enumerate(one for work in works for one in work.subscriptions)
            if one.mode is Mode.SPREAD
        ]
        folder = str(checkpoint.path / "state")
        slots = fixed_slots(states) or slots
        parts = window_parts(spread, folder, slots, each_item=self._each_item, keeps_late=keeps_late)
        return WindowStage(parts, state_limit_bytes=state_limit_bytes)

    def answers(
        self,
        works: Sequence[Work],
        checkpoint: Checkpoint,
        started_ms: int,
        state_limit_bytes: int,
        *,
        keeps_late: bool = False,
    ) -> list[Answer]:
        """The answers in their saved states. `keeps_late`: whether joins return items that come too late."""
        commit = checkpoint.last_commit()
        saved = [checkpoint.states.load(commit.states.get(name, [])) for name in self.names]
        if isinstance(self._plan, MatchPlan):
            query = self._queries[0].begun(moment(started_ms)).asking(self._plan.match)
            return [self._matched(self._plan, query, works, saved[0], state_limit_bytes, keeps_late)]
        if self._plan is not None:
            return [self._joined(works, saved[0], state_limit_bytes)]
        if self._updates is not None:
            return [
                UpdateAnswer(
                    query.begun(moment(started_ms)),
                    name,
                    self._updates,
                    malformed=self._malformed,
                    state_limit_bytes=state_limit_bytes,
                    saved=state,
                )
                for name, query, state in zip(self.names, self._queries, saved, strict=True)
            ]
        told = zip(works[0].subscriptions, saved, strict=True)
        folder = checkpoint.path / "variables"
        return [self._answer(one, state, started_ms, state_limit_bytes, folder) for one, state in told]

    def _answer(self, one: Subscription, saved: Sequence[bytes], started_ms: int, limit: int, folder: Path) -> Answer:
        if one.mode is Mode.EACH:
            return AnswerOfEach()
        if one.mode is Mode.IN_ORDER:
            answers = one.query.once(DocumentAnswers)
            places = SavedPlaces(folder / one.name)
            return AnswerInOrder(answers, now_ms=started_ms, each_item=self._each_item, saved=saved, places=places)
        kind = AnswerInItems if self._each_item else AnswerInParts
        return kind(one.query.program(), one.query.seen(), state_limit_bytes=limit, saved=saved)

    def _joined(self, works: Sequence[Work], saved: Sequence[bytes], limit: int) -> JoinAnswer:
        assert isinstance(self._plan, JoinPlan)
        assert self._join is not None
        assert self._join.within_seconds is not None
        left, right = (work.subscriptions[0].query for work in works)
        names = tuple((side.variable.uri or "", side.variable.local) for side in self._plan.sides)
        return JoinAnswer(
            (left.program(), right.program()),
            (names[0], names[1]),
            left.asking(self._plan.pair).compiled.program,
            left.seen(),
            self._queries[0].output,
            within_ms=int(self._join.within_seconds * 1000),
            state_limit_bytes=limit,
            saved=saved,
        )

    def _matched(
        self,
        plan: MatchPlan,
        query: ShippedQuery,
        works: Sequence[Work],
        saved: Sequence[bytes],
        limit: int,
        keeps_late: bool,
    ) -> MatchAnswer:
        told = zip(plan.sides, works, strict=True)
        sides = [(side.stream, side.variable, work.subscriptions[0].query.program()) for side, work in told]
        return MatchAnswer(
            sides,
            query.once(_program),
            query.seen(),
            self._queries[0].output,
            query.late_items(),
            state_limit_bytes=limit,
            keeps_late=keeps_late,
            saved=saved,
        )


def _program(query: ShippedQuery) -> Program:
    return query.compiled.program
