"""The keys that will be looked up in a table of gathered items, known before the table exists: the other side of a
join.

    for $p in //person[age > 30] let $n := $p/name for $t in lookup(1, $p/@id) …    →    //person ! data(@id)

A range of the input then needs only the items with one of its keys. The keys may be too many: predicates and conditions
are left out, so that their errors cannot come early, and only paths remain.

    … for $t in lookup(1, $p/@id) for $i in lookup(2, $t/@item) …    the items of table 1 look up table 2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xylem.analysis.bound_names import bound_names
from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.plan.spread import LOOKUP, PART_NAMESPACE
from xylem.syntax import ast

from ..input_reads import ExpandedName
from ..scope_path import flattened
from .frame_rewrites import data_of

_FOCUS = ("", ".")
_UNKNOWN = None


@dataclass(frozen=True)
class Asked:
    """The keys that are looked up in a table."""

    values: ast.Expr
    """A sequence over the input; with `behind`, a function of an item of that table."""
    behind: int | None = None


Bindings = tuple[tuple[ExpandedName, ast.Expr | None], ...]
"""Names in scope, outermost first, each with the sequence of its values; the focus counts as a name."""


def asked_keys(body: ast.Expr) -> dict[int, Asked]:
    """The keys looked up in each table, by its number in the body of a part; without tables whose keys are unknown."""
    found: dict[int, Asked] = {}
    seen: set[int] = set()
    for number, other, bindings in _calls(body, ()):
        asked = _asked(other, bindings)
        if asked is not None and number not in seen:
            found[number] = asked
        else:
            found.pop(number, None)
        seen.add(number)
    return found


def is_lookup(node: ast.Node) -> bool:
    """Whether an expression is a lookup in a table."""
    return isinstance(node, ast.FunctionCall) and node.name.expanded == LOOKUP.expanded


# --- finding the lookups


def _calls(node: ast.Node, bindings: Bindings) -> Iterator[tuple[int, ast.Expr, Bindings]]:
    if isinstance(node, ast.FunctionCall) and is_lookup(node):
        number, other = node.arguments
        assert isinstance(number, ast.IntegerLiteral)
        yield number.value, other, bindings
    match node:
        case ast.Flwor(clauses=clauses, result=result):
            for clause in clauses:
                yield from _calls_below(clause, bindings)
                bindings = (*bindings, *_bound(clause))
            yield from _calls(result, bindings)
        case ast.Quantified(bindings=own, satisfies=satisfies):
            for binding in own:
                yield from _calls(binding.collection, bindings)
                bindings = (*bindings, (binding.name.expanded, binding.collection))
            yield from _calls(satisfies, bindings)
        case ast.Path(left=left, right=ast.AxisStep(predicates=predicates) as step):
            yield from _calls(left, bindings)
            inside = (*bindings, (_FOCUS, replace(node, right=replace(step, predicates=()))))
            for predicate in predicates:
                yield from _calls(predicate, inside)
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            yield from _calls(left, bindings)
            yield from _calls(right, (*bindings, (_FOCUS, left)))
        case ast.Filter(base=base, predicate=predicate):
            yield from _calls(base, bindings)
            yield from _calls(predicate, (*bindings, (_FOCUS, base)))
        case ast.InlineFunction():
            unknown = (*((name.expanded, _UNKNOWN) for name in _names_below(node)), (_FOCUS, _UNKNOWN))
            yield from _calls_below(node, (*bindings, *unknown))
        case ast.AxisStep():
            yield from _calls_below(node, (*bindings, (_FOCUS, _UNKNOWN)))
        case _:
            unknown = tuple((name.expanded, _UNKNOWN) for name in bound_names(node))
            yield from _calls_below(node, (*bindings, *unknown))


def _calls_below(node: ast.Node, bindings: Bindings) -> Iterator[tuple[int, ast.Expr, Bindings]]:
    for child in node.children():
        yield from _calls(child, bindings)


def _bound(clause: ast.Clause) -> Bindings:
    match clause:
        case ast.ForClause(name=name, collection=collection, position=position):
            numbered = () if position is None else ((position.expanded, _UNKNOWN),)
            return ((name.expanded, collection), *numbered)
        case ast.LetClause(name=name, value=value):
            return ((name.expanded, value),)
    return tuple((name.expanded, _UNKNOWN) for name in _names_below(clause))


def _names_below(node: ast.Node) -> Iterator[ast.Name]:
    for below in node.walk():
        yield from bound_names(below)


# --- the looked-up keys


def _asked(other: ast.Expr, bindings: Bindings) -> Asked | None:
    values, needed = data_of(other), _needs(other)
    for name, sequence in reversed(bindings):
        if name not in needed:
            continue
        table = _table_of(sequence)
        if table is not None:
            return Asked(_function(name, values), table) if needed == {name} else None
        path = None if sequence is None else _without_predicates(sequence)
        if path is None:
            return None
        values = ast.SimpleMap(path, values) if name == _FOCUS else _each(name, path, values)
        needed = (needed - {name}) | _needs(path)
    if any(uri == PART_NAMESPACE for uri, _ in needed) or _FOCUS in needed:
        return None
    return Asked(values)


def _table_of(sequence: ast.Expr | None) -> int | None:
    """The table that the items of a sequence come from."""
    while isinstance(sequence, ast.Filter):
        sequence = sequence.base
    if not isinstance(sequence, ast.FunctionCall) or not is_lookup(sequence):
        return None
    number = sequence.arguments[0]
    assert isinstance(number, ast.IntegerLiteral)
    return number.value


def _needs(expr: ast.Expr) -> frozenset[ExpandedName]:
    return frozenset(free_in(expr)) | (frozenset({_FOCUS}) if reads_item(expr) else frozenset())


def _each(name: ExpandedName, path: ast.Expr, values: ast.Expr) -> ast.Expr:
    clause = ast.ForClause(ast.Name(name[1], None, name[0]), None, path)
    return ast.Flwor((clause,), values)


def _function(name: ExpandedName, values: ast.Expr) -> ast.Expr:
    if name == _FOCUS:
        item = ast.Name("asking", None, PART_NAMESPACE)
        return ast.InlineFunction((), (ast.Parameter(item),), None, ast.SimpleMap(ast.VarRef(item), values))
    return ast.InlineFunction((), (ast.Parameter(ast.Name(name[1], None, name[0])),), None, values)


def _without_predicates(expr: ast.Expr) -> ast.Expr | None:
    """A path of steps with all nodes it reaches; None for anything else."""
    start, parts = flattened(expr)
    if not isinstance(start, (ast.Root, ast.VarRef, ast.ContextItem, ast.AxisStep)):
        return None
    made: ast.Expr = replace(start, predicates=()) if isinstance(start, ast.AxisStep) else start
    for part in parts:
        if isinstance(part, ast.AxisStep):
            made = ast.Path(made, replace(part, predicates=()), span=part.span)
        elif not isinstance(part, ast.Filter):
            return None
    return made
