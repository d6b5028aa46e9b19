"""Loops over elements that span several ranges: aggregates of an element's content, and values of the element itself.

    for $r in /site/regions/* return <r name="{ name($r) }">{ count($r//item) }</r>

    in each range        for $r in /site/regions/* return [begins before?, goes on?, name($r), $r//item]
    from all of them     the states of an element that continues are merged with its states in the next range
    finish               function($name, $count) { <r name="{ $name }">{ $count }</r> }

Gain:   a document with a few large elements can be cut inside them; otherwise each element would be one task.
Needs:  the loop reads aggregates of paths into the element that can be divided, and otherwise only facts that a range
        knows of the elements around it; no order, groups or positions.
Safe:   every range knows the elements that are open at its beginning, in their order: the same elements are open at the
        end of the range before. Marks at both ends of a range identify them (`run/tasks/divided_task.py`).
"""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.analysis.reach import BeyondReach, Reach
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, MERGES
from xylem.plan.distribution import PartKind
from xylem.plan.spread import PART_NAMESPACE, RANGE_BEGINS, RANGE_ENDS, Grouping, Place, Use
from xylem.source.byte_ranges import Scope
from xylem.syntax import ast

from ..input_reads import ExpandedName
from ..not_spread import NotSpread
from ..scope_path import is_input_path, scoped_path
from ..substitution import Substitution
from .frame import Frame
from .frame_rewrites import converted, data_of
from .spreading import Loop
from .unsure_evaluation import cannot_fail, surely_evaluated

NOT_DIVIDED = "its elements cannot be divided themselves"


def divided(frame: Frame, expr: ast.Flwor) -> ast.Expr | None:
    """The part for such a loop; None for a loop without divided elements."""
    loop = frame.spreading.loop(expr)
    if loop.inner is not None or not is_input_path(loop.first.collection) or loop.first.position is not None:
        return None
    if not all(isinstance(clause, ast.WhereClause) for clause in loop.rest):
        return None
    parts = _Contents(frame, loop)
    finish = parts.taken_out(loop.result)
    if not parts.aggregates:
        return None
    around = {**frame.copies, loop.first.name.expanded: Reach.AROUND}
    try:
        for clause in loop.rest:
            assert isinstance(clause, ast.WhereClause)
            frame.analysis.of(clause.test, around)
        for value in parts.around:
            frame.analysis.read(value, around)
        frame.analysis.read(finish, frame.copies)
    except BeyondReach as beyond:
        raise NotSpread(beyond.why, beyond.node) from beyond
    if reads_item(finish):
        raise NotSpread(NOT_DIVIDED, expr)
    flags = (_holds(loop.first.name, RANGE_BEGINS), _holds(loop.first.name, RANGE_ENDS))
    members = ast.SquareArray((*flags, *parts.around, *parts.members), span=expr.span)
    body = ast.Flwor((*loop.head, loop.first, *loop.rest), members, span=expr.span)
    parameters = (*parts.names, *(name for name, _, _ in parts.aggregates))
    function = ast.InlineFunction((), tuple(map(ast.Parameter, parameters)), None, finish, span=expr.span)
    made = frame.closed(ast.Flwor(loop.head, function, span=expr.span) if loop.head else function)
    grouping = Grouping((), parts.names, tuple(parts.aggregates), made)
    told = ", ".join(function.rpartition("}")[2] + "()" for _, function, _ in parts.aggregates)
    why = f"each ${loop.first.name} is divided itself: {told} computed by range and merged"
    return frame.add(PartKind.AGGREGATE, expr, body, tuple(parts.scopes), Place(Use.ITEMS), grouping=grouping, why=why)


class _Contents:
    """The values read from an element: aggregates of its content, and values around its parts."""

    def __init__(self, frame: Frame, loop: Loop) -> None:
        self._frame = frame
        self._loop = loop
        self._element: ExpandedName = loop.first.name.expanded
        self._inner = bound_in(loop.result)
        self._sure: frozenset[int] = frozenset()
        self._scope = scoped_path(loop.first.collection, frame.analysis, frame.copies).scope
        self.aggregates: list[tuple[ast.Name, str, tuple[ast.Expr, ...]]] = []
        self.members: list[ast.Expr] = []
        self.around: list[ast.Expr] = []
        self.scopes: dict[Scope, None] = {}

    @property
    def names(self) -> tuple[ast.Name, ...]:
        return tuple(_name("around", number) for number in range(len(self.around)))

    def taken_out(self, result: ast.Expr) -> ast.Expr:
        """The result with variables in place of every expression that reads the element."""
        self._sure = surely_evaluated(result)
        made = replaced(result, self._aggregate)
        self._sure = surely_evaluated(made)
        made = replaced(made, self._value)
        if self._element in free_in(made):
            raise NotSpread(NOT_DIVIDED, result)
        return made

    def _reads_element(self, node: ast.Node) -> bool:
        free = free_in(node)
        return self._element in free and not free & self._inner

    def _aggregate(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.FunctionCall) or not node.arguments or not self._reads_element(node):
            return None
        argument, *others = node.arguments
        if any(self._element in free_in(other) for other in others):
            return None
        users = self._frame.user_aggregates.get(node.name.expanded)
        if users is None and node.name.expanded not in MERGES:
            return None
        if self._is_around(node):
            return None
        if id(node) not in self._sure and not cannot_fail(argument):
            raise NotSpread(NOT_DIVIDED, node)
        whole = Substitution({self._element: self._loop.first.collection}).apply(argument)
        spread = self._frame.spreading.spread(whole)
        if self._scope in spread.scopes:
            raise NotSpread(NOT_DIVIDED, node)
        self.scopes.update(dict.fromkeys(spread.scopes))
        name = _name("aggregate", len(self.aggregates))
        if users is not None:
            self.aggregates.append((name, f"Q{{{node.name.uri}}}{node.name.local}", ()))
            self.members.append(ast.SimpleMap(data_of(argument), converted(ast.ContextItem(), users[0])))
            return converted(ast.VarRef(name, span=node.span), users[1])
        self.aggregates.append((name, node.name.local, tuple(others)))
        self.members.append(argument if node.name.expanded in COUNTS else data_of(argument))
        return ast.VarRef(name, span=node.span)

    def _is_around(self, node: ast.Expr) -> bool:
        """Whether a part of a document knows everything it needs about the element around it."""
        try:
            self._frame.analysis.read(node, {**self._frame.copies, self._element: Reach.AROUND})
        except BeyondReach:
            return False
        return True

    def _value(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, (ast.Path, ast.FunctionCall)) or not self._reads_element(node):
            return None
        if free_in(node) & {name.expanded for name, _, _ in self.aggregates}:
            # Known when all ranges are known: other reads of the element are taken out separately.
            return None
        if id(node) not in self._sure and not cannot_fail(node):
            return None
        self.around.append(node)
        return ast.VarRef(self.names[-1], span=node.span)


def _name(kind: str, number: int) -> ast.Name:
    return ast.Name(f"{kind}{number + 1}", None, PART_NAMESPACE)


def _holds(element: ast.Name, mark: str) -> ast.Expr:
    """exists($element/descendant::processing-instruction(mark))."""
    step = ast.AxisStep("descendant", ast.PITest(mark))
    return ast.FunctionCall(ast.Name("exists", "fn", FN), (ast.Path(ast.VarRef(element), step),))
