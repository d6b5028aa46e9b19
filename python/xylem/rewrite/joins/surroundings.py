"""The context of an expression: the loops around it, the dependences of their variables, and the focus.

Each loop around an expression adds one level of depth: a `for`, the items of a path inside a predicate or after `!`,
the body of a function, which may be called any number of times. An expression is as deep as the deepest value it reads:
if it is less deep than its place, it has the same value in several turns of a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xylem.analysis.focus import reads_focus, reads_item
from xylem.analysis.free_variables import free_in
from xylem.functions.library import look_up
from xylem.syntax import ast

from ..substitution import Substitution

ExpandedName = tuple[str, str]


@dataclass(frozen=True)
class FocusFacts:
    """The number of loops that the context item depends on, and the root of its tree."""

    depth: int = 0
    is_in_input: bool = True
    """Whether its root is that of the initial context item: then a leading `/` reads nothing of the outer loops."""


@dataclass(frozen=True)
class Surroundings:
    """The facts known at one place of an expression."""

    depth: int = 0
    depths: Mapping[ExpandedName, int] = field(default_factory=dict)
    focus: FocusFacts = FocusFacts()
    lets: Mapping[ExpandedName, ast.Expr] = field(default_factory=dict)
    """Variables bound by `let` to a value less deep than the `let`, or starting at the same node at many turns."""
    in_input: frozenset[ExpandedName] = frozenset()
    """Variables that hold one node each, in the tree of the initial context item."""
    many: frozenset[ExpandedName] = frozenset()
    """Variables that may hold several items."""
    single: frozenset[ExpandedName] = frozenset()
    """Variables that hold one item each."""
    anchors: frozenset[ExpandedName] = frozenset()
    """Variables that are bound at each turn, but often to the same node."""
    parameters: frozenset[ExpandedName] = frozenset()
    """Parameters of the enclosing functions."""

    @staticmethod
    def of_function(parameters: tuple[ast.Parameter, ...]) -> Surroundings:
        """The body of a function, which has no focus."""
        names = {parameter.name.expanded: 1 for parameter in parameters}
        return Surroundings(1, names, FocusFacts(1, False), parameters=frozenset(names))

    @staticmethod
    def of_loops(is_in_loop: Mapping[ExpandedName, bool], single: frozenset[ExpandedName]) -> Surroundings:
        """Code for each item of a stream: the names bound at each turn of a loop, and which of them to one item."""
        depths = {name: 2 if is_inner else 1 for name, is_inner in is_in_loop.items()}
        is_loop = any(is_in_loop[name] for name in single)
        return Surroundings(2 if is_loop else 1, depths, FocusFacts(1, False), single=single)

    # --- going inside

    def in_loop(self, *names: ast.Name | None, over: ast.Expr | None = None) -> Surroundings:
        """Inside a loop that binds these names, each to one item; the first to the items of `over`."""
        bound = [name.expanded for name in names if name is not None]
        inner = self._bound(bound, self.depth + 1)
        if over is not None:
            inner = replace(inner, single=inner.single.union(bound))
            if bound and self.is_in_input(over):
                inner = replace(inner, in_input=inner.in_input | {bound[0]})
        return replace(inner, depth=self.depth + 1)

    def with_let(self, name: ast.Name, value: ast.Expr, may_repeat: bool) -> Surroundings:
        """The surroundings after a `let`; with `may_repeat`, the value may replace the variable."""
        settled = self.settled(value)
        inner = self._bound([name.expanded], self.depth)
        if may_repeat and (self.depth_of(settled) < self.depth or _goes_up(settled)):
            inner = replace(inner, lets={**inner.lets, name.expanded: settled})
        if self.is_one_item(value):
            inner = replace(inner, single=inner.single | {name.expanded})
            if self.is_in_input(value):
                inner = replace(inner, in_input=inner.in_input | {name.expanded})
        return replace(inner, many=inner.many | {name.expanded}) if may_be_many(value) else inner

    def with_anchor(self, name: ast.Name) -> Surroundings:
        """After a variable that holds the same node at many turns of the enclosing loop."""
        inner = self._bound([name.expanded], self.depth - 1)
        return replace(inner, single=inner.single | {name.expanded}, anchors=inner.anchors | {name.expanded})

    def with_sequences(self, *names: ast.Name | None) -> Surroundings:
        """After a clause that binds these names in another way."""
        return self._bound([name.expanded for name in names if name is not None], self.depth)

    def in_focus_of(self, items: ast.Expr) -> Surroundings:
        """The surroundings in which each of the items is the context item in turn."""
        focus = FocusFacts(self.depth + 1, self.is_in_input(items))
        return replace(self, depth=self.depth + 1, focus=focus)

    def in_function(self, parameters: tuple[ast.Parameter, ...]) -> Surroundings:
        """In the body of a function item: it may be called often, and has no focus."""
        names = [parameter.name.expanded for parameter in parameters]
        inner = self._bound(names, self.depth + 1)
        focus = FocusFacts(self.depth + 1, False)
        return replace(inner, depth=self.depth + 1, focus=focus, parameters=inner.parameters.union(names))

    def _bound(self, names: list[ExpandedName], depth: int) -> Surroundings:
        taken = set(names)
        # A value that reads a rebound name means another variable.
        lets = {name: value for name, value in self.lets.items() if name not in taken and not free_in(value) & taken}
        depths = {**self.depths, **dict.fromkeys(names, depth)}
        return replace(
            self,
            depths=depths,
            lets=lets,
            in_input=self.in_input - taken,
            many=self.many - taken,
            single=self.single - taken,
            anchors=self.anchors - taken,
            parameters=self.parameters - taken,
        )

    # --- dependences of expressions

    def depth_of(self, expr: ast.Expr) -> int:
        """The number of surrounding loops that its value depends on."""
        found = max((self.depths.get(name, 0) for name in free_in(expr)), default=0)
        if reads_item(expr) or (reads_focus(expr) and not self.focus.is_in_input):
            found = max(found, self.focus.depth)
        return found

    def settled(self, expr: ast.Expr) -> ast.Expr:
        """The expression with the values substituted for variables that are bound deeper than these."""
        known = {name: self.lets[name] for name in free_in(expr) if name in self.lets}
        return Substitution(known).apply(expr) if known else expr

    def is_one_item(self, value: ast.Expr) -> bool:
        """Whether a value is the context item, or a variable that holds one item."""
        return isinstance(value, ast.ContextItem) or (
            isinstance(value, ast.VarRef) and value.name.expanded in self.single
        )

    def is_in_input(self, items: ast.Expr) -> bool:
        """Whether all items are nodes in the tree of the initial context item."""
        while True:
            match items:
                case ast.Path(left=left, right=ast.AxisStep()) | ast.SimpleMap(left=left, right=ast.AxisStep()):
                    items = left
                case ast.Filter(base=base):
                    items = base
                case ast.Flwor(clauses=(ast.JoinClause() as join, *_), result=ast.VarRef(name=given)):
                    if join.name != given:
                        return False
                    items = join.collection
                case ast.Root() | ast.AxisStep() | ast.ContextItem():
                    return self.focus.is_in_input
                case ast.VarRef(name=name):
                    return name.expanded in self.in_input
                case ast.SequenceExpr(items=parts):
                    return all(map(self.is_in_input, parts))
                case _:
                    return False


_MANY = (ast.Path, ast.AxisStep, ast.Filter, ast.Flwor, ast.SimpleMap, ast.SetOperation, ast.SequenceExpr)


def _goes_up(value: ast.Expr) -> bool:
    """Whether a path goes up from a variable: its result may be the same at many turns."""
    steps = [node for node in value.walk() if isinstance(node, ast.AxisStep)]
    return isinstance(value, ast.Path) and any(step.axis in ast.UPWARDS for step in steps) and not reads_focus(value)


def may_be_many(value: ast.Expr) -> bool:
    """Whether a value may be many items, judged by its form."""
    if isinstance(value, ast.FunctionCall):
        known = look_up(*value.name.expanded, len(value.arguments))
        return known is not None and known.returns.endswith("*")
    return isinstance(value, _MANY)
