"""The paths by which a query reads its update streams: a variable replaces each path.

    for $q in stream("tickers")//ticker …      for $q in $path1 …, and $path1 is stream("tickers")//ticker
    //biblio[publisher = "Wiley"]/books        a condition on an element around
    stream("syn")//packet?[60]                 versions of the last step
    //a/b/text()                               elements, and a rest evaluated for each
    //b[c][2]                                  a place among the siblings that pass
    //b[c] except //b[d]                       one path: //b[c and not(d)]
    //c/../d                                   the upward step as a predicate: //*[c]/d (`upward_steps.py`)

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
from .expressions import call, conjoined
from .positions import Places, places_of
from .upward_steps import without_upward_steps

_COMPUTED = (ast.If, ast.SetOperation, ast.SequenceExpr, ast.Switch, ast.Typeswitch)
"""Steps whose nodes are computed from each element: `//item/(name | price)`."""
_STEPS = (ast.AxisStep, *PROJECTIONS, *_COMPUTED)
NAMESPACE = "urn:xylem:history"
"""Namespace of the variables for paths, and for values kept beside a loop."""
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
    """Further steps, evaluated for each element separately."""
    siblings: tuple[tuple[ast.Expr, ...], Places] | None = None
    """The requested places among the siblings that pass some predicates; `tests` are the predicates after these."""
    is_flat: bool = False
    """Whether the path is only correct while its elements do not nest."""
    written: ast.Expr | None = field(default=None, compare=False)

    @property
    def is_deep(self) -> bool:
        return any(step.is_deep for step in self.steps)


def projection_of(node: ast.Node) -> Projection | None:
    """The version or time that a projection selects; None if it is not a literal."""
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
        self.constants: frozenset[tuple[str, str]] = frozenset()
        """Prolog variables, which are the same for all elements."""

    def abstracted(self, body: ast.Expr) -> ast.Expr:
        """The body with a variable for each path that units can be built from."""
        return replaced(body, self._path)

    def _path(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, (ast.Path, ast.Filter, ast.SetOperation, *PROJECTIONS)):
            return None
        taken = self.taken(node)
        if taken is None:
            return None
        path, correlated = taken
        if not correlated:
            return self._variable(path, node)
        rest, path.rest = path.rest, ()
        path.is_flat = bool(rest)
        made = self._variable(path, node)
        # As a loop, so that the search for joins recognises it.
        item = ast.VarRef(ast.Name(f"match{len(self.paths)}", None, NAMESPACE), span=node.span)
        clauses: list[ast.Clause] = [ast.ForClause(item.name, None, made, span=node.span)]
        try:
            for predicate in correlated:
                test = Substitution({}, item).apply(self.abstracted(predicate))
                clauses.append(ast.WhereClause(test, span=predicate.span))
        except FocusInTheWay:
            return None
        result: ast.Expr = item
        for step in rest:
            result = ast.Path(result, step, span=step.span)
        return ast.Flwor(tuple(clauses), result, span=node.span)

    def _variable(self, path: InputPath, written: ast.Expr) -> ast.VarRef:
        path.written = written
        name = ast.Name(f"path{len(self.paths) + 1}", None, NAMESPACE)
        self.paths[name.expanded] = path
        return ast.VarRef(name, span=written.span)

    def taken(self, expr: ast.Expr) -> tuple[InputPath, tuple[ast.Expr, ...]] | None:
        """The path of an expression, and predicates after it that depend on variables or on other paths."""
        united = self._united(expr)
        if united is not None:
            return united, ()
        parts = _parts(expr)
        if parts is None:
            return None
        stream, steps = parts[0], without_upward_steps(parts[1])
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
            if test is None or (tests and made and not self._is_condition(tests)):
                break
            if tests:
                conditions.append((len(made) - 1, tests))
            made.append(Step(test, is_deep or plain.axis == "descendant"))
            if plain.axis == "descendant" and any(map(places_of, plain.predicates)):
                # A place among all descendants, not among siblings.
                return None
            is_deep = False
            tests = plain.predicates
            index += 1
            if projection is not None:
                return self._ended(stream, made, conditions, tests, projection, steps[index:])
        if not made:
            # `//text()` and `//@id`: nodes of any element, which has no path of its own.
            return None
        return self._ended(stream, made, conditions, tests, None, steps[index - is_deep :])

    def _ended(
        self,
        stream: str,
        steps: Sequence[Step],
        conditions: Sequence[tuple[int, tuple[ast.Expr, ...]]],
        tests: tuple[ast.Expr, ...],
        projection: Projection | None,
        rest: Sequence[ast.Expr],
    ) -> tuple[InputPath, tuple[ast.Expr, ...]] | None:
        siblings: tuple[tuple[ast.Expr, ...], Places] | None = None
        counted = [(index, places) for index, test in enumerate(tests) if (places := places_of(test)) is not None]
        if counted and projection is None:
            index, places = counted[0]
            siblings, tests = (tests[:index], places), tests[index + 1 :]
            if any(self._is_correlated(test) or not is_test(test) for test in siblings[0]):
                return None
        correlated: list[ast.Expr] = []
        if any(map(self._is_correlated, tests)):
            if not all(is_test(test) for test in tests):
                return None
            correlated = [test for test in tests if self._is_correlated(test)]
            tests = tuple(test for test in tests if not self._is_correlated(test))
        if any(self._is_correlated(test) for _, some in conditions for test in some):
            return None
        # A predicate that counts, or that looks around, does not concern a single element.
        if not all(is_test(test) and not uses_position(test) for test in tests):
            return None
        for number, some in conditions:
            if not all(is_test(test) for test in some) or any(step.is_deep for step in steps[number + 1 :]):
                return None
        if len(conditions) > 1 or any(map(self._is_correlated, rest)):
            return None
        path = InputPath(stream, tuple(steps), tuple(conditions), tests, projection, tuple(rest), siblings)
        return path, tuple(correlated)

    def _is_condition(self, tests: Sequence[ast.Expr]) -> bool:
        return all(is_test(test) and not self._is_correlated(test) for test in tests)

    def _is_correlated(self, expr: ast.Expr) -> bool:
        """Whether an expression depends on more than its element."""
        return not free_in(expr) <= self.constants or any(
            isinstance(node, ast.Root) or (isinstance(node, ast.FunctionCall) and node.name.expanded in STREAMS)
            for node in expr.walk()
        )

    def _united(self, expr: ast.Expr) -> InputPath | None:
        """The union, intersection or difference of two paths with the same steps, as one path."""
        rest: list[ast.Expr] = []
        while isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep):
            rest.insert(0, expr.right)
            expr = expr.left
        if not isinstance(expr, ast.SetOperation) or any(map(self._is_correlated, rest)):
            return None
        sides = [self._side(side) for side in (expr.left, expr.right)]
        left, right = sides
        if left is None or right is None or (left.stream, left.steps) != (right.stream, right.steps):
            return None
        if expr.op == "except" and not right.tests:
            return None
        tests = _combined(expr.op, left.tests, right.tests)
        return InputPath(left.stream, left.steps, tests=tests, rest=tuple(rest))

    def _side(self, expr: ast.Expr) -> InputPath | None:
        taken = self.taken(expr)
        if taken is None or taken[1]:
            return None
        path = taken[0]
        is_plain = not path.conditions and path.projection is None and not path.rest and path.siblings is None
        return path if is_plain and not path.is_flat else None


def _combined(op: str, left: tuple[ast.Expr, ...], right: tuple[ast.Expr, ...]) -> tuple[ast.Expr, ...]:
    """The predicates of a union, an intersection or a difference."""
    if op == "intersect":
        return (*left, *right)
    if op == "union":
        return (ast.Or(conjoined(left), conjoined(right), span=left[0].span),) if left and right else ()
    return (*left, call("not", conjoined(right)))


def _parts(expr: ast.Expr) -> tuple[str, list[ast.Expr]] | None:
    """The stream that a path begins at, and its steps."""
    steps: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, _STEPS) or (isinstance(expr.right, _COMPUTED) and uses_position(expr.right)):
            return None
        steps.append(expr.right)
        expr = expr.left
    stream = stream_name(expr)
    return None if stream is None or not steps else (stream, steps[::-1])


def stream_name(expr: ast.Expr) -> str | None:
    """The stream whose document node an expression is; '' for the only one, or for that of the context item."""
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
