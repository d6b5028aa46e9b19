"""The variables that nodes bind, and all names of variables in a part of a query."""

from __future__ import annotations

from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node, united

ExpandedName = tuple[str, str]


def bound_names(node: ast.Node) -> list[ast.Name]:
    """The variables a node itself binds."""
    match node:
        case ast.ForClause(name=name, position=position) | ast.JoinClause(name=name, position=position):
            return [name] if position is None else [name, position]
        case ast.LetClause(name=name) | ast.CountClause(name=name) | ast.GroupingSpec(name=name):
            return [name]
        case ast.WindowClause(name=name) | ast.ForseqClause(name=name) | ast.ForseqVariable(name=name):
            return [name]
        case ast.WindowVariables():
            found = (node.current, node.position, node.previous, node.next)
            return [name for name in found if name is not None]
        case ast.QuantifiedBinding(name=name) | ast.Parameter(name=name):
            return [name]
        case ast.TypeswitchCase(variable=name) if name is not None:
            return [name]
        case ast.Typeswitch(default_variable=name) if name is not None:
            return [name]
    return []


@united
def bound_in(node: ast.Node) -> frozenset[ExpandedName]:
    """Every variable that is bound at a node or below it."""
    return frozenset(name.expanded for name in bound_names(node))


@kept_with_node
def binds_a_name_twice(node: ast.Node) -> bool:
    """Whether two bindings at a node or below it have one name."""
    children = node.children()
    if any(map(binds_a_name_twice, children)):
        return True
    return len(bound_names(node)) + sum(len(bound_in(child)) for child in children) > len(bound_in(node))


@united
def read_variables(node: ast.Node) -> frozenset[ExpandedName]:
    """Every variable mentioned below, bound inside or not: a superset of the free ones."""
    return frozenset((node.name.expanded,)) if isinstance(node, ast.VarRef) else frozenset()


def names_in(node: ast.Node) -> set[str]:
    """The local names of all variables that are bound or read at a node or below it."""
    return {local for _, local in bound_in(node) | read_variables(node)}
