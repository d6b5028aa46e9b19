"""Joins over columns: the kernel's search gives what trying all pairs gives, bit by bit, and is used where it may
be.
"""

from __future__ import annotations

import math
import random
from array import array
from typing import Any

import pytest
import xylem
from xylem.functions.sky_functions import separation
from xylem.run.best_match import joining, numeric_join
from xylem.run.best_match.reference import reference_pairs
from xylem.source.kernel import is_kernel_built, kernel_pairs

needs_kernel = pytest.mark.skipif(not is_kernel_built(), reason="there is no kernel to compare with")
ORDERS: list[tuple[Any, ...]] = [
    ("abs", ("-", ("left", 0), ("right", 0))),
    ("abs", ("-", ("right", 1), ("left", 1))),
    ("abs", ("-", ("left", 0), ("+", ("right", 0), ("number", 0.3)))),
    ("-", ("left", 0), ("right", 1)),
    ("+", ("left", 1), ("right", 1)),
    ("*", ("left", 1), ("right", 0)),
    ("div", ("left", 1), ("right", 0)),
    ("negate", ("right", 0)),
    ("sqrt", ("+", ("*", ("left", 0), ("right", 0)), ("*", ("right", 1), ("right", 1)))),
    ("sky", ("left", 0), ("left", 1), ("right", 0), ("right", 1)),
    ("right", 1),
    ("left", 0),
]


@needs_kernel
@pytest.mark.parametrize("seed", range(150))
def test_the_search_gives_what_trying_all_pairs_gives(seed: int) -> None:
    chance = random.Random(seed)
    scale = chance.choice((1.0, 0.1, 40.0, 1e-300, 1e300))

    def column(size: int) -> array[float]:
        odd = (math.inf, -math.inf, math.nan, -0.0, 5e-324)
        numbers = [chance.choice((chance.randint(-9, 9) / 4, chance.gauss(0, 2))) * scale for _ in range(size)]
        numbers = [chance.choice(odd) if chance.random() < 0.02 else number for number in numbers]
        return array("d", sorted(numbers) if chance.random() < 0.3 else numbers)

    sizes = chance.choice((0, 1, 7, 45)), chance.choice((0, 1, 9, 60))
    left, right = [column(sizes[0]) for _ in range(2)], [column(sizes[1]) for _ in range(2)]
    orders = [
        (chance.choice(ORDERS), chance.random() < 0.2, chance.choice((None, 0.0, 0.5 * scale, 3 * scale)))
        for _ in range(chance.choice((1, 1, 2, 3)))
    ]
    conditions = [
        (chance.choice(("eq", "lt", "le", "gt", "ge")), chance.choice(ORDERS), chance.choice(ORDERS))
        for _ in range(chance.choice((0, 0, 1)))
    ]
    keys = tuple(array("I", (chance.randrange(3) for _ in range(size))) for size in sizes)
    asked = (chance.choice(("inner", "left", "right", "full", "all")), chance.choice((1, 1, 2, 4)), orders, conditions)
    given = (left, sizes[0], right, sizes[1], keys if chance.random() < 0.2 else None)
    wanted = sorted(zip(*reference_pairs(*asked, *given), strict=True))  # type: ignore[arg-type]
    for by in ("", "boxes", "grid"):
        found = kernel_pairs(*asked, *given, by)  # type: ignore[arg-type]
        assert found is not None
        assert sorted(zip(*found, strict=True)) == wanted, by


@needs_kernel
def test_angles_on_the_sky_are_the_same_bit_by_bit() -> None:
    chance = random.Random(7)
    left, right = (
        [array("d", (chance.uniform(*range_) for _ in range(size))) for range_ in ((0, 360), (-90, 90))]
        for size in (30, 40)
    )
    for i in range(30):
        for j in range(40):
            angle = separation(left[0][i], left[1][i], right[0][j], right[1][j])
            condition = ("eq", ORDERS[9], ("number", angle))
            one = [column[i : i + 1] for column in left], 1, [column[j : j + 1] for column in right], 1
            found = kernel_pairs("all", 1, [], [condition], *one, None)  # type: ignore[arg-type]
            assert found is not None
            assert list(found[0]) == [0]


