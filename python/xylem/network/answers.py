"""The parts of its records that the answer of a query still holds, from which other queries can be computed.

        for $p in /photons/photon where $p/en > 1        each photon above 1, with its ra;
        return <x>{ $p/ra, $p/en * 2 }</x>               its en times 2, and not its en

An answer consists of *parts*: for each record that meets some conditions, copied paths and computed values. A value
computed from all records together (an aggregate, a group, the fifth record, an order) serves only itself: it is a
*whole*. What looks like something else in the same place of the answer is in no part (`answer_slots`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.bound_names import bound_names
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.free_variables import free_in
from xylem.analysis.projection import Projection, project
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.rewrite.negation import negated
from xylem.syntax import ast

from .answer_slots import Look, Reading, Slot, Thing, name_of, reading_of
from .properties import NotShared, Properties
from .record_facts import RECORD, is_path
from .record_reads import THE_RECORD, Around, Conditions, ExpandedName, Item, One, RecordReads, Records, Scope
from .steady_conditions import spelled_out


@dataclass
class Part:
    """The paths and values of each record that an answer holds, if the record meets some conditions."""

    conditions: Conditions
    carried: Projection = field(default_factory=Projection)
    """The copied paths of a record."""
    values: set[ast.Expr] = field(default_factory=set)
    """The computed values, in terms of `$record`."""
    nodes: set[ast.Expr] = field(default_factory=set)
    """Nodes of it that are copied, of which the answer does not show where in the record they are."""
    texts: set[ast.Expr] = field(default_factory=set)
    """Values whose text is there: not how many there are, nor whether there are any."""
    contents: set[ast.Expr] = field(default_factory=set)
    """What stands in an element as it was computed, whatever it is."""
    is_told_apart: bool = False
    """Whether the boundaries of records can be recognised: each has its own element, or something that occurs once."""


@dataclass(frozen=True)
class Whole:
    """A value computed from all records that fulfil conditions, independent of the names of variables."""

    form: ast.Expr
    conditions: Conditions
    reading: Reading = Reading.TEXT
    is_of_elements: bool = False
    """Whether it consists of elements, each of which is there as it is."""
    is_attribute: bool = False
    """Whether it stands in an attribute, where nodes are texts."""


@dataclass
class Answer:
    """The parts of an answer, and the wholes."""

    parts: list[Part] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)


def answer_of(properties: Properties) -> Answer:
    """The parts and wholes in the answer of a query."""
    writer = _Writer(properties)
    writer.write(properties.module.body, _Place({}, writer.slot(), run=writer))
    writer.settle()
    return writer.answer


class Standing(Enum):
    """Where an expression stands in a query."""

    CONTENT = "its value is part of the answer"
    ATTRIBUTE = "the text of its value is part of the answer"
    INSIDE = "something is computed from it"


def wholes_in(
    properties: Properties, expr: ast.Expr, standing: Standing = Standing.CONTENT
) -> Iterator[tuple[ast.Expr, Whole, Standing]]:
    """The expressions over all records of a query, outermost first, each as a whole."""
    if free_in(expr) == {("", ROOT)} and not isinstance(expr, ast.VarRef):
        whole = whole_of(properties, expr)
        if whole is not None:
            yield expr, whole, standing
    is_written = isinstance(expr, (ast.SequenceExpr, ast.EnclosedExpr, ast.DirectElement, ast.ComputedElement))
    below = standing if is_written else Standing.INSIDE
    for child in expr.children():
        if isinstance(child, ast.Expr):
            yield from wholes_in(properties, child, below)
        else:
            is_attribute = isinstance(child, ast.DirectAttribute) and len(child.parts) == 1
            for inner in child.children():
                if isinstance(inner, ast.Expr):
                    yield from wholes_in(properties, inner, Standing.ATTRIBUTE if is_attribute else Standing.INSIDE)


def whole_of(properties: Properties, expr: ast.Expr) -> Whole | None:
    reader = properties.reader()
    try:
        form = reader.read(expr)
    except NotShared:
        return None
    if len(reader.uses) == 1:
        return Whole(canonical(form), reader.uses[0])
    return Whole(canonical(expr), ()) if reader.uses else None


def canonical(expr: ast.Expr) -> ast.Expr:
    """An expression with variables renamed in order of appearance: equal expressions become identical."""
    expr = spelled_out(expr)
    names: dict[ExpandedName, ast.Name] = {}
    bound = {name.expanded for node in expr.walk() for name in bound_names(node)}

    def renamed(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.NameTest():
                # A step may have the name of a variable.
                return node
            case ast.DirectElement(name=name) | ast.DirectAttribute(name=name) | ast.FunctionCall(name=name) if (
                name.expanded in bound
            ):
                inside = with_values(node, lambda value: value if value is name else _each(value))
                return inside
            case ast.Name() if node.expanded in bound:
                return names.setdefault(node.expanded, ast.Name(f"v{len(names)}", None, RECORD.uri))
        return None

    def _each(value: Any) -> Any:
        return tuple(map(_each, value)) if type(value) is tuple else replaced(value, renamed)

    return replaced(expr, renamed)


@dataclass(frozen=True)
class _Place:
    """The context of an expression: the meaning of its variables, and the loop over records around it."""

    scope: Scope
    slot: Slot
    loop: int | None = None
    conditions: Conditions = ()
    is_inside: bool = False
    """Whether it is inside an element that is constructed for each record."""
    run: object = None
    """The sequence that it is written in."""
    is_attribute: bool = False
    item: ast.Expr | None = None
    """The items of a record for each of which an element is around it."""


class _Writer:
    """Collects the parts and wholes that a query writes."""

    def __init__(self, properties: Properties) -> None:
        self.properties = properties
        self.reader: RecordReads = properties.reader()
        self.answer = Answer()
        self._loops = 1_000
        self._slots: list[Slot] = []

    def slot(self, of: tuple[Slot, Thing] | None = None) -> Slot:
        made = Slot(of)
        self._slots.append(made)
        return made

    def settle(self) -> None:
        """Keep what can be told from all else in its slot."""
        for slot in self._slots:
            for thing in slot.things:
                if thing.found is not None and slot.is_clear(thing):
                    thing.found()

    def write(self, expr: ast.Expr, at: _Place) -> None:
        """Record an expression whose value is part of the answer."""
        match expr:
            case ast.SequenceExpr(items=items):
                for item in items:
                    self.write(item, at)
            case ast.EnclosedExpr(body=body) | ast.ComputedDocument(body=body):
                self.write(body, replace(at, run=object()))
            case ast.DirectText() | ast.DirectComment() | ast.DirectPI():
                pass
            case ast.ComputedElement(name=name, body=body):
                self.write(body, self._into_element(name, at))
            case ast.ComputedAttribute(name=ast.Name() as name, body=body) if body is not None:
                thing = at.slot.add(Thing(Look.ATTRIBUTE, self._part(at), (name.uri or "", name.local)))
                self._write_attribute(body, at, self.slot((at.slot, thing)))
            case ast.DirectElement(name=name, attributes=attributes, content=content):
                inside = self._into_element(name, at)
                for attribute in attributes:
                    if len(attribute.parts) == 1 and isinstance(attribute.parts[0], ast.EnclosedExpr):
                        self._write_attribute(attribute.parts[0].body, inside, self.slot(inside.slot.of))
                for part in content:
                    self.write(part, inside)
            case ast.SetOperation(op="union", left=left, right=right) if at.loop is not None:
                # Each once, in their order: what has another name stands apart in whatever order.
                self.write(left, at)
                self.write(right, at)
            case ast.Path(left=left, right=ast.SequenceExpr(items=steps)) if (
                at.loop is not None and steps and all(isinstance(step, ast.AxisStep) for step in steps)
            ):
                for step in steps:
                    self.write(ast.Path(left, step, span=expr.span), at)
            case ast.Path(left=left, right=ast.SetOperation(op="union") as both) if at.loop is not None:
                self.write(ast.Path(left, ast.SequenceExpr(_steps_of(both)), span=expr.span), at)
            case ast.Flwor() if self._write_loop(expr, at):
                pass
            case ast.If(test=test, then=then, otherwise=otherwise) if at.loop is not None:
                self._write_choice(test, then, otherwise, at)
            case ast.Path() | ast.Filter() | ast.VarRef() if self._write_nodes(expr, at):
                pass
            case _:
                self._write_value(expr, at)

    def _write_attribute(self, body: ast.Expr, at: _Place, slot: Slot) -> None:
        for item in body.items if isinstance(body, ast.SequenceExpr) else (body,):
            self._write_value(item, replace(at, slot=slot, run=slot, is_attribute=True))

    def _into_element(self, name: ast.Name | ast.Expr, at: _Place) -> _Place:
        """The content of an element that is constructed."""
        item = next((one.path for one in at.scope.values() if isinstance(one, Item)), None)
        names = (name.uri or "", name.local) if isinstance(name, ast.Name) else (None, None)
        thing = at.slot.add(Thing(Look.ELEMENT, self._part(at), names, is_fixed=item is None))
        if at.loop is not None and item is None:
            # One for each record tells how many there are, and what belongs to which.
            thing.found = lambda: self._tell_apart(at)
        is_inside = at.is_inside or (at.loop is not None and item is None)
        return replace(at, slot=self.slot((at.slot, thing)), is_inside=is_inside, item=item or at.item)

    def _tell_apart(self, at: _Place) -> None:
        self._part(at).is_told_apart = True

    # --- nodes and values

    def _write_nodes(self, expr: ast.Expr, at: _Place) -> bool:
        """Nodes that are copied; False if they are not all nodes of a path."""
        try:
            found = self.reader.place(expr, at.scope)
        except NotShared:
            return False
        match found:
            case (Records(conditions=conditions), made) if _is_bare(made):
                self._carry(THE_RECORD, replace(at, conditions=(*at.conditions, *conditions)))
                return True
            case (One() | Item(), _):
                return self._write_path(expr, at)
            case (_, _):
                return False
        below = self.reader.split(expr, at.scope)
        if below is None:
            return self._write_path(expr, at)
        (records, made), steps = below
        path: ast.Expr = THE_RECORD
        for step in steps:
            path = ast.Path(path, step)
        if not _is_bare(made) or not _is_bare(path):
            return False
        conditions = (*at.conditions, *records.conditions, *self.reader.is_there(path))
        self._carry(path, replace(at, conditions=conditions))
        return True

    def _write_path(self, expr: ast.Expr, at: _Place) -> bool:
        """A path from a loop variable."""
        path = self._of_record(expr, at)
        if path is None or not _is_downward(path) or not _is_bare(path):
            return False
        self._carry(path, at)
        return True

    def _of_record(self, expr: ast.Expr, at: _Place) -> ast.Expr | None:
        items = {name: one for name, one in at.scope.items() if isinstance(one, Item) and name in free_in(expr)}
        scope = {**at.scope, **{name: One(one.path, one.loop) for name, one in items.items()}}
        found = self.reader.of_one_record(expr, scope)
        return found.stands_for if found is not None and found.loop == at.loop else None

    def _carry(self, path: ast.Expr, at: _Place) -> None:
        """Nodes that are copied: they are known as what they are where the answer shows what they are children of."""
        part, facts = self._part(at), self.properties.facts
        is_one = facts.is_always_one(path)
        look, name = name_of(path)
        if path == THE_RECORD:
            look, name = Look.ELEMENT, self.properties.record[-1]
        is_placed = self._is_placed(path, at)
        is_of_items = any(isinstance(one, Item) for one in at.scope.values())

        def found() -> None:
            part.is_told_apart |= at.is_inside or is_one
            if is_placed:
                project(path, {RECORD.expanded: part.carried})
            elif not is_of_items and look is not Look.TEXT:
                part.nodes.add(path)
            if not is_of_items:
                part.contents.add(path)

        at.slot.add(Thing(look, part, name, is_one and not is_of_items, path=path, found=found))

    def _is_placed(self, path: ast.Expr, at: _Place) -> bool:
        """Whether it can be seen which elements a path has led through: there is one at each step but the last."""
        facts = self.properties.facts
        if not isinstance(path, ast.Path):
            return True
        match path:
            case ast.Path(
                left=ast.Path(left=left, right=ast.AxisStep(axis="descendant-or-self", test=ast.AnyKindTest())),
                right=ast.AxisStep(axis="child", test=ast.Wildcard()),
            ) if left == THE_RECORD:
                # Of all elements in their order, each one's descendants follow it.
                return True
            case ast.Path(right=ast.AxisStep(axis=axis)) if axis not in ("child", "attribute"):
                return False
        above = path.left
        if at.item is not None and _begins_with(above, at.item):
            item = at.item
            rest = replaced(above, lambda node: THE_RECORD if node == item else None)
            return facts.inside(item).is_always_one(rest) and self._is_placed(item, replace(at, item=None))
        return facts.is_always_one(above)

    def _write_value(self, expr: ast.Expr, at: _Place) -> None:
        if isinstance(expr, ast.SequenceExpr) and not expr.items:
            return
        is_text = at.is_attribute or gives_values(expr)
        look = Look.TEXT if is_text else Look.ANYTHING
        if at.loop is None:
            self._write_whole(expr, look, at)
            return
        part = self._part(at)
        is_of_items = any(isinstance(one, Item) and name in free_in(expr) for name, one in at.scope.items())
        value = None if is_of_items else self._of_record(expr, at)
        if value is None:
            at.slot.add(Thing(look, part))
            return
        is_copied = not is_text and _is_downward(value)
        if is_copied:
            look, name = name_of(value)
            at.slot.add(Thing(look, part, name, found=lambda: self._found_nodes(value, look, at)))
            return
        known = next((one for name in ("string", "data") if (one := argument_of(value, name)) is not None), value)
        reading = reading_of(value, self.properties.facts)
        run = at.run if reading is Reading.ALWAYS_NUMBER else None
        at.slot.add(Thing(look, part, run=run, found=lambda: self._found_value(value, known, reading, is_text, at)))

    def _found_nodes(self, value: ast.Expr, look: Look, at: _Place) -> None:
        part = self._part(at)
        part.is_told_apart |= at.is_inside
        part.contents.add(value)
        if look is not Look.TEXT:
            part.nodes.add(value)

    def _found_value(self, value: ast.Expr, path: ast.Expr, reading: Reading, is_text: bool, at: _Place) -> None:
        part, facts = self._part(at), self.properties.facts
        part.is_told_apart |= at.is_inside
        if not at.is_attribute:
            part.contents.add(value)
        if not is_text:
            return
        part.texts |= {value, path}
        if reading is not Reading.TEXT:
            part.values.add(value)
        if is_path(path) and _is_bare(path) and facts.is_at_most_one(path):
            # Of one node the text is the text, and of none it is empty.
            text = ast.FunctionCall(ast.Name("string", None, FN), (path,))
            part.values.add(text)
            if facts.is_always_one(path):
                project(text, {RECORD.expanded: part.carried})

    def _write_whole(self, expr: ast.Expr, look: Look, at: _Place) -> None:
        whole = whole_of(self.properties, expr) if free_in(expr) == {("", ROOT)} else None
        if whole is None:
            if not isinstance(expr, (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)):
                at.slot.add(Thing(look))
            return
        reading = reading_of(expr, self.properties.facts)
        is_of_elements = look is not Look.TEXT and _gives_elements(expr)
        known = replace(whole, reading=reading, is_of_elements=is_of_elements, is_attribute=at.is_attribute)
        run = at.run if reading is Reading.ALWAYS_NUMBER else None
        at.slot.add(Thing(look, run=run, found=lambda: self.answer.wholes.append(known)))

    def _part(self, at: _Place) -> Part:
        found = next((part for part in self.answer.parts if part.conditions == at.conditions), None)
        if found is None:
            found = Part(at.conditions)
            self.answer.parts.append(found)
        return found

    # --- loops and choices

    def _write_choice(self, test: ast.Expr, then: ast.Expr, otherwise: ast.Expr, at: _Place) -> None:
        for chosen, branch in ((test, then), (negated(test), otherwise)):
            found = [self._of_record(one, at) for one in conjuncts(chosen)]
            conditions = tuple(one for one in found if one is not None)
            if len(conditions) == len(found):
                self.write(branch, replace(at, conditions=(*at.conditions, *conditions)))
            else:
                at.slot.add(Thing(Look.ANYTHING))

    def _write_loop(self, flwor: ast.Flwor, at: _Place) -> bool:
        """Record a loop over records, or over items of one record, and its result; False for any other loop."""
        for clause in self.reader.loops_apart(flwor.clauses, at.scope):
            moved: _Place | None = None
            match clause:
                case ast.ForClause(position=None, allowing_empty=False):
                    moved = self._into_loop(clause, at)
                case ast.LetClause(type=None):
                    moved = self._with_value(clause, at)
                case ast.WhereClause(test=test) if at.loop is not None:
                    found = [self._of_record(one, at) for one in conjuncts(test)]
                    is_of_items = any(isinstance(at.scope.get(name), Item) for name in free_in(test))
                    if not is_of_items and None not in found:
                        more = tuple(one for one in found if one is not None)
                        moved = replace(at, conditions=(*at.conditions, *more))
            if moved is None:
                return False
            at = moved
        self.write(flwor.result, at)
        return True

    def _into_loop(self, clause: ast.ForClause, at: _Place) -> _Place | None:
        name = clause.name.expanded
        try:
            found = self.reader.place(clause.collection, at.scope)
        except NotShared:
            return None
        match found:
            case (Around() as around, _):
                return replace(at, scope={**at.scope, name: around})
            case (Records(conditions=conditions), made) if at.loop is None and _is_bare(made):
                self._loops += 1
                scope = {**at.scope, name: One(THE_RECORD, self._loops)}
                return replace(at, scope=scope, loop=self._loops, conditions=conditions)
            case (One() | Item(), _) | None:
                path = self._of_record(clause.collection, at)
                if path is None or not is_path(path) or not _is_bare(path):
                    return None
                conditions = (*at.conditions, *self.reader.is_there(path))
                if self.properties.facts.is_at_most_one(path):
                    assert at.loop is not None
                    return replace(at, scope={**at.scope, name: One(path, at.loop)}, conditions=conditions)
                assert at.loop is not None
                # Other values of the record would be repeated for each item, so they are left out.
                return replace(at, scope={name: Item(path, at.loop)}, conditions=conditions, is_inside=False)
        return None

    def _with_value(self, clause: ast.LetClause, at: _Place) -> _Place | None:
        name = clause.name.expanded
        try:
            found = self.reader.place(clause.value, at.scope)
        except NotShared:
            return None
        rest = {other: meaning for other, meaning in at.scope.items() if other != name}
        match found:
            case (Records(), made) if not _is_bare(made):
                return None
            case (Records() | Around() as meaning, _):
                return replace(at, scope={**rest, name: meaning})
        value = None if at.loop is None else self._of_record(clause.value, at)
        if value is not None and at.loop is not None:
            return replace(at, scope={**rest, name: One(value, at.loop)})
        return replace(at, scope=rest)


def _steps_of(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The parts of a union, or of a sequence."""
    match expr:
        case ast.SetOperation(op="union", left=left, right=right):
            return (*_steps_of(left), *_steps_of(right))
        case ast.SequenceExpr(items=items) if items:
            return tuple(step for item in items for step in _steps_of(item))
    return (expr,)


def _is_downward(path: ast.Expr) -> bool:
    """Whether an expression is a downward path from the record."""
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        path = path.left
    return path == THE_RECORD


def _begins_with(path: ast.Expr, start: ast.Expr) -> bool:
    while path != start:
        if not isinstance(path, ast.Path):
            return False
        path = path.left
    return True


def _gives_elements(expr: ast.Expr) -> bool:
    match expr:
        case ast.Filter(base=base):
            return _gives_elements(base)
        case ast.SequenceExpr(items=(item,)):
            return _gives_elements(item)
    return name_of(expr)[0] is Look.ELEMENT


def _is_bare(path: ast.Expr) -> bool:
    """Whether a path has no predicates, so it selects everything."""
    return not any(
        isinstance(node, ast.Filter) or (isinstance(node, ast.AxisStep) and node.predicates) for node in path.walk()
    )
