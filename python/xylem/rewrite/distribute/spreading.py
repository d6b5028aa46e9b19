"""Expressions whose value over the input is their values over its parts, one after another.

    //person[age > 30]/name                                   a path
    for $p in //person where … let … return <p>{ $p/name }</p>   a loop over one, with anything inside an item
    //person ! string(name), (//person)[age > 30], //a | //b
    for $r in /site/regions/* for $i in $r/item return <i at="{ name($r) }"/>     $r is open around each item

If such an expression also reads the rest of the input, the value must be the same for every item (`//rate` in the body
of a loop over `//order`): it becomes a separate part, of an earlier stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import with_values
from xylem.analysis.bound_names import bound_in
from xylem.analysis.facts.best_match_loops import join_of
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.reach import BeyondReach, Reach, ReachAnalysis
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.plan.spread import Use
from xylem.source.byte_ranges import Scope
from xylem.syntax import ast

from ..best_match import one_at_a_time
from ..input_reads import ExpandedName, is_closed, reads_input
from ..let_values import is_read_behind_grouping
from ..not_spread import NoParts, NotSpread
from ..scope_path import flattened, is_input_path, scoped_path
from ..substitution import Substitution
from .uses import children_in_use

Extract = Callable[[ast.Expr, Use], ast.Expr]
"""Makes parts of an expression that is the same for all items; returns its replacement."""


@dataclass(frozen=True)
class Spread:
    """An expression that can be evaluated over parts of the input."""

    body: ast.Expr
    scopes: tuple[Scope, ...]
    reach: Reach
    is_nested: bool = True
    """Whether its items may be nested."""


class Spreading:
    """Decides for the expressions of one query. `copies` names the part variables that hold nodes of the input."""

    def __init__(
        self,
        analysis: ReachAnalysis,
        extract: Extract,
        copies: Callable[[], dict[ExpandedName, Reach]],
        is_one_document: bool,
    ) -> None:
        self.analysis = analysis
        self._extract = extract
        self._copies = copies
        self._is_one_document = is_one_document

    def spread(self, expr: ast.Expr) -> Spread:
        """The spread expression; NotSpread with the reason if it cannot be spread."""
        try:
            return self._spread(expr)
        except BeyondReach as beyond:
            raise NotSpread(beyond.why, beyond.node) from beyond

    def _spread(self, expr: ast.Expr) -> Spread:
        if is_input_path(expr):
            return self._path(expr)
        match expr:
            case ast.SimpleMap(left=left, right=right):
                if uses_position(right):
                    raise NotSpread("a position counts over the whole input", right)
                base = self._spread(left)
                right = self.localised(right, bound_in(expr))
                reach = self.analysis.read(right, self._copies(), base.reach)
                return Spread(replace(expr, left=base.body, right=right), base.scopes, reach)
            case ast.Filter(base=inner, predicate=predicate) if is_test(predicate):
                base = self._spread(inner)
                predicate = self.localised(predicate, bound_in(expr))
                self.analysis.of(predicate, self._copies(), base.reach)
                return replace(base, body=replace(expr, base=base.body, predicate=predicate))
            case ast.SetOperation(op="union", left=left, right=right) if is_input_path(left) and is_input_path(right):
                one, two = self._spread(left), self._spread(right)
                scopes = tuple(dict.fromkeys((*one.scopes, *two.scopes)))
                return Spread(replace(expr, left=one.body, right=two.body), scopes, one.reach | two.reach)
            case ast.OrderingExpr(body=inner):
                base = self._spread(inner)
                return replace(base, body=replace(expr, body=base.body))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in (
                (FN, "data"),
                (FN, "unordered"),
            ):
                base = self._spread(argument)
                reach = Reach.NONE if name.local == "data" else base.reach
                return Spread(replace(expr, arguments=(base.body,)), base.scopes, reach)
            case ast.Flwor():
                return self._loop(expr)
            case ast.Root():
                raise NotSpread("it asks for the document as a whole", expr)
        raise NoParts(expr)

    # --- paths

    def _path(self, expr: ast.Expr) -> Spread:
        local = self._local_path(expr, bound_in(expr))
        found = scoped_path(local, self.analysis, self._copies())
        self._refuse_document_element(found.scope, expr)
        return Spread(local, (found.scope,), found.reach, found.is_nested)

    def _refuse_document_element(self, scope: Scope, node: ast.Node) -> None:
        if self._is_one_document and len(scope) == 1 and scope[0][0] == "child":
            raise NotSpread("it needs the whole of the document element", node)

    def _local_path(self, expr: ast.Expr, bound: frozenset[ExpandedName]) -> ast.Expr:
        """The path with separate parts for values that its predicates read from the rest of the input."""
        match expr:
            case ast.Path(left=left, right=right):
                return _replaced(expr, left=self._local_path(left, bound), right=self._local_step(right, bound))
            case ast.Filter(base=base, predicate=predicate):
                local = self.localised(predicate, bound)
                return _replaced(expr, base=self._local_path(base, bound), predicate=local)
        return expr

    def _local_step(self, step: ast.Expr, bound: frozenset[ExpandedName]) -> ast.Expr:
        if isinstance(step, ast.AxisStep):
            made = tuple(self.localised(predicate, bound) for predicate in step.predicates)
            return _replaced(step, predicates=made)
        return self.localised(step, bound)

    # --- loops

    def _loop(self, flwor: ast.Flwor) -> Spread:
        loop = self.loop(flwor)
        for clause in loop.rest:
            if isinstance(clause, (ast.OrderByClause, ast.GroupByClause, ast.CountClause)):
                raise NotSpread("it orders, groups or counts the tuples of the whole input", clause)
        if loop.first.position is not None:
            raise NotSpread("positions count over the whole input", loop.first)
        reach = self.analysis.read(loop.result, self.variables_after(loop, loop.rest))
        return Spread(ast.Flwor((*loop.head, loop.first, *loop.rest), loop.result, span=flwor.span), loop.scopes, reach)

    def variables_after(self, loop: Loop, clauses: tuple[ast.Clause, ...]) -> dict[ExpandedName, Reach]:
        """The reach of variables after the later clauses of a loop; BeyondReach if one reads too far."""
        variables = dict(loop.variables)
        for clause in clauses:
            if loop.inner is not None and clause is loop.inner[0]:
                variables[loop.inner[0].name.expanded] = loop.inner[1]
            else:
                variables = self.analysis.clauses((clause,), variables)
        return variables

    def loop(self, flwor: ast.Flwor) -> Loop:
        """The loop that a FLWOR expression forms over items of the input, with all else local to them."""
        try:
            return self._loop_of(_with_joins_of_each(merged(flwor)))
        except BeyondReach as beyond:
            raise NotSpread(beyond.why, beyond.node) from beyond

    def _loop_of(self, flwor: ast.Flwor) -> Loop:
        bound = bound_in(flwor)
        clauses, result = list(flwor.clauses), flwor.result
        head: list[ast.Clause] = []
        while clauses and isinstance(clauses[0], ast.LetClause):
            let = clauses.pop(0)
            assert isinstance(let, ast.LetClause)
            if not reads_input(let.value):
                refuse_grouped(let, ast.Flwor(tuple(clauses), result))
                head.append(let)
                continue
            inner = inlined(let, ast.Flwor(tuple(clauses), result, span=flwor.span), bound)
            clauses, result = list(inner.clauses), inner.result
        first = clauses.pop(0) if clauses else None
        if not isinstance(first, ast.ForClause):
            what = first if first is not None else flwor
            raise NotSpread(
                "windows need the one order of the whole input"
                if _is_window(first)
                else "it is no loop over items of the input",
                what,
            )
        if first.allowing_empty:
            raise NotSpread("`allowing empty` asks whether the whole input has no item", first)
        if not reads_input(first.collection):
            raise NotSpread("its outer loop is not over the input", first)
        rest = tuple(self.localised_clause(clause, bound) for clause in clauses)
        result = self.localised(result, bound)
        return self._deeper(first, head, rest, result) or self._at(first, head, rest, result)

    def _at(self, first: ast.ForClause, head: list[ast.Clause], rest: tuple[ast.Clause, ...], result: ast.Expr) -> Loop:
        source = self._spread(first.collection)
        variables = {**self._copies(), first.name.expanded: source.reach}
        made = replace(first, collection=source.body)
        return Loop(tuple(head), made, rest, result, source.scopes, variables, source.is_nested)

    def _deeper(
        self, first: ast.ForClause, head: list[ast.Clause], rest: tuple[ast.Clause, ...], result: ast.Expr
    ) -> Loop | None:
        """for $a in P for $b in $a/Q …: cut before each $b if only names and attributes of $a are read."""
        inner = next((c for c in rest if not isinstance(c, (ast.LetClause, ast.WhereClause))), None)
        if not isinstance(inner, ast.ForClause) or inner.allowing_empty or first.position is not None:
            return None
        start, steps = flattened(inner.collection)
        if not isinstance(start, ast.VarRef) or start.name.expanded != first.name.expanded or not steps:
            return None
        if inner.position is not None or not is_input_path(first.collection):
            return None
        try:
            outer = scoped_path(self._local_path(first.collection, frozenset()), self.analysis, self._copies())
            if outer.is_nested:
                return None
            path = Substitution({first.name.expanded: first.collection}).apply(inner.collection)
            found = self._path(path)
            made = replace(first, collection=self._local_path(first.collection, frozenset()))
            variables = {**self._copies(), first.name.expanded: Reach.AROUND}
            loop = Loop(tuple(head), made, rest, result, found.scopes, variables, True, (inner, found.reach))
            self.analysis.read(result, self.variables_after(loop, rest))
        except (BeyondReach, NotSpread):
            return None
        return loop

    # --- expressions inside an item

    def localised_clause(self, clause: ast.Clause, bound: frozenset[ExpandedName]) -> ast.Clause:
        made = self._localised_node(clause, bound, Use.ITEMS)
        assert isinstance(made, ast.Clause)
        return made

    def localised(self, expr: ast.Expr, bound: frozenset[ExpandedName], use: Use = Use.ITEMS) -> ast.Expr:
        """The expression with part variables for values that it reads from the rest of the input."""
        made = self._localised_node(expr, bound, use)
        assert isinstance(made, ast.Expr)
        return made

    def _localised_node(self, node: ast.Node, bound: frozenset[ExpandedName], use: Use) -> ast.Node:
        if not reads_input(node):
            return node
        if isinstance(node, ast.Expr) and not isinstance(node, ast.EnclosedExpr):
            if is_closed(node, bound):
                return self._extract(node, use)
            if is_input_path(node):
                return self._correlated_path(node, bound)
        uses = {id(child): child_use for child, child_use in children_in_use(node)}

        def change(value: object) -> object:
            if isinstance(value, ast.Node):
                inherited = use if isinstance(node, ast.EnclosedExpr) else uses.get(id(value), Use.ITEMS)
                return self._localised_node(value, bound, inherited)
            if isinstance(value, tuple):
                made = tuple(change(member) for member in value)
                return value if all(a is b for a, b in zip(value, made, strict=True)) else made
            return value

        return with_values(node, change)

    def _correlated_path(self, expr: ast.Expr, bound: frozenset[ExpandedName]) -> ast.Expr:
        """//b[@ref = $a/@id]/c: the same //b for all items, filtered for each."""
        made, parts = flattened(expr)
        count = next(index for index, part in enumerate(parts) if free_in(_own(part)) & bound)
        for part in parts[:count]:
            made = _joined(made, part)
        first = parts[count]
        tests: tuple[ast.Expr, ...] = ()
        if isinstance(first, ast.AxisStep):
            # Without its predicates the step is the same for all items.
            made, tests = _joined(made, replace(first, predicates=())), first.predicates
            count += 1
        elif isinstance(first, ast.Filter):
            tests = (first.predicate,)
            count += 1
        for test in tests:
            if not is_test(test):
                raise NotSpread("it counts positions in the whole input for each item", test)
        made = self._extract(made, Use.ITEMS)
        for test in tests:
            made = ast.Filter(made, self.localised(test, bound), span=first.span)
        for part in parts[count:]:
            made = _joined(made, self._localised_part(part, bound))
        return made

    def _localised_part(self, part: ast.Expr, bound: frozenset[ExpandedName]) -> ast.Expr:
        if isinstance(part, ast.Filter):
            return replace(part, predicate=self.localised(part.predicate, bound))
        return self._local_step(part, bound)


