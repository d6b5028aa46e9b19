"""The parts of its records that the answer of a query still holds, from which other queries can be computed.

        for $p in /photons/photon where $p/en > 1        each photon above 1, with its ra;
        return <x>{ $p/ra, $p/en * 2 }</x>               its en times 2, and not its en

An answer consists of *parts*: for each record that meets some conditions, copied paths and computed values. A value
computed from all records together (an aggregate, a group, the fifth record, an order) serves only itself: it is a
*whole*. The position of a part in the answer carries no information, so content that several parts share cannot be
assigned to one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.free_variables import free_in
from xylem.analysis.projection import Projection, project
from xylem.functions.registry import FN
from xylem.plan.flux import ROOT
from xylem.rewrite.fresh_names import bound_names
from xylem.rewrite.negation import negated
from xylem.syntax import ast

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
    is_told_apart: bool = False
    """Whether the boundaries of records can be recognised: each has its own element, or something that occurs once."""

    def is_apart_from(self, other: Part) -> bool:
        """Whether the two hold elements with different names."""
        if any(one.carried.subtree or one.values or one.carried.attributes for one in (self, other)):
            return False
        names = [{(uri, local) for _, uri, local in one.carried.children} for one in (self, other)]
        is_any = any(None in name for each in names for name in each)
        return not is_any and not (names[0] & names[1])


@dataclass(frozen=True)
class Whole:
    """A value computed from all records that fulfil conditions, independent of the names of variables."""

    form: ast.Expr
    conditions: Conditions


@dataclass
class Answer:
    """The parts of an answer, and the wholes."""

    parts: list[Part] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)


def answer_of(properties: Properties) -> Answer:
    """The parts and wholes in the answer of a query."""
    writer = _Writer(properties)
    writer.write(properties.module.body, _Place({}))
    return writer.answer


def wholes_in(properties: Properties, expr: ast.Expr) -> Iterator[tuple[ast.Expr, Whole]]:
    """The expressions over all records of a query, outermost first, each as a whole."""
    if free_in(expr) == {("", ROOT)} and not isinstance(expr, ast.VarRef):
        whole = whole_of(properties, expr)
        if whole is not None:
            yield expr, whole
    for child in expr.children():
        if isinstance(child, ast.Expr):
            yield from wholes_in(properties, child)
        else:
            for inner in child.children():
                if isinstance(inner, ast.Expr):
                    yield from wholes_in(properties, inner)


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
    # A step may have the name of a variable; then that variable keeps its name.
    bound -= {node.test.name.expanded for node in expr.walk() if _is_named_step(node)}  # type: ignore[attr-defined]

    def renamed(node: ast.Node) -> ast.Node | None:
        if isinstance(node, ast.Name) and node.expanded in bound:
            return names.setdefault(node.expanded, ast.Name(f"v{len(names)}", None, RECORD.uri))
        return None

    return replaced(expr, renamed)


def _is_named_step(node: ast.Node) -> bool:
    return isinstance(node, ast.AxisStep) and isinstance(node.test, ast.NameTest)


@dataclass(frozen=True)
class _Place:
    """The context of an expression: the meaning of its variables, and the loop over records around it."""

    scope: Scope
    loop: int | None = None
    conditions: Conditions = ()
    is_inside: bool = False
    """Whether it is inside an element that is constructed for each record."""


class _Writer:
    """Collects the parts and wholes that a query writes."""

    def __init__(self, properties: Properties) -> None:
        self.properties = properties
        self.reader: RecordReads = properties.reader()
        self.answer = Answer()
        self._loops = 1_000

    def write(self, expr: ast.Expr, at: _Place) -> None:
        """Record an expression whose value is part of the answer."""
        is_element = isinstance(expr, (ast.DirectElement, ast.ComputedElement)) and at.loop is not None
        if is_element and not any(isinstance(one, Item) for one in at.scope.values()):
            # One result per record determines the number of records, and the assignment of results.
            self._part(at).is_told_apart = True
            at = replace(at, is_inside=True)
        match expr:
            case ast.SequenceExpr(items=items):
                for item in items:
                    self.write(item, at)
            case ast.EnclosedExpr(body=body) | ast.ComputedElement(body=body) | ast.ComputedDocument(body=body):
                self.write(body, at)
            case ast.DirectElement(attributes=attributes, content=content):
                for attribute in attributes:
                    if len(attribute.parts) == 1 and isinstance(attribute.parts[0], ast.EnclosedExpr):
                        self._write_value(attribute.parts[0].body, at)
                for part in content:
                    self.write(part, at)
            case ast.Flwor() if self._write_loop(expr, at):
                pass
            case ast.If(test=test, then=then, otherwise=otherwise) if at.loop is not None:
                self._write_choice(test, then, otherwise, at)
            case ast.Path() | ast.Filter() | ast.VarRef() if self._write_nodes(expr, at):
                pass
            case _:
                self._write_value(expr, at)

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
        part = self._part(at)
        project(path, {RECORD.expanded: part.carried})
        part.is_told_apart |= at.is_inside or self.properties.facts.is_always_one(path)

    def _write_value(self, expr: ast.Expr, at: _Place) -> None:
        if at.loop is None:
            whole = whole_of(self.properties, expr) if free_in(expr) == {("", ROOT)} else None
            if whole is not None:
                self.answer.wholes.append(whole)
            return
        if any(isinstance(one, Item) and name in free_in(expr) for name, one in at.scope.items()):
            return
        value = self._of_record(expr, at)
        if value is None:
            return
        part = self._part(at)
        part.values.add(value)
        part.is_told_apart |= at.is_inside
        path = next((one for name in ("string", "data") if (one := argument_of(value, name)) is not None), value)
        if is_path(path) and _is_bare(path) and self.properties.facts.is_always_one(path):
            # The string of a single node that always exists is its text.
            text = ast.FunctionCall(ast.Name("string", None, FN), (path,))
            project(text, {RECORD.expanded: part.carried})

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
                return _Place({**at.scope, name: One(THE_RECORD, self._loops)}, self._loops, conditions)
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


def _is_downward(path: ast.Expr) -> bool:
    """Whether an expression is a downward path from the record."""
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        path = path.left
    return path == THE_RECORD


def _is_bare(path: ast.Expr) -> bool:
    """Whether a path has no predicates, so it selects everything."""
    return not any(
        isinstance(node, ast.Filter) or (isinstance(node, ast.AxisStep) and node.predicates) for node in path.walk()
    )
