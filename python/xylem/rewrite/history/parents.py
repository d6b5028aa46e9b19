"""Turn loops that read the ancestors of their items into loops over these ancestors.

    for $q in //ticker/quote return $q/../name      for $t in //ticker for $q in $t/quote return $t/name

Gain:   everything that the body reads is inside one element, so an update finds its unit.
Needs:  the steps that lead from the element to the item are named children, and the variable is bound once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xylem.analysis.ast_replacement import replaced
from xylem.plan.history import Step
from xylem.syntax import ast

from .input_paths import InputPath

N = TypeVar("N", bound=ast.Node)
_BINDERS = (
    ast.ForClause,
    ast.LetClause,
    ast.WindowClause,
    ast.CountClause,
    ast.GroupingSpec,
    ast.QuantifiedBinding,
    ast.Parameter,
)


def levels_above(nodes: Sequence[ast.Node], name: ast.Name) -> int:
    """The number of levels above a variable's item that some expressions read; 0 if its name is ambiguous."""
    most = 0
    for node in (each for one in nodes for each in one.walk()):
        if isinstance(node, _BINDERS) and node.name.expanded == name.expanded:
            return 0
        most = max(most, _level(node, name) or 0)
    return most


def from_above(node: N, name: ast.Name, above: Sequence[ast.Name]) -> N:
    """The ancestors of an item by their own variables, nearest first."""

    def by(one: ast.Node) -> ast.Node | None:
        level = _level(one, name)
        if not level or level > len(above):
            return None
        assert isinstance(one, ast.Path) and isinstance(one.right, ast.AxisStep)
        variable = ast.VarRef(above[level - 1], span=one.span)
        if isinstance(one.right.test, ast.AnyKindTest):
            return variable
        return ast.Path(variable, ast.AxisStep("self", one.right.test, span=one.right.span), span=one.span)

    return replaced(node, by)


def _level(node: ast.Node, name: ast.Name) -> int | None:
    """0 for the variable itself, 1 for `$x/..`, 2 for `$x/../..`; None for anything else."""
    match node:
        case ast.VarRef() if node.name.expanded == name.expanded:
            return 0
        case ast.Path(left=left, right=ast.AxisStep(axis="parent", predicates=())):
            below = _level(left, name)
            return None if below is None else below + 1
    return None


def raised(path: InputPath, levels: int) -> tuple[InputPath, list[ast.AxisStep]] | None:
    """The path to the elements some levels above, and the steps down from them; None if there are none."""
    kept = len(path.steps) - levels
    if kept < 1 or path.projection is not None or path.siblings is not None or path.rest:
        return None
    if path.is_flat or any(step.is_deep for step in path.steps[kept:]):
        return None
    predicates = dict(path.conditions)
    predicates[len(path.steps) - 1] = path.tests
    down = [_step(path.steps[index], predicates.get(index, ())) for index in range(kept, len(path.steps))]
    conditions = tuple((index, tests) for index, tests in path.conditions if index < kept - 1)
    above = InputPath(path.stream, path.steps[:kept], conditions, predicates.get(kept - 1, ()), written=path.written)
    return above, down


def _step(step: Step, predicates: tuple[ast.Expr, ...]) -> ast.AxisStep:
    uri, local = step.test.uri, step.test.local
    test: ast.NodeTest
    if uri is not None and local is not None:
        test = ast.NameTest(ast.Name(local, None, uri))
    else:
        test = ast.Wildcard(None, uri, local)
    return ast.AxisStep("child", test, predicates)
