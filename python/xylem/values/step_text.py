"""The characters of the node that one step selects, usually a single one, without creating a node.

$i/name where a string is wanted, "{ $i/@id }", order by $i/price
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .axes import step
from .casting_numbers import to_integer
from .node import ATTRIBUTE, ELEMENT, TEXT, Node
from .node_test import NodeTest
from .remade import remade
from .strings import UntypedAtomic

Columns = Sequence[Sequence[int | None]]

_KINDS = {"child": (ELEMENT, TEXT), "attribute": (ATTRIBUTE,)}


def has_step_text(axis: str, test: NodeTest) -> bool:
    """Whether `step_text` handles a step."""
    return test.is_exact and test.kind in _KINDS.get(axis, ())


@remade
def step_text(
    axis: str, test: NodeTest, otherwise: Callable[[list[Node]], Any], made: type[str] | None = None
) -> Callable[[Node], Any]:
    """From a node to the string value of the only node of a step; for none or several, the result of `otherwise`.

    `made` is the class of string values.
    """
    nodes = step(axis, test)
    usual, code = test.usual_code()
    none: list[Node] = []

    def text(node: Node) -> Any:
        tree = node.tree
        native = tree.native
        if native is not None and tree.names is usual:
            value = native.text_named(node.pre, code)
            if value is not None:
                return value if made is None else made(value)
            if native.first_named(node.pre, code) < 0:
                return otherwise(none)
        found = nodes(node)
        if len(found) != 1:
            return otherwise(found)
        value = found[0].string_value
        return value if made is None else made(value)

    return text


@remade
def step_values(axis: str, test: NodeTest) -> Callable[[Node], list[str]]:
    """From a node to the typed values of all nodes of a step."""
    nodes = step(axis, test)
    usual, code = test.usual_code()

    def values(node: Node) -> list[str]:
        tree = node.tree
        native = tree.native
        if native is None or tree.names is not usual:
            return [found.typed_value for found in nodes(node)]
        value = native.text_named(node.pre, code)
        if value is not None:
            return [UntypedAtomic(value)]
        rows = native.children_named(node.pre, code)
        return native.typed_values(rows, UntypedAtomic) if rows else []

    return values


@remade
def step_integer(axis: str, test: NodeTest, otherwise: Callable[[list[Node]], Any]) -> Callable[[Node], Any]:
    """From a node to the only node of a step as an xs:integer; for none or several, the result of `otherwise`."""
    text = step_text(axis, test, otherwise)

    def integer(node: Node) -> Any:
        found = text(node)
        return None if found is None else to_integer(found)

    return integer


@remade
def step_integers(steps: tuple[tuple[str, NodeTest], ...]) -> Callable[[Sequence[Node]], Columns]:
    """For each step a column with its integer for each node; None unless there plainly is one."""
    codes = [test.usual_code() for _, test in steps]

    def integers(nodes: Sequence[Node]) -> Columns:
        tree = nodes[0].tree
        native = tree.native
        if native is None or any(tree.names is not usual for usual, _ in codes):
            return [[None] * len(nodes)] * len(steps)
        rows = [node.pre for node in nodes]
        return [native.integers_named(rows, code) for _, code in codes]

    return integers
