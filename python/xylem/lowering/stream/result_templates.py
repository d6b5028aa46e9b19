"""Handlers whose results the scan can write: the body of a handler as a template (`plan/result_template.py`).

        { if ($p/en > 1.3) then <rxj>{ $p/ra }{ $p/en }</rxj> }   →   Construct("rxj", (Copies(ra), Copies(en)))

Gain:   no tree is made of a record and no code runs for it; results cost what their bytes cost.
Needs:  constructors in no namespace, copies and values at the ends of child paths, loops over them, and comparisons of
        such values with constants; nothing but the record is read. Atomic values have something certain between them.
Safe:   the handler is still there: records the scan leaves undecided are handled by it, and so are all of them where
        the output wants something else than plain text. What the template reads, the handler reads too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.functions.registry import FN
from xylem.plan.flux import (
    Copy,
    Fixed,
    Flux,
    For,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    ProcessStream,
    Sequence,
)
from xylem.plan.result_template import (
    Cell,
    Characters,
    Column,
    Construct,
    Copies,
    Each,
    Part,
    Path,
    Piece,
    Template,
    ValueOf,
    Values,
    When,
)
from xylem.plan.scan_plan import ValueTest
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.syntax import ast
from xylem.values.string_of import string_of

from .hoisting import grouped, hoisted
from .row_templates import cell_of_value, is_text, row_of_map, row_of_value, rows_alone, rows_of_values
from .selection import Selection
from .template_paths import NoTemplate, Taken, element_path, taken_by

_NOT = ast.Name("not", None, FN)


def template_of(
    body: Flux,
    variable: str,
    selection: Selection,
    decided: Collection[ast.Expr],
    columns: tuple[Column, ...] | None = None,
) -> Template | None:
    """The template of a body, where the scan has decided some of its conditions; None where there is none.

    With `columns` it consists of rows of a table.
    """
    try:
        parts = _Maker(selection, frozenset(decided), columns).template(body, variable)
        return parts if columns is None or not parts else rows_alone(parts, columns)
    except NoTemplate:
        return None


def has_namespaces(program: Flux) -> bool:
    """Whether a program constructs elements in namespaces, or declares any: copies then depend on where they stand."""
    match program:
        case Fixed(opens=opens):
            return opens is not None and _is_named(opens)
        case Opening(element=element):
            return _is_named(element)
        case Sequence(parts=parts):
            return any(map(has_namespaces, parts))
        case If(body=inner) | For(body=inner):
            return has_namespaces(inner)
        case ProcessStream(handlers=handlers):
            bodies = [h.body for h in handlers if isinstance(h, (On, OnFirst, OnWindow, OnEach))]
            return any(map(has_namespaces, bodies))
    return False


def _is_named(element: ast.DirectElement) -> bool:
    nodes = (node for node in element.walk() if isinstance(node, ast.DirectElement))
    return any(node.namespaces or node.name.uri or node.name.prefix for node in nodes)


@dataclass
class _Frame:
    """A constructed element under way, or the place outside of all of them."""

    element: ast.DirectElement | None = None
    attributes: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    parts: list[Part] = field(default_factory=list)


class _Maker:
    """Follows a body as `body.py` writes it, and notes what it would write."""

    def __init__(
        self, selection: Selection, decided: frozenset[ast.Expr], columns: tuple[Column, ...] | None
    ) -> None:
        self.selection = selection
        self.columns = columns
        self.decided = decided
        self.variables: list[str] = []
        """The record and the elements of the loops around the place, the innermost last."""
        self.frames = [_Frame()]
        """What is under way: first what stands outside of elements, then the open ones."""
        self.depth = 0
        """Open elements, those around a loop or condition included."""
        self.after_atomic = False
        """Whether an atomic value may have been the last: another one would be set off by a blank."""

    def template(self, body: Flux, variable: str) -> Template:
        self.variables.append(variable)
        return self._inner(body)

    # --- bodies

    def write(self, body: Flux) -> None:
        match body:
            case Fixed():
                self._fixed(body)
            case Opening(element=element, inside=()):
                self._open(element)
            case Sequence(parts=parts):
                # Conditions stand at every output; in front of all they hold whole elements.
                for part in grouped(parts):
                    self.write(part)
            case For(position=None, window=None):
                self._for(body)
            case Copy(variable=variable, path=path):
                self._nodes(variable, *element_path(path))
            case If(condition=condition, body=inner):
                self._when(condition, inner)
            case Leaf(expression=expression, inside=(), is_global=False):
                self._expression(expression)
            case ProcessStream(variable=variable, handlers=handlers):
                self.write(Sequence(tuple(_as_part(handler, variable) for handler in handlers)))
            case _:
                raise NoTemplate

    def _fixed(self, fixed: Fixed) -> None:
        if fixed.opens is not None and fixed.closes is not None:
            self._constant(fixed.opens)
        elif fixed.opens is not None:
            self._open(fixed.opens)
        elif fixed.closes is not None:
            self._close()
        else:
            self._text(fixed.text)

    def _constant(self, element: ast.DirectElement) -> None:
        self._open(element)
        for part in element.content:
            match part:
                case ast.DirectText(value=value):
                    self._text(value)
                case ast.DirectElement():
                    self._constant(part)
                case _:
                    raise NoTemplate
        self._close()

    def _text(self, text: str) -> None:
        if not self.depth:
            # Where it stands is not known here.
            raise NoTemplate
        self.after_atomic = False
        if text:
            self._add(Characters(escape_text(text)))

    def _open(self, element: ast.DirectElement) -> None:
        if element.namespaces or element.name.uri or element.name.prefix:
            raise NoTemplate
        self.after_atomic = False
        self.frames.append(_Frame(element, tuple(map(self._attribute, element.attributes))))
        self.depth += 1

    def _close(self) -> None:
        if len(self.frames) == 1:
            raise NoTemplate
        self.after_atomic = False
        frame = self.frames.pop()
        self.depth -= 1
        assert frame.element is not None
        self._add(Construct(frame.element.name.local, frame.attributes, tuple(frame.parts)))

    def _add(self, part: Part) -> None:
        self.frames[-1].parts.append(part)

    def _for(self, loop: For) -> None:
        path, of, attribute = element_path(loop.path)
        up = self._up(loop.source)
        body = hoisted(loop.body if loop.where is None else If(loop.where, loop.body))
        if of is not None:
            self._leaves(body, loop.variable, (path, of, attribute), up)
        elif body == Copy(loop.variable):
            self._add(Copies(path, up))
        elif _is_atomized(body, loop.variable):
            self._atomic_values(Values(path, ValueOf.STRING, separator=" ", up=up))
        else:
            before = self.after_atomic
            self.variables.append(loop.variable)
            parts = self._inner(body)
            self.variables.pop()
            if self.after_atomic:
                # Values of one round would follow those of another.
                raise NoTemplate
            self.after_atomic = before
            self._add(Each(path, parts, up))

    def _leaves(self, body: Flux, variable: str, taken: Taken, up: int) -> None:
        """A loop over text nodes or attributes."""
        path, of, attribute = taken
        if of is ValueOf.TEXT and body == Copy(variable):
            self._add(Values(path, of, up=up))
        elif _is_atomized(body, variable):
            assert of is not None
            self._atomic_values(Values(path, of, attribute, " ", up=up))
        else:
            raise NoTemplate

    def _when(self, condition: ast.Expr, body: Flux) -> None:
        if all(each in self.decided for each in conjuncts(condition)):
            self.write(body)
            return
        tests, negated = self._tests(condition)
        before = self.after_atomic
        parts = self._inner(body)
        self.after_atomic = self.after_atomic or before
        self._add(When(tests, negated, parts))

    def _inner(self, body: Flux) -> tuple[Part, ...]:
        """What a body writes where it is written at all: whole elements."""
        around, self.frames = self.frames, [_Frame()]
        self.write(body)
        if len(self.frames) > 1:
            raise NoTemplate
        parts = tuple(self.frames[0].parts)
        self.frames = around
        return parts

    # --- conditions

    def _tests(self, condition: ast.Expr) -> tuple[tuple[ValueTest, ...], bool]:
        negated = False
        while isinstance(condition, ast.FunctionCall) and condition.name.expanded == (FN, "not"):
            negated = not negated
            (condition,) = condition.arguments
        tests = [self.selection.value_test(each, self.variables[-1]) for each in conjuncts(condition)]
        found = tuple(test for test in tests if test is not None)
        if len(found) < len(tests):
            raise NoTemplate
        return found, negated

    # --- expressions

    def _expression(self, expression: ast.Expr) -> None:
        match expression:
            case ast.StringLiteral() | ast.IntegerLiteral() | ast.DecimalLiteral() | ast.DoubleLiteral():
                self._atomic(Characters(escape_text(string_of(expression.value))))
            case ast.MapConstructor() if self.columns is not None and not self.depth:
                self._add(row_of_map(expression, self.columns, self._up))
            case ast.FunctionCall() | ast.CastAs() if self.columns is not None and not self.depth:
                self._add(row_of_value(expression, self.columns, self._up))
            case ast.FunctionCall() | ast.CastAs():
                self._atomic(self._value(expression))
            case ast.If(test=test, then=then, otherwise=otherwise) if self.columns is not None:
                self._when(test, Leaf(then))
                self._when(ast.FunctionCall(_NOT, (test,)), Leaf(otherwise))
            case ast.SequenceExpr(items=()) if self.columns is not None:
                pass
            case ast.VarRef() | ast.Path():
                variable, taken = taken_by(expression)
                self._nodes(variable, *taken)
            case _:
                raise NoTemplate

    def _nodes(self, variable: str, path: Path, of: ValueOf | None, attribute: tuple[str, str] | None) -> None:
        """Elements or text nodes become copies; attributes would belong into the start tag."""
        if of is None:
            self._add(Copies(path, self._up(variable)))
        elif of is ValueOf.TEXT:
            self._add(Values(path, of, up=self._up(variable)))
        else:
            raise NoTemplate

    def _atomic(self, part: Piece) -> None:
        if not self.depth or self.after_atomic:
            raise NoTemplate
        self.after_atomic = True
        if part != Characters(""):
            self._add(part)

    def _atomic_values(self, values: Values) -> None:
        if self.columns is not None and not self.depth:
            self._add(rows_of_values(values, self.columns))
        else:
            self._atomic(values)

    def _value(self, expression: ast.Expr) -> Values | Cell:
        """An expression as atomic values."""
        if self.columns is not None and not is_text(expression):
            return cell_of_value(expression, self._up)
        at_most_one = False
        if isinstance(expression, ast.FunctionCall):
            if expression.name.expanded not in ((FN, "string"), (FN, "data")) or len(expression.arguments) != 1:
                raise NoTemplate
            at_most_one = expression.name.local == "string"
            (expression,) = expression.arguments
        variable, (path, of, attribute) = taken_by(expression)
        of = ValueOf.STRING if of is None else of
        return Values(path, of, attribute, " ", at_most_one, self._up(variable))

    def _attribute(self, attribute: ast.DirectAttribute) -> tuple[str, tuple[Piece, ...]]:
        if attribute.name.uri or attribute.name.prefix:
            raise NoTemplate
        return attribute.name.local, tuple(self._attribute_piece(part) for part in attribute.parts)

    def _attribute_piece(self, part: str | ast.EnclosedExpr) -> Piece:
        if isinstance(part, str):
            return Characters(escape_attribute(part))
        match part.body:
            case ast.StringLiteral() | ast.IntegerLiteral() | ast.DecimalLiteral() | ast.DoubleLiteral() as literal:
                return Characters(escape_attribute(string_of(literal.value)))
        return self._value(part.body)

    # --- paths

    def _up(self, variable: str) -> int:
        if variable not in self.variables:
            raise NoTemplate
        return self.variables[::-1].index(variable)


def _as_part(handler: Handler, variable: str) -> Flux:
    """What a handler does to a record that is complete."""
    if isinstance(handler, OnFirst):
        return handler.body
    if isinstance(handler, On) and not handler.outermost and handler.position is None:
        return For(handler.variable, variable, (*handler.through, handler.step), handler.body)
    raise NoTemplate


def _is_atomized(body: Flux, variable: str) -> bool:
    """{ data($variable) } or { string($variable) }"""
    match body:
        case Leaf(
            expression=ast.FunctionCall(name=function, arguments=(ast.VarRef(name=name),)), inside=(), is_global=False
        ):
            return function.expanded in ((FN, "data"), (FN, "string")) and name.expanded == ("", variable)
    return False
