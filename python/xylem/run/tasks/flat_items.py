"""Items sent to other tasks as copies: XYRT0011 if one lies inside another, because paths over copies would be wrong.

    for $s in //section group by $t := $s/@type return <g>{ $s//p }</g>      a p in nested sections counts once

A single task then computes the query. No query can catch this error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from xylem.errors import InputError
from xylem.values.node import ELEMENT, Node

NOT_FLAT = "XYRT0011"


def or_by_one_task(pieces: Iterator[str], again: Callable[[], Iterator[str]]) -> Iterator[str]:
    """The text of an answer; if tasks find nested items, one task (`again`) continues: the text so far is the beginning
    of its answer."""
    written = 0
    try:
        for piece in pieces:
            yield piece
            written += len(piece)
        return
    except InputError as error:
        if error.code != NOT_FLAT:
            raise
    for piece in again():
        if len(piece) > written:
            yield piece[written:]
        written = max(0, written - len(piece))


def items_or_by_one_task(items: Iterator[Any], again: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Like `or_by_one_task`, for the items of an answer."""
    given = 0
    try:
        for item in items:
            yield item
            given += 1
        return
    except InputError as error:
        if error.code != NOT_FLAT:
            raise
    yield from islice(again(), given, None)


def check_flat(items: Iterable[Any]) -> None:
    """Check the nodes of a sequence: within a tree, each must begin where the one before has ended."""
    for _ in flat(items):
        pass


def flat(items: Iterable[Any]) -> Iterator[Any]:
    """Checks items as they pass.

    Holds:  the last one: a nested item comes right after the outer one, in the same tree.
    """
    tree, end = None, -1
    for item in items:
        if type(item) is Node and item.kind == ELEMENT:
            if item.tree is tree and item.pre < end:
                raise InputError(NOT_FLAT, f"an element {item.name} in another, or twice")
            tree, end = item.tree, item.tree.end(item.pre)
        yield item
