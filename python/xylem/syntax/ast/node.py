"""What every AST node is: an immutable value that knows where it stands in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeVar

from xylem.errors import NOWHERE, Span

Self = TypeVar("Self", bound="Node")


@dataclass(frozen=True, kw_only=True)
class Node:
    """An AST node. Its span never counts when nodes are compared."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def children(self) -> Iterator[Node]:
        """The nodes directly below, in the order of the text."""
        for entry in fields(self):
            yield from _nodes_in(getattr(self, entry.name))

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.children())))


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from _nodes_in(member)


@dataclass(frozen=True)
class Expr(Node):
    """A node that has a value."""


@dataclass(frozen=True)
class Name(Node):
    """A QName as written (`prefix`, None where none was written) or an EQName (`uri` given).

    The parser fills `uri` for ``Q{uri}local`` only; name resolution fills it everywhere.
    """

    local: str
    prefix: str | None = None
    uri: str | None = None

    def __str__(self) -> str:
        if self.prefix:
            return f"{self.prefix}:{self.local}"
        return self.local if not self.uri else f"Q{{{self.uri}}}{self.local}"

    @property
    def expanded(self) -> tuple[str, str]:
        """(namespace URI, local name) of a resolved name."""
        return self.uri or "", self.local
