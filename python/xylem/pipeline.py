"""The whole way of a query, from text to a program, written once for every entry point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.resolved_module import resolved_module
from xylem.analysis.static_context import PREDECLARED, StaticContext
from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction
from xylem.lowering.python.build import Builder, ModuleResolver
from xylem.plan.distribution import InputOf
from xylem.run.deep_stack import compiled_deep
from xylem.run.program import ExternalVariable, Program
from xylem.syntax import ast, parse, parse_sequence_type, print_query

if TYPE_CHECKING:
    from xylem.analysis.event_time import EventTime
    from xylem.functions.late_items import LateItems
    from xylem.lowering.python.module_table import ModuleTable
    from xylem.plan.result_template import Column
    from xylem.plan.streamability import DataFlow
    from xylem.plan.unit_rows import UnitRows
    from xylem.rewrite.history.unit_query import UnitQuery
    from xylem.rewrite.to_program import StreamForm
    from xylem.rewrite.windows import WindowFacts
    from xylem.run.history.program import HistoryProgram
    from xylem.run.stream.passes import EarlierPass, StreamPasses
    from xylem.run.stream.program import StreamProgram
    from xylem.run.tasks.program import DistributedProgram
    from xylem.schema.constraints import Schema
    from xylem.values.sequence_type import SequenceType


MOST_PASSES = 16
"""Maximum number of parts of an answer with passes of their own."""


@dataclass(frozen=True)
class StaticEnvironment:
    """The environment that a query is compiled in."""

    name: str = "query"
    """The name of the query in error messages: a file name, or `query`."""
    base_uri: str | None = None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    modules: ModuleResolver | None = None
    external_functions: Sequence[ExternalFunction] = ()
    without_rules: frozenset[str] = frozenset()
    """Rules that are switched off: `move_where`, `index_windows` …, `group_by_key` … (docs/windows.md lists some)."""
    schema: Schema | None = None
    """The schema of the context document, if it is known."""
    event_time: EventTime | None = None
    """The event time of window items, unless the query declares it."""
    late_items: LateItems | None = None
    """Receives items that arrive too late for event time."""
    over_updates: bool = False
    """Whether the input is update streams: stream("x") is then the document of one, as of now."""
    columns: tuple[Column, ...] | None = None
    """The columns of an answer as a table; None for items or text."""
    parsed_modules: dict[tuple[str, str], ast.Module] = field(default_factory=dict, compare=False, repr=False)
    """Library modules by location and text: parsed for the first program that imports them."""


Query = str | ast.Module
"""The input of compilation: the text of a query, or the output of `parsed`."""


def compile_query(query: Query, env: StaticEnvironment) -> Program:
    """Compile a query.

    >>> from xylem.pipeline import StaticEnvironment, compile_query
    >>> compile_query("1 + 1", StaticEnvironment()).main.startswith("main")
    True
    """
    return compiled_deep(lambda: _builder(env).build(_module(query, env)))


def static_types(query: Query, env: StaticEnvironment) -> tuple[ast.Module, Mapping[int, SequenceType]]:
    """The module with all names resolved, and the static facts about its expressions, by their `id`."""
    from xylem.lowering.python.compiler import observed_types
    from xylem.rewrite.rule_names import all_rules

    # Rules replace expressions, and types are looked up by the expressions of the module.
    as_written = replace(env, without_rules=all_rules())

    def observed() -> tuple[ast.Module, Mapping[int, SequenceType]]:
        with observed_types() as types:
            return _builder(as_written).build(_module(query, env)).module, types

    return compiled_deep(observed)


def parsed(text: str, env: StaticEnvironment) -> ast.Module:
    """The module, with event time for its windows if it or the environment requests it."""
    return with_event_times(parse(text, env.name), env)


def with_event_times(written: ast.Module, env: StaticEnvironment) -> ast.Module:
    """A module as written, with event time for its windows if it or the environment requests it."""
    if env.event_time is None and not any(isinstance(one, ast.OptionDecl) for one in written.prolog):
        return written
    from xylem.analysis.event_time import with_event_time

    return with_event_time(resolved_module(written, static_context(env)), env.event_time)


def _module(query: Query, env: StaticEnvironment) -> ast.Module:
    module = parsed(query, env) if isinstance(query, str) else query
    if not env.over_updates:
        return module
    from xylem.analysis.history.bare_steps import with_bare_steps

    return with_bare_steps(module, {function.local for function in env.external_functions})


def _window_facts(env: StaticEnvironment) -> WindowFacts | None:
    aggregates = frozenset((f.uri, f.local) for f in env.external_functions if f.protocol is not None)
    if not env.without_rules and env.schema is None and not aggregates:
        return None
    from xylem.rewrite.windows import WindowFacts

    return WindowFacts(without=env.without_rules, schema=env.schema, user_aggregates=aggregates)


def compile_stream(query: Query, env: StaticEnvironment, schema: Schema | None = None) -> StreamProgram:
    """Compile a query for one pass over its input; NotStreamable says why that is impossible."""
    return compiled_deep(lambda: _streamed_module(_module(query, env), env, schema))


def _streamed_module(
    module: ast.Module,
    env: StaticEnvironment,
    schema: Schema | None,
    part: tuple[int, int] | None = None,
    form: StreamForm | None = None,
) -> StreamProgram:
    """The program that streams a module, or a part of its answer; `form` is the normal form of the body, if known."""
    from xylem.lowering.stream.build import NotStreamable, StreamBuilder
    from xylem.lowering.stream.document_template import document_template
    from xylem.plan.window_brackets import ends_with_windows, opens_windows
    from xylem.rewrite.to_program import program_of
    from xylem.run.stream.program import StreamProgram

    builder = _stream_builder(env, schema)
    main = builder.load(module)
    if not isinstance(main.module, ast.MainModule):
        raise NotStreamable("a library module has no answer")
    plan = program_of(_stream_form(builder, main, schema) if form is None else form, part=part)
    has_windows = opens_windows(plan.program)
    stream = StreamBuilder(builder, main, schema, None if has_windows else env.columns)
    stream.build(plan.program, plan.whole)
    handlers = builder.finish(main, "")
    return StreamProgram(
        handlers,
        stream.roles,
        tuple(stream.slots),
        stream.steps.plan(),
        main.static.part,
        plan,
        (main.static.copy_preserve, main.static.copy_inherit),
        has_windows,
        ends_with_windows(plan.program),
        document_template(plan.program, stream.selection),
        stream.by_code,
        stream.window_rows.formed,
        stream.columns is not None,
        None if stream.columns is None else document_template(plan.program, stream.selection, stream.columns),
    )


def _stream_builder(env: StaticEnvironment, schema: Schema | None) -> Builder:
    builder = _builder(env if schema is None else replace(env, schema=schema))
    builder.writer.is_streamed = True
    return builder


def _stream_form(builder: Builder, main: ModuleTable, schema: Schema | None) -> StreamForm:
    from xylem.rewrite.to_program import stream_form

    assert isinstance(main.module, ast.MainModule)
    imported = [declaration for unit in builder.units if unit is not main for declaration in unit.module.prolog]
    return stream_form(
        main.module.body,
        schema,
        prolog=main.module.prolog,
        imported=imported,
        externals=builder.externals.keys(),
        without=builder.writer.without_rules,
        joins=main.joins,
    )


def compile_passes(query: Query, env: StaticEnvironment, schema: Schema | None = None) -> StreamPasses:
    """Compile a query for the smallest number of passes over its input that bounds its state, if there is one.

    One pass if it keeps only items, windows and aggregates, or if more passes would not help. NotStreamable with the
    reason if the query cannot be answered from a stream at all.
    """
    return compiled_deep(lambda: _compiled_passes(_module(query, env), env, schema))


def _compiled_passes(written: ast.Module, env: StaticEnvironment, schema: Schema | None) -> StreamPasses:
    from xylem.analysis.statements import Statements
    from xylem.lowering.stream.account import account_of
    from xylem.lowering.stream.build import NotStreamable
    from xylem.run.stream.passes import StreamPasses

    refused: NotStreamable | None = None
    at_once: StreamProgram | None = None
    # All programs share what is known about its nodes.
    module = _builder(env).resolved(written)
    try:
        at_once = _streamed_module(module, env, schema)
        if account_of(at_once).is_bounded:
            return StreamPasses(at_once)
    except NotStreamable as error:
        refused = error
    # Each pass would begin with the variables as declared.
    if isinstance(module, ast.MainModule) and not Statements.of(module.body, module.prolog):
        ways = [_bounded_passes(module, env, schema), _passes_by_parts(module, env, schema, at_once)]
        bounded = [found for found in ways if found is not None]
        if bounded:
            return replace(min(bounded, key=lambda found: found.number), at_once=at_once)
    if at_once is None:
        assert refused is not None
        raise refused
    return StreamPasses(at_once)


def _bounded_passes(
    module: ast.MainModule, env: StaticEnvironment, schema: Schema | None, first_number: int = 1
) -> StreamPasses | None:
    """The passes of a module that cannot be answered in one; None if more passes would keep no less."""
    from xylem.lowering.stream.account import account_of
    from xylem.lowering.stream.build import NotStreamable
    from xylem.rewrite.earlier_passes import split_passes
    from xylem.run.stream.passes import EarlierPass, StreamPasses

    split = split_passes(module.body, module.prolog, first_number)
    if split is None:
        return None
    values = ast.SquareArray(tuple(value.value for value in split.earlier))
    try:
        rest = replace(module, prolog=split.prolog, body=split.rest)
        found: StreamPasses | None = StreamPasses(_streamed_module(rest, env, schema))
        assert found is not None
        if not account_of(found.last).is_bounded:
            found = _passes_by_parts(rest, env, schema, found.last)
        if found is None:
            return None
        for answering in found.answering:
            answering.plan = replace(answering.plan, source=split.source)
        before = replace(module, body=values)
        first = _streamed_module(before, env, schema)
        earlier: tuple[EarlierPass, ...] = ()
        if not account_of(first).is_bounded:
            more = _bounded_passes(before, env, schema, first_number + len(split.earlier))
            if more is None:
                return None
            first, earlier = more.last, more.earlier
    except NotStreamable:
        return None
    own = EarlierPass(
        first,
        tuple(value.name.expanded for value in split.earlier),
        tuple(" ".join(print_query(with_readable_names(value.written)).split()) for value in split.earlier),
        _Alone(module, tuple(value.value for value in split.earlier), env, schema),
    )
    return replace(found, earlier=(*earlier, own))


class _Alone:
    """The separate values of an earlier pass: each compiled once, on first use."""

    def __init__(
        self, module: ast.MainModule, values: tuple[ast.Expr, ...], env: StaticEnvironment, schema: Schema | None
    ) -> None:
        self._module = module
        self._values = values
        self._env = env
        self._schema = schema
        self._made: dict[int, StreamProgram] = {}

    def program(self, index: int) -> StreamProgram:
        if index not in self._made:
            module = replace(self._module, body=self._values[index])
            self._made[index] = compiled_deep(lambda: _streamed_module(module, self._env, self._schema))
        return self._made[index]


def _passes_by_parts(
    module: ast.MainModule, env: StaticEnvironment, schema: Schema | None, at_once: StreamProgram | None
) -> StreamPasses | None:
    """A pass for each part of the answer, or for several if that keeps nothing; None if that does not help."""
    from xylem.lowering.stream.account import account_of
    from xylem.lowering.stream.build import NotStreamable
    from xylem.run.stream.passes import StreamPasses

    if at_once is None:
        return None
    told = at_once.plan.parts
    places = [place for place, part in enumerate(told) if part.reads_input]
    if len(places) < 2 or len(places) > MOST_PASSES:
        return None

    builder = _stream_builder(env, schema)
    form = _stream_form(builder, builder.load(module), schema)

    def given_by(start: int, end: int) -> StreamProgram | None:
        try:
            made = _streamed_module(module, env, schema, (start, end), form)
        except NotStreamable:
            return None
        return made if account_of(made).is_bounded else None

    programs: list[StreamProgram] = []
    texts: list[str] = []
    start, number = 0, 0
    ends = [*places[1:], len(told)]
    while number < len(ends):
        found = given_by(start, ends[number])
        if found is None:
            return None
        first = number
        while number + 1 < len(ends) and (longer := given_by(start, ends[number + 1])) is not None:
            found, number = longer, number + 1
        programs.append(found)
        texts.append(", ".join(told[place].text for place in places[first : number + 1]))
        start, number = ends[number], number + 1
    return StreamPasses(programs[-1], front=tuple(programs[:-1]), texts=tuple(texts)) if len(programs) > 1 else None


def compile_history(query: Query, env: StaticEnvironment) -> HistoryProgram:
    """Compile a query over update streams: operators that retract their results, if it has them."""
    env = replace(env, over_updates=True)
    return compiled_deep(lambda: _compiled_history(_module(query, env), env))


def _compiled_history(written: ast.Module, env: StaticEnvironment) -> HistoryProgram:
    from xylem.analysis.history.demand import asks_for_times, demand_of
    from xylem.analysis.history.written_operands import with_operands
    from xylem.rewrite.history import plan_history
    from xylem.rewrite.history.unit_query import unit_query
    from xylem.rewrite.joins.rule_name import RULE
    from xylem.run.history.program import HistoryProgram

    # As resolved, with its projections as written: their operands determine the retention.
    module = with_operands(resolved_module(written, static_context(env)))
    if not isinstance(module, ast.MainModule):
        raise StaticError("XPST0003", "a library module has no answer")
    main = _builder(env).load(written)
    planned = plan_history(
        module.body,
        module.prolog,
        is_empty_greatest=main.static.empty_greatest,
        finds_joins=RULE not in env.without_rules,
    )
    functions = replace(module, body=ast.SquareArray(planned.functions))
    scopes = tuple(_builder(env).build(replace(module, body=scope)) for scope in planned.scopes)
    looks_back = any(demand_of([one.module]).looks_back or asks_for_times(one.module) for one in scopes)
    plan = replace(planned.plan, scopes_look_back=looks_back)
    unit = unit_query(plan, planned.functions)
    made = None
    if unit is not None:
        made = _UnitTemplate(replace(module, body=unit.body), replace(env, over_updates=False), unit)
    return HistoryProgram(plan, _builder(env).build(functions), main.static.part, scopes, made)


@dataclass(frozen=True)
class _UnitTemplate:
    """The template of a query of one unit, compiled when the first update arrives that it may answer."""

    module: ast.MainModule | None
    env: StaticEnvironment | None
    unit: UnitQuery | None

    def __call__(self) -> UnitRows | None:
        module, env, unit = self.module, self.env, self.unit
        if module is None or env is None or unit is None or any(_is_external(one) for one in module.prolog):
            return None
        from xylem.lowering.stream.build import NotStreamable
        from xylem.lowering.stream.unit_template import with_keys
        from xylem.plan.unit_rows import Rows, UnitRows

        try:
            program = compiled_deep(lambda: _streamed_module(module, env, None))
        except (NotStreamable, StaticError):
            return None
        found = program.document_template
        if program.plan.source is not None or found is None:
            return None
        template = with_keys(found, is_keyed=unit.rows not in (Rows.ITEM, Rows.ITEMS))
        if template is None:
            return None
        return UnitRows(template, unit.rows, unit.chosen, unit.joined, unit.has_one_row)

    def __reduce__(self) -> tuple[Any, ...]:
        # Otherwise there are no streams of bytes: messages are records.
        return _UnitTemplate, (None, None, None)


def _is_external(declaration: ast.Declaration) -> bool:
    if isinstance(declaration, ast.VariableDecl):
        return declaration.external
    return isinstance(declaration, ast.FunctionDecl) and declaration.body is None


def data_flow(query: Query, env: StaticEnvironment) -> DataFlow:
    """The stream data flow graph of a query, before and after fusions, and the single-pass test on it."""
    return compiled_deep(lambda: _data_flow(_module(query, env), env))


def _data_flow(module: ast.Module, env: StaticEnvironment) -> DataFlow:
    from xylem.analysis.dataflow import build, horizontal_fusion, verdict, vertical_fusion
    from xylem.analysis.reached_declarations import reached_declarations
    from xylem.plan.streamability import DataFlow
    from xylem.rewrite.earlier_passes import fused
    from xylem.rewrite.limited_sorts import limited_nodes
    from xylem.rewrite.query_rule import QueryFacts
    from xylem.rewrite.single_pass.fold_groups import folded_groups

    def limited(expr: ast.Expr) -> frozenset[int]:
        return limited_nodes(expr) | folded_groups(expr, QueryFacts.of(expr, declared))

    builder = _builder(env)
    main = builder.load(module).module
    body = main.body if isinstance(main, ast.MainModule) else ast.SequenceExpr()
    declared = [declaration for unit in builder.units for declaration in unit.module.prolog]
    rewritten = fused(body, declared)
    left = {id(reached) for reached in reached_declarations([rewritten], declared)}
    after = vertical_fusion(horizontal_fusion(build(rewritten, declared, limited=limited(rewritten))))
    # A function that is no longer called has become a fold, or was inlined.
    written = build(body, declared, lambda function: id(function) not in left, limited(body))
    return DataFlow(written, after, verdict(after))


def compile_distributed(
    query: Query,
    env: StaticEnvironment,
    schema: Schema | None = None,
    *,
    several_documents: bool = False,
    output: Mapping[str, Any] | None = None,
    keeps_windows: bool = False,
    divides: bool = False,
    input_of: InputOf = InputOf.NAMED,
) -> DistributedProgram:
    """Compile a query for tasks over parts of its input.

    With `several_documents` the input is a sequence of documents: collection() is that sequence, and a leading `/`
    means the same. `output` holds serialization parameters that override those of the query. The schema only helps a
    query that is one task: parts of a document need not satisfy it. With `keeps_windows` the input is a stream that
    arrives in batches, and windows over it stay open from one to the next. With `divides` the elements of a loop may be
    divided themselves, if it reads aggregates of them: for documents with few of them. `input_of` says whether doc()
    may be a name of the input.
    """
    given = (query, env, schema, several_documents, output or {})
    if not keeps_windows:
        return compiled_deep(lambda: _compiled_distributed(*given, divides=divides, input_of=input_of))
    try:
        program = compiled_deep(lambda: _compiled_distributed(*given, keeps_windows=True, input_of=input_of))
        program.check_windows()
    except StaticError as error:
        if error.code != "XYST0010":
            raise
        # It waits for the end of its input: for example `order by`.
        return compiled_deep(lambda: _compiled_distributed(*given, input_of=input_of))
    return program


def _compiled_distributed(
    written: Query,
    env: StaticEnvironment,
    schema: Schema | None,
    several: bool,
    output: Mapping[str, Any],
    keeps_windows: bool = False,
    divides: bool = False,
    input_of: InputOf = InputOf.NAMED,
) -> DistributedProgram:
    from xylem.lowering.parts.compiled_parts import CompiledParts
    from xylem.rewrite.distribute import distribute
    from xylem.run.tasks.lookup import LOOKUP
    from xylem.run.tasks.program import DistributedProgram
    from xylem.sink.default_parameters import merged_options

    env = replace(env, external_functions=(*env.external_functions, LOOKUP))
    builder = _builder(env)
    main = builder.load(_module(written, env))
    body = main.module.body if isinstance(main.module, ast.MainModule) else ast.SequenceExpr()
    query = distribute(
        body,
        [declaration for unit in builder.units for declaration in unit.module.prolog],
        is_one_document=not several,
        is_empty_greatest=main.static.empty_greatest,
        user_aggregates=_mergeable(env.external_functions),
        unmerged={
            (function.uri, function.local)
            for function in env.external_functions
            if function.protocol is not None and not function.protocol.can_merge
        },
        keeps_windows=keeps_windows and not main.static.is_sequential,
        divides=divides,
        input_of=input_of,
        without=env.without_rules,
    )
    known = schema if not query.distribution.is_parallel else None
    parts = CompiledParts(main.module, _PartPrograms(env, known), env.external_functions)
    return DistributedProgram(query, parts, main.static.part, merged_options(main.static.output, output))


@dataclass(frozen=True)
class _PartPrograms:
    """Compiles the modules for parts of a query."""

    env: StaticEnvironment
    schema: Schema | None

    def builder(self) -> Builder:
        return _builder(self.env)

    def streamed(self, module: ast.Module) -> StreamProgram:
        return _streamed_module(module, self.env, self.schema)


def _mergeable(
    functions: Sequence[ExternalFunction],
) -> dict[tuple[str, str], tuple[ast.SequenceTypeNode, ast.SequenceTypeNode]]:
    """Aggregates that merge their states, with the types of a value and of the result."""
    return {
        (function.uri, function.local): (
            replace(parse_sequence_type(function.parameters[0]), occurrence=""),
            parse_sequence_type(function.returns),
        )
        for function in functions
        if function.protocol is not None and function.protocol.can_merge
    }


def static_context(env: StaticEnvironment) -> StaticContext:
    """The static context that a prolog starts from."""
    context = replace(StaticContext(), base_uri=env.base_uri, namespaces={**PREDECLARED, **env.namespaces})
    return context if env.late_items is None else replace(context, late_items=env.late_items)


def _builder(env: StaticEnvironment) -> Builder:
    external = env.external_functions
    builder = Builder(
        static_context(env), env.modules, external, _window_facts(env), env.without_rules, env.over_updates
    )
    builder.parsed = env.parsed_modules
    return builder


__all__ = [
    "ExternalVariable",
    "ModuleResolver",
    "Program",
    "Query",
    "StaticEnvironment",
    "compile_distributed",
    "compile_history",
    "compile_passes",
    "compile_query",
    "compile_stream",
    "data_flow",
    "parsed",
    "static_context",
    "static_types",
    "with_event_times",
]
