"""Best-match joins by their definitions (thesis, 4.2.1 to 4.2.6): all pairs, compared with all pairs.

Written apart from the engine, on plain Python numbers; it stays quadratic for ever. A case is two lists of items (a
dict of numbers, None for an attribute that is not there), orders over them, and conditions; `query_of` spells it in
XQuery.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

Item = dict[str, float | None]
Value = Callable[[Item, Item], float | None]


@dataclass(frozen=True)
class Order:
    """A value of a pair as Python and as XQuery has it."""

    value: Value
    text: str
    direction: str = "min"
    limit: float | None = None


@dataclass(frozen=True)
class Condition:
    holds: Callable[[Item, Item], bool]
    text: str


@dataclass(frozen=True)
class Case:
    left: list[Item]
    right: list[Item]
    orders: list[Order]
    kind: str = "inner"
    best: int = 1
    conditions: list[Condition] = field(default_factory=list)
    left_is_first: bool = True
    names: tuple[str, str] = ("", "")

    @property
    def mirrored(self) -> Case:
        """The same join with its sides exchanged."""

        def turned(order: Order) -> Order:
            swapped = order.text.replace("$r", "$q").replace("$s", "$r").replace("$q", "$s")
            return replace(order, value=lambda r, s: order.value(s, r), text=swapped)

        kinds = {"left": "right", "right": "left"}
        return replace(
            self,
            left=self.right,
            right=self.left,
            orders=[turned(order) for order in self.orders],
            kind=kinds.get(self.kind, self.kind),
            conditions=[
                Condition(
                    lambda r, s, one=one: one.holds(s, r),  # type: ignore[misc]
                    one.text.replace("$r", "$q").replace("$s", "$r").replace("$q", "$s"),
                )
                for one in self.conditions
            ],
        )


def pairs_of(case: Case) -> list[tuple[int, int]]:
    """The pairs of the join, in tuple order."""
    values: dict[tuple[int, int], list[float]] = {}
    for i, r in enumerate(case.left):
        for j, s in enumerate(case.right):
            found = [order.value(r, s) for order in case.orders]
            if any(value is None or math.isnan(value) for value in found):
                continue
            if not all(condition.holds(r, s) for condition in case.conditions):
                continue
            if all(_is_within(order, value) for order, value in zip(case.orders, found, strict=True)):
                values[i, j] = [_ranked(order, value) for order, value in zip(case.orders, found, strict=True)]

    def is_best(pair: tuple[int, int], shared: tuple[int, ...]) -> bool:
        """Whether fewer than `best` of the pairs with the same items at some places beat it."""
        mine = values[pair]
        beaten_by = 0
        for other, its in values.items():
            if its != mine and all(other[place] == pair[place] for place in shared):
                beaten_by += all(a <= b for a, b in zip(its, mine, strict=True))
                if beaten_by == case.best:
                    return False
        return True

    competing: list[tuple[int, ...]] = {"inner": [()], "left": [(0,)], "right": [(1,)], "full": [(0,), (1,)]}[case.kind]
    kept = [pair for pair in values if any(is_best(pair, shared) for shared in competing)]
    return sorted(kept) if case.left_is_first else sorted(kept, key=lambda pair: (pair[1], pair[0]))


def _is_within(order: Order, value: float | None) -> bool:
    assert value is not None
    if order.limit is None:
        return True
    return value <= order.limit if order.direction == "min" else value >= order.limit


def _ranked(order: Order, value: float | None) -> float:
    assert value is not None
    return value if order.direction == "min" else -value


# --- as XML and XQuery


def document_of(case: Case) -> str:
    """Both sides in one document."""

    def element(name: str, number: int, item: Item) -> str:
        attributes = "".join(f' {key}="{value!r}"' for key, value in item.items() if value is not None)
        return f'<{name} i="{number}"{attributes.replace("inf", "INF").replace("nan", "NaN")}/>'

    rows = [element("r", number, item) for number, item in enumerate(case.left)]
    rows += [element("s", number, item) for number, item in enumerate(case.right)]
    return f"<d>{''.join(rows)}</d>"


def query_of(case: Case, left: str = "/d/r", right: str = "/d/s") -> str:
    """The join; its result is the numbers of each pair."""
    loops = [f"for $r in {left}", f"for $s in {right}"]
    kind = "" if case.kind == "inner" else f"{case.kind} outer "
    best = "" if case.best == 1 else f"{case.best} "
    orders = ", ".join(
        f"({order.text}) {order.direction}{'' if order.limit is None else f' {order.limit!r}'}" for order in case.orders
    )
    lines = loops if case.left_is_first else loops[::-1]
    lines += [f"where {condition.text}" for condition in case.conditions]
    lines += [f"where $r {kind}{best}bestmatch join $s on {orders}", "return string($r/@i || ' ' || $s/@i)"]
    return "\n".join(lines)


# --- random cases


def distance(name: str, direction: str = "min", limit: float | None = None) -> Order:
    def value(r: Item, s: Item) -> float | None:
        a, b = r.get(name), s.get(name)
        return None if a is None or b is None else abs(a - b)

    return Order(value, f"abs($r/@{name} - $s/@{name})", direction, limit)


def _binary(name: str, other: str, sign: str, limit: float | None, direction: str) -> Order:
    def value(r: Item, s: Item) -> float | None:
        a, b = r.get(name), s.get(other)
        if a is None or b is None:
            return None
        return {"-": a - b, "+": a + b, "*": a * b}[sign]

    return Order(value, f"$r/@{name} {sign} $s/@{other}", direction, limit)


def _one_sided(name: str, direction: str, limit: float | None) -> Order:
    return Order(lambda r, s: s.get(name), f"$s/@{name}", direction, limit)


def _offset(name: str, by: float, limit: float | None) -> Order:
    def value(r: Item, s: Item) -> float | None:
        a, b = r.get(name), s.get(name)
        return None if a is None or b is None else abs(a - (b + by))

    return Order(value, f"abs($r/@{name} - ($s/@{name} + {by!r}))", "min", limit)


def _euclid(limit: float | None) -> Order:
    def value(r: Item, s: Item) -> float | None:
        a, b, c, d = r.get("x"), s.get("x"), r.get("y"), s.get("y")
        if a is None or b is None or c is None or d is None:
            return None
        dx, dy = a - b, c - d
        return math.nan if math.isnan(dx) or math.isnan(dy) else math.sqrt(dx * dx + dy * dy)

    dx, dy = "($r/@x - $s/@x)", "($r/@y - $s/@y)"
    return Order(value, f"math:sqrt({dx} * {dx} + {dy} * {dy})", "min", limit)


def random_case(seed: int, most: int = 9, data: int = 0) -> Case:
    """A small join of any kind, with few different values so that ties are common; `data` varies the items alone."""
    chance = random.Random(seed)
    scale = chance.choice((1.0, 0.1, 0.25, 1e-3, 7.0))
    spread = chance.choice((3, 6, 20))
    drawn = random.Random(f"{seed} {data}")

    def number() -> float | None:
        if drawn.random() < 0.06:
            return drawn.choice((None, None, math.nan, math.inf, -math.inf))
        if drawn.random() < 0.2:
            return drawn.uniform(-spread * scale, spread * scale)
        return drawn.randint(-spread, spread) * scale

    def item() -> Item:
        return {name: number() for name in "xyz"}

    def limit(direction: str = "min") -> float | None:
        if chance.random() < 0.45:
            return None
        return chance.choice((0, 1, 2, 3, spread)) * scale

    def order() -> Order:
        match chance.randrange(9):
            case 0 | 1 | 2 | 3:
                return distance(chance.choice("xyz"), chance.choice(("min", "min", "min", "max")), limit())
            case 4:
                return _offset(chance.choice("xyz"), chance.choice((1.5, 5400.0, -0.1)), limit())
            case 5:
                return _binary(chance.choice("xyz"), chance.choice("xyz"), "+", limit(), chance.choice(("min", "max")))
            case 6:
                return _binary(chance.choice("xyz"), chance.choice("xyz"), chance.choice("-*"), limit(), "min")
            case 7:
                return _one_sided(chance.choice("xyz"), chance.choice(("min", "max")), limit())
        return _euclid(limit())

    conditions = []
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        conditions.append(_random_condition(chance, scale))
    return Case(
        [item() for _ in range(drawn.randint(0, most))],
        [item() for _ in range(drawn.randint(0, most))],
        [order() for _ in range(chance.choice((1, 1, 2, 2, 3)))],
        chance.choice(("inner", "left", "left", "right", "full")),
        chance.choice((1, 1, 1, 2, 3)),
        conditions,
        chance.random() < 0.7,
    )


def _random_condition(chance: random.Random, scale: float) -> Condition:
    name, other = chance.choice("xyz"), chance.choice("xyz")

    def values(r: Item, s: Item) -> tuple[float, float]:
        a, b = r.get(name), s.get(other)
        # Nothing compares with what is not there.
        return (math.nan if a is None else a), (math.nan if b is None else b)

    def compared(holds: Callable[[float, float], bool]) -> Callable[[Item, Item], bool]:
        return lambda r, s: holds(*values(r, s))

    bound = chance.choice((1, 2, 4)) * scale
    match chance.randrange(5):
        case 0:
            return Condition(compared(lambda a, b: b <= a), f"number($s/@{other}) <= number($r/@{name})")
        case 1:
            return Condition(compared(lambda a, b: a - b >= 0), f"$r/@{name} - $s/@{other} ge 0")
        case 2:
            return Condition(compared(lambda a, b: abs(a - b) < bound), f"abs($r/@{name} - $s/@{other}) < {bound!r}")
        case 3:
            return Condition(compared(lambda a, b: a == b), f"xs:double($r/@{name}) = xs:double($s/@{other})")
    return Condition(compared(lambda a, b: a + b > bound), f"$r/@{name} + $s/@{other} gt {bound!r}")


def band_conditions(low: float, high: float, chance: random.Random) -> list[Condition]:
    """Conditions that bound how far values are apart, each in any spelling; all are computed as XQuery does."""
    lower: list[tuple[Callable[[float, float], bool], str]] = [
        (lambda r, s: r - s >= low, f"$r/@x - $s/@x ge {low!r}"),
        (lambda r, s: r >= s + low, f"$r/@x >= $s/@x + {low!r}"),
        (lambda r, s: s <= r - low, f"$s/@x <= $r/@x - {low!r}"),
        (lambda r, s: r - s - low >= 0, f"0 <= $r/@x - $s/@x - {low!r}"),
        (lambda r, s: s - r <= -low, f"$s/@x - $r/@x le {-low!r}"),
        (lambda r, s: (r - s) * 3 >= low * 3, f"($r/@x - $s/@x) * 3 ge {low * 3!r}"),
    ]
    upper: list[tuple[Callable[[float, float], bool], str]] = [
        (lambda r, s: high >= r - s, f"{high!r} >= $r/@x - $s/@x"),
        (lambda r, s: s >= r - high, f"$s/@x >= $r/@x - {high!r}"),
        (lambda r, s: -r + s >= -high, f"-$r/@x + $s/@x ge {-high!r}"),
        (lambda r, s: (r - s) / 7 <= high / 7, f"($r/@x - $s/@x) div 7 le {high / 7!r}"),
        (lambda r, s: r + 1 <= s + high + 1, f"$r/@x + 1 <= $s/@x + {high!r} + 1"),
    ]

    def of(chosen: tuple[Callable[[float, float], bool], str]) -> Condition:
        def holds(r: Item, s: Item) -> bool:
            a, b = r["x"], s["x"]
            return a is not None and b is not None and chosen[0](a, b)

        return Condition(holds, chosen[1])

    return [of(chance.choice(lower)), of(chance.choice(upper))]
