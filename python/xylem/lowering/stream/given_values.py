"""Values that are known when a run begins, for the templates of a scan: prolog variables, and the time.

        declare variable $least external; for $p in /photons/photon where $p/en > $least return …
    →   the template has `Given`, which a run replaces by a constant (`run/stream/settled_templates.py`)

Needs:  a variable that no statement sets, and whose name is unique in the query.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from xylem.functions.registry import FN
from xylem.plan.kernel_expression import Given, KernelExpression
from xylem.syntax import ast

from ..python.keyed_groups import written_value
from .kernel_expressions.lookups import is_table
from .template_holes import bound_by

if TYPE_CHECKING:
    from .build import StreamBuilder

_TIMES = frozenset({(FN, "current-dateTime"), (FN, "current-date"), (FN, "current-time"), (FN, "implicit-timezone")})


class GivenValues:
    """The given values of one program."""

    def __init__(self, builder: StreamBuilder) -> None:
        self._b = builder
        self._functions: dict[tuple[str, str], str] = {}
        self.is_used = False
        """Whether the current template has any."""

    def value(self, expr: ast.Expr) -> KernelExpression | None:
        """The given value of an expression; None if it has none."""
        match expr:
            case ast.VarRef(name=name) if name.expanded in self._variables:
                key = name.expanded
            case ast.FunctionCall(name=name, arguments=()) if name.expanded in _TIMES:
                key = name.expanded
            case _:
                return None
        self.is_used = True
        return Given(self._function(key, expr))

    def map(self, expr: ast.Expr) -> str | None:
        """The function that gives a map of atomic values; None where an expression is no variable for one."""
        if not isinstance(expr, ast.VarRef) or expr.name.expanded not in self._variables & self._tables:
            return None
        self.is_used = True
        return self._function(expr.name.expanded, expr)

    def _function(self, key: tuple[str, str], expr: ast.Expr) -> str:
        if key not in self._functions:
            self._functions[key] = written_value(self._b.c, "given", expr)
        return self._functions[key]

    @cached_property
    def _tables(self) -> frozenset[tuple[str, str]]:
        nodes = [node for unit in self._b.builder.units for node in unit.module.walk()]
        return frozenset(
            node.name.expanded
            for node in nodes
            if isinstance(node, ast.VariableDecl) and node.value is not None and is_table(node.value)
        )

    @cached_property
    def _variables(self) -> frozenset[tuple[str, str]]:
        nodes = [node for unit in self._b.builder.units for node in unit.module.walk()]
        declared = {node.name.expanded for node in nodes if isinstance(node, ast.VariableDecl)}
        sets = {node.name.expanded for node in nodes if isinstance(node, ast.SetStatement)}
        bound = {name.expanded for node in nodes for name in bound_by(node)}
        return frozenset(declared - sets - bound - {("", name) for name in self._b.program_variables})
