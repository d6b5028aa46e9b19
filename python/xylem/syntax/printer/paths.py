"""Paths and steps as text, abbreviated where the grammar allows it."""

from __future__ import annotations

from .. import ast
from .primaries import predicate
from .types import node_test_text
from .writer import MAP, PATH, PRIMARY, STEP, WINDOW, Writer, prints

KEYWORDS = frozenset(
    [
        *("for", "forseq", "let", "some", "every", "if", "switch", "typeswitch", "try", "set", "validate"),
        *("element", "attribute", "document", "text", "comment", "namespace", "processing-instruction"),
        *("ordered", "unordered", "map", "array", "function", "declare", "import", "module", "xquery"),
        *("count", "diff", "newstart"),
    ]
)
"""Names that could begin something else in some context; such steps are written with their axis."""


@prints(PRIMARY, ast.Root)
def _root(out: Writer, node: ast.Root) -> None:
    # A lone slash takes whatever follows it for a step, be it `*` or `return`.
    out.put("(/)")


@prints(PATH, ast.Path)
def _path(out: Writer, node: ast.Path) -> None:
    steps: list[ast.Expr] = []
    left: ast.Expr = node
    while isinstance(left, ast.Path):
        steps.append(left.right)
        left = left.left
    if not isinstance(left, ast.Root):
        out.expr(left, STEP)
    while steps:
        step = steps.pop()
        out.put("/")
        if steps and _is_descendants(step):
            out.put("/")
            step = steps.pop()
        if _begins_with_reference(step):
            # Behind a slash `name#1` is a version of a child.
            out.bracketed(step)
        else:
            out.expr(step, STEP)


def _begins_with_reference(node: ast.Expr) -> bool:
    while True:
        match node:
            case ast.NamedFunctionRef():
                return True
            case ast.Filter(base=base) | ast.Lookup(base=base) | ast.DynamicCall(function=base):
                node = base
            case ast.VersionProjection(base=base) | ast.VersionWindow(base=base):
                node = base
            case ast.TimeProjection(base=base) | ast.TimeWindow(base=base):
                node = base
            case _:
                return False


def _is_descendants(node: ast.Expr) -> bool:
    return (
        isinstance(node, ast.AxisStep)
        and node.axis == "descendant-or-self"
        and isinstance(node.test, ast.AnyKindTest)
        and not node.predicates
    )


@prints(STEP, ast.AxisStep)
def _step(out: Writer, node: ast.AxisStep) -> None:
    out.put(_abbreviated(node))
    for test in node.predicates:
        predicate(out, test)


def _abbreviated(node: ast.AxisStep) -> str:
    test = node_test_text(node.test)
    if node.axis == "parent" and isinstance(node.test, ast.AnyKindTest):
        return ".."
    if node.axis == "attribute":
        return "@" + test
    if node.axis == "child" and not _needs_axis(node.test):
        return test
    return f"{node.axis}::{test}"


def _needs_axis(test: ast.NodeTest) -> bool:
    if isinstance(test, ast.NameTest):
        return test.name.prefix is None and test.name.uri is None and test.name.local in KEYWORDS
    return isinstance(test, ast.AttributeTest | ast.SchemaAttributeTest | ast.NamespaceNodeTest)


@prints(MAP, ast.SimpleMap)
def _simple_map(out: Writer, node: ast.SimpleMap) -> None:
    chain: list[ast.Expr] = []
    left: ast.Expr = node
    while isinstance(left, ast.SimpleMap):
        chain.append(left.right)
        left = left.left
    out.expr(left, WINDOW)
    for right in reversed(chain):
        out.put(" ! ")
        out.expr(right, WINDOW)
