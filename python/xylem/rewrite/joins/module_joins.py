"""The joins of one module: of its body, its functions and its global variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from operator import is_
from typing import NamedTuple

from xylem.analysis.static_context import StaticContext
from xylem.functions.context import CODEPOINT_COLLATION
from xylem.plan.part_names import PART_NAMESPACE
from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

from ..inline_prolog import called_in, inline_functions
from ..normalise import normalise
from ..unshadowed import global_names, unshadowed
from .find_joins import with_joins
from .rule_name import RULE
from .surroundings import Surroundings, may_be_many
from .visitor import JoinFacts

MOST_NODES = 60
"""Functions larger than this are not put into others, which would be compiled again in each."""


class ModuleJoins:
    """Finds joins where the static context of a module allows them."""

    def __init__(
        self,
        static: StaticContext,
        prolog: Sequence[ast.Declaration],
        without: Collection[str] = (),
        *,
        is_streamed: bool = False,
    ) -> None:
        """With `is_streamed`, functions may be called with nodes of trees that grow between two calls."""
        self.prolog = prolog
        self.is_streamed = is_streamed
        self.without = without
        self.is_possible = (
            RULE not in without and not static.is_sequential and static.default_collation == CODEPOINT_COLLATION
        )

    @cached_property
    def small_declarations(self) -> tuple[ast.Declaration, ...]:
        """The prolog without functions that are large or call others: in each function, only small ones are put in."""
        functions = {(*d.name.expanded, len(d.parameters)): d for d in self.prolog if isinstance(d, ast.FunctionDecl)}
        large = {
            id(one)
            for one in functions.values()
            if called_in(one, functions.keys()) or sum(1 for _ in one.walk()) > MOST_NODES
        }
        return tuple(one for one in self.prolog if id(one) not in large)

    @property
    def _conditions(self) -> tuple[frozenset[str], bool, bool]:
        return frozenset(self.without), self.is_possible, self.is_streamed

    def of_body(self, body: ast.Expr) -> ast.Expr:
        """The body of a main module; functions are inlined if that exposes a join."""
        return self._joined(body, self.prolog, None)

    def _joined(self, body: ast.Expr, prolog: Sequence[ast.Declaration], around: Surroundings | None) -> ast.Expr:
        """The body with its joins, as written or in its normal form."""
        if not self.is_possible:
            return body
        body = unshadowed(body, global_names(prolog))
        facts = self._facts(shares_values=True)
        joined = with_joins(body, facts, around)
        spelled, _ = normalise(inline_functions(body, prolog), prolog, self.without)
        if spelled is body:
            return joined
        more = self._facts(shares_values=True)
        made = with_joins(spelled, more, around)
        found, found_more = _worth(facts), _worth(more)
        # Of as many joins, those between comparisons in their normal form have the larger sides.
        # So have values that are computed once, but for those that a join makes needless.
        is_as_good = found_more[0] == found[0] > 0 or found_more == found > (0, 0)
        return made if found_more > found or is_as_good else joined

    def of_stream(self, body: ast.Expr) -> ast.Expr:
        """The body of a query whose functions are already inlined."""
        return with_joins(body, self._facts()) if self.is_possible else body

    def of_leaf(self, expr: ast.Expr, around: Surroundings) -> ast.Expr:
        """A part of a streamed query that reads kept nodes."""
        facts = JoinFacts(is_leaf=True, shares_values=True, finds_anchors=True)
        return with_joins(expr, facts, around) if self.is_possible else expr

    def of_function(self, declaration: ast.FunctionDecl) -> ast.Expr:
        """The body of a declared function; the same in each program of the query that keeps the declarations."""
        found = _known_bodies(declaration)
        known = next((one.body for one in found if one.is_of(self)), None)
        if known is None:
            known = self._function_body(declaration)
            found.append(_KnownBody(tuple(self.prolog), self._conditions, known))
        return known

    def _function_body(self, declaration: ast.FunctionDecl) -> ast.Expr:
        assert declaration.body is not None
        own = {parameter.name.expanded for parameter in declaration.parameters}
        # A parameter may have the name of a global variable, which the body cannot read then.
        hidden = {id(one) for one in self.prolog if isinstance(one, ast.VariableDecl) and one.name.expanded in own}
        prolog = [one for one in self.small_declarations if id(one) not in hidden]
        return self._joined(declaration.body, prolog, Surroundings.of_function(declaration.parameters))

    def of_value(self, value: ast.Expr) -> ast.Expr:
        """The value of a global variable."""
        return self._joined(value, self.small_declarations, None)

    def _facts(self, *, shares_values: bool = False) -> JoinFacts:
        return JoinFacts(
            shares_values=shares_values,
            finds_anchors=shares_values and not self.is_streamed,
            sequences=frozenset(_sequences(self.prolog)),
        )


class _KnownBody(NamedTuple):
    """The body of a function with its joins, and what they depend on."""

    prolog: tuple[ast.Declaration, ...]
    conditions: tuple[frozenset[str], bool, bool]
    body: ast.Expr

    def is_of(self, joins: ModuleJoins) -> bool:
        is_same = self.conditions == joins._conditions
        return is_same and len(self.prolog) == len(joins.prolog) and all(map(is_, self.prolog, joins.prolog))


@kept_with_node
def _known_bodies(declaration: ast.Node) -> list[_KnownBody]:
    return []


def _worth(facts: JoinFacts) -> tuple[int, int]:
    """A score for the findings: joins count more than values that are computed once."""
    return sum(isinstance(one, ast.JoinClause) for one in facts.found), len(facts.found)


def _sequences(prolog: Iterable[ast.Declaration]) -> Iterable[tuple[str, str]]:
    """Global variables that may hold many items."""
    for declaration in prolog:
        if isinstance(declaration, ast.VariableDecl):
            declared = declaration.type is not None and declaration.type.occurrence in ("*", "+")
            # Results of tasks, received from another part.
            declared = declared or declaration.name.uri == PART_NAMESPACE
            if declared or (declaration.value is not None and may_be_many(declaration.value)):
                yield declaration.name.expanded
