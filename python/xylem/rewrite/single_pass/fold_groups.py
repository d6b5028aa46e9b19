"""Keep the aggregates of each group of a `group by`, and not its tuples.

    for $p in /s/p where $p/x > 3
    group by $k := $p/c
    order by $k
    return <g c="{ $k }" n="{ count($p) }" sum="{ sum($p/v) }"/>

    →   for $group in pass:found(pass:groups(for $r in /s/p where $r/x > 3 return $r,
                                             [["group", function($r) { $r/c }]],
                                             [function($records) { count($records) },
                                              function($records) { sum(for $r in $records return $r/v) }]))
        let $k := pass:key($group, 1)
        order by $k
        return <g c="{ $k }" n="{ pass:of($group, 1) }" sum="{ pass:of($group, 2) }"/>

Gain:   the state grows with the number of groups, not with the number of tuples: the records pass one by one.
Needs:  one loop over a path of the input, then `let` and `where`, then `group by` without collations or types. A second
        loop may run over values of the record, if the query uses these only as a key. After the `group by`, variables
        other than keys occur only in aggregates, in a form that takes one record at a time: a path, a filter by tests
        of each item, a map, or a loop.
Safe:   a group has the values of its tuples in their order; for paths down from records that do not nest, this is
        document order. Groups come in the order of their first tuples, which also give the keys their values. An error
        in an aggregate is raised where the query reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_names, read_variables
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import reads_focus, uses_last, uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.looking_around import looks_beyond
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.functions.traits import BY_ORDER, MERGES
from xylem.plan.flux import ROOT
from xylem.plan.keyed_groups import FOUND, GROUPS, KEY, OF, OF_EACH, OF_GROUP
from xylem.syntax import ast

from ..query_rule import ExpandedName, QueryFacts, QueryRule
from ..substitution import FocusInTheWay, Substitution
from ..windows.conditions import is_steady
from .record_source import record_source

_ONE_BY_ONE = (ast.LetClause, ast.WhereClause)
_REGROUPING = (ast.GroupByClause, ast.WindowClause, ast.ForseqClause)
_STEPS_DOWN = ("child", "attribute", "self", "descendant")


class FoldGroups(QueryRule):
    name = "fold_groups"
    paper = "§3.8.1"
    told = "of each group only its aggregates are kept"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        def by(node: ast.Node) -> ast.Node | None:
            if not isinstance(node, ast.Flwor):
                return None
            grouped = _grouped(node, facts)
            return None if grouped is None else _folded(node, grouped, facts)

        return replaced(body, by, (ast.Flwor,))


def is_folded(loop: ast.Flwor, facts: QueryFacts) -> bool:
    """Whether only aggregates are kept for the groups of a loop."""
    return _grouped(loop, facts) is not None


def folded_groups(body: ast.Expr, facts: QueryFacts) -> frozenset[int]:
    """The `group by` clauses, by id, that keep only aggregates."""
    loops = [node for node in body.walk() if isinstance(node, ast.Flwor)]
    found = [_grouped(loop, facts) for loop in loops]
    return frozenset(id(grouped.clause) for grouped in found if grouped is not None)


@dataclass(frozen=True)
class _Grouped:
    """A loop rewritten this way, with the values of its variables in terms of the record."""

    record: ast.VarRef
    collection: ast.Expr
    tests: tuple[ast.Expr, ...]
    """The conditions on a record."""
    clause: ast.GroupByClause
    keys: Mapping[ExpandedName, ast.Expr]
    each: ExpandedName | None
    """The key of which a record may have several values."""
    calls: Mapping[ast.FunctionCall, ast.Expr]
    """The values that the aggregates take from a record."""


def _grouped(loop: ast.Flwor, facts: QueryFacts) -> _Grouped | None:
    place = next((n for n, clause in enumerate(loop.clauses) if isinstance(clause, ast.GroupByClause)), None)
    known = facts.variables.keys() | {("", ROOT)}
    if not place or facts.has_collation or not free_in(loop) <= known:
        return None
    (first, *before), clause = loop.clauses[:place], loop.clauses[place]
    after = loop.clauses[place + 1 :]
    assert isinstance(clause, ast.GroupByClause)
    if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty or first.type is not None:
        return None
    if not all(isinstance(c, (*_ONE_BY_ONE, ast.ForClause)) for c in before):
        return None
    if any(isinstance(c, _REGROUPING) for c in after):
        return None
    if known & {name.expanded for part in loop.walk() for name in bound_names(part)}:
        # An inserted expression must mean the same in its new place.
        return None
    record = ast.VarRef(ast.Name("record of a group", None, ""))
    source = record_source(first.collection, record)
    if source is None:
        return None
    try:
        values, tests, many = _values(first, before, record)
        keys = _keys(clause, values)
        each = _each(keys, tests, many)
    except (FocusInTheWay, _NotFolded):
        return None
    others = {name: value for name, value in values.items() if name not in keys}
    finder = _Aggregates(others, source.nests)
    if not finder.are_all((*after, ast.WhereClause(loop.result))):
        return None
    if any(_EACH_VALUE.name.expanded in read_variables(taken) for taken in finder.calls.values()):
        return None
    if any(looks_beyond(part, [record.name.local]) for part in (*tests, *keys.values(), *finder.calls.values())):
        # Values outside a record are known when it has passed; then the record has passed, too.
        return None
    if each is not None and many is not None:
        if argument_of(many, "distinct-values") is None and any(map(_has_path, finder.calls.values())):
            # A record may be in its group twice, while a path takes each node once.
            return None
        keys = {**keys, each: _keys_of_each(keys[each], many)}
    return _Grouped(record, first.collection, tuple(tests), clause, keys, each, finder.calls)


_EACH_VALUE = ast.VarRef(ast.Name("each value of a record", None, ""))
_OF_VALUE = ((FN, "string"), (FN, "data"))


def _has_path(taken: ast.Expr) -> bool:
    return any(map(_is_path, taken.walk()))


def _each(keys: Mapping[ExpandedName, ast.Expr], tests: list[ast.Expr], many: ast.Expr | None) -> ExpandedName | None:
    """The key that takes several values from a record; nothing else may read these."""
    reading = [name for name, key in keys.items() if _EACH_VALUE.name.expanded in read_variables(key)]
    if many is None:
        return None
    if len(reading) != 1 or any(_EACH_VALUE.name.expanded in read_variables(test) for test in tests):
        raise _NotFolded
    match keys[reading[0]]:
        case ast.VarRef():
            return reading[0]
        case ast.FunctionCall(name=name, arguments=(argument,)):
            if argument == _EACH_VALUE and name.expanded in _OF_VALUE:
                return reading[0]
    raise _NotFolded


def _keys_of_each(key: ast.Expr, values: ast.Expr) -> ast.Expr:
    """for $value in values return key($value)."""
    if key == _EACH_VALUE:
        return values
    return ast.Flwor((ast.ForClause(_EACH_VALUE.name, None, values, span=values.span),), key, span=key.span)


class _NotFolded(Exception):
    """The loop is not of this form."""


def _values(
    first: ast.ForClause, before: list[ast.Clause], record: ast.VarRef
) -> tuple[dict[ExpandedName, ast.Expr], list[ast.Expr], ast.Expr | None]:
    """The values of variables in terms of the record, its conditions, and the items of a second loop."""
    values: dict[ExpandedName, ast.Expr] = {first.name.expanded: record}
    tests: list[ast.Expr] = []
    many: ast.Expr | None = None
    for clause in before:
        match clause:
            case ast.ForClause(type=None, position=None, allowing_empty=False, name=name, collection=collection):
                if many is not None:
                    raise _NotFolded
                many = _put_in(values, collection)
                values[name.expanded] = _EACH_VALUE
            case ast.LetClause(type=None, name=name, value=value):
                values[name.expanded] = _put_in(values, value)
            case ast.WhereClause(test=test):
                tests.append(_put_in(values, test))
            case _:
                raise _NotFolded
    return values, tests, many


def _put_in(values: Mapping[ExpandedName, ast.Expr], expr: ast.Expr) -> ast.Expr:
    if reads_focus(expr) or not is_steady(expr):
        raise _NotFolded
    return Substitution(values).apply(expr)


def _keys(clause: ast.GroupByClause, values: Mapping[ExpandedName, ast.Expr]) -> dict[ExpandedName, ast.Expr]:
    keys: dict[ExpandedName, ast.Expr] = {}
    for spec in clause.specs:
        name = spec.name.expanded
        if spec.type is not None or spec.collation is not None or name in keys:
            raise _NotFolded
        if spec.value is None:
            if name not in values:
                raise _NotFolded
            keys[name] = values[name]
        elif read_variables(spec.value) & keys.keys():
            raise _NotFolded
        else:
            keys[name] = _put_in(values, spec.value)
    return keys


class _Aggregates:
    """Finds the aggregates after a `group by`, and checks that its tuples are not used otherwise."""

    def __init__(self, values: Mapping[ExpandedName, ast.Expr], nests: bool) -> None:
        self.values = values
        self.nests = nests
        self.calls: dict[ast.FunctionCall, ast.Expr] = {}

    def are_all(self, clauses: tuple[ast.Clause, ...]) -> bool:
        bound = {name.expanded for clause in clauses for part in clause.walk() for name in bound_names(part)}
        if bound & self.values.keys():
            return False
        return all(not read_variables(replaced(clause, self._without)) & self.values.keys() for clause in clauses)

    def _without(self, node: ast.Node) -> ast.Node | None:
        """An expression that reads nothing, in place of an aggregate."""
        if not isinstance(node, ast.FunctionCall) or node.name.expanded not in MERGES:
            return None
        if node not in self.calls:
            taken = self._taken(node)
            if taken is None:
                return None
            self.calls[node] = taken
        return ast.SequenceExpr()

    def _taken(self, call: ast.FunctionCall) -> ast.Expr | None:
        """The value that an aggregate takes from a record."""
        argument, *more = call.arguments or (ast.SequenceExpr(),)
        has_separator = call.name.local == "string-join" and len(more) == 1 and isinstance(more[0], ast.StringLiteral)
        if (more and not has_separator) or not is_steady(argument) or reads_focus(argument):
            return None
        read = free_in(argument) & self.values.keys()
        if len(read) != 1 or not self._is_itemwise(argument):
            return None
        if self.nests and call.name.expanded in BY_ORDER and any(map(_is_path, self._parts(argument))):
            return None
        return Substitution(self.values).apply(argument)

    def _parts(self, argument: ast.Expr) -> Iterator[ast.Node]:
        """The argument, and the value of its variable."""
        yield from argument.walk()
        for name in free_in(argument) & self.values.keys():
            yield from self.values[name].walk()

    def _is_itemwise(self, expr: ast.Expr) -> bool:
        """Whether the value for a group is the concatenation of the values for its records."""
        match expr:
            case ast.VarRef(name=name):
                return name.expanded in self.values
            case ast.Path(left=left, right=ast.AxisStep() as step):
                return not self._reads(step) and self._leads_down(expr, step) and self._is_itemwise(left)
            case ast.Path(left=left, right=right):
                # No nodes, which a path would put in order.
                is_plain = gives_values(right) and not self._reads(right) and not _counts(right)
                return is_plain and self._is_itemwise(left)
            case ast.SimpleMap(left=left, right=right):
                return not self._reads(right) and not _counts(right) and self._is_itemwise(left)
            case ast.Filter(base=base, predicate=predicate):
                return is_test(predicate) and not self._reads(predicate) and self._is_itemwise(base)
            case ast.Flwor(clauses=(ast.ForClause(position=None, allowing_empty=False) as first, *rest), result=result):
                is_simple = all(isinstance(clause, _ONE_BY_ONE) for clause in rest)
                is_own = not any(self._reads(part) for part in (*rest, result))
                return is_simple and is_own and self._is_itemwise(first.collection)
        return False

    def _leads_down(self, path: ast.Path, step: ast.AxisStep) -> bool:
        """Whether a step selects nodes in document order, without duplicates, from all its context nodes."""
        if step.axis not in _STEPS_DOWN or (self.nests and step.axis == "descendant"):
            return False
        base: ast.Expr = path.left
        while isinstance(base, (ast.Path, ast.Filter)):
            if isinstance(base, ast.Path) and not isinstance(base.right, ast.AxisStep):
                return False
            base = base.base if isinstance(base, ast.Filter) else base.left
        return isinstance(base, ast.VarRef) and _is_way_down(self.values.get(base.name.expanded), self.nests)

    def _reads(self, node: ast.Node) -> bool:
        return bool(read_variables(node) & self.values.keys())


def _is_way_down(value: ast.Expr | None, nests: bool) -> bool:
    """Whether a variable is bound to the record, or to nodes that a path of steps selects from it."""
    while isinstance(value, ast.Path) and isinstance(value.right, ast.AxisStep):
        if value.right.axis not in _STEPS_DOWN or (nests and value.right.axis == "descendant"):
            return False
        value = value.left
    return isinstance(value, ast.VarRef)


def _is_path(node: ast.Node) -> bool:
    return isinstance(node, ast.Path)


def _counts(expr: ast.Expr) -> bool:
    return uses_position(expr) or uses_last(expr)


def _folded(loop: ast.Flwor, grouped: _Grouped, facts: QueryFacts) -> ast.Expr:
    group, record, records = facts.fresh("group"), facts.fresh("record"), facts.fresh("records")
    own = Substitution({grouped.record.name.expanded: record})
    keys = {name: _of_records(record, own.apply(value)) for name, value in grouped.keys.items()}
    parts = []
    for call, taken in grouped.calls.items():
        argument: ast.Expr = records
        if taken != grouped.record:
            argument = ast.Flwor((ast.ForClause(record.name, None, records),), own.apply(taken), span=call.span)
        parts.append(_of_records(records, replace(call, arguments=(argument, *call.arguments[1:]))))
    kinds = {name: ast.StringLiteral(OF_EACH if name == grouped.each else OF_GROUP) for name in keys}
    arrays = [ast.SquareArray((kinds[name], key)) for name, key in keys.items()]
    chosen: ast.Expr = grouped.collection
    if grouped.tests:
        tests = [ast.WhereClause(own.apply(test), span=test.span) for test in grouped.tests]
        chosen = ast.Flwor((ast.ForClause(record.name, None, chosen), *tests), record, span=chosen.span)
    arguments = (chosen, ast.SquareArray(tuple(arrays)), ast.SquareArray(tuple(parts)))
    table = ast.FunctionCall(GROUPS, arguments, span=grouped.clause.span)
    numbers = {call: ast.IntegerLiteral(number) for number, call in enumerate(grouped.calls, 1)}

    def by(node: ast.Node) -> ast.Node | None:
        number = numbers.get(node) if isinstance(node, ast.FunctionCall) else None
        return None if number is None else ast.FunctionCall(OF, (group, number), span=node.span)

    place = loop.clauses.index(grouped.clause)
    found = ast.ForClause(group.name, None, ast.FunctionCall(FOUND, (table,), span=grouped.clause.span))
    lets = [
        ast.LetClause(spec.name, None, ast.FunctionCall(KEY, (group, ast.IntegerLiteral(number))), span=spec.span)
        for number, spec in enumerate(grouped.clause.specs, 1)
    ]
    rest = [replaced(clause, by) for clause in loop.clauses[place + 1 :]]
    return replace(loop, clauses=(found, *lets, *rest), result=replaced(loop.result, by))


def _of_records(parameter: ast.VarRef, body: ast.Expr) -> ast.InlineFunction:
    return ast.InlineFunction((), (ast.Parameter(parameter.name),), None, body)
