"""A query with several passes over its input: the earlier passes compute values, the last ones write the answer.

Each pass streams. An earlier pass binds its values to variables that later passes read, so nothing has to wait for a
value known only at the end of the input (single-pass paper, §3.2). An answer of several long parts, one after the
other, takes one pass per part.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from xylem.errors import DynamicError, InputError
from xylem.functions.context import Resources
from xylem.source.byte_source import ByteSource
from xylem.values.datetimes import DateTime

from ..aggregates.state import Failed
from ..program import current_time
from .collector import Collector
from .program import StreamProgram
from .statistics import Statistics

ExpandedName = tuple[str, str]
T = TypeVar("T")
Batches = Generator[Statistics, None, T]
"""Yields after each batch, and returns a value at the end."""
Opener = Callable[[], ByteSource]
"""Opens the input for one more reading."""


class AlonePrograms(Protocol):
    """Programs that are seldom needed, each compiled on first use."""

    def program(self, index: int) -> StreamProgram: ...


@dataclass(frozen=True)
class EarlierPass:
    """A pass that computes values: its answer is an array with one member for each variable."""

    program: StreamProgram
    names: tuple[ExpandedName, ...]
    texts: tuple[str, ...]
    """The expressions, as printed."""
    alone: AlonePrograms
    """The programs for the single values, used if they fail together."""


@dataclass(frozen=True)
class StreamPasses:
    """The passes of a query, in their order."""

    last: StreamProgram
    earlier: tuple[EarlierPass, ...] = ()
    at_once: StreamProgram | None = None
    """The same query in one pass, which may buffer the whole input; None if this is impossible."""
    front: tuple[StreamProgram, ...] = ()
    """The passes for the parts of the answer before that of the last pass."""
    texts: tuple[str, ...] = ()
    """The expression of each answering pass, if there are several."""

    @property
    def answering(self) -> tuple[StreamProgram, ...]:
        """The passes that write the answer, one after the other."""
        return (*self.front, self.last)

    @property
    def number(self) -> int:
        """The number of passes over the input."""
        return len(self.earlier) + len(self.answering)

    @property
    def in_one_pass(self) -> StreamPasses | None:
        """For an input that can be read only once."""
        if self.number == 1:
            return self
        return None if self.at_once is None else StreamPasses(self.at_once)

    def write(
        self,
        source: ByteSource,
        open_again: Opener,
        resources: Resources,
        output: Any,
        *,
        variables: Mapping[ExpandedName, Any] | None = None,
        now: DateTime | None = None,
        statistics: Statistics | None = None,
        **options: Any,
    ) -> Iterator[Statistics]:
        """Run over a source, after one more reading of it for each earlier pass; options as for a single pass."""
        measured = statistics or Statistics()
        # One moment for all passes: the value of current-dateTime().
        options["now"] = now or current_time()
        bound = dict(variables or {})
        try:
            for earlier in self.earlier:
                values = yield from _Values(earlier, open_again, resources, options, measured).found(bound)
                bound.update(values)
            for program in self.front:
                own, unfinished = measured.for_pass(), Unfinished(output)
                with open_again() as again:
                    for _ in program.write(again, resources, unfinished, variables=bound, statistics=own, **options):
                        measured.input_bytes = own.input_bytes
                        yield measured
                measured.add_pass(own)
        except BaseException:
            source.close()
            raise
        yield from self.last.write(source, resources, output, variables=bound, statistics=measured, **options)


class Unfinished:
    """An output that the next pass continues when one pass ends."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)

    def finish(self) -> None:
        """Start the next pass."""


@dataclass(frozen=True)
class _Values:
    """One earlier pass of one run."""

    earlier: EarlierPass
    open_again: Opener
    resources: Resources
    options: Mapping[str, Any]
    measured: Statistics

    def found(self, bound: Mapping[ExpandedName, Any]) -> Batches[dict[ExpandedName, Any]]:
        names = self.earlier.names
        try:
            (answer,) = yield from self._answer(self.earlier.program, bound)
            members = list(answer)
        except DynamicError as error:
            if not _is_of_value(error):
                raise
            # Each value on its own: an error is raised only where its value is read.
            members = []
            for index in range(len(names)):
                members.append((yield from self._one(index, bound)))
        return dict(zip(names, members, strict=True))

    def _one(self, index: int, bound: Mapping[ExpandedName, Any]) -> Batches[Any]:
        try:
            return (yield from self._answer(self.earlier.alone.program(index), bound))
        except DynamicError as error:
            if not _is_of_value(error):
                raise
            return Failed.with_error(error)

    def _answer(self, program: StreamProgram, bound: Mapping[ExpandedName, Any]) -> Batches[list[Any]]:
        own, output = self.measured.for_pass(), Collector(program.static.base_uri, *program.copy_namespaces)
        with self.open_again() as source:
            run = program.write(source, self.resources, output, variables=bound, statistics=own, **self.options)
            for _ in run:
                self.measured.input_bytes = own.input_bytes
                yield self.measured
        self.measured.add_pass(own)
        return list(output.ready)


def _is_of_value(error: DynamicError) -> bool:
    """Whether an error comes from a computed value, and not from the input or a limit on buffers."""
    return not isinstance(error, InputError) and error.code != "XYDY0005"
