"""Steps to siblings of a node that a scan can keep: the nearest before or after it, and their number.

    $x/preceding-sibling::a[1]      $x/preceding-sibling::*[self::a or self::b][1]/@k
    $x/following-sibling::a[2]      count($x/preceding-sibling::a)

Tests before the number must be decidable by a start tag; steps after it read the kept sibling.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from zlib import crc32

from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import FN
from xylem.syntax import ast, print_query

AXES = ("preceding-sibling", "following-sibling")
MOST_SIBLINGS = 8
"""A more distant sibling is not found by keeping all in between."""
ALL_SIBLINGS = (1 << 32) - 1
"""In place of a number: all of them."""
EITHER_SIDE = "sibling"
"""In place of an axis: the preceding and following siblings of a node, and the node itself."""


@dataclass(frozen=True)
class Scope:
    """An ancestor whose children are read: `..`, `../..`, or the nearest with a name."""

    height: int = 1
    """0: by name."""
    name: tuple[str, str] | None = None

    def __str__(self) -> str:
        return f"ancestor::{self.name[1]}[1]" if self.name else "/".join([".."] * self.height)


@dataclass(frozen=True)
class NearSibling:
    """The n-th sibling of those that pass a test, or all of them."""

    axis: str
    test: ast.NodeTest
    tests: tuple[ast.Expr, ...]
    """Predicates before the number; decided by a start tag."""
    number: int
    scope: Scope = Scope()
    """The ancestor whose children they are; another one than the parent only if all are kept."""

    @property
    def is_behind(self) -> bool:
        """Whether it may come after the node itself."""
        return self.axis != "preceding-sibling"

    @property
    def label(self) -> int:
        """The label under which siblings are numbered."""
        return sibling_label(self.test, self.tests)


def near_sibling(step: ast.AxisStep) -> NearSibling | None:
    """The sibling that a step selects, if it is near."""
    if step.axis not in AXES or not is_element_test(step.test):
        return None
    tests: list[ast.Expr] = []
    for predicate in step.predicates:
        if isinstance(predicate, ast.IntegerLiteral):
            if not 1 <= predicate.value <= MOST_SIBLINGS:
                return None
            return NearSibling(step.axis, step.test, tuple(tests), predicate.value)
        if not _is_of_start_tag(predicate):
            return None
        tests.append(predicate)
    return None


def children_of(scope: Scope, test: ast.NodeTest) -> NearSibling:
    """The children of a node's parent, or of another ancestor, that pass a test."""
    return NearSibling(EITHER_SIDE, test, (), ALL_SIBLINGS, scope)


def nearest_named(step: ast.AxisStep) -> Scope | None:
    """The scope of `ancestor::b[1]`."""
    if step.axis != "ancestor" or not isinstance(step.test, ast.NameTest):
        return None
    match step.predicates:
        case (ast.IntegerLiteral(value=1),):
            return Scope(0, step.test.name.expanded)
    return None


def counted_siblings(call: ast.Expr) -> tuple[ast.Expr | None, ast.AxisStep] | None:
    """count($x/preceding-sibling::a): its start (None for the context item), and the step."""
    match call:
        case ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(argument,)) if uri == FN:
            return siblings_before(argument)
    return None


def siblings_before(expr: ast.Expr) -> tuple[ast.Expr | None, ast.AxisStep] | None:
    """All preceding siblings of one node that start tags decide on."""
    match expr:
        case ast.AxisStep():
            start, step = None, expr
        case ast.Path(left=ast.VarRef() | ast.ContextItem() as left, right=ast.AxisStep() as right):
            start, step = left, right
        case _:
            return None
    if step.axis != "preceding-sibling" or not is_element_test(step.test):
        return None
    return (start, step) if all(map(_is_of_start_tag, step.predicates)) else None


def nearest(step: ast.AxisStep) -> ast.AxisStep:
    """The step to the nearest of the siblings only."""
    return replace(step, predicates=(*step.predicates, ast.IntegerLiteral(1)))


def sibling_label(test: ast.NodeTest, tests: tuple[ast.Expr, ...]) -> int:
    """The label of siblings that a test and predicates select."""
    return crc32(print_query(ast.AxisStep("child", test, tests)).encode())


def _is_of_start_tag(predicate: ast.Expr) -> bool:
    """Whether a predicate tests names, or an attribute and its value."""
    match predicate:
        case ast.AxisStep(axis="self", predicates=()):
            return isinstance(predicate.test, ast.NameTest)
        case ast.AxisStep(axis="attribute", predicates=()):
            return isinstance(predicate.test, ast.NameTest)
        case ast.Or(left=left, right=right):
            return _is_self(left) and _is_self(right)
        case ast.GeneralComparison(op="=", left=ast.AxisStep() as left, right=ast.StringLiteral()):
            return left.axis == "attribute" and isinstance(left.test, ast.NameTest) and not left.predicates
    return False


def _is_self(expr: ast.Expr) -> bool:
    match expr:
        case ast.Or(left=left, right=right):
            return _is_self(left) and _is_self(right)
        case ast.AxisStep(axis="self", predicates=()):
            return isinstance(expr.test, ast.NameTest)
    return False
