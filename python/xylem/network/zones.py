"""The meaning of a condition on a record: a disjunction of zones, exact for numbers and cautious for everything else.

A *variable* is a value that a record has at most once, read as a number. It may be a number, NaN, missing, or no
number: its *kinds*. A zone holds the kinds that each variable may have, bounds on the numbers, and *atoms*: conditions
known only by the implications between them.

The rules are those of XQuery. A comparison with NaN or nothing fails, so not(x < 5) holds where x is missing; where x
is no number, a comparison is an error, and neither it nor its negation holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from xylem.syntax import ast

from .difference_bounds import ZERO, DifferenceBounds, opposite

MOST_ZONES = 64
"""A condition with more zones becomes a single atom."""
MOST_PIECES = 256
"""Most pieces for the difference of a zone and others; beyond that it is not computed."""


class Kinds(IntFlag):
    """The kinds of values that may occur where a number is expected."""

    NUMBER = 1
    NAN = 2
    MISSING = 4
    OTHER = 8
    """A value that cannot be cast: reading it as a number is an error."""
    ANY = 15


@dataclass(frozen=True)
class Variable:
    """A value that a record has at most once, as a number of some type: `double`, `decimal` or `integer`."""

    term: ast.Expr
    view: str
    domain: Kinds = Kinds.ANY
    """Its possible values: a schema may require its presence."""

    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Long terms call this very often.
        object.__setattr__(self, "_hash", hash((self.term, self.view)))

    def __hash__(self) -> int:
        return self._hash


@lru_cache(1 << 14)
def shared_variable(term: ast.Expr, view: str, domain: Kinds = Kinds.ANY) -> Variable:
    """A shared object for equal variables, because conditions of many queries are compared by them."""
    return Variable(term, view, domain)


Constant = Fraction | str


@dataclass(frozen=True)
class Some:
    """Whether some value of a path compares with a constant in this way; `exists` needs no constant.

    The view is how values are compared: `string`; `number` for number(path), which is an error for several values, and
    NaN for none or for what is no number; `text` for functions of one text, which are an error for several.
    """

    path: ast.Expr
    view: str
    op: str
    value: Constant = ""

    def implies(self, other: Some) -> bool:
        """Whether the other holds wherever this one does, and this one fails without an error where the other fails."""
        if other.op == EXISTS:
            return self.view not in (NUMBER_CALL, "text") and leads_through(self.path, other.path)
        if self.path != other.path:
            return False
        return self.view == other.view and is_within(self.op, self.value, other.op, other.value)

    def gives(self, other: Some | SomeItem) -> bool:
        """Whether the other holds where this one does."""
        if isinstance(other, SomeItem):
            return self.view == NUMBER_CALL and self.op != "!=" and self.path == other.path and other.has_all_with(self)
        if self.implies(other):
            return True
        if other.op == EXISTS and leads_through(self.path, other.path):
            # number() of nothing compares with nothing except by `!=`; an empty text neither begins nor ends with one.
            return bool(self.value) if self.view == "text" else self.op != "!="
        return False


@dataclass(frozen=True)
class SomeItem:
    """Whether one of the items of a path passes a test, each item tested separately."""

    path: ast.Expr
    test: ast.Expr
    """In terms of `$record`, which stands for the item."""
    passes: Zones = field(compare=False)
    fails: Zones = field(compare=False)
    """The zones in which an item passes the test, and in which it fails without an error."""
    parts: tuple[Some | SomeItem, ...] = field(default=(), compare=False)
    """The consequences for items further down."""

    def implies(self, other: Some | SomeItem) -> bool:
        """Whether this one fails, each item without an error, wherever the other does."""
        if isinstance(other, Some):
            return other.op == EXISTS and leads_through(self.path, other.path)
        return self.path == other.path and implies(other.fails, self.fails)

    def gives(self, other: Some | SomeItem) -> bool:
        """Whether the other holds where this one does."""
        if isinstance(other, Some):
            return other.op == EXISTS and leads_through(self.path, other.path)
        return self.path == other.path and implies(self.passes, other.passes)

    def has_all_with(self, compared: Some) -> bool:
        """Whether an item passes that compares with a number this way."""
        item = next((one for zone in self.passes for one in zone.kinds if one.view == "double"), None)
        if item is None or not isinstance(compared.value, Fraction):
            return False
        bounds: DifferenceBounds | None = DifferenceBounds()
        if compared.op in ("<", "<=", "=") and bounds is not None:
            bounds = bounds.with_bound(item, ZERO, (compared.value, compared.op == "<"))
        if compared.op in (">", ">=", "=") and bounds is not None:
            bounds = bounds.with_bound(ZERO, item, (-compared.value, compared.op == ">"))
        return bounds is not None and implies((Zone({item: Kinds.NUMBER}, bounds),), self.passes)


def leads_through(path: ast.Expr, other: ast.Expr) -> bool:
    """Whether one path continues the other: the nodes of the first exist only below those of the second."""
    while path != other:
        if not isinstance(path, ast.Path):
            return False
        if isinstance(path.right, ast.AxisStep) and path.right.predicates:
            bare = ast.Path(path.left, ast.AxisStep(path.right.axis, path.right.test))
            if bare == other:
                return True
        path = path.left
    return True


@dataclass(frozen=True)
class Opaque:
    """A condition that implies only itself."""

    test: ast.Expr


Atom = Some | SomeItem | Opaque
Literal = tuple[Atom, bool]
EXISTS = "exists"
NUMBER_CALL = "number"

C = TypeVar("C", Fraction, str)
_COMPARED = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def compares(one: Any, op: str, other: Any) -> bool:
    """Whether a comparison of two constants of one kind holds."""
    return bool(_COMPARED[op](one, other))


_TEXT_TESTS = {"starts-with": str.startswith, "ends-with": str.endswith, "contains": str.__contains__}


def is_within(op: str, value: Constant, other: str, limit: Constant) -> bool:
    """Whether every v with `v op value` has `v other limit`, whatever values lie in between."""
    if type(value) is not type(limit):
        return False
    if isinstance(value, str) and isinstance(limit, str) and not {op, other}.isdisjoint(_TEXT_TESTS):
        return _is_text_within(op, value, other, limit)
    if op == "=":
        return bool(_COMPARED[other](value, limit))
    if op == "!=":
        return other == "!=" and value == limit
    is_below = op in ("<", "<=")
    if other == "!=":
        # Everything below 3 differs from 3; not everything up to 3 does.
        strictly = _COMPARED["<" if is_below else ">"](value, limit)
        return bool(strictly or (value == limit and len(op) == 1))
    if other not in (("<", "<=") if is_below else (">", ">=")):
        return False
    further = _COMPARED["<" if is_below else ">"](value, limit)
    return bool(further or (value == limit and (len(op) == 1 or len(other) == 2)))


def _is_text_within(op: str, value: str, other: str, limit: str) -> bool:
    """Implication between tests of the beginning, the end or a part of a text."""
    if op == "=":
        return _TEXT_TESTS[other](value, limit)
    if op in _TEXT_TESTS and other == "!=":
        return not _TEXT_TESTS[op](limit, value)
    if op in _TEXT_TESTS and other in (op, "contains"):
        return _TEXT_TESTS[other](value, limit)
    if op == "starts-with" and other in (">", ">="):
        # The text itself is the least that begins so.
        return compares(value, other, limit)
    if op == "starts-with" and other in ("<", "<="):
        return value < limit and not limit.startswith(value)
    return False


@dataclass(frozen=True)
class Zone:
    """A conjunction. Bounds apply only to variables that are numbers."""

    kinds: Mapping[Variable, Kinds] = field(default_factory=dict)
    bounds: DifferenceBounds = field(default_factory=DifferenceBounds)
    atoms: frozenset[Literal] = frozenset()
    whole: Zone | bool | None = field(default=False, compare=False, repr=False)
    """The zone with everything that follows from it, or None if that cannot be; False until it is asked for
    (`implication.py`)."""

    def kinds_of(self, variable: Variable) -> Kinds:
        return self.kinds.get(variable, variable.domain)

    def both(self, other: Zone) -> Zone | None:
        """The intersection; None if it is empty."""
        kinds = dict(self.kinds)
        for variable, found in other.kinds.items():
            kinds[variable] = kinds.get(variable, variable.domain) & found
        bounds = self.bounds.with_all(other.bounds)
        atoms = self.atoms | other.atoms
        if bounds is None or not _agrees(kinds) or _contradict(atoms):
            return None
        return Zone(kinds, bounds, atoms)

    def is_within(self, other: Zone) -> bool:
        """Whether the other holds wherever this one does."""
        for variable, allowed in other.kinds.items():
            if self.kinds_of(variable) & ~allowed:
                return False
        return self.bounds.entails_all(other.bounds) and all(map(self._implies, other.atoms))

    def _implies(self, literal: Literal) -> bool:
        if literal in self.atoms:
            return True
        atom, holds = literal
        if isinstance(atom, Opaque):
            return False
        others = [own for own, own_holds in self.atoms if own_holds == holds and not isinstance(own, Opaque)]
        return any(own.gives(atom) if holds else _fails_with(atom, own) for own in others)

    def without(self, other: Zone) -> list[Zone]:
        """Pieces that make up this zone without the other; larger if the difference is not known exactly."""
        if not all(map(self._implies, other.atoms)):
            # An atom may hold, fail, or be an error: the rest without it is unknown.
            return [self]
        pieces: list[Zone] = []
        rest: Zone = self
        for variable, allowed in other.kinds.items():
            outside = rest.kinds_of(variable) & ~allowed
            if outside:
                _add(pieces, rest.both(Zone({variable: outside})))
            inside = rest.both(Zone({variable: rest.kinds_of(variable) & allowed}))
            if inside is None:
                return pieces
            rest = inside
        for x, y, bound in other.bounds:
            if rest.bounds.entails(x, y, bound):
                continue
            beyond = rest.bounds.with_bound(y, x, opposite(bound))
            if beyond is not None:
                pieces.append(Zone(rest.kinds, beyond, rest.atoms))
            nearer = rest.bounds.with_bound(x, y, bound)
            if nearer is None:
                return pieces
            rest = Zone(rest.kinds, nearer, rest.atoms)
        return pieces


def _add(pieces: list[Zone], piece: Zone | None) -> None:
    if piece is not None:
        pieces.append(piece)


def _agrees(kinds: dict[Variable, Kinds]) -> bool:
    """Whether every variable has a possible kind; a missing value is missing in every view."""
    by_path: dict[ast.Expr, list[Variable]] = {}
    for variable, found in kinds.items():
        if not found:
            return False
        by_path.setdefault(variable.term, []).append(variable)
    for views in by_path.values():
        if len(views) > 1:
            if not all(kinds[view] & Kinds.MISSING for view in views):
                limit = Kinds.ANY & ~Kinds.MISSING
            elif any(kinds[view] == Kinds.MISSING for view in views):
                limit = Kinds.MISSING
            else:
                continue
            for view in views:
                kinds[view] &= limit
                if not kinds[view]:
                    return False
    return True


def _fails_with(atom: Some | SomeItem, other: Some | SomeItem) -> bool:
    """Whether an atom fails, without an error, wherever the other does."""
    if isinstance(atom, Some):
        return isinstance(other, Some) and atom.implies(other)
    return atom.implies(other)


def _contradict(atoms: frozenset[Literal]) -> bool:
    held = [atom for atom, holds in atoms if holds]
    failed = [atom for atom, holds in atoms if not holds]
    return any(
        one == other or (not isinstance(one, Opaque) and not isinstance(other, Opaque) and one.gives(other))
        for one in held
        for other in failed
    )


Zones = tuple[Zone, ...]
"""A disjunction: the empty one never holds."""

ALWAYS: Zones = (Zone(),)
NEVER: Zones = ()


class TooMany(Exception):
    """Raised for a condition of more zones than the limit."""


def both(one: Zones, other: Zones) -> Zones:
    found = [zone for a in one for b in other if (zone := a.both(b)) is not None]
    return either(found)


def either(zones: Iterable[Zone]) -> Zones:
    """The zones without those contained in others."""
    kept: list[Zone] = []
    for zone in zones:
        if any(zone.is_within(other) for other in kept):
            continue
        kept = [other for other in kept if not other.is_within(zone)]
        kept.append(zone)
        if len(kept) > MOST_ZONES:
            raise TooMany
    return tuple(kept)


def implies(one: Zones, other: Zones) -> bool:
    """Whether one condition implies the other: never true wrongly, but sometimes not found."""
    return all(covered(zone, other) for zone in one)


def covered(zone: Zone, others: Zones) -> bool:
    """Whether a zone is covered by the union of others."""
    if any(zone.is_within(other) for other in others):
        return True
    if len(others) < 2:
        return False
    left = [zone]
    for other in others:
        left = [piece for one in left for piece in one.without(other)]
        if not left:
            return True
        if len(left) > MOST_PIECES:
            return False
    return False
