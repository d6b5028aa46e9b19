"""Common properties of all operators: inputs, a place in the query, a place of execution, and a hash of their content.

An operator is evaluated once, or *over* tuples: once for each of them, with their variables. Its *inputs* are the
plans whose items it takes.

    for $p in //person return count(//sale[@by = $p/@id])

    aggregate count                         over the tuples of bind $p, its input is the join
      join $sale, @by = $p/@id
        scan //sale
      bind for $p                           the tuples
        scan //person
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum, StrEnum
from functools import cached_property
from hashlib import sha256
from typing import ClassVar, NamedTuple

from xylem.errors import Span

MOST_TEXT = 72


class Runs(StrEnum):
    """Where an operator runs."""

    SCAN = "scan"
    """In the scan itself, while it reads."""
    KERNEL = "kernel"
    """In the kernel, over values that the scan takes from items."""
    CODE = "code"
    """In code generated for the query."""
    TASK = "task"
    """In tasks, each over its range of the input."""
    ONE_TASK = "one task"
    """In a single task, over the whole input."""
    MERGE = "merge"
    """Where the results of tasks are merged, by key or in order."""
    DRIVER = "driver"
    """Once, where the answer is written."""


class Extent(IntEnum):
    """The size class of a sequence, from small to large."""

    ONE = 0
    """One item, or a few from the query itself."""
    ITEM = 1
    """The content of one item of the input."""
    WINDOW = 2
    TURNS = 3
    GROUPS = 4
    BESIDE = 5
    """Another document, or an external value."""
    RESULTS = 6
    """The results of windows over the input."""
    INPUT = 7


class Meter(NamedTuple):
    """A measuring point of a run for an operator."""

    what: str
    """records: those of a scan step. buffer: bytes held for a variable. index: the items of a join, by its place in the
    query. rows: the tuples of a sort, or the groups of an aggregate, by their place."""
    key: str
    part: int = 0
    """The number of the pass, or of the part of a distributed query."""


def place_key(span: Span) -> str:
    """A place in a query as a key."""
    return f"{span.source.name}:{span.start}-{span.end}"


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One operator of a plan."""

    kind: ClassVar[str] = ""
    inputs: tuple[Operator, ...] = ()
    """The plans whose items it takes."""
    over: Operator | None = None
    """The tuples for each of which it is evaluated; None: it is evaluated once."""
    runs: Runs = field(default=Runs.CODE, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    """The place in the query that it came from."""
    meters: tuple[Meter, ...] = field(default=(), compare=False, repr=False)

    @property
    def children(self) -> tuple[Operator, ...]:
        return self.inputs if self.over is None else (*self.inputs, self.over)

    @property
    def told(self) -> str:
        """Its work in one line, without that of its children."""
        about = self.about
        return f"{self.kind} {about}" if about else self.kind

    @property
    def about(self) -> str:
        return ""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of its content and all below it; independent of where it runs and of its place in the query."""
        own = [(each.name, repr(getattr(self, each.name))) for each in fields(self) if _is_content(each.name)]
        below = ["" if child is None else child.fingerprint for child in (self.over, *self.inputs)]
        return sha256(repr((self.kind, own, below)).encode()).hexdigest()[:12]

    @property
    def place(self) -> tuple[int, int] | None:
        """Line and column in the query; None if it does not occur there."""
        if self.span is None or self.span.source.name == "built in":
            return None
        return self.span.line, self.span.column

    def walk(self) -> Iterator[Operator]:
        """Visit the operator and all below it, repeated ones each time."""
        stack = [self]
        while stack:
            found = stack.pop()
            yield found
            stack.extend(reversed(found.children))


_NOT_CONTENT = frozenset({"inputs", "over", "runs", "span", "meters"})


def _is_content(name: str) -> bool:
    return name not in _NOT_CONTENT


def shortened(text: str, most: int = MOST_TEXT) -> str:
    """On one line, and not too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
