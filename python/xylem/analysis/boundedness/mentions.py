"""A quick test whether a query involves infinite sequences at all."""

from __future__ import annotations

from xylem.syntax import ast


def mentions_infinite(module: ast.Module) -> bool:
    """Whether a module may involve infinite sequences at all; decided by its text, which costs next to nothing."""
    text = module.span.source.text
    return "**" in text or "stream" in text or any(map(_is_declared_infinite, module.prolog))


def _is_declared_infinite(declaration: ast.Declaration) -> bool:
    """A declaration that rewriting may have added."""
    declared = declaration.type if isinstance(declaration, ast.VariableDecl) else None
    return declared is not None and declared.occurrence == "**"
