"""The windows of a query with their aggregates, and which windows can be composed of another query's windows.

        for $w in $ROOT/photons/photon|det_time diff 60 step 15| where avg($w/en) > 1.3 return <w>{ avg($w/en) }</w>

Windows begin at multiples of the step after the first item. The windows of one query can be rolled up into those of
another if they tile them: sums and counts need adjacent windows, minima and maxima may use overlapping ones. An average
travels as a sum and a count. A sum of doubles matches only for equal windows, because a sum of partial sums rounds
differently; xs:decimal and xs:integer are exact. A query that drops windows by their aggregates (`where avg($w/en) >
1.3`) does not offer its windows to others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.value_class import Values, classify
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.free_variables import free_in
from xylem.analysis.readable_names import with_readable_names
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.flux import ROOT
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast, print_query

from .answer_slots import Look, Slot, Thing
from .conditions import zones_of
from .constants import constant_number
from .implication import implies
from .record_facts import RECORD, Names, RecordFacts, as_of_focus, is_path
from .steady_conditions import spelled_out
from .zones import ALWAYS, TooMany, Zones, both

MERGED = frozenset({"sum", "count", "avg", "min", "max"})
THE_ITEM = ast.VarRef(RECORD)
_AGGREGATE = "urn:xylem:network:aggregate"


@dataclass(frozen=True)
class Aggregated:
    """One aggregate over the items of a window."""

    function: str
    value: ast.Expr
    """The aggregated value of each item, in terms of `$record`: the item itself, a path, a value computed from it."""
    is_exact: bool
    """Whether sums of it do not round."""
    counted: ast.Expr = field(default=THE_ITEM, compare=False)
    """What has the same count as these values: the items, if each has one."""

    def __str__(self) -> str:
        return f"{self.function}({'' if self.value == THE_ITEM else _text(as_of_focus(self.value))})"


@dataclass(frozen=True)
class Windowed:
    """Data windows over records, and the aggregates over them; nothing else is read of the windows."""

    kind: str
    """count or diff."""
    reference: str
    size: Fraction
    step: Fraction
    aggregates: tuple[Aggregated, ...]
    """All aggregates that it computes."""
    written: frozenset[Aggregated]
    """Those that appear unchanged in its result."""
    computed: frozenset[ast.Expr]
    """Further values in its result, computed from aggregates."""
    having: Zones = ALWAYS
    """The condition on windows in its result."""
    having_text: str = ""

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "kind": self.kind,
            "reference": self.reference,
            "size": str(self.size),
            "step": str(self.step),
            "aggregates": [str(one) for one in self.aggregates],
        }
        if self.having_text:
            told["having"] = self.having_text
        return told


def windowed(query: ast.Expr, record: Names, facts: RecordFacts) -> Windowed | None:
    """The windows of a query that is one loop over windows of records and reads only aggregates of them."""
    found = [node for node in query.walk() if isinstance(node, ast.DataWindow)]
    loops = [
        (node, node.clauses[0])
        for node in query.walk()
        if isinstance(node, ast.Flwor)
        and isinstance(node.clauses[0], ast.ForClause)
        and isinstance(node.clauses[0].collection, ast.DataWindow)
    ]
    if len(found) != 1 or len(loops) != 1:
        return None
    (loop, clause), window = loops[0], found[0]
    size = constant_number(window.size)
    step = size if window.step is None else constant_number(window.step)
    if not isinstance(size, (int, Decimal)) or not isinstance(step, (int, Decimal)) or size <= 0 or step <= 0:
        return None
    if not _is_record_path(window.base, record) or clause.position is not None:
        return None
    read = WindowReads(clause.name, facts)
    if not read.result(loop) or not read.aggregates:
        return None
    reference = "" if window.reference is None else _text(window.reference)
    return Windowed(
        window.kind,
        reference,
        Fraction(size),
        Fraction(step),
        tuple(dict.fromkeys(read.aggregates.values())),
        frozenset(read.written),
        frozenset(read.computed),
        read.zones(),
        " and ".join(_text(one) for one in read.having),
    )


class WindowReads:
    """Reads a loop over windows; aggregates become values of a window, named by their content."""

    def __init__(self, window: ast.Name, facts: RecordFacts) -> None:
        self.window = window
        self.facts = facts
        self.aggregates: dict[ast.Expr, Aggregated] = {}
        self.having: list[ast.Expr] = []
        self.written: set[Aggregated] = set()
        self.computed: set[ast.Expr] = set()
        self._tests: list[ast.Expr] = []
        self._values: dict[ast.Expr, ast.Expr] = {}
        """What is aggregated: those of one value are missing together."""

    def result(self, loop: ast.Flwor) -> bool:
        """Whether the loop reads only aggregates of its windows, and drops windows only by these."""
        values = Substitution({})
        for clause in loop.clauses[1:]:
            match clause:
                case ast.LetClause(type=None, name=name, value=value):
                    values = Substitution({**values.variables, name.expanded: values.apply(value)})
                case ast.WhereClause(test=test):
                    self.having += conjuncts(values.apply(test))
                case _:
                    return False
        result = values.apply(loop.result)
        while isinstance(result, ast.If) and isinstance(result.otherwise, ast.SequenceExpr):
            if result.otherwise.items:
                break
            self.having += conjuncts(result.test)
            result = result.then
        slots = [Slot()]
        self._write(result, slots[0], slots, False, slots)
        for slot in slots:
            for thing in slot.things:
                if thing.found is not None and slot.is_clear(thing):
                    thing.found()
        self._tests = [self._in_words_of_window(one) for one in self.having]
        parts = [*self._tests, self._in_words_of_window(result)]
        return not any(self.window.expanded in free_in(part) for part in parts)

    def zones(self) -> Zones:
        """The windows that are kept: aggregates are numbers that each has at most once."""
        zones = ALWAYS
        for test in self._tests:
            try:
                zones = both(zones, zones_of(spelled_out(test), RecordFacts()))
            except TooMany:
                zones = both(zones, zones_of(ast.FunctionCall(ast.Name("exists", None, FN), (test,)), RecordFacts()))
        return zones

    def _write(self, expr: ast.Expr, slot: Slot, run: object, is_inside: bool, slots: list[Slot]) -> None:
        """Collect what stands in a slot; `is_inside` an element, there is one for each window."""
        match expr:
            case ast.SequenceExpr(items=items):
                for item in items:
                    self._write(item, slot, run, is_inside, slots)
            case ast.EnclosedExpr(body=body):
                self._write(body, slot, expr, is_inside, slots)
            case ast.ComputedElement(name=name, body=body):
                self._write(body, *_element(name, slot, slots))
            case ast.DirectElement(name=name, attributes=attributes, content=content):
                inside = _element(name, slot, slots)
                for attribute in attributes:
                    if len(attribute.parts) == 1 and isinstance(attribute.parts[0], ast.EnclosedExpr):
                        slots.append(Slot(inside[0].of))
                        self._write(attribute.parts[0], slots[-1], None, True, slots)
                for part in content:
                    self._write(part, *inside)
            case ast.DirectText() | ast.DirectComment() | ast.DirectPI():
                pass
            case ast.Expr():
                self._write_value(expr, slot, run, is_inside)

    def _write_value(self, expr: ast.Expr, slot: Slot, run: object, is_inside: bool) -> None:
        found = self.aggregate(expr)
        thing = slot.add(Thing(Look.TEXT if found is not None or gives_values(expr) else Look.ANYTHING))
        if found is not None and classify(found.value, {}).values is not Values.STRING:
            # A window without such values has none of their aggregates, but for a sum and a count.
            is_always = found.function in ("sum", "count")
            thing.run = run
            thing.part = None if is_always else self._values.setdefault(found.counted, found.counted)
            if is_always or is_inside:
                thing.found = lambda: self.written.add(found)
        elif self.window.expanded in free_in(expr) and is_inside:
            thing.found = lambda: self.computed.add(spelled_out(self._in_words_of_window(expr)))

    def _in_words_of_window(self, expr: ast.Expr) -> ast.Expr:
        """An expression with $record/@name for each aggregate, as a number of its type."""

        def named(node: ast.Node) -> ast.Node | None:
            found = self.aggregate(node)
            if found is None:
                return None
            self.aggregates.setdefault(node, found)  # type: ignore[arg-type]
            step = ast.AxisStep("attribute", ast.NameTest(ast.Name(str(found), None, _AGGREGATE)))
            kind = "integer" if found.function == "count" else "decimal" if found.is_exact else "double"
            return ast.FunctionCall(ast.Name(kind, None, PREFIXES["xs"]), (ast.Path(THE_ITEM, step),))

        return replaced(expr, named)

    def aggregate(self, node: ast.Node) -> Aggregated | None:
        if not isinstance(node, ast.FunctionCall) or node.name.uri != FN or node.name.local not in MERGED:
            return None
        if len(node.arguments) != 1 or self.window.expanded not in free_in(node):
            return None
        value = self._value(node.arguments[0])
        if value is None or free_in(value) - {RECORD.expanded}:
            return None
        value = spelled_out(value)
        function = node.name.local
        counted = THE_ITEM if self._is_one_of_each(value) else value
        if function == "count":
            return Aggregated(function, counted, True, counted)
        return Aggregated(function, value, _is_exact(value), counted)

    def _value(self, expr: ast.Expr) -> ast.Expr | None:
        """The value of an expression for each item of the window; None for other expressions."""
        match expr:
            case ast.VarRef(name=name):
                return THE_ITEM if name.expanded == self.window.expanded else None
            case ast.SequenceExpr(items=(item,)):
                return self._value(item)
            case ast.Path(left=left, right=ast.AxisStep() as step):
                before = self._value(left)
                return None if before is None or not is_path(before) else ast.Path(before, step)
            case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
                return self._of_each(left, right, None)
            case ast.Filter(base=base, predicate=predicate):
                before = self._value(base)
                return None if before is None else ast.Filter(before, predicate)
            case ast.Flwor(clauses=(ast.ForClause(type=None, position=None, allowing_empty=False) as only,)):
                return self._of_each(only.collection, expr.result, only.name)
        return None

    def _of_each(self, items: ast.Expr, made: ast.Expr, name: ast.Name | None) -> ast.Expr | None:
        """A value computed from each of several items, by the focus or by a variable."""
        before = self._value(items)
        if before is None:
            return None
        is_one = before == THE_ITEM or self.facts.is_at_most_one(before)
        try:
            put = Substitution({}, before) if name is None else Substitution({name.expanded: before})
            value = put.apply(made)
        except FocusInTheWay:
            return None
        # Values that occur several times are computed separately.
        return value if is_one else ast.SimpleMap(before, made) if name is None else None

    def _is_one_of_each(self, value: ast.Expr) -> bool:
        match value:
            case ast.FunctionCall(name=ast.Name(uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
                return self._is_one_of_each(argument)
            case ast.CastAs(operand=operand):
                return self._is_one_of_each(operand)
        return self.facts.is_always_one(value)


def _element(name: ast.Name | ast.Expr, slot: Slot, slots: list[Slot]) -> tuple[Slot, object, bool, list[Slot]]:
    """The content of an element that is constructed for each window."""
    names = (name.uri or "", name.local) if isinstance(name, ast.Name) else (None, None)
    slots.append(Slot((slot, slot.add(Thing(Look.ELEMENT, None, names, is_fixed=True)))))
    return slots[-1], slots[-1], True, slots


def rolled_up(own: Windowed, wanted: Windowed) -> str | None:
    """Why aggregates over some windows do not determine those over others; None if they do."""
    if (own.kind, own.reference) != (wanted.kind, wanted.reference):
        return "the windows go by something else"
    is_same = own.size == wanted.size and own.step == wanted.step
    if own.having != ALWAYS and not (is_same and implies(wanted.having, own.having)):
        return f"it has only windows with {own.having_text}, and others are asked for"
    provided = {(one.function, one.value) for one in own.written}
    for one in own.written:
        if one.function == "avg":
            provided |= {("sum", one.value), ("count", one.counted)}
    if is_same and wanted.computed <= own.computed and not wanted.written - own.written:
        tested = [] if implies(own.having, wanted.having) else list(wanted.aggregates)
        needed = [one for one in tested if one not in wanted.written]
    else:
        needed = list(wanted.aggregates)
    for one in needed:
        is_there = (one.function, one.value) in provided
        if one.function == "avg" and not is_there:
            is_there = {("sum", one.value), ("count", one.counted)} <= provided
        if not is_there:
            return f"{one} does not follow from what is aggregated"
        if not is_same and one.function in ("sum", "avg") and not one.is_exact:
            return f"{one} adds doubles, which round differently when windows are put together"
        if not is_same and not tiles(own, wanted, may_overlap=one.function in ("min", "max")):
            return "its windows do not tile the ones asked for"
    return None


def tiles(own: Windowed, wanted: Windowed, *, may_overlap: bool) -> bool:
    """Whether each wanted window is composed of available windows."""
    if not _divides(own.step, wanted.step):
        return False
    if own.size == wanted.size:
        return True
    if may_overlap:
        further = wanted.size - own.size
        return further > 0 and own.step <= own.size and _divides(own.step, further)
    return _divides(own.size, wanted.size) and _divides(own.step, own.size)


def pane(one: Windowed, other: Windowed) -> Fraction:
    """The longest stretch that divides the windows of both."""
    from math import gcd, lcm

    numbers = (one.size, one.step, other.size, other.step)
    denominator = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * denominator) for number in numbers)), denominator)


def _is_exact(value: ast.Expr) -> bool:
    match value:
        case ast.FunctionCall(name=ast.Name(local="decimal" | "integer", uri=uri)):
            return uri == PREFIXES["xs"]
        case ast.CastAs(type=kind):
            return kind.name.expanded in ((PREFIXES["xs"], "decimal"), (PREFIXES["xs"], "integer"))
        case ast.SimpleMap(right=right):
            return _is_exact(right)
    return False


def _text(expr: ast.Expr) -> str:
    return " ".join(print_query(with_readable_names(expr)).split())


def _divides(part: Fraction, whole: Fraction) -> bool:
    return (whole / part).denominator == 1


def _is_record_path(expr: ast.Expr, record: Names) -> bool:
    """Whether a path leads to all records; their conditions have been removed."""
    names: list[tuple[str, str]] = []
    while isinstance(expr, ast.Path):
        step = expr.right
        if not isinstance(step, ast.AxisStep) or not isinstance(step.test, ast.NameTest) or step.predicates:
            return False
        names.append(step.test.name.expanded)
        expr = expr.left
    is_root = isinstance(expr, ast.VarRef) and expr.name.expanded == ("", ROOT)
    return is_root and tuple(reversed(names)) == record