@dataclass(frozen=True)
class Loop:
    """A FLWOR expression over items of the input: `head`, then the loop, then the clauses local to an item."""

    head: tuple[ast.Clause, ...]
    """Bindings that do not read the input."""
    first: ast.ForClause
    rest: tuple[ast.Clause, ...]
    result: ast.Expr
    scopes: tuple[Scope, ...]
    variables: dict[ExpandedName, Reach]
    is_nested: bool
    inner: tuple[ast.ForClause, Reach] | None = None
    """The loop whose items the scope has, if it is not the first one."""


def merged(flwor: ast.Flwor) -> ast.Flwor:
    """for … return for … return E, as one expression: the tuples are the same."""
    while isinstance(flwor.result, ast.Flwor):
        inner = flwor.result
        own = (ast.ForClause, ast.LetClause, ast.WhereClause)
        if not all(isinstance(clause, own) for clause in inner.clauses):
            return flwor
        if bound_in(ast.Flwor(flwor.clauses, ast.SequenceExpr())) & bound_in(inner):
            return flwor
        flwor = ast.Flwor((*flwor.clauses, *inner.clauses), inner.result, span=flwor.span)
    return flwor


def inlined(let: ast.LetClause, rest: ast.Flwor, bound: frozenset[ExpandedName]) -> ast.Flwor:
    """The clauses after a `let`, with its value in place of its variable."""
    if let.type is not None:
        raise NotSpread("the type of a variable that holds input is checked as a whole", let)
    refuse_grouped(let, rest)
    if free_in(let.value) & bound_in(rest):
        raise NotSpread(f"a name that ${let.name} reads is bound again behind it", let)
    return Substitution({let.name.expanded: let.value}).apply(rest)


