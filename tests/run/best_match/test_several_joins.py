"""Several joins in one expression: each filters the tuples that those before it have left."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
import xylem

Tuple = dict[str, int]
"""The number of the item of each loop."""
NAMES = "rsu"


@dataclass(frozen=True)
class Join:
    left: str
    right: str
    kind: str
    best: int
    limit: int | None

    @property
    def text(self) -> str:
        kind = "" if self.kind == "inner" else f"{self.kind} outer "
        best = "" if self.best == 1 else f"{self.best} "
        limit = "" if self.limit is None else f" {self.limit}"
        distance = f"abs(${self.left}/@t - ${self.right}/@t)"
        orders = f"({distance}) min{limit}, (${NAMES[0]}/@x) max"
        return f"where ${self.left} {kind}{best}bestmatch join ${self.right} on {orders}"


@dataclass
class Case:
    values: dict[str, list[tuple[int, int]]]
    clauses: list[str | Join] = field(default_factory=list)
    """The name of a loop, or a join."""

    @property
    def loops(self) -> list[str]:
        return [clause for clause in self.clauses if isinstance(clause, str)]

    @property
    def document(self) -> str:
        items = (f'<{n} i="{n}{i}" t="{t}" x="{x}"/>' for n in NAMES for i, (t, x) in enumerate(self.values[n]))
        return f"<d>{''.join(items)}</d>"

    @property
    def query(self) -> str:
        clauses = [f"for ${one} in /d/{one}" if isinstance(one, str) else one.text for one in self.clauses]
        return "\n".join([*clauses, "return " + " || ".join(f"${loop}/@i" for loop in self.loops)])


def random_case(seed: int) -> Case:
    chance = random.Random(seed)

    def items() -> list[tuple[int, int]]:
        return [(chance.randint(0, 5), chance.randint(0, 2)) for _ in range(chance.randint(1, 4))]

    case = Case({name: items() for name in NAMES})
    waiting = list(NAMES[: chance.choice((2, 3, 3))])
    for _ in range(5):
        bound = case.loops
        if waiting and (len(bound) < 2 or chance.random() < 0.5):
            case.clauses.append(waiting.pop(0))
        elif len(bound) > 1:
            left, right = chance.sample(bound, 2)
            kind = chance.choice(("inner", "left", "right", "full"))
            case.clauses.append(Join(left, right, kind, chance.choice((1, 1, 2)), chance.choice((None, 1, 2))))
    return case


def answer_of(case: Case) -> list[str]:
    """By the definitions, one clause after the other."""
    tuples: list[Tuple] = [{}]
    bound: list[str] = []
    for clause in case.clauses:
        if isinstance(clause, str):
            bound.append(clause)
            tuples = [{**one, clause: item} for one, item in product(tuples, range(len(case.values[clause])))]
        else:
            tuples = _best(case, clause, tuples, bound)
    return ["".join(f"{name}{one[name]}" for name in bound) for one in tuples]


def _best(case: Case, join: Join, tuples: list[Tuple], bound: list[str]) -> list[Tuple]:
    def values(one: Tuple) -> tuple[int, int]:
        apart = case.values[join.left][one[join.left]][0] - case.values[join.right][one[join.right]][0]
        return abs(apart), -case.values[NAMES[0]][one[NAMES[0]]][1]

    around = bound[: min(bound.index(join.left), bound.index(join.right))]
    taking_part = [one for one in tuples if join.limit is None or values(one)[0] <= join.limit]

    def stays(one: Tuple, *own: str) -> bool:
        mine = values(one)
        rivals = [other for other in taking_part if all(other[name] == one[name] for name in (*around, *own))]
        beaten = sum(its != mine and its[0] <= mine[0] and its[1] <= mine[1] for its in map(values, rivals))
        return beaten < join.best

    sides: dict[str, list[tuple[str, ...]]] = {
        "inner": [()], "left": [(join.left,)], "right": [(join.right,)], "full": [(join.left,), (join.right,)],
    }  # fmt: skip
    return [one for one in taking_part if any(stays(one, *own) for own in sides[join.kind])]


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_joins_follow_each_other(first: int) -> None:
    for seed in range(first, first + 20):
        case = random_case(seed)
        query = xylem.compile(case.query)
        assert list(query.run(xylem.parse(case.document))) == answer_of(case), seed
        if seed % 4 == 0:
            assert list(query.stream(case.document.encode())) == answer_of(case), seed


DOCUMENT = "<d><r i='0' t='1'/><r i='1' t='5'/><r i='2' t='9'/><s i='a' t='2'/><s i='b' t='4'/><s i='c' t='6'/></d>"
JOIN = "for $r in /d/r for $s in /d/s where $r left outer bestmatch join $s on (abs($r/@t - $s/@t)) min 3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{JOIN} group by $k := string($s/@i) order by $k return $k || count($r)", ["a1", "b1", "c2"]),
        (f"{JOIN.replace(' where', ' let $k := string($s/@i) where')} group by $k return $k", ["a", "b", "c"]),
        (f"{JOIN} order by number($s/@t) descending return string($r/@i)", ["1", "2", "1", "0"]),
        (f"{JOIN} count $n return $n", [1, 2, 3, 4]),
        ("for $r in /d/r for $x in 1 for $s in /d/s where $r left outer bestmatch join $s on (abs($r/@t - $s/@t)) min"
         " order by $s/@i descending return string($r/@i)", ["1", "2", "1", "0"]),
    ],
)  # fmt: skip
def test_clauses_behind_a_join_read_its_variables(text: str, expected: list[Any]) -> None:
    assert list(xylem.compile(text).run(xylem.parse(DOCUMENT))) == expected
    assert list(xylem.compile(text).stream(DOCUMENT.encode())) == expected
