"""A table of accumulators by key: the state of aggregates in loops (`rewrite/single_pass/group_by_key.py`).

Each record is added to the cells of its keys; the turns of the loops then read the values of their own cells. A key has
the type to which the comparison casts both sides: double if an untyped value meets a number, otherwise string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple

from xylem.errors import DynamicError, XylemError
from xylem.functions.context import Context
from xylem.plan.keyed_groups import FOUND_KEYS, OF_EACH
from xylem.plan.scan_table import CellState, python_value
from xylem.values import atomic_type as at
from xylem.values.atomic import promote
from xylem.values.casting_numbers import parse_double
from xylem.values.comparison_keys import grouping_key
from xylem.values.saved_state import give_state, saved, state_of
from xylem.values.state_codec import CannotSave
from xylem.values.strings import UntypedAtomic

from ..aggregates.held_values import value_bytes
from ..aggregates.state import AggregateState, Failed
from .accumulator import accumulator
from .left_fold import LeftFold

CELL_BYTES = 64
"""Size estimate for the accumulator of a cell."""
_EXACT = 2**53
"""Integers below this are exact as doubles."""


@dataclass(frozen=True)
class KeySpec:
    """One key of a table."""

    kind: str
    """double, number, string, group or each."""
    is_single: bool
    """Several values in one record are an error."""
    items: str | None
    """The function that returns all values that will be requested."""


@dataclass(frozen=True)
class PartSpec:
    """One aggregate of a table."""

    function: str
    parameter: str = ""
    zero: str | None = None
    """The function that returns the initial value of a fold."""


@dataclass(frozen=True)
class TableSpec:
    """The description of a table; function names are those of the generated code."""

    keys: tuple[KeySpec, ...]
    parts: tuple[PartSpec, ...]


def _as_double(value: Any) -> float:
    if type(value) is float:
        return value
    if type(value) is UntypedAtomic:
        return parse_double(value)
    promoted: float = promote(value, at.DOUBLE)
    return promoted


def _as_number(value: Any) -> int | Decimal:
    if isinstance(value, (int, Decimal)):
        return value
    raise DynamicError("XPTY0004", f"{value!r} is neither an integer nor a decimal")


def _as_string(value: Any) -> str:
    return str(value)


_NORMAL: dict[str, Callable[[Any], Any]] = {"double": _as_double, "number": _as_number, "string": _as_string}


def normal_key(kind: str, value: Any) -> Any:
    """The form in which a key of some kind compares a value."""
    return _NORMAL[kind](value)


class KeyColumn:
    """Turns values into keys; values that no turn of a loop requests have no key."""

    def __init__(self, spec: KeySpec, items: Sequence[Any] | None) -> None:
        self.spec = spec
        self.normal = _NORMAL[spec.kind]
        self.items = items
        """The values that will be requested, if known."""
        self._range = items if isinstance(items, range) and items.step == 1 else None
        self._known: dict[Any, None] | None = None
        if items is not None and self._range is None:
            keys = [self.normal(item) for item in items]
            self._known = dict.fromkeys(key for key in keys if key == key)
        self._by_place: list[Any] | None = None

    @staticmethod
    def of_spec(spec: KeySpec, space: dict[str, Any]) -> KeyColumn:
        """The column of a run, whose functions are in a namespace."""
        if spec.items is None:
            return KeyColumn(spec, None)
        try:
            found = space[spec.items]()
            return KeyColumn(spec, found if isinstance(found, (range, list, tuple)) else list(found))
        except XylemError:
            # The loop itself will raise it, if it is ever evaluated.
            return KeyColumn(spec, None)

    @property
    def size(self) -> int:
        """The number of keys, if known."""
        return len(self._range if self._range is not None else self._known or ())

    def for_scan(self) -> dict[str, Any] | None:
        """The keys in the scan's form; None if the scan cannot use them."""
        if self._range is not None:
            if max(abs(self._range.start), abs(self._range.stop)) >= _EXACT:
                return None
            return {"first": self._range.start, "last": self._range.stop - 1}
        if self._known is None:
            return None
        if self.spec.kind == "string":
            return {"strings": tuple(self._known)}
        if not all(isinstance(key, (int, float)) and abs(key) < _EXACT for key in self._known):
            return None
        return {"numbers": tuple(map(float, self._known))}

    def key_at(self, place: int) -> Any:
        """The key at an index of the scan's numbering."""
        if self._range is not None:
            found = self._range.start + place
            return float(found) if self.spec.kind == "double" else found
        if self._by_place is None:
            self._by_place = list(self._known or ())
        return self._by_place[place]

    def of(self, values: Iterable[Any]) -> Sequence[Any]:
        """The keys of a record with these values, each once."""
        found: list[Any] = []
        number = 0
        for value in values:
            number += 1
            key = self.normal(value)
            if self.is_asked_for(key) and key not in found:
                found.append(key)
        if number > 1 and self.spec.is_single:
            raise DynamicError("XPTY0004", f"eq compares single values, and not {number}")
        return found

    def is_asked_for(self, key: Any) -> bool:
        if self._range is not None:
            if key != key or not self._range.start <= key < self._range.stop:
                return False
            return bool(key == int(key))
        if self._known is not None:
            return key in self._known
        # NaN equals nothing.
        return bool(key == key)


