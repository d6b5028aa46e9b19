"""How many of the matches that there are will be found: z3 says which there are."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from xylem.network.implication import implies
from xylem.network.properties import properties_of
from xylem.schema import load_schema
from xylem.syntax import parse

from .random_conditions import DTD

z3 = pytest.importorskip("z3", reason="z3-solver is not installed: pip install 'xylem-xquery[dev]'")

VALUES = {"a": False, "b": False, "c": True}
"""The values of a record, and whether they may be missing."""
NUMBER, NAN, MISSING, OTHER = range(4)


@dataclass(frozen=True)
class Comparison:
    """A comparison with a constant, or of two values."""

    path: str
    op: str
    other: str

    def __str__(self) -> str:
        if self.other in VALUES:
            return f"number($r/{self.path}) {self.op} number($r/{self.other})"
        return f"$r/{self.path} {self.op} {self.other}"

    def formula(self, holds: bool) -> Any:
        kind, value = z3.Int(f"kind_{self.path}"), z3.Real(self.path)
        if self.other in VALUES:
            other_kind, other = z3.Int(f"kind_{self.other}"), z3.Real(self.other)
            compared = z3.And(kind == NUMBER, other_kind == NUMBER, _compared(value, self.op, other))
            return compared if holds else z3.Not(compared)
        compared = z3.And(kind == NUMBER, _compared(value, self.op, z3.RealVal(self.other)))
        return compared if holds else z3.And(kind != OTHER, z3.Not(compared))


def _compared(left: Any, op: str, right: Any) -> Any:
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right}[op]


Tree = tuple[str, "Tree", "Tree"] | tuple[str, "Tree"] | Comparison


def text(tree: Any) -> str:
    if isinstance(tree, Comparison):
        return str(tree)
    return f"not({text(tree[1])})" if tree[0] == "not" else f"({text(tree[1])} {tree[0]} {text(tree[2])})"


def formula(tree: Any, holds: bool = True) -> Any:
    if isinstance(tree, Comparison):
        return tree.formula(holds)
    if tree[0] == "not":
        return formula(tree[1], not holds)
    joined = z3.And if (tree[0] == "and") == holds else z3.Or
    return joined(formula(tree[1], holds), formula(tree[2], holds))


def random_test(draw: random.Random) -> Comparison:
    path = draw.choice(list(VALUES))
    if draw.random() < 0.2:
        return Comparison(path, draw.choice(["<", "<=", ">", ">="]), draw.choice([v for v in VALUES if v != path]))
    return Comparison(path, draw.choice(["<", "<=", ">", ">=", "="]), draw.choice(["0", "1", "2", "3", "4"]))


def conjunction(draw: random.Random) -> Tree:
    made: Tree = random_test(draw)
    for _ in range(draw.randrange(4)):
        made = ("and", made, random_test(draw))
    return made


def disjunction(draw: random.Random) -> Tree:
    made = conjunction(draw)
    for _ in range(draw.randrange(1, 4)):
        other: Tree = conjunction(draw)
        made = ("or", made, ("not", other) if draw.random() < 0.2 and isinstance(other, Comparison) else other)
    return made


def found_of_all(make: Any, number: int, seed: str) -> float:
    draw, schema = random.Random(seed), load_schema(DTD)
    solver = z3.Solver()
    for path, may_miss in VALUES.items():
        kind = z3.Int(f"kind_{path}")
        solver.add(kind >= 0, kind <= OTHER, kind != MISSING if not may_miss else z3.BoolVal(True))
    trees = [make(draw) for _ in range(number)]
    zones = [properties_of(parse(f"for $r in /rs/rec where {text(t)} return $r"), schema).zones for t in trees]
    formulas = [(formula(tree), z3.Not(formula(tree))) for tree in trees]
    there_are = found = 0
    for b in range(number):
        solver.push()
        solver.add(formulas[b][0])
        for a in range(number):
            solver.push()
            solver.add(formulas[a][1])
            is_so = solver.check() == z3.unsat
            solver.pop()
            claimed = implies(zones[b], zones[a])
            assert is_so or not claimed, f"{text(trees[b])} does not imply {text(trees[a])}"
            there_are += is_so
            found += claimed
        solver.pop()
    assert there_are > number
    return found / there_are


def test_conjunctions() -> None:
    assert found_of_all(conjunction, 28, "conjunctions") >= 0.99


def test_disjunctions() -> None:
    assert found_of_all(disjunction, 20, "disjunctions") >= 0.95
