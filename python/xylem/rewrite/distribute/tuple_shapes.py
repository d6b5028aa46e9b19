"""Loops that relate tuples of different items: sorted, grouped, or numbered.

for $p in //person order by $p/age return E          each task gives [E, age]; shuffled by age
for $p in //person group by $c := $p/city return E   tasks give [city, …]; shuffled by city, E for each group
for $p at $i in //person return E                    an earlier stage counts the items of each part
for $p in //person where … count $n return E         the same for tuples
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_names
from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.analysis.reach import COPIES, BeyondReach, Reach
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, MERGES
from xylem.plan.distribution import PartKind
from xylem.plan.spread import PART_NAMESPACE, Grouping, Place, Use
from xylem.syntax import ast

from ..distinct_groups import LIES_INSIDE
from ..input_reads import ExpandedName
from ..not_spread import NotSpread
from ..scope_path import flattened
from .copied_nodes import GroupedNodes
from .frame import Frame
from .frame_rewrites import converted, data_of
from .keyed_windows import windows_as_groups
from .seen_in_passing import ONLY_TAGS, is_seen_in_passing
from .spreading import Loop
from .unsure_evaluation import surely_evaluated

_PLAIN = (ast.ForClause, ast.LetClause, ast.WhereClause)
_BEYOND = (ast.OrderByClause, ast.GroupByClause, ast.CountClause)


def tuples(frame: Frame, expr: ast.Flwor, place: Place, limit: int | None = None) -> ast.Expr | None:
    """The part for such a loop; None for any other loop."""
    expr = windows_as_groups(expr)
    is_numbered = isinstance(expr.clauses[0], ast.ForClause) and expr.clauses[0].position is not None
    if not is_numbered and not any(isinstance(clause, _BEYOND) for clause in expr.clauses):
        return None
    _refuse_event_time(expr)
    loop = _numbered(frame, frame.spreading.loop(expr))
    _refuse_windows(loop)
    try:
        return _shaped(frame, expr, loop, place, limit)
    except BeyondReach as beyond:
        raise NotSpread(beyond.why, beyond.node) from beyond


def _refuse_event_time(expr: ast.Flwor) -> None:
    for node in expr.walk():
        if isinstance(node, ast.FunctionCall) and event_order_call(node) is not None:
            raise NotSpread("event time needs the items of the whole input in one place", node)


def _refuse_windows(loop: Loop) -> None:
    """Refuse windows over the tuples of the whole input; windows over those of a group are allowed."""
    is_grouped = False
    bound = {name.expanded for name in _bound(loop, loop.rest)}
    for clause in loop.rest:
        is_grouped = is_grouped or isinstance(clause, ast.GroupByClause)
        is_window = isinstance(clause, (ast.WindowClause, ast.ForseqClause))
        if is_window and not is_grouped:
            raise NotSpread("windows need the one order of the whole input", clause)
        if is_window and any(name.expanded in bound for name in bound_names(clause)):
            raise NotSpread("the windows of a group hide a variable of it", clause)


def _shaped(frame: Frame, expr: ast.Flwor, loop: Loop, place: Place, limit: int | None) -> ast.Expr:
    beyond = [index for index, clause in enumerate(loop.rest) if isinstance(clause, _BEYOND) and not _is_ours(clause)]
    if not beyond:
        variables = frame.spreading.variables_after(loop, loop.rest)
        reach = frame.analysis.read(loop.result, variables)
        body = ast.Flwor((*loop.head, loop.first, *loop.rest), loop.result, span=expr.span)
        variable = frame.add(PartKind.MAP, expr, body, loop.scopes, place, limit=limit)
        if reach:
            frame.copies[variable.name.expanded] = Reach.MIXED
        return variable
    clause = loop.rest[beyond[0]]
    if isinstance(clause, ast.OrderByClause):
        return _sorted(frame, expr, loop, beyond, place, limit)
    if isinstance(clause, ast.GroupByClause):
        return _grouped(frame, expr, loop, beyond, place, limit)
    raise NotSpread("tuples are numbered twice", clause)


def _is_ours(clause: ast.Clause) -> bool:
    """Whether a clause numbers the tuples of a range, and not those of the query."""
    return isinstance(clause, ast.CountClause) and clause.name.uri == PART_NAMESPACE


# --- order by


def _sorted(frame: Frame, expr: ast.Flwor, loop: Loop, beyond: list[int], place: Place, limit: int | None) -> ast.Expr:
    index = beyond[0]
    order = loop.rest[index]
    assert isinstance(order, ast.OrderByClause)
    if len(beyond) > 1:
        raise NotSpread("tuples are numbered or grouped after they have been ordered", loop.rest[beyond[1]])
    reach = frame.analysis.read(loop.result, frame.spreading.variables_after(loop, loop.rest))
    keys = tuple(data_of(spec.key) for spec in order.specs)
    member = _after(loop.rest[index + 1 :], loop.result)
    result = ast.SquareArray((member, *keys), span=order.span)
    body = ast.Flwor((*loop.head, loop.first, *loop.rest[:index]), result, span=expr.span)
    variable = frame.add(PartKind.SORT, expr, body, loop.scopes, place, orders=_told(order.specs, frame), limit=limit)
    if reach:
        frame.copies[variable.name.expanded] = Reach.MIXED
    return variable


def _after(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> ast.Expr:
    return ast.Flwor(clauses, result, span=result.span) if clauses else result


# --- group by


def _grouped(frame: Frame, expr: ast.Flwor, loop: Loop, beyond: list[int], place: Place, limit: int | None) -> ast.Expr:
    index = beyond[0]
    group = loop.rest[index]
    assert isinstance(group, ast.GroupByClause)
    for later in beyond[1:]:
        if not isinstance(loop.rest[later], ast.OrderByClause) or len(beyond) > 2:
            raise NotSpread("groups are grouped, counted or ordered once more", loop.rest[later])
    if any(spec.type is not None for spec in group.specs):
        raise NotSpread("the type of a grouping variable is checked in one place", group)
    before = loop.rest[:index]
    variables = frame.spreading.variables_after(loop, before)
    keys = tuple(spec.name for spec in group.specs)
    after = _post(loop.rest[index + 1 :], loop.result)
    partial = _Partial(frame, loop, before, surely_evaluated(after))
    after = replaced(after, partial.aggregate)
    orders = _told(_orders(loop.rest[index + 1 :]), frame)
    own = [name for name in _bound(loop, before) if name.expanded not in {key.expanded for key in keys}]
    collected = tuple(name for name in own if name.expanded in free_in(after))
    nodes = GroupedNodes(loop.first, before, group, loop.is_nested)
    copied = {name.expanded: nodes.reach(name.expanded, variables.get(name.expanded, Reach.NONE)) for name in collected}
    _check_groups(frame, after, variables, copied, collected, partial, group)
    values = tuple(_key(spec) for spec in group.specs)
    looks_around = any(isinstance(clause, ast.LetClause) and clause.name == LIES_INSIDE for clause in before)
    looks = (ast.VarRef(LIES_INSIDE),) if looks_around else ()
    members = (*values, *(ast.VarRef(name) for name in collected), *partial.members, *looks)
    body = ast.Flwor((*loop.head, loop.first, *before), ast.SquareArray(members, span=group.span), span=expr.span)
    parameters = (*keys, *collected, *(name for name, _, _ in partial.found))
    function = ast.InlineFunction((), tuple(ast.Parameter(name) for name in parameters), None, after, span=group.span)
    finish = frame.closed(ast.Flwor(loop.head, function, span=expr.span) if loop.head else function)
    grouping = Grouping(group.specs, collected, tuple(partial.found), finish, looks_around)
    why = _why_grouped(collected, partial) + ("; one task if items lie inside each other" if looks_around else "")
    is_passing = not collected and _are_seen_in_passing(frame, loop, before, partial, group)
    variable = frame.add(
        PartKind.GROUP,
        expr,
        body,
        loop.scopes,
        place,
        grouping=grouping,
        orders=orders,
        limit=limit,
        why=f"{why}; {ONLY_TAGS}" if is_passing else why,
        cuts_anywhere=is_passing,
    )
    frame.grouped[frame.parts[-1].number] = reduce(or_, copied.values(), Reach.NONE)
    return variable


def _are_seen_in_passing(
    frame: Frame, loop: Loop, before: tuple[ast.Clause, ...], partial: _Partial, group: ast.GroupByClause
) -> bool:
    """for $e in //* group by $n := name($e) return count($e): only the start tags of elements are read."""
    is_numbered = loop.first.position is not None or any(isinstance(clause, ast.CountClause) for clause in before)
    if frame.keeps_windows or loop.inner is not None or is_numbered:
        return False
    if not is_seen_in_passing(loop.first.collection, frame.analysis, frame.copies, counted=True):
        return False
    around = replace(loop, variables={**loop.variables, loop.first.name.expanded: Reach.AROUND})
    try:
        variables = frame.spreading.variables_after(around, before)
        for (_, function, _), member in zip(partial.found, partial.members, strict=True):
            (frame.analysis.of if (FN, function) in COUNTS else frame.analysis.read)(member, variables)
        for spec in group.specs:
            frame.analysis.read(_key(spec), variables)
    except BeyondReach:
        return False
    return True


