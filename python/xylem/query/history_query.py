"""A query compiled for update streams, and its explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xylem.pipeline import StaticEnvironment, compile_history, compile_query, parsed
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.run import UpdateInput, UpdateRun
from xylem.source.limits import DEFAULT_LIMITS, Limits

from .external_names import external_names

if TYPE_CHECKING:
    from xylem.errors import Span
    from xylem.functions.context import Resources
    from xylem.run.history.feed import Late
    from xylem.run.history.program import HistoryProgram
    from xylem.run.history.retention import Keep
    from xylem.run.history.run import Answer
    from xylem.run.program import Program
    from xylem.source.byte_source import Source
    from xylem.source.malformed import MalformedTally


class HistoryQuery:
    """A query over update streams."""

    def __init__(self, text: str, environment: StaticEnvironment) -> None:
        self._text = text
        self._environment = replace(environment, over_updates=True)

    @cached_property
    def program(self) -> Program:
        return compile_query(self._text, self._environment)

    @cached_property
    def operators(self) -> HistoryProgram:
        """The program whose commits cost only their changes."""
        return compile_history(self._text, self._environment)

    @property
    def slips(self) -> list[tuple[Span, str]]:
        """Projections that cannot mean what was intended, with a hint for each."""
        from xylem.analysis.history.slips import slips

        return list(slips(parsed(self._text, self._environment)))

    def answers(
        self, *streams: Source, variables: Mapping[str, Any] | None = None, **named: Source
    ) -> Iterator[Answer]:
        """The answer after each commit of one stream, or of several by name, in the format of `urn:xylem:update`."""
        from xylem.source.byte_source import ByteSource
        from xylem.source.resources import FileResources
        from xylem.source.update_stream.wire import read_wire
        from xylem.values.python_values import sequence_from_python

        if len(streams) > 1 or (streams and named):
            raise ValueError("several streams have names: answers(ticker=…, news=…)")
        given = {"": streams[0]} if streams else named
        inputs = [
            UpdateInput(name, name, read_wire(ByteSource.of(source), leaves_runs=True), leaves_runs=True)
            for name, source in given.items()
        ]
        bound = {name: sequence_from_python(value) for name, value in (variables or {}).items()}
        return self.run(inputs, FileResources(), bound).answers()

    def run(
        self,
        inputs: Sequence[UpdateInput],
        resources: Resources,
        variables: Mapping[str, Any],
        *,
        environment: Mapping[str, str] | None = None,
        output: Mapping[str, Any] | None = None,
        tally: MalformedTally | None = None,
        late: Late = "stop",
        keep: Keep | None = None,
        limits: Limits = DEFAULT_LIMITS,
        is_edited: bool = True,
    ) -> UpdateRun:
        """A run over some streams; reading its answers reads them. `keep`: more history than the query asks for.

        `is_edited`: whether the answer is requested after each commit, and not only at the end.
        """
        names = external_names(self.program, variables) if variables else {}
        bound = {names[name]: value for name, value in variables.items()}
        around = Surroundings(resources, bound, environment, output)
        return UpdateRun(
            self.program,
            inputs,
            around,
            tally=tally,
            late=late,
            operators=self.operators,
            keep=keep,
            limits=limits,
            is_edited=is_edited,
        )
