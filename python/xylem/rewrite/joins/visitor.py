"""The base of all searches for joins: facts about the whole query, and a traversal of its expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from xylem.analysis.ast_replacement import with_values
from xylem.syntax import ast

from .surroundings import Surroundings

JOIN_NAMESPACE = "urn:xylem:join"
"""Namespace of the variables that joins introduce: no query has names there."""


@dataclass
class JoinFacts:
    """The facts that hold for a whole query."""

    shares_values: bool = False
    """Whether values that are the same for many turns of a loop are cached: streams handle them otherwise."""
    sequences: frozenset[tuple[str, str]] = frozenset()
    """Global variables that the query computes and that may have many items."""
    is_leaf: bool = False
    """Whether this is a part of a streamed query, evaluated over its buffers."""
    finds_anchors: bool = False
    """Whether the surroundings of an item are in memory. For a stream, the plan decides this later."""
    number: int = 0
    roots: int = 0
    """Number of calls of root() that have become `/`."""
    found: list[ast.JoinClause | ast.Shared] = field(default_factory=list)
    """Score of the findings so far."""

    def fresh(self) -> ast.Name:
        """A variable for the items of an index."""
        self.number += 1
        return ast.Name(f"{'leaf' if self.is_leaf else 'item'}{self.number}", None, JOIN_NAMESPACE)


class JoinVisitor(ABC):
    """Visits an expression with the surroundings of each of its parts."""

    def __init__(self, facts: JoinFacts) -> None:
        self.facts = facts
        self.keeps_paths = True
        """Whether the results of plain paths are cached if they are the same at many turns."""

    @abstractmethod
    def visit(self, node: Any, around: Surroundings) -> Any:
        """The part with its joins."""

    def _rebuilt(self, node: Any, around: Surroundings) -> Any:
        def value(old: Any) -> Any:
            if isinstance(old, ast.Node):
                return self.visit(old, around)
            made = tuple(value(member) if isinstance(member, (ast.Node, tuple)) else member for member in old)
            return old if all(a is b for a, b in zip(old, made, strict=True)) else made

        return with_values(node, value)
