"""The public interface: compile a query, run it, read its result. It only delegates.

    >>> import xylem
    >>> query = xylem.compile("declare variable $n external; for $i in 1 to $n return $i * $i")
    >>> list(query.run(variables={"n": 4}))
    [1, 4, 9, 16]
    >>> print(xylem.compile("<total>{ sum(//price) }</total>").run(xylem.parse("<a><price>2</price></a>")))
    <total>2</total>
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

from xylem.errors import memory_may_run_out
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction, Functions
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_queries import COMPILED
from xylem.query.compiled_query import CompiledQuery, operators_of
from xylem.query.external_names import external_names
from xylem.query.library_modules import LibraryModules
from xylem.query.tree_texts import TreeTexts, whole_document
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
    from xylem.query.small_input import SmallInputs
    from xylem.query.stream_query import Validation
    from xylem.run.counters import Counters
    from xylem.schema import Schema
    from xylem.source.byte_ranges import Scope
    from xylem.source.byte_source import ByteSource, Source
    from xylem.source.malformed import MalformedRecord, MalformedTally
    from xylem.stream_result import SmallResult, StreamResult
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

    `name` is the name of the text in errors. `base_uri` is the base for relative URIs. `namespaces` binds prefixes,
    and '' the default element namespace, like the prolog. `functions` replaces the functions registered with
    `xylem.function`. Library modules come only from `module_folders`. With `check` off, static errors are raised at
    the first use of the query. `event_time` says where the items of windows carry their times; `late_items` receives
    items that arrive too late.
    """
    folders = tuple(module_folders)
    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        namespaces=dict(namespaces or {}),
        modules=LibraryModules(ModuleFiles(folders)),
        external_functions=tuple(DEFAULT_FUNCTIONS if functions is None else functions),
        event_time=event_time,
        late_items=late_items,
    )
    is_plain = not folders and event_time is None and late_items is None
    query = Query(COMPILED.query(text, environment) if is_plain else CompiledQuery(text, environment))
    if check:
        with memory_may_run_out():
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
        with memory_may_run_out(), _with_entities(ByteSource.of(data), dtd) as opened:
            return read_document(b"".join(opened), uri or opened.uri, limits=limits)
    with memory_may_run_out():
        return read_document(source, uri, limits=limits)


def items(
    source: Source | ByteSource, path: str = "/*/*", *, limits: Limits = DEFAULT_LIMITS
) -> Arriving:
    """The items that a path selects in a document, one by one while the document streams; they may never end.

    For variables declared ``as T**`` and for ``stream()``. Each element is a small tree of its own, which is
    released when nothing refers to it.

    >>> import xylem
    >>> query = xylem.compile("declare variable $s as element(t)** external; for $t in $s where $t > 1 return $t/@id")
    >>> readings = items(b"<a><t id='x'>1</t><t id='y'>2</t></a>")
    >>> [found.string_value for found in query.run(variables={"s": readings})]
    ['y']
    """
    return compile(path).stream(source, limits=limits).__iter__()


_STREAMED_PLAINLY: tuple[Any, ...] = (
    None, None, None, None, None, (), None, DEFAULT_LIMITS, "auto", "stop", None, None, None, None,
)  # fmt: skip
"""The options of `Query.stream`, if none is given."""


