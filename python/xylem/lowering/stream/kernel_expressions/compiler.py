"""Translate an expression of the query into one of the kernel, if the kernel supports all of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import reduce

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.streamable_paths import is_test
from xylem.errors import EngineBug
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.kernel_expression import (
    NOTHING,
    Call,
    Calling,
    Constant,
    EachItem,
    EachNode,
    EachOf,
    EachTuple,
    Formatted,
    Given,
    GivenLookup,
    Invoke,
    Json,
    JsonPath,
    KernelExpression,
    KeyedValues,
    LetValue,
    Lookup,
    Named,
    NameOf,
    NodesOf,
    SlotValue,
    SortedValues,
)
from xylem.plan.result_template import Counting, Order
from xylem.syntax import ast

from ..template_paths import NoTemplate, key_of, taken_by, with_all_attributes
from .as_loops import PASSING, as_loop, first_of, is_atomic, of_item, of_value
from .caught_errors import caught
from .functions_of_items import fold, sort
from .functions_of_query import FunctionsOfQuery
from .gathered_nodes import begins_at_items, from_items, set_operation
from .general_paths import general_path
from .item_kinds import ATTRIBUTES, ELEMENTS, JSON, TEXTS, VALUES, Kinds, are_nodes, kinds_of
from .json_lookups import json_path
from .json_values import is_plain_json, json_value
from .known_functions import CASTS, XS, known_function
from .lookups import lookup
from .loop_turns import Turn, moved_out
from .matching import matching
from .pictures import FORMATTING, DecimalFormats, picture_of
from .records import Record, entries_of, looked_up, of_one_map
from .tuples import gathering, last_gathering, read_in, windows
from .type_tests import instance, treated, type_test, type_word, with_named_operand

_MOST_INTEGER = 2**63 - 1
_MOST_DIGITS = 38

_OF_ANY_TRUTH = (NodesOf, SlotValue, Given, Lookup, GivenLookup, JsonPath, Calling, Invoke)
_NO_ELEMENT = "no element"
"""A variable that no query has."""
_OVER_ALL = frozenset({"count", "sum", "avg", "min", "max", "string-join"})

Test = Callable[[ast.Expr], KernelExpression | None]
Declared = Callable[[ast.FunctionCall], ast.FunctionDecl | None]


class ExpressionCompiler:
    """Compiles the expressions of one template."""

    def __init__(
        self, by_code_points: bool, test: Test, given: Test = lambda expr: None, *, empty_greatest: bool = False
    ) -> None:
        """`test` finds a scan test for a condition on the innermost element; `given` finds a value of the run."""
        self.by_code_points = by_code_points
        self.empty_greatest = empty_greatest
        self.test = test
        self.given = given
        self.given_map: Callable[[ast.Expr], str | None] = lambda expr: None
        """The function that gives a map of atomic values, which is known when a run begins."""
        self.formats: DecimalFormats | None = None
        """Those of the query, where pictures are followed."""
        self.variables: list[str] = []
        """The record and the elements of the surrounding loops, innermost last."""
        self.slots: dict[str, int] = {}
        """The computed values, by variable."""
        self.keeps_nodes = False
        """Whether slots may have nodes, and expressions may give them in another order."""
        self.has_joins = False
        """Whether code looks up what the kernel has loops for."""
        self.slot_kinds: dict[int, Kinds] = {}
        """What the slots have, if that is not atomic values."""
        self.records: dict[str, Record] = {}
        """The variables for maps and arrays whose values have slots."""
        self.declared: Declared = lambda call: None
        """Finds the function of the query for a call."""
        self._functions = FunctionsOfQuery()
        self.leaves: set[str] = set()
        """The variables among them that stand for attributes or text nodes."""
        self.paths: dict[str, ast.Expr] = {}
        """The variables that stand for a path from a loop."""
        self.lets: dict[str, ast.Expr] = {}
        """Variables with their expressions, if code computes them."""
        self.any_kind: set[str] = set()
        """The variables among these that may also stand for text nodes."""
        self._next_slot = 0
        self._next_name = 0
        self._turns: dict[int, Turn] = {}
        """The loops in progress, by the number of variables around each."""

    def up(self, variable: str) -> int:
        """The number of loops outwards to the binding of a variable."""
        if variable not in self.variables:
            raise NoTemplate(f"${variable}, which no loop over the record binds")
        return self.variables[::-1].index(variable)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Restore the variables afterwards: those bound inside are known only inside."""
        slots, paths, leaves, lets = dict(self.slots), dict(self.paths), set(self.leaves), dict(self.lets)
        records = dict(self.records)
        try:
            yield
        finally:
            self.slots, self.paths, self.leaves, self.lets = slots, paths, leaves, lets
            self.records = records

    def condition(self, expr: ast.Expr) -> KernelExpression:
        """An expression used by its effective boolean value."""
        found = self.test(expr)
        if found is not None:
            return found
        match expr:
            case ast.And():
                return Call("and", tuple(map(self.condition, conjuncts(expr))))
            case ast.Or(left=left, right=right):
                return Call("or", (self.condition(left), self.condition(right)))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return Call(name.local, (self.condition(argument),))
            case ast.VarRef(name=name) if key_of(name) in self.leaves:
                return Constant(True)
            case ast.Path(right=ast.AxisStep(axis="self")) if (named := self._own_name(expr)) is not None:
                return named
            case ast.SequenceExpr(items=items) if len(items) != 1:
                # Nothing asks whether its first item is a node.
                raise NoTemplate("the truth of a sequence", expr)
        value = self.value(expr)
        if isinstance(value, SlotValue) and are_nodes(self.kinds_of(value)):
            return Call("exists", (value,))
        if isinstance(value, _OF_ANY_TRUTH) or is_atomic(expr):
            return value
        if not self._gives_nodes(expr) and not (self.keeps_nodes and are_nodes(self.kinds_of(value))):
            raise NoTemplate("the truth of values that may be nodes", expr)
        return Call("exists", (value,))

    def _own_name(self, path: ast.Path) -> KernelExpression | None:
        """$x/self::a[P]: whether the element of a loop has a name, and passes tests."""
        match path:
            case ast.Path(left=ast.VarRef() as left, right=ast.AxisStep(test=test, predicates=predicates)):
                nodes = self.nodes(left)
                if nodes.path or nodes.of is not None or not all(map(is_test, predicates)):
                    return None
                own = [self._named(test, nodes.up), *(self.condition(of_value(each, left)) for each in predicates)]
                return own[0] if len(own) == 1 else Call("and", tuple(own))
        return None

    def _named(self, test: ast.NodeTest, up: int) -> KernelExpression:
        match test:
            case ast.NameTest(name=name):
                return Named(*name.expanded, up)
            case ast.Wildcard(uri=uri, local=local):
                return Named(uri, local, up)
        raise NoTemplate("a test of a node's kind")

    def value(self, expr: ast.Expr) -> KernelExpression:
        """An expression used by its items."""
        given = self.given(expr)
        if given is not None:
            return given
        match expr:
            case ast.StringLiteral(value=text):
                return Constant(text)
            case ast.IntegerLiteral(value=number) if abs(number) <= _MOST_INTEGER:
                return Constant(number)
            case ast.DecimalLiteral(value=number) if _is_short(number):
                return Constant(number)
            case ast.DoubleLiteral(value=number):
                return Constant(float(number))
            case ast.Lookup() | ast.DynamicCall() | ast.FunctionCall() if (found := looked_up(self, expr)) is not None:
                return found
            case ast.SetOperation():
                return set_operation(self, expr)
            case ast.VarRef() | ast.Lookup() | ast.DynamicCall() | ast.FunctionCall() if (
                self.keeps_nodes and (path := json_path(self, expr)) is not None
            ):
                return path
            case ast.VarRef(name=name) if key_of(name) in self.slots:
                return SlotValue(self.slots[key_of(name)])
            case ast.Filter() if (first := first_of(expr)) is not None:
                return self.value(first)
            case ast.Path() if begins_at_items(self, expr):
                return from_items(self, expr)
            case ast.Path() if self.keeps_nodes and with_all_attributes(expr) is not None:
                return general_path(self, expr)
            case ast.VarRef() | ast.Path() | ast.Filter() | ast.SimpleMap():
                loop = self.as_loop(expr)
                return self.nodes(expr) if loop is None else self.value(loop)
            case ast.SequenceExpr(items=(only,)):
                return self.value(only)
            case ast.SequenceExpr(items=items):
                return Call(",", tuple(map(self.value, items)))
            case ast.Arithmetic(op=op, left=left, right=right):
                return Call(op, (self.value(left), self.value(right)))
            case ast.Unary(op=op, operand=operand):
                return Call("negate" if op == "-" else "plus", (self.value(operand),))
            case (
                ast.GeneralComparison(op=op, left=left, right=right)
                | ast.ValueComparison(op=op, left=left, right=right)
            ) if self.by_code_points:
                return Call(op, (self.value(left), self.value(right)))
            case ast.NodeComparison(op=op, left=left, right=right) if self.keeps_nodes:
                places = self.value(left), self.value(right)
                if not all(are_nodes(self.kinds_of(each)) for each in places):
                    raise NoTemplate("the place of anything but nodes", expr)
                return Call(op, places)
            case ast.And() | ast.Or():
                return self.condition(expr)
            case ast.StringConcat(left=left, right=right):
                return Call("concat", (*self._concatenated(left), self.value(right)))
            case ast.StringConstructor(parts=parts):
                return Call("concat", (*map(self._part_of_string, parts), Constant(""), Constant("")))
            case ast.Range(left=left, right=right):
                return Call("to", (self.value(left), self.value(right)))
            case ast.TryCatch():
                return caught(self, expr)
            case ast.DynamicCall() | ast.Lookup() if (found := lookup(self, expr)) is not None:
                return found
            case ast.If(test=test, then=then, otherwise=otherwise):
                return Call("if", (self.condition(test), self.value(then), self.value(otherwise)))
            case ast.Switch():
                return self._switch(expr)
            case ast.Typeswitch(operand=ast.VarRef()):
                return self._typeswitch(expr)
            case ast.Typeswitch() if self.keeps_nodes:
                return self.value(with_named_operand(expr, self.fresh()))
            case ast.CastAs(operand=operand, type=kind) if kind.name.uri == XS and kind.name.local in CASTS:
                inner = self.value(operand)
                return Call(f"to {kind.name.local}", (inner if kind.optional else Call("one", (inner,)),))
            case ast.CastableAs(operand=operand, type=kind) if kind.name.uri == XS and kind.name.local in CASTS:
                word = "castable?" if kind.optional else "castable"
                return Call(f"{word} {kind.name.local}", (self.value(operand),))
            case ast.InstanceOf(operand=operand, type=kind):
                return instance(self, operand, kind)
            case ast.TreatAs(operand=operand, type=kind) if self.keeps_nodes:
                return treated(self, operand, kind)
            case ast.FunctionCall():
                return self._call(expr)
            case ast.Shared(value=shared) if self.keeps_nodes:
                self.has_joins = True
                return self.value(shared)
            case ast.Flwor(clauses=clauses, result=result):
                return self._flwor(clauses, result)
            case ast.Quantified(kind=kind, bindings=bindings, satisfies=satisfies):
                return self._quantified(kind, bindings, satisfies)
        raise NoTemplate("an expression it does not know", expr)

    def nodes(self, expr: ast.Expr) -> NodesOf:
        """The nodes of a path."""
        variable, (path, of, attribute) = taken_by(self.in_terms_of_loops(expr))
        return NodesOf(path, of, attribute, self.up(variable))

    def in_terms_of_loops(self, expr: ast.Expr) -> ast.Expr:
        """A path from a variable bound to a path, as a path from the start of that one."""
        match expr:
            case ast.Path(left=left) | ast.SimpleMap(left=left):
                inner = self.in_terms_of_loops(left)
                return expr if inner is left else replace(expr, left=inner)
            case ast.Filter(base=base):
                inner = self.in_terms_of_loops(base)
                return expr if inner is base else replace(expr, base=inner)
            case ast.VarRef(name=name) if key_of(name) in self.paths:
                return self.paths[key_of(name)]
        return expr

    def is_path(self, expr: ast.Expr) -> bool:
        """Whether an expression gives nodes of the record."""
        match expr:
            case ast.VarRef(name=name):
                return key_of(name) not in self.slots and self.given(expr) is None
            case ast.Path(right=ast.AxisStep()):
                return not begins_at_items(self, expr) and (not self.keeps_nodes or with_all_attributes(expr) is None)
        return False

    def kinds_of(self, value: KernelExpression) -> Kinds:
        """The kinds of the items of a compiled expression."""
        return kinds_of(value, self.slot_kinds)

    def kept_kinds(self, value: KernelExpression, expr: ast.Expr) -> Kinds:
        """The kinds of items that are kept in slots: values, or nodes where that is possible."""
        kinds = self.kinds_of(value)
        if "value" in kinds and len(kinds) > 1:
            raise NoTemplate("values and nodes in one sequence", expr)
        if are_nodes(kinds) and not self.keeps_nodes:
            raise NoTemplate("nodes that are kept", expr)
        return kinds or VALUES

    def bind(self, clause: ast.LetClause) -> list[tuple[int, KernelExpression]]:
        """Bind a variable; return the slots and the computations of what must be computed: a path needs nothing."""
        name, value = clause.name, clause.value
        if clause.type is not None:
            typed = Call(type_word(clause.type), (self.value(value),))
            return [(self.new_slot(name), typed)]
        entries = entries_of(value) if self.keeps_nodes else None
        if entries is not None:
            return self._bind_record(name, entries, value)
        if self.is_path(value):
            self.alias(name, value)
            return []
        if not is_atomic(value) and not self.keeps_nodes:
            raise NoTemplate("a variable that is neither a path nor an atomic value", value)
        computed = self.kept(value)
        return [(self.new_slot(name, self.kept_kinds(computed, value)), computed)]

    def _bind_record(
        self, name: ast.Name, entries: dict[str | int, ast.Expr], of: ast.Expr
    ) -> list[tuple[int, KernelExpression]]:
        computed = [(key, value, self.kept(value)) for key, value in entries.items()]
        has_members = isinstance(of, ast.CurlyArray)
        if has_members and any(self.kept_kinds(kept, value) != VALUES for _, value, kept in computed):
            raise NoTemplate("an array of nodes", of)
        slots = {key: self.new_slot(self.fresh(), self.kept_kinds(kept, value)) for key, value, kept in computed}
        # It hides whatever had its name.
        self.new_slot(name)
        del self.slots[key_of(name)]
        self.records[key_of(name)] = Record(slots, isinstance(of, ast.MapConstructor), has_members)
        return [(slots[key], kept) for key, _, kept in computed]

    def kept(self, expr: ast.Expr) -> KernelExpression:
        """An expression whose items are kept in slots: values that are parsed from JSON as their texts."""
        value = self.value(expr)
        return replace(value, raw=True) if isinstance(value, JsonPath) else value

    @contextmanager
    def inside_values_function(self) -> Iterator[None]:
        """Inside a function of the query that gives values: it sees its parameters, and no element around it."""
        variables = self.variables[:]
        around = self.slots, self.paths, self.leaves, self.lets, self.any_kind
        turns, self._turns, records, self.records = self._turns, {}, self.records, {}
        self.variables[:] = [_NO_ELEMENT]
        self.slots, self.paths, self.leaves, self.lets, self.any_kind = {}, {}, set(), {}, set()
        try:
            yield
        finally:
            self.variables[:] = variables
            self.slots, self.paths, self.leaves, self.lets, self.any_kind = around
            self._turns, self.records = turns, records

    @contextmanager
    def inside_function(self, parameter: str) -> Iterator[None]:
        """Inside a function of a node, which sees nothing else; it is recursive, so no values are stored in it."""
        variables, slot = self.variables[:], self._next_slot
        around = self.slots, self.paths, self.leaves, self.lets, self.any_kind
        turns, self._turns, records, self.records = self._turns, {}, self.records, {}
        self.variables[:] = [parameter]
        self.slots, self.paths, self.leaves, self.lets, self.any_kind = {}, {}, set(), {}, {parameter}
        try:
            yield
        finally:
            self.variables[:] = variables
            self.slots, self.paths, self.leaves, self.lets, self.any_kind = around
            self._turns, self.records = turns, records
        if self._next_slot != slot:
            raise NoTemplate("variables in a function that calls itself")

    def new_slot(self, name: ast.Name, kinds: Kinds = VALUES) -> int:
        """A place for the value of a variable."""
        self.paths.pop(key_of(name), None)
        self.lets.pop(key_of(name), None)
        self.records.pop(key_of(name), None)
        self.leaves.discard(key_of(name))
        slot = self.slots[key_of(name)] = self._next_slot
        self._next_slot += 1
        if kinds != VALUES:
            self.slot_kinds[slot] = kinds
        return slot

    def leaf_slot(self, name: ast.Name, kinds: Kinds) -> int:
        """A place for an attribute or text node, of which only the value is used."""
        slot = self.new_slot(name, kinds)
        self.leaves.add(key_of(name))
        return slot

    def item_slot(self, name: ast.Name, kinds: Kinds) -> int:
        """A place for an item of a loop that is no element."""
        return self.leaf_slot(name, kinds) if are_nodes(kinds) else self.new_slot(name, kinds)

    # --- loops

    def as_loop(self, expr: ast.Expr) -> ast.Flwor | None:
        """An expression as a loop; None if it is none."""
        return as_loop(self.in_terms_of_loops(expr), self.fresh)

    def fresh(self) -> ast.Name:
        """A name that no query has."""
        self._next_name += 1
        return ast.Name(f"item {self._next_name}", None, "")

    def _gives_nodes(self, expr: ast.Expr) -> bool:
        """Whether all items of an expression are nodes of the record."""
        match expr:
            case ast.Flwor(result=result):
                return self._gives_nodes(result)
            case ast.Filter(base=base):
                return self._gives_nodes(base)
            case ast.VarRef(name=name):
                return key_of(name) not in self.slots
        return isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep)

    def flat(self, clause: ast.ForClause) -> tuple[ast.Clause, ...]:
        """A loop over the result of a loop, as nested loops: for $x in (for $y in E return F) …"""
        collection = clause.collection
        if begins_at_items(self, collection):
            return (clause,)
        inner = collection if isinstance(collection, ast.Flwor) else self.as_loop(collection)
        if inner is None or any(isinstance(each, _OF_ALL_TUPLES) for each in inner.clauses):
            return (clause,)
        bound = {key_of(part.name) for part in inner.clauses if isinstance(part, (ast.ForClause, ast.LetClause))}
        if bound & {*self.variables, *self.paths, *self.slots}:
            raise NoTemplate("a variable that hides another", collection)
        return *inner.clauses, replace(clause, collection=inner.result)

    def _flwor(self, clauses: tuple[ast.Clause, ...], result: ast.Expr) -> KernelExpression:
        place = last_gathering(clauses) if self.keeps_nodes else None
        with self.scope():
            rest = clauses if place is None else clauses[place + 1 :]
            tuples = None if place is None else gathering(self, clauses, place, read_in(rest, result))
            orders = self.orders(rest)
            inner = self.clauses(rest, lambda: self.value(result))
        found = inner if tuples is None else EachTuple(tuples, inner)
        return SortedValues(orders, found) if orders else found

    def clauses(self, clauses: tuple[ast.Clause, ...], finish: Callable[[], KernelExpression]) -> KernelExpression:
        """The clauses of a FLWOR expression around what follows them."""
        if not clauses:
            return finish()
        clause, rest = clauses[0], clauses[1:]
        match clause:
            case ast.LetClause():
                bound = self.bind(clause)
                inner = self.clauses(rest, finish)
                for slot, value in reversed(bound):
                    inner = LetValue(slot, value, inner)
                return inner
            case ast.ForClause() if self.keeps_nodes and (let := of_one_map(clause)) is not None:
                return self.clauses((let, *rest), finish)
            case ast.WhereClause(test=test):
                return Call("if", (self.condition(test), self.clauses(rest, finish), NOTHING))
            case ast.ForClause(type=None, position=None, allowing_empty=False):
                first, *more = self.flat(clause)
                if more:
                    return self.clauses((first, *more, *rest), finish)
                return self._loop(clause.name, clause.collection, lambda: self.clauses(rest, finish))
            case ast.ForClause(type=None, position=ast.Name() as position, allowing_empty=False):
                name, collection = clause.name, clause.collection
                if not self.is_path(collection):
                    return self._each_item(name, collection, lambda: self.clauses(rest, finish), position)
                with self.counted(name, collection, position) as (nodes, counting, turn):
                    found = self.clauses(rest, finish)
                return turn.around(EachNode(nodes.path, found, nodes.up, counting))
            case ast.OrderByClause(specs=specs):
                keys = tuple(self.value(spec.key) for spec in specs)
                return KeyedValues(keys, self.clauses(rest, finish))
            case ast.JoinClause() if self.keeps_nodes:
                return self.clauses((*self.unjoined(clause), *rest), finish)
            case ast.WindowClause() if self.keeps_nodes:
                with self.scope():
                    return EachTuple(windows(self, clause), self.clauses(rest, finish))
            case ast.GroupByClause() | ast.CountClause() if self.keeps_nodes:
                raise EngineBug("tuples are gathered before")
        raise NoTemplate("a clause of a FLWOR expression")

    def unjoined(self, clause: ast.JoinClause) -> tuple[ast.Clause, ...]:
        """The loop and the condition that a join stands for: the kernel looks nothing up."""
        if clause.type is not None or clause.position is not None or clause.place is not None:
            raise NoTemplate("a join that counts", clause.collection)
        self.has_joins = True
        loop = ast.ForClause(clause.name, None, clause.collection)
        comparisons = (
            ast.FunctionCall(ast.Name("not", None, FN), (test.comparison,)) if test.negated else test.comparison
            for test in clause.tests
        )
        return loop, *(ast.WhereClause(each) for each in comparisons)

    def orders(self, clauses: tuple[ast.Clause, ...]) -> tuple[Order, ...]:
        """The `order by` of a FLWOR expression."""
        found = [clause for clause in clauses if isinstance(clause, ast.OrderByClause)]
        if not found:
            return ()
        if len(found) > 1 or not self.by_code_points or any(spec.collation for spec in found[0].specs):
            raise NoTemplate("a sort by a collation, or of what is sorted", found[0].specs[0].key)
        greatest = self.empty_greatest
        return tuple(
            Order(spec.descending, greatest if spec.empty is None else spec.empty == "greatest")
            for spec in found[0].specs
        )

    @contextmanager
    def counted(
        self, name: ast.Name, collection: ast.Expr, position: ast.Name
    ) -> Iterator[tuple[NodesOf, Counting, Turn]]:
        """Inside a loop over counted elements; the predicates of the last step come before the count."""
        predicates: tuple[ast.Expr, ...] = ()
        match collection:
            case ast.Path(right=ast.AxisStep(predicates=predicates) as step):
                collection = replace(collection, right=replace(step, predicates=()))
        for predicate in predicates:
            if not is_test(predicate):
                raise NoTemplate("a predicate that counts before another", predicate)
        nodes = self.nodes(collection)
        if nodes.of is not None:
            raise NoTemplate("positions of text nodes or attributes", collection)
        with self.scope(), self.turn(name) as turn:
            tests = tuple(self.condition(of_item(predicate, name)) for predicate in predicates)
            test = tests[0] if len(tests) == 1 else Call("and", tests) if tests else None
            yield nodes, Counting(self.new_slot(position), test), turn

    def _loop(self, name: ast.Name, collection: ast.Expr, inner: Callable[[], KernelExpression]) -> KernelExpression:
        if isinstance(collection, ast.SequenceExpr):
            return Call(",", tuple(self._loop(name, item, inner) for item in collection.items))
        with self.scope():
            if isinstance(collection, ast.VarRef) and self.is_path(collection):
                self.alias(name, collection)
                return inner()
            if not self.is_path(collection):
                return self._each_item(name, collection, inner)
            nodes = self.nodes(collection)
            if nodes.of is not None:
                # Values are wanted here: an attribute or text node is as good as its value, except for its truth.
                slot = self.leaf_slot(name, self.kinds_of(nodes))
                return EachItem(slot, nodes, inner())
            with self.turn(name) as turn:
                found = inner()
            return turn.around(EachNode(nodes.path, found, nodes.up))

    def _each_item(
        self,
        name: ast.Name,
        collection: ast.Expr,
        inner: Callable[[], KernelExpression],
        position: ast.Name | None = None,
    ) -> KernelExpression:
        values = self.looped(collection)
        with self.scope():
            if self.kinds_of(values) == ELEMENTS:
                place = None if position is None else self.new_slot(position)
                with self.turn(name) as turn:
                    found = inner()
                return turn.around(EachOf(values, found, place))
            slot = self.item_slot(name, self.kinds_of(values))
            place = None if position is None else self.new_slot(position)
            return EachItem(slot, values, inner(), place)

    def looped(self, collection: ast.Expr) -> KernelExpression:
        """The items of a loop: atomic values, or elements that were gathered."""
        is_slot = isinstance(collection, ast.VarRef) and key_of(collection.name) in self.slots.keys() - self.leaves
        if not is_slot and not is_atomic(collection) and not self.keeps_nodes:
            raise NoTemplate("a loop over anything but a path or atomic values", collection)
        values = self.kept(collection)
        if self.kept_kinds(values, collection) not in (VALUES, ELEMENTS, ATTRIBUTES, TEXTS, JSON):
            raise NoTemplate("a loop over nodes of several kinds", collection)
        return values

    @contextmanager
    def turn(self, name: ast.Name) -> Iterator[Turn]:
        """Inside a loop over elements; what is to be computed before the loop is known afterwards."""
        key = key_of(name)
        if key in self.variables:
            raise NoTemplate("a variable that hides another")
        self.paths.pop(key, None)
        self.slots.pop(key, None)
        self.lets.pop(key, None)
        self.records.pop(key, None)
        depth, turn = len(self.variables), Turn(self._next_slot)
        self._turns[depth] = turn
        self.variables.append(key)
        try:
            yield turn
        finally:
            self.variables.pop()
            del self._turns[depth]

    def _before_loop(self, value: Call, first_slot: int) -> KernelExpression | None:
        """The same value, computed before the loops in which it is the same at each turn; None if there is none.

        Slots from the first one on are its own.
        """
        for levels in range(len(self.variables) - 1, 0, -1):
            turn = self._turns.get(len(self.variables) - levels)
            moved = None if turn is None else moved_out(value, levels, range(turn.first_slot, first_slot))
            if turn is not None and moved is not None:
                slot = self._next_slot
                self._next_slot += 1
                turn.before.append((slot, moved))
                return SlotValue(slot)
        return None

    def _quantified(
        self, kind: str, bindings: tuple[ast.QuantifiedBinding, ...], satisfies: ast.Expr
    ) -> KernelExpression:
        """some $x in E satisfies C: an item satisfies C; every: no item fails C."""
        clauses = tuple(ast.ForClause(each.name, each.type, each.collection) for each in bindings)
        true = ast.FunctionCall(ast.Name("true", None, FN))
        holds = satisfies
        if kind == "every":
            holds = ast.FunctionCall(ast.Name("not", None, FN), (satisfies,), span=satisfies.span)
        with self.scope():
            found = self.clauses((*clauses, ast.WhereClause(holds)), lambda: self.value(true))
        return Call("exists" if kind == "some" else "empty", (found,))

    def _concatenated(self, expr: ast.Expr) -> tuple[KernelExpression, ...]:
        if isinstance(expr, ast.StringConcat):
            return (*self._concatenated(expr.left), self.value(expr.right))
        return (self.value(expr),)

    def _call(self, call: ast.FunctionCall) -> KernelExpression:
        match call:
            case ast.FunctionCall(name=name, arguments=()) if name.expanded in ((FN, "true"), (FN, "false")):
                return Constant(name.local == "true")
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return Call(name.local, (self.condition(argument),))
            case ast.FunctionCall(name=name, arguments=(values, start, ast.InlineFunction() as step)) if (
                name.expanded == (FN, "fold-left")
            ):
                return fold(self, values, start, step)
            case ast.FunctionCall(name=name, arguments=(values, *options)) if name.expanded == (FN, "sort"):
                return sort(self, values, options)
            case ast.FunctionCall(name=name, arguments=(value, parameters)) if name.expanded == (FN, "serialize"):
                if is_plain_json(parameters):
                    return Json(json_value(self, value))
            case ast.FunctionCall(name=name) if name.uri == FN and name.local in ("matches", "replace", "tokenize"):
                return matching(self, call)
            case ast.FunctionCall(name=name, arguments=(value, *_)) if name.uri == FN and name.local in FORMATTING:
                if self.formats is not None and len(call.arguments) > 1:
                    return Formatted(picture_of(call, self.formats), self.value(value))
            case ast.FunctionCall(name=name) if (found := lookup(self, call)) is not None:
                return found
            case ast.FunctionCall(name=name, arguments=()) if name.expanded == (PREFIXES["math"], "pi"):
                return Constant(math.pi)
        if call.name.uri == FN and call.name.local in ("name", "local-name") and len(call.arguments) == 1:
            named = self.value(call.arguments[0])
            if isinstance(named, NodesOf) and not named.path and named.of is None:
                return NameOf(call.name.local == "name", named.up)
            if not self.keeps_nodes or not are_nodes(self.kinds_of(named)):
                raise NoTemplate("the name of anything but the element of a loop", call)
            return Call(call.name.local, (named,))
        word = known_function(call.name.expanded, len(call.arguments), self.by_code_points)
        if word is None and self.keeps_nodes and (declaration := self.declared(call)) is not None:
            return self._functions.called(self, call, declaration)
        if word is None or any(isinstance(argument, ast.ArgumentPlaceholder) for argument in call.arguments):
            raise NoTemplate(f"the kernel does not know {call.name.local}()", call)
        first_slot = self._next_slot
        arguments = tuple(map(self.value, call.arguments))
        if (word in PASSING and not is_atomic(call.arguments[0])) or word == "deep-equal":
            for given in arguments:
                self.kept_kinds(given, call)
        if word in _OVER_ALL and any(is_outside(argument) for argument in arguments):
            # It would be recomputed at each turn of the inner loops.
            once = self._before_loop(Call(word, arguments), first_slot)
            if once is not None:
                return once
            raise NoTemplate("an aggregate of what is outside of the loop", call)
        return Call(word, arguments)

    def _part_of_string(self, part: str | ast.Expr) -> KernelExpression:
        if isinstance(part, str):
            return Constant(part)
        return Call("string-join", (self.value(part), Constant(" ")))

    def _switch(self, switch: ast.Switch) -> KernelExpression:
        tests = [self.switch_test(switch.operand, case) for case in switch.cases]
        results = [self.value(case.result) for case in switch.cases]
        return _chain(zip(tests, results, strict=True), self.value(switch.default))

    def switch_test(self, operand: ast.Expr, case: ast.SwitchCase) -> KernelExpression:
        """Whether the operand is one of the values of a case."""
        if not self.by_code_points or not all(isinstance(each, ast.StringLiteral) for each in case.operands):
            # Other values may have types that do not compare, which is no error here.
            raise NoTemplate("a switch over other values than strings", operand)
        value = self.value(operand)
        tests = tuple(Call("eq", (value, self.value(each))) for each in case.operands)
        return tests[0] if len(tests) == 1 else Call("or", tests)

    def _typeswitch(self, switch: ast.Typeswitch) -> KernelExpression:
        tests = [type_test(self, switch.operand, case) for case in switch.cases]
        results = []
        for case in switch.cases:
            with self.scope():
                self.alias(case.variable, switch.operand)
                results.append(self.value(case.result))
        with self.scope():
            self.alias(switch.default_variable, switch.operand)
            return _chain(zip(tests, results, strict=True), self.value(switch.default))

    def alias(self, name: ast.Name | None, path: ast.Expr) -> None:
        """Another name for the nodes of a path."""
        if name is None:
            return
        if isinstance(path, ast.VarRef) and key_of(path.name) in self.slots:
            slot = self.slots[key_of(path.name)]
            self.paths.pop(key_of(name), None)
            self.lets.pop(key_of(name), None)
            self.records.pop(key_of(name), None)
            self.slots[key_of(name)] = slot
            (self.leaves.add if key_of(path.name) in self.leaves else self.leaves.discard)(key_of(name))
            return
        if self.as_loop(path) is None:
            self.nodes(path)
        self.paths[key_of(name)] = self.in_terms_of_loops(path)
        self.slots.pop(key_of(name), None)
        self.lets.pop(key_of(name), None)
        self.records.pop(key_of(name), None)

_OF_ALL_TUPLES = (ast.GroupByClause, ast.CountClause, ast.OrderByClause, ast.WindowClause)


_Branch = tuple[KernelExpression, KernelExpression]


def _chain(branches: Iterable[_Branch], default: KernelExpression) -> KernelExpression:
    return reduce(lambda rest, branch: Call("if", (*branch, rest)), reversed(list(branches)), default)


def is_outside(values: KernelExpression) -> bool:
    """Whether values are those below an element of an outer loop."""
    return isinstance(values, (NodesOf, EachNode)) and values.up > 0 and values.path != ()


def _is_short(number: Decimal) -> bool:
    return len(format(number, "f").strip("-").replace(".", "")) <= _MOST_DIGITS
