"""The interface of a rewrite rule, and the facts that it may use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from xylem.plan.flux import ROOT, Flux, For, If, Sequence
from xylem.plan.symbols import reached_type
from xylem.schema.constraints import ElementConstraints, Schema

from .fresh_names import Names


@dataclass(frozen=True)
class Facts:
    """The facts known at one place of an expression."""

    names: Names
    schema: Schema | None = None
    types: Mapping[str, ElementConstraints | None] = field(default_factory=dict)
    """The schema's types of the elements bound to the variables in scope."""
    above: tuple[Flux, ...] = ()
    """The loops and conditions around this place, outermost first."""

    @staticmethod
    def of(names: Names, schema: Schema | None) -> Facts:
        return Facts(names, schema, {ROOT: None if schema is None else schema.document()})

    def inside(self, node: Flux) -> Facts:
        """The facts in the body of a node."""
        if isinstance(node, For):
            return replace(self, types={**self.types, node.variable: self.type_of(node)}, above=(*self.above, node))
        return replace(self, above=(*self.above, node))

    def type_of(self, loop: For) -> ElementConstraints | None:
        """The type of the elements a loop binds."""
        if loop.window is not None:
            # Its variable holds many elements: facts about one of them do not hold for the window.
            return None
        found = self.types.get(loop.source)
        for step in loop.path:
            found = reached_type(step, found, self.schema)
        return found


class Rule(ABC):
    """Looks at one expression of XQuery⁻ and returns an equal one, or the very same object."""

    name: ClassVar[str]
    thesis: ClassVar[str] = ""
    """Its name in the thesis."""

    @abstractmethod
    def apply(self, node: Flux, facts: Facts) -> Flux: ...


def with_children(node: Flux, children: tuple[Flux, ...]) -> Flux:
    """The node with other expressions inside; the very same object if they are the same."""
    if all(a is b for a, b in zip(children_of(node), children, strict=True)):
        return node
    match node:
        case Sequence():
            return Sequence(children)
        case For() | If():
            return replace(node, body=children[0])
    return node


def children_of(node: Flux) -> tuple[Flux, ...]:
    match node:
        case Sequence(parts=parts):
            return parts
        case For(body=body) | If(body=body):
            return (body,)
    return ()
