"""The stream state of an object, as its class declares it: only that is saved.

    @saved("running-sum", 1, fields=("_total", "_count"))
    class RunningSum: …

Attributes from the query (functions, options) are not declared: another object of the same query has them too, and gets
the rest. `parts` are attributes that hold such objects, one or a tuple of them, or None. The version is raised when a
field changes its meaning; the names of attributes may change freely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from .state_codec import CannotSave

C = TypeVar("C", bound=type)


class Form(NamedTuple):
    """What is saved of the objects of a class."""

    title: str
    """Its name and version."""
    fields: tuple[str, ...]
    parts: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]
    afterwards: str
    """The method called when an object has its fields again."""


_FORMS: dict[type, Form] = {}


def saved(
    name: str, version: int, *, fields: tuple[str, ...] = (), parts: tuple[str, ...] = (), afterwards: str = ""
) -> Callable[[C], C]:
    """Declare the saved state for objects of exactly this class."""

    def declare(cls: C) -> C:
        _FORMS[cls] = Form(f"{name}.{version}", fields, parts, _getter(fields), afterwards)
        return cls

    return declare


def _getter(fields: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(fields) > 1:
        return attrgetter(*fields)
    if not fields:
        return lambda thing: ()
    get = attrgetter(*fields)
    return lambda thing: (get(thing),)


def layout(thing: Any) -> str:
    """Names and versions of an object and its parts: a saved state only fits objects with the same layout."""
    if thing is None:
        return "-"
    if type(thing) is tuple:
        return f"[{' '.join(map(layout, thing))}]"
    form = _FORMS.get(type(thing))
    if form is None:
        raise CannotSave(f"a value of the Python class {type(thing).__module__}.{type(thing).__qualname__}")
    parts = [layout(getattr(thing, part)) for part in form.parts]
    return f"{form.title}({' '.join(parts)})" if parts else form.title


def state_of(thing: Any) -> list[tuple[Any, ...]]:
    """The state of an object and its parts."""
    found: list[tuple[Any, ...]] = []
    _collect(thing, found)
    return found


def _collect(thing: Any, found: list[tuple[Any, ...]]) -> None:
    form = _FORMS[type(thing)]
    found.append(form.values(thing))
    for name in form.parts:
        part = getattr(thing, name)
        if type(part) is tuple:
            for member in part:
                _collect(member, found)
        elif part is not None:
            _collect(part, found)


def give_state(thing: Any, state: Iterable[tuple[Any, ...]]) -> None:
    """Load a state into a new object with the same layout."""
    rest = iter(state)
    _give(thing, rest)
    if next(rest, None) is not None:
        raise ValueError("there is more than belongs to it")


def _give(thing: Any, rest: Iterator[tuple[Any, ...]]) -> None:
    form = _FORMS[type(thing)]
    for name, value in zip(form.fields, next(rest), strict=True):
        setattr(thing, name, value)
    for name in form.parts:
        part = getattr(thing, name)
        if type(part) is tuple:
            for member in part:
                _give(member, rest)
        elif part is not None:
            _give(part, rest)
    if form.afterwards:
        getattr(thing, form.afterwards)()
