"""Decide whether the stream of one query can answer another: the match and the remaining tests, or the reason against
it.

        A: photons of Vela          B: those of RXJ with en > 1.3
        reuse: yes; residual: en > 1.3 and ra > 130.5 and …

A's stream answers B if A takes the same records of the same source and the stream holds every record that B needs, with
every path that B reads and that the remaining tests read. If A's stream consists of windows, B must follow from their
aggregates. A match is never claimed wrongly; without one, `why` gives the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xylem.analysis.facts.conjuncts import conjunction
from xylem.syntax import ast

from .implication import implies
from .projections import missing_paths
from .properties import Properties, condition_text
from .value_ranges import are_within
from .window_properties import rolled_up
from .zones import Zones


@dataclass(frozen=True)
class Widening:
    """The records and paths that a stream would have to keep in addition."""

    where: str = ""
    """The condition that it would need instead; empty for its current one."""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    """Whether B is answered from A's stream."""

    reuse: bool
    why: str
    residual: tuple[ast.Expr, ...] = ()
    """The tests left for B."""
    widen: Widening | None = None
    dropped: tuple[ast.Expr, ...] = field(default=(), compare=False)
    """The tests of B that A has made."""

    def to_dict(self) -> dict[str, Any]:
        widen = None
        if self.widen is not None:
            widen = {"where": self.widen.where, "paths": list(self.widen.paths)}
        return {
            "reuse": self.reuse,
            "residual": [condition_text(condition) for condition in self.residual],
            "widen": widen,
            "why": self.why,
        }


@dataclass(frozen=True)
class Served:
    """The work left for a query that reads the stream of another query."""

    residual: tuple[ast.Expr, ...]
    dropped: tuple[ast.Expr, ...]


def served(own: Properties, wanted: Properties) -> Served | None:
    """The work left if the records of one stream serve another query; None if they do not serve it."""
    if own.source != wanted.source or own.record != wanted.record or own.windowed is not None:
        return None
    if not are_within(wanted.asked_ranges, own.ranges) or not implies(wanted.zones, own.zones):
        return None
    residual, dropped = residual_of(own.zones, wanted)
    return None if missing_paths(own.projection, wanted.needed(residual)) else Served(residual, dropped)


def match(own: Properties, wanted: Properties) -> Match:
    """Whether `wanted` can be answered from the stream of the filter of `own`, and why."""
    if own.source != wanted.source:
        return Match(False, f"they read different streams: {_source(own)} and {_source(wanted)}")
    if own.record != wanted.record:
        return Match(False, f"they read different records: {own.path} and {wanted.path}")
    if own.windowed is not None:
        return _match_windows(own, wanted)
    found = served(own, wanted)
    if found is None:
        return _refused(own, wanted)
    if not found.residual:
        why = "it has the records that are asked for, and no others"
    else:
        why = f"every record that is asked for is in it; still to be tested: {_texts(found.residual)}"
    return Match(True, why, found.residual, None, found.dropped)


def _refused(own: Properties, wanted: Properties) -> Match:
    residual, dropped = residual_of(own.zones, wanted)
    lacking = missing_paths(own.projection, wanted.needed(residual))
    if not implies(wanted.zones, own.zones):
        return Match(False, _unmet(own, wanted), widen=_widened(own, wanted, lacking))
    told = f"its records lack {', '.join(lacking)}"
    return Match(False, told, residual, Widening(paths=tuple(lacking)), dropped)


def _match_windows(own: Properties, wanted: Properties) -> Match:
    assert own.windowed is not None
    if wanted.windowed is None:
        return Match(False, "its stream holds aggregates over windows, and records are asked for")
    if not (implies(own.zones, wanted.zones) and implies(wanted.zones, own.zones)):
        return Match(False, "aggregates are of use for the very same records alone, and the conditions differ")
    why = rolled_up(own.windowed, wanted.windowed)
    if why is not None:
        return Match(False, why)
    is_same = (own.windowed.size, own.windowed.step) == (wanted.windowed.size, wanted.windowed.step)
    told = "the windows are the same" if is_same else "the windows are put together from its windows"
    has_averages = any(one.function == "avg" for one in own.windowed.written)
    if has_averages and not (is_same and wanted.windowed.written <= own.windowed.written):
        told += "; an average travels as its sum and count, which its text does not show"
    return Match(True, told)


def residual_of(zones: Zones, wanted: Properties) -> tuple[tuple[ast.Expr, ...], tuple[ast.Expr, ...]]:
    """The conditions that do not follow from zones, and those that do."""
    kept: list[ast.Expr] = []
    dropped: list[ast.Expr] = []
    for condition, its_zones in zip(wanted.conditions, wanted.condition_zones, strict=True):
        (dropped if implies(zones, its_zones) else kept).append(condition)
    return tuple(kept), tuple(dropped)


def _unmet(own: Properties, wanted: Properties) -> str:
    """The conditions of a stream that are stricter than the query's."""
    each = zip(own.conditions, own.condition_zones, strict=True)
    unmet = [one for one, zones in each if not implies(wanted.zones, zones)]
    if not unmet:
        return f"that every record asked for has {_texts(own.conditions)} could not be shown"
    return f"it has only records with {_texts(tuple(unmet))}, and others are asked for"


def _widened(own: Properties, wanted: Properties, lacking: list[str]) -> Widening:
    sides = [conjunction(one.conditions) for one in (own, wanted)]
    where = "true()"
    if sides[0] is not None and sides[1] is not None:
        where = condition_text(ast.Or(sides[0], sides[1]))
    needed = missing_paths(own.projection, wanted.needed(wanted.conditions))
    # Consumers of the stream repeat the tests that it no longer makes for them.
    again = missing_paths(own.projection, own.needed(own.conditions))
    return Widening(where, tuple(dict.fromkeys([*lacking, *needed, *again])))


def _texts(conditions: tuple[ast.Expr, ...]) -> str:
    return " and ".join(map(_bracketed, conditions))


def _bracketed(condition: ast.Expr) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, ast.Or) else text


def _source(properties: Properties) -> str:
    return properties.source or "the input"
