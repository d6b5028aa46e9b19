"""Rules over the whole body of a query: their interface, the facts they may use, and how they are applied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from xylem.analysis.bound_names import names_in
from xylem.analysis.facts.value_class import NOTHING_KNOWN, Known, classify, declared_class
from xylem.syntax import ast

ExpandedName = tuple[str, str]
FunctionKey = tuple[str, str, int]


@dataclass(frozen=True)
class QueryFacts:
    """The facts about the query as a whole."""

    functions: Mapping[FunctionKey, ast.FunctionDecl]
    variables: Mapping[ExpandedName, Known]
    """Facts about the values of global variables."""
    taken: set[str] = field(default_factory=set)
    """All variable names used in the query."""
    has_collation: bool = False
    """Whether strings are compared otherwise than by code points."""
    values: Mapping[ExpandedName, ast.Expr] = field(default_factory=dict)
    """The values of global variables that are untyped and not external."""
    sets_variables: bool = False
    """Whether variables may change while the query runs."""

    @staticmethod
    def of(body: ast.Expr, prolog: Sequence[ast.Declaration]) -> QueryFacts:
        functions = {(*d.name.expanded, len(d.parameters)): d for d in prolog if isinstance(d, ast.FunctionDecl)}
        variables: dict[ExpandedName, Known] = {}
        values: dict[ExpandedName, ast.Expr] = {}
        for declared in prolog:
            if isinstance(declared, ast.VariableDecl):
                is_given = declared.external or declared.type is not None or declared.value is None
                known = declared_class(declared.type)
                if not is_given and declared.value is not None:
                    known = classify(declared.value, variables)
                    values[declared.name.expanded] = declared.value
                variables[declared.name.expanded] = known
        taken: set[str] = {name[1] for name in variables}
        for part in (body, *prolog):
            taken |= names_in(part)
        has_collation = any(isinstance(d, ast.DefaultCollationDecl) for d in prolog)
        sets_variables = any(isinstance(d, ast.ExecutionDecl) for d in prolog)
        return QueryFacts(functions, variables, taken, has_collation, values, sets_variables)

    def fresh(self, like: str) -> ast.VarRef:
        """A variable that the query does not use."""
        name, number = like, 1
        while name in self.taken:
            number += 1
            name = f"{like}{number}"
        self.taken.add(name)
        return ast.VarRef(ast.Name(name, None, ""))

    def known(self, name: ExpandedName) -> Known:
        return self.variables.get(name, NOTHING_KNOWN)


class QueryRule(ABC):
    """Looks at the whole body of a query and returns an equal one, or the very same object."""

    name: ClassVar[str]
    paper: ClassVar[str] = ""
    """Its place in single-pass.txt."""
    told: ClassVar[str]
    """Its effect, in words for `explain`."""

    @abstractmethod
    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr: ...


class Change(NamedTuple):
    """A change made by a rule."""

    rule: QueryRule
    before: ast.Expr
    after: ast.Expr

    @property
    def told(self) -> str:
        """The change in words, for `explain`."""
        return f"{self.rule.told} ({self.rule.name})"


def apply_rules(
    rules: Sequence[QueryRule], body: ast.Expr, prolog: Sequence[ast.Declaration], without: Collection[str] = ()
) -> tuple[ast.Expr, tuple[Change, ...]]:
    """The body after each rule in turn, except those in `without`, and the changes made."""
    facts = QueryFacts.of(body, prolog)
    done: list[Change] = []
    for rule in rules:
        if rule.name in without:
            continue
        made = rule.apply(body, facts)
        if made is not body:
            done.append(Change(rule, body, made))
            body = made
    return body, tuple(done)
