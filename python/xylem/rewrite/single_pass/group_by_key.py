"""Compute an aggregate for all iterations of a loop in one table of accumulators (unrolling and horizontal fusion,
§4.3.1).

    for $i in 1 to 1000 for $j in 1 to 1000
    let $p := /s/pixel[x = $i and y = $j]
    return count($p)

    →   for $i in 1 to 1000 for $j in 1 to 1000
        return pass:value(pass:groups(/s/pixel, [["double", function($r) { $r/x }, 1 to 1000], …],
                                      [function($p) { count($p) }]),
                          1, [$i, $j])

Gain:   one pass over the records, in which each record goes to the accumulators of its keys; the paper copies the body
        for every iteration, which large loops do not allow. The pass skips records whose keys no iteration reads.
Needs:  loops over ranges, literals or global variables of known type, not over the input; a path of elements, with
        conditions on the last of them or in a `where`: equalities between a value of the record and one of the
        variables, other conditions on the record and some of the variables, perhaps others on the record alone; none
        that fails for some iterations and not for others. The body reads an aggregate (fn:count, fn:sum … or a fold),
        or `some` and `every`.
Safe:   a group has exactly the records that the conditions select, in their order, by the rules of the comparison
        itself (`key_conditions.py`); a group without records has the aggregate of the empty sequence. The loops stay,
        and so does the order of the results. The pass tests a condition that is not an equality for all iterations with
        each record: no more often than the loops would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.bound_names import bound_names, read_variables
from xylem.analysis.facts.value_class import Values, classify
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN
from xylem.functions.traits import BY_ORDER, MERGES
from xylem.plan.keyed_groups import GROUPS, VALUE
from xylem.syntax import ast

from ..query_rule import ExpandedName, QueryFacts, QueryRule
from ..source import is_named_source
from ..substitution import Substitution
from .key_conditions import KeyCondition, Loop, is_safe, key_condition, loops_around, turns_condition
from .record_source import RecordSource, record_source


class GroupByKey(QueryRule):
    name = "group_by_key"
    paper = "§4.3.1"
    told = "aggregates in loops are kept by key, for all turns at once"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        tables = _Tables(facts)
        made = _Walk(tables, facts).visit(body, _Place())
        return tables.put_in(made) if tables.tables else body


@dataclass(frozen=True)
class _Place:
    """The variables bound around an expression."""

    loops: Mapping[ExpandedName, Loop] = field(default_factory=dict)
    paths: Mapping[ExpandedName, ast.Expr] = field(default_factory=dict)
    """Variables bound to a path, or to a selection from one."""
    bound: frozenset[ExpandedName] = frozenset()
    """All variables bound in the body around it."""
    own_focus: bool = True
    """Whether the focus is that of the whole body."""

    def binding(self, *names: ast.Name) -> _Place:
        """The place inside an expression that binds some names."""
        own = {name.expanded for name in names}
        return _Place(
            {name: loop for name, loop in self.loops.items() if name not in own},
            {n: p for n, p in self.paths.items() if n not in own and not read_variables(p) & own},
            self.bound | own,
            self.own_focus,
        )


class _Tables:
    """The tables of a query with their aggregates; numbers replace the aggregates while the query is visited."""

    def __init__(self, facts: QueryFacts) -> None:
        self.facts = facts
        self.tables: dict[tuple[ast.Expr, tuple[ast.Expr, ...]], list[ast.Expr]] = {}

    def value(self, path: ast.Expr, keys: list[ast.Expr], turns: list[ast.Expr], aggregate: ast.Expr) -> ast.Expr:
        signature = (path, tuple(keys))
        aggregates = self.tables.setdefault(signature, [])
        if aggregate not in aggregates:
            aggregates.append(aggregate)
        table = ast.VarRef(ast.Name(f"table {list(self.tables).index(signature)}", None, ""))
        number = ast.IntegerLiteral(aggregates.index(aggregate) + 1)
        return ast.FunctionCall(VALUE, (table, number, ast.SquareArray(tuple(turns))))

    def put_in(self, body: ast.Expr) -> ast.Expr:
        made: dict[ExpandedName, ast.Expr] = {}
        for number, ((path, keys), aggregates) in enumerate(self.tables.items()):
            arguments = (path, ast.SquareArray(keys), ast.SquareArray(tuple(aggregates)))
            first = aggregates[0]
            assert isinstance(first, ast.InlineFunction)
            made["", f"table {number}"] = ast.FunctionCall(GROUPS, arguments, span=first.body.span)
        by_name = made.get
        return replaced(body, lambda node: by_name(node.name.expanded) if isinstance(node, ast.VarRef) else None)


class _Walk:
    def __init__(self, tables: _Tables, facts: QueryFacts) -> None:
        self.tables = tables
        self.facts = facts
        self.record = facts.fresh("record")
        self.records = facts.fresh("records")

    def visit(self, node: Any, place: _Place) -> Any:
        if isinstance(node, tuple):
            made = tuple(self.visit(member, place) for member in node)
            return node if all(a is b for a, b in zip(node, made, strict=True)) else made
        if not isinstance(node, ast.Node):
            return node
        match node:
            case ast.Flwor():
                return self._flwor(node, place)
            case ast.FunctionCall():
                found = self._aggregate(node, place)
                if found is not None:
                    return found
            case ast.Quantified():
                found = self._aggregate(as_existence(node), place) if _has_plain_bindings(node) else None
                if found is not None:
                    return found
            case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
                inner = self.visit(right, replace(place, own_focus=False))
                outer = self.visit(left, place)
                return node if inner is right and outer is left else replace(node, left=outer, right=inner)
            case ast.Filter(base=base, predicate=predicate):
                inner = self.visit(predicate, replace(place, own_focus=False))
                outer = self.visit(base, place)
                return node if inner is predicate and outer is base else replace(node, base=outer, predicate=inner)
            case ast.AxisStep() | ast.InlineFunction():
                return node
        names = [name for part in (node, *node.children()) for name in bound_names(part)]
        inside = place.binding(*names) if names else place
        return with_values(node, lambda value: self.visit(value, inside))

    def _flwor(self, flwor: ast.Flwor, place: _Place) -> ast.Expr:
        clauses: list[ast.Clause] = []
        put_in: set[ExpandedName] = set()
        for clause in flwor.clauses:
            made = self._clause(clause, place)
            clauses.append(made)
            around = place.bound
            place = place.binding(*(name for part in clause.walk() for name in bound_names(part)))
            match made:
                case ast.GroupByClause() | ast.WindowClause() | ast.ForseqClause():
                    # One value per tuple may become many per group.
                    place = replace(place, loops={}, paths={})
                case ast.ForClause(name=name, type=None, allowing_empty=False):
                    loop = self._loop(made, place, around)
                    if loop is not None:
                        place = replace(place, loops={**place.loops, name.expanded: loop})
                case ast.LetClause(name=name, type=None, value=value):
                    known = Substitution(place.paths).apply(value)
                    if record_source(known, self.record) is not None or self._is_constant(known, place):
                        place = replace(place, paths={**place.paths, name.expanded: known})
                        put_in.add(name.expanded)
        result = self.visit(flwor.result, place)
        if result is flwor.result and all(a is b for a, b in zip(clauses, flwor.clauses, strict=True)):
            return flwor
        return _without_unread(replace(flwor, clauses=tuple(clauses), result=result), put_in)

    def _clause(self, clause: ast.Clause, place: _Place) -> ast.Clause:
        return with_values(clause, lambda value: self.visit(value, place))

    def _is_constant(self, value: ast.Expr, place: _Place) -> bool:
        """Whether a value depends on no item and no loop; it is then atomic, and may be recomputed."""
        if reads_focus(value) or read_variables(value) & place.bound or _names_source(value):
            return False
        known = classify(value, self.facts.variables)
        return known.values.is_numeric or known.values is Values.STRING

    def _loop(self, clause: ast.ForClause, place: _Place, around: frozenset[ExpandedName]) -> Loop | None:
        items = Substitution(place.paths).apply(clause.collection)
        read = read_variables(items)
        if reads_focus(items) or (read & place.bound) - place.loops.keys() - {clause.name.expanded}:
            return None
        if _names_source(items):
            return None
        scope = {**self.facts.variables, **{name: loop.known for name, loop in place.loops.items()}}
        known = classify(items, scope)
        if not (known.values.is_numeric or known.values is Values.STRING):
            return None
        return Loop(ast.VarRef(clause.name), items, known, not read & place.loops.keys(), around)

    def _aggregate(self, call: ast.FunctionCall, place: _Place) -> ast.Expr | None:
        """The aggregate as a lookup in a table."""
        if call.name.uri != FN or not call.arguments or not place.loops:
            return None
        function = call.name.local
        argument, *more = call.arguments
        is_fold = function == "fold-left" and len(more) == 2
        if not is_fold and ((FN, function) not in MERGES or not self._is_plain(more)):
            return None
        argument = Substitution(place.paths).apply(argument)
        if not place.own_focus and reads_focus(argument):
            return None
        found = record_source(argument, self.record)
        if found is None or ((FN, function) in BY_ORDER and found.leaves_order):
            return None
        return self._looked_up(replace(call, arguments=(argument, *more)), found, place)

    def _is_plain(self, more: list[ast.Expr]) -> bool:
        return all(isinstance(argument, ast.StringLiteral) for argument in more)

    def _looked_up(self, call: ast.FunctionCall, found: RecordSource, place: _Place) -> ast.Expr | None:
        sorted_out = self._conditions(found, place)
        if sorted_out is None:
            return None
        keys, others, inside, of_turn = sorted_out
        # All other inputs are available for every turn: the record, and prolog declarations.
        own = {self.record.name.expanded}
        parts = [*others, *inside, *(key.of_record for key in keys), found.taken, *call.arguments[1:]]
        if not keys or any(self._reads_around(part, place, own) for part in parts):
            return None
        used = {name for key in keys for name in read_variables(key.of_loop) & place.loops.keys()}
        if any((read_variables(found.path) & place.bound) - place.loops[name].outside for name in used):
            # The path begins inside the loops: no single table serves all their turns.
            return None
        made = [self._key(key) for key in keys]
        turns = [key.of_loop for key in keys]
        of_group = self._of_group(call, inside, found.taken)
        value = self.tables.value(self._selected(found.path, others), made, turns, of_group)
        for condition in reversed(of_turn):
            # A turn in which no record can be selected.
            nothing = replace(call, arguments=(ast.SequenceExpr(), *call.arguments[1:]))
            value = ast.If(condition, value, nothing, span=condition.span)
        return replace(value, span=call.span)

    def _conditions(
        self, found: RecordSource, place: _Place
    ) -> tuple[list[KeyCondition], list[ast.Expr], list[ast.Expr], list[ast.Expr]] | None:
        """The conditions as keys; those on the record alone, before and after the keys; those on a turn alone."""
        keys: list[tuple[KeyCondition, ast.Expr]] = []
        others: list[ast.Expr] = []
        inside: list[ast.Expr] = []
        of_turn: list[ast.Expr] = []
        of_turns: dict[frozenset[ExpandedName], list[ast.Expr]] = {}
        for condition in found.conditions:
            read = read_variables(condition) & place.loops.keys()
            if not read:
                # Conditions after a key are tested only for records with that key: for others they might be errors.
                (inside if keys or of_turns else others).append(condition)
                continue
            if reads_focus(condition) or not is_safe(condition, place.loops.keys()):
                return None
            key = key_condition(condition, self.record, place.loops, self.facts)
            if key is not None:
                keys.append((key, condition))
            elif self.record.name.expanded not in read_variables(condition) and not (keys or of_turns or others):
                of_turn.append(condition)
            else:
                of_turns.setdefault(frozenset(read), []).append(condition)
        if any(len(loops_around(names, place.loops)) > 1 for names in of_turns):
            # One key for conditions on the same loops: a record has a cell for each of its turns.
            names = frozenset().union(*of_turns)
            names = frozenset(loop.variable.name.expanded for loop in loops_around(names, place.loops))
            shared = [condition for key, condition in keys if read_variables(key.of_loop) & names]
            keys = [(key, condition) for key, condition in keys if condition not in shared]
            names |= frozenset().union(*(read_variables(condition) & place.loops.keys() for condition in shared))
            chosen = set(shared).union(*of_turns.values())
            of_turns = {names: [condition for condition in found.conditions if condition in chosen]}
        made = [key for key, _ in keys]
        for names, conditions in of_turns.items():
            turns = turns_condition(conditions, names, place.loops)
            if turns is None:
                return None
            made.append(turns)
        return made, others, inside, of_turn

    def _reads_around(self, node: ast.Node, place: _Place, own: set[ExpandedName]) -> bool:
        inner = {name.expanded for part in node.walk() for name in bound_names(part)}
        return bool((read_variables(node) - inner - own) & (place.bound | place.loops.keys()))

    def _key(self, key: KeyCondition) -> ast.Expr:
        function = ast.InlineFunction((), (ast.Parameter(self.record.name),), None, key.of_record)
        kind = f"{key.kind}, one" if key.is_single else key.kind
        members: tuple[ast.Expr, ...] = (ast.StringLiteral(kind), function)
        return ast.SquareArray(members if key.items is None else (*members, key.items))

    def _selected(self, path: ast.Expr, conditions: list[ast.Expr]) -> ast.Expr:
        """for $record in path where … return $record."""
        if not conditions:
            return path
        clauses = [ast.ForClause(self.record.name, None, path), *map(ast.WhereClause, conditions)]
        return ast.Flwor(tuple(clauses), self.record)

    def _of_group(self, call: ast.FunctionCall, conditions: list[ast.Expr], taken: ast.Expr) -> ast.Expr:
        """function($records) { their aggregate }."""
        argument: ast.Expr = self.records
        if conditions or taken != self.record:
            clauses = [ast.ForClause(self.record.name, None, self.records), *map(ast.WhereClause, conditions)]
            argument = ast.Flwor(tuple(clauses), taken)
        body = replace(call, arguments=(argument, *call.arguments[1:]))
        return ast.InlineFunction((), (ast.Parameter(self.records.name),), None, body)


def _has_plain_bindings(node: ast.Quantified) -> bool:
    return all(binding.type is None for binding in node.bindings)


def as_existence(node: ast.Quantified) -> ast.FunctionCall:
    """some $x in E satisfies p  as  exists(for $x in E where p return 1); every, as empty(… where not(p) …)"""
    test = node.satisfies
    if node.kind == "every":
        test = ast.FunctionCall(ast.Name("not", "fn", FN), (test,), span=test.span)
    clauses = [ast.ForClause(b.name, None, b.collection, span=b.span) for b in node.bindings]
    loop = ast.Flwor((*clauses, ast.WhereClause(test, span=test.span)), ast.IntegerLiteral(1), span=node.span)
    return ast.FunctionCall(ast.Name("exists" if node.kind == "some" else "empty", "fn", FN), (loop,), span=node.span)


def _names_source(expr: ast.Expr) -> bool:
    return any(isinstance(node, ast.FunctionCall) and is_named_source(node) for node in expr.walk())


def _without_unread(flwor: ast.Flwor, names: set[ExpandedName]) -> ast.Expr:
    """The loop without the paths that are no longer read."""
    clauses = list(flwor.clauses)
    for index in range(len(clauses) - 1, -1, -1):
        clause = clauses[index]
        if not isinstance(clause, ast.LetClause) or clause.name.expanded not in names:
            continue
        if not any(clause.name.expanded in read_variables(part) for part in (*clauses[index + 1 :], flwor.result)):
            del clauses[index]
    return replace(flwor, clauses=tuple(clauses)) if clauses else flwor.result
