"""The whole way of a query, from text to a program, written once for every entry point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xylem.analysis.static_context import PREDECLARED, StaticContext
from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction
from xylem.run.deep_stack import with_deep_stack
from xylem.run.evaluator.build import Builder, ModuleResolver
from xylem.run.evaluator.program import ExternalVariable, Program
from xylem.syntax import ast, parse, parse_sequence_type

if TYPE_CHECKING:
    from xylem.rewrite.windows import WindowFacts
    from xylem.run.distributed.program import DistributedProgram
    from xylem.run.streaming.program import StreamProgram
    from xylem.schema.constraints import Schema


@dataclass(frozen=True)
class StaticEnvironment:
    """What a query is compiled in."""

    name: str = "query"
    """What error messages call the query: a file name, or `query`."""
    base_uri: str | None = None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    modules: ModuleResolver | None = None
    external_functions: Sequence[ExternalFunction] = ()
    without_rules: frozenset[str] = frozenset()
    """Rules for windows that are switched off: `move_where`, `index_windows` … (docs/windows.md lists them)."""
    schema: Schema | None = None
    """What the document behind the context item follows, where that is known."""


def compile_query(text: str, env: StaticEnvironment) -> Program:
    """Compile a query.

    >>> from xylem.pipeline import StaticEnvironment, compile_query
    >>> compile_query("1 + 1", StaticEnvironment()).main.startswith("main")
    True
    """
    return with_deep_stack(lambda: _compiled(text, env))


def _compiled(text: str, env: StaticEnvironment) -> Program:
    return _builder(env).build(parse(text, env.name))


def _window_facts(env: StaticEnvironment) -> WindowFacts | None:
    aggregates = frozenset((f.uri, f.local) for f in env.external_functions if f.protocol is not None)
    if not env.without_rules and env.schema is None and not aggregates:
        return None
    from xylem.rewrite.windows import WindowFacts

    return WindowFacts(without=env.without_rules, schema=env.schema, user_aggregates=aggregates)


def compile_stream(text: str, env: StaticEnvironment, schema: Schema | None = None) -> StreamProgram:
    """Compile a query for one pass over its input; NotStreamable says why where that cannot be."""
    return with_deep_stack(lambda: _compiled_stream(text, env, schema))


def _compiled_stream(text: str, env: StaticEnvironment, schema: Schema | None) -> StreamProgram:
    module = parse(text, env.name)
    return _streamed_windows(module, env, schema) or _streamed_module(module, env, schema)


def _streamed_windows(module: ast.Module, env: StaticEnvironment, schema: Schema | None) -> StreamProgram | None:
    """A query that is a window clause over a path of its input: the items of the path are given to it as they pass."""
    from xylem.rewrite.windows.windows_over_input import has_windows_first, windows_over_input

    if not has_windows_first(module):
        return None
    loaded = _builder(env).load(module).module
    found = windows_over_input(loaded)
    if found is None:
        return None
    from xylem.run.streaming.window_program import window_stream_program

    path = _streamed_module(ast.MainModule(body=found.path, prolog=(), span=module.span), env, schema)
    try:
        query = _builder(env).build(found.module)
    except StaticError as error:
        if error.code != "XYST0010":
            raise
        # It waits for the end of its input, which a document has: `order by`, say.
        return None
    return window_stream_program(path, query, str(found.variable))


def _streamed_module(module: ast.Module, env: StaticEnvironment, schema: Schema | None) -> StreamProgram:
    from xylem.rewrite import to_program
    from xylem.run.streaming.build import NotStreamable, StreamBuilder
    from xylem.run.streaming.program import StreamProgram

    builder = _builder(env)
    main = builder.load(module)
    if not isinstance(main.module, ast.MainModule):
        raise NotStreamable("a library module has no answer")
    imported = [declaration for unit in builder.units if unit is not main for declaration in unit.module.prolog]
    plan = to_program(
        main.module.body,
        schema,
        prolog=main.module.prolog,
        imported=imported,
        externals=builder.externals.keys(),
    )
    stream = StreamBuilder(builder, main, schema)
    stream.build(plan.program)
    handlers = builder.finish(main, "")
    return StreamProgram(
        handlers,
        stream.roles,
        tuple(stream.slots),
        stream.steps.plan(),
        main.static.part,
        plan,
        (main.static.copy_preserve, main.static.copy_inherit),
    )


def compile_distributed(
    text: str,
    env: StaticEnvironment,
    schema: Schema | None = None,
    *,
    several_documents: bool = False,
    output: Mapping[str, Any] | None = None,
) -> DistributedProgram:
    """Compile a query for tasks over parts of its input.

    With `several_documents` the input is a sequence of documents: collection() is that sequence, and a leading `/`
    means the same. `output` holds serialization parameters, which go before those of the query. The schema helps only
    a query that is one task: parts of a document need not have what it requires.
    """
    return with_deep_stack(lambda: _compiled_distributed(text, env, schema, several_documents, output or {}))


def _compiled_distributed(
    text: str, env: StaticEnvironment, schema: Schema | None, several: bool, output: Mapping[str, Any]
) -> DistributedProgram:
    from xylem.rewrite.distribute import distribute
    from xylem.run.distributed.compiled_parts import CompiledParts
    from xylem.run.distributed.lookup import LOOKUP
    from xylem.run.distributed.program import DistributedProgram
    from xylem.sink.default_parameters import merged_options

    env = replace(env, external_functions=(*env.external_functions, LOOKUP))
    builder = _builder(env)
    main = builder.load(parse(text, env.name))
    body = main.module.body if isinstance(main.module, ast.MainModule) else ast.SequenceExpr()
    query = distribute(
        body,
        [declaration for unit in builder.units for declaration in unit.module.prolog],
        is_one_document=not several,
        is_empty_greatest=main.static.empty_greatest,
        user_aggregates=_mergeable(env.external_functions),
    )
    known = schema if not query.distribution.is_parallel else None
    parts = CompiledParts(
        main.module,
        lambda: _builder(env),
        lambda module: _streamed_module(module, env, known),
        env.external_functions,
    )
    return DistributedProgram(query, parts, main.static.part, merged_options(main.static.output, output))


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


def _builder(env: StaticEnvironment) -> Builder:
    context = replace(StaticContext(), base_uri=env.base_uri, namespaces={**PREDECLARED, **env.namespaces})
    return Builder(context, env.modules, env.external_functions, _window_facts(env))


__all__ = [
    "ExternalVariable",
    "ModuleResolver",
    "Program",
    "StaticEnvironment",
    "compile_distributed",
    "compile_query",
    "compile_stream",
]
