"""Prepares a query for its stream: whether it streams, which input it reads, and its other documents."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xylem.errors import StaticError
from xylem.functions.registry import FN
from xylem.lowering.python.endless import STREAM_NAMES
from xylem.lowering.stream.build import NotStreamable
from xylem.plan.tree_reasons import tree_reason
from xylem.source.byte_source import ByteSource, Source
from xylem.source.resources import FileResources
from xylem.syntax import ast
from xylem.values.uri import resolve

if TYPE_CHECKING:
    from xylem.run.program import Program
    from xylem.run.stream.program import StreamProgram
    from xylem.run.tasks.program import DistributedProgram
    from xylem.schema import Schema
    from xylem.source.byte_ranges import Scope

NOT_STREAMABLE = "XYST0004"
Validation = Literal["full", "lazy"]


def check_reads_input(program: StreamProgram, *, is_alone: bool = True) -> None:
    """XYST0004 if a streamed program does not read the input, or has its own context item."""
    for declaration in program.handlers.module.prolog:
        if isinstance(declaration, ast.ContextItemDecl):
            raise not_streamable("the query declares its context item", declaration)
    if is_alone and not program.plan.reads_input:
        raise not_streamable("it reads no input", None)


def placed(refused: NotStreamable, written: ast.Module) -> StaticError:
    """The refusal, with the most likely place if it has none."""
    reason = tree_reason(written) if refused.node is None else None
    if reason is None:
        return not_streamable(refused.why, refused.node)
    return not_streamable(f"{refused.why}: {reason[0]}", reason[1])


def not_streamable(why: str, node: ast.Node | None) -> StaticError:
    """The error that says why."""
    return StaticError(NOT_STREAMABLE, why, span=None if node is None else node.span)


def loaded_schema(schema: Schema | str | PathLike[str] | None) -> Schema | None:
    """A schema, from a path, a text, or already loaded."""
    if isinstance(schema, (str, PathLike)):
        from xylem.schema import load_schema

        return load_schema(schema if isinstance(schema, str) and "<" in schema else Path(schema))
    return schema


def stream_source(program: StreamProgram, source: Source | ByteSource | None, resources: FileResources) -> ByteSource:
    """The input of a run: the one given, or the document that the query itself names."""
    named = program.plan.source
    if source is None:
        if named is None:
            raise not_streamable("no input is given, and the query names none by doc(…)", None)
        return ByteSource.of(_file_of(program, named, resources))
    if named is not None and not _is_stream(named):
        raise not_streamable("it reads a document that it names itself, and not the input", named)
    opened = ByteSource.of(source)
    if opened.uri is not None and opened.name is not None and Path(opened.name).is_file():
        # If the query asks for it by its URI again, it becomes a tree.
        resources.add_document(opened.uri, Path(opened.name))
    return opened


def _is_stream(named: ast.Expr) -> bool:
    """stream("…") is the input, whatever its name."""
    return isinstance(named, ast.FunctionCall) and named.name.local == "stream"


def stream_names(module: ast.Module) -> list[str]:
    """The streams that a query names, each once."""
    found = [
        node.arguments[0].value
        for node in module.walk()
        if isinstance(node, ast.FunctionCall)
        and node.name.expanded in STREAM_NAMES
        and len(node.arguments) == 1
        and isinstance(node.arguments[0], ast.StringLiteral)
    ]
    return list(dict.fromkeys(found))


def _file_of(program: StreamProgram, named: ast.Expr, resources: FileResources) -> Any:
    if not isinstance(named, ast.FunctionCall) or not isinstance(named.arguments[0], ast.StringLiteral):
        raise not_streamable("the document it reads has no fixed name", named)
    if _is_stream(named):
        raise not_streamable("the stream that it names is the input, and none is given", named)
    uri = resolve(named.arguments[0].value, program.static.base_uri or "")
    return resources.places.path(uri, "FODC0002")


def record_scopes(program: DistributedProgram) -> tuple[Scope, ...]:
    """The paths to the records of a query; XYST0005 if it has none."""
    if program.scopes:
        return program.scopes
    why = next((part.why for part in program.distribution.parts if part.why), "it has no path to records")
    raise StaticError("XYST0005", why)


def validated(source: ByteSource, program: StreamProgram, schema: Schema | None, mode: Validation | None) -> ByteSource:
    """The input, validated while it streams, if so asked."""
    if mode is None:
        return source
    from xylem.run.stream.validated_source import ValidatedSource
    from xylem.schema import DeclaredSchema

    if not isinstance(schema, DeclaredSchema):
        raise ValueError("validation needs a schema")
    return ValidatedSource(source, schema, None if mode == "full" else _relied_on(program))


def _relied_on(program: StreamProgram) -> frozenset[str] | None:
    """The elements whose children stream in an order that the schema guarantees; None for any."""
    from xylem.run.stream.roles import ScopeRole

    names = {program.scan.steps[role.step].local for role in program.roles if isinstance(role, ScopeRole)}
    names.discard(program.scan.steps[0].local)
    return None if None in names else frozenset(name for name in names if name is not None)


def default_collection_call(program: Program) -> tuple[ast.Node, str] | None:
    """The place and the function by which a query reads the default collection; None if it does not."""
    for node in program.module.walk():
        for name, arity in _called(node):
            if name.expanded in ((FN, "collection"), (FN, "uri-collection")) and arity == 0:
                return node, name.local
    return None


def _called(node: ast.Node) -> Iterator[tuple[ast.Name, int]]:
    if isinstance(node, ast.FunctionCall):
        yield node.name, len(node.arguments)
    elif isinstance(node, ast.NamedFunctionRef):
        yield node.name, node.arity
