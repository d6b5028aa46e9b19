"""Decide which document of a query is the stream: the context item, a named document or stream, or `$ROOT`."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.best_match_loops import joins_each
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.flux import ROOT
from xylem.syntax import ast

from .substitution import variable

DOCUMENTS = {(FN, "doc"), (FN, "document")}
NAMED_SOURCES = DOCUMENTS | {(PREFIXES["xylem"], "stream"), (FN, "stream")}


def stream_source(body: ast.Expr, *, is_divided: bool = False) -> ast.FunctionCall | None:
    """The call that names the document to be streamed; None for the context item or `$ROOT`.

    One document is streamed, by preference the context item; others are read as trees. `is_divided`: tasks take parts
    of it.
    """
    if reads_focus(body) or any(_is_root_variable(node) for node in body.walk()):
        return None
    joined = _best_matched(body, is_divided)
    return next((call for call in _named_sources(body) if call not in joined), None)


def _best_matched(body: ast.Expr, is_divided: bool) -> list[ast.FunctionCall]:
    """Documents joined with each other by a best match: the join reads both as they arrive.

    If tasks divide a document, one whose items each have their own best partners (a first loop) is not included.
    """
    found: list[ast.FunctionCall] = []
    for node in body.walk():
        if isinstance(node, ast.Flwor) and any(isinstance(clause, ast.BestMatchClause) for clause in node.clauses):
            named = [
                (call, index)
                for index, clause in enumerate(node.clauses)
                if isinstance(clause, ast.ForClause)
                for call in _named_sources(clause.collection)
            ]
            if len(named) > 1 and all(is_document_call(call) for call, _ in named):
                divided = [call for call, index in named if is_divided and joins_each(node.clauses, index)]
                found += [call for call, _ in named if call not in divided]
    return found


def is_document_call(call: ast.FunctionCall) -> bool:
    """doc("…"): a file, whatever the input is."""
    return call.name.expanded in DOCUMENTS


def _is_root_variable(node: ast.Node) -> bool:
    return isinstance(node, ast.VarRef) and node.name.expanded == ("", ROOT)


def _named_sources(body: ast.Expr) -> Iterator[ast.FunctionCall]:
    for node in body.walk():
        if isinstance(node, ast.FunctionCall) and is_named_source(node):
            yield node


def is_named_source(call: ast.FunctionCall) -> bool:
    """doc("…") or stream("…") with a literal name."""
    return (
        call.name.expanded in NAMED_SOURCES
        and len(call.arguments) == 1
        and isinstance(call.arguments[0], ast.StringLiteral)
    )


def read_from_root(body: ast.Expr, source: ast.Expr) -> ast.Expr:
    """The query with `$ROOT` for each call that names the source: the same call always gives the same document."""

    def root(node: ast.Node) -> ast.Node | None:
        return variable(ROOT) if isinstance(node, ast.FunctionCall) and node == source else None

    return replaced(body, root)
