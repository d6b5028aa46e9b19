"""The public interface: compile a query, run it, read its result. It only delegates.

    >>> import xylem
    >>> query = xylem.compile("declare variable $n external; for $i in 1 to $n return $i * $i")
    >>> list(query.run(variables={"n": 4}))
    [1, 4, 9, 16]
    >>> print(xylem.compile("<total>{ sum(//price) }</total>").run(xylem.parse("<a><price>2</price></a>")))
    <total>2</total>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction, Functions
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery, operators_of
from xylem.query.external_names import external_names
from xylem.query.library_modules import LibraryModules
from xylem.result import Result
from xylem.run.deep_stack import drawn_deep
from xylem.run.limited_run import RunLimits, limited
from xylem.run.program import ExternalVariable, Program
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.module_files import ModuleFiles
from xylem.source.resources import FileResources
from xylem.values.node import Node
from xylem.values.python_values import items_from_python, sequence_from_python

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import RecordBatchReader

    from xylem.analysis.event_time import EventTime
    from xylem.functions.late_items import LateItems
    from xylem.lowering.parts.window_account import WindowAccount
    from xylem.message_results import MessageResults, OnError
    from xylem.plan.distribution import Distribution
    from xylem.plan.explain import Explanation
    from xylem.plan.operator_counts import OperatorCounts
    from xylem.plan.operators import OperatorPlan
    from xylem.plan.streamability import DataFlow
    from xylem.query.history_query import HistoryQuery
    from xylem.query.stream_query import Validation
    from xylem.run.counters import Counters
    from xylem.schema import Schema
    from xylem.source.byte_ranges import Scope
    from xylem.source.byte_source import ByteSource, Source
    from xylem.source.malformed import MalformedRecord, MalformedTally
    from xylem.stream_result import StreamResult
    from xylem.values.arriving import Arriving
    from xylem.values.datetimes import DateTime
    from xylem.values.paged_tree import TreePages

__all__ = ["Functions", "Query", "Result", "aggregate", "compile", "function", "history_query", "items", "parse"]

aggregate = DEFAULT_FUNCTIONS.aggregate
"""Register an aggregate for all queries: a class with init, step and finish, and with merge or invert if it can."""
function = DEFAULT_FUNCTIONS.function
"""Register a Python function for all queries: ``@xylem.function("udf:name", "xs:integer", "xs:string?")``."""


def compile(
    text: str,
    *,
    name: str = "query",
    base_uri: str | None = None,
    namespaces: Mapping[str, str] | None = None,
    functions: Iterable[ExternalFunction] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
    check: bool = True,
    event_time: EventTime | None = None,
    late_items: LateItems | None = None,
) -> Query:
    """Compile a query; static errors are raised here, with their place.

    `name` is what errors call the text. Relative URIs in it are resolved against `base_uri`.
    `namespaces` binds prefixes, and '' the default element namespace, as the prolog would. `functions` replaces
    the functions registered with `xylem.function`. Library modules are read from `module_folders` only. With `check`
    off, nothing is done before the query is used, which raises its static errors then. `event_time` says where the
    items of windows carry their times, and `late_items` is told of those that come too late.
    """
    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        namespaces=namespaces or {},
        modules=LibraryModules(ModuleFiles(module_folders)),
        external_functions=tuple(DEFAULT_FUNCTIONS if functions is None else functions),
        event_time=event_time,
        late_items=late_items,
    )
    query = Query(CompiledQuery(text, environment))
    if check:
        query.check()
    return query


def history_query(
    text: str,
    *,
    name: str = "query",
    base_uri: str | None = None,
    namespaces: Mapping[str, str] | None = None,
    functions: Iterable[ExternalFunction] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
) -> HistoryQuery:
    """Compile a query over update streams: ``stream("x")`` is the document of one, as of each commit.

    The parameters are those of `compile`. The context item is the document of the stream, where there is one.

    >>> stream = b"<u:stream xmlns:u='urn:xylem:update'><a u:id='i'>1</a><u:remove of='i' t='5'/></u:stream>"
    >>> [(answer.commit.time, answer.display.text) for answer in history_query("count(/a), /a#1").answers(stream)]
    [(Decimal('0'), '1'), (Decimal('5'), '0<a>1</a>')]
    """
    from xylem.query.history_query import HistoryQuery

    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        namespaces=namespaces or {},
        modules=LibraryModules(ModuleFiles(module_folders)),
        external_functions=tuple(DEFAULT_FUNCTIONS if functions is None else functions),
    )
    return HistoryQuery(text, environment)


def parse(
    source: str | bytes | PathLike[str],
    *,
    uri: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    dtd: str | PathLike[str] | None = None,
) -> Node:
    """The document in a file (a path) or in memory (text or bytes). `uri` becomes its document URI.

    Entities such as ``&uuml;`` may come from `dtd`, a file: the DTD that a document names itself is never fetched.

    >>> parse("<a>x</a>").string_value
    'x'
    """
    from xylem.source.xml_reader import read_document

    if dtd is not None:
        from xylem.source.byte_source import ByteSource

        data: str | bytes | PathLike[str] = source.encode() if isinstance(source, str) else source
        with _with_entities(ByteSource.of(data), dtd) as opened:
            return read_document(b"".join(opened), uri or opened.uri, limits=limits)
    return read_document(source, uri, limits=limits)


def items(
    source: Source | ByteSource, path: str = "/*/*", *, limits: Limits = DEFAULT_LIMITS
) -> Arriving:
    """What a path selects in a document, item by item while the document streams by: there may be no end of it.

    For variables declared ``as T**`` and for ``stream()``: each element is a small tree of its own, forgotten when
    nothing reads it any more.

    >>> import xylem
    >>> query = xylem.compile("declare variable $s as element(t)** external; for $t in $s where $t > 1 return $t/@id")
    >>> [str(found) for found in query.run(variables={"s": items(b"<a><t id='x'>1</t><t id='y'>2</t></a>")}).items]
    ['<attribute id pre=1>']
    """
    return compile(path).stream(source, limits=limits).__iter__()


class Query:
    """A compiled query, which may be run any number of times."""

    def __init__(self, compiled: CompiledQuery) -> None:
        self._compiled = compiled

    @property
    def compiled(self) -> CompiledQuery:
        """What has been made of the query so far, and can be."""
        return self._compiled

    @property
    def _program(self) -> Program:
        return self._compiled.program

    @property
    def external_variables(self) -> Sequence[ExternalVariable]:
        """The external variables that the query declares."""
        return self._program.external_variables

    @property
    def stream_names(self) -> Sequence[str]:
        """The streams that the query names by ``stream("…")``, each once."""
        from xylem.query.stream_query import stream_names

        return stream_names(self._program.module)

    @property
    def warnings(self) -> Sequence[str]:
        """What to know before the query runs over infinite sequences: what grows, and what may never end."""
        notes = [note for note in self._program.notes if note.topic == "endless"]
        return [f"{note.span.source.name}:{note.span.line}: {note.text}" for note in notes]

    def check(self) -> None:
        """Raise the static errors of the query, if there are any."""
        self._program  # noqa: B018 - compiled once, here at the latest

    def run(
        self,
        context: Any = None,
        variables: Mapping[str, Any] | None = None,
        *,
        collection: Iterable[Any] | None = None,
        allow: Iterable[str | PathLike[str]] = (),
        environment: Mapping[str, str] | None = None,
        streams: Mapping[str, Iterable[Any]] | None = None,
        held_items: int | None = None,
        clock: Callable[[], DateTime | None] | None = None,
        measure: bool = False,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        spill: str | PathLike[str] | None = None,
        window_bytes: int | None = None,
        spilled_bytes: int = DEFAULT_LIMITS.spilled_bytes,
        left_out: Counter[str] | None = None,
    ) -> Result:
        """Run the query; the result is computed as it is read.

        `context` and the values of `variables` are Python values or nodes (`xylem.parse`); the names are `local`,
        `prefix:local` with a prefix the query declares, or `Q{uri}local`. `collection` is what ``collection()``
        gives. ``doc()`` and its like read below the directories of `allow` only, and ``environment-variable()``
        sees `environment` only. Values of variables that are declared ``as T**``, and those of `streams`, which
        ``stream("name")`` gives, are read item by item and may be infinite; operations that keep items or values of
        them keep at most `held_items`. ``xylem:add-timestamp`` asks `clock` for the time, such as that of a replay.
        With `measure`, the result tells what each operator took, gave and held (`Result.operators`).
        Where computing the result takes more than `time_limit` seconds, or the process more than `memory_limit` bytes,
        the run ends with XYRT0040 or XYRT0041, behind the items it gave.
        Of the items that best-match joins keep, those beyond `window_bytes` wait in a file below the directory `spill`;
        by default that is half of what `memory_limit` leaves, or of a gigabyte. That file has `spilled_bytes` at most.
        `left_out` counts by variable the items that take no part in such a join, since a number is missing or NaN.
        """
        program = self._compiled.program
        counters = _counters() if measure else None
        endless = {variable.local for variable in program.external_variables if variable.endless}
        bound: dict[str, Any] = {
            name: items_from_python(value) if _local(name) in endless else sequence_from_python(value)
            for name, value in (variables or {}).items()
        }
        start = None if context is None else sequence_from_python(context)
        finite = (value for name, value in bound.items() if _local(name) not in endless)
        resources = _resources(allow, chain(start or (), *finite))
        if collection is not None:
            resources.add_collection(None, sequence_from_python(collection))
        names = external_names(program, bound) if bound else {}
        items = program.run(
            resources,
            context=start,
            variables={names[name]: value for name, value in bound.items()},
            environment=environment,
            streams={name: items_from_python(value) for name, value in (streams or {}).items()},
            held_items=held_items,
            clock=clock,
            counters=counters,
            pages=None if spill is None else _pages(spill, window_bytes, memory_limit, spilled_bytes),
            left_out=left_out,
        )
        items = limited(drawn_deep(items) if program.may_recurse else items, RunLimits(time_limit, memory_limit))
        return Result(items, program.output, None if counters is None else partial(self._tree_counts, counters))

    def _tree_counts(self, counters: Counters) -> OperatorCounts:
        from xylem.plan.operator_counts import OperatorCounts
        from xylem.run.counters import ANSWER

        return OperatorCounts(self._compiled.tree_operators, counters.figures, results=counters.of(ANSWER).items)

    def stream(
        self,
        source: Source | ByteSource | None = None,
        variables: Mapping[str, Any] | None = None,
        *,
        collection: Iterable[Any] | None = None,
        schema: Schema | str | PathLike[str] | None = None,
        validate: Validation | None = None,
        dtd: str | PathLike[str] | None = None,
        allow: Iterable[str | PathLike[str]] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        on_malformed: str | MalformedTally = "stop",
        dead_letters: str | PathLike[str] | Callable[[MalformedRecord], object] | None = None,
        spill: str | PathLike[str] | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> StreamResult:
        """Run the query over one input as it streams by, keeping no more than the query needs.

        One pass where that is enough. A file, or bytes, is read again where more passes keep less (`explain` says how
        many, and why). What can be read only once is then kept in a file below the directory `spill`; without one,
        in memory. What is kept in memory is at most ``limits.buffered_bytes`` (XYDY0005 beyond it); where that is 0,
        a query that would keep what grows with the input is refused (XYST0012).

        `source` is the document the query starts from: a path, bytes, an open binary file, a socket, or chunks of
        bytes; gzip and bzip2 are recognised. None is the document that the query names by ``doc("…")``. `schema` (a
        DTD or an XML Schema: a path, or loaded) says what to expect in which order, so that less is kept; the input
        must follow it. With `validate`, what does not is XYIN0021, after all results before it: every element is
        compared (full), or those the plan relies on (lazy). Entities may come from `dtd`, a file. XYST0004, with the
        reason, where a query needs a tree.

        `on_malformed` says what becomes of records that are not well formed: the first ends the run (stop), or they
        are left out and counted in `malformed` of the result (skip), and handed to `dead_letters` too, a function or
        a file to write (dead-letter). XYST0005 for queries that have no records. `time_limit` and `memory_limit` are
        those of `run`.

        >>> import xylem
        >>> books = b"<books><book><title>A</title></book><book><title>B</title></book></books>"
        >>> for title in xylem.compile("//title/string()").stream(books):
        ...     print(title)
        A
        B
        """
        from xylem.query.input_policy import Readings, limits_within, readable_input, reason_of
        from xylem.query.stream_query import loaded_schema, stream_source
        from xylem.run.stream.progress import Progress
        from xylem.run.stream.run import Statistics
        from xylem.sink.dead_letters import malformed_tally
        from xylem.source.supplied_entities import SuppliedEntities
        from xylem.stream_result import StreamResult

        if dtd is None and isinstance(schema, (str, PathLike)) and str(schema).lower().endswith(".dtd"):
            dtd = schema
        schema = loaded_schema(schema)
        passes = self._compiled.stream_passes(schema)
        program = passes.last
        bound = {name: sequence_from_python(value) for name, value in (variables or {}).items()}
        names = external_names(program.handlers, bound) if bound else {}
        resources = _resources(allow, chain.from_iterable(bound.values()))
        if collection is None:
            self._compiled.check_collections(program)
        else:
            resources.add_collection(None, sequence_from_python(collection))
        input_source = stream_source(program, source, resources)
        clock = getattr(input_source, "clock", None)
        if dtd is not None and limits.allow_dtd and not isinstance(input_source, SuppliedEntities):
            input_source = _with_entities(input_source, dtd)
        measured = Statistics(why=lambda: reason_of(self.data_flow().verdict))
        input_source = readable_input(
            passes, input_source, spill, limits, measured, lambda: self.data_flow().verdict
        )
        limits = limits_within(limits)
        tally = malformed_tally(on_malformed, dead_letters)
        readings = Readings(
            passes, self._compiled.record_scopes, limits=limits, scanner=scanner, schema=schema, validate=validate
        )
        last = readings.last(input_source, tally)
        progress = Progress(last, measured, passes.number)
        start = partial(
            passes.write,
            last,
            lambda: progress.reading(readings.earlier(input_source, tally)),
            resources,
            variables={names[name]: value for name, value in bound.items()},
            environment=environment,
            limits=limits,
            scanner=scanner,
            statistics=progress.statistics,
            clock=None if clock is None else clock.now,
        )
        allowed = RunLimits(time_limit, memory_limit)
        return StreamResult(
            passes.last,
            lambda output: limited(start(output), allowed),
            progress,
            tally,
            partial(operators_of, passes),
        )

    def run_many(
        self,
        documents: Iterable[Any],
        variables: Mapping[str, Any] | None = None,
        *,
        on_error: OnError = "raise",
        allow: Iterable[str | PathLike[str]] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Iterator[Any]:
        """Run the query over many documents: one `Result` for each, in their order, while they are read.

        `documents` is a list or an iterator of documents, each as bytes, as text or as a path, or a column of Arrow
        with binary or text values. What a run needs beside its document is made once, which for messages of some
        hundred bytes is most of the work. An iterator is read a batch ahead, of at most 512 documents or a megabyte.
        The answer to None is None.

        Where documents are many and the scan can write an answer, it does: no tree is made of the document, and its
        text costs what its bytes cost. Whoever reads the items of an answer gets them of a tree.

        A document that cannot be read, or makes the query fail, raises its error when it is its turn; iterating goes
        on with the next one. With ``on_error="give"`` the error stands in the place of the result.
        ``current-dateTime()`` is one moment for all documents; limits are those of each.

        >>> import xylem
        >>> messages = ["<o><n>1</n></o>", "<o><n>2</n><n>3</n></o>", "<o><n>4"]
        >>> for answer in xylem.compile("sum(/o/n)").run_many(messages, on_error="give"):
        ...     print(getattr(answer, "code", answer))
        1
        5
        XYIN0001
        """
        return self._over_many(documents, variables, on_error, allow, environment, limits, is_streamed=False)

    def stream_many(
        self,
        documents: Iterable[Any],
        variables: Mapping[str, Any] | None = None,
        *,
        on_error: OnError = "raise",
        allow: Iterable[str | PathLike[str]] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Iterator[Any]:
        """The same as `run_many`, for documents of any size: one of more than a megabyte streams by while its result is
        read, as by `stream`, if the query can be answered so.

        >>> import xylem
        >>> query = xylem.compile("for $o in /o return <sold>{ $o/n }</sold>")
        >>> [str(answer) for answer in query.stream_many([b"<o><n>1</n></o>", b"<o/>"])]
        ['<sold><n>1</n></sold>', '<sold/>']
        """
        return self._over_many(documents, variables, on_error, allow, environment, limits, is_streamed=True)

    def _over_many(
        self,
        documents: Iterable[Any],
        variables: Mapping[str, Any] | None,
        on_error: OnError,
        allow: Iterable[str | PathLike[str]],
        environment: Mapping[str, str] | None,
        limits: Limits,
        *,
        is_streamed: bool,
    ) -> MessageResults:
        from xylem.message_results import MessageResults, writes_plainly
        from xylem.run.prepared_program import PreparedProgram
        from xylem.source.message_batches import BATCH_DOCUMENTS, message_batches
        from xylem.source.message_reader import MessageReader
        from xylem.stream_result import StreamResult

        program = self._compiled.program
        bound = {name: sequence_from_python(value) for name, value in (variables or {}).items()}
        names = external_names(program, bound) if bound else {}
        resources = _resources(allow, chain.from_iterable(bound.values()))
        # What the scan writes is compiled for a stream first: a few trees cost less than that.
        are_few = not is_streamed and isinstance(documents, Sized) and len(documents) <= BATCH_DOCUMENTS
        writes = not are_few and writes_plainly(program.output)
        template = self._compiled.document_template() if writes else None
        prepared = PreparedProgram(
            program,
            resources,
            variables={names[name]: value for name, value in bound.items()},
            environment=environment,
        )
        options = {"variables": variables, "allow": allow, "environment": environment, "limits": limits}
        return MessageResults(
            message_batches(documents),
            MessageReader(limits, template),
            prepared,
            program.output,
            writes=template is not None,
            on_error=on_error,
            register=lambda document: resources.add_document(document.document_uri or "", document),
            streamed=(lambda large: iter(self._read(large, options, StreamResult.xdm))) if is_streamed else None,
        )

    def to_arrow(self, source: Source | ByteSource, *, batch_rows: int = 16_384, **options: Any) -> RecordBatchReader:
        """The answer as a reader of Arrow's record batches; it holds one batch at a time, whatever the input's size.

        Maps with literal keys, and flat elements, have a column for each of their values, with the type that the query
        says (`xs:integer(@year)` is int64); any other item is the column `value`. `options` are those of `stream`. A
        query that cannot stream runs over a tree. DuckDB, Polars and Arrow's own tools take the reader as it is.

        >>> import xylem
        >>> rows = xylem.compile("//b ! map { 'id': string(@id), 'n': xs:integer(n) }")
        >>> rows.to_arrow(b"<a><b id='x'><n>1</n></b><b id='y'><n>2</n></b></a>").read_all().to_pydict()
        {'id': ['x', 'y'], 'n': [1, 2]}
        """
        from xylem.stream_result import StreamResult
        from xylem.tables.frames import arrow_reader

        return arrow_reader(self._compiled, self.for_tables()._read(source, options, StreamResult.rows), batch_rows)

    def to_pandas(self, source: Source | ByteSource, **options: Any) -> DataFrame:
        """The answer as a DataFrame of pandas, with the columns of `to_arrow`."""
        from xylem.tables.frames import pandas_frame

        return pandas_frame(self.to_arrow(source, **options))

    def to_polars(self, source: Source | ByteSource, **options: Any) -> Any:
        """The answer as a DataFrame of Polars, with the columns of `to_arrow`."""
        from xylem.tables.frames import polars_frame

        return polars_frame(self.to_arrow(source, **options))

    def for_tables(self) -> Query:
        """The same query, compiled for an answer that is wanted as the rows of a table (`StreamResult.rows`)."""
        from xylem.tables.table_query import for_tables

        return Query(for_tables(self._compiled))

    def _read(
        self,
        source: Source | ByteSource,
        options: Mapping[str, Any],
        read: Callable[[StreamResult], Iterable[Any]],
    ) -> Iterable[Any]:
        """What is read of the answer over one input, streamed where the query can be; or else its items."""
        from xylem.errors import StaticError
        from xylem.source.byte_source import ByteSource

        opened = ByteSource.of(source)
        try:
            return read(self.stream(opened, **options))
        except StaticError as refused:
            if refused.code != "XYST0004" or options.keys() - {"variables", "allow", "environment", "limits"}:
                raise
        limits = options.get("limits", DEFAULT_LIMITS)
        document = parse(b"".join(opened), uri=opened.uri, limits=limits)
        given = {name: value for name, value in options.items() if name != "limits"}
        return self.run(document, **given).drawn()

    def record_scopes(self) -> tuple[Scope, ...]:
        """The paths to the records of the query, by which an input can be divided; XYST0005 where it has none."""
        return self._compiled.record_scopes()

    def explain(self, schema: Schema | str | PathLike[str] | None = None) -> Explanation:
        """How the query is executed over one input: streamed, or why not."""
        from xylem.analysis.dataflow import INPUT, label
        from xylem.errors import StaticError
        from xylem.lowering.stream.account import account_of, account_of_all
        from xylem.plan.explain import Refusal, explain
        from xylem.plan.streamability import over_tree, streamability

        program = self._program
        flow = self.data_flow()
        try:
            passes = self._compiled.stream_passes(schema)
        except StaticError as refused:
            told, operators = over_tree(refused.why, refused.span), self._compiled.tree_operators
            return explain(program, Refusal(refused.why, refused.span), told, flow, operators)
        one = passes.in_one_pass
        kept = () if one is None else account_of(one.last).buffered
        source = INPUT if passes.last.plan.source is None else label(passes.last.plan.source)
        earlier = [earlier.texts for earlier in passes.earlier]
        told = streamability(flow, source, kept, earlier, passes.texts, can_be_one_pass=one is not None)
        account = replace(account_of_all(passes.answering), passes=passes.number)
        return explain(passes.last.handlers, account, told, flow, self._compiled.stream_operators(schema))

    def data_flow(self) -> DataFlow:
        """The stream data flow graph of the query, before and after fusions, and the single-pass test on it."""
        return self._compiled.data_flow

    def distribution(self, *, several_documents: bool = False) -> Distribution:
        """How the query is spread over tasks, on Spark or elsewhere: what each computes of its part of the input.

        With `several_documents` the input is a sequence of documents, of which a leading `/` means each.
        """
        from xylem.query.spreading import Spreading

        return self._compiled.distributed(Spreading(several_documents=several_documents)).distribution

    def task_operators(self, *, several_documents: bool = False) -> OperatorPlan:
        """What runs where the query is spread over tasks, operator by operator: in tasks, in merges, on the driver."""
        from xylem.query.spreading import Spreading

        return self._compiled.task_operators(Spreading(several_documents=several_documents))

    def stream_windows(self) -> list[WindowAccount]:
        """What the windows of this query keep over a stream that comes in batches, and where (docs/windows.md)."""
        from xylem.lowering.parts.window_account import window_accounts
        from xylem.plan.stream_account import StreamAccount
        from xylem.query.spreading import Spreading

        def waits_for_end() -> bool:
            told = self.explain().stream
            return not isinstance(told, StreamAccount) or told.waits_for_end

        program = self._compiled.distributed(Spreading(keeps_windows=True))
        return window_accounts(program, self._program.module, waits_for_end)


def _pages(
    spill: str | PathLike[str], window_bytes: int | None, memory_limit: int | None, spilled_bytes: int
) -> TreePages:
    from xylem.run.limited_run import resident_bytes
    from xylem.values.paged_tree import TreePages

    if window_bytes is None:
        left = 1 << 30 if memory_limit is None else memory_limit - (resident_bytes() or 0)
        window_bytes = max(left // 2, 1 << 20)
    return TreePages(spill, window_bytes, spilled_bytes)


def _counters() -> Counters:
    from xylem.run.counters import Counters

    return Counters()


def _local(name: str) -> str:
    """The local part of the name of a variable."""
    return name.rpartition("}")[2].rpartition(":")[2]


def _with_entities(source: ByteSource, dtd: str | PathLike[str]) -> ByteSource:
    """The input with the entities of a DTD, if that has any."""
    from pathlib import Path

    from xylem.source.supplied_entities import SuppliedEntities, entities_of

    entities = entities_of(Path(dtd))
    return SuppliedEntities(source, entities) if entities else source


def _resources(allow: Iterable[str | PathLike[str]], given: Iterable[Any]) -> FileResources:
    """What a query may ask for by URI. A document that was passed in is the same node by its URI."""
    resources = FileResources(allow)
    for item in given:
        if isinstance(item, Node) and item.document_uri is not None:
            resources.add_document(item.document_uri, item)
    return resources
