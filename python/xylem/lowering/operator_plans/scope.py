"""How many items the variables and the context item of an expression may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xylem.plan.operators import Extent
from xylem.syntax import ast

Variable = tuple[str, str]


@dataclass(frozen=True)
class Scope:
    """Extents by variable. An unknown variable comes from outside the query."""

    variables: Mapping[Variable, Extent] = field(default_factory=dict)
    focus: Extent | None = None
    """Extent of the context item; None if that is the input."""

    roots: Mapping[Variable, str] = field(default_factory=dict)
    """Variables bound to the result of a path in the input: paths from them continue there."""

    def with_root(self, name: ast.Name, path: str) -> Scope:
        return replace(self, roots={**self.roots, name.expanded: path})

    def with_variable(self, name: ast.Name, extent: Extent) -> Scope:
        roots = {known: path for known, path in self.roots.items() if known != name.expanded}
        return replace(self, variables={**self.variables, name.expanded: extent}, roots=roots)

    def with_focus(self, extent: Extent) -> Scope:
        return replace(self, focus=extent)

    def of(self, name: ast.Name) -> Extent:
        return self.variables.get(name.expanded, Extent.BESIDE)
