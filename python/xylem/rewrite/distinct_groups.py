"""Groups in the style of XQuery 1.0: a loop over distinct values that selects the items of each value.

    for $c in distinct-values(//book/@category)           for $b in //book for $c in distinct-values($b/@category)
    let $p := for $t in //book                      →     let $p := for $t in $b return <p>{ $t/price }</p>
              where $t/@category = $c                     group by $c
              return <p>{ $t/price }</p>                  return <c n="{ count($b) }">{ $p }</c>
    return <c n="{ count(//book[@category = $c]) }">{ $p }</c>

Gain:   the input is read once, by all tasks, instead of once for each value.
Needs:  a path of steps to the items and on to the values, or to a string made of an item, as in `/book/substring(title,
        1, 1)`; the loop reads nothing else of the input but items that have the value, or a loop over these. The items
        do not nest, or the values are their attributes: otherwise the first of equal values may not be that of the
        first item. If the path leaves this open (`//book/category`), tasks check whether books nest, and give up if
        they do.
Safe:   values of nodes are untyped: `=`, distinct-values() and `group by` all compare them as strings. `eq` is treated
        as `=` if an item has one value. Groups come in the order of their first items, like the values of
        distinct-values() here; the items of a group keep their order, and an item with the value twice appears once.
        Items without a value form no group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_element_test, is_test
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.plan.spread import PART_NAMESPACE
from xylem.syntax import ast

from .input_reads import ExpandedName, reads_input
from .scope_path import flattened, is_input_path
from .substitution import Substitution

_BY_TUPLE = (ast.ForClause, ast.LetClause, ast.WhereClause)


LIES_INSIDE = ast.Name("lies-inside", None, PART_NAMESPACE)
"""Records for each tuple whether its item is inside another."""


def distinct_groups(flwor: ast.Flwor, is_nested: Callable[[ast.Expr], bool]) -> ast.Flwor | None:
    """The loop with `group by`; None if it has another form. `is_nested` says whether items may be nested."""
    first = flwor.clauses[0]
    values = _distinct_path(first)
    if values is None:
        return None
    assert isinstance(first, ast.ForClause)
    rest = ast.Flwor(flwor.clauses[1:], flwor.result, span=flwor.span) if flwor.clauses[1:] else flwor.result
    if bound_in(rest) & ({first.name.expanded} | free_in(values)):
        return None
    for items, key in _divisions(values):
        groups = _Groups(items, key, first.name)
        made = replaced(rest, groups.change)
        if groups.found and not reads_input(made):
            if not _is_attribute(key) and is_nested(items):
                around = _same_around(items)
                if around is None:
                    continue
                groups.look_around(around)
            clauses = made.clauses if made is not rest and isinstance(made, ast.Flwor) and flwor.clauses[1:] else ()
            return groups.flwor(first, clauses, made.result if clauses and isinstance(made, ast.Flwor) else made, flwor)
    return None


def _distinct_path(clause: ast.Clause) -> ast.Expr | None:
    """The path of `for $i in distinct-values(path)`."""
    if not isinstance(clause, ast.ForClause) or clause.position is not None or clause.allowing_empty or clause.type:
        return None
    match clause.collection:
        case ast.FunctionCall(name=name, arguments=(path,)) if name.expanded == (FN, "distinct-values"):
            path = _mapped_path(path)
            return path if is_input_path(path) else None
    return None


def _mapped_path(values: ast.Expr) -> ast.Expr:
    """for $b in /bib/book return $b/year, as the path with the same values."""
    match values:
        case ast.Flwor(
            clauses=(ast.ForClause(name=name, type=None, position=None, allowing_empty=False, collection=items),),
            result=ast.Path(left=ast.VarRef(name=read), right=ast.AxisStep(axis="child" | "attribute") as step),
        ) if read == name and name.expanded not in free_in(step):
            return ast.Path(items, step, span=values.span)
    return values


def _divisions(path: ast.Expr) -> list[tuple[ast.Expr, ast.Expr]]:
    """Every division of a path into the items and the steps from an item to its values; these steps are plain."""
    start, parts = flattened(path)
    found: list[tuple[ast.Expr, ast.Expr]] = []
    if len(parts) > 1 and _is_string_of_item(parts[-1]):
        assert isinstance(path, ast.Path)
        return [(path.left, path.right)]
    for border in range(len(parts) - 1, 0, -1):
        step = parts[border]
        if not isinstance(step, ast.AxisStep) or step.predicates:
            break
        if step.axis not in ("child", "attribute", "descendant", "descendant-or-self"):
            break
        items = start
        for part in parts[:border]:
            items = replace(part, base=items) if isinstance(part, ast.Filter) else ast.Path(items, part, span=part.span)
        key: ast.Expr = step
        for part in parts[border + 1 :]:
            key = ast.Path(key, part, span=part.span)
        found.append((items, key))
    return found


def _is_attribute(key: ast.Expr) -> bool:
    return isinstance(key, ast.AxisStep) and key.axis == "attribute"


def _is_string_of_item(step: ast.Expr) -> bool:
    """Whether a step computes one string from the content of each item."""
    if not isinstance(step, ast.FunctionCall) or free_in(step) or uses_position(step):
        return False
    known = look_up(*step.name.expanded, len(step.arguments))
    if known is None or known.returns != "xs:string" or not is_the_same_each_time(step):
        return False
    return all(_stays_inside(node) for node in step.walk())


def _stays_inside(node: ast.Node) -> bool:
    is_beyond = isinstance(node, ast.AxisStep) and node.axis not in ("child", "attribute", "self", "descendant")
    return not is_beyond and not isinstance(node, ast.Root)


def _same_around(items: ast.Expr) -> ast.AxisStep | None:
    """The elements around an item that may themselves be items."""
    last = flattened(items)[1][-1]
    if not isinstance(last, ast.AxisStep) or last.axis not in ("child", "descendant") or not is_element_test(last.test):
        return None
    return replace(last, axis="ancestor", predicates=())


@dataclass
class _Groups:
    """Collects and names the values of groups that the loop reads."""

    items: ast.Expr
    key: ast.Expr
    value: ast.Name

    def __post_init__(self) -> None:
        self._item = ast.Name("grouped", None, PART_NAMESPACE)
        self._lets: list[ast.LetClause] = []
        self._looks: tuple[ast.LetClause, ...] = ()
        self.found = False
        self._has_string_key = isinstance(self.key, ast.FunctionCall)

    def look_around(self, step: ast.AxisStep) -> None:
        """Bind for each tuple whether a step from its item finds anything."""
        outer = ast.Path(ast.VarRef(self._item), step, span=step.span)
        inside = ast.FunctionCall(ast.Name("exists", "fn", FN), (outer,), span=step.span)
        self._looks = (ast.LetClause(LIES_INSIDE, None, inside, span=step.span),)

    def flwor(
        self, first: ast.ForClause, clauses: tuple[ast.Clause, ...], result: ast.Expr, whole: ast.Flwor
    ) -> ast.Flwor:
        values = ast.FunctionCall(
            ast.Name("distinct-values", "fn", FN), (self._of_item(self.key),), span=first.collection.span
        )
        head = (
            ast.ForClause(self._item, None, self.items, span=first.span),
            ast.ForClause(first.name, None, values, span=first.span),
            *self._lets,
            *self._looks,
            ast.GroupByClause((ast.GroupingSpec(first.name, span=first.span),), span=first.span),
        )
        return ast.Flwor((*head, *clauses), result, span=whole.span)

    def change(self, node: ast.Node) -> ast.Node | None:
        """The replacement of an expression after grouping; None if the expression does not belong to the group."""
        match node:
            case ast.Path(left=left, right=ast.AxisStep(predicates=predicates) as step):
                for count in range(len(predicates)):
                    base = ast.Path(left, replace(step, predicates=predicates[:count]))
                    if _same(base, self.items):
                        return self._filtered(base, predicates[count:])
            case ast.Filter(base=base, predicate=predicate) if _same(base, self.items):
                return self._filtered(base, (predicate,))
            case ast.Flwor():
                return self._loop(node)
        return None

    def _filtered(self, base: ast.Expr, predicates: tuple[ast.Expr, ...]) -> ast.Expr | None:
        """items[key = $i][others]"""
        tests, has_key = [], False
        for predicate in predicates:
            rest = self._without_key(predicate, lambda side: _same(side, self.key))
            has_key = has_key or rest is not predicate
            tests += [rest] if rest is not None else []
        if not has_key or not all(map(is_test, tests)):
            return None
        self.found = True
        made: ast.Expr = ast.VarRef(self._item, span=base.span)
        for test in tests:
            made = ast.Filter(made, test, span=test.span)
        return made

    def _loop(self, flwor: ast.Flwor) -> ast.Expr | None:
        """for $t in items … where $t/key = $i … return F: F for each item of the group, one after another."""
        first = flwor.clauses[0]
        if not isinstance(first, ast.ForClause) or not _same(first.collection, self.items):
            return None
        if first.position is not None or first.allowing_empty:
            return None
        item = ast.VarRef(first.name)
        written = (ast.Path(item, self.key), Substitution({}, item).apply(self.key))
        clauses: list[ast.Clause] = [replace(first, collection=ast.VarRef(self._item, span=first.span))]
        has_key = False
        by_tuple = list(takewhile(lambda clause: isinstance(clause, _BY_TUPLE), flwor.clauses))
        for clause in by_tuple[1:]:
            if first.name.expanded in _bound(clause):
                return None
            if isinstance(clause, ast.WhereClause):
                rest = self._without_key(clause.test, lambda side: any(_same(side, one) for one in written))
                has_key = has_key or rest is not clause.test
                clauses += [replace(clause, test=rest)] if rest is not None else []
            else:
                clauses.append(clause)
        if not has_key:
            return None
        if len(by_tuple) < len(flwor.clauses):
            # Clauses that order, group or number the items of a group run when all of them are known.
            self.found = True
            return replace(flwor, clauses=(*clauses, *flwor.clauses[len(by_tuple) :]))
        name = ast.Name(f"of-group{len(self._lets) + 1}", None, PART_NAMESPACE)
        self._lets.append(ast.LetClause(name, None, replace(flwor, clauses=tuple(clauses)), span=flwor.span))
        self.found = True
        return ast.VarRef(name, span=flwor.span)

    def _without_key(self, test: ast.Expr, is_key: Callable[[ast.Expr], bool]) -> ast.Expr | None:
        """A condition without `key = $i`: unchanged if it does not contain that, None if it has nothing else."""
        match test:
            case ast.And(left=left, right=right):
                one, two = self._without_key(left, is_key), self._without_key(right, is_key)
                if one is left and two is right:
                    return test
                if one is None or two is None:
                    return two if one is None else one
                return replace(test, left=one, right=two)
            case ast.GeneralComparison(op="=", left=left, right=right) | ast.ValueComparison(
                op="eq", left=left, right=right
            ):
                if isinstance(test, ast.ValueComparison) and not (_is_attribute(self.key) or self._has_string_key):
                    return test
                value = ast.VarRef(self.value)
                if (is_key(left) and right == value) or (is_key(right) and left == value):
                    return None
        return test

    def _of_item(self, key: ast.Expr) -> ast.Expr:
        start, parts = flattened(key)
        made: ast.Expr = ast.Path(ast.VarRef(self._item), start, span=key.span)
        for part in parts:
            made = ast.Path(made, part, span=part.span)
        return made


def _same(a: ast.Expr, b: ast.Expr) -> bool:
    """Whether two paths are the same, however their steps are grouped."""
    return _steps(a) == _steps(b)


def _steps(expr: ast.Expr) -> list[ast.Expr]:
    """The start of a path and its steps, ignoring parentheses."""
    if isinstance(expr, ast.Path):
        return [*_steps(expr.left), *_steps(expr.right)]
    return [expr]


def _bound(clause: ast.Clause) -> set[ExpandedName]:
    match clause:
        case ast.ForClause(name=name, position=position):
            return {name.expanded} | ({position.expanded} if position is not None else set())
        case ast.LetClause(name=name):
            return {name.expanded}
    return set()
