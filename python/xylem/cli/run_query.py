"""`xylem run`: compile, bind, evaluate, write. The input streams if the query allows it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from xylem.errors import DynamicError, InputError, StaticError
from xylem.source.framed_file import framed
from xylem.source.limits import DEFAULT_LIMITS, Limits

from .answer_format import TABLES, AnswerFormat, separate_lines, write_items
from .core_use import may_use_cores
from .empty_answer import is_nothing, named_documents, tell_of_namespaces
from .query_source import (
    InputDocument,
    QuerySource,
    document,
    input_source,
    output_parameters,
    split_pair,
    variables,
)
from .result_output import ResultOutput, result_output
from .slow_scanner import SlowScanner

if TYPE_CHECKING:
    from xylem.analysis.event_time import EventTime
    from xylem.api import Query
    from xylem.functions.late_items import LateItems
    from xylem.query.history_query import HistoryQuery
    from xylem.source.byte_source import ByteSource
    from xylem.source.malformed import MalformedTally
    from xylem.source.replay import Replay
    from xylem.spark.shipped_query import ShippedQuery
    from xylem.stream_result import StreamResult

    from .run_metrics import RunMetrics

NOT_STREAMABLE = "XYST0004"
NO_RECORDS = "XYST0005"
KEEPS_TOO_MUCH = "XYST0012"


@dataclass(frozen=True)
class RunOptions:
    """The options of one run."""

    inputs: Sequence[str]
    values: Sequence[str]
    documents: Sequence[str]
    allowed: Sequence[Path]
    allow_environment: bool
    output: Path | None
    output_parameters: Sequence[str]
    items: Sequence[str] = ()
    """NAME=FILE: infinite variables and streams with the files of their items."""
    stream: bool | None = None
    """Whether to stream; None: if the query can."""
    schema: Path | None = None
    validate: Literal["full", "lazy"] | None = None
    scanner: str = "auto"
    statistics: str | None = None
    """text or json"""
    plot: Path | None = None
    quiet: bool = False
    limits: Limits = DEFAULT_LIMITS
    on_malformed: str = "stop"
    """stop, skip, dead-letter or dead-letter=FILE"""
    checkpoint: Path | None = None
    replay: Replay | None = None
    """The replay of a recorded input."""
    spill: Path | None = None
    """Directory for a pipe that is read more than once, and for windows that do not fit into memory."""
    memory_bytes: int | None = None
    """The value of `--memory-limit`."""
    event_time: EventTime | None = None
    entities: Mapping[str, str] | None = None
    """Entities of a DTD that the user gave."""
    format: AnswerFormat | None = None
    """None: the method of the query and its serialization parameters."""
    late_items: LateItems | None = None
    """Receives items that are too late for event time."""
    metrics: RunMetrics | None = None
    """Receives the progress of the run."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """Files for elements of some names."""

    @property
    def windows(self) -> dict[str, Any]:
        """The arguments of `Query.run` for items that best-match joins keep."""
        from xylem.run.limited_run import resident_bytes

        if self.spill is None:
            return {}
        room = self.limits.buffered_bytes
        if self.memory_bytes is not None:
            room = min(room, max((self.memory_bytes - (resident_bytes() or 0)) // 8, 1 << 20))
        return {"spill": self.spill, "window_bytes": room, "spilled_bytes": self.limits.spilled_bytes}


def compiled(source: QuerySource, *, check: bool = True, options: RunOptions | None = None) -> Query:
    """The query compiled; library modules are read from its folder and below."""
    from xylem import api

    return api.compile(
        source.text,
        name=source.name,
        base_uri=source.base_uri,
        namespaces=source.namespaces,
        module_folders=[source.folder],
        check=check,
        event_time=None if options is None else options.event_time,
        late_items=None if options is None else options.late_items,
    )


def compiled_over_updates(source: QuerySource) -> HistoryQuery:
    """The query compiled for update streams; library modules are read from its folder and below."""
    from xylem import api

    return api.history_query(
        source.text,
        name=source.name,
        base_uri=source.base_uri,
        namespaces=source.namespaces,
        module_folders=[source.folder],
    )


def check_routes(source: QuerySource, options: RunOptions) -> None:
    """Routes need XML and a single result: XYST0016 or BadParameter otherwise."""
    from .route_option import OPTION, check_routable

    given = (("--format", options.format), ("--checkpoint", options.checkpoint))
    for name, value in given:
        if value is not None:
            raise typer.BadParameter(f"{name} does not go with it", param_hint=OPTION)
    if str(options.output) in options.routes.values():
        raise typer.BadParameter(f"{options.output} is where the rest goes", param_hint=OPTION)
    query = compiled(source, check=False, options=options)
    check_routable({**query.compiled.program.output, **output_parameters(options.output_parameters)})


def run_query(source: QuerySource, options: RunOptions) -> None:
    """Run the query and write its result."""
    if options.validate is not None and (options.schema is None or options.stream is False):
        raise typer.BadParameter("--validate needs --schema, and an input that streams", param_hint="--validate")
    # Report wrong parameters before reading anything.
    output_parameters(options.output_parameters)
    if options.items:
        from .items_run import run_over_items

        run_over_items(source, options)
        return
    options = replace(options, inputs=_files(options.inputs))
    has_frames = any(framed(place) for place in options.inputs)
    if has_frames:
        _check_frames(options)
    slow_scanner = SlowScanner(options.scanner, is_quiet=options.quiet)
    slow_scanner.tell_of_files(options.inputs)
    if options.checkpoint is not None:
        from .checkpoint_run import run_with_checkpoint

        run_with_checkpoint(source, options, options.checkpoint)
        return
    from .malformed_option import policy_of, tallied

    policy, letters = policy_of(options.on_malformed, options.output)
    with tallied(policy, letters, is_reported=options.statistics is not None) as tally:
        by_parts = _query_of_parts(source, options, is_forced=has_frames)
        if by_parts is not None and _run_many(source, by_parts, options, tally):
            return
        if by_parts is None and may_use_cores(options):
            from .cores_run import run_on_cores

            by_parts, output = run_on_cores(source, options)
            if output is not None:
                if not options.quiet and is_nothing(output):
                    tell_of_namespaces(source, options.inputs)
                return
        _run_one(source, _query(source, options, by_parts), options, tally, slow_scanner)


def _files(names: Sequence[str]) -> Sequence[str]:
    from xylem.source.input_files import named_files

    return named_files(names)


def _check_frames(options: RunOptions) -> None:
    """Options for one document do not apply to the documents of an input with frames."""
    alone = {"--schema": options.schema, "--plot": options.plot, "--checkpoint": options.checkpoint}
    wrong = [name for name, value in {**alone, "--replay": options.replay}.items() if value is not None]
    if wrong:
        raise typer.BadParameter(f"{wrong[0]} needs an input that is one document", param_hint="-i FILE?frames=…")


def _query_of_parts(source: QuerySource, options: RunOptions, *, is_forced: bool) -> ShippedQuery | None:
    """The query prepared for several documents; None if it cannot read them one after another."""
    if (len(options.inputs) < 2 and not is_forced) or options.stream is False:
        return None
    if options.schema is not None or options.plot is not None:
        return None
    from .parts_run import parts_query

    return parts_query(source, options, several_documents=True)


def _query(source: QuerySource, options: RunOptions, by_parts: ShippedQuery | None) -> Query:
    """The query, reusing what is already compiled."""
    if by_parts is None:
        return compiled(source, check=False, options=options)
    from xylem import api

    return api.Query(by_parts.compiled)


def _run_many(source: QuerySource, query: ShippedQuery, options: RunOptions, tally: MalformedTally | None) -> bool:
    """Run over several inputs one after another, if the query allows it."""
    distribution = query.program().distribution
    if not distribution.is_parallel:
        why = "; ".join(part.why for part in distribution.parts if part.why)
        if options.stream:
            raise StaticError(NOT_STREAMABLE, f"there is more than one input, and {why}")
        return False
    from .many_inputs import run_many

    output = run_many(query, options.inputs, options, tally)
    if not options.quiet and is_nothing(output):
        tell_of_namespaces(source, options.inputs)
    return True


def _run_one(
    source: QuerySource, query: Query, options: RunOptions, tally: MalformedTally | None, slow_scanner: SlowScanner
) -> None:
    """Run over one input as a stream, or over the trees of all inputs."""
    result = refused = read = None
    bound = variables(options.values, options.documents)
    if options.stream is not False:
        try:
            read = _opened(options)
            result = _stream(query, read, bound, options, tally)
        except StaticError as error:
            if options.stream or options.validate or error.code in (NO_RECORDS, KEEPS_TOO_MUCH):
                raise
            # Report an error of the query itself as for a tree.
            query.check()
            refused = error
        except InputError as error:
            # A document that the query names does not exist. The query may catch that error.
            if options.inputs or options.stream or error.code != "FODC0002":
                raise
    if result is None:
        output = _run_over_trees(query, bound, options, refused, tally)
    else:
        from .stream_run import write_stream

        output = write_stream(result, query.compiled, options, slow_scanner)
    if not options.quiet and is_nothing(output):
        bound_files = [Path(split_pair(pair)[2]) for pair in options.documents]
        others = [*bound_files, *named_documents(query.compiled, options.allowed)]
        tell_of_namespaces(source, options.inputs, read, others=others)


def parameters_of(options: RunOptions, declared: Mapping[str, str]) -> dict[str, Any]:
    """The serialization parameters of a run, with those that the query declares."""
    return separate_lines(output_parameters(options.output_parameters), declared, options.output)


def _opened(options: RunOptions) -> ByteSource | None:
    """The one input of a run that streams."""
    if len(options.inputs) != 1 or framed(options.inputs[0]):
        return None
    source = input_source(options.inputs[0], options.limits, finely=options.plot is not None, entities=options.entities)
    return source if options.replay is None else options.replay.of(source, options.limits)


def _stream(
    query: Query,
    source: ByteSource | None,
    bound: dict[str, Any],
    options: RunOptions,
    tally: MalformedTally | None,
) -> StreamResult | None:
    """The query streaming over its one input; None if there is no single input."""
    if len(options.inputs) > 1 or any(map(framed, options.inputs)):
        if options.stream:
            raise StaticError(NOT_STREAMABLE, "there is more than one input")
        return None
    if not options.inputs and not options.stream and not options.allowed:
        # There is no input, and the query may read no file.
        return None
    try:
        return _streamed(query, source, bound, options, tally)
    except BaseException:
        if source is not None:
            source.close()
        raise


def _streamed(
    query: Query,
    source: ByteSource | None,
    bound: dict[str, Any],
    options: RunOptions,
    tally: MalformedTally | None,
) -> StreamResult:
    if options.format in TABLES:
        query = query.for_tables()
    return query.stream(
        source,
        bound,
        schema=options.schema,
        validate=options.validate,
        allow=options.allowed,
        environment=os.environ if options.allow_environment else None,
        scanner=options.scanner,
        limits=options.limits,
        on_malformed="stop" if tally is None else tally,
        spill=options.spill,
    )


def _run_over_trees(
    query: Query,
    bound: dict[str, Any],
    options: RunOptions,
    refused: StaticError | None,
    tally: MalformedTally | None,
) -> ResultOutput:
    if options.inputs and options.limits.buffered_bytes == 0:
        why = "the whole tree of the input would be kept, and nothing may be" + (f": {refused.why}" if refused else "")
        raise StaticError(KEEPS_TOO_MUCH, why, span=refused.span if refused else None)
    sound = None if tally is None else _without_malformed(query, options, tally)
    inputs = list(_documents(options, sound, refused))
    documents = [given.node for given in inputs]
    left_out: Counter[str] | None = None if options.statistics is None else Counter()
    result = query.run(
        context=documents[0] if len(documents) == 1 else None,
        variables=bound,
        # The stream that the query names is the input, here as a tree.
        streams={name: [given.node] for given in inputs[:1] for name in query.stream_names[:1]},
        collection=documents,
        allow=options.allowed,
        environment=os.environ if options.allow_environment else None,
        measure=options.statistics is not None,
        left_out=left_out,
        **options.windows,
    )
    with result_output(options.output, routes=options.routes) as output:
        if options.format is not None:
            write_items(result.drawn(), query.compiled, options.format, output)
        else:
            result.write_to(output.write, **parameters_of(options, result.output))
    if options.statistics is not None:
        from .malformed_option import facts_of
        from .statistics import of_trees, report

        facts = {**of_trees(inputs, refused, result), **facts_of(tally)}
        report({**facts, "items_without_value": dict(left_out or {})}, options.statistics)
    return output


def _documents(
    options: RunOptions, sound: Callable[[ByteSource], ByteSource] | None, refused: StaticError | None
) -> Iterator[InputDocument]:
    """The trees of all inputs; an input with frames has one for each document, in order."""
    for place in options.inputs:
        if framed(place) is None:
            yield _document(place, options, sound, refused)
            continue
        from xylem.source.message_inputs import MessageInputs

        messages = MessageInputs([place], options.limits)
        yield from (InputDocument(*messages.document(number)) for number in range(len(messages)))


def _document(
    place: str,
    options: RunOptions,
    sound: Callable[[ByteSource], ByteSource] | None,
    refused: StaticError | None,
) -> InputDocument:
    """The tree of an input, within the limit for buffers; the error beyond it says why the query needs a tree."""
    try:
        return document(place, options.limits, sound, options.entities)
    except DynamicError as error:
        if error.code != "XYDY0005" or refused is None:
            raise
        raise DynamicError(error.code, f"{error.why}, because {refused.why}", span=refused.span) from None


def _without_malformed(query: Query, options: RunOptions, tally: MalformedTally) -> Callable[[ByteSource], ByteSource]:
    """The filter that skips malformed records of inputs that become trees."""
    from xylem.source.sound_records import SoundRecords, plan_of_records

    scopes = query.record_scopes()
    plan, limits = plan_of_records(scopes), options.limits
    return lambda source: SoundRecords(source, scopes, plan, limits, tally.tell, scanner=options.scanner)
