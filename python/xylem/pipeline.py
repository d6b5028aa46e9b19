"""The whole way of a query, from text to a program, written once for every entry point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xylem.analysis.static_context import PREDECLARED, StaticContext
from xylem.functions.external import ExternalFunction
from xylem.run.deep_stack import with_deep_stack
from xylem.run.evaluator.build import Builder, ModuleResolver
from xylem.run.evaluator.program import ExternalVariable, Program
from xylem.syntax import ast, parse

if TYPE_CHECKING:
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


def compile_query(text: str, env: StaticEnvironment) -> Program:
    """Compile a query.

    >>> from xylem.pipeline import StaticEnvironment, compile_query
    >>> compile_query("1 + 1", StaticEnvironment()).main.startswith("main")
    True
    """
    return with_deep_stack(lambda: _compiled(text, env))


def _compiled(text: str, env: StaticEnvironment) -> Program:
    module = parse(text, env.name)
    context = replace(StaticContext(), base_uri=env.base_uri, namespaces={**PREDECLARED, **env.namespaces})
    return Builder(context, env.modules, env.external_functions).build(module)


def compile_stream(text: str, env: StaticEnvironment, schema: Schema | None = None) -> StreamProgram:
    """Compile a query for one pass over its input; NotStreamable says why where that cannot be."""
    return with_deep_stack(lambda: _compiled_stream(text, env, schema))


def _compiled_stream(text: str, env: StaticEnvironment, schema: Schema | None) -> StreamProgram:
    from xylem.rewrite import to_program
    from xylem.run.streaming.build import NotStreamable, StreamBuilder
    from xylem.run.streaming.program import StreamProgram

    module = parse(text, env.name)
    context = replace(StaticContext(), base_uri=env.base_uri, namespaces={**PREDECLARED, **env.namespaces})
    builder = Builder(context, env.modules, env.external_functions)
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


__all__ = ["ExternalVariable", "ModuleResolver", "Program", "StaticEnvironment", "compile_query", "compile_stream"]
