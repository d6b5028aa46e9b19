"""Facts that follow from a node alone, kept with it: nodes never change, and rules ask about the same ones often."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .node import FACT, Node

T = TypeVar("T")
M = TypeVar("M")
_MISSING: Any = object()


def kept_with_node(compute: Callable[[Node], T]) -> Callable[[Node], T]:
    """Compute a fact about a node at most once.

    The fact may depend on nothing but the node, and must be immutable.
    """
    key = f"{FACT}{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def fact(node: Node) -> T:
        state = node.__dict__
        found = state.get(key, _MISSING)
        if found is _MISSING:
            found = state[key] = compute(node)
        made: T = found
        return made

    return fact


def united(of_one: Callable[[Node], frozenset[M]]) -> Callable[[Node], frozenset[M]]:
    """The union of what each node at or below a node has, kept with all of them.

    A rule that rebuilds one part of a query leaves the sets of all others as they are. There is no recursion: a chain
    of ten thousand operators is a tree ten thousand levels deep.
    """
    key = f"{FACT}{of_one.__module__}.{of_one.__qualname__}"

    @wraps(of_one)
    def fact(node: Node) -> frozenset[M]:
        found: frozenset[M] | None = node.__dict__.get(key)
        if found is not None:
            return found
        stack = [node]
        while stack:
            top = stack[-1]
            children = top.children()
            missing = [child for child in children if key not in child.__dict__]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            made = of_one(top)
            for child in children:
                below: frozenset[M] = child.__dict__[key]
                # Most have what a part of them has: they share its set.
                if made <= below:
                    made = below
                elif not below <= made:
                    made |= below
            top.__dict__[key] = made
        result: frozenset[M] = node.__dict__[key]
        return result

    return fact


@united
def kinds_in(node: Node) -> frozenset[type[Node]]:
    """The classes of a node and of all below it."""
    return frozenset((type(node),))


@kept_with_node
def size_of(node: Node) -> int:
    """The number of nodes at a node and below it."""
    return 1 + sum(map(size_of, node.children()))


def contains(node: Node, kinds: type[Node] | tuple[type[Node], ...]) -> bool:
    """Whether the node or one below it is of one of these classes."""
    return any(issubclass(kind, kinds) for kind in kinds_in(node))


__all__ = ["contains", "kept_with_node", "kinds_in", "size_of", "united"]
