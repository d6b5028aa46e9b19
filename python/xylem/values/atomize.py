"""Atomization: the typed values of nodes, the members of arrays, atomic values as they are (XQuery 3.1 §2.4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError

from .array import XArray
from .atomic import TYPE_OF_CLASS, type_name
from .node import Node


def atomize(sequence: Iterable[Any]) -> Iterator[Any]:
    """The atomic values of a sequence, one by one on request."""
    for item in sequence:
        if type(item) in TYPE_OF_CLASS:
            yield item
        elif isinstance(item, Node):
            yield item.typed_value
        elif isinstance(item, XArray):
            for member in item:
                yield from atomize(member)
        else:
            raise not_atomizable(item)


def atomize_list(sequence: Iterable[Any]) -> list[Any]:
    """`atomize` into a list, which is faster if all values are needed."""
    values: list[Any] = []
    append = values.append
    for item in sequence:
        if isinstance(item, Node):
            append(item.typed_value)
        elif type(item) in TYPE_OF_CLASS:
            append(item)
        else:
            values.extend(atomize((item,)))
    return values


def not_atomizable(item: Any) -> DynamicError:
    return DynamicError("FOTY0013", f"a {type_name(item)} has no atomic value")
