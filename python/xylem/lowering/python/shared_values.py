"""Values that do not change between the turns of a loop: computed once, and looked up at each turn."""

from __future__ import annotations

from typing import NamedTuple

from xylem.analysis.facts.position_tests import position_tests
from xylem.plan.note import Note
from xylem.run.runtime import shared_values as rt
from xylem.run.runtime.anchored_values import AnchoredValues
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import ONE_ATOMIC, AtomicItem, Occurrence, SequenceType

from .code import Code, Shape, many
from .compiler import Compiler, compiles
from .joins import placed_at_anchor, placed_for


class KeptValue(NamedTuple):
    """The variable for a cached value, and its items, which are computed on first use."""

    cell: str
    items: str
    type: SequenceType


@compiles(ast.Shared)
def compile_shared(c: Compiler, node: ast.Shared) -> Code:
    kept = kept_value(c, node)
    return Code(kept.items, Shape.SEQUENCE, SequenceType(kept.type.item, Occurrence.MANY))


def _anchored(node: ast.Shared) -> str:
    probes = [test.probe for join in node.value.walk() if isinstance(join, ast.JoinClause) for test in join.tests]
    return "key" if any(probe == ast.VarRef(node.anchor) for probe in probes if node.anchor) else "node above"


def places_in_parents(c: Compiler, base: ast.Shared, predicate: ast.Expr) -> Code:
    """base[predicate] of a step: positions count among the children of one parent."""
    from .paths import asked_positions, asked_value

    kept = kept_value(c, base)
    tests = position_tests(predicate)
    if tests is None:
        text = f"{kept.cell}.of_parents_by({kept.items}, {asked_value(c, predicate)})"
    else:
        text = f"{kept.cell}.of_parents_at({kept.items}, {asked_positions(c, predicate, tests)})"
    return many(text, kept.type.item, reread=True, ordered=True)


def positions_in(c: Compiler, values: ast.Shared, sought: ast.Expr) -> Code:
    """index-of() in cached values."""
    value = c.bind(c.converted(c.compile(sought), ONE_ATOMIC, "argument 2 of index-of()"))
    kept = kept_value(c, values)
    text = f"{kept.cell}.positions_of({kept.items}, {value.text}, run.implicit_timezone_minutes)"
    return many(text, AtomicItem(at.INTEGER), reread=True)


def kept_value(c: Compiler, node: ast.Shared) -> KeptValue:
    kinds: list[SequenceType] = []

    def write() -> None:
        code = c.sequence(c.compile(node.value))
        kinds.append(code.type)
        c.writer.line(f"return {c.as_sequence(code)}")

    compute = c.lifted("shared", [], c.describe(node.value), write)
    how_often = "at each turn" if node.anchor is None else f"at all turns with the same {_anchored(node)}"
    c.writer.notes.append(Note(node.span, "computed once", f"{c.describe(node.value)} is the same {how_often}"))
    name, kind = c.writer.fresh("shared"), c.rt(rt.SharedValue)
    if node.anchor is None:
        cell = placed_for(c, name, f"{kind}()", (node.value,), node.is_of_input)
    else:
        made = f"{c.rt(AnchoredValues)}({kind})"
        cell = placed_at_anchor(c, name, made, node.anchor, (node.value,), node.is_of_input)
    return KeptValue(cell, f"({cell}.items if {cell}.built else {cell}.keep({c.writer.call(compute)}))", kinds[0])
