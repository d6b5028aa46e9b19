"""Global variables that depend on themselves, directly or through functions (XQuery 3.1 §4.16)."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.errors import DynamicError, StaticError
from xylem.syntax import ast

from .module_table import GlobalVariable, ModuleTable, UserFunction

Declared = GlobalVariable | UserFunction


def check_cycles(units: list[ModuleTable]) -> None:
    """XPST0008 for a variable in its own initialiser, XQDY0054 for a longer way back."""
    for unit in units:
        for name, variable in unit.own_variables.items():
            value = variable.declaration.value
            if value is None:
                continue
            for node in value.walk():
                if isinstance(node, ast.VarRef) and node.name.expanded == name and _is_free(value, node):
                    raise StaticError("XPST0008", f"${node.name} is used in its own definition", span=node.span)
            _follow(unit, variable)


def _is_free(value: ast.Expr, reference: ast.VarRef) -> bool:
    """Whether nothing inside the initialiser binds the name anew (told by name alone: enough to be sure)."""
    bound = {
        node.name.expanded
        for node in value.walk()
        if isinstance(node, (ast.ForClause, ast.LetClause, ast.Parameter, ast.QuantifiedBinding, ast.WindowClause))
    }
    return reference.name.expanded not in bound


def _follow(unit: ModuleTable, start: GlobalVariable) -> None:
    seen: set[int] = set()
    stack: list[tuple[ModuleTable, Declared]] = [(unit, start)]
    while stack:
        table, declared = stack.pop()
        for owner, needed in _needs(table, declared):
            if needed is start:
                raise DynamicError("XQDY0054", f"${start.declaration.name}", span=start.declaration.span)
            if id(needed) not in seen:
                seen.add(id(needed))
                stack.append((owner, needed))


def _needs(table: ModuleTable, declared: Declared) -> Iterator[tuple[ModuleTable, Declared]]:
    """The variables and functions a declaration mentions."""
    declaration = declared.declaration
    body = declaration.value if isinstance(declaration, ast.VariableDecl) else declaration.body
    if body is None:
        return
    for node in body.walk():
        for owner in (table, *table.imports):
            found: Declared | None = None
            if isinstance(node, ast.VarRef) and isinstance(body, ast.Expr) and _is_free(body, node):
                found = owner.own_variables.get(node.name.expanded)
            elif isinstance(node, ast.FunctionCall):
                found = owner.own_functions.get((*node.name.expanded, len(node.arguments)))
            elif isinstance(node, ast.NamedFunctionRef):
                found = owner.own_functions.get((*node.name.expanded, node.arity))
            if found is not None:
                yield owner, found
