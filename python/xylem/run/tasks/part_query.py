"""One expression of a distributed query, compiled on first use: over a range in one pass if it streams, else over the
tree of the range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from xylem.errors import XylemError
from xylem.errors.source_text import Span
from xylem.functions.context import Resources
from xylem.functions.external import AggregateProtocol
from xylem.plan.result_template import Template
from xylem.plan.scan_plan import Report
from xylem.plan.spread import PART_NAMESPACE
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.message_inputs import MessageSource
from xylem.source.resources import FileResources
from xylem.syntax import ast
from xylem.values.datetimes import DateTime
from xylem.values.sequence_type import SequenceType

from ..prepared_program import PreparedProgram
from ..program import Program, current_time
from ..stream.document_runs import DocumentRuns
from ..stream.program import StreamProgram
from ..stream.run import Statistics
from .answer_text import AnswerText
from .range_tree import range_tree

_ITEMS = 256
_ITEMS_ALONE = Report.ITEM | Report.TEXTS | Report.COMMENTS
"""Batch size for records that are reported as items only."""


class PartCompiler(Protocol):
    """Compiles expressions in the static context of the query, next to its functions and variables."""

    @property
    def user_aggregates(self) -> Mapping[str, AggregateProtocol]:
        """The functions in Python that can merge their states, by Q{uri}local."""

    def streamed(self, expr: ast.Expr) -> StreamProgram | None:
        """The expression compiled for one pass over the input; None if it needs the tree."""

    def over_tree(self, expr: ast.Expr) -> Program: ...

    def type_of(self, expr: ast.Expr) -> SequenceType:
        """The static type of its value."""


@dataclass(frozen=True)
class RunOptions:
    """The options of all queries of one run."""

    resources: Resources = field(default_factory=FileResources)
    variables: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    environment: Mapping[str, str] | None = None
    now: DateTime = field(default_factory=current_time)
    limits: Limits = DEFAULT_LIMITS
    scanner: str = "auto"
    statistics: Statistics | None = None
    _runs: dict[int, DocumentRuns] = field(default_factory=dict, init=False, repr=False, compare=False)
    writers: dict[int, AnswerText] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Writers for the text of small documents, by part number."""
    _prepared: dict[int, PreparedProgram] = field(default_factory=dict, init=False, repr=False, compare=False)

    def over_documents(self, program: StreamProgram) -> DocumentRuns:
        """The runs of a program over consecutive ranges."""
        found = self._runs.get(id(program))
        if found is None:
            found = self._runs[id(program)] = program.over_documents(
                self.resources,
                variables=self.variables,
                environment=self.environment,
                now=self.now,
                limits=self.limits,
                scanner=self.scanner,
                statistics=self.statistics,
            )
        return found

    def over_trees(self, program: Program) -> PreparedProgram:
        """The runs of a program over consecutive small documents."""
        found = self._prepared.get(id(program))
        if found is None:
            found = self._prepared[id(program)] = PreparedProgram(
                program, self.resources, variables=self.variables, environment=self.environment, now=self.now
            )
        return found

    def with_parts(self, values: Mapping[int, Sequence[Any]]) -> RunOptions:
        """The query with values for the variables of parts."""
        named = {(PART_NAMESPACE, f"part{number}"): value for number, value in values.items()}
        return replace(self, variables={**self.variables, **named})


class PartQuery:
    """An expression that is evaluated over ranges, or without input."""

    def __init__(self, compiler: PartCompiler, expr: ast.Expr) -> None:
        self._compiler = compiler
        self._expr = expr

    @cached_property
    def _streamed(self) -> StreamProgram | None:
        return self._compiler.streamed(self._expr)

    @cached_property
    def _over_tree(self) -> Program:
        return self._compiler.over_tree(self._expr)

    def prepare_items(self) -> None:
        """Compile the code for `items` and `write`."""
        if self._streamed is None:
            self.prepare_value()

    def prepare_value(self) -> None:
        """Compile the code for `evaluated`, `function` and `items_of_tree`."""
        self._over_tree  # noqa: B018 - compiled here, if it is not yet

    @property
    def is_streamed(self) -> bool:
        return self._streamed is not None

    @property
    def is_answered_by_scan(self) -> bool:
        """Whether the scan writes or counts all results in one pass, and no code sees an item."""
        program = self._streamed
        if program is None or program.by_code or program.feeds_windows:
            return False
        return all(step.result is not None or not step.report & _ITEMS_ALONE for step in program.scan.steps)

    @property
    def copy_namespaces(self) -> tuple[bool, bool]:
        return (True, True) if self._streamed is None else self._streamed.copy_namespaces

    @property
    def document_template(self) -> Template | None:
        """The template that answers small documents while they are read."""
        return None if self._streamed is None else self._streamed.document_template

    def items(self, source: Any, run: RunOptions) -> Iterator[Any]:
        """The items over one range."""
        if isinstance(source, MessageSource):
            yield from self._items_of_message(source, run)
            return
        program = self._streamed
        if program is None:
            yield from self.items_of_tree(source, run)
            return
        yield from run.over_documents(program).items(source)

    def write(self, source: Any, output: Any, run: RunOptions) -> Iterator[None]:
        """Write the items over one range to an output; yields now and then."""
        program = None if isinstance(source, MessageSource) else self._streamed
        if program is None:
            for number, item in enumerate(self.items_of_tree(source, run), 1):
                output.item(item)
                if not number % _ITEMS:
                    yield
            yield
            return
        for _ in run.over_documents(program).write(source, output):
            yield

    def items_of_tree(self, source: Any, run: RunOptions) -> Iterator[Any]:
        """The items over the tree of a range."""
        if isinstance(source, MessageSource):
            return iter(self._items_of_message(source, run))
        return self._run(run, (range_tree(source, run.limits, run.statistics),))

    def _items_of_message(self, source: MessageSource, run: RunOptions) -> list[Any]:
        document, size = source.document()
        if run.statistics is not None:
            run.statistics.input_bytes = size
        return run.over_trees(self._over_tree).items(document)

    def evaluated(self, run: RunOptions) -> Iterator[Any]:
        """The items of an expression that reads no input."""
        return self._run(run, None)

    def _run(self, run: RunOptions, context: Sequence[Any] | None) -> Iterator[Any]:
        return self._over_tree.run(
            run.resources, context=context, variables=run.variables, environment=run.environment, now=run.now
        )

    def function(self, run: RunOptions) -> Callable[..., Any]:
        """The function for an expression without input, for repeated calls."""
        (item,) = self.evaluated(run)
        call: Callable[..., Any] = item.call
        return call

    def placed_function(self, run: RunOptions, span: Span) -> Callable[..., Sequence[Any]]:
        """The function with errors placed in the query: only generated code places them itself.
        `span` is the place of an argument that fails when it is read."""
        call = self.function(run)

        def placed(*arguments: Sequence[Any]) -> Sequence[Any]:
            try:
                return list(call(*arguments))
            except XylemError as error:
                raise error.at(self._over_tree.locate(error) or span) from error.__cause__

        return placed