def test_right_ascensions_meet_at_zero() -> None:
    text = """for $a in (359.95, 180) for $b in (0.02, 179, 359)
              where $a left outer bestmatch join $b on (xylem:sky-separation($a, 10, $b, 10)) min 1.5
              return $a || '-' || $b"""
    assert list(xylem.compile(text).run()) == ["359.95-0.02", "180-179"]
    assert separation(0, 0, 90, 0) == pytest.approx(90)
    assert xylem.compile("xylem:sky-separation((), 1, 2, 3)").run().items == []


def test_cells_and_bounds_lose_no_pair_to_rounding() -> None:
    # The difference rounds to 0.1, although the true one is greater.
    text = """for $a in 0.1e0 for $b in (-1e-320, 5e0, 7e0)
              where $a left outer bestmatch join $b on (abs($a - $b)) min 0.1e0, ($b) max return $b"""
    assert list(xylem.compile(text).run()) == [-1e-320]


@needs_kernel
@pytest.mark.parametrize("seed", range(60))
def test_cells_lose_no_pair_at_their_edges(seed: int) -> None:
    """Values that are a limit apart, but for roundings, at any size and on up to four axes."""
    chance = random.Random(f"cells {seed}")
    axes, limit = chance.randint(1, 4), chance.choice((0.1, 0.3, 1 / 3, 1e-310, 1e300, 5e-324, 0.0))
    numbers = [chance.randint(-6, 6) * limit for _ in range(4)]

    def value() -> float:
        found = chance.choice(numbers) + chance.choice((0, limit, -limit))
        return chance.choice((found, math.nextafter(found, math.inf), math.nextafter(found, -math.inf)))

    sides = [[array("d", (value() for _ in range(30))) for _ in range(axes)] for _ in range(2)]
    orders = [(("abs", ("-", ("left", axis), ("right", axis))), False, limit) for axis in range(axes)]
    for kind in ("left", "all", "inner", "full"):
        asked = kind, 1, orders, [], sides[0], 30, sides[1], 30, None
        found = kernel_pairs(*asked, "grid")
        assert found is not None
        assert list(zip(*found, strict=True)) == list(zip(*reference_pairs(*asked), strict=True))


