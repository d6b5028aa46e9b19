"""The reason why a query is a single task, with its place in the query."""

from __future__ import annotations

from xylem.syntax import ast


class NotSpread(Exception):
    """An expression whose value over the input does not follow from its values over parts of it."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


class NoParts(NotSpread):
    """The general case, without a more specific reason."""

    def __init__(self, node: ast.Node | None = None) -> None:
        super().__init__("its value over the input does not follow from its values over parts of it", node)
