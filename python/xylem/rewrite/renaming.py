"""Copy an expression with fresh names for all variables that it binds, so that the copy can be placed anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.bound_names import bound_names
from xylem.syntax import ast

from .query_rule import ExpandedName, QueryFacts

N = TypeVar("N", bound=ast.Node)


def renamed_apart(node: N, facts: QueryFacts) -> N:
    """The node with its own variables renamed one to one, so shadowing is preserved."""
    bound = {name.expanded: name for part in node.walk() for name in bound_names(part)}
    names = {old: facts.fresh(name.local).name for old, name in bound.items()}
    return renamed(node, names) if names else node


def renamed(node: N, names: Mapping[ExpandedName, ast.Name]) -> N:
    """The node with other names for variables, in bindings and references."""

    def rename(part: ast.Node) -> ast.Node | None:
        if isinstance(part, ast.VarRef):
            new = names.get(part.name.expanded)
            return None if new is None else replace(part, name=new)
        own = [name for name in bound_names(part) if name.expanded in names]
        if not own:
            return None

        def change(value: object) -> object:
            if isinstance(value, ast.Name) and any(value is name for name in own):
                return names[value.expanded]
            if isinstance(value, tuple):
                return tuple(replaced(member, rename) if isinstance(member, ast.Node) else member for member in value)
            return replaced(value, rename) if isinstance(value, ast.Node) else value

        return with_values(part, change)

    return replaced(node, rename)