class Query:
    """A compiled query, which may be run any number of times."""

    def __init__(self, compiled: CompiledQuery) -> None:
        self._compiled = compiled
        self._small: SmallInputs | None = None
        self._over_trees: TreeTexts | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_small": None, "_over_trees": None}

    @property
    def compiled(self) -> CompiledQuery:
        """The query with its compiled programs."""
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
        """Warnings before a run over infinite sequences: growing state, and operations that may never end."""
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

        `context` and the values of `variables` are Python values or nodes (`xylem.parse`). Names are `local`,
        `prefix:local` with a prefix that the query declares, or `Q{uri}local`. `collection` is the value of
        ``collection()``. ``doc()`` and similar functions read only below the directories of `allow`, and
        ``environment-variable()`` sees only `environment`. Variables declared ``as T**`` and `streams` (the values of
        ``stream("name")``) are read item by item and may be infinite; operations that keep their items keep at most
        `held_items`. ``xylem:add-timestamp`` takes the time from `clock`, such as that of a replay. With `measure`, the
        result has the counts of each operator (`Result.operators`). A run that takes more than `time_limit` seconds,
        or a process with more than `memory_limit` bytes, ends with XYRT0040 or XYRT0041 after the items it gave.

        Best-match joins spill items beyond `window_bytes` to a file below the directory `spill`; the default is an
        eighth of what `memory_limit` leaves, or half a gigabyte. The file has at most `spilled_bytes`. `left_out`
        counts, by variable, the items without a part in such a join, because a number is missing or NaN.
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
        run = partial(
            program.run,
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
        limits = RunLimits(time_limit, memory_limit)
        items = limited(drawn_deep(run()) if program.may_recurse else run(), limits)
        if counters is not None:
            return Result(items, program.output, partial(self._tree_counts, counters))
        # One-shot inputs are read at once; streams and counts are read only once.
        if streams or left_out is not None:
            return Result(items, program.output)
        is_alone = not (bound or limits.has_any or collection is not None)
        tree = whole_document(start) if is_alone else None

        def texts() -> Iterator[str] | None:
            found = None if tree is None else self._tree_texts.texts(tree)
            if found is None and program.can_write:
                return limited(run(writes_text=True), limits)
            return found

        return Result(items, program.output, texts=texts)

    @property
    def _tree_texts(self) -> TreeTexts:
        if self._over_trees is None:
            self._over_trees = TreeTexts(self._compiled)
        return self._over_trees

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
        """Run the query over one input while it streams, and keep only what the query needs.

        The query takes one pass if that is enough. Otherwise it reads a file, or bytes, again (`explain` says how
        often, and why). An input that can be read only once is kept in a file below the directory `spill`, or without
        one in memory. Buffers may take ``limits.buffered_bytes`` (XYDY0005 beyond that); if that is 0, a query whose
        buffers would grow with the input is refused (XYST0012).

        `source` is the input document: a path, bytes, an open binary file, a socket, or chunks of bytes, compressed or
        not. None stands for the document that the query names by ``doc("…")``. `schema` (a DTD or an XML Schema: a
        path, or loaded) reduces buffers; the input must conform to it. With `validate`, a violation is XYIN0021, after
        all results before it: every element is checked (full), or those that the plan relies on (lazy). `dtd` is a file
        with entities. A query that needs a tree is XYST0004, with the reason.

        `on_malformed` says how to handle malformed records: stop at the first (stop), skip them and count them in
        `malformed` of the result (skip), or also pass them to `dead_letters`, a function or the name of a file
        (dead-letter). It is XYST0005 for queries without records. `time_limit` and `memory_limit` are those of `run`.

        You can call it for each of many messages; `stream_many` takes a tenth of the time.

        >>> import xylem
        >>> books = b"<books><book><title>A</title></book><book><title>B</title></book></books>"
        >>> for title in xylem.compile("//title/string()").stream(books):
        ...     print(title)
        A
        B
        """
        options = (
            variables, collection, schema, validate, dtd, allow, environment, limits, scanner, on_malformed,
            dead_letters, spill, time_limit, memory_limit,
        )  # fmt: skip
        # Not by ==: comparing data frames or arrays gives no truth value.
        if type(source) is bytes and all(map(operator.is_, options, _STREAMED_PLAINLY)):
            found = self._over_small(source)
            if found is not None:
                return found
        return self._over_stream(source, *options)

    def _over_small(self, source: bytes) -> StreamResult | None:
        """The answer over an input that a tree may answer; None where it may not."""
        passes = self._compiled.stream_passes()  # Whether it streams at all does not depend on the input.
        if self._small is None:
            self._small = _small_inputs(self._compiled, passes.last.handlers.output)
        if not self._small.may_answer(source):
            return None
        return _small_result()(
            partial(self._small.items, source),
            partial(self._small.text, source),
            lambda: self._over_stream(source, *_STREAMED_PLAINLY),
        )

    def _over_stream(
        self,
        source: Source | ByteSource | None,
        variables: Mapping[str, Any] | None,
        collection: Iterable[Any] | None,
        schema: Schema | str | PathLike[str] | None,
        validate: Validation | None,
        dtd: str | PathLike[str] | None,
        allow: Iterable[str | PathLike[str]],
        environment: Mapping[str, str] | None,
        limits: Limits,
        scanner: str,
        on_malformed: str | MalformedTally,
        dead_letters: str | PathLike[str] | Callable[[MalformedRecord], object] | None,
        spill: str | PathLike[str] | None,
        time_limit: float | None,
        memory_limit: int | None,
    ) -> StreamResult:
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

        `documents` is a list or an iterator of documents (bytes, text or paths), or an Arrow column with binary or text
        values. The run is prepared once, which saves most of the work for messages of some hundred bytes. An iterator
        is read a batch ahead: at most 512 documents or a megabyte. The answer to None is None.

        If there are many documents and the scan can write their answers, it does so without building trees; reading the
        items of an answer builds its tree.

        A document that cannot be read, or makes the query fail, raises its error at its turn; iteration then continues
        with the next document. With ``on_error="give"``, the error takes the place of the result.
        ``current-dateTime()`` is the same for all documents; limits apply to each.

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
        """The same as `run_many`, for documents of any size: a document of more than a megabyte streams while its
        result is read, as with `stream`, if the query allows it.

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
        """The answer as a reader of Arrow record batches; it holds one batch at a time, whatever the size of the input.

        Maps with literal keys, and flat elements, have a column for each of their values, with the type in the query
        (`xs:integer(@year)` is int64); any other item is in the column `value`. `options` are those of `stream`. A
        query that cannot stream runs over a tree. DuckDB, Polars and Arrow's own tools accept the reader.

        >>> import xylem
        >>> rows = xylem.compile("//b ! map { 'id': string(@id), 'n': xs:integer(n) }")
        >>> rows.to_arrow(b"<a><b id='x'><n>1</n></b><b id='y'><n>2</n></b></a>").read_all().to_pydict()
        {'id': ['x', 'y'], 'n': [1, 2]}
        """
        from xylem.stream_result import StreamResult
        from xylem.tables.frames import arrow_reader

        if batch_rows < 1:
            raise ValueError(f"batches of {batch_rows} rows")
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
        """The same query, compiled for an answer as rows of a table (`StreamResult.rows`)."""
        from xylem.tables.table_query import for_tables

        return Query(for_tables(self._compiled))

    def _read(
        self,
        source: Source | ByteSource,
        options: Mapping[str, Any],
        read: Callable[[StreamResult], Iterable[Any]],
    ) -> Iterable[Any]:
        """Read the answer over one input: streamed if the query can be; otherwise its items."""
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
        """How the query is distributed over tasks, on Spark or elsewhere: the work of each over its part of the input.

        With `several_documents`, the input is a sequence of documents, and a leading `/` means each of them.
        """
        from xylem.query.spreading import Spreading

        return self._compiled.distributed(Spreading(several_documents=several_documents)).distribution

    def task_operators(self, *, several_documents: bool = False) -> OperatorPlan:
        """The operators of the distributed query: in tasks, in merges, on the driver."""
        from xylem.query.spreading import Spreading

        return self._compiled.task_operators(Spreading(several_documents=several_documents))

    def stream_windows(self) -> list[WindowAccount]:
        """The state of the windows of this query over a stream in batches, and its place (docs/windows.md)."""
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
        # Besides the trees, memory holds the compared numbers, blocks of results, and the memory of scans.
        left = 1 << 32 if memory_limit is None else memory_limit - (resident_bytes() or 0)
        window_bytes = max(left // 8, 1 << 20)
    return TreePages(spill, window_bytes, spilled_bytes)


def _counters() -> Counters:
    from xylem.run.counters import Counters

    return Counters()


def _small_inputs(compiled: CompiledQuery, output: Mapping[str, str]) -> SmallInputs:
    from xylem.message_results import writes_plainly
    from xylem.query.small_input import SmallInputs

    return SmallInputs(compiled, _resources((), ()), writes=writes_plainly(output))


@cache
def _small_result() -> type[SmallResult]:
    # Importing in each call would take as long as scanning a small input.
    from xylem.stream_result import SmallResult

    return SmallResult


def _local(name: str) -> str:
    """The local part of the name of a variable."""
    return name.rpartition("}")[2].rpartition(":")[2]


def _with_entities(source: ByteSource, dtd: str | PathLike[str]) -> ByteSource:
    """The input with the entities of a DTD, if there is one."""
    from pathlib import Path

    from xylem.source.supplied_entities import SuppliedEntities, entities_of

    entities = entities_of(Path(dtd))
    return SuppliedEntities(source, entities) if entities else source


def _resources(allow: Iterable[str | PathLike[str]], given: Iterable[Any]) -> FileResources:
    """The resources of a query by URI. A document that was passed in has the same node by its URI."""
    resources = FileResources(allow)
    for item in given:
        if isinstance(item, Node) and item.document_uri is not None:
            resources.add_document(item.document_uri, item)
    return resources
