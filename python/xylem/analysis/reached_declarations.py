"""Find the declarations of a query's modules that an expression may use: functions it calls, variables it reads."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.syntax import ast

from .free_variables import NONE, Names, free_in


def reached_declarations(
    parts: Iterable[ast.Node], declared: Iterable[ast.Declaration]
) -> list[ast.FunctionDecl | ast.VariableDecl]:
    """The declarations that evaluating these parts may use, in the order of discovery."""
    functions: dict[tuple[str, str, int], ast.FunctionDecl] = {}
    variables: dict[tuple[str, str], ast.VariableDecl] = {}
    for declaration in declared:
        if isinstance(declaration, ast.FunctionDecl):
            functions[*declaration.name.expanded, len(declaration.parameters)] = declaration
        elif isinstance(declaration, ast.VariableDecl):
            variables[declaration.name.expanded] = declaration
    found: dict[int, ast.FunctionDecl | ast.VariableDecl] = {}
    todo = list(parts)
    while todo:
        part = todo.pop()
        # A variable that the part binds itself is another one.
        free = free_in(part) if variables else NONE
        for node in part.walk():
            for declaration in _named(node, functions, variables, free):
                if id(declaration) not in found:
                    found[id(declaration)] = declaration
                    todo.append(declaration)
    return list(found.values())


def _named(
    node: ast.Node,
    functions: dict[tuple[str, str, int], ast.FunctionDecl],
    variables: dict[tuple[str, str], ast.VariableDecl],
    free: Names,
) -> Iterable[ast.FunctionDecl | ast.VariableDecl]:
    match node:
        case ast.VarRef(name=name):
            yield from filter(None, [variables.get(name.expanded)] if name.expanded in free else [])
        case ast.FunctionCall(name=name, arguments=arguments):
            yield from filter(None, [functions.get((*name.expanded, len(arguments)))])
        case ast.NamedFunctionRef(name=name, arity=arity):
            yield from filter(None, [functions.get((*name.expanded, arity))])
