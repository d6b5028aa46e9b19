"""All compiled programs of one query: it is parsed once, and each program is compiled at its first use.

    query = CompiledQuery("count(//b)", StaticEnvironment())
    query.program                     for a tree
    query.stream_passes(schema)       for a stream, in as many passes as it takes
    query.distributed(Spreading(…))   for tasks

Several threads may ask at once: one of them compiles, and the others wait for it. It can be pickled, with all that has
been compiled so far: where it arrives, that is there already.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from xylem import pipeline
from xylem.errors import Span, StaticError
from xylem.pipeline import StaticEnvironment
from xylem.run.deep_stack import compiled_deep, with_deep_stack
from xylem.syntax import parse

if TYPE_CHECKING:
    from xylem.plan.operators import OperatorPlan
    from xylem.plan.result_template import Template
    from xylem.plan.streamability import DataFlow
    from xylem.run.program import Program
    from xylem.run.stream.passes import StreamPasses
    from xylem.run.stream.program import StreamProgram
    from xylem.run.tasks.program import DistributedProgram
    from xylem.schema import Schema
    from xylem.source.byte_ranges import Scope
    from xylem.syntax import ast

    from .spreading import Spreading

T = TypeVar("T")


@dataclass(frozen=True)
class Refusal:
    """The reason why a query needs a tree, with its place."""

    why: str
    span: Span | None

    def raised(self) -> NoReturn:
        from .stream_query import NOT_STREAMABLE

        raise StaticError(NOT_STREAMABLE, self.why, span=self.span)


def operators_of(passes: StreamPasses) -> OperatorPlan:
    """The operators of all passes over a stream."""
    from xylem.lowering.operator_plans.of_stream import stream_plan

    return compiled_deep(lambda: stream_plan(passes))


class CompiledQuery:
    """A query and its programs.

    Holds: its syntax tree, and each program that was used; for schemas, only the latest.
    """

    def __init__(self, text: str, environment: StaticEnvironment) -> None:
        self.text = text
        self.environment = environment
        self._made: dict[Hashable, Any] = {}
        self._of_schema: tuple[Schema, StreamPasses | Refusal] | None = None
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def for_tasks(self, spreading: Spreading) -> CompiledQuery:
        """A copy with only the programs that tasks need, all compiled: the form that is shipped."""
        wanted: list[Hashable] = ["shape"]
        if "stream" in self._made:
            # The query applies to each document by itself.
            wanted += ["program", "stream", "collection"]
        if spreading in self._made:
            self._made[spreading].prepare()
            wanted.append(spreading)
        sent = CompiledQuery(self.text, self.environment)
        sent._made.update({key: self._made[key] for key in wanted if key in self._made})
        return sent

    def has_same_programs(self, other: CompiledQuery) -> bool:
        return self._made.keys() == other._made.keys()

    def once(self, key: Hashable, make: Callable[[CompiledQuery], T]) -> T:
        """A value derived from the query, cached with it and pickled with it."""
        return self._once(key, lambda: make(self))

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value for a key, computed at its first use. A static error is raised anew at each use."""
        try:
            known: T = self._made[key]
        except KeyError:
            with self._lock:
                if key not in self._made:
                    self._made[key] = make()
                known = self._made[key]
        return known

    @property
    def written(self) -> ast.Module:
        """The module as written, with no name resolved."""
        return self._once("written", lambda: with_deep_stack(lambda: parse(self.text, self.environment.name)))

    @property
    def resolved(self) -> ast.Module:
        """The module as written, with its names resolved."""
        from xylem.analysis.resolved_module import resolved_module

        # Compute it here: another thread does the rest, and would wait for this one.
        written, context = self.written, pipeline.static_context(self.environment)
        return self._once("resolved", lambda: compiled_deep(lambda: resolved_module(written, context)))

    @property
    def module(self) -> ast.Module:
        """The module to compile: with windows by event time, if it or the environment says so."""
        return self._once("module", lambda: pipeline.with_event_times(self.written, self.environment))

    @property
    def program(self) -> Program:
        """The program over trees."""
        return self._once("program", lambda: pipeline.compile_query(self.module, self.environment))

    def stream_program(self) -> StreamProgram:
        """The program for one pass, whatever it keeps; XYST0004 with the reason if the query needs a tree."""

        found = self._once("stream", lambda: self._or_refusal(self._one_pass))
        return found.raised() if isinstance(found, Refusal) else found

    def _one_pass(self) -> StreamProgram:
        from .stream_query import check_reads_input

        program = pipeline.compile_stream(self.module, self.environment)
        check_reads_input(program)
        return program

    def stream_passes(self, schema: Schema | str | PathLike[str] | None = None) -> StreamPasses:
        """The programs for as many passes as the query needs; XYST0004 as for `stream_program`."""
        if schema is None:
            found = self._once("passes", lambda: self._or_refusal(lambda: self._passes(None)))
            return found.raised() if isinstance(found, Refusal) else found
        from .stream_query import loaded_schema

        loaded = loaded_schema(schema)
        assert loaded is not None
        with self._lock:
            if self._of_schema is None or self._of_schema[0] is not loaded:
                self._of_schema = loaded, self._or_refusal(lambda: self._passes(loaded))
            made = self._of_schema[1]
        return made.raised() if isinstance(made, Refusal) else made

    def _passes(self, schema: Schema | None) -> StreamPasses:
        from .stream_query import check_reads_input

        passes = pipeline.compile_passes(self.module, self.environment, schema)
        check_reads_input(passes.last, is_alone=passes.number == 1)
        return passes

    def _or_refusal(self, make: Callable[[], T]) -> T | Refusal:
        """The result, or the reason why the query cannot stream, cached as well."""
        from xylem.lowering.stream.build import NotStreamable

        from .stream_query import NOT_STREAMABLE, placed

        try:
            return make()
        except NotStreamable as refused:
            error = placed(refused, self.resolved)
        except StaticError as refused:
            if refused.code != NOT_STREAMABLE:
                raise
            error = refused
        return Refusal(error.why, error.span)

    def document_template(self) -> Template | None:
        """The template that answers small documents during the scan; None if their trees are needed."""
        program = self._over_documents()
        return None if program is None else program.document_template

    def tree_template(self) -> Template | None:
        """The template that answers documents that are trees; None if code answers them."""
        return self._once("tree template", self._over_trees)

    def _over_trees(self) -> Template | None:
        from xylem.lowering.stream.tree_template import tree_template

        # Without rules it is the reference, and computes nothing as a stream does.
        found = None if self.environment.without_rules else self.document_template()
        return None if found is None else tree_template(found)

    def document_rows(self) -> Template | None:
        """The same for an answer as rows of a table; None for a query that is not compiled for one."""
        program = self._over_documents()
        return None if program is None else program.document_rows

    def _over_documents(self) -> StreamProgram | None:
        from .stream_query import NOT_STREAMABLE

        try:
            program = self.stream_program()
        except StaticError as refused:
            if refused.code != NOT_STREAMABLE:
                raise
            return None
        return None if program.plan.source is not None else program

    def check_collections(self, program: StreamProgram) -> None:
        """XYST0004 for a query that reads the default collection without one; `program` is one of its programs."""
        from .stream_query import default_collection_call, not_streamable

        asked = self._once("collection", lambda: default_collection_call(program.handlers))
        if asked is not None:
            raise not_streamable(f"{asked[1]}() gives whole documents", asked[0])

    @property
    def data_flow(self) -> DataFlow:
        """The stream data flow graph, before and after fusions, and the single-pass test on it."""
        return self._once("data flow", lambda: pipeline.data_flow(self.module, self.environment))

    @property
    def tree_operators(self) -> OperatorPlan:
        """The operators of the program over trees."""
        from xylem.lowering.operator_plans.of_tree import tree_plan

        program = self.program
        return self._once("tree operators", lambda: compiled_deep(lambda: tree_plan(program)))

    def stream_operators(self, schema: Schema | str | PathLike[str] | None = None) -> OperatorPlan:
        """The operators of all passes over a stream; XYST0004 as for `stream_passes`."""
        return operators_of(self.stream_passes(schema))

    def task_operators(self, spreading: Spreading) -> OperatorPlan:
        """The operators of the program for tasks, in a kind of run."""
        from xylem.lowering.operator_plans.of_tasks import task_plan

        program = self.distributed(spreading)
        return compiled_deep(lambda: task_plan(program))

    def distributed(self, spreading: Spreading) -> DistributedProgram:
        """The program for tasks, in a kind of run."""
        return self._once(
            spreading,
            lambda: pipeline.compile_distributed(
                self.module,
                self.environment,
                spreading.schema,
                several_documents=spreading.several_documents,
                keeps_windows=spreading.keeps_windows,
                divides=spreading.divides,
                input_of=spreading.input_of,
                output=dict(spreading.output),
            ),
        )

    def record_scopes(self) -> tuple[Scope, ...]:
        """The paths to the records of the query, where an input can be split; XYST0005 if it has none."""
        from .spreading import Spreading
        from .stream_query import record_scopes

        return record_scopes(self.distributed(Spreading()))
