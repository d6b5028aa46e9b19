"""Take the input of a window clause out of a query, so that its items can be given to it one by one as they stream by.

    forseq $w in /log/entry tumbling window …     →     declare variable $items as node()** external;
    return …                                            forseq $w in $items tumbling window … return …

                                                        and the path /log/entry, which streams by itself

Gain:   no more of the input is kept than open windows need.
Needs:  the windows come first, over a path of child steps from the document that reads no variable; nothing else in
        the query reads the document,
        and nothing looks outside an item: no other axes than those down from it, no functions of its surroundings.
Safe:   items are given in document order, each as a tree of its own; elements that child steps reach are not nested.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.focus import reads_focus, uses_last, uses_position
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast

ITEMS = ast.Name("items", None, "urn:xylem:streamed")
_DOWN = ("child", "attribute", "self", "descendant", "descendant-or-self")
_AROUND = frozenset(
    {
        *("root", "path", "base-uri", "document-uri", "id", "idref", "element-with-id", "lang", "generate-id"),
        *("innermost", "outermost", "doc", "collection", "load-xquery-module", "function-lookup"),
    }
)


class WindowsOverInput(NamedTuple):
    """A query in two parts."""

    path: ast.Expr
    """What streams."""
    module: ast.MainModule
    """The query over the variable ITEMS."""
    variable: ast.Name
    """What windows are bound to."""


def has_windows_first(module: ast.Module) -> bool:
    """A quick look whether a query may be one of these."""
    body = module.body if isinstance(module, ast.MainModule) else None
    return isinstance(body, ast.Flwor) and _window_index(body) is not None


def _window_index(body: ast.Flwor) -> int | None:
    """The place of the window clause, behind nothing but `let`."""
    for index, clause in enumerate(body.clauses):
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause)):
            return index
        if not isinstance(clause, ast.LetClause):
            return None
    return None


def windows_over_input(module: ast.Module) -> WindowsOverInput | None:
    """The two parts of a resolved query; None where it is not of this kind."""
    if not isinstance(module, ast.MainModule) or not isinstance(module.body, ast.Flwor):
        return None
    index = _window_index(module.body)
    if index is None or any(isinstance(d, (ast.ModuleImport, ast.ContextItemDecl)) for d in module.prolog):
        return None
    clause = module.body.clauses[index]
    assert isinstance(clause, (ast.WindowClause, ast.ForseqClause))
    if not _is_path_of_children(clause.collection) or free_in(clause.collection):
        return None
    given = replace(clause, collection=ast.VarRef(ITEMS, span=clause.collection.span))
    clauses = (*module.body.clauses[:index], given, *module.body.clauses[index + 1 :])
    body = replace(module.body, clauses=clauses)
    if reads_focus(body) or any(map(_looks_around, (*module.prolog, body))):
        return None
    kind = ast.SequenceTypeNode(ast.AnyKindTest(), "**")
    declared = ast.VariableDecl(ITEMS, kind, None, True, span=clause.collection.span)
    rest = replace(module, prolog=(*module.prolog, declared), body=body)
    return WindowsOverInput(clause.collection, rest, clause.name)


def _is_path_of_children(path: ast.Expr) -> bool:
    match path:
        case ast.Root():
            return True
        case ast.Path(left=left, right=ast.AxisStep(axis="child", test=test, predicates=predicates)):
            if not isinstance(test, (ast.NameTest, ast.Wildcard)) or any(map(_is_positional, predicates)):
                return False
            return not any(map(_looks_around, predicates)) and _is_path_of_children(left)
    return False


def _is_positional(predicate: ast.Expr) -> bool:
    is_test = isinstance(predicate, (ast.ValueComparison, ast.GeneralComparison, ast.And, ast.Or, ast.AxisStep))
    return not is_test or uses_last(predicate) or uses_position(predicate)


def _looks_around(top: ast.Node) -> bool:
    """Whether something may look outside the items, or at the document by another way."""
    for node in top.walk():
        match node:
            case ast.AxisStep(axis=axis) if axis not in _DOWN:
                return True
            case ast.Root() | ast.NodeComparison() | ast.SetOperation():
                return True
            case ast.FunctionCall(name=name) if name.uri == FN and name.local in _AROUND:
                return True
            case ast.NamedFunctionRef(name=name) if name.uri == FN and name.local in _AROUND:
                return True
            case ast.Arrow(function=ast.Name() as name) if name.uri == FN and name.local in _AROUND:
                return True
            case ast.VariableDecl(value=value) if value is not None and reads_focus(value):
                return True
    return False