class Group(NamedTuple):
    """The records whose keys are equal."""

    keys: tuple[Sequence[Any], ...]
    """Their values in the first record: one each, or none."""
    parts: list[AggregateState]

    def of(self, number: int) -> Sequence[Any]:
        """The value of an aggregate, or its error."""
        found = self.parts[number].result()
        if isinstance(found, Failed):
            raise found.error
        return found


@saved("keyed-groups", 1, fields=("saved_cells", "saved_groups", "held_bytes"))
class KeyedGroups:
    """The table.

    Holds:  one accumulator for each aggregate and each combination of keys seen in a record; if the items of the loops
            are known when the run begins, there are no more combinations than turns.
    """

    def __init__(self, spec: TableSpec, context: Context, space: dict[str, Any]) -> None:
        self._spec = spec
        self._context = context
        self._space = space
        self.columns = [KeyColumn.of_spec(key, space) for key in spec.keys if key.kind not in FOUND_KEYS]
        self.keys = [column.of for column in self.columns]
        self.cells: dict[tuple[Any, ...], list[AggregateState]] = {}
        self.error: XylemError | None = None
        """The first error raised while computing the keys of a record."""
        self._of_scan: dict[tuple[Any, ...], Sequence[CellState]] = {}
        """Cells that only the scan has updated."""
        self._nothing: list[Sequence[Any] | None] = [None] * len(spec.parts)
        self._groups: dict[Any, Group] = {}
        self._timezone = context.run.implicit_timezone_minutes
        self.held_bytes = 0

    @property
    def is_decided(self) -> bool:
        return self.error is not None

    def take(self, cells: Sequence[tuple[Sequence[Any], Sequence[CellState]]]) -> None:
        """Take the tables that the scan has computed before any record arrives here."""
        if not self.columns:
            for keys, states in cells:
                parts = self.group(*[() if key is None else (python_value(key),) for key in keys])
                for part, (count, total) in zip(parts, states, strict=True):
                    part.take_scanned(count, python_value(total))
            return
        at = [column.key_at for column in self.columns]
        for places, states in cells:
            self._of_scan[tuple([key_at(place) for key_at, place in zip(at, places, strict=True)])] = states
        self.held_bytes += CELL_BYTES * len(self._spec.parts) * len(cells)

    def reached(self, keys: Sequence[Sequence[Any]]) -> list[list[AggregateState]]:
        """The cells of a record, by its keys in each column."""
        return [self.cell(key) for key in product(*keys)]

    def cell(self, key: tuple[Any, ...]) -> list[AggregateState]:
        found = self.cells.get(key)
        if found is None:
            found = self.cells[key] = [self._accumulator(part) for part in self._spec.parts]
            states = self._of_scan.pop(key, None)
            if states is None:
                self.held_bytes += CELL_BYTES * len(found)
            else:
                for part, (count, total) in zip(found, states, strict=True):
                    part.take_scanned(count, python_value(total))
        return found

    def all_cells(self) -> Iterator[tuple[tuple[Any, ...], list[AggregateState]]]:
        """Every cell that has records, with its key."""
        for key in list(self._of_scan):
            self.cell(key)
        yield from self.cells.items()

    def group(self, *keys: Sequence[Any]) -> list[AggregateState]:
        """The state of a record's group, by the values of its keys."""
        found = self._groups.get(key := tuple([self._group_key(values) for values in keys]))
        if found is None:
            found = self._groups[key] = Group(keys, [self._accumulator(part) for part in self._spec.parts])
            of_keys = sum(value_bytes(value) for values in keys for value in values)
            self.held_bytes += CELL_BYTES * (1 + len(found.parts)) + of_keys
        return found.parts

    def groups_of_each(self, *keys: Sequence[Any]) -> list[list[AggregateState]]:
        """The states of a record's groups if some keys have several values: one group for each value."""
        choices = [
            [(value,) for value in values] if key.kind == OF_EACH else [values]
            for key, values in zip(self._spec.keys, keys, strict=True)
        ]
        return [self.group(*chosen) for chosen in product(*choices)]

    def _group_key(self, values: Sequence[Any]) -> Any:
        if len(values) == 1:
            return grouping_key(values[0], None, self._timezone)
        if values:
            raise DynamicError("XPTY0004", f"a grouping key is one value, and not {len(values)}")
        return None

    def found(self) -> list[Group]:
        """The groups, in the order of their first records."""
        if self.error is not None:
            raise self.error
        return list(self._groups.values())

    def _accumulator(self, part: PartSpec) -> AggregateState:
        if part.zero is None:
            return accumulator(part.function, self._context, part.parameter, few=True)
        fold = LeftFold()
        try:
            fold.add(self._space[part.zero]())
        except XylemError as error:
            fold.fail(error)
        return fold

    @property
    def saved_cells(self) -> list[tuple[Any, Any]]:
        """The cells with the states of their aggregates, as saved in a checkpoint."""
        return [(key, _states(parts)) for key, parts in self.all_cells()]

    @saved_cells.setter
    def saved_cells(self, cells: Iterable[tuple[Any, Any]]) -> None:
        for key, states in cells:
            _give_states(self.cell(key), states)

    @property
    def saved_groups(self) -> list[tuple[Any, Any]]:
        """The groups with their keys and the states of their aggregates, as saved in a checkpoint."""
        return [(group.keys, _states(group.parts)) for group in self._groups.values()]

    @saved_groups.setter
    def saved_groups(self, groups: Iterable[tuple[Any, Any]]) -> None:
        for keys, states in groups:
            _give_states(self.group(*keys), states)

    def add(self, items: Iterable[Any]) -> None:
        raise NotImplementedError("records are added to cells")

    def fail(self, error: XylemError) -> None:
        self.error = self.error or error

    def result(self) -> Sequence[Any]:
        return (self,)

    def value(self, number: int, turn: tuple[Any, ...]) -> Sequence[Any]:
        """The value of an aggregate for the records with the keys of a turn."""
        if self.error is not None:
            return Failed.with_error(self.error)
        key = tuple([column.normal(value) for column, value in zip(self.columns, turn, strict=True)])
        states = self._of_scan.get(key)
        if states is not None and self._spec.parts[number].function in ("count", "sum", "min", "max"):
            count, total = states[number]
            if self._spec.parts[number].function == "count":
                return (count,)
            if total is not None:
                return (python_value(total),)
        cell = self.cell(key) if states is not None else self.cells.get(key)
        if cell is not None:
            return cell[number].result()
        nothing = self._nothing[number]
        if nothing is None:
            nothing = self._nothing[number] = self._accumulator(self._spec.parts[number]).result()
        return nothing


def _states(parts: Sequence[AggregateState]) -> list[list[tuple[Any, ...]]]:
    if any(part.error is not None for part in parts):
        raise CannotSave("an error that the query has not read")
    return [state_of(part) for part in parts]


def _give_states(parts: Sequence[AggregateState], states: Sequence[Iterable[tuple[Any, ...]]]) -> None:
    for part, state in zip(parts, states, strict=True):
        give_state(part, state)
