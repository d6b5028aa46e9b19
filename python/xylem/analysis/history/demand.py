"""The history that a query may need of any slot: a number of versions, a number of seconds, or everything.

A module with calls for projections comes in (`projections.py`). Projections may follow one another, `$x#1` where $x
comes from `//b#2`, so their demands add up: the bound is their sum. Timelines and moments need everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from .operands import HISTORY

_OF_TIMES = {(PREFIXES["xylem"], "begin"), (PREFIXES["xylem"], "end"), (FN, "function-lookup")}


@dataclass(frozen=True)
class Demand:
    """The retention of each slot besides its newest version."""

    versions: int = 0
    seconds: Decimal | None = None
    """Versions that were alive this long ago or later; None if nothing is read by time."""
    is_everything: bool = False
    why: ast.Node | None = None
    """The expression that needs everything."""

    @property
    def looks_back(self) -> bool:
        """Whether any history is needed."""
        return self.is_everything or self.versions > 0 or self.seconds is not None


def demand_of(modules: Iterable[ast.Node]) -> Demand:
    """The demand of the modules of a program."""
    versions = 0
    seconds: Decimal | None = None
    for module in modules:
        for node in module.walk():
            if isinstance(node, ast.ModuleImport):
                return Demand(is_everything=True, why=node)  # Imported modules may need anything.
            if not isinstance(node, ast.FunctionCall) or node.name.uri != HISTORY or node.name.local == "document":
                continue
            amount = _literal(node)
            if amount is None:
                return Demand(is_everything=True, why=node)
            sign, number = amount
            if sign.startswith("#"):
                versions += int(number)
            else:
                seconds = number if seconds is None else seconds + number
    return Demand(versions, seconds)


def asks_for_times(module: ast.Node) -> bool:
    """Whether a query may ask when a version began: the times of earlier commits are needed then."""
    return any(
        isinstance(node, (ast.FunctionCall, ast.NamedFunctionRef)) and node.name.expanded in _OF_TIMES
        for node in module.walk()
    )


def _literal(call: ast.FunctionCall) -> tuple[str, Decimal] | None:
    """The operator and the number of a projection of nodes; None for anything that may need more."""
    if call.name.local == "moment":
        # For nodes, `$x?60` is a time projection, which is known when the query runs.
        keys = call.arguments[1]
        assert isinstance(keys, ast.SequenceExpr)
        return "?", Decimal(sum(key.value for key in keys.items if isinstance(key, ast.IntegerLiteral)))
    if call.name.local not in ("content", "versions"):
        return None
    *_, sign, amount, _ = call.arguments
    if not isinstance(sign, ast.StringLiteral) or sign.value == "between":
        return None
    if not isinstance(amount, (ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)):
        return None
    return sign.value, Decimal(str(amount.value))
