"""From parsed modules to a program: imports loaded, names resolved, every part generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context, resolved_uri
from xylem.analysis.types import LIST_TYPES, sequence_type
from xylem.errors import DynamicError, StaticError
from xylem.functions.context import Context, RunPart
from xylem.functions.external import ExternalFunction
from xylem.functions.library import look_up
from xylem.functions.registry import PREFIXES
from xylem.syntax import ast, parse
from xylem.values import atomic_type as at
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_ITEM, AtomicItem, Occurrence, SequenceType

from ..runtime.calls import builtin_function
from ..runtime.types import cast_optional, cast_to_list
from . import calls, constructors, control, flwor, operators, paths, primaries, type_operators
from .code import one
from .compiler import YIELD
from .module_table import ModuleTable
from .program import ExternalVariable, Program
from .scope import Focus, Scope, Variable
from .writer import Writer

HANDLER_MODULES = (calls, constructors, control, flwor, operators, paths, primaries, type_operators)
"""Importing them registers the handlers."""


class ModuleResolver(Protocol):
    """Finds library modules."""

    def __call__(self, uri: str, locations: Sequence[str]) -> Sequence[tuple[str, str]]:
        """(location, text) of each module of a namespace: from the location hints, or known otherwise."""


class Builder:
    """Builds one program out of a main module and the library modules it imports."""

    def __init__(
        self, environment: StaticContext, resolver: ModuleResolver | None, externals: Sequence[ExternalFunction]
    ) -> None:
        self.environment = environment
        self.resolver = resolver
        self.externals = {(function.uri, function.local): function for function in externals}
        self.writer = Writer()
        self.tables: dict[tuple[str, str], ModuleTable] = {}
        self.units: list[ModuleTable] = []

    def build(self, module: ast.Module) -> Program:
        """The program of a main module; a library module gives one without a body."""
        main = self._load(module, self.environment)
        context_type, context_name = self._context_item(main)
        for unit in self.units:
            unit.check_imports()
        for unit in self.units:
            unit.focus = self._global_focus(unit, context_type)
        for unit in self.units:
            unit.write_functions()
        name = self._write_main(main)
        source, spans = self.writer.source()
        constants = dict(self.writer.constants)
        if context_name is not None:
            constants["context_initialiser"] = context_name
        return Program(
            main.module,
            source,
            spans,
            constants,
            name,
            main.static.output,
            self._external_variables(),
            context_type,
            lambda space, name, arity: self._find_function(main, space, name, arity),
            self._load_dynamically,
            main.static.base_uri,
        )

    # --- modules

    def _load(self, module: ast.Module, environment: StaticContext) -> ModuleTable:
        static = build_static_context(module, environment)
        resolved = resolve_names(module, static)
        table = ModuleTable(resolved, static, self.writer, self.externals)
        self.units.append(table)
        if isinstance(resolved, ast.LibraryModule):
            table.uri = resolved.uri
        table.declare()
        self._import_all(table)
        return table

    def _import_all(self, table: ModuleTable) -> None:
        imported: set[str] = set()
        for declaration in table.module.prolog:
            if not isinstance(declaration, ast.ModuleImport):
                continue
            if declaration.uri in imported:
                raise StaticError("XQST0047", declaration.uri, span=declaration.span)
            imported.add(declaration.uri)
            for unit in self._imported(declaration, table.static):
                if unit is not table:
                    table.imports.append(unit)

    def _imported(self, declaration: ast.ModuleImport, static: StaticContext) -> list[ModuleTable]:
        locations = [resolved_uri(static.base_uri, hint) for hint in declaration.locations]
        found = self.resolver(declaration.uri, locations) if self.resolver else []
        if not found:
            hint = f"looked at {', '.join(locations)}" if locations else "no location hint was given (import … at \"…\")"
            raise StaticError("XQST0059", declaration.uri, span=declaration.span, hint=hint)
        return [self._library(declaration, location, text) for location, text in found]

    def _library(self, declaration: ast.ModuleImport, location: str, text: str) -> ModuleTable:
        key = (declaration.uri, location)
        known = self.tables.get(key)
        if known is not None:
            return known
        module = parse(text, location)
        if not isinstance(module, ast.LibraryModule) or module.uri != declaration.uri:
            found = module.uri if isinstance(module, ast.LibraryModule) else "a main module"
            raise StaticError("XQST0059", f"{location} is {found}, not {declaration.uri}", span=declaration.span)
        environment = replace(StaticContext(), base_uri=location)
        static = build_static_context(module, environment)
        table = ModuleTable(resolve_names(module, static), static, self.writer, self.externals, module.uri)
        # Known before its own imports are loaded: modules may import each other.
        self.tables[key] = table
        self.units.append(table)
        table.declare()
        self._import_all(table)
        return table

    # --- the parts of a program

    def _global_focus(self, unit: ModuleTable, declared: SequenceType | None) -> Focus:
        item = declared.item if declared is not None else ANY_ITEM
        code = one("context_item()", item)
        return Focus(Variable(code, None, None, 0, False), is_global=True)

    def _context_item(self, main: ModuleTable) -> tuple[SequenceType | None, str | None]:
        """The declared type of the context item, and the function that gives its default value."""
        found: tuple[SequenceType | None, str | None] = (None, None)
        for unit in self.units:
            for declaration in unit.module.prolog:
                if not isinstance(declaration, ast.ContextItemDecl):
                    continue
                kind = None if declaration.type is None else sequence_type(declaration.type)
                if unit is not main:
                    if declaration.value is not None:
                        raise StaticError("XQST0113", span=declaration.span)
                    continue
                found = (kind, self._context_initialiser(unit, declaration))
        return found

    def _context_initialiser(self, unit: ModuleTable, declaration: ast.ContextItemDecl) -> str | None:
        value = declaration.value
        if value is None:
            return None
        c = unit.compiler
        focus = Focus(None, absent_reason="the context item is not known while it is computed")
        with c.scoped(Scope({}, focus)):
            frame = c.lifted(
                "initial", [], c.describe(declaration), lambda: c.writer.line(f"return {c.as_sequence(c.compile(value))}")
            )
        return frame.name

    def _write_main(self, main: ModuleTable) -> str:
        c = main.compiler
        body = main.module.body if isinstance(main.module, ast.MainModule) else ast.SequenceExpr()
        with c.scoped(Scope({}, main.focus)):
            frame = c.lifted("main", [], "", lambda: (c.push(body, YIELD), None)[1])
        frame.is_generator = True
        return frame.name

    def _external_variables(self) -> tuple[ExternalVariable, ...]:
        return tuple(
            ExternalVariable(*name, sequence_type(v.declaration.type), v.declaration.value is not None)
            for unit in self.units
            for name, v in unit.own_variables.items()
            if v.declaration.external
        )

    # --- while a query runs

    def _find_function(
        self, main: ModuleTable, space: dict[str, Any], name: QName, arity: int
    ) -> FunctionItem | None:
        """A function by name and arity: fn:function-lookup, and references to built-in functions."""
        declared = main.user_function(main.compiler, ast.Name(name.local, None, name.uri), arity)
        if declared is not None:
            call = space[declared.python_name]
            return FunctionItem(name, declared.parameters, declared.returns, call, declared.annotations)
        if name.uri == PREFIXES["xs"]:
            return _constructor(name) if arity == 1 else None
        builtin = main.external(ast.Name(name.local, None, name.uri), arity) or look_up(name.uri, name.local, arity)
        if builtin is None or arity < builtin.least:
            return None
        run: RunPart = space["run"]
        return builtin_function(builtin, arity, Context(main.static.part, run), name)

    def _load_dynamically(
        self, uri: str, locations: Sequence[str], item: Any, variables: dict[tuple[str, str], Any]
    ) -> tuple[list[tuple[QName, Sequence[Any]]], list[FunctionItem]]:
        raise DynamicError("FOQM0002", uri)


def _constructor(name: QName) -> FunctionItem | None:
    """xs:TYPE#1"""
    parameters = (SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL),)
    if name.local in LIST_TYPES:
        returns = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.MANY)
        local = name.local
        return FunctionItem(name, parameters, returns, lambda v: cast_to_list(() if v is None else (v,), local, True))
    target = at.ATOMIC_TYPES.get(name.local)
    if target is None or target in (at.ANY_ATOMIC, at.NOTATION):
        return None
    returns = SequenceType(AtomicItem(target), Occurrence.OPTIONAL)
    return FunctionItem(name, parameters, returns, lambda value: cast_optional(value, target))
