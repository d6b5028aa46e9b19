"""What can be read back from an answer: each thing that is written in one place, unless others there look the same.

        <x>{ $p/ra, $p/note }</x>                  ra and the notes have names of their own
        <x>{ string($p/ra) }{ string($p/en) }</x>  neither: 1 and 12 look like 11 and 2
        <x>{ $p/a/c, $p/b/c }</x>                  neither: nobody can say where the first c came from

A *slot* is the content of one element, one attribute value, or the answer itself. Things of a slot that cannot be told
from each other are all lost, and so is what is inside of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from xylem.analysis.facts.value_class import Values, classify
from xylem.functions.registry import FN
from xylem.syntax import ast

from .record_facts import RecordFacts, is_path


class Look(Enum):
    """What a thing in a slot looks like."""

    ELEMENT = "element"
    ATTRIBUTE = "attribute"
    TEXT = "text"
    NODES = "elements, texts and comments"
    ANYTHING = "anything"


@dataclass(eq=False)
class Thing:
    """One thing in a slot, as often as records, items and conditions bring it there."""

    look: Look
    part: object = None
    """Under which conditions it is there: things of one part come together."""
    name: tuple[str | None, str | None] = (None, None)
    """Of an element or attribute; None stands for any."""
    is_fixed: bool = False
    """Whether it is there exactly once for each record of its part."""
    run: object = None
    """Of a number or truth value that is always there: the sequence in which spaces separate it from others."""
    path: ast.Expr | None = None
    """What it copies."""
    found: Callable[[], None] | None = None
    """What to do where it can be read back."""

    def looks_like(self, other: Thing) -> bool:
        if self is other:
            return False
        if Look.ANYTHING in (self.look, other.look):
            return True
        if self.look is not other.look:
            return Look.NODES in (self.look, other.look) and Look.ATTRIBUTE not in (self.look, other.look)
        if self.look is Look.TEXT:
            if self.run is not None and self.run is other.run and None in (self.part, other.part):
                return False
            return self.run is None or self.run is not other.run or self.part is not other.part
        if any(None not in pair and pair[0] != pair[1] for pair in zip(self.name, other.name, strict=True)):
            return False
        # The first of two that are always there is always the same one; and twice the same tells no less than once.
        is_same = self.path is not None and self.path == other.path
        return self.part is not other.part or not (is_same or (self.is_fixed and other.is_fixed))


@dataclass(eq=False)
class Slot:
    """A place in an answer; `of` is the constructed element that it is in."""

    of: tuple[Slot, Thing] | None = None
    things: list[Thing] = field(default_factory=list)

    def add(self, thing: Thing) -> Thing:
        self.things.append(thing)
        return thing

    def is_clear(self, thing: Thing) -> bool:
        """Whether a thing of this slot can be told from all others."""
        if any(thing.looks_like(other) for other in self.things):
            return False
        return self.of is None or self.of[0].is_clear(self.of[1])


def name_of(path: ast.Expr) -> tuple[Look, tuple[str | None, str | None]]:
    """What the nodes at the end of a path look like."""
    match path:
        case ast.Path(right=ast.AxisStep(axis=axis, test=test)):
            look = Look.ATTRIBUTE if axis == "attribute" else Look.ELEMENT
            match test:
                case ast.NameTest(name=name):
                    return look, (name.uri or "", name.local)
                case ast.TextTest():
                    return Look.TEXT, (None, None)
                case ast.Wildcard():
                    return look, (None, None)
                case ast.AnyKindTest() if axis == "child":
                    return Look.NODES, (None, None)
    return Look.ANYTHING, (None, None)


_NUMBERS = (Values.INTEGER, Values.DECIMAL, Values.DOUBLE)


class Reading(Enum):
    """What the text that is written for a value still tells."""

    NUMBER = "number"
    """A number or a truth value; or nothing, where there is none."""
    ALWAYS_NUMBER = "a number that is always there"
    STRING = "string"
    """One string, which may be empty."""
    TEXT = "text"
    """Only the text: not how many values it was made of, nor whether there were any."""


def reading_of(value: ast.Expr, facts: RecordFacts) -> Reading:
    """What is known of the text of a value of a record."""
    if isinstance(value, ast.FunctionCall) and value.name.uri == FN and len(value.arguments) == 1:
        is_known = classify(value.arguments[0], {}).values in (Values.UNTYPED, *_NUMBERS)
        if value.name.local == "sum" and is_known:
            return Reading.ALWAYS_NUMBER
        if value.name.local in ("avg", "min", "max") and is_known:
            return Reading.NUMBER
    known = classify(value, {})
    if known.values.is_numeric or known.values is Values.BOOLEAN:
        if known.is_one or _is_always(value, facts):
            return Reading.ALWAYS_NUMBER
        if known.single or isinstance(value, (ast.Arithmetic, ast.Unary, ast.ValueComparison)):
            return Reading.NUMBER
    if known.values is Values.STRING and known.is_one:
        return Reading.STRING
    return Reading.TEXT


def _is_always(value: ast.Expr, facts: RecordFacts) -> bool:
    """Whether there is exactly one value, unless it is an error."""
    match value:
        case ast.Arithmetic(left=left, right=right):
            return _is_always(left, facts) and _is_always(right, facts)
        case ast.Unary(operand=operand):
            return _is_always(operand, facts)
        case _ if is_path(value):
            return facts.is_always_one(value)
    return classify(value, {}).is_one
