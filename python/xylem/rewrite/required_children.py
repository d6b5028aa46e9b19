"""Which children an expression requires (thesis Def. 3.6.1), and whether a schema allows them together.

L_req is a union of languages "every symbol of A occurs, none of B does": one alternative each, per variable. The thesis
lets `fn:empty($x/a/π)` forbid the symbol a; that holds only for a path of one step, since an a without π is not empty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple, Protocol, cast, runtime_checkable

from xylem.analysis.streamable_paths import streamable_path
from xylem.functions.registry import FN
from xylem.plan.flux import Flux, For, If
from xylem.plan.symbols import step_symbol
from xylem.schema.constraints import ElementConstraints
from xylem.schema.symbols import element_symbol
from xylem.syntax import ast

from .substitution import FocusInTheWay, Substitution, variable

MOST_ALTERNATIVES = 32
"""Conditions with more alternatives give no information."""
MOST_STATES_SEEN = 20_000
_ITSELF = " itself"
"""A name that no variable has, for the node tested by a predicate."""


class Requirement(NamedTuple):
    """Pairs (variable, symbol) that must occur, or must not."""

    present: frozenset[tuple[str, str]] = frozenset()
    absent: frozenset[tuple[str, str]] = frozenset()

    def both(self, other: Requirement) -> Requirement:
        return Requirement(self.present | other.present, self.absent | other.absent)


Alternatives = tuple[Requirement, ...]
ANYTHING: Alternatives = (Requirement(),)


def required_by(nodes: Iterable[Flux]) -> Alternatives:
    """The conditions on the variables' children under which all of these loops and conditions reach their bodies."""
    found = ANYTHING
    for node in nodes:
        if isinstance(node, If):
            found = _all_of(found, _condition(node.condition))
        elif isinstance(node, For) and node.window is None:
            name = step_symbol(node.path[0])
            if node.path[0].axis == "child" and name is not None:
                found = _all_of(found, (Requirement(frozenset({(node.source, name)})),))
    return found


def required_by_predicate(predicate: ast.Expr) -> frozenset[str]:
    """The children that a node must have to pass a predicate, in every alternative."""
    try:
        condition = Substitution({}, variable(_ITSELF)).apply(predicate)
    except FocusInTheWay:
        return frozenset()
    sets = [{symbol for name, symbol in one.present if name == _ITSELF} for one in _condition(condition)]
    return frozenset(set.intersection(*sets))


def _all_of(one: Alternatives, other: Alternatives) -> Alternatives:
    made = tuple({a.both(b): None for a in one for b in other})
    return made if len(made) <= MOST_ALTERNATIVES else one


def _condition(condition: ast.Expr) -> Alternatives:
    match condition:
        case ast.And(left=left, right=right):
            return _all_of(_condition(left), _condition(right))
        case ast.Or(left=left, right=right):
            made = (*_condition(left), *_condition(right))
            return made if len(made) <= MOST_ALTERNATIVES else ANYTHING
        case ast.GeneralComparison(left=left, right=right):
            return _all_of(_value(left), _value(right))
        case ast.FunctionCall(name=ast.Name(local="exists", uri=uri), arguments=(argument,)) if uri == FN:
            return _value(argument)
        case ast.FunctionCall(name=ast.Name(local="empty", uri=uri), arguments=(argument,)) if uri == FN:
            return _nothing(argument)
        case ast.FunctionCall(name=ast.Name(local="not", uri=uri), arguments=(argument,)) if uri == FN:
            return _nothing(argument)
        case ast.Path():
            return _value(condition)
    return ANYTHING


def _value(expr: ast.Expr) -> Alternatives:
    """The children that must occur for the value not to be empty."""
    match expr:
        case ast.Arithmetic(left=left, right=right):
            return _all_of(_value(left), _value(right))
    first = _first_symbol(expr)
    return ANYTHING if first is None else (Requirement(frozenset({first[0]})),)


def _nothing(expr: ast.Expr) -> Alternatives:
    """The children that must not occur for the value to be empty; also for `not(exists(…))` and `not(empty(…))`."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="exists", uri=uri), arguments=(argument,)) if uri == FN:
            return _nothing(argument)
        case ast.FunctionCall(name=ast.Name(local="empty", uri=uri), arguments=(argument,)) if uri == FN:
            return _value(argument)
    first = _first_symbol(expr)
    if first is None or not first[1]:
        return ANYTHING
    return (Requirement(absent=frozenset({first[0]})),)


class _Everything:
    def __contains__(self, name: object) -> bool:
        return True


def _first_symbol(expr: ast.Expr) -> tuple[tuple[str, str], bool] | None:
    """(variable, name) of a path's first step, and whether the path is that step alone."""
    found = streamable_path(expr, _Everything())
    if found is None or not found.steps:
        return None
    first = found.steps[0]
    if first.axis != "child" or not isinstance(first.test, ast.NameTest):
        return None
    name = element_symbol(first.test.name.local, first.test.name.uri)
    return (found.variable, name), len(found.steps) == 1 and not first.predicates


@runtime_checkable
class _HasAutomaton(Protocol):
    @property
    def automaton(self) -> _Automaton: ...
    @property
    def is_unordered(self) -> bool: ...
    def states(self, name: str) -> int: ...


class _Automaton(Protocol):
    @property
    def follows(self) -> tuple[int, ...]: ...
    @property
    def end(self) -> int: ...


def is_possible(present: Iterable[str], absent: Iterable[str], of: ElementConstraints) -> bool:
    """Whether some valid element has a child of each name in `present` and none of a name in `absent`.

    L(ρ) ∩ L_req = ∅ is decided by walking the automaton together with the set of symbols still missing.
    """
    return _is_possible(frozenset(present), frozenset(absent), cast(Hashable, of))


@lru_cache(maxsize=1024)
def _is_possible(present: frozenset[str], absent: frozenset[str], constraints: Hashable) -> bool:
    of = cast(ElementConstraints, constraints)
    wanted, unwanted = sorted(present), sorted(absent)
    if any(map(of.never, wanted)) or any(of.exactly_once(name) for name in unwanted) or set(wanted) & set(unwanted):
        return False
    if not isinstance(of, _HasAutomaton) or of.is_unordered:
        return True
    return _walk(of, wanted, unwanted)


def _walk(of: _HasAutomaton, wanted: list[str], unwanted: list[str]) -> bool:
    follows, end = of.automaton.follows, of.automaton.end
    given = [of.states(name) for name in wanted]
    barred = 0
    for name in unwanted:
        barred |= of.states(name)
    everything = (1 << len(wanted)) - 1
    todo, seen = [(0, 0)], {(0, 0)}
    while todo:
        state, have = todo.pop()
        if state == end and have == everything:
            return True
        for following in range(end + 1):
            if not follows[state] >> following & 1 or barred >> following & 1:
                continue
            got = have
            for index, states in enumerate(given):
                if states >> following & 1:
                    got |= 1 << index
            if (following, got) not in seen:
                if len(seen) > MOST_STATES_SEEN:
                    return True
                seen.add((following, got))
                todo.append((following, got))
    return False
