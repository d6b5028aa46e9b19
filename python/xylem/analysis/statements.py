"""Steady expressions: they set no variable of the program, and read none that the program sets.

A steady expression has the same value wherever, and however often, it is evaluated, so rules may move, repeat and drop
it. All others must be evaluated exactly in their place: once, and after earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xylem.functions.traits import CALLS
from xylem.syntax import ast

from .free_variables import free_in
from .reached_declarations import reached_declarations

ExpandedName = tuple[str, str]


@dataclass(frozen=True)
class Statements:
    """The statements of a program."""

    declared: tuple[ast.Declaration, ...] = ()
    changed: Mapping[ExpandedName, ast.SetStatement] = field(default_factory=dict)
    """The variables that it sets, each with the first statement that does."""

    @staticmethod
    def of(body: ast.Expr, declared: Iterable[ast.Declaration]) -> Statements:
        """The statements that evaluating a body may execute."""
        declared = tuple(declared)
        if not any(isinstance(one, ast.ExecutionDecl) for one in declared):
            return Statements()
        changed: dict[ExpandedName, ast.SetStatement] = {}
        for part in (body, *reached_declarations([body], declared)):
            for node in part.walk():
                if isinstance(node, ast.SetStatement):
                    changed.setdefault(node.name.expanded, node)
        return Statements(declared, changed)

    def __bool__(self) -> bool:
        return bool(self.changed)

    def is_steady(self, part: ast.Node) -> bool:
        """Whether a part of the program neither sets nor reads variables that the program sets."""
        if not self.changed:
            return True
        return not any(map(self._touches, (part, *reached_declarations([part], self.declared))))

    def _touches(self, part: ast.Node) -> bool:
        # A variable that the part binds itself is another one.
        return any(name in self.changed for name in free_in(part)) or any(map(_may_set, part.walk()))


def _may_set(node: ast.Node) -> bool:
    """Whether a node is a statement, or calls an unknown function."""
    match node:
        case ast.SetStatement() | ast.DynamicCall():
            return True
        case ast.FunctionCall(name=name, arguments=arguments) if name.expanded in CALLS:
            return any(isinstance(argument, ast.VarRef) for argument in arguments)
    return False
