"""A query as a distributed run executes it: tasks over ranges, merges, the answer.

The driver compiles the query (`query/compiled_query.py`) and `prepare`s it; between processes the program, options and
rows travel. A run goes stage by stage, and every transport does the same:

    bound = {}
    for stage in range(program.stages):
        rows = rows of program.task(stage, range, number, bound) for every range of the input, in any order
        AGGREGATE     rows of one part may be merged to one, in the order of their ranges:  program.merge(part, a, b)
        GROUP         rows of one part and key go through program.reducer(part), ordered by (range, ordinal)
        then the rows of each part are ordered by (key, range, ordinal)
        bound |= program.bind(stage, rows)               values for the tasks of later stages
    parts that are looked up by key (`keyed_parts`) may instead go to the tasks that need them: sides, matched, given
    program.pieces({part: its ordered rows, for every part})   the text of the answer

`in_process.py` does this in one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from xylem.functions.context import Context, Resources, RunPart, StaticPart
from xylem.plan.distribution import Distribution
from xylem.plan.spread import SpreadQuery
from xylem.source.byte_ranges import NOWHERE, Scope
from xylem.source.byte_source import ByteSource, Source
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.syntax import ast
from xylem.values.datetimes import DateTime
from xylem.values.uri import resolve

from ..stream.run import Statistics
from ..windows.late_arrivals import Clock, LateItem
from ..windows.resumed import WindowState
from .answer import Answer
from .counted_together import CountedTogether
from .folded_windows import FoldedWindowsTask
from .keyed_join import JoinSides, KeyedJoin, SideFigures
from .output_choice import OutputChoice
from .part_query import PartCompiler, RunOptions
from .part_task import PartTask
from .part_tasks import part_task
from .rows import Reducer, Row
from .stage_tasks import StageTasks
from .windows_task import Completed, WindowsTask

Variables = Mapping[tuple[str, str], Any]
"""Values of external variables by (namespace URI, local name): sequences of items, as everywhere in `run/`."""


class DistributedProgram:
    """A query divided into tasks. It holds no state of a run, except code that is compiled lazily."""

    def __init__(
        self, query: SpreadQuery, compiler: PartCompiler, static: StaticPart, output: Mapping[str, Any]
    ) -> None:
        """`output` holds the serialization parameters of the prolog and of the caller, by their names."""
        self._query = query
        self._static = static
        self.output = output
        choice = OutputChoice(query, compiler, output)
        self._answer = Answer(query, compiler, choice)
        self._tasks: dict[int, PartTask] = {
            part.number: part_task(part, compiler, choice.texts.get(part.number)) for part in query.parts
        }

        self._counts = CountedTogether(compiler)
        self._joins = KeyedJoin(query, self._tasks, compiler)

    def prepare(self) -> None:
        """Compile everything that tasks need before the program is sent, so that other processes compile nothing.

        The frame, which only the driver needs, is compiled on first use.
        """
        for task in self._tasks.values():
            task.prepare()
        for stage in range(self.stages):
            self._counts.prepare([self._tasks[number] for number in self.parts_of(stage)])
        self._joins.prepare()

    @property
    def spread(self) -> SpreadQuery:
        """The parts of the query, as expressions."""
        return self._query

    @property
    def distribution(self) -> Distribution:
        """The distribution of the query, in words."""
        return self._query.distribution

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """All scopes: a document may be cut before an element of any scope, but never inside one.

        If empty, a document may not be cut; whole documents may still be ranges if `distribution.is_parallel`.
        """
        return tuple(dict.fromkeys(scope for part in self._query.parts for scope in part.scopes))

    @property
    def cuts_anywhere(self) -> bool:
        """Whether a document may be cut between any two tags, but inside an element of `cut_scopes`."""
        return any(part.cuts_anywhere for part in self._query.parts)

    @cached_property
    def cut_scopes(self) -> tuple[Scope, ...]:
        """The scopes for runs that cut documents even where there are no items (`find_cuts(…, everywhere=True)`)."""
        kept = (scope for part in self._query.parts if not part.cuts_anywhere for scope in part.scopes)
        return tuple(dict.fromkeys(kept)) or ((NOWHERE,) if self.cuts_anywhere else ())

    @property
    def named_document(self) -> str | None:
        """The URI of the document that the query itself names as its input; None where it names none."""
        named = self._query.named
        if named is None or not isinstance(named.arguments[0], ast.StringLiteral) or named.name.local == "stream":
            return None
        return resolve(named.arguments[0].value, self._static.base_uri or "")

    @property
    def stages(self) -> int:
        """The number of successive passes of tasks over the input; at least 1, and for most queries 1."""
        return 1 + max((part.stage for part in self._query.parts), default=0)

    def parts_of(self, stage: int) -> list[int]:
        """The numbers of the parts that tasks of a stage compute."""
        return [part.number for part in self._query.parts if part.stage == stage]

    def task_of(self, part: int) -> PartTask:
        """The task that computes a part."""
        return self._tasks[part]

    def is_text(self, part: int) -> bool:
        """Whether the rows of a part hold text of the answer, and not packed items."""
        return self._tasks[part].is_text

    def must_be_flat(self, part: int) -> bool:
        """Whether tasks of a part end with XYRT0011 if its items are nested (`flat_items.py`)."""
        described = self._tasks[part].part
        return described.must_be_flat or (described.grouping is not None and described.grouping.looks_around)

    def is_written(self, part: int) -> bool:
        """Whether the items of a part are items of the answer, in order; otherwise they are gathered for the frame."""
        return self.is_text(part) or (self._answer.alone() == part and not self.is_folded(part))

    def task(
        self, stage: int, source: Source | ByteSource, range_number: int, bound: Mapping[int, bytes], **options: Any
    ) -> Iterator[Row]:
        """The rows of one range: a part of a document (`ByteRange`), a whole file, or one message (bytes).

        Options as for `tasks`. A source that can be read only once (an iterable, a socket) serves one part; a path or
        bytes serve all.
        """
        return self.tasks(stage, bound, **options).rows(source, range_number)

    def tasks(
        self,
        stage: int,
        bound: Mapping[int, bytes],
        *,
        resources: Resources | None = None,
        variables: Variables | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        statistics: Statistics | None = None,
        parts: Iterable[int] | None = None,
        each_item: bool = False,
    ) -> StageTasks:
        """The tasks of a stage, which take one range after another.

        `bound` is the result of `bind` for earlier stages. `now`, the value of current-dateTime(), must be the same in
        all tasks of a run. `parts` restricts the tasks to some parts of their stage. With `each_item`, each row of a
        map has one item (`text_of` gives its text alone), as a table of items needs it; otherwise rows hold as much
        text as was written at once.
        """
        run = _options(resources, variables, environment, now, limits, scanner, statistics)
        wanted = [self._tasks[number] for number in (self.parts_of(stage) if parts is None else parts)]
        given = {self._tasks[number]: data for number, data in bound.items()}
        return StageTasks(wanted, self._counts, run, self._context, given, each_item=each_item)

    def sequential(self, sources: Sequence[Any], **options: Any) -> Iterator[Row]:
        """The single task of a query that cannot be divided: all inputs, in order; options as for `task`."""
        yield from self.task(0, sources[0] if len(sources) == 1 else list(sources), 0, {}, **options)

    def merge(self, part: int, *states: bytes, **options: Any) -> bytes:
        """The state of an aggregate over neighbouring stretches of the input, in their order. Associative.

        On a stream the state so far is the first and that of the next batch the second: it stays as small as the
        aggregate, if the range numbers of a run start at 0. Options: those of `tasks` that queries see.
        """
        run = _options(**options)
        return self._tasks[part].merged(states, run, self._context(run))

    def begun(self, part: int, state: bytes, **options: Any) -> bytes:
        """The state, now known to be that of the first stretch, so that merging does not make it grow."""
        run = _options(**options)
        return self._tasks[part].begun(state, run, self._context(run))

    def combine(self, part: int, rows: Iterable[Row], *, from_first: bool = True, **options: Any) -> Iterator[Row]:
        """Reduce the number of consecutive rows of one group key.

        With `from_first` no rows precede them: on a stream they are the state of a group, whose aggregates then stay
        small; other variables keep their items.
        """
        run = _options(**options)
        return self._tasks[part].combined(rows, run, self._context(run), from_first=from_first)

    def limit_of(self, part: int) -> int | None:
        """The number of items of a part that are needed; None means all."""
        return self._tasks[part].part.limit

    def value(self, part: int, state: bytes, **options: Any) -> Sequence[Any]:
        """The items of the value of an aggregate with this state."""
        run = _options(**options)
        return self._tasks[part].value(state, run, self._context(run))

    def reducer(self, part: int, bound: Mapping[int, bytes] | None = None, **options: Any) -> Reducer:
        """The function that turns all rows of one group key into rows of the answer, for one key after another.

        It takes rows ordered by (range, ordinal), and returns rows that carry the order of the answer in (key, range,
        ordinal). The values of other parts are prepared once, and so are indexes over them. Options: `resources`,
        `variables`, `environment` and `now` as for `task`.
        """
        run = _options(**options).with_parts(self._bound_values(bound or {}, 0))
        return self._tasks[part].reducer(run, self._context(run))

    # --- joins by key (`keyed_join.py`)

    @property
    def keyed_parts(self) -> tuple[int, ...]:
        """The parts of the first stage whose items later stages only look up by key."""
        return self._joins.parts

    def join_rounds(self, stage: int) -> int:
        """Number of rounds before the tasks of a stage have their items; 0 if they look nothing up."""
        return self._joins.rounds(stage)

    def sides(
        self, measured: SideFigures, *, limits: Limits = DEFAULT_LIMITS, scanner: str = "auto", **options: Any
    ) -> JoinSides:
        """Both sides of all joins by key, taken one range after another: rows that meet by `key`.

        Options as for `tasks`.
        """
        return self._joins.sides(_options(**options, limits=limits, scanner=scanner), measured)

    def matched(self, rows: Sequence[Row], stage: int, **options: Any) -> tuple[list[tuple[int, Row]], list[Row]]:
        """From all rows of one key: the items for the askers of a stage, and rows for the next round."""
        return self._joins.matched(rows, stage, _options(**options))

    def is_asked_later(self, row: Row) -> bool:
        """Whether a row of a side is needed in rounds after the first."""
        return self._joins.is_asked_later(row)

    def given(self, rows: Iterable[Row], stage: int | None = None, **options: Any) -> dict[int, bytes]:
        """The matches of one lookup, or all items if no stage is named, to be bound for tasks."""
        run = _options(**options)
        return self._joins.given(rows, run, self._context(run), stage)

    def bind(self, stage: int, rows: Iterable[Row], **options: Any) -> Mapping[int, bytes]:
        """The values that later stages need from this stage's rows (ordered by (part, key, range, ordinal))."""
        run = _options(**options)
        context = self._context(run)
        needed = {number for part in self._query.parts for number in part.needs}
        found = {
            number: self._tasks[number].bound((), run, context) for number in self.parts_of(stage) if number in needed
        }
        for number, own in groupby(rows, lambda row: row.part):
            if number in found:
                found[number] = self._tasks[number].bound(own, run, context)
        return found

    def pieces(
        self,
        rows: Mapping[int, Iterable[Row]],
        *,
        resources: Resources | None = None,
        variables: Variables | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
    ) -> Iterator[str]:
        """The text of the answer, exactly as a run in one process writes it, piece by piece.

        `rows` has the rows of every part ordered by (key, range, ordinal); iterables are drawn once, each to its end
        before the next one in the text, so they may come straight from the transport.
        """
        run = _options(resources, variables, environment, now)
        return self._answer.pieces(rows, self._tasks, run, self._context(run))

    def items(
        self,
        rows: Mapping[int, Iterable[Row]],
        *,
        resources: Resources | None = None,
        variables: Variables | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
    ) -> Iterator[Any]:
        """The items of the answer, from rows as for `pieces`. For programs whose output method writes no XML."""
        assert not any(task.is_text for task in self._tasks.values())
        run = _options(resources, variables, environment, now)
        return self._answer.items(rows, self._tasks, run, self._context(run))

    @property
    def answer_part(self) -> int | None:
        """The part that is the whole answer, with all its items; None if a frame surrounds the parts."""
        alone = self._answer.alone()
        return alone if alone is None or self._tasks[alone].part.limit is None else None

    def finish(self, rows: Mapping[int, Iterable[Row]], **options: Any) -> str:
        """The whole text of the answer (`pieces` joined)."""
        return "".join(self.pieces(rows, **options))

    def text_of(self, row: Row) -> str:
        """The text of a row made with `each_item`, for a part with `is_text`: one item, serialised alone."""
        return self._tasks[row.part].text_of(row)

    def items_of(self, row: Row) -> Sequence[Any]:
        """The items of a row of a part with packed rows (without `is_text`), in XQuery's data model."""
        return self._tasks[row.part].items_of(row)

    # --- windows over a stream

    def windows(self, part: int) -> WindowsTask | None:
        """The task that forms the windows of a part; None for other parts."""
        task = self._tasks[part]
        return task if isinstance(task, WindowsTask) else None

    def windows_go_on(self, waits_for_end: Callable[[], bool]) -> bool:
        """Whether windows continue from batch to batch over one document, with results written, folded or kept.

        Results are kept only if they would also wait for the end of the stream in one process.
        """
        windows = [task for task in self._tasks.values() if isinstance(task, WindowsTask)]
        if not all(task.goes_on_by_batches for task in windows):
            return False
        are_written = all(task.is_text or self.is_folded(task.part.number) for task in windows)
        return are_written or waits_for_end()

    def is_folded(self, part: int) -> bool:
        """Whether the rows of a part are states of an aggregate over window results."""
        return isinstance(self._tasks[part], FoldedWindowsTask)

    def check_windows(self) -> None:
        """XYST0010 if something waits for all windows of a stream."""
        for task in self._tasks.values():
            if isinstance(task, WindowsTask):
                assert task.program

    def completed_windows(
        self,
        part: int,
        state: WindowState,
        rows: Iterable[Row],
        batch: int,
        *,
        is_end: bool,
        each_item: bool,
        clock: Clock | None = None,
        late: list[LateItem] | None = None,
        **options: Any,
    ) -> Iterator[Completed]:
        """The results that the items of a batch complete (`windows_task.py`); options as for `task`."""
        task = self.windows(part)
        assert task is not None
        run = _options(**options)
        context = self._context(run)
        return task.completed(
            state, rows, batch, run, context, is_end=is_end, each_item=each_item, clock=clock, late=late
        )

    def _bound_values(self, bound: Mapping[int, bytes], range_number: int) -> dict[int, Sequence[Any]]:
        return {number: self._tasks[number].bound_value(data, range_number) for number, data in bound.items()}

    def order_families(self, row: Row) -> bytes:
        """The type families of a row's order keys; `check_families` takes those of all rows."""
        return self._tasks[row.part].order_families(row)

    def check_families(self, part: int, all_families: Iterable[bytes]) -> None:
        """XPTY0004 if the keys of rows with these families cannot all be compared; for transports that sort bytes."""
        self._tasks[part].check_families(all_families)

    def _context(self, run: RunOptions) -> Context:
        return Context(self._static, RunPart(run.resources, run.now, run.environment, dict(run.variables)))


def _options(
    resources: Resources | None = None,
    variables: Variables | None = None,
    environment: Mapping[str, str] | None = None,
    now: DateTime | None = None,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
    statistics: Statistics | None = None,
) -> RunOptions:
    given = {"resources": resources, "now": now}
    made = {name: value for name, value in given.items() if value is not None}
    return RunOptions(
        variables=dict(variables or {}),
        environment=environment,
        limits=limits,
        scanner=scanner,
        statistics=statistics,
        **made,  # type: ignore[arg-type]
    )
