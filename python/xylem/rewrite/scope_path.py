"""Paths from the document, and the scope at which a document may be cut so that a path can be followed in its parts.

    /site/people/person[age > 30]/name      cut before each person: the predicate reads its content
    /site/people[@kind]/person/name         before each name: the others are open there, and their attributes are known
    /site/people/person[2]                  before each `people`: the position counts among its children

The scope is the longest prefix of the path such that the rest of the path reads only the item and the elements open
around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xylem.analysis.focus import uses_position
from xylem.analysis.reach import COPIES, BeyondReach, Reach, ReachAnalysis, Variables
from xylem.analysis.streamable_paths import is_descend, is_element_test, is_test
from xylem.source.byte_ranges import PathStep, Scope
from xylem.syntax import ast


@dataclass(frozen=True)
class ScopedPath:
    """A path from the document with the scope it can be cut at."""

    scope: Scope
    reach: Reach
    """The reach of its nodes, seen from an element of the scope."""
    is_nested: bool
    """Whether its nodes may be nested."""


def flattened(expr: ast.Expr) -> tuple[ast.Expr, list[ast.Expr]]:
    """The start of a path and the part after each `/`; the predicate of a whole path remains its Filter.

    A filter that is itself a step, as in `a/(b | c)[1]`, is in parentheses: it does not apply to the whole path.
    """
    parts: list[ast.Expr] = []
    while isinstance(expr, (ast.Path, ast.Filter)):
        if isinstance(expr, ast.Path):
            step = expr.right
            parts.append(ast.SequenceExpr((step,), span=step.span) if isinstance(step, ast.Filter) else step)
            expr = expr.left
        else:
            parts.append(expr)
            expr = expr.base
    return expr, parts[::-1]


def is_input_path(expr: ast.Expr) -> bool:
    """Whether an expression is a path that starts at the document."""
    start, parts = flattened(expr)
    return isinstance(start, ast.Root) and bool(parts)


def scoped_path(expr: ast.Expr, analysis: ReachAnalysis, variables: Variables) -> ScopedPath:
    """The scope of a path from the document; BeyondReach gives the reason if there is none."""
    _, parts = flattened(expr)
    failure: BeyondReach | None = None
    for used, scope in reversed(list(_beginnings(parts))):
        try:
            _check_beginning(parts[:used], analysis, variables)
            reach = _followed(parts[used:], analysis, variables)
        except BeyondReach as beyond:
            failure = failure or beyond
            continue
        is_flat = used == len(parts) and all(axis == "child" for axis, _, _ in scope)
        return ScopedPath(scope, reach, not is_flat)
    raise failure or BeyondReach("it asks for the document as a whole, or for all of its nodes", expr)


def _beginnings(parts: list[ast.Expr]) -> Iterator[tuple[int, Scope]]:
    """Every beginning of a path that leads to elements: its number of parts, and its steps."""
    steps: list[PathStep] = []
    descends = False
    for index, part in enumerate(parts):
        if isinstance(part, ast.AxisStep) and is_descend(part):
            descends = True
        elif isinstance(part, ast.AxisStep) and part.axis in ("child", "descendant") and is_element_test(part.test):
            steps.append(("descendant" if descends else part.axis, *_named(part.test)))
            descends = False
            yield index + 1, tuple(steps)
        elif isinstance(part, ast.Filter) and steps and not descends:
            # A predicate on the whole path tests the elements reached so far.
            yield index + 1, tuple(steps)
        else:
            return


def _named(test: ast.Node) -> tuple[str | None, str | None]:
    match test:
        case ast.NameTest(name=name) | ast.ElementTest(name=ast.Name() as name):
            return name.expanded
        case ast.Wildcard(uri=uri, prefix=prefix, local=local):
            return (uri or "") if prefix is not None or uri is not None else None, local
    return None, None


def _check_beginning(parts: list[ast.Expr], analysis: ReachAnalysis, variables: Variables) -> None:
    """Check the predicates up to the scope: those before its elements see them open, the others see an item."""
    last = max(index for index, part in enumerate(parts) if isinstance(part, ast.AxisStep))
    for index, part in enumerate(parts):
        reach = Reach.AROUND if index < last else Reach.ITEM
        for predicate in _predicates(part):
            if not is_test(predicate):
                raise BeyondReach("a position counts items that may be in other parts of the document", predicate)
            analysis.of(predicate, variables, reach)


def _predicates(part: ast.Expr) -> Iterable[ast.Expr]:
    if isinstance(part, ast.AxisStep):
        return part.predicates
    return (part.predicate,) if isinstance(part, ast.Filter) else ()


def _followed(parts: list[ast.Expr], analysis: ReachAnalysis, variables: Variables) -> Reach:
    """The elements that the rest of a path selects, from an element of its scope."""
    reach = Reach.ITEM
    for part in parts:
        if isinstance(part, ast.Filter):
            if not is_test(part.predicate):
                raise BeyondReach("a position counts over the whole input", part.predicate)
            analysis.of(part.predicate, variables, reach)
        elif not isinstance(part, ast.AxisStep) and uses_position(part):
            raise BeyondReach("a position counts over the whole input", part)
        else:
            reach = analysis.of(part, variables, reach)
        if reach & (Reach.AROUND | Reach.AROUND_ATTRIBUTE | COPIES):
            raise BeyondReach("it comes to the same node from several items, and takes it once", part)
    return reach
