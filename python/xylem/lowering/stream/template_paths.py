"""Paths of a query as paths of a template: down by names, to elements, their text nodes, or one of their attributes."""

from __future__ import annotations

from xylem.analysis.streamable_paths import is_descend
from xylem.plan.flux import Step
from xylem.plan.needs import node_test
from xylem.plan.result_template import Path, PathStep, ValueOf
from xylem.syntax import ast

Taken = tuple[Path, ValueOf | None, tuple[str, str] | None]
"""Elements by their path, or with `ValueOf` the nodes taken of each: text nodes, or the attribute named last."""


class NoTemplate(Exception):
    """Something that only code can do: what, and where in the query."""

    def __init__(self, what: str = "", node: ast.Expr | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.node = node


def with_all_attributes(expression: ast.Expr) -> ast.Expr | None:
    """The elements whose attributes an expression takes all: $o/line/@*."""
    match expression:
        case ast.Path(left=left, right=ast.AxisStep(axis="attribute", test=test, predicates=())):
            return left if isinstance(test, ast.Wildcard) and test.uri is None and test.local is None else None
    return None


def with_all_children(expression: ast.Expr) -> ast.Expr | None:
    """The elements whose children an expression takes all, of any kind: $o/line/node()."""
    match expression:
        case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.AnyKindTest(), predicates=())):
            return left
    return None


def key_of(name: ast.Name) -> str:
    """The key that identifies a variable."""
    return f"{{{name.uri}}}{name.local}" if name.uri else name.local


def taken_by(expression: ast.Expr) -> tuple[str, Taken]:
    """A path as an expression: the key of its variable, and the nodes that it selects."""
    steps: list[Step] = []
    while isinstance(expression, ast.Path):
        step = expression.right
        if not isinstance(step, ast.AxisStep) or step.predicates:
            raise NoTemplate("a path with predicates or calls", expression)
        if is_descend(step):
            # //a: the step after it selects descendants.
            if not steps or steps[-1].axis != "child":
                raise NoTemplate
            steps[-1] = Step(steps[-1].name, "descendant", steps[-1].test)
        else:
            steps.append(Step("", step.axis, step.test))
        expression = expression.left
    if not isinstance(expression, ast.VarRef):
        raise NoTemplate("a path that begins at no loop", expression)
    return key_of(expression.name), element_path(tuple(reversed(steps)))


def element_path(steps: tuple[Step, ...]) -> Taken:
    """The elements that the steps of a loop or handler select."""
    path: list[PathStep] = []
    for place, step in enumerate(steps):
        is_last = place == len(steps) - 1
        if step.predicates or (path and path[-1].descends and step.axis != "attribute"):
            # Below nested matches, the nodes of a further step are not in document order.
            raise NoTemplate
        match step.axis, node_test(step):
            case "child" | "descendant", ast.NameTest(name=name):
                path.append(PathStep(*name.expanded, step.axis == "descendant"))
            case "child" | "descendant", ast.Wildcard(uri=uri, local=local):
                path.append(PathStep(uri, local, step.axis == "descendant"))
            case "child", ast.TextTest() if is_last:
                return tuple(path), ValueOf.TEXT, None
            case "attribute", ast.NameTest(name=name) if is_last:
                return tuple(path), ValueOf.ATTRIBUTE, name.expanded
            case _:
                raise NoTemplate
    return tuple(path), None, None
