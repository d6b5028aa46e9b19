"""Check that a leaf reads only the buffers of its variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.looking_around import looks_beyond
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.analysis.statements import Statements
from xylem.functions.registry import PREFIXES
from xylem.functions.traits import ABOVE, ELSEWHERE
from xylem.plan.flux import ROOT
from xylem.plan.keyed_groups import PASS_NAMESPACE
from xylem.syntax import ast

ExpandedName = tuple[str, str]
_OURS = frozenset((*PREFIXES.values(), PASS_NAMESPACE))


class TooFar(Exception):
    """An expression looks at more of the document than the buffers of its variables hold."""


@dataclass(frozen=True)
class LeafLimits:
    """Checks expressions against the declarations of the query's prolog."""

    functions: Mapping[tuple[str, str, int], ast.FunctionDecl] = field(default_factory=dict)
    variables: Mapping[ExpandedName, ast.VariableDecl] = field(default_factory=dict)
    externals: Collection[ExpandedName] = ()
    """Functions written in Python: they cannot look further than their arguments."""
    statements: Statements = field(default_factory=Statements)
    """Variables that the program sets: an expression that depends on them stays in place."""

    @staticmethod
    def of(
        prolog: Iterable[ast.Declaration],
        externals: Collection[ExpandedName] = (),
        statements: Statements | None = None,
    ) -> LeafLimits:
        prolog = list(prolog)
        functions = {(*d.name.expanded, len(d.parameters)): d for d in prolog if isinstance(d, ast.FunctionDecl)}
        variables = {d.name.expanded: d for d in prolog if isinstance(d, ast.VariableDecl)}
        return LeafLimits(functions, variables, externals, statements or Statements())

    def check(self, expr: ast.Expr, streams: Collection[str]) -> None:
        """Raise TooFar unless the expression can be evaluated over the projections of its variables."""
        self._check_prolog(expr)
        read = stream_variables(expr, streams)
        # An expression that cannot be projected reads the whole document, which can be kept.
        # The end of an element must not come before items inside that wait for the end of another around it.
        is_outermost = len({ROOT, *streams}) == 2
        if not read <= {ROOT} and looks_beyond(expr, streams, is_result=True, may_wait=is_outermost):
            raise TooFar
        if len(read) > 1 and any(map(_compares_places, expr.walk())):
            raise TooFar

    def check_predicate(self, predicate: ast.Expr, streams: Collection[str]) -> None:
        """Check a predicate, whose focus is a node of the stream."""
        self._check_prolog(predicate)
        here = {("", name): Projection() for name in streams}
        focus = Projection()
        try:
            project(predicate, here, focus=focus, root=Projection())
        except NotProjectable:
            raise TooFar from None
        if focus.above is not None or any(projection.looks_above for projection in here.values()):
            raise TooFar

    def _check_prolog(self, expr: ast.Expr) -> None:
        """Check that functions and global variables of the query do not reach beyond the stream."""
        seen: set[object] = set()
        todo: list[ast.Node] = [expr]
        while todo:
            part = todo.pop()
            for read in free_in(part) if self.variables else ():
                self._follow_variable(read, seen, todo)
            for node in part.walk():
                match node:
                    case ast.FunctionCall(name=name, arguments=arguments):
                        self._follow_function((*name.expanded, len(arguments)), seen, todo)
                    case ast.NamedFunctionRef(name=name, arity=arity):
                        self._follow_function((*name.expanded, arity), seen, todo)

    def _follow_function(self, key: tuple[str, str, int], seen: set[object], todo: list[ast.Node]) -> None:
        if key in seen or key[0] in _OURS or key[:2] in self.externals:
            return
        seen.add(key)
        declared = self.functions.get(key)
        if declared is None:
            # It may read anything.
            raise TooFar
        if declared.body is None:
            return
        if any(map(_climbs, declared.body.walk())):
            raise TooFar
        todo.append(declared)

    def _follow_variable(self, key: ExpandedName, seen: set[object], todo: list[ast.Node]) -> None:
        declared = self.variables.get(key)
        if key in seen or declared is None or declared.value is None:
            return
        seen.add(key)
        if reads_focus(declared.value):
            raise TooFar
        todo.append(declared.value)


def stream_variables(expr: ast.Expr, streams: Collection[str]) -> set[str]:
    """The variables of the stream that an expression reads."""
    read = {node.name.expanded for node in expr.walk() if isinstance(node, ast.VarRef)}
    return {name for name in streams if ("", name) in read}


def _compares_places(node: ast.Node) -> bool:
    """Whether nodes of several variables may be compared by order or identity."""
    match node:
        case ast.NodeComparison() | ast.SetOperation():
            return True
        case ast.Path(left=left):
            while isinstance(left, (ast.Path, ast.Filter)):
                left = left.left if isinstance(left, ast.Path) else left.base
            return not isinstance(left, (ast.VarRef, ast.AxisStep, ast.ContextItem, ast.Root))
    return False


_UPWARD = {"parent", "ancestor", "ancestor-or-self", "following", "preceding", "following-sibling", "preceding-sibling"}


def _climbs(node: ast.Node) -> bool:
    match node:
        case ast.AxisStep(axis=axis):
            return axis in _UPWARD
        case ast.FunctionCall(name=name) | ast.NamedFunctionRef(name=name):
            return name.expanded in ABOVE | ELSEWHERE
    return isinstance(node, ast.Root)
