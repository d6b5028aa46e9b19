"""Sequence normalization (Serialization 3.1 §2): any sequence as text and nodes, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.description import describe_item
from xylem.values.node import ATTRIBUTE, NAMESPACE, Node
from xylem.values.string_of import string_of


def normalized(items: Iterable[Any], separator: str | None) -> Iterator[str | Node]:
    """Strings for text, nodes other than attributes and namespaces; SENR0001 for what can be neither.

    Atomic values that follow each other are separated by a space, or all items by the item separator. Documents are
    left whole: writing one means writing its children.
    """
    after_atomic = False
    is_first = True
    for item in flattened(items):
        if separator is not None and not is_first:
            yield separator
        is_first = False
        if type(item) is Node:
            if item.kind in (ATTRIBUTE, NAMESPACE):
                raise DynamicError("SENR0001", f"{describe_item(item)} stands outside an element")
            after_atomic = False
            yield item
        elif type(item) in TYPE_OF_CLASS:
            if after_atomic and separator is None:
                yield " "
            after_atomic = True
            yield string_of(item)
        else:
            raise DynamicError("SENR0001", describe_item(item))


def flattened(items: Iterable[Any]) -> Iterator[Any]:
    """The items, arrays replaced by the items in them at any depth."""
    for item in items:
        if type(item) is XArray:
            yield from _members(item)
        else:
            yield item


def _members(array: XArray) -> Iterator[Any]:
    open_sequences: list[Iterator[Any]] = [_items(array)]
    while open_sequences:
        for item in open_sequences[-1]:
            if type(item) is XArray:
                open_sequences.append(_items(item))
                break
            yield item
        else:
            open_sequences.pop()


def _items(array: XArray) -> Iterator[Any]:
    return (item for member in array for item in member)