def _post(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> ast.Expr:
    """The expression applied to a group: arrays [items, order keys…]."""
    order = next((index for index, clause in enumerate(clauses) if isinstance(clause, ast.OrderByClause)), None)
    if order is None:
        return _after(clauses, ast.SquareArray((result,), span=result.span))
    specs = _orders(clauses)
    member = _after(clauses[order + 1 :], result)
    array = ast.SquareArray((member, *(data_of(spec.key) for spec in specs)), span=result.span)
    return _after(clauses[:order], array)


def _orders(clauses: tuple[ast.Clause, ...]) -> tuple[ast.OrderSpec, ...]:
    return next((clause.specs for clause in clauses if isinstance(clause, ast.OrderByClause)), ())


def _told(specs: tuple[ast.OrderSpec, ...], frame: Frame) -> tuple[ast.OrderSpec, ...]:
    """Order specifications completed by the defaults of the prolog."""
    default = "greatest" if frame.is_empty_greatest else "least"
    return tuple(replace(spec, empty=spec.empty or default) for spec in specs)


def _key(spec: ast.GroupingSpec) -> ast.Expr:
    return data_of(ast.VarRef(spec.name, span=spec.span) if spec.value is None else spec.value)


def _bound(loop: Loop, before: tuple[ast.Clause, ...]) -> list[ast.Name]:
    names = [loop.first.name, *([loop.first.position] if loop.first.position is not None else [])]
    for clause in before:
        if isinstance(clause, (ast.ForClause, ast.LetClause)):
            names.append(clause.name)
            if isinstance(clause, ast.ForClause) and clause.position is not None:
                names.append(clause.position)
    return names


class _Partial:
    """Aggregates of a group's variables that can be computed tuple by tuple."""

    def __init__(self, frame: Frame, loop: Loop, before: tuple[ast.Clause, ...], sure: frozenset[int]) -> None:
        """`sure`: the nodes that are evaluated for each group."""
        self._sure = sure
        self._bound = {name.expanded for name in _bound(loop, before)}
        # One tuple per item, and items do not nest: no step leads from two tuples to the same node.
        is_flat = not loop.is_nested and not any(isinstance(clause, ast.ForClause) for clause in before)
        self._flat = loop.first.name.expanded if is_flat else None
        self._of_users = frame.user_aggregates
        self.found: list[tuple[ast.Name, str, tuple[ast.Expr, ...]]] = []
        self.members: list[ast.Expr] = []

    def aggregate(self, node: ast.Node) -> ast.Node | None:
        """A variable in place of an aggregate of a group's variable."""
        if not isinstance(node, ast.FunctionCall):
            return None
        if node.name.expanded in self._of_users:
            return self._user_aggregate(node)
        if node.name.expanded not in MERGES:
            return None
        if not node.arguments or any(free_in(other) & self._bound for other in node.arguments[1:]):
            return None
        argument = node.arguments[0]
        if not self._is_by_tuple(argument) or not self._may_be_early(node, argument):
            return None
        member = argument if node.name.expanded in COUNTS else data_of(argument)
        return self._named(node, node.name.local, member)

    def _user_aggregate(self, call: ast.FunctionCall) -> ast.Node | None:
        """A Python function that merges its states: values are converted before it, and the result after it."""
        if len(call.arguments) != 1 or not self._is_by_tuple(call.arguments[0]) or id(call) not in self._sure:
            return None
        taken, given = self._of_users[call.name.expanded]
        member = ast.SimpleMap(data_of(call.arguments[0]), converted(ast.ContextItem(), taken), span=call.span)
        return converted(self._named(call, f"Q{{{call.name.uri}}}{call.name.local}", member), given)

    def _may_be_early(self, call: ast.FunctionCall, argument: ast.Expr) -> bool:
        """Whether aggregated values may be computed before the group is known. Errors of the aggregate itself wait."""
        return id(call) in self._sure or not isinstance(flattened(argument)[0], ast.SimpleMap)

    def _named(self, call: ast.FunctionCall, function: str, member: ast.Expr) -> ast.VarRef:
        for (known, other, others), own in zip(self.found, self.members, strict=True):
            if (other, others, own) == (function, call.arguments[1:], member):
                return ast.VarRef(known, span=call.span)
        name = ast.Name(f"aggregate{len(self.found) + 1}", None, PART_NAMESPACE)
        self.found.append((name, function, call.arguments[1:]))
        self.members.append(member)
        return ast.VarRef(name, span=call.span)

    def _is_by_tuple(self, expr: ast.Expr) -> bool:
        """Whether its value for a group is the concatenation of its values for the tuples."""
        start, parts = flattened(expr)
        if isinstance(start, ast.SimpleMap):
            inside = free_in(start.right) & self._bound
            return not parts and not inside and self._is_by_tuple(start.left)
        if not isinstance(start, ast.VarRef) or start.name.expanded not in self._bound:
            return False
        if not parts:
            return True
        is_down = all(
            isinstance(part, ast.AxisStep)
            and part.axis in ("child", "attribute", "descendant")
            and not any(free_in(predicate) & self._bound for predicate in part.predicates)
            for part in parts
        )
        return is_down and start.name.expanded == self._flat


def _check_groups(
    frame: Frame,
    after: ast.Expr,
    variables: dict[ExpandedName, Reach],
    copied: dict[ExpandedName, Reach],
    collected: tuple[ast.Name, ...],
    partial: _Partial,
    group: ast.GroupByClause,
) -> None:
    scope = dict(frame.copies)
    for name in collected:
        reach = variables.get(name.expanded, Reach.NONE)
        if reach & (Reach.AROUND | Reach.AROUND_ATTRIBUTE):
            raise NotSpread(f"${name} of a group is an element around its items", group)
        scope[name.expanded] = copied[name.expanded]
    for member in partial.members:
        frame.analysis.read(member, variables)
    for spec in group.specs:
        frame.analysis.read(_key(spec), variables)
    if frame.analysis.read(after, scope) & COPIES and reads_item(after):
        raise NotSpread("a group reads the focus around it", group)


def _why_grouped(collected: tuple[ast.Name, ...], partial: _Partial) -> str:
    held = [f"${name.local}" for name in collected]
    told = []
    if partial.found:
        names = (function.rpartition("}")[2] for _, function, _ in partial.found)
        told.append(f"{', '.join(f'{name}()' for name in names)} computed by range and merged")
    if held:
        told.append(f"the items of {', '.join(held)} are shuffled")
    return "; ".join(told) or "keys alone are shuffled"


# --- numbers


def _numbered(frame: Frame, loop: Loop) -> Loop:
    """at $i and count $n: the number in the range, and the counts of earlier ranges."""
    first, rest = loop.first, list(loop.rest)
    if first.position is not None:
        total = _count_by_range(frame, first.collection, loop)
        inner = ast.Name(f"{first.position.local}-in-range", None, PART_NAMESPACE)
        rest.insert(0, _offset(first.position, inner, total))
        first = replace(first, position=inner)
    numbered = replace(loop, first=first, rest=tuple(rest))
    for index, clause in enumerate(numbered.rest):
        if isinstance(clause, (ast.OrderByClause, ast.GroupByClause)):
            break
        if isinstance(clause, ast.CountClause):
            one = ast.IntegerLiteral(1, span=clause.span)
            counted = ast.Flwor((*loop.head, first, *numbered.rest[:index]), one, span=clause.span)
            total = _count_by_range(frame, counted, loop)
            inner = ast.Name(f"{clause.name.local}-in-range", None, PART_NAMESPACE)
            made = (ast.CountClause(inner, span=clause.span), _offset(clause.name, inner, total))
            return replace(numbered, rest=(*numbered.rest[:index], *made, *numbered.rest[index + 1 :]))
    return numbered


def _count_by_range(frame: Frame, counted: ast.Expr, loop: Loop) -> ast.VarRef:
    why = "counted first, so that tasks know how many came before"
    return frame.add(
        PartKind.AGGREGATE, counted, counted, loop.scopes, Place(Use.ITEMS), function="count", is_by_range=True, why=why
    )


def _offset(name: ast.Name, inner: ast.Name, before: ast.VarRef) -> ast.LetClause:
    return ast.LetClause(name, None, ast.Arithmetic("+", ast.VarRef(inner), before, span=name.span), span=name.span)
