"""Projections that can never mean what was intended, with hints for `xylem check --updates`."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.errors import Span
from xylem.syntax import ast, print_query

from .operands import Choice, choice_of

__all__ = ["slips"]


def slips(module: ast.Node) -> Iterator[tuple[Span, str]]:
    """The places of a query as parsed, each with a hint."""
    before = {id(node.right): node.left for node in module.walk() if isinstance(node, ast.Path)}
    for node in module.walk():
        found = choice_of(node) if isinstance(node, ast.Expr) else None
        if found is None:
            continue
        step, choice = found
        if isinstance(step, ast.AxisStep) and step.axis == "attribute" and not _is_newest(choice):
            written, attribute = _text(node), _text(step)
            around = before.get(id(node))
            of = "." if around is None else _text(around)
            instead = f"{of}{written.removeprefix(attribute)}/{attribute}"
            told = "an attribute has no versions of its own"
            yield node.span, f"{written}: {told}; {instead} is that of another version of its element"


def _text(node: ast.Node) -> str:
    return " ".join(print_query(node).split())


def _is_newest(choice: Choice) -> bool:
    return isinstance(choice.amount, ast.IntegerLiteral) and choice.amount.value == 0
