"""Loops in the graph: an iterator for each `for`, a sequence for the result of a loop over a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.syntax import ast

from .graph import Blocking
from .values import CONSTANT, NONE, Refs, Value, label

if TYPE_CHECKING:
    from .walk import Around, Walk


class _Tuples:
    """The tuples of the clauses so far."""

    def __init__(self) -> None:
        self.decided_by: Refs = NONE
        """Iterators and conditions that determine their number."""
        self.is_long = False
        """Whether there are as many as items of a stream."""
        self.bound: list[ast.Name] = []
        self.is_local = False


def flwor(walk: Walk, expr: ast.Flwor, around: Around) -> Value:
    tuples = _Tuples()
    for clause in expr.clauses:
        around = _clause(walk, clause, tuples, around)
    found = walk.settled(walk.of(expr.result, around), expr.result)
    refs = found.refs | tuples.decided_by
    if not (tuples.is_long or (found.is_sequence and tuples.decided_by)):
        return Value(refs, found.is_sequence, is_local=found.is_local or tuples.is_local)
    return walk.nodes.sequence(f"return {label(expr.result)}", expr.result.span, refs)


def _clause(walk: Walk, clause: ast.Clause, tuples: _Tuples, around: Around) -> Around:
    match clause:
        case ast.LetClause(name=name, value=value):
            tuples.bound.append(name)
            return around.where(name, walk.named(walk.of(value, around), name, clause, value))
        case ast.ForClause(name=name, collection=collection, position=position):
            return _for(walk, clause, name, collection, position, tuples, around)
        case ast.WindowClause(name=name, collection=collection):
            around = _for(walk, clause, name, collection, None, tuples, around)
            return _window_variables(walk, clause, tuples, around)
        case ast.ForseqClause(name=name, collection=collection):
            blocking = Blocking.HOLDS if clause.window is None else None
            around = _for(walk, clause, name, collection, None, tuples, around, blocking)
            return _forseq_variables(walk, clause, tuples, around)
        case ast.WhereClause(test=test):
            decides = walk.truth(test, around)
            tuples.decided_by |= decides.refs
            tuples.is_local = tuples.is_local or decides.is_local
        case ast.OrderByClause(specs=specs):
            keys = [spec.key for spec in specs]
            if id(clause) in walk.limited:
                return _first_tuples(walk, clause, keys, tuples, around)
            return _all_tuples(walk, clause, "order by", keys, Blocking.SORTS, tuples, around)
        case ast.GroupByClause(specs=specs):
            if id(clause) in walk.limited:
                return _folded_groups(walk, clause, specs, tuples, around)
            return _group_by(walk, clause, specs, tuples, around)
        case ast.CountClause(name=name):
            return around.where(name, Value(tuples.decided_by))
        case ast.BestMatchClause():
            _all_tuples(walk, clause, "bestmatch join", [], Blocking.JOINS, tuples, around)
    return around


def _for(
    walk: Walk,
    clause: ast.Clause,
    name: ast.Name,
    collection: ast.Expr,
    position: ast.Name | None,
    tuples: _Tuples,
    around: Around,
    blocking: Blocking | None = None,
) -> Around:
    found = walk.of(collection, around)
    tuples.bound.append(name)
    if found.place is not None and found.place.is_single and isinstance(clause, ast.ForClause):
        # At most one element: the name is an alias for its place.
        return around.where(position, CONSTANT).where(name, found)
    found = walk.settled(found, collection)
    tuples.is_long = tuples.is_long or found.is_sequence
    iterator = walk.nodes.atom(f"${name}", clause.span, found.refs, is_iterator=True, blocking=blocking)
    tuples.decided_by |= iterator.refs
    tuples.is_local = tuples.is_local or found.is_local
    return around.where(position, iterator).where(name, iterator)


def _window_variables(walk: Walk, clause: ast.WindowClause, tuples: _Tuples, around: Around) -> Around:
    """Conditions of windows read items of the same sequence, and may read outer values."""
    iterator = around.names[clause.name.expanded]
    for condition in (clause.start, clause.end):
        if condition is not None:
            variables = condition.variables
            for name in (variables.current, variables.position, variables.previous, variables.next):
                around = around.where(name, iterator)
            tuples.decided_by |= walk.truth(condition.when, around).refs
    return around


def _forseq_variables(walk: Walk, clause: ast.ForseqClause, tuples: _Tuples, around: Around) -> Around:
    iterator = around.names[clause.name.expanded]
    if clause.window is not None:
        for condition in (clause.window.start, clause.window.end):
            for variable in condition.variables:
                around = around.where(variable.name, iterator)
            if condition.when is not None:
                tuples.decided_by |= walk.truth(condition.when, around).refs
    return around


def _all_tuples(
    walk: Walk,
    clause: ast.Clause,
    text: str,
    keys: list[ast.Expr],
    blocking: Blocking,
    tuples: _Tuples,
    around: Around,
) -> Around:
    """A clause that needs all tuples before it returns the first."""
    refs = tuples.decided_by
    for key in keys:
        refs |= walk.truth(key, around).refs
    if not tuples.is_long:
        tuples.decided_by = refs
        return around
    text = f"{text} {', '.join(map(label, keys))}".strip()
    made = walk.nodes.sequence(text, clause.span, refs, blocking=blocking)
    tuples.decided_by = made.refs
    return around


def _first_tuples(
    walk: Walk, clause: ast.OrderByClause, keys: list[ast.Expr], tuples: _Tuples, around: Around
) -> Around:
    """A sort of which a few tuples are needed: they are a value, known at the end like a maximum."""
    refs = tuples.decided_by
    for key in keys:
        refs |= walk.truth(key, around).refs
    if tuples.is_long:
        text = f"the first by {', '.join(map(label, keys))}"
        made = walk.nodes.atom(text, clause.span, aggregates=refs)
        tuples.is_long = False
        refs = made.refs
        # The variables bound so far are those of the first tuples.
        for name in tuples.bound:
            around = around.where(name, made)
    tuples.decided_by = refs
    return around


def _folded_groups(
    walk: Walk, clause: ast.GroupByClause, specs: tuple[ast.GroupingSpec, ...], tuples: _Tuples, around: Around
) -> Around:
    """Groups of which aggregates are needed: they are values, known at the end."""
    refs = tuples.decided_by
    keys = [ast.VarRef(spec.name) if spec.value is None else spec.value for spec in specs]
    for key in keys:
        refs |= walk.truth(key, around).refs
    if tuples.is_long:
        refs = walk.nodes.atom(f"groups by {', '.join(map(label, keys))}", clause.span, aggregates=refs).refs
        tuples.is_long = False
    tuples.decided_by = refs
    for name in (*tuples.bound, *(spec.name for spec in specs)):
        around = around.where(name, Value(refs))
    return around


def _group_by(
    walk: Walk, clause: ast.GroupByClause, specs: tuple[ast.GroupingSpec, ...], tuples: _Tuples, around: Around
) -> Around:
    keys = [ast.VarRef(spec.name) if spec.value is None else spec.value for spec in specs]
    was_long = tuples.is_long
    around = _all_tuples(walk, clause, "group by", keys, Blocking.GROUPS, tuples, around)
    # After it, other variables hold the values of all tuples of a group.
    inside = Value(tuples.decided_by, is_sequence=False)
    for name in tuples.bound:
        known = around.names.get(name.expanded, CONSTANT)
        around = around.where(name, inside if was_long else known.and_also(tuples.decided_by))
    for spec in specs:
        around = around.where(spec.name, Value(tuples.decided_by))
    return around


def quantified(walk: Walk, expr: ast.Quantified, around: Around) -> Value:
    """some and every: decided when the sequence is past, or earlier."""
    folded: Refs = NONE
    own: Refs = NONE
    flows: Refs = NONE
    is_local = False
    for binding in expr.bindings:
        found = walk.of(binding.collection, around)
        if found.place is not None and found.place.is_single:
            around = around.where(binding.name, found)
            continue
        found = walk.settled(found, binding.collection)
        is_local = is_local or found.is_local
        if not found.is_sequence:
            flows |= found.refs
            around = around.where(binding.name, found)
            continue
        iterator = walk.nodes.atom(f"${binding.name}", binding.span, found.refs, is_iterator=True)
        folded |= iterator.refs
        own |= iterator.refs
        around = around.where(binding.name, iterator)
    satisfied = walk.truth(expr.satisfies, around)
    flows = (flows | satisfied.refs) - own
    is_local = is_local or satisfied.is_local
    if not folded:
        return Value(flows, is_local=is_local)
    passed = walk.nodes.sequence(f"satisfies {label(expr.satisfies)}", expr.satisfies.span, folded)
    return walk.nodes.atom(label(expr), expr.span, flows, aggregates=passed.refs, is_local=is_local)
