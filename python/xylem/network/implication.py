"""Decide whether one condition implies another: zones are compared with zones and with their consequences.

Only the premise is extended by its consequences, so the conclusion needs nothing beyond what it states:

        xs:decimal(en) >= 2        →   en >= 2 as a double (rounding keeps the order of numbers)
        count(note) > 2            →   there is a note;   empty(note)  →  count(note) = 0
        max(note) > 2              →   one of the notes is above 2
        one obs with val > 3 and … →   one obs/val is above 3
"""

from __future__ import annotations

from fractions import Fraction

from xylem.analysis.facts.conjuncts import conjunction
from xylem.functions.registry import FN
from xylem.syntax import ast

from .conditions import zones_of
from .difference_bounds import ZERO, Bound, DifferenceBounds
from .item_conditions import THE_ITEM, atomized_path, literal
from .measured_values import count_of
from .record_facts import RecordFacts, is_path
from .zones import EXISTS, Kinds, Some, SomeItem, Variable, Zone, Zones, covered, shared_variable


def implies(one: Zones, other: Zones) -> bool:
    """Whether one condition implies the other: never true wrongly, but sometimes not found."""
    return all(covered(zone, other) or _covered_with_all(zone, other) for zone in one)


def _covered_with_all(zone: Zone, others: Zones) -> bool:
    found = _consequences(zone)
    if not found:
        return False
    whole: Zone | None = zone
    for more in found:
        whole = None if whole is None else whole.both(more)
    # A zone that contradicts its own consequences is empty.
    return whole is None or covered(whole, others)


def _consequences(zone: Zone) -> list[Zone]:
    found: list[Zone] = []
    for atom, holds in zone.atoms:
        if isinstance(atom, SomeItem) and holds:
            found += [_more_of_item(part) for part in _all_parts(atom)]
            found.append(_counted(atom.path, at_least=1))
        elif isinstance(atom, Some) and atom.op == EXISTS:
            found.append(_counted(atom.path, at_least=1) if holds else _counted(atom.path, at_most=0))
    for variable, kinds in zone.kinds.items():
        if kinds == Kinds.NUMBER:
            most, least = zone.bounds.bound(variable, ZERO), zone.bounds.bound(ZERO, variable)
            found += _of_number(variable, most, least)
        elif kinds == Kinds.MISSING and is_path(variable.term):
            found.append(_counted(variable.term, at_most=0))
        if not kinds & Kinds.MISSING and is_path(variable.term):
            # Facts about the existence of note[2] hold for note.
            found.append(Zone(atoms=frozenset({(Some(variable.term, "", EXISTS), True)})))
    return found


def _all_parts(atom: SomeItem) -> list[Some | SomeItem]:
    found: list[Some | SomeItem] = []
    for part in atom.parts:
        found.append(part)
        if isinstance(part, SomeItem):
            found += _all_parts(part)
    return found


def _more_of_item(part: Some | SomeItem) -> Zone:
    return Zone(atoms=frozenset({(part, True)}))


def _counted(path: ast.Expr, *, at_least: int | None = None, at_most: int | None = None) -> Zone:
    variable = count_of(path)
    bounds: DifferenceBounds | None = DifferenceBounds()
    if at_least is not None and bounds is not None:
        bounds = bounds.with_bound(ZERO, variable, (Fraction(-at_least), False))
    if at_most is not None and bounds is not None:
        bounds = bounds.with_bound(variable, ZERO, (Fraction(at_most), False))
    assert bounds is not None
    return Zone({variable: Kinds.NUMBER}, bounds)


def _of_number(variable: Variable, most: Bound | None, least: Bound | None) -> list[Zone]:
    """The consequences for other values of a number between bounds."""
    match variable.term:
        case ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(path,)) if uri == FN:
            there: Zones = ()
            if least is not None and least[0] <= -1:
                there = zones_of(path, RecordFacts())
            elif most is not None and most[0] <= 0:
                there = zones_of(ast.FunctionCall(ast.Name("empty", None, FN), (path,)), RecordFacts())
            # Several zones would be alternatives.
            return list(there) if len(there) == 1 else []
        case ast.FunctionCall(name=ast.Name(local="min" | "max", uri=uri), arguments=(values,)) if uri == FN:
            # One of the values is the minimum, and one the maximum.
            return _one_between(atomized_path(values), most, least)
        case ast.Path(left=left, right=ast.AxisStep(predicates=(ast.IntegerLiteral(),)) as step) if (
            variable.view == "double"
        ):
            # note[1] is one of the notes.
            return _one_between(ast.Path(left, ast.AxisStep(step.axis, step.test)), most, least)
    if variable.view in ("decimal", "integer") and is_path(variable.term):
        return _as_double(variable, most, least)
    return []


def _one_between(path: ast.Expr | None, most: Bound | None, least: Bound | None) -> list[Zone]:
    """The consequence that one of the items of a path lies between bounds."""
    tests = [
        ast.GeneralComparison(op if bound[1] else f"{op}=", THE_ITEM, literal(float(sign * bound[0])))
        for bound, op, sign in ((most, "<", 1), (least, ">", -1))
        if bound is not None
    ]
    test = conjunction(tests)
    if path is None or test is None:
        return []
    passes, fails = (zones_of(one, RecordFacts()) for one in (test, _negated(test)))
    return [Zone(atoms=frozenset({(SomeItem(path, test, passes, fails), True)}))]


def _negated(test: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name("not", None, FN), (test,))


def _as_double(variable: Variable, most: Bound | None, least: Bound | None) -> list[Zone]:
    """Rounding an exact number to a double keeps its order relative to any double, or makes them equal."""
    as_double = shared_variable(variable.term, "double", variable.domain | Kinds.NAN)
    bounds: DifferenceBounds | None = DifferenceBounds()
    if most is not None and bounds is not None:
        bounds = bounds.with_bound(as_double, ZERO, (_rounded(most[0]), False))
    if least is not None and bounds is not None:
        bounds = bounds.with_bound(ZERO, as_double, (-_rounded(-least[0]), False))
    return [] if bounds is None else [Zone({as_double: Kinds.NUMBER}, bounds)]


def _rounded(value: Fraction) -> Fraction:
    """The double nearest to a number."""
    return Fraction(value.numerator / value.denominator)