class Used:
    """Counts how often columns gave the whole answer, and how often they narrowed it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kinds: list[str] = []
        original = numeric_join.NumericJoin.pairs

        def pairs(join: numeric_join.NumericJoin, kind: str, best: int) -> Any:
            self.kinds.append(kind)
            return original(join, kind, best)

        monkeypatch.setattr(joining.NumericJoin, "pairs", pairs)


DATA = "let $d := <d><r a='1' k='x'><v>1.5</v></r><r a='9' k='y'/><s a='2' k='x'><v>2</v></s><s a='7' k='y'/></d> "


@pytest.mark.parametrize(
    ("between", "order"),
    [
        ("", "(abs($r/@a - $s/@a)) min 5"),
        ("", "(abs(number($r/@a) - number($s/@a))) min"),
        ("let $p := $r/@a let $q := xs:double($s/@a) let $x := $p - $q", "(abs($x)) min 3"),
        ("where $r/@k = $s/@k", "(abs($r/@a - $s/@a)) min"),
        ("where $r/@k eq $s/@k where $r/v > 1", "(abs($r/v/text() - $s/v)) min"),
        ("where $s/@a - $r/@a >= 0", "($s/@a - $r/@a) min"),
        ("where $s/@a > number($r/@a)", "(xs:integer($s/@a)) min 8"),
        ("", "(xs:integer($r/@a) * 2 - xs:integer($s/@a)) max 1.5"),
        ("", "(math:sqrt(($r/@a - $s/@a) * ($r/@a - $s/@a))) min"),
    ],
)
def test_plain_arithmetic_is_left_to_columns(between: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{DATA} for $r in $d/r for $s in $d/s {between} where $r left outer bestmatch join $s on {order}"
    used = Used(monkeypatch)
    found = list(xylem.compile(f"{text} return $r/@a || $s/@a").run())
    assert used.kinds == ["left"]
    monkeypatch.setattr(joining.Joining, "pairs", _by_definition)
    assert list(xylem.compile(f"{text} return $r/@a || $s/@a").run()) == found
    assert found


def _by_definition(join: joining.Joining, left: Any, right: Any, _: object = None) -> Any:
    candidates = join._candidates(left.rows, right.rows, None)
    found = joining.best_pairs(candidates, join.criteria, join.spec.kind, join.spec.best)
    return joining.in_tuple_order(found, join.spec.left_is_first)


def test_columns_narrow_what_functions_of_the_query_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    used = Used(monkeypatch)
    text = f"""{DATA} for $r in $d/r for $s in $d/s where $r left outer bestmatch join $s
               on (abs($r/@a - $s/@a)) min 5, ($r/@k, $s/@k) subset return $r/@a || $s/@a"""
    assert list(xylem.compile(text).run()) == ["12", "97"]
    assert used.kinds == ["all"]


@pytest.mark.parametrize("order", ["(abs(xs:decimal($r/@a) - xs:decimal($s/@a))) min", "(xs:integer($r/@a) div 3) min"])
def test_other_numbers_are_left_to_the_query(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    used = Used(monkeypatch)
    text = f"{DATA} for $r in $d/r for $s in $d/s where $r left outer bestmatch join $s on {order}"
    assert list(xylem.compile(f"{text} return $r/@a || $s/@a").run())
    assert used.kinds == []


TIMES = """let $d := <d><r a='1' t='2024-05-01T10:00:00Z'/><r a='9' t='2024-05-01T12:00:00.25+02:00'/>
    <s a='2' t='2024-05-01T09:59:58.5Z'/><s a='7' t='2024-05-01T10:00:02Z'/><s a='8' t='2024-05-02T00:00:00Z'/></d> """
R, S = "xs:dateTime($r/@t)", "xs:dateTime($s/@t)"


@pytest.mark.parametrize(
    ("before", "order", "pairs"),
    [
        ("", f"(abs(({R} - {S}) div xs:dayTimeDuration('PT1S'))) min 1.75", ["12", "97", "92"]),
        ("", f"(abs(({R} - {S}) div xs:dayTimeDuration('PT1S'))) min 1.5", ["12"]),
        (f"where {S} le {R}", f"({R} - {S}) min (xs:dayTimeDuration('PT1.75S'))", ["12", "92"]),
        (f"where {S} le {R}", f"({S}) max", ["12", "92"]),
        (f"let $x := {R} let $y := {S} where $x >= $y", "($x - $y) min", ["12", "92"]),
    ],
)
def test_dates_and_times_are_columns(
    before: str, order: str, pairs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{TIMES} for $r in $d/r for $s in $d/s {before} where $r left outer bestmatch join $s on {order}"
    used = Used(monkeypatch)
    assert sorted(xylem.compile(f"{text} return $r/@a || $s/@a").run()) == sorted(pairs)
    assert used.kinds == ["left"]
    monkeypatch.setattr(joining.Joining, "pairs", _by_definition)
    assert sorted(xylem.compile(f"{text} return $r/@a || $s/@a").run()) == sorted(pairs)


def test_large_integers_are_exact() -> None:
    text = """for $r in 9007199254740993 for $s in (9007199254740992, 9007199254740993)
              where $r left outer bestmatch join $s on (abs($r - $s)) min return $s"""
    assert list(xylem.compile(text).run()) == [9007199254740993]
