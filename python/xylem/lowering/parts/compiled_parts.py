"""Expressions of a query compiled separately, with its functions and variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from xylem.analysis.free_variables import free_in
from xylem.functions.external import ExternalFunction
from xylem.plan.spread import ITEMS_OF_STREAM, PART_NAMESPACE
from xylem.rewrite.source import is_document_call
from xylem.run.deep_stack import compiled_deep
from xylem.run.program import Program
from xylem.run.stream.program import StreamProgram
from xylem.run.user_classes import know_classes
from xylem.syntax import ast
from xylem.values.sequence_type import SequenceType

from ..python.build import Builder
from ..python.scope import Scope
from ..stream.build import NotStreamable


class ModulePrograms(Protocol):
    """Compiles modules in the static environment of the query."""

    def builder(self) -> Builder: ...

    def streamed(self, module: ast.Module) -> StreamProgram: ...


class CompiledParts:
    """Implements `PartCompiler`: each expression becomes the body of a module with the prolog of the query."""

    def __init__(
        self,
        module: ast.Module,
        programs: ModulePrograms,
        external: Sequence[ExternalFunction] = (),
    ) -> None:
        self.user_aggregates = {
            f"Q{{{function.uri}}}{function.local}": function.protocol
            for function in external
            if function.protocol is not None and function.protocol.can_merge
        }
        self._external = tuple(external)
        know_classes(external)
        self._module = module
        self._programs = programs

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Values made from states of aggregates that come from other processes.
        know_classes(self._external)

    def streamed(self, expr: ast.Expr) -> StreamProgram | None:
        try:
            program = compiled_deep(lambda: self._programs.streamed(self._with_body(expr)))
        except NotStreamable:
            return None
        named = program.plan.source
        # A document named by the query is not its input.
        return None if isinstance(named, ast.FunctionCall) and is_document_call(named) else program

    def over_tree(self, expr: ast.Expr) -> Program:
        return compiled_deep(lambda: self._programs.builder().build(self._with_body(expr)))

    def type_of(self, expr: ast.Expr) -> SequenceType:
        return compiled_deep(lambda: self._type_of(expr))

    def _type_of(self, expr: ast.Expr) -> SequenceType:
        main = self._programs.builder().load(self._with_body(expr))
        assert isinstance(main.module, ast.MainModule)
        with main.compiler.scoped(Scope({}, main.focus)):
            return main.compiler.compile(main.module.body).type

    def _with_body(self, expr: ast.Expr) -> ast.MainModule:
        """A module that gets the values of other parts as external variables."""
        given = sorted(name for name in free_in(expr) if name[0] == PART_NAMESPACE)
        endless = ast.SequenceTypeNode(ast.AnyItemType(), "**")
        variables = (
            ast.VariableDecl(
                ast.Name(local, None, uri),
                endless if (uri, local) == ITEMS_OF_STREAM.name.expanded else None,
                external=True,
            )
            for uri, local in given
        )
        module = self._module
        return ast.MainModule(
            prolog=(*module.prolog, *variables), version=module.version, encoding=module.encoding, body=expr
        )
