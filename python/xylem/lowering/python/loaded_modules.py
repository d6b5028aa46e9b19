"""Library modules that a query loads while it runs (fn:load-xquery-module)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xylem.analysis.static_context import StaticContext
from xylem.errors import DynamicError, XylemError
from xylem.functions.context import RunPart
from xylem.functions.external import ExternalFunction
from xylem.syntax import ast, parse
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName

if TYPE_CHECKING:
    from .build import ModuleResolver

Loaded = tuple[list[tuple[QName, Sequence[Any]]], list[FunctionItem]]


@dataclass(frozen=True)
class LoadedModules:
    """Finds and compiles modules while the query runs, because only then are their names known."""

    resolver: ModuleResolver | None
    externals: tuple[ExternalFunction, ...]

    def __call__(
        self, run: RunPart, uri: str, locations: Sequence[str], item: Any, variables: dict[tuple[str, str], Any]
    ) -> Loaded:
        """The public variables and functions of a library module."""
        from .build import Builder

        location, text = self._found(uri, locations)
        module = parse(text, location)
        if not isinstance(module, ast.LibraryModule) or module.uri != uri:
            raise DynamicError("FOQM0002", f"{location} is not a module of {uri}")
        builder = Builder(replace(StaticContext(), base_uri=location), self.resolver, self.externals)
        program = builder.build(module)
        inner = RunPart(run.resources, run.now, run.environment, variables)
        space = program.namespace(inner, None if item is None else (item,))
        table = builder.units[0]
        functions = [
            FunctionItem(
                QName(f.declaration.name.uri or "", f.declaration.name.local),
                f.parameters,
                f.returns,
                space[f.python_name],
                f.annotations,
            )
            for f in table.own_functions.values()
            if not f.is_private
        ]
        values = [
            (QName(*name), table.variable_value(variable, space))
            for name, variable in table.own_variables.items()
            if not variable.is_private
        ]
        return values, functions

    def _found(self, uri: str, locations: Sequence[str]) -> tuple[str, str]:
        try:
            found = self.resolver(uri, locations) if self.resolver else []
        except XylemError as error:
            raise DynamicError("FOQM0002", f"{uri}: {error.message}") from error
        if not found:
            raise DynamicError("FOQM0002", uri)
        return found[0]
