"""Query text to plan, and the answer of the reference evaluator, for the tests of rewriting."""

from __future__ import annotations

from typing import Any

import xylem
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.plan.flux_plan import FluxPlan
from xylem.rewrite.to_program import program_of, stream_form
from xylem.syntax import ast, parse, print_query


def planned(query: str, schema: Any = None, **options: Any) -> FluxPlan:
    """The plan of a query."""
    module = parse(query)
    assert isinstance(module, ast.MainModule)
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    return program_of(stream_form(resolved.body, schema, prolog=resolved.prolog, **options))


def prolog_of(query: str) -> str:
    """The declarations of a query, as text to put before an expression of it."""
    return "".join(f"{print_query(declaration)}; " for declaration in parse(query).prolog)


def expected(query: str, document: str) -> str:
    """What the evaluator answers over the whole tree; `$ROOT` is the thesis' name for the document."""
    declared = "declare variable $ROOT external; " if "$ROOT" in query else ""
    tree = xylem.parse(document)
    return str(xylem.compile(declared + query).run(tree, {"ROOT": tree} if declared else {}))
