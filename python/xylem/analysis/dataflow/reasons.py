"""Why one pass is not enough, in words, with the places in the query."""

from __future__ import annotations

from xylem.errors import Span

from .graph import Blocking, Node, Reason, SequenceNode


def blocked(node: Node) -> Reason:
    """A blocking operator with an unbounded input (§3.2)."""
    assert node.blocking is not None
    return Reason(0, f"{_named(node)} {node.blocking.value}", _places(node))


def several(nodes: list[SequenceNode], joins: list[Node]) -> Reason:
    """Theorem 1: more than one sequence node."""
    named = " and ".join(_named(node) for node in nodes)
    if joins:
        over = f": {named}" if nodes else ""
        return Reason(1, f"{_named(joins[0])} {Blocking.JOINS.value}{over}", _places(joins[0], *nodes))
    return Reason(1, f"{named} are gone over one after the other", _places(*nodes))


def waiting(first: Node, later: Node) -> Reason:
    """Theorem 2: a path between two aggregates."""
    text = f"{_named(later)} is computed from {_named(first)}, which is known only when all items have passed"
    return Reason(2, text, _places(later, first))


def cycle(aggregate: Node, reader: Node) -> Reason:
    """Theorem 3: a cycle through a super-node."""
    text = f"{_named(reader)} needs {_named(aggregate)}, which is known only when all items have passed"
    return Reason(3, text, _places(reader, aggregate))


def _named(node: Node) -> str:
    """A node as named in a sentence: a variable by its name, the result of a loop without the word for it."""
    variable, named, value = node.label.partition(" := ")
    if named:
        return variable if value.startswith("return ") else f"{variable} = {value}"
    return node.label.removeprefix("return ").removeprefix("satisfies ")


def _places(*nodes: Node) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(node.span for node in nodes if node.span.source.text))
