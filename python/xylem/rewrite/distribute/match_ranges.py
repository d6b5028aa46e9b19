"""Best-match joins by ranges of the value along which windows move: no task needs a whole side (thesis, 4.3.1).

        for $r in R  for $s in S                     for $x at $n in R | S
        where $r left outer bestmatch join $s        for $code in (the range of an $r, all within reach of an $s)
        on (abs($r/t - $s/t)) min 5 …         →      let $role := $code mod 4  group by $range := $code idiv 4
        return E                                     for $r at $i in $x where $role[$i] …  for $s at $j in $x where …
                                                     where $r left outer bestmatch join $s on …
                                                     order by $n[$i], $n[$j] return E

Gain:   right, full and inner joins are spread, and both sides are divided.
Needs:  bounds of a difference on either side; R and S are paths of the input, either equal or with different last
        names.
Safe:   each joined item has one range, and that range receives all partners within its reach: an outer join finds the
        best partners, ties included, and returns each pair once. For a full join, the range also receives rivals for
        these partners, up to twice the distance. An inner join keeps the best pairs of each range and joins these
        again: a pair that beats another is among them, or one of them beats it. Item numbers restore the order of the
        loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.free_variables import free_in
from xylem.functions.match_ranges import OWN, ROLES, TOLD
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.best_match_plan import BestMatchPlan, BestMatchSide
from xylem.plan.best_match_window import Bound, MovingWindow, window_of
from xylem.syntax import ast

from ..best_match.plan_best_matches import planned_clauses
from ..input_reads import is_closed, reads_input
from ..scope_path import flattened, is_input_path
from ..substitution import Substitution

_MATCH = PREFIXES["_match"]


def with_match_ranges(body: ast.Expr) -> ast.Expr | None:
    """The body with joins by ranges; None if it has no suitable join."""
    made = replaced(body, lambda node: _ranged(node) if isinstance(node, ast.Flwor) else None)
    return None if made is body else made


def _ranged(flwor: ast.Flwor) -> ast.Expr | None:
    joins = [clause for clause in flwor.clauses if isinstance(clause, ast.BestMatchClause)]
    if len(joins) != 1:
        return None
    place = flwor.clauses.index(joins[0])
    plan = planned_clauses(flwor.clauses[: place + 1])[-1]
    head = [clause for clause in flwor.clauses[:place] if isinstance(clause, ast.ForClause)]
    if not isinstance(plan, BestMatchPlan) or len(head) != 2 or plan.pads_left or plan.pads_right:
        return None
    window = window_of(plan)
    behind = flwor.clauses[place + 1 :]
    if window is None or not _is_simple(behind) or not _can_be_divided(plan, flwor):
        return None
    if any(reads_input(clause) for clause in (*plan.criteria, *plan.tests, *plan.lets, *behind)):
        return None
    return _Ranged(flwor, plan, window, flwor.clauses[:place], behind).made()


def _is_simple(behind: Sequence[ast.Clause]) -> bool:
    """Conditions and variables, and at most one order at the end."""
    *before, last = behind or (None,)
    return all(isinstance(clause, (ast.LetClause, ast.WhereClause)) for clause in before) and (
        last is None or isinstance(last, (ast.LetClause, ast.WhereClause, ast.OrderByClause))
    )


def _can_be_divided(plan: BestMatchPlan, flwor: ast.Flwor) -> bool:
    sides = plan.left.binding, plan.right.binding
    if any(side.position is not None or side.allowing_empty or side.type is not None for side in sides):
        return False
    paths = [side.collection for side in sides]
    bound = bound_in(flwor)
    if not all(is_input_path(path) and is_closed(path, bound) for path in paths):
        return False
    if plan.written.kind == "inner" and not all(criterion.value is not None for criterion in plan.criteria):
        # User-defined orders need not be transitive.
        return False
    names = [_last_name(path) for path in paths]
    return paths[0] == paths[1] or (None not in names and names[0] != names[1])


def _last_name(path: ast.Expr) -> tuple[str, str] | None:
    """The last name of a path: the name of all its items."""
    step = flattened(path)[1][-1]
    while isinstance(step, ast.Filter):
        step = step.base.right if isinstance(step.base, ast.Path) else step.base
    match step:
        case ast.AxisStep(axis="child" | "descendant", test=ast.NameTest(name=name)):
            return name.expanded
    return None


class _Ranged:
    """Builds the expression of one join."""

    def __init__(
        self,
        flwor: ast.Flwor,
        plan: BestMatchPlan,
        window: MovingWindow,
        before: Sequence[ast.Clause],
        behind: Sequence[ast.Clause],
    ) -> None:
        self.flwor = flwor
        self.plan = plan
        self.window = window
        self.before = before
        self.behind = behind
        self.kind = plan.written.kind
        self.is_one_path = plan.left.binding.collection == plan.right.binding.collection
        self.owner = plan.right if self.kind == "right" else plan.left

    def made(self) -> ast.Expr | None:
        leaves = self.plan.left.leaves[self.window.left], self.plan.right.leaves[self.window.right]
        own = bound_in(self.flwor)
        for leaf, side in zip(leaves, (self.plan.left, self.plan.right), strict=True):
            if free_in(leaf) & (own - {side.binding.name.expanded}):
                return None
        if any(free_in(value) & own for value in map(self._value, self.window.bounds)):
            return None
        if self.kind == "inner":
            return self._inner()
        return self._grouped(self.flwor.result, is_ordered=True)

    # --- items to their ranges

    def _grouped(self, result: ast.Expr, *, is_ordered: bool) -> ast.Flwor:
        union = self.plan.left.binding.collection
        if not self.is_one_path:
            union = ast.SetOperation("union", union, self.plan.right.binding.collection)
        clauses: list[ast.Clause] = [
            *self._bounds(),
            ast.ForClause(_X, None, union, _N),
            ast.ForClause(_CODE, None, self._codes()),
            ast.LetClause(_ROLE, None, _arithmetic("mod", _ref(_CODE), _number(ROLES))),
            ast.GroupByClause((ast.GroupingSpec(_RANGE, None, _arithmetic("idiv", _ref(_CODE), _number(ROLES))),)),
        ]
        for clause in self.before:
            if isinstance(clause, ast.ForClause):
                is_left = clause.name.expanded == self.plan.left.binding.name.expanded
                position = _I if is_left else _J
                clauses.append(replace(clause, collection=_ref(_X), position=position))
                is_right_role = ast.ValueComparison("ne" if is_left else "eq", _nth(_ROLE, position), _number(TOLD))
                if self.kind == "right":
                    is_right_role = replace(is_right_role, op="eq" if is_left else "ne")
                clauses.append(ast.WhereClause(is_right_role))
            else:
                clauses.append(clause)
        clauses.append(self.plan.written)
        if self.kind == "full":
            clauses.append(ast.WhereClause(ast.ValueComparison("eq", _nth(_ROLE, _I), _number(OWN))))
        if is_ordered:
            clauses += self._behind(_nth(_N, _I), _nth(_N, _J))
        return ast.Flwor(tuple(clauses), result, span=self.flwor.span)

    def _behind(self, left: ast.Expr, right: ast.Expr) -> list[ast.Clause]:
        """The clauses after the join, with item numbers as the last order keys."""
        keys = (left, right) if self.plan.left_is_first else (right, left)
        specs = tuple(ast.OrderSpec(key) for key in keys)
        if self.behind and isinstance(self.behind[-1], ast.OrderByClause):
            last = self.behind[-1]
            return [*self.behind[:-1], replace(last, specs=(*last.specs, *specs))]
        return [*self.behind, ast.OrderByClause(specs)]

    def _codes(self) -> ast.Expr:
        """The codes of all ranges that an item is sent to."""
        plan, least, most = self.plan, _ref(_LEAST), _ref(_MOST)
        reach = _arithmetic("-", most, least)
        nothing = _number(0)
        if self.kind == "right":
            left = self._told(plan.left, self.window.left, _negated(most), _negated(least), TOLD)
            right = self._told(plan.right, self.window.right, nothing, nothing, OWN)
        else:
            around = (_negated(reach), reach) if self.kind == "full" else (nothing, nothing)
            left = self._told(plan.left, self.window.left, *around, OWN)
            right = self._told(plan.right, self.window.right, least, most, TOLD)
        if self.is_one_path:
            return ast.SequenceExpr((left, right))
        step = ast.AxisStep("self", ast.NameTest(_name_of(plan.left.binding.collection)))
        return ast.If(ast.Path(_ref(_X), step), left, right)

    def _told(self, side: BestMatchSide, leaf: int, below: ast.Expr, above: ast.Expr, role: int) -> ast.Expr:
        at = _call("place", _of_item(side, side.leaves[leaf]))
        reach = _arithmetic("-", _ref(_MOST), _ref(_LEAST))
        return _call("ranges", at, below, above, _ref(_LOW), _ref(_HIGH), reach, _number(role))

    # --- values that are the same for all items

    def _bounds(self) -> list[ast.Clause]:
        upper = tuple(self._value(bound) for bound in self.window.bounds if bound.is_upper)
        lower = tuple(self._value(bound) for bound in self.window.bounds if not bound.is_upper)
        leaf = self.window.right if self.owner is self.plan.right else self.window.left
        loop = ast.ForClause(_X, None, self.owner.binding.collection)
        places = ast.Flwor((loop,), _call("place", _of_item(self.owner, self.owner.leaves[leaf])))
        return [
            ast.LetClause(_MOST, None, _function("min", ast.SequenceExpr(upper))),
            ast.LetClause(_LEAST, None, _function("max", ast.SequenceExpr(lower))),
            ast.LetClause(_LOW, None, _function("min", places)),
            ast.LetClause(_HIGH, None, _function("max", places)),
        ]

    def _value(self, bound: Bound) -> ast.Expr:
        """The value of a bound as a number."""
        plan = self.plan
        compared = [(sign, plan.constants[place]) for sign, place in bound.compared]
        if bound.limit is not None:
            limit = plan.criteria[bound.limit].written.limit
            assert limit is not None
            compared.append((1, limit))
        if bound.factor is not None:
            op = "*" if bound.factor[0] == "div" else "div"
            factor = plan.constants[bound.factor[1]]
            compared = [(sign, _arithmetic(op, value, factor)) for sign, value in compared]
        turned = -1 if bound.is_negated else 1
        parts = [(turned * sign, value) for sign, value in compared]
        parts += [(-sign, plan.constants[place]) for sign, place in bound.moved]
        signed = [_arithmetic("*", _number(sign), _call("size", value)) for sign, value in parts]
        return Substitution(self._put_in()).apply(_function("sum", ast.SequenceExpr(tuple(signed))))

    def _put_in(self) -> dict[tuple[str, str], ast.Expr]:
        """Substitute the variables that are bound before the loops."""
        found: dict[tuple[str, str], ast.Expr] = {}
        for clause in self.before:
            if not isinstance(clause, ast.LetClause):
                break
            if clause.type is None:
                found[clause.name.expanded] = Substitution(found).apply(clause.value)
        return found

    # --- inner joins: the best of each range compete

    def _inner(self) -> ast.Expr:
        """Reduce each pair to the compared values, the order keys and its result: nothing else is sent."""
        plan = self.plan
        *conditions, last = self.behind or (None,)
        specs = last.specs if isinstance(last, ast.OrderByClause) else ()
        if last is not None and not isinstance(last, ast.OrderByClause):
            conditions.append(last)

        def behind(value: ast.Expr) -> ast.Expr:
            return ast.Flwor(tuple(conditions), value) if conditions else value

        values = [criterion.value for criterion in plan.criteria if criterion.value is not None]
        found = (_nth(_N, _I), _nth(_N, _J), *values, *(behind(spec.key) for spec in specs), behind(self.flwor.result))
        orders = tuple(
            ast.BestMatchOrder((_member(_PAIR, number),), criterion.written.direction, None, None, span=criterion.span)
            for number, criterion in enumerate(plan.criteria, 3)
        )
        own = (1, 2) if plan.left_is_first else (2, 1)
        keys = [replace(spec, key=_member(_PAIR, number)) for number, spec in enumerate(specs, len(orders) + 3)]
        clauses: tuple[ast.Clause, ...] = (
            ast.ForClause(_PAIR, None, self._grouped(ast.SquareArray(found), is_ordered=False)),
            ast.ForClause(_SAME, None, _ref(_PAIR)),
            replace(plan.written, left=_ref(_PAIR), right=_ref(_SAME), orders=orders),
            ast.OrderByClause((*keys, *(ast.OrderSpec(_member(_PAIR, number)) for number in own))),
        )
        return ast.Flwor(clauses, _member(_PAIR, len(found)), span=self.flwor.span)


def _name_of(path: ast.Expr) -> ast.Name:
    name = _last_name(path)
    assert name is not None
    return ast.Name(name[1], None, name[0])


def _of_item(side: BestMatchSide, leaf: ast.Expr) -> ast.Expr:
    return Substitution({side.binding.name.expanded: _ref(_X)}).apply(leaf)


def _own_name(local: str) -> ast.Name:
    return ast.Name(local, None, "urn:xylem:match-ranges")


_X, _N, _CODE, _ROLE, _RANGE, _I, _J = map(_own_name, ("item", "number", "code", "role", "range", "i", "j"))
_LEAST, _MOST, _LOW, _HIGH, _PAIR, _SAME = map(_own_name, ("least", "most", "low", "high", "pair", "same"))


def _ref(name: ast.Name) -> ast.VarRef:
    return ast.VarRef(name)


def _nth(sequence: ast.Name, position: ast.Name) -> ast.Expr:
    return ast.Filter(_ref(sequence), _ref(position))


def _member(array: ast.Name, number: int) -> ast.Expr:
    return ast.DynamicCall(_ref(array), (_number(number),))


def _number(value: int) -> ast.Expr:
    return ast.IntegerLiteral(value) if value >= 0 else _negated(ast.IntegerLiteral(-value))


def _negated(value: ast.Expr) -> ast.Expr:
    return ast.Unary("-", value)


def _arithmetic(op: str, left: ast.Expr, right: ast.Expr) -> ast.Expr:
    return ast.Arithmetic(op, left, right)


def _call(local: str, *arguments: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(local, "_match", _MATCH), arguments)


def _function(local: str, argument: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(local, "fn", FN), (argument,))

