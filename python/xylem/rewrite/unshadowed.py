"""Give variables that hide others names of their own.

    for $x in /r/a let $x := $x/b return f($x)      →     for $x in /r/a let $x2 := $x/b return f($x2)

Rules move expressions, and ask what a name stands for. Behind this, a name has one meaning wherever it can be read: an
expression keeps its meaning in any inner place, and no rule has to look for names that a binding hides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from xylem.analysis.ast_replacement import with_fields, with_values
from xylem.analysis.bound_names import binds_a_name_twice, bound_in, bound_names, names_in
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains

ExpandedName = tuple[str, str]
E = TypeVar("E", bound=ast.Expr)
N = TypeVar("N", bound=ast.Node)


def unshadowed(body: E, outside: Iterable[ExpandedName] = ()) -> E:
    """The body with names of their own for variables that hide others: its own, and those that are bound outside.

    The very same object if no variable hides another one.
    """
    scope = frozenset(outside) | free_in(body)
    if not binds_a_name_twice(body) and not scope & bound_in(body):
        return body
    if contains(body, ast.SetStatement):
        # Statements change variables in their places.
        return body
    try:
        made: E = _Names({local for _, local in scope} | names_in(body)).visit(body, _Place(scope, {}))
    except _HiddenInPart:
        return body
    return made


class _HiddenInPart(Exception):
    """A clause both reads a renamed variable and binds another one of that name."""


@dataclass(frozen=True)
class _Place:
    """The variables that can be read somewhere."""

    scope: frozenset[ExpandedName]
    renamed: Mapping[ExpandedName, ast.Name]
    """Those with new names, by the names that they were written with."""


class _Names:
    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def visit(self, node: Any, place: _Place) -> Any:
        match node:
            case ast.VarRef(name=name):
                new = place.renamed.get(name.expanded)
                return node if new is None else replace(node, name=new)
            case ast.Flwor(clauses=clauses, result=result):
                made = []
                for clause in clauses:
                    clause, place = self._clause(clause, place)
                    made.append(clause)
                return with_fields(node, clauses=tuple(made), result=self.visit(result, place))
            case ast.Quantified(bindings=bindings, satisfies=satisfies):
                kept = []
                for binding in bindings:
                    collection = self.visit(binding.collection, place)
                    name, place = self._bound(binding.name, place)
                    kept.append(with_fields(binding, name=name, collection=collection))
                return with_fields(node, bindings=tuple(kept), satisfies=self.visit(satisfies, place))
            case ast.InlineFunction(parameters=parameters, body=body):
                taken = []
                for parameter in parameters:
                    name, place = self._bound(parameter.name, place)
                    taken.append(with_fields(parameter, name=name))
                return with_fields(node, parameters=tuple(taken), body=self.visit(body, place))
            case ast.Typeswitch(operand=operand, cases=cases, default_variable=variable, default=default):
                cases = tuple(self._case(case, place) for case in cases)
                inside = place
                if variable is not None:
                    variable, inside = self._bound(variable, place)
                default = self.visit(default, inside)
                operand = self.visit(operand, place)
                return with_fields(node, operand=operand, cases=cases, default_variable=variable, default=default)
        return with_values(node, lambda value: self._value(value, place))

    def _value(self, value: Any, place: _Place) -> Any:
        if isinstance(value, ast.Node):
            return self.visit(value, place)
        if not isinstance(value, tuple):
            return value
        members = tuple(self._value(member, place) for member in value)
        return value if all(a is b for a, b in zip(value, members, strict=True)) else members

    def _case(self, case: ast.TypeswitchCase, place: _Place) -> ast.TypeswitchCase:
        if case.variable is None:
            return with_fields(case, result=self.visit(case.result, place))
        name, inside = self._bound(case.variable, place)
        return with_fields(case, variable=name, result=self.visit(case.result, inside))

    def _clause(self, clause: Any, place: _Place) -> tuple[Any, _Place]:
        match clause:
            case ast.ForClause(name=name, collection=collection, position=position):
                collection = self.visit(collection, place)
                name, place = self._bound(name, place)
                if position is not None:
                    position, place = self._bound(position, place)
                return with_fields(clause, name=name, collection=collection, position=position), place
            case ast.LetClause(name=name, value=value):
                value = self.visit(value, place)
                name, place = self._bound(name, place)
                return with_fields(clause, name=name, value=value), place
            case ast.CountClause(name=name):
                name, place = self._bound(name, place)
                return with_fields(clause, name=name), place
            case ast.GroupByClause(specs=specs):
                keys: list[tuple[ast.GroupingSpec, ast.Expr | None]] = [
                    (spec, None if spec.value is None else self.visit(spec.value, place)) for spec in specs
                ]
                made = []
                for spec, key in keys:
                    if key is None:
                        # It groups by a variable, which has the key of the group then.
                        made.append(with_fields(spec, name=place.renamed.get(spec.name.expanded, spec.name)))
                        continue
                    name, place = self._bound(spec.name, place)
                    made.append(with_fields(spec, name=name, value=key))
                return with_fields(clause, specs=tuple(made)), place
        names = {
            name.expanded for node in clause.walk() if not isinstance(node, ast.Expr) for name in bound_names(node)
        }
        if names & place.renamed.keys():
            raise _HiddenInPart
        made_clause = with_values(clause, lambda value: self._value(value, place))
        return made_clause, replace(place, scope=place.scope | names)

    def _bound(self, name: ast.Name, place: _Place) -> tuple[ast.Name, _Place]:
        """A name for a variable, and what can be read where it is bound."""
        key = name.expanded
        if key not in place.scope:
            return name, replace(place, scope=place.scope | {key})
        new, number = name.local, 1
        while new in self.taken:
            number += 1
            new = f"{name.local}{number}"
        self.taken.add(new)
        made = ast.Name(new, None, "")
        return made, _Place(place.scope | {made.expanded}, {**place.renamed, key: made})


def global_names(prolog: Collection[ast.Declaration]) -> frozenset[ExpandedName]:
    """The names of the variables that a prolog declares."""
    return frozenset(one.name.expanded for one in prolog if isinstance(one, ast.VariableDecl))
