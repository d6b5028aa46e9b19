"""fn:load-xquery-module: compile a library module while a query runs, and hand out what it declares.

The module becomes a program of its own, of a main module that only imports it. It shares the run's resources and
current time, not its variables or context item (F&O 3.1 §16.2.7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xylem.analysis.types import sequence_type
from xylem.errors import DynamicError, XylemError
from xylem.functions.context import RunPart
from xylem.syntax import parse
from xylem.values.conversion import convert
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName

from .code import Shape
from .module_table import GlobalVariable, ModuleTable

if TYPE_CHECKING:
    from .build import Builder

Loaded = tuple[list[tuple[QName, Sequence[Any]]], list[FunctionItem]]
"""The public variables and functions of a module."""


def load_module(
    builder: Builder,
    run: RunPart,
    uri: str,
    locations: Sequence[str],
    item: Any | None,
    variables: Mapping[tuple[str, str], Sequence[Any]],
) -> Loaded:
    """What the modules of a namespace declare; `builder` is a fresh one, with the query's own resolver."""
    if not _is_known(builder, uri, locations):
        hint = f"looked at {', '.join(locations)}" if locations else "give the option location-hints"
        raise DynamicError("FOQM0002", uri, hint=hint)
    program = builder.build(parse(_importing(uri, locations), f"the import of {uri}"))
    tables = [table for (namespace, _), table in builder.tables.items() if namespace == uri]
    _check_types(tables, variables)
    own_run = replace(run, variables=dict(variables))
    space = program.namespace(own_run, None if item is None else (item,))
    found: Loaded = ([], [])
    for table in tables:
        for variable in table.own_variables.values():
            if not variable.is_private:
                found[0].append((_name_of(variable), _value(variable, space)))
        for function in table.own_functions.values():
            if not function.is_private:
                name = function.declaration.name
                qname = QName(name.uri or "", name.local, name.prefix or "")
                call = space[function.python_name]
                found[1].append(FunctionItem(qname, function.parameters, function.returns, call, function.annotations))
    return found


def _is_known(builder: Builder, uri: str, locations: Sequence[str]) -> bool:
    try:
        return builder.resolver is not None and bool(builder.resolver(uri, locations))
    except XylemError as error:
        if error.code == "XQST0059":
            return False
        raise


def _importing(uri: str, locations: Sequence[str]) -> str:
    """A main module that imports another."""
    at = f" at {', '.join(map(_literal, locations))}" if locations else ""
    return f"import module namespace loaded = {_literal(uri)}{at}; ()"


def _literal(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace('"', '""')
    return f'"{escaped}"'


def _check_types(tables: Sequence[ModuleTable], variables: Mapping[tuple[str, str], Sequence[Any]]) -> None:
    for table in tables:
        for name, variable in table.own_variables.items():
            if variable.declaration.external and name in variables:
                try:
                    convert(variables[name], sequence_type(variable.declaration.type), f"${name[1]}")
                except DynamicError as error:
                    raise DynamicError("FOQM0005", error.why) from error


def _name_of(variable: GlobalVariable) -> QName:
    name = variable.declaration.name
    return QName(name.uri or "", name.local, name.prefix or "")


def _value(variable: GlobalVariable, space: Mapping[str, Any]) -> Sequence[Any]:
    value = space[variable.python_name]()
    assert variable.code is not None
    match variable.code.shape:
        case Shape.ONE:
            return (value,)
        case Shape.OPTIONAL:
            return () if value is None else (value,)
    return value if isinstance(value, (list, tuple, range)) else list(value)
