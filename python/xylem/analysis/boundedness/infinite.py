"""A possibly infinite value, with the reasons for messages."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.errors import Span
from xylem.syntax import ast

MOST_CHARACTERS = 40


@dataclass(frozen=True)
class Infinite:
    """Why a value may be infinite: the chain from the current place to its origin."""

    chain: tuple[str, ...]

    def through(self, what: str) -> Infinite:
        """The same, through an expression or a variable."""
        known = self.chain[:1]
        return self if known in ((what,), (f"{what} is infinite",)) else Infinite((what, *self.chain))

    def __str__(self) -> str:
        return " ← ".join(self.chain)


def excerpt(node: ast.Node) -> str:
    """The query's own text, on one line and not too long."""
    span: Span = node.span
    text = " ".join(span.source.text[span.start : span.end].split())
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
