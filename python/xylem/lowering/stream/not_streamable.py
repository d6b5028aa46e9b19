"""Why a query cannot be answered in one pass over its input."""

from __future__ import annotations

from xylem.syntax import ast


class NotStreamable(Exception):
    """Why a query is answered from the whole tree, with the place in it."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node
