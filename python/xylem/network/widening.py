"""One stream instead of two: a filter that keeps what two queries need, so that it can answer both.

        A: photons of one region          B: those of another, which overlaps
        for $record in /photons/photon where (A's conditions) or (B's conditions) return (what either reads)

Gain:   records that both need are sent once.
Safe:   A's own conditions filter the wider stream, so A gets the same records as before.
"""

from __future__ import annotations

from xylem.analysis.facts.conjuncts import conjunction
from xylem.analysis.projection import Projection
from xylem.syntax import ast

from .filter_stream import readable_query, records_path
from .properties import Properties
from .record_facts import RECORD
from .record_reads import THE_RECORD


def widened_query(own: Properties, wanted: Properties) -> str | None:
    """A query whose stream serves two others; None if they have no stream in common."""
    if own.source != wanted.source or own.record != wanted.record:
        return None
    sides = [conjunction(one.conditions) for one in (own, wanted)]
    clauses: list[ast.Clause] = [ast.ForClause(RECORD, None, records_path(own))]
    if sides[0] is not None and sides[1] is not None:
        clauses.append(ast.WhereClause(ast.Or(sides[0], sides[1])))
    # Values that either of them tests again must be there.
    needed = own.needed(own.conditions)
    needed.merge(wanted.needed(wanted.conditions))
    paths = _paths(THE_RECORD, needed)
    result = THE_RECORD if paths is None else ast.SequenceExpr(tuple(paths))
    return readable_query(ast.Flwor(tuple(clauses), result))


def _paths(element: ast.Expr, needed: Projection) -> list[ast.Expr] | None:
    """Paths to all needed nodes of an element; None if the element itself is needed."""
    if needed.subtree or needed.string or needed.text or needed.all_attributes:
        return None
    found: list[ast.Expr] = [
        ast.Path(element, ast.AxisStep("attribute", ast.NameTest(ast.Name(local, None, uri))))
        for uri, local in sorted(needed.attributes)
    ]
    for (axis, uri, local), below in needed.children.items():
        if axis != "child" or uri is None or local is None:
            return None
        child = ast.Path(element, ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri))))
        inside = _paths(child, below)
        found += inside or [child]
    return found
