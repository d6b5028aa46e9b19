"""The function conversion rules (XQuery 3.1 §3.1.5.2), and the calling convention of `function_item.py`.

    convert((UntypedAtomic("7"),), SequenceType(AtomicItem(DOUBLE)), "the first argument of math:sqrt")  →  7.0

A converter is made once per sequence type: for atomic types it holds a table from the Python class of an item to its
treatment, so values that are already right cost one lookup each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from xylem.errors import DynamicError

from . import atomic_type as at
from .array import XArray
from .atomic import TYPE_OF_CLASS
from .atomic_type import AtomicType
from .atomize import atomize
from .casting import caster
from .description import describe
from .sequence_type import AtomicItem, FunctionItemType, ItemType, Occurrence, SequenceType

Converter = Callable[[Iterable[Any], str], Any]
"""(a sequence, its purpose in words) → the value in the calling convention, or XPTY0004."""
ItemConverter = Callable[[Any], Any]

_CONVERTERS: dict[int, tuple[SequenceType, Converter]] = {}
_CONVERTERS_KEPT = 10_000


def convert(sequence: Iterable[Any], expected: SequenceType, what: str) -> Any:
    """Convert an argument, a result or a variable's value to its declared type, in the calling convention."""
    return converter(expected)(sequence, what)


def converter(expected: SequenceType) -> Converter:
    """The function that converts to a type: worth keeping if it is used often."""
    # By identity, since hashing a nested type costs more than converting a value; the entry keeps the type alive.
    known = _CONVERTERS.get(id(expected))
    if known is not None:
        return known[1]
    made = _make_converter(expected)
    if len(_CONVERTERS) >= _CONVERTERS_KEPT:
        _CONVERTERS.clear()
    _CONVERTERS[id(expected)] = expected, made
    return made


def convert_lazily(sequence: Iterable[Any], expected: SequenceType, what: str) -> Iterator[Any]:
    """Convert for a `*` or `+` type item by item, while the result is read."""
    if expected.occurrence is Occurrence.SOME:
        items = iter(sequence)
        first = list(islice(items, 1))
        if not first:
            raise mismatch(expected, (), what)
        sequence = chain(first, items)
    if type(expected.item) is ItemType:
        return iter(sequence)
    actions = _actions(expected.item)
    return _converted_lazily(sequence, actions, expected, what)


def _converted_lazily(sequence: Iterable[Any], actions: _Actions, expected: SequenceType, what: str) -> Iterator[Any]:
    for item in sequence:
        action = actions[type(item)]
        if action is None:
            yield item
        elif action is not _flatten:
            yield _act(action, item, expected, what)
        else:
            yield from _converted_lazily(atomize((item,)), actions, expected, what)


def shape(sequence: Iterable[Any], occurrence: Occurrence) -> Any:
    """A sequence known to match the type, in the calling convention."""
    if occurrence.allows_many:
        return _re_readable(sequence)
    for item in sequence:
        return item
    return None if occurrence is Occurrence.OPTIONAL else ()


def unshape(value: Any, occurrence: Occurrence) -> Iterable[Any]:
    """A value in the calling convention as a sequence; for results any iterable."""
    if occurrence is Occurrence.ONE:
        return (value,)
    if occurrence is Occurrence.OPTIONAL:
        return () if value is None else (value,)
    return () if value is None else value


def mismatch(expected: SequenceType, found: Sequence[Any], what: str) -> DynamicError:
    """XPTY0004 with the expected type and the value found."""
    return DynamicError("XPTY0004", f"{what}: expected {expected}, found {describe(found)}")


def _re_readable(sequence: Iterable[Any]) -> Sequence[Any]:
    kind = type(sequence)
    if kind is list or kind is tuple or kind is range:
        return sequence  # type: ignore[return-value]
    return list(sequence)


def _beginning(sequence: Iterable[Any]) -> Sequence[Any]:
    """Enough of a sequence to show whether it has one item; a generator is not read to its end."""
    kind = type(sequence)
    if kind is tuple or kind is list or kind is range:
        return sequence  # type: ignore[return-value]
    return list(islice(sequence, 2))


def _atomized_beginning(sequence: Iterable[Any]) -> Sequence[Any]:
    kind = type(sequence)
    if kind is tuple or kind is list or kind is range:
        return sequence  # type: ignore[return-value]
    return list(islice(atomize(sequence), 2))


def _make_converter(expected: SequenceType) -> Converter:
    occurrence = expected.occurrence
    if occurrence is Occurrence.NONE:
        return _make_empty(expected)
    if type(expected.item) is ItemType:
        return _make_any(expected)
    actions = _actions(expected.item)
    if occurrence.allows_many:
        return _make_many(expected, actions)
    return _make_single(expected, actions)


def _make_empty(expected: SequenceType) -> Converter:
    def convert_empty(sequence: Iterable[Any], what: str) -> Any:
        items = list(sequence)
        if items:
            raise mismatch(expected, items, what)
        return ()

    return convert_empty


