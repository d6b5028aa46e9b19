"""Classes of users that states of their aggregates are made of, found again in other processes.

A state is pickled, and an object with it by the name of its class. A class of a notebook, or of a file that was named
on the command line, cannot be imported where it arrives: it came with the functions, by value. What these refer to is
known here by module and name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

from xylem.functions.external import ExternalFunction

_KNOWN: dict[tuple[str, str], type] = {}


def know_classes(functions: Iterable[ExternalFunction]) -> None:
    """Take note of the classes that the aggregates among some functions refer to."""
    for function in functions:
        if function.protocol is not None:
            for found in _classes(function.protocol.definition):
                _KNOWN[found.__module__, found.__qualname__] = found


def is_known(cls: type) -> bool:
    return _KNOWN.get((cls.__module__, cls.__qualname__)) is cls


def known_class(module: str, name: str) -> Any:
    """The class of that name: a user's, or one that can be imported."""
    found: Any = _KNOWN.get((module, name))
    if found is None:
        found = importlib.import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
    return found


def _classes(definition: type) -> Iterator[type]:
    yield definition
    methods = [getattr(method, "__func__", method) for method in vars(definition).values()]
    for method in methods:
        for value in [*vars(definition).values(), *getattr(method, "__globals__", {}).values(), *_enclosed(method)]:
            if isinstance(value, type) and value.__module__ == definition.__module__:
                yield value


def _enclosed(method: Any) -> Iterator[Any]:
    for cell in getattr(method, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
