"""From parsed modules to a program: imports loaded, names resolved, every part generated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from xylem.analysis.boundedness.mentions import mentions_infinite
from xylem.analysis.history.projections import with_projections
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context, resolved_uri
from xylem.analysis.types import sequence_type
from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction
from xylem.plan.note import Note
from xylem.run.program import ExternalVariable, Program
from xylem.syntax import ast, parse
from xylem.syntax.compilations import COMPILATIONS
from xylem.values.sequence_type import ANY_ITEM, SequenceType

from . import calls, constructors, control, flwor, operators, paths, primaries, sequential, type_operators
from .code import one
from .compiler import YIELD
from .declaration_cycles import variables_in_cycles
from .loaded_modules import LoadedModules
from .module_table import GlobalVariable, ModuleTable
from .scope import Focus, Scope, Variable
from .writer import Writer

if TYPE_CHECKING:
    from xylem.rewrite.windows import WindowFacts

M = TypeVar("M", bound=ast.Module)
HANDLER_MODULES = (calls, constructors, control, flwor, operators, paths, primaries, sequential, type_operators)
"""Importing them registers the handlers."""


def is_infinite(declared: ast.SequenceTypeNode | None) -> bool:
    """Whether a declaration says `as T**`."""
    return declared is not None and declared.occurrence == "**"


class ModuleResolver(Protocol):
    """Finds library modules."""

    def __call__(self, uri: str, locations: Sequence[str]) -> Sequence[tuple[str, str]]:
        """(location, text) of each module of a namespace: found by the location hints, or otherwise known."""


class Builder:
    """Builds one program out of a main module and the library modules it imports."""

    def __init__(
        self,
        environment: StaticContext,
        resolver: ModuleResolver | None,
        externals: Sequence[ExternalFunction],
        window_facts: WindowFacts | None = None,
        without_rules: frozenset[str] = frozenset(),
        over_updates: bool = False,
    ) -> None:
        self.environment = environment
        self.over_updates = over_updates
        """Whether the input is update streams: stream("x") then returns the document of one."""
        self.resolver = resolver
        self.externals = {(function.uri, function.local): function for function in externals}
        self.parsed: dict[tuple[str, str], ast.Module] = {}
        """Library modules by location and text, shared between programs of the query so that each is parsed once."""
        self.writer = Writer()
        self.writer.window_facts = window_facts
        self.writer.without_rules = without_rules
        self.tables: dict[tuple[str, str], ModuleTable] = {}
        self.units: list[ModuleTable] = []
        self.context_types: tuple[SequenceType, ...] = ()
        self.context_name: str | None = None
        self.lowered: ast.Expr | None = None

    def build(self, module: ast.Module) -> Program:
        """The program of a main module; a library module gives one without a body."""
        main = self.load(module, check_bounds=True)
        return self.finish(main, self._write_main(main, variables_in_cycles(self.units)))

    def resolved(self, module: M) -> M:
        """A main module with every name resolved."""
        return self._resolved(module, build_static_context(module, self.environment))

    def load(self, module: ast.Module, *, check_bounds: bool = False) -> ModuleTable:
        """Load a module and all it imports; write their functions and variables.

        `check_bounds`: refuse blocking operations on infinite sequences. Streamed queries handle them otherwise.
        """
        COMPILATIONS.lowered += 1
        main = self._load(module, self.environment)
        if check_bounds:
            self._check_bounds()
        self.context_types, self.context_name = self._context_item(main)
        for unit in self.units:
            unit.check_imports()
        for unit in self.units:
            unit.focus = self._global_focus(self.context_types)
        for unit in self.units:
            unit.write_functions()
        return main

    def finish(self, main: ModuleTable, name: str) -> Program:
        """The program whose entry is the generated function of this name."""
        source, spans = self.writer.source()
        constants = dict(self.writer.constants)
        if self.context_name is not None:
            constants["context_initialiser"] = self.context_name
        return Program(
            main.module,
            source,
            spans,
            constants,
            name,
            main.static.output,
            self._external_variables(),
            self.context_types,
            LoadedModules(self.resolver, tuple(self.externals.values())),
            main.static.base_uri,
            self.writer.notes,
            self.writer.places,
            self.lowered,
            self.writer.planned,
            self.writer.indexes,
            self.writer.can_write,
        )

    def _check_bounds(self) -> None:
        modules = [unit.module for unit in self.units]
        if not any(map(mentions_infinite, modules)):
            return
        from xylem.analysis.boundedness.check import check_boundedness

        found = check_boundedness(modules)
        if found.has_infinite:
            self.writer.bounds = found
            self.writer.notes.extend(Note(remark.span, "endless", remark.text) for remark in found.remarks)

    # --- modules

    def _load(self, module: ast.Module, environment: StaticContext) -> ModuleTable:
        static = build_static_context(module, environment)
        resolved = self._resolved(module, static)
        table = ModuleTable(resolved, static, self.writer, self.externals)
        self.units.append(table)
        if isinstance(resolved, ast.LibraryModule):
            table.uri = resolved.uri
        table.declare()
        self._import_all(table)
        return table

    def _resolved(self, module: M, static: StaticContext) -> M:
        """The module with every name resolved, and with calls for projections into history."""
        return with_projections(resolve_names(module, static), over_updates=self.over_updates)

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
            hint = f"looked at {', '.join(locations)}" if locations else 'no location hint was given (import … at "…")'
            raise StaticError("XQST0059", declaration.uri, span=declaration.span, hint=hint)
        return [self._library(declaration, location, text) for location, text in found]

    def _library(self, declaration: ast.ModuleImport, location: str, text: str) -> ModuleTable:
        key = (declaration.uri, location)
        known = self.tables.get(key)
        if known is not None:
            return known
        module = self.parsed.get((location, text))
        if module is None:
            module = self.parsed[location, text] = parse(text, location)
        if not isinstance(module, ast.LibraryModule) or module.uri != declaration.uri:
            found = module.uri if isinstance(module, ast.LibraryModule) else "a main module"
            raise StaticError("XQST0059", f"{location} is {found}, not {declaration.uri}", span=declaration.span)
        environment = replace(StaticContext(), base_uri=location)
        static = build_static_context(module, environment)
        table = ModuleTable(self._resolved(module, static), static, self.writer, self.externals, module.uri)
        # Registered before its own imports are loaded: modules may import each other.
        self.tables[key] = table
        self.units.append(table)
        table.declare()
        self._import_all(table)
        return table

    # --- the parts of a program

    def _global_focus(self, declared: tuple[SequenceType, ...]) -> Focus:
        code = one("context_item()", declared[0].item if declared else ANY_ITEM)
        return Focus(Variable(code, None, None, 0, False), is_global=True)

    def _context_item(self, main: ModuleTable) -> tuple[tuple[SequenceType, ...], str | None]:
        """The types the modules declare for the context item, and the function that gives its default value."""
        types: list[SequenceType] = []
        initialiser = None
        for unit in self.units:
            for declaration in unit.module.prolog:
                if not isinstance(declaration, ast.ContextItemDecl):
                    continue
                if declaration.type is not None:
                    types.append(sequence_type(declaration.type))
                if declaration.value is not None:
                    if unit is not main:
                        raise StaticError("XQST0113", span=declaration.span)
                    initialiser = self._context_initialiser(unit, declaration)
        return tuple(types), initialiser

    def _context_initialiser(self, unit: ModuleTable, declaration: ast.ContextItemDecl) -> str | None:
        value = declaration.value
        if value is None:
            return None
        c = unit.compiler
        focus = Focus(None, absent_reason="the context item is not known while it is computed")
        with c.scoped(Scope({}, focus)):
            frame = c.lifted(
                "initial",
                [],
                c.describe(declaration),
                lambda: c.writer.line(f"return {c.as_sequence(c.compile(value))}"),
            )
        return frame.name

    def _write_main(self, main: ModuleTable, first: list[GlobalVariable]) -> str:
        c = main.compiler
        body = main.module.body if isinstance(main.module, ast.MainModule) else ast.SequenceExpr()
        lowered = self.lowered = main.joined_body(body)
        with c.scoped(Scope({}, main.focus)):

            def write() -> None:
                for variable in first:
                    c.writer.line(f"{variable.python_name}()")
                c.writer.answer = lowered
                c.push(lowered, YIELD)

            frame = c.lifted("main", [], "", write)
        frame.is_generator = True
        return frame.name

    def _external_variables(self) -> tuple[ExternalVariable, ...]:
        return tuple(
            ExternalVariable(
                *name, sequence_type(v.declaration.type), v.declaration.value is not None,
                is_infinite(v.declaration.type)
            )
            for unit in self.units
            for name, v in unit.own_variables.items()
            if v.declaration.external
        )
