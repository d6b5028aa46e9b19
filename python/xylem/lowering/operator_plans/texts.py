"""Expressions in the readable form used in a plan."""

from __future__ import annotations

import re

from xylem.analysis.readable_names import with_readable_names
from xylem.plan.window_plan import AggregateRead, WindowPlan
from xylem.syntax import ast, print_query

_OURS = re.compile(r"\b(?:fn|pass):(?=[a-z-]+\()")
"""Namespaces whose functions are printed without a prefix."""
_REWRITTEN = (ast.JoinClause, ast.Shared, AggregateRead, WindowPlan)
"""Nodes that no text parses to: the query text that they replace is printed instead."""
MOST_NODES = 400
"""For a longer expression the plan shows the beginning of its own text, if known."""


def text_of(node: ast.Expr) -> str:
    """The text on one line."""
    for number, below in enumerate(node.walk()):
        if number > MOST_NODES or (isinstance(below, _REWRITTEN) and node.span.end > 0):
            span = node.span
            return " ".join(span.source.text[span.start : span.end].split()) or type(node).__name__
    return _OURS.sub("", " ".join(print_query(with_readable_names(node)).split()))


def path_text(steps: list[ast.AxisStep]) -> str:
    """Consecutive steps with their slashes, without predicates."""
    text, slash = "", "/"
    for step in steps:
        if step.axis == "descendant-or-self" and isinstance(step.test, ast.AnyKindTest) and not step.predicates:
            slash = "//"
            continue
        bare = ast.AxisStep(step.axis, step.test) if step.predicates else step
        text += slash + text_of(bare)
        slash = "/"
    return text if slash == "/" else f"{text}//"
