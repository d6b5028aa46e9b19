"""What an object keeps of a stream, as its class declares it: that is saved, and nothing else of the object.

    @saved("running-sum", 1, fields=("_total", "_count"))
    class RunningSum: …

What the object has of the query (functions, options) is not declared: another one, made by the same query, has it too,
and is given the rest. `parts` are attributes that hold such objects themselves, one or a tuple of them, or None. The
version is raised when a field means something else than before; the names of attributes may change freely.
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
    """The method that is called when an object has its fields again."""


_FORMS: dict[type, Form] = {}


def saved(
    name: str, version: int, *, fields: tuple[str, ...] = (), parts: tuple[str, ...] = (), afterwards: str = ""
) -> Callable[[C], C]:
    """Declare what is saved of the objects of exactly this class."""

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
    """Names and versions of an object and its parts: a saved state fits only objects of the same layout."""
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
    """What an object and its parts have kept."""
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
    """Let an object that has just been made be as one of the same layout was when its state was taken."""
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
