"""The external variables of a query, by the names a caller writes."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable

from xylem.analysis.static_context import PREDECLARED
from xylem.errors import DynamicError, InputError
from xylem.run.program import Program
from xylem.syntax import ast

ExpandedName = tuple[str, str]


def external_names(program: Program, written: Iterable[str], *, ignoring_case: bool = False) -> dict[str, ExpandedName]:
    """The expanded name of each written one: `local`, `prefix:local` or `Q{uri}local`.

    XYIN0006 for a name that the query does not declare external: an unread value is a mistake. `ignoring_case` is for
    callers that know names only in lower case: they mean the only variable that fits.
    """
    declared = {(variable.uri, variable.local) for variable in program.external_variables}
    names: dict[str, ExpandedName] = {}
    for name in written:
        expanded = expanded_name(program.module, name)
        if ignoring_case and expanded not in declared and expanded is not None:
            near = [one for one in declared if tuple(map(str.lower, one)) == tuple(map(str.lower, expanded))]
            expanded = near[0] if len(near) == 1 else None
        if expanded not in declared:
            raise InputError("XYIN0006", f"${name}", hint=_hint(name, sorted(declared)))
        names[name] = expanded
    return names


def check_values(program: Program, given: Container[ExpandedName]) -> None:
    """XPDY0002 for an external variable without a value or a default.

    In one process, reading such a variable is an error. In tasks, each record would fail, and a policy would skip all
    of them; so the check comes before the tasks.
    """
    for variable in program.external_variables:
        if (variable.uri, variable.local) not in given and not variable.has_default:
            name = f"Q{{{variable.uri}}}{variable.local}" if variable.uri else variable.local
            told = f"the external variable ${name} has no value"
            raise DynamicError("XPDY0002", told, hint=f"give it a value: -v {name}=…, or variables={{'{name}': …}}")


def expanded_name(module: ast.Module, name: str) -> ExpandedName | None:
    """The expanded name of a written one, by the prefixes of a prolog; None for one that it does not know."""
    if name.startswith("Q{"):
        uri, _, local = name[2:].partition("}")
        return uri, local
    prefix, colon, local = name.rpartition(":")
    if not colon:
        return "", name
    for declaration in module.prolog:
        if isinstance(declaration, (ast.NamespaceDecl, ast.ModuleImport)) and declaration.prefix == prefix:
            return declaration.uri, local
    return (PREDECLARED[prefix], local) if prefix in PREDECLARED else None


def _hint(name: str, declared: list[ExpandedName]) -> str:
    if not declared:
        return f"declare it in the query: declare variable ${name} external;"
    shown = [f"$Q{{{uri}}}{local}" if uri else f"${local}" for uri, local in declared]
    near = difflib.get_close_matches(f"${name}", shown, n=1)
    return f"did you mean {near[0]}?" if near else f"it declares {', '.join(shown)}"