def _make_any(expected: SequenceType) -> Converter:
    """item() with an occurrence: nothing to convert, only to count."""
    occurrence = expected.occurrence
    if occurrence is Occurrence.MANY:
        return lambda sequence, what: _re_readable(sequence)

    begin = _re_readable if occurrence.allows_many else _beginning

    def convert_any(sequence: Iterable[Any], what: str) -> Any:
        items = begin(sequence)
        if len(items) < occurrence.least or (len(items) > 1 and not occurrence.allows_many):
            raise mismatch(expected, items, what)
        return shape(items, occurrence)

    return convert_any


def _make_single(expected: SequenceType, actions: _Actions) -> Converter:
    is_optional = expected.occurrence is Occurrence.OPTIONAL
    begin = _atomized_beginning if actions.atomizes else _beginning

    def convert_single(sequence: Iterable[Any], what: str) -> Any:
        items = begin(sequence)
        if len(items) == 1:
            item = items[0]
            action = actions[type(item)]
            if action is None:
                return item
            if action is not _flatten:
                return _act(action, item, expected, what)
        if actions.atomizes:
            items = list(islice(atomize(items), 2))
        if len(items) == 1:
            return _act(actions[type(items[0])], items[0], expected, what)
        if not items and is_optional:
            return None
        raise mismatch(expected, items, what)

    return convert_single


def _make_many(expected: SequenceType, actions: _Actions) -> Converter:
    needs_one = expected.occurrence is Occurrence.SOME

    def convert_many(sequence: Iterable[Any], what: str) -> Any:
        if type(sequence) is range and sequence and actions[int] is None:
            return sequence
        items = _re_readable(sequence)
        converted = items
        for kind in set(map(type, items)):
            if actions[kind] is not None:
                converted = list(_converted_lazily(items, actions, expected, what))
                break
        if needs_one and not converted:
            raise mismatch(expected, (), what)
        return converted

    return convert_many


def _act(action: ItemConverter | None, item: Any, expected: SequenceType, what: str) -> Any:
    if action is None:
        return item
    try:
        return action(item)
    except _Unfit:
        raise mismatch(expected, (item,), what) from None
    except DynamicError as error:
        error.why = f"{what}: {error.why}" if error.why else what
        error.args = (error.message,)
        raise


class _Unfit(Exception):
    """An item is not of the expected type and no rule converts it."""


class _Actions(dict[type, ItemConverter | None]):
    """The treatment of items by Python class: none, or a conversion; filled as classes appear."""

    def __init__(self, item: ItemType) -> None:
        super().__init__()
        self.item = item
        self.atomizes = isinstance(item, AtomicItem)

    def __missing__(self, kind: type) -> ItemConverter | None:
        action = self._atomic_action(kind) if isinstance(self.item, AtomicItem) else self._other_action()
        self[kind] = action
        return action

    def _atomic_action(self, kind: type) -> ItemConverter | None:
        assert isinstance(self.item, AtomicItem)
        actual = TYPE_OF_CLASS.get(kind)
        if actual is not None:
            return _conversion(actual, self.item.type)
        if kind is XArray:
            return _flatten
        # A node, whose typed value is one item; or a map or another function, which atomize refuses.
        return lambda item: self._convert_atomized(item)

    def _convert_atomized(self, item: Any) -> Any:
        (value,) = atomize((item,))
        action = self[type(value)]
        return value if action is None else action(value)

    def _other_action(self) -> ItemConverter | None:
        item = self.item
        if isinstance(item, FunctionItemType) and item.parameters is not None:
            from .coercion import coerce_function

            return lambda value: coerce_function(value, item)
        accepts = item.accepts

        def check(value: Any) -> Any:
            if accepts(value):
                return value
            raise _Unfit

        return check


_ACTIONS: dict[ItemType, _Actions] = {}


def _actions(item: ItemType) -> _Actions:
    known = _ACTIONS.get(item)
    if known is None:
        if len(_ACTIONS) >= _CONVERTERS_KEPT:
            _ACTIONS.clear()
        known = _ACTIONS[item] = _Actions(item)
    return known


def _flatten(item: Any) -> Any:
    """Marks arrays where atomic items are expected: they may become any number of items."""
    raise AssertionError("arrays are atomized with the whole sequence")


def _conversion(actual: AtomicType, expected: AtomicType) -> ItemConverter | None:
    """The conversion from one atomic type to another, None if there is none."""
    if actual.derives_from(expected):
        return None
    if actual is at.UNTYPED_ATOMIC:
        return _cast_of_untyped(expected)
    if expected is at.DOUBLE and actual.derives_from(at.NUMERIC):
        return caster(at.DOUBLE)
    if expected is at.FLOAT and actual.derives_from(at.DECIMAL):
        return caster(at.FLOAT)
    if expected is at.STRING and actual.derives_from(at.ANY_URI):
        return str
    return _refuse


def _cast_of_untyped(expected: AtomicType) -> ItemConverter:
    if expected is at.QNAME or expected is at.NOTATION:
        return _refuse_namespace_sensitive
    # F&O 3.1 §1.4: an untyped value passed where xs:numeric is expected becomes a double.
    return caster(at.DOUBLE if expected is at.NUMERIC else expected)


def _refuse(value: Any) -> Any:
    raise _Unfit


def _refuse_namespace_sensitive(value: Any) -> Any:
    raise DynamicError("XPTY0117", f'the untyped value "{value}" cannot become a QName here')
