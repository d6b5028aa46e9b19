"""Decide which expressions read the input, and what else they depend on.

Before the rules divide a query, every expression for the input becomes a leading `/` (`ast.Root`): the context item,
relative paths, doc() of the input document, collection().
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import reads_focus, reads_item
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains

from .not_spread import NotSpread
from .scope_path import flattened
from .source import is_document_call, stream_source
from .substitution import FocusInTheWay, Substitution

ExpandedName = tuple[str, str]


def reads_input(node: ast.Node) -> bool:
    """Whether it contains a leading `/`."""
    return contains(node, ast.Root)


def is_closed(expr: ast.Expr, bound: frozenset[ExpandedName]) -> bool:
    """Whether it is the same for all items: it reads none of these variables, and no focus."""
    return not free_in(expr) & bound and not reads_item(expr)


def read_from_document(body: ast.Expr, is_one_document: bool = True, *, may_be_named: bool = True) -> ast.Expr:
    """The body with a leading `/` for every reference to the input; NotSpread if a reference is unclear.

    With several documents, a `/` after a change of focus is the document of the current node, and cannot be followed.
    `may_be_named`: the input is the document that the query names by doc(), if it names no other.
    """
    named = named_input(body)
    if named is not None and (may_be_named or not is_document_call(named)):
        body = replaced(body, lambda node: ast.Root(span=node.span) if node == named else None)
    else:
        try:
            body = Substitution({}, focus=ast.Root()).apply(body)
        except FocusInTheWay:
            raise NotSpread("a function reference takes the context item with it", body) from None
        body = replaced(body, _collection)
    _check_inner_roots(body, frozenset(), True, is_one_document)
    return body


def named_input(body: ast.Expr) -> ast.FunctionCall | None:
    """The call of doc() or stream() that names the input, if nothing else does."""
    return None if _collects(body) else stream_source(body, is_divided=True)


def read_from_collection(body: ast.Expr) -> ast.Expr:
    """The body for an input of several documents: collection() for every expression for the input.

    A leading `/` in a predicate or after another `/` stays: there it is the document of the current node.
    """
    if not reads_focus(body):
        return body
    try:
        body = Substitution({}, focus=ast.Root()).apply(body)
    except FocusInTheWay:
        return body
    return _outer_roots(body)


def _outer_roots(node: ast.Expr) -> ast.Expr:
    def change(part: ast.Node) -> ast.Node | None:
        match part:
            case ast.Root():
                return ast.FunctionCall(ast.Name("collection", "fn", FN), (), span=part.span)
            case ast.Path(left=left) | ast.SimpleMap(left=left):
                return replace(part, left=replaced(left, change))
            case ast.Filter(base=base):
                return replace(part, base=replaced(base, change))
            case ast.InlineFunction():
                return part
        return None

    return replaced(node, change)


def _collects(body: ast.Expr) -> bool:
    return any(_is_collection(node) for node in body.walk())


def _is_collection(node: ast.Node) -> bool:
    return isinstance(node, ast.FunctionCall) and node.name.expanded == (FN, "collection") and not node.arguments


def _collection(node: ast.Node) -> ast.Node | None:
    return ast.Root(span=node.span) if _is_collection(node) else None


def _check_inner_roots(node: ast.Node, inputs: frozenset[ExpandedName], has_input: bool, is_one: bool) -> None:
    """Check that a `/` inside a path or predicate refers to the input: it means the tree of its focus."""
    if isinstance(node, ast.Root) and not has_input:
        raise NotSpread("a leading / stands where the focus may be in another document", node)
    match node:
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            _check_inner_roots(left, inputs, has_input, is_one)
            _check_inner_roots(right, inputs, is_one and _is_of_input(left, inputs, has_input), is_one)
        case ast.Filter(base=base, predicate=predicate):
            _check_inner_roots(base, inputs, has_input, is_one)
            _check_inner_roots(predicate, inputs, is_one and _is_of_input(base, inputs, has_input), is_one)
        case ast.InlineFunction(body=body):
            _check_inner_roots(body, inputs, False, is_one)
        case ast.Flwor(clauses=clauses, result=result):
            for clause in clauses:
                _check_inner_roots(clause, inputs, has_input, is_one)
                value = clause.collection if isinstance(clause, ast.ForClause) else None
                value = clause.value if isinstance(clause, ast.LetClause) else value
                if isinstance(clause, (ast.ForClause, ast.LetClause)) and value is not None:
                    own = frozenset({clause.name.expanded})
                    inputs = inputs | own if _is_of_input(value, inputs, has_input) else inputs - own
            _check_inner_roots(result, inputs, has_input, is_one)
        case _:
            for child in node.children():
                _check_inner_roots(child, inputs, has_input, is_one)


def _is_of_input(expr: ast.Expr, inputs: frozenset[ExpandedName], has_input: bool) -> bool:
    start, parts = flattened(expr)
    if not all(isinstance(part, (ast.AxisStep, ast.Filter)) for part in parts):
        return False
    if isinstance(start, ast.VarRef):
        return start.name.expanded in inputs
    return has_input and isinstance(start, (ast.Root, ast.AxisStep, ast.ContextItem))