def refuse_grouped(let: ast.LetClause, rest: ast.Flwor) -> None:
    """Refuse a variable that a `group by` turns into the values of all tuples of a group."""
    if is_read_behind_grouping(let.name, rest.clauses, rest.result):
        raise NotSpread(f"behind `group by`, ${let.name} has a value for each tuple of a group", let)


def _with_joins_of_each(flwor: ast.Flwor) -> ast.Flwor:
    """The loop with its best-match join inside it, if each item has its own best partners."""
    clauses = flwor.clauses
    place = next((index for index, clause in enumerate(clauses) if isinstance(clause, ast.ForClause)), None)
    if place is None or join_of(clauses, place) is None:
        return flwor
    made = one_at_a_time(clauses[place:])
    if made is None:
        why = "a best-match join compares pairs of the whole input"
        raise NotSpread(why, join_of(clauses, place) or flwor)
    return replace(flwor, clauses=(*clauses[:place], made[0], *made[1]))


def _is_window(clause: ast.Node | None) -> bool:
    return isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.BestMatchClause))


def _own(part: ast.Expr) -> ast.Expr:
    """The predicates and steps that one part adds to a flattened path."""
    return part.predicate if isinstance(part, ast.Filter) else part


def _joined(left: ast.Expr, part: ast.Expr) -> ast.Expr:
    if isinstance(part, ast.Filter):
        return replace(part, base=left)
    return ast.Path(left, part, span=part.span)


def _replaced(node: ast.Expr, **changes: object) -> ast.Expr:
    """`dataclasses.replace` that returns the same node if nothing changes."""
    if all(getattr(node, name) is value or getattr(node, name) == value for name, value in changes.items()):
        return node
    return replace(node, **changes)  # type: ignore[arg-type]


__all__ = ["Loop", "Spread", "Spreading", "inlined", "merged", "refuse_grouped"]
