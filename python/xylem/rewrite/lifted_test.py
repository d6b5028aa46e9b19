"""Turn a test of an element into a test of its parent: `../meta/year = "2020"` becomes `meta/year = "2020"`.

Every path of the test that starts at the element must begin with a step to the parent; other paths do not change. If
the step names the parent, the parent must have that name: `parent::b/x = 1` is `x = 1` of a parent that is a `b`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xylem.analysis.facts.conjuncts import conjunction
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.streamable_paths import is_descend, is_element_test
from xylem.syntax import ast

from .step_lists import has_only_tests, local_name


@dataclass(frozen=True)
class Lifted:
    """A test in terms of the parent."""

    test: ast.Expr | None
    """The condition on the parent; None if only its name counts."""
    parent: ast.NodeTest
    """The required name; any node if the test names none."""


class _Stays(Exception):
    """The test reads the element itself."""


def lifted(test: ast.Expr) -> Lifted | None:
    """The test as a condition on the parent; None if it reads more than the parent."""
    if uses_position(test) or not reads_focus(test):
        return None
    if isinstance(test, ast.AxisStep) and test.axis == "parent" and has_only_tests(test):
        return Lifted(conjunction(test.predicates), test.test)
    lift = _Lift()
    try:
        made = lift.up(test)
    except _Stays:
        return None
    if not lift.named:
        return Lifted(made, ast.AnyKindTest())
    # Every path requires the same name, and without it finds nothing: the whole test is false.
    first = lift.named[0]
    if len(lift.named) != lift.paths or any(other != first for other in lift.named) or not _needs_all(test):
        return None
    return Lifted(made, first)


@dataclass
class _Lift:
    named: list[ast.NodeTest] = field(default_factory=list)
    paths: int = 0

    def up(self, expr: ast.Expr) -> ast.Expr:
        if not reads_focus(expr):
            return expr
        match expr:
            case ast.Path() | ast.AxisStep():
                return self._path(expr)
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                return replace(expr, left=self.up(left), right=self.up(right))
            case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
                return replace(expr, left=self.up(left), right=self.up(right))
            case ast.Arithmetic(left=left, right=right):
                return replace(expr, left=self.up(left), right=self.up(right))
            case ast.FunctionCall(arguments=arguments) if arguments:
                made = replace(expr, arguments=tuple(map(self.up, arguments)))
                literal = ast.StringLiteral("")
                if reads_focus(replace(expr, arguments=(literal,) * len(arguments))):
                    # It reads the context item directly.
                    raise _Stays
                return made
        raise _Stays

    def _path(self, expr: ast.Expr) -> ast.Expr:
        parts: list[ast.Expr] = []
        while isinstance(expr, ast.Path):
            parts.append(expr.right)
            expr = expr.left
        parts.reverse()
        if not isinstance(expr, ast.AxisStep) or expr.axis != "parent" or not has_only_tests(expr):
            raise _Stays
        self.paths += 1
        if is_element_test(expr.test):
            self.named.append(expr.test)
        elif not isinstance(expr.test, ast.AnyKindTest):
            raise _Stays
        if expr.predicates or (parts and not isinstance(parts[0], ast.AxisStep)):
            raise _Stays
        if not parts:
            return ast.ContextItem(span=expr.span)
        if is_descend(parts[0]):
            # `..//x` of the parent is `.//x` there.
            parts.insert(0, ast.ContextItem(span=expr.span))
        made = parts[0]
        for part in parts[1:]:
            made = ast.Path(made, part, span=part.span)
        return made


def _needs_all(test: ast.Expr) -> bool:
    """Whether a test fails if its paths find nothing."""
    match test:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            return _needs_all(left) and _needs_all(right)
        case ast.GeneralComparison() | ast.Path() | ast.AxisStep():
            return True
    return argument_of(test, "exists") is not None


def fails_for_document(test: ast.Expr | None, child: ast.AxisStep) -> bool:
    """Whether a test fails for the document node, whose element a child step finds.

    The document has no attributes, no parent, and no other element among its children.
    """
    match test:
        case ast.And(left=left, right=right):
            return fails_for_document(left, child) or fails_for_document(right, child)
        case ast.Or(left=left, right=right):
            return fails_for_document(left, child) and fails_for_document(right, child)
        case ast.GeneralComparison(left=left, right=right):
            return fails_for_document(left, child) or fails_for_document(right, child)
        case ast.Path(left=left):
            return fails_for_document(left, child)
        case ast.AxisStep(axis="attribute" | "parent" | "ancestor"):
            return True
        case ast.AxisStep(axis="child"):
            name, other = local_name(test), local_name(child)
            return name is not None and other is not None and name != other
        case ast.FunctionCall():
            found = argument_of(test, "exists")
            return found is not None and fails_for_document(found, child)
    return False
