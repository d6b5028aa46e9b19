"""Decide whether the answer of one query can answer another: their streams must match, and the answer must hold enough.

A stream of records serves every query that finds its input there (`matching`). An answer holds less: the paths that it
copies and the values that it computes from records (`answers`), and the aggregates that it writes for windows. A query
that computes one value from all records serves only queries that ask for the same value.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.reached_declarations import reached_declarations
from xylem.analysis.resolved_module import resolved_module
from xylem.functions.traits import UNSTEADY, standard
from xylem.rewrite.inline_prolog import inline_prolog
from xylem.schema.constraints import Schema
from xylem.syntax import ast

from .answer_slots import Reading
from .answers import Answer, Standing, Whole, answer_of, canonical, wholes_in
from .conditions import zones_of
from .implication import implies
from .matching import Match, Widening, match, residual_of
from .projections import missing_paths
from .properties import NotShared, Properties, properties_of
from .record_facts import Names
from .record_reads import Conditions
from .record_spellings import spelled_for_records
from .zones import ALWAYS, TooMany, Zones, both


def match_queries(own: ast.Module, wanted: ast.Module, schema: Schema | None = None) -> Match:
    """Whether a query can be answered from the answer of another; a query that shares nothing gives the reason."""
    if _is_same(own, wanted):
        return Match(True, "it is the same query")
    try:
        first = properties_of(own, schema, anywhere=True)
    except NotShared as reason:
        return Match(False, f"the first query leaves no stream that others can use: {reason.why}")
    found: Match | None = None
    record: Names | None = first.record
    while record is not None:
        # Items may be whole records, or nodes inside them: /photons/photon, or /photons/photon/note.
        tried = _at_records(own, wanted, schema, record, first)
        if tried.reuse or found is None:
            found = tried
        if tried.reuse:
            break
        record = _next_level(own, schema, record)
    assert found is not None
    return found


def _at_records(own: ast.Module, wanted: ast.Module, schema: Schema | None, record: Names, known: Properties) -> Match:
    try:
        first = known if known.record == record else properties_of(own, schema, record=record, anywhere=True)
    except NotShared as reason:
        return Match(False, f"the first query leaves no stream that others can use: {reason.why}")
    try:
        second = properties_of(wanted, schema, record=record, anywhere=True)
    except NotShared as reason:
        return Match(False, f"the second query reads more than the records of a stream: {reason.why}")
    return match_answers(first, second)


def _next_level(own: ast.Module, schema: Schema | None, record: Names) -> Names | None:
    """The elements one step further down, if the query reads nothing else of the records."""
    try:
        below = properties_of(own, schema, record=record, anywhere=True).projection
    except NotShared:
        return None
    if below.subtree or below.string or below.text or below.attributes or below.all_attributes or below.remarks:
        return None
    if len(below.children) != 1:
        return None
    (axis, uri, local), _ = next(iter(below.children.items()))
    return (*record, (uri, local)) if axis == "child" and uri is not None and local is not None else None


def match_answers(own: Properties, wanted: Properties) -> Match:
    """Whether `wanted` can be answered from the answer of `own`, and why."""
    found = match(own, wanted)
    if own.windowed is not None:
        return found
    answer = answer_of(own)
    if _has_all_wholes(answer, own, wanted):
        return Match(True, "what it computes from all records is what is asked for")
    if not found.reuse:
        return found
    lacking: list[str] | None = None
    is_flat = False
    is_plain = _looks_only_downward(wanted)
    for part in answer.parts:
        if not part.is_told_apart:
            is_flat |= bool(part.contents)
            continue
        zones = _zones(part.conditions, own)
        if not implies(wanted.zones, zones):
            continue
        residual, dropped = residual_of(zones, wanted)
        given = part.values | part.nodes if is_plain else part.values
        missing = missing_paths(part.carried, wanted.needed(residual, given, part.texts, part.contents))
        if not missing:
            return replace(found, residual=residual, dropped=dropped)
        if lacking is None or len(missing) < len(lacking):
            lacking = missing
    if is_flat and lacking is None:
        return Match(False, "its answer does not show which of its items belong to one record")
    return _not_carried(own, answer, lacking)


def _not_carried(own: Properties, answer: Answer, lacking: list[str] | None) -> Match:
    if lacking is not None:
        told = f"its answer does not have {', '.join(lacking)} of each record"
        return Match(False, told, widen=Widening(paths=tuple(lacking)))
    told = "its answer is computed from all records together, or from some by their place: the records are not in it"
    if answer.parts:
        told = "its answer does not have every record that is asked for"
    return Match(False, told, widen=Widening(paths=tuple(own.projection.paths())))


def _zones(conditions: Conditions, own: Properties) -> Zones:
    zones = ALWAYS
    for condition in conditions:
        try:
            zones = both(zones, zones_of(condition, own.facts))
        except TooMany:
            return ()
    return zones


def _has_all_wholes(answer: Answer, own: Properties, wanted: Properties) -> bool:
    """Whether every value that a query computes from records is computed for it."""
    if not answer.wholes:
        return False
    given: list[ast.Expr] = []
    is_plain = _looks_only_downward(wanted)
    for expr, whole, standing in wholes_in(wanted, wanted.module.body):
        for there in answer.wholes:
            if not _is_readable(there, expr, standing, is_plain=is_plain) or there.form != whole.form:
                continue
            if _are_equal(there.conditions, whole.conditions, own):
                given.append(expr)
                break
    rest = replaced(wanted.module.body, lambda node: ast.SequenceExpr() if any(node is one for one in given) else None)
    reader = wanted.reader(())
    try:
        reader.read(rest)
    except NotShared:
        return False
    return bool(given) and not reader.uses


def _is_readable(there: Whole, expr: ast.Expr, standing: Standing, *, is_plain: bool) -> bool:
    """Whether the value of an expression can be read from an answer that has it, for what is done with it."""
    if there.reading is not Reading.TEXT or (there.is_of_elements and is_plain):
        return True
    is_text = standing is Standing.ATTRIBUTE or gives_values(expr)
    return standing is not Standing.INSIDE and (is_text or not there.is_attribute)


_AROUND = standard("root path id idref element-with-id in-scope-prefixes namespace-uri-for-prefix lang base-uri")


def _looks_only_downward(wanted: Properties) -> bool:
    """Whether a query asks of nodes only what is in them, and not which ones they are."""
    for node in wanted.module.body.walk():
        match node:
            case ast.AxisStep(axis="child" | "attribute" | "descendant" | "self" | "descendant-or-self"):
                pass
            case ast.AxisStep() | ast.NodeComparison() | ast.SetOperation():
                return False
            case ast.FunctionCall(name=name) if name.expanded in _AROUND:
                return False
    return True


def _are_equal(one: Conditions, other: Conditions, own: Properties) -> bool:
    first, second = _zones(one, own), _zones(other, own)
    return implies(first, second) and implies(second, first)


_BY_RUN = standard(
    """available-environment-variables collection current-date current-dateTime current-time environment-variable
    implicit-timezone random-number-generator unparsed-text unparsed-text-lines"""
)


def _is_same(own: ast.Module, wanted: ast.Module) -> bool:
    """Whether two queries are equal up to known spellings, whatever the time and place."""
    bodies: list[ast.Expr] = []
    for module in (own, wanted):
        resolved = resolved_module(module, None)
        if not isinstance(resolved, ast.MainModule):
            return False
        body = spelled_for_records(inline_prolog(resolved.body, list(resolved.prolog)), resolved.prolog)
        if list(reached_declarations([body], resolved.prolog)):
            return False
        for node in body.walk():
            if isinstance(node, ast.FunctionCall) and node.name.expanded in _BY_RUN | UNSTEADY:
                return False
        bodies.append(canonical(body))
    return bodies[0] == bodies[1]
