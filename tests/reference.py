"""The independent reference: the tree evaluator with every rule off, which nested loops make slow and plain."""

from __future__ import annotations

from xylem.api import Query
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.rewrite.rule_names import all_rules


def reference(text: str) -> Query:
    """The query as it is written: no joins, no shared values, windows by their definition."""
    return Query(CompiledQuery(text, StaticEnvironment(without_rules=all_rules())))
