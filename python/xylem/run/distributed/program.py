"""A query as a distributed run executes it: tasks over ranges, merges, the answer.

Every process makes its own program of the text of the query (`pipeline.compile_distributed`); between processes only
text, options and rows travel. A run goes stage by stage, and every transport does the same:

    bound = {}
    for stage in range(program.stages):
        rows = rows of program.task(stage, range, number, bound) for every range of the input, in any order
        AGGREGATE     rows of one part may be merged to one, in the order of their ranges:  program.merge(part, a, b)
        GROUP, JOIN   rows of one part and key go through program.reduce(part, key, rows), ordered by (range, ordinal)
        then the rows of each part are ordered by (key, range, ordinal)
        bound |= program.bind(stage, rows)               what the tasks of later stages are given
    program.pieces({part: its ordered rows, for every part})   the text of the answer
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from xylem.functions.context import Resources
from xylem.plan.distribution import Distribution
from xylem.source.byte_ranges import ByteRange, Scope
from xylem.source.byte_source import ByteSource, Source
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.values.datetimes import DateTime

from ..streaming.run import Statistics
from .rows import Row

Variables = Mapping[tuple[str, str], Any]
"""Values of external variables by (namespace URI, local name): sequences of items, as everywhere in `run/`."""


class DistributedProgram:
    """A query that is spread over tasks. It holds no state of a run; what is compiled lazily is kept."""

    distribution: Distribution

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """All scopes: a document may be cut before an element of any, and inside an element of none.

        Empty: a document may not be cut; whole documents may still be ranges if `distribution.is_parallel`.
        """
        raise NotImplementedError

    @property
    def stages(self) -> int:
        """How many times tasks go over the input, one after another; at least 1. Most queries need one."""
        raise NotImplementedError

    def task(
        self,
        stage: int,
        source: Source | ByteSource | ByteRange,
        range_number: int,
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
    ) -> Iterator[Row]:
        """The rows of one range: a part of a document, a whole file, or one message (bytes).

        `bound` is what `bind` gave for the stages before. `now` must be the same in all tasks of a run: what
        current-dateTime() is. `parts` restricts the task to some parts of its stage. With `each_item`, each row of a
        map has one item (`text_of` gives its text alone), as a table of items wants it; otherwise rows hold as
        much text as came at once.
        A source that can be read only once (an iterable, a socket) serves one part; a path or bytes serve all.
        """
        raise NotImplementedError

    def sequential(self, sources: Sequence[Any], **options: Any) -> Iterator[Row]:
        """The one task of a query that cannot be spread: all inputs, in their order; options as for `task`."""
        raise NotImplementedError

    def merge(self, part: int, a: bytes, b: bytes) -> bytes:
        """The state of an aggregate over two neighbouring stretches of the input, `a` before `b`. Associative.

        On a stream the state so far is `a` and the next batch `b`: it stays as small as the aggregate is.
        """
        raise NotImplementedError

    def value(self, part: int, state: bytes) -> Sequence[Any]:
        """The items that an aggregate with this state has as its value."""
        raise NotImplementedError

    def reduce(self, part: int, key: bytes, rows: Iterable[Row], **options: Any) -> Iterator[Row]:
        """What becomes of all rows of one key of a group or join, ordered by (range, ordinal).

        The rows it gives carry the order of the answer in (key, range, ordinal). Options: `resources`, `variables`,
        `environment`, `now` and `bound` as for `task`.
        """
        raise NotImplementedError

    def bind(self, stage: int, rows: Iterable[Row]) -> Mapping[int, bytes]:
        """What tasks of later stages need of this stage's rows (ordered by (part, key, range, ordinal))."""
        raise NotImplementedError

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
        before the next where they stand in the text, so that they may come straight from the transport.
        """
        raise NotImplementedError

    def finish(self, rows: Mapping[int, Iterable[Row]], **options: Any) -> str:
        """The whole text of the answer (`pieces` joined)."""
        return "".join(self.pieces(rows, **options))

    def text_of(self, row: Row) -> str:
        """The text of a row of a map or sort that was made with `each_item`: one item, serialised alone."""
        raise NotImplementedError

    def items_of(self, row: Row) -> Sequence[Any]:
        """The items of a row of a part whose rows are packed (`Part.is_text` is false), in XQuery's data model."""
        raise NotImplementedError
