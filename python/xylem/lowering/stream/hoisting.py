"""Test a condition that all parts of a body share only once, before the body.

        { if (χ) then <a> } { for $b in $x/b return { if (χ) then {$b} } } { if (χ) then </a> }
    →   { if (χ) then <a> { for $b in $x/b return {$b} } </a> }

Gain:   the normal form repeats a condition at every output (thesis, fig. 3.3); here it is evaluated once per record.
Needs:  the condition guards all output of the body and reads no variable bound inside.
Safe:   the output is the same; an error may surface although the body would have written nothing, as XQuery allows.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequence_
from dataclasses import replace
from functools import reduce

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.plan.flux import Flux, For, Handler, If, On, OnEach, OnFirst, OnWindow, ProcessStream, Sequence
from xylem.syntax import ast

from .selection import guards


def hoisted(body: Flux) -> Flux:
    """The body with shared conditions in front, and the same in each inner loop."""
    shared = guards(body)
    bound = _bound(body)
    common = [c for c in _in_order(body) if shared and c in shared and not read_variables(c) & bound]
    if not common:
        return _below(body)
    rest = _below(without_conditions(body, frozenset(common)))
    return If(reduce(ast.And, dict.fromkeys(common)), rest)


def grouped(parts: Sequence_[Flux]) -> list[Flux]:
    """Parts of a sequence; adjacent ones under the same condition are merged.

        { if (χ) then <a> } { for $b in $x/b return { if (χ) then {$b} } } { if (χ) then </a> } …
    →   { if (χ) then <a> { for $b in $x/b return {$b} } </a> } …
    """
    found: list[Flux] = []
    group: list[Flux] = []
    shared: frozenset[ast.Expr] = frozenset()
    for part in map(hoisted, parts):
        own = frozenset(conjuncts(part.condition)) if isinstance(part, If) else frozenset()
        if group and shared & own:
            group.append(part)
            shared &= own
            continue
        found += _taken_together(group, shared)
        group, shared = [part], own
    return found + _taken_together(group, shared)


def _taken_together(group: list[Flux], shared: frozenset[ast.Expr]) -> list[Flux]:
    if len(group) < 2:
        return group
    conditions = [condition for condition in _in_order(group[0]) if condition in shared]
    rest = Sequence(tuple(without_conditions(part, shared) for part in group))
    return [If(reduce(ast.And, dict.fromkeys(conditions)), rest)]


def _below(body: Flux) -> Flux:
    match body:
        case For(body=inner):
            return replace(body, body=hoisted(inner))
        case If(body=inner):
            return replace(body, body=_below(inner))
        case Sequence(parts=parts):
            return replace(body, parts=tuple(map(_below, parts)))
    return body


def _in_order(body: Flux) -> list[ast.Expr]:
    """All conditions of a body, in the order they are written."""
    match body:
        case If(condition=condition, body=inner):
            return [*conjuncts(condition), *_in_order(inner)]
        case For(body=inner, where=where):
            return [*conjuncts(where), *_in_order(inner)]
        case Sequence(parts=parts):
            return [condition for part in parts for condition in _in_order(part)]
        case ProcessStream(handlers=handlers):
            bodies = [h.body for h in handlers if isinstance(h, (On, OnFirst, OnWindow, OnEach))]
            return [condition for inner in bodies for condition in _in_order(inner)]
    return []


def _bound(body: Flux) -> set[tuple[str, str]]:
    """The variables that loops and handlers of a body bind."""
    match body:
        case For(variable=variable, body=inner, position=position):
            return {("", variable), ("", position or variable)} | _bound(inner)
        case If(body=inner):
            return _bound(inner)
        case Sequence(parts=parts):
            return set().union(*map(_bound, parts))
        case ProcessStream(handlers=handlers):
            found: set[tuple[str, str]] = set()
            for handler in handlers:
                if isinstance(handler, (On, OnWindow, OnEach)):
                    found.add(("", handler.variable))
                if isinstance(handler, On) and handler.position is not None:
                    found.add(("", handler.position))
                if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
                    found |= _bound(handler.body)
            return found
    return set()


def without_conditions(body: Flux, known: frozenset[ast.Expr]) -> Flux:
    """The body simplified by the fact that these conditions hold."""
    match body:
        case If(condition=condition, body=inner):
            left = [c for c in conjuncts(condition) if c not in known]
            rest = without_conditions(inner, known)
            return If(reduce(ast.And, left), rest) if left else rest
        case For(body=inner, where=where):
            left = [c for c in conjuncts(where) if c not in known]
            return replace(body, body=without_conditions(inner, known), where=reduce(ast.And, left) if left else None)
        case Sequence(parts=parts):
            return replace(body, parts=tuple(without_conditions(part, known) for part in parts))
        case ProcessStream(handlers=handlers):
            return replace(
                body,
                handlers=tuple(_handler_without(handler, known) for handler in handlers),
            )
    return body


def _handler_without(handler: Handler, known: frozenset[ast.Expr]) -> Handler:
    if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
        return replace(handler, body=without_conditions(handler.body, known))
    return handler
