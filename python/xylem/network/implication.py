"""Decide whether one condition implies another: zones are compared with zones and with their consequences.

Only the premise is extended by its consequences, so the conclusion needs nothing beyond what it states:

        xs:decimal(en) >= 2        →   en >= 2 as a double (rounding keeps the order of numbers)
        count(note) > 2            →   there is a note;   empty(note)  →  count(note) = 0
        max(note) > 2              →   one of the notes is above 2
        one obs with val > 3 and … →   one obs/val is above 3
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from sys import float_info

from xylem.analysis.facts.comparisons import GENERAL
from xylem.analysis.facts.conjuncts import conjunction
from xylem.functions.registry import FN
from xylem.syntax import ast

from .conditions import zones_of
from .difference_bounds import ZERO, Bound, DifferenceBounds, Node
from .item_conditions import THE_ITEM, atomized_path, literal, strict_paths
from .measured_values import count_of, is_exact, is_whole
from .record_facts import RecordFacts, bare, is_path, is_place
from .zones import EXISTS, Kinds, Some, SomeItem, Variable, Zone, Zones, covered, shared_variable

MOST_PLACES = 8
"""Items that are there by their number are known up to this one."""
_GREATEST = Fraction(float_info.max)
"""The greatest double."""
_ROUNDS = 3
"""Consequences have consequences: line[2]/price > 3, so one line/price is above 3, so there is one."""


def implies(one: Zones, other: Zones) -> bool:
    """Whether one condition implies the other: never true wrongly, but sometimes not found."""
    return all(covered(zone, other) or _covered_with_all(zone, other) for zone in one)


def _covered_with_all(zone: Zone, others: Zones) -> bool:
    whole = with_consequences(zone)
    # A zone that contradicts its own consequences is empty.
    return whole is None or (whole is not zone and covered(whole, others))


def with_consequences(zone: Zone) -> Zone | None:
    """A zone with everything that follows from it; None if that cannot be. Computed once for each zone."""
    if isinstance(zone.whole, bool):
        object.__setattr__(zone, "whole", _completed(zone))
    assert not isinstance(zone.whole, bool)
    return zone.whole


def _completed(zone: Zone) -> Zone | None:
    whole = zone
    for _ in range(_ROUNDS):
        before = whole
        for more in _consequences(whole):
            both = whole.both(more)
            if both is None:
                return None
            whole = both
        if before.is_within(whole):
            return before
    return whole


def _consequences(zone: Zone) -> list[Zone]:
    found: list[Zone] = []
    for atom, holds in zone.atoms:
        if isinstance(atom, SomeItem) and holds:
            found += [_that(part) for part in _all_parts(atom)]
            found.append(_counted(atom.path, at_least=1))
        elif isinstance(atom, SomeItem) and (Some(atom.path, "", EXISTS), True) in zone.atoms:
            # There are items, and none of them passes: so one of them does not.
            found.append(_that(SomeItem(atom.path, _negated(atom.test), atom.fails, atom.passes)))
        elif isinstance(atom, Some) and atom.op == EXISTS:
            found.append(_counted(atom.path, at_least=1) if holds else _counted(atom.path, at_most=0))
        elif isinstance(atom, Some) and atom.view == "string" and holds and bare(atom.path) != atom.path:
            # tag[1] = "x": one of the tags is.
            test = ast.GeneralComparison(atom.op, THE_ITEM, ast.StringLiteral(str(atom.value)))
            found += [] if atom.op not in GENERAL.values() else _one_that(bare(atom.path), test)
    for variable, kinds in zone.kinds.items():
        if kinds == Kinds.NUMBER:
            most, least = zone.bounds.bound(variable, ZERO), zone.bounds.bound(ZERO, variable)
            found += _of_number(variable, most, least)
        elif kinds == Kinds.MISSING and is_path(variable.term):
            found.append(_counted(variable.term, at_most=0))
        if not kinds & Kinds.MISSING and is_path(variable.term):
            found += _of_presence(variable.term)
    return found


def _of_presence(path: ast.Expr) -> list[Zone]:
    """The consequences of a node being there, of which there is at most one."""
    # Facts about the existence of note[2] hold for note.
    found = [_that(Some(path, "", EXISTS))]
    above = path
    while isinstance(above, ast.Path) and isinstance(above.left, ast.Path):
        above = above.left
        found.append(_there(above))
    anywhere = _without_places(path)
    if anywhere != path:
        # note[. > 2][1] is a note above 2.
        there = zones_of(anywhere, RecordFacts())
        found += there if len(there) == 1 else ()
    match path:
        case ast.Path(left=left, right=ast.AxisStep(predicates=(ast.IntegerLiteral(value=place),)) as step):
            found.append(_counted(ast.Path(left, replace(step, predicates=())), at_least=place))
    return found


def _without_places(path: ast.Expr) -> ast.Expr:
    """A path to all nodes that pass its tests, wherever they stand."""
    match path:
        case ast.Path(left=left, right=ast.AxisStep(predicates=predicates) as step):
            tests = tuple(one for one in predicates if not is_place(one))
            return ast.Path(_without_places(left), replace(step, predicates=tests))
    return path


def _there(path: ast.Expr) -> Zone:
    return Zone({shared_variable(path, "double"): Kinds.ANY & ~Kinds.MISSING})


def _all_parts(atom: SomeItem) -> list[Some | SomeItem]:
    found: list[Some | SomeItem] = []
    for part in atom.parts:
        found.append(part)
        if isinstance(part, SomeItem):
            found += _all_parts(part)
    return found


def _that(atom: Some | SomeItem) -> Zone:
    return Zone(atoms=frozenset({(atom, True)}))


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
            return [*(there if len(there) == 1 else ()), *_places(path, least)]
        case ast.FunctionCall(name=ast.Name(local="min" | "max", uri=uri), arguments=(values,)) if uri == FN:
            # One of the values is the minimum, and one the maximum.
            return _one_between(atomized_path(values), most, least)
    found: list[Zone] = []
    if isinstance(variable.term, (ast.Arithmetic, ast.Unary, ast.FunctionCall)):
        for path in strict_paths(variable.term):
            found += [_that(Some(path, "", EXISTS)), _there(path)]
    if variable.view == "double" and is_path(variable.term) and bare(variable.term) != variable.term:
        # note[1] is one of the notes.
        found += _one_between(bare(variable.term), most, least)
    if is_exact(variable.view) and is_path(variable.term):
        found += _as_double(variable, most, least)
    if is_whole(variable.view) and is_path(variable.term):
        # A text that is one of the smaller types is an integer, and a decimal.
        for view in {"integer", "decimal"} - {variable.view}:
            found.append(_as(shared_variable(variable.term, view, variable.domain), most, least))
    return found


def _places(path: ast.Expr, least: Bound | None) -> list[Zone]:
    """Where there are at least three, there is a third."""
    match path:
        case ast.Path(left=ast.VarRef(), right=ast.AxisStep(predicates=()) as step) if least is not None:
            number = min(MOST_PLACES, ceil(-least[0]))
            steps = [replace(step, predicates=(ast.IntegerLiteral(place),)) for place in range(1, number + 1)]
            return [_there(ast.Path(path.left, one)) for one in steps]
    return []


def _as(variable: Variable, most: Bound | None, least: Bound | None) -> Zone:
    bounds: DifferenceBounds | None = DifferenceBounds()
    if most is not None and bounds is not None:
        bounds = bounds.with_bound(variable, ZERO, most)
    if least is not None and bounds is not None:
        bounds = bounds.with_bound(ZERO, variable, least)
    assert bounds is not None
    return Zone({variable: Kinds.NUMBER}, bounds)


def _one_between(path: ast.Expr | None, most: Bound | None, least: Bound | None) -> list[Zone]:
    """The consequence that one of the items of a path lies between bounds."""
    tests = [
        ast.GeneralComparison(op if bound[1] else f"{op}=", THE_ITEM, literal(float(sign * bound[0])))
        for bound, op, sign in ((most, "<", 1), (least, ">", -1))
        if bound is not None
    ]
    test = conjunction(tests)
    return [] if path is None or test is None else _one_that(path, test)


def _one_that(path: ast.Expr, test: ast.Expr) -> list[Zone]:
    passes, fails = (zones_of(one, RecordFacts()) for one in (test, _negated(test)))
    return [_that(SomeItem(path, test, passes, fails))]


def _negated(test: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name("not", None, FN), (test,))


def _as_double(variable: Variable, most: Bound | None, least: Bound | None) -> list[Zone]:
    """Rounding an exact number to a double keeps its order relative to any double, or makes them equal."""
    as_double = shared_variable(variable.term, "double", variable.domain | Kinds.NAN)
    bounds: DifferenceBounds | None = DifferenceBounds()
    ends: tuple[tuple[Bound | None, Node, Node], ...] = ((most, as_double, ZERO), (least, ZERO, as_double))
    for bound, x, y in ends:
        limit = None if bound is None else _rounded(bound[0])
        if limit is not None and bounds is not None:
            bounds = bounds.with_bound(x, y, (limit, False))
    return [] if bounds is None else [Zone({as_double: Kinds.NUMBER}, bounds)]


def _rounded(value: Fraction) -> Fraction | None:
    """What the double nearest to a number is at most that is at most this value; None if it may be infinite."""
    try:
        return Fraction(float(value))
    except OverflowError:
        return None if value > 0 else -_GREATEST
