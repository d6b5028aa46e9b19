"""A quick look whether a query has to do with infinite sequences at all."""

from __future__ import annotations

from xylem.syntax import ast


def mentions_infinite(module: ast.Module) -> bool:
    """Whether a module may have to do with infinite sequences at all; told by its text, to cost nothing."""
    text = module.span.source.text
    return "**" in text or "stream" in text
