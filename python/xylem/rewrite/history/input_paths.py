"""The paths by which a query reads its update streams: a variable replaces each path.

    for $q in stream("tickers")//ticker …      for $q in $path1 …, and $path1 is stream("tickers")//ticker
    //biblio[publisher = "Wiley"]/books        a condition on an element around
    stream("syn")//packet?[60]                 versions of the last step
    //a/b/text()                               elements, and a rest that is taken of each

A variable depends on no loop, so that joins are found whatever the path looks like (`rewrite/joins/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.history import NameTest, Projection, Step
from xylem.syntax import ast

from ..joins.candidates import is_test
from ..substitution import FocusInTheWay, Substitution

NAMESPACE = "urn:xylem:history"
"""Of the variables that stand for paths and for what is kept beside a loop."""
STREAMS = frozenset({(FN, "stream"), (PREFIXES["xylem"], "stream")})


@dataclass
class InputPath:
    """A path from the root of a stream."""

    stream: str
    steps: tuple[Step, ...]
    conditions: tuple[tuple[int, tuple[ast.Expr, ...]], ...] = ()
    """Predicates of steps before the last one, by the number of the step."""
    tests: tuple[ast.Expr, ...] = ()
    """Predicates of the last step."""
    projection: Projection | None = None
    rest: tuple[ast.Expr, ...] = ()
    """Further steps, that are taken of each element by itself."""
    written: ast.Expr | None = field(default=None, compare=False)

    @property
    def is_deep(self) -> bool:
        return any(step.is_deep for step in self.steps)


def projection_of(node: ast.Node) -> Projection | None:
    """What a projection chooses; None where that is not a literal."""
    match node:
        case ast.VersionProjection(version=ast.IntegerLiteral(value=value)):
            return Projection("#", str(value))
        case ast.VersionWindow(version=ast.IntegerLiteral(value=value)):
            return Projection("#[]", str(value))
        case ast.TimeProjection(seconds=ast.IntegerLiteral(value=value) | ast.DecimalLiteral(value=value)):
            return Projection("?", str(value))
        case ast.TimeWindow(seconds=ast.IntegerLiteral(value=value) | ast.DecimalLiteral(value=value)):
            return Projection("?[]", str(value))
    return None


class InputPaths:
    """Finds the paths of a query, and gives each a variable."""

    def __init__(self) -> None:
        self.paths: dict[tuple[str, str], InputPath] = {}

    def abstracted(self, body: ast.Expr) -> ast.Expr:
        """The body with a variable for each path that units can be made of."""
        return replaced(body, self._path)

    def _path(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, (ast.Path, ast.Filter, *PROJECTIONS)):
            return None
        taken = self.taken(node)
        if taken is None:
            return None
        path, correlated = taken
        made: ast.Expr = self._variable(path, node)
        if not correlated:
            return made
        # As a loop, so that a join is seen in it.
        item = ast.VarRef(ast.Name(f"match{len(self.paths)}", None, NAMESPACE), span=node.span)
        clauses: list[ast.Clause] = [ast.ForClause(item.name, None, made, span=node.span)]
        try:
            for predicate in correlated:
                test = Substitution({}, item).apply(self.abstracted(predicate))
                clauses.append(ast.WhereClause(test, span=predicate.span))
        except FocusInTheWay:
            return None
        return ast.Flwor(tuple(clauses), item, span=node.span)

    def _variable(self, path: InputPath, written: ast.Expr) -> ast.VarRef:
        path.written = written
        name = ast.Name(f"path{len(self.paths) + 1}", None, NAMESPACE)
        self.paths[name.expanded] = path
        return ast.VarRef(name, span=written.span)

    def taken(self, expr: ast.Expr) -> tuple[InputPath, tuple[ast.Expr, ...]] | None:
        """The path that an expression is, and predicates behind it that depend on variables."""
        parts = _parts(expr)
        if parts is None:
            return None
        stream, steps = parts
        made: list[Step] = []
        conditions: list[tuple[int, tuple[ast.Expr, ...]]] = []
        tests: tuple[ast.Expr, ...] = ()
        is_deep = False
        index = 0
        while index < len(steps):
            step = steps[index]
            plain, projection = _unprojected(step)
            if plain is None:
                break
            if _is_any_descendant(plain) and projection is None:
                is_deep = True
                index += 1
                continue
            test = _element_test(plain)
            if test is None or (tests and made and not _is_condition(tests)):
                break
            if tests:
                conditions.append((len(made) - 1, tests))
            made.append(Step(test, is_deep or plain.axis == "descendant"))
            is_deep = False
            tests = plain.predicates
            index += 1
            if projection is not None:
                return self._ended(stream, made, conditions, tests, projection, steps[index:])
        if not made:
            # `//text()` and `//@id`: nodes of any element, which has no path of its own.
            return None
        return self._ended(stream, made, conditions, tests, None, steps[index - is_deep :])

    @staticmethod
    def _ended(
        stream: str,
        steps: Sequence[Step],
        conditions: Sequence[tuple[int, tuple[ast.Expr, ...]]],
        tests: tuple[ast.Expr, ...],
        projection: Projection | None,
        rest: Sequence[ast.Expr],
    ) -> tuple[InputPath, tuple[ast.Expr, ...]] | None:
        correlated: list[ast.Expr] = []
        if any(free_in(test) for test in tests):
            if rest or projection is not None or not all(is_test(test) for test in tests):
                return None
            own = [test for test in tests if not free_in(test)]
            correlated = [test for test in tests if free_in(test)]
            tests = tuple(own)
        if any(free_in(test) for _, some in conditions for test in some):
            return None
        # One predicate that counts, or one that looks around, is not asked of an element by itself.
        if not all(is_test(test) and not uses_position(test) for test in tests):
            return None
        for number, some in conditions:
            if not all(is_test(test) for test in some) or any(step.is_deep for step in steps[number + 1 :]):
                return None
        if len(conditions) > 1 or any(free_in(step) for step in rest):
            return None
        path = InputPath(stream, tuple(steps), tuple(conditions), tests, projection, tuple(rest))
        return path, tuple(correlated)


def _is_condition(tests: Sequence[ast.Expr]) -> bool:
    return all(is_test(test) and not free_in(test) for test in tests)


def _parts(expr: ast.Expr) -> tuple[str, list[ast.Expr]] | None:
    """The stream a path begins at, and its steps."""
    steps: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, (ast.AxisStep, *PROJECTIONS)):
            return None
        steps.append(expr.right)
        expr = expr.left
    stream = stream_name(expr)
    return None if stream is None or not steps else (stream, steps[::-1])


def stream_name(expr: ast.Expr) -> str | None:
    """The stream whose document node an expression is; '' for the only one, or that of the context item."""
    match expr:
        case ast.Root():
            return ""
        case ast.FunctionCall(name=name, arguments=(ast.StringLiteral(value=value),)) if name.expanded in STREAMS:
            return value
    return None


def _unprojected(step: ast.Expr) -> tuple[ast.AxisStep | None, Projection | None]:
    if isinstance(step, ast.AxisStep):
        return step, None
    chosen = projection_of(step)
    base = getattr(step, "base", None)
    return (base, chosen) if chosen is not None and isinstance(base, ast.AxisStep) else (None, None)


def _is_any_descendant(step: ast.AxisStep) -> bool:
    return step.axis == "descendant-or-self" and isinstance(step.test, ast.AnyKindTest) and not step.predicates


def _element_test(step: ast.AxisStep) -> NameTest | None:
    if step.axis not in ("child", "descendant"):
        return None
    match step.test:
        case ast.NameTest(name=name):
            return NameTest(name.uri or "", name.local)
        case ast.Wildcard(prefix=None, uri=uri, local=local):
            return NameTest(uri, local)
        case ast.ElementTest(name=None, type=None):
            return NameTest()
        case ast.ElementTest(name=ast.Name() as name, type=None):
            return NameTest(name.uri or "", name.local)
    return None
