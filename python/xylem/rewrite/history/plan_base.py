"""The base of the planner: sources, functions, kept values, and expressions that no function may contain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xylem.analysis.free_variables import free_in
from xylem.analysis.history.lengths import lengths
from xylem.analysis.history.operands import PROJECTIONS
from xylem.errors import Span
from xylem.plan import history as plan
from xylem.syntax import ast

from .expressions import ExpandedName, NoOperator, path_from, text_of
from .input_paths import NAMESPACE, STREAMS, InputPaths, projection_of
from .locality import is_timeline, looks_back, may_be_time, reason_to_leave
from .scopes import Scope


@dataclass
class Beside:
    """The values that a function reads beside its unit, as further parameters."""

    planner: PlanBase
    holes: list[plan.Operator] = field(default_factory=list)
    lookups: list[plan.Lookup] = field(default_factory=list)
    _hole_names: list[ast.Name] = field(default_factory=list)
    _lookup_names: list[ast.Name] = field(default_factory=list)

    @property
    def names(self) -> list[ast.Name]:
        """The parameters: holes first, then lookups."""
        return [*self._hole_names, *self._lookup_names]

    @property
    def given(self) -> list[plan.Operator | plan.Lookup]:
        return [*self.holes, *self.lookups]

    def hole(self, operator: plan.Operator, span: Span) -> ast.VarRef:
        self.holes.append(operator)
        return self._variable("hole", self._hole_names, span)

    def lookup(self, lookup: plan.Lookup, span: Span) -> ast.VarRef:
        self.lookups.append(lookup)
        return self._variable("lookup", self._lookup_names, span)

    def _variable(self, kind: str, names: list[ast.Name], span: Span) -> ast.VarRef:
        name = ast.Name(f"{kind}{self.planner.fresh()}", None, NAMESPACE)
        names.append(name)
        return ast.VarRef(name, span=span)


def _unsafe_functions(prolog: Sequence[ast.Declaration]) -> dict[tuple[str, str], str]:
    """Why functions that are not inlined read more than their arguments hold, directly or through other functions."""
    bodies = {
        declaration.name.expanded: declaration.body
        for declaration in prolog
        if isinstance(declaration, ast.FunctionDecl) and declaration.body is not None
    }
    found: dict[tuple[str, str], str] = {}
    for name, body in bodies.items():
        why = reason_to_leave(body)
        if why is not None:
            found[name] = why[0]
        elif looks_back(body) or any(map(may_be_time, body.walk())):
            found[name] = "it asks for versions"
    grows = True
    while grows:
        grows = False
        for name, body in bodies.items():
            called = [n.name.expanded for n in body.walk() if isinstance(n, (ast.FunctionCall, ast.NamedFunctionRef))]
            why_called = next((found[one] for one in called if one in found), None)
            if name not in found and why_called is not None:
                found[name] = why_called
                grows = True
    return found


class PlanBase(ABC):
    """The state of a planner."""

    def __init__(
        self,
        prolog: Sequence[ast.Declaration],
        is_empty_greatest: bool,
        finds_joins: bool,
        scopes: Mapping[ExpandedName, Scope],
    ) -> None:
        """`scopes`: parts that are evaluated from scratch, by their variables."""
        self.prolog = prolog
        self.is_empty_greatest = is_empty_greatest
        self.finds_joins = finds_joins
        self.scopes = scopes
        self.paths = InputPaths()
        self.sources: list[plan.Source] = []
        self.functions: list[ast.InlineFunction] = []
        self.kept: list[plan.Kept] = []
        self.notes: list[tuple[Span | None, str]] = []
        self.takes_together = False
        """Whether results are combined with those of other turns of the loop."""
        self._number = 0
        self._unsafe = _unsafe_functions(prolog)

    def fresh(self) -> int:
        self._number += 1
        return self._number

    # --- questions

    def _reads_paths(self, node: ast.Node) -> bool:
        return any(
            isinstance(one, ast.VarRef) and (one.name.expanded in self.paths.paths or one.name.expanded in self.scopes)
            for one in node.walk()
        )

    def _reads_input(self, node: ast.Node) -> bool:
        return self._reads_paths(node) or any(
            isinstance(one, ast.Root) or (isinstance(one, ast.FunctionCall) and one.name.expanded in STREAMS)
            for one in node.walk()
        )

    def is_closed(self, node: ast.Node) -> bool:
        """Whether an expression reads only global variables."""
        declared = {d.name.expanded for d in self.prolog if isinstance(d, ast.VariableDecl)}
        return free_in(node) <= self.paths.paths.keys() | self.scopes.keys() | declared

    def scope(self, name: ast.Name) -> plan.Scope:
        """The expression for a part that is evaluated from scratch."""
        found = self.scopes[name.expanded]
        number = list(self.scopes).index(name.expanded)
        return plan.Scope(number, found.why.why, found.expression.span)

    # --- histories that are kept

    def keep_values(self, chosen: plan.Projection, expr: ast.Expr) -> None:
        """The history of a value."""
        self._note_kept(chosen, "", (), expr, "T")

    def _keep_projected(
        self, chosen: plan.Projection, stream: str, steps: tuple[plan.Step, ...], expr: ast.Expr
    ) -> None:
        self._note_kept(chosen, stream, steps, expr, "S")

    def _note_kept(
        self, chosen: plan.Projection, stream: str, steps: tuple[plan.Step, ...], expr: ast.Expr, rule: str
    ) -> None:
        by_time = chosen.sign.startswith("?")
        versions = 0 if by_time else int(chosen.amount) + 1
        seconds = chosen.amount if by_time else None
        self.kept.append(plan.Kept(stream, steps, versions, seconds, text_of(expr), expr.span, rule))

    def _keep(
        self,
        body: ast.Expr,
        unit: ast.Name,
        stream: str,
        steps: tuple[plan.Step, ...],
        lookups: Sequence[plan.Lookup] = (),
    ) -> None:
        """The histories that a function reads, of its unit and of its lookups."""
        for node in body.walk():
            if isinstance(node, PROJECTIONS) and is_timeline(node):
                raise NoOperator("the history of a value of each turn of a loop", node)
        lets = {node.name.expanded for node in body.walk() if isinstance(node, ast.LetClause)}
        starts = {unit.expanded: (stream, steps)}
        starts |= {one.variable: (one.loop.source.stream, one.loop.source.steps) for one in lookups}
        for length in lengths(body, list(starts)):
            base = getattr(length.projection, "base", None)
            of = base.name.expanded if isinstance(base, ast.VarRef) else None
            if of in lets:
                raise NoOperator("a projection of a `let` variable", length.projection)
            if not length.path and of != unit.expanded:
                raise NoOperator("versions of an element that is not the one of the loop", length.projection)
            chosen = projection_of(length.projection)
            if chosen is None:
                raise NoOperator("a projection whose number is not a literal", length.projection)
            inside = tuple(
                plan.Step(plan.NameTest() if one.name is None else plan.NameTest(*one.name), one.is_deep)
                for one in length.path
            )
            of_stream, around = starts[length.variable]
            self._keep_projected(chosen, of_stream, (*around, *inside), length.projection)

    # --- functions

    def check(self, expr: ast.Expr, beside: Beside | None = None) -> None:
        """With `beside`, check an expression of one unit and its additional inputs."""
        is_alone = beside is not None and not looks_back(expr)
        if is_alone and beside is not None:
            is_alone = not any(
                isinstance(one, (plan.Lookup, plan.Loop, plan.Slice, plan.Scope)) for one in beside.given
            )
        found = reason_to_leave(expr, is_alone=is_alone)
        if found is not None:
            raise NoOperator(*found)
        for node in expr.walk():
            if isinstance(node, (ast.FunctionCall, ast.NamedFunctionRef)):
                why = self._unsafe.get(node.name.expanded)
                if why is not None:
                    raise NoOperator(f"{node.name.local}(): {why}", node)
            elif isinstance(node, ast.VarRef) and self._reads_paths(node):
                raise NoOperator("it reads a path in a way that no operator follows", node)
            elif may_be_time(node):
                raise NoOperator("`?` with a number may be a time", node)

    def _check_mixed(self, expr: ast.Expr, beside: Beside) -> None:
        """Refuse paths that start at items of a loop that are held together: these are in separate trees."""
        mixed = {
            name.expanded
            for name, one in zip(beside.names, beside.given, strict=True)
            if isinstance(one, (plan.Loop, plan.Scope)) or (isinstance(one, plan.Slice) and not one.is_single)
        }
        found = path_from(expr, mixed)
        if found is not None:
            raise NoOperator("a path from items that were put together", found)
        # Their trees hold the newest version alone, and they are not evaluated again when time passes.
        starts = {*free_in(expr), *(one.variable for one in beside.lookups)} if looks_back(expr) else ()
        for length in lengths(expr, list(starts)):
            if length.variable in mixed:
                raise NoOperator("versions of items that were put together", length.projection)

    def function(self, names: Sequence[ast.Name], body: ast.Expr, *, is_unit: bool = False) -> int:
        element = ast.SequenceTypeNode(ast.ElementTest()) if is_unit else None
        parameters = tuple(ast.Parameter(name, element if index == 0 else None) for index, name in enumerate(names))
        self.functions.append(ast.InlineFunction((), parameters, None, body, span=body.span))
        return len(self.functions) - 1

    # --- implemented by the other parts

    @abstractmethod
    def _fold(self, expr: ast.Expr) -> plan.Operator | None: ...

    @abstractmethod
    def _slice(self, expr: ast.Expr) -> plan.Operator | None: ...

    @abstractmethod
    def _computed(self, expr: ast.Expr) -> plan.Operator: ...

    @abstractmethod
    def _windows(
        self,
        clause: ast.WindowClause,
        rest: Sequence[ast.Clause],
        result: ast.Expr,
        expr: ast.Expr,
        fold: str | None,
        *,
        is_single: bool = False,
    ) -> plan.Loop | None: ...

    @abstractmethod
    def _loop(self, expr: ast.Expr, fold: str | None = None) -> plan.Loop | None: ...
