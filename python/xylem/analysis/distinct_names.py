"""Static errors of names that one function, loop or window binds twice.

They are looked for with the names of a module, before any rule may remove or rename a variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.errors import StaticError
from xylem.syntax import ast


def check_parameters(parameters: Iterable[ast.Parameter]) -> None:
    """XQST0039 for a function with two parameters of one name."""
    _refuse_second("XQST0039", (parameter.name for parameter in parameters))


def check_clause(clause: ast.Clause) -> None:
    """XQST0089 for a loop whose position has the name of its item, XQST0103 for two variables of a window."""
    match clause:
        case ast.ForClause(name=name, position=ast.Name() as position) if name.expanded == position.expanded:
            raise StaticError("XQST0089", f"${name}", span=clause.span)
        case ast.WindowClause(name=name, start=start, end=end):
            conditions = [start.variables] if end is None else [start.variables, end.variables]
            found = (one for of in conditions for one in (of.current, of.position, of.previous, of.next))
            _refuse_second("XQST0103", (name, *(one for one in found if one is not None)))
        case ast.ForseqClause(name=name, window=window) if window is not None:
            bounds = (window.start, window.end)
            _refuse_second("XQST0103", (name, *(one.name for bound in bounds for one in bound.variables)))
            for bound in bounds:
                roles = [variable.role for variable in bound.variables]
                for variable in bound.variables:
                    if roles.count(variable.role) > 1:
                        raise StaticError(
                            "XQST0103", f"two variables for one role: ${variable.name}", span=variable.span
                        )


def _refuse_second(code: str, names: Iterable[ast.Name]) -> None:
    seen: set[tuple[str, str]] = set()
    for name in names:
        if name.expanded in seen:
            raise StaticError(code, f"${name}", span=name.span)
        seen.add(name.expanded)
