"""Windows of a query and what it aggregates over each; which windows can be put together from the windows of others.

        for $w in $ROOT/photons/photon|det_time diff 60 step 15| return avg($w/en)

Windows begin at multiples of the step behind the first item. Those of one query can be rolled up into those of another
where they tile them: sums and counts need windows side by side, least and greatest values may take windows that
overlap. An average travels as a sum and a count. A sum of doubles is the same sum only where the windows are the same:
put together from parts it is rounded elsewhere, so it is not offered; xs:decimal and xs:integer are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from xylem.analysis.readable_names import with_readable_names
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.flux import ROOT
from xylem.syntax import ast, print_query

from .constants import constant_number
from .record_facts import Names

MERGED = frozenset({"sum", "count", "avg", "min", "max"})
_PROVIDES = {"avg": ("avg", "sum", "count"), "sum": ("sum",), "count": ("count",), "min": ("min",), "max": ("max",)}


@dataclass(frozen=True)
class Aggregated:
    """One aggregate over the items of a window."""

    function: str
    path: str
    """What is aggregated of each item, as it is written from the window: empty for the items themselves."""
    is_exact: bool
    """Whether sums of it do not round."""


@dataclass(frozen=True)
class Windowed:
    """Data windows over records, and the aggregates over them; nothing else is read of the windows."""

    kind: str
    """count or diff"""
    reference: str
    size: Fraction
    step: Fraction
    aggregates: tuple[Aggregated, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "reference": self.reference,
            "size": str(self.size),
            "step": str(self.step),
            "aggregates": [f"{one.function}({one.path})" for one in self.aggregates],
        }


def windowed(query: ast.Expr, record: Names) -> Windowed | None:
    """The windows of a query that is one loop over windows of records and reads aggregates of them alone."""
    found = [node for node in query.walk() if isinstance(node, ast.DataWindow)]
    loops = [
        (node, node.clauses[0])
        for node in query.walk()
        if isinstance(node, ast.Flwor)
        and isinstance(node.clauses[0], ast.ForClause)
        and isinstance(node.clauses[0].collection, ast.DataWindow)
    ]
    if len(found) != 1 or len(loops) != 1:
        return None
    loop, clause = loops[0]
    window = found[0]
    size = constant_number(window.size)
    step = size if window.step is None else constant_number(window.step)
    if not isinstance(size, (int, Decimal)) or not isinstance(step, (int, Decimal)) or size <= 0 or step <= 0:
        return None
    if not _is_record_path(window.base, record) or clause.position is not None:
        return None
    parts: list[ast.Node] = [*loop.clauses[1:], loop.result]
    aggregates = list(dict.fromkeys(one for part in parts for one in _aggregates(part, clause.name)))
    reads = sum(_reads(node, clause.name) for part in parts for node in part.walk())
    counted = sum(
        _reads(inner, clause.name) for part in parts for call in _calls(part, clause.name) for inner in call.walk()
    )
    if not aggregates or reads != counted:
        return None
    reference = "" if window.reference is None else _text(window.reference)
    return Windowed(window.kind, reference, Fraction(size), Fraction(step), tuple(aggregates))


def rolled_up(own: Windowed, wanted: Windowed) -> str | None:
    """Why aggregates over some windows do not give those over others; None where they do."""
    if (own.kind, own.reference) != (wanted.kind, wanted.reference):
        return "the windows go by something else"
    is_same = own.size == wanted.size and own.step == wanted.step
    provided = {(name, one.path) for one in own.aggregates for name in _PROVIDES[one.function]}
    for one in wanted.aggregates:
        parts = ("sum", "count") if one.function == "avg" else (one.function,)
        if any((part, one.path) not in provided for part in parts):
            return f"{one.function}({one.path}) does not follow from what is aggregated"
        if not is_same and one.function in ("sum", "avg") and not one.is_exact:
            return f"{one.function}({one.path}) adds doubles, which round differently when windows are put together"
        if not is_same and not tiles(own, wanted, may_overlap=one.function in ("min", "max")):
            return "its windows do not tile the ones asked for"
    return None


def tiles(own: Windowed, wanted: Windowed, *, may_overlap: bool) -> bool:
    """Whether each of the wanted windows is made up of windows that there are."""
    if not _divides(own.step, wanted.step):
        return False
    if own.size == wanted.size:
        return True
    if may_overlap:
        further = wanted.size - own.size
        return further > 0 and own.step <= own.size and _divides(own.step, further)
    return _divides(own.size, wanted.size) and _divides(own.step, own.size)


def pane(one: Windowed, other: Windowed) -> Fraction:
    """The longest stretch that the windows of both are made up of, side by side."""
    from math import gcd, lcm

    numbers = (one.size, one.step, other.size, other.step)
    denominator = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * denominator) for number in numbers)), denominator)


def _text(expr: ast.Expr) -> str:
    return " ".join(print_query(with_readable_names(expr)).split())


def _divides(part: Fraction, whole: Fraction) -> bool:
    return (whole / part).denominator == 1


def _is_record_path(expr: ast.Expr, record: Names) -> bool:
    names: list[tuple[str, str]] = []
    while isinstance(expr, (ast.Path, ast.Filter)):
        if isinstance(expr, ast.Filter):
            expr = expr.base
            continue
        if not isinstance(expr.right, ast.AxisStep) or not isinstance(expr.right.test, ast.NameTest):
            return False
        names.append(expr.right.test.name.expanded)
        expr = expr.left
    is_root = isinstance(expr, ast.VarRef) and expr.name.expanded == ("", ROOT)
    return is_root and tuple(reversed(names)) == record


def _reads(node: ast.Node, name: ast.Name) -> bool:
    return isinstance(node, ast.VarRef) and node.name.expanded == name.expanded


def _calls(part: ast.Node, name: ast.Name) -> Iterator[ast.FunctionCall]:
    for node in part.walk():
        if isinstance(node, ast.FunctionCall) and node.name.uri == FN and node.name.local in MERGED:
            base = node.arguments[0] if len(node.arguments) == 1 else None
            while isinstance(base, (ast.Path, ast.SimpleMap)):
                base = base.left
            if base is not None and _reads(base, name):
                yield node


def _aggregates(part: ast.Node, name: ast.Name) -> Iterator[Aggregated]:
    for call in _calls(part, name):
        steps: list[str] = []
        base, is_exact = call.arguments[0], False
        if isinstance(base, (ast.Path, ast.SimpleMap)):
            last = base.right
            is_exact = (
                isinstance(last, ast.FunctionCall)
                and last.name.uri == PREFIXES["xs"]
                and last.name.local in ("decimal", "integer")
            )
        while isinstance(base, (ast.Path, ast.SimpleMap)):
            steps.append(_text(base.right))
            base = base.left
        yield Aggregated(call.name.local, "/".join(reversed(steps)), is_exact)
