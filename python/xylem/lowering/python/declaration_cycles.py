"""Global variables that depend on themselves, directly or through functions (XQuery 3.1 §4.16)."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.errors import StaticError
from xylem.syntax import ast

from .module_table import GlobalVariable, ModuleTable, UserFunction

Declared = GlobalVariable | UserFunction


def variables_in_cycles(units: list[ModuleTable]) -> list[GlobalVariable]:
    """The variables that may depend on themselves through others; XPST0008 for one in its own initialiser.

    Only their computation shows whether such a cycle is closed, so a program computes them first.
    """
    suspects = []
    for unit in units:
        for name, variable in unit.own_variables.items():
            value = variable.declaration.value
            if value is None:
                continue
            for node in value.walk():
                if isinstance(node, ast.VarRef) and node.name.expanded == name and _is_free(value, node):
                    raise StaticError("XPST0008", f"${node.name} is used in its own definition", span=node.span)
            if _leads_back(unit, variable):
                suspects.append(variable)
    return suspects


def _is_free(value: ast.Expr, reference: ast.VarRef) -> bool:
    """Whether nothing inside the initialiser rebinds the name (conservative: it compares only names)."""
    bound = {
        node.name.expanded
        for node in value.walk()
        if isinstance(node, (ast.ForClause, ast.LetClause, ast.Parameter, ast.QuantifiedBinding, ast.WindowClause))
    }
    return reference.name.expanded not in bound


def _leads_back(unit: ModuleTable, start: GlobalVariable) -> bool:
    seen: set[int] = set()
    stack: list[tuple[ModuleTable, Declared]] = [(unit, start)]
    while stack:
        table, declared = stack.pop()
        for owner, needed in _needs(table, declared):
            if needed is start:
                return True
            if id(needed) not in seen:
                seen.add(id(needed))
                stack.append((owner, needed))
    return False


def _needs(table: ModuleTable, declared: Declared) -> Iterator[tuple[ModuleTable, Declared]]:
    """The variables and functions that a declaration mentions."""
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
