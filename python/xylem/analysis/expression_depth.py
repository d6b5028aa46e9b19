"""The depth of a query's tree, and its limit.

A chain of operators (`1 + 1 + …`) is a tree as deep as it is long. The parser needs no stack for it; names, types,
rewriting and generated code descend level by level, with a call or more for each. The parser limits nested brackets to
far fewer levels.
"""

from __future__ import annotations

from xylem.errors import StaticError
from xylem.syntax import ast

MOST_LEVELS = 5_000


def check_depth(module: ast.Module) -> None:
    """XYST0003 for a module whose tree is too deep for later stages."""
    if len(module.span.source.text) < MOST_LEVELS:
        # Each level takes a character or more.
        return
    level: list[ast.Node] = [module]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in node.children()]
        if not level:
            return
    raise StaticError("XYST0003", f"more than {MOST_LEVELS:,} operators in a chain, or levels", span=level[0].span)
