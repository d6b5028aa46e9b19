"""Which children of an open element its handlers need, and which handler frees them (thesis §3.7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xylem.analysis.projection import Projection, Test
from xylem.plan.flux import ROOT, Handler, On, OnEach, OnFirst, OnWindow, ProcessStream
from xylem.plan.flux_variables import free_variables
from xylem.plan.needs import add_needs
from xylem.run.stream.roles import Readers

ANY_CHILD: Test = ("child", None, None)


class Kept(NamedTuple):
    """Children to keep: their names, the parts of them, and the readers."""

    test: Test
    below: Projection
    readers: Readers
    sought: tuple[tuple[str | None, str | None], ...]
    """Names of descendants because of which alone they are kept; none if they are kept for themselves."""


def kept_children(stream: ProcessStream, needs: Projection, first: int) -> Iterator[Kept]:
    """The children kept for the handlers of a stream from the `first` on; `needs` is the union of what they read."""
    near = near_children(needs)
    by_handler = [near_children(_needs_of(handler, stream.variable)) for handler in stream.handlers]
    for test, below in near.items():
        places = [index for index, read in enumerate(by_handler) if index >= first and test in read]
        sought = () if test != ANY_CHILD or test in needs.children else tuple(name[1:] for name in below.children)
        yield Kept(test, below, readers_at(places, stream), sought)


def near_children(needs: Projection) -> dict[Test, Projection]:
    """The needed children by name; a node needed at any depth may be in, or be, a child of any name."""
    near: dict[Test, Projection] = {}
    for test, below in needs.children.items():
        axis, uri, local = test
        near.setdefault(("child", uri, local), Projection()).merge(below)
        if axis != "child":
            near.setdefault(ANY_CHILD, Projection()).child(*test).merge(below)
    return near


def readers_at(places: Iterable[int], stream: ProcessStream) -> Readers:
    """The first and the last of some handlers; all of them if none is known."""
    found = list(places)
    return Readers(found[0], found[-1]) if found else Readers(0, len(stream.handlers))


def variable_readers(stream: ProcessStream, name: str) -> Readers:
    """The handlers that read a variable."""
    places = (
        index
        for index, handler in enumerate(stream.handlers)
        if isinstance(handler, (On, OnFirst, OnWindow, OnEach)) and name in free_variables(handler.body)
    )
    return readers_at(places, stream)


def _needs_of(handler: Handler, variable: str) -> Projection:
    found = Projection()
    if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
        add_needs(handler.body, {ROOT: Projection(), variable: found})
    return found
