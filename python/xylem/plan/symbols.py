"""The symbols of an element: which of its children a path goes through, and what a schema knows of their order.

Symbols are local names of child elements and `text()`. The symbol `*` stands for children of any name, where no schema
says which. Attributes are no symbols here: they have passed before the first child.
"""

from __future__ import annotations

from xylem.analysis.projection import Projection
from xylem.schema.constraints import ElementConstraints, Schema

from .flux import Step
from .needs import element_names

ANY = "*"
TEXT = "text()"
Symbols = frozenset[str]
NONE: Symbols = frozenset()


def first_symbols(needed: Projection, of: ElementConstraints | None) -> Symbols:
    """The children of an element that must have passed before what is needed of it is complete (`dep`)."""
    if needed.subtree or needed.string:
        return frozenset({ANY})
    found: set[str] = {TEXT} if needed.text else set()
    for axis, _, local in needed.children:
        found |= _reached(axis, local, of)
    return frozenset(found)


def step_symbols(step: Step, of: ElementConstraints | None) -> Symbols:
    """The children of an element that a step selects, or goes through."""
    if step.axis == "attribute":
        return NONE
    if step.name == TEXT:
        return frozenset({TEXT})
    return _reached(step.axis, element_names(step)[1], of)


def is_element_step(step: Step) -> bool:
    """Whether a step selects elements, not attributes or text."""
    return step.axis != "attribute" and step.name != TEXT


def _reached(axis: str, local: str | None, of: ElementConstraints | None) -> Symbols:
    if axis == "child" and local is not None:
        return frozenset({local})
    elements = None if of is None else child_elements(of)
    if of is None or elements is None:
        return frozenset({ANY})
    if local is None:
        return elements
    return frozenset(name for name in elements if name == local or may_contain(of.child(name), local))


def child_elements(of: ElementConstraints) -> Symbols:
    """The names of the elements that can occur directly below."""
    return frozenset(name for name in of.symbols if name != TEXT and not name.startswith("@"))


def may_contain(of: ElementConstraints | None, local: str) -> bool:
    """Whether an element of a name can occur at any depth below."""
    todo, met = [of], {id(of)}
    while todo:
        current = todo.pop()
        if current is None:
            return True
        names = child_elements(current)
        if local in names or ANY in names:
            return True
        for name in names:
            below = current.child(name)
            if id(below) not in met:
                met.add(id(below))
                todo.append(below)
    return False


def is_ordered(first: str, seconds: Symbols, of: ElementConstraints | None) -> bool:
    """Ord(first, second) for every second: no `first` can come after any of them.

    No symbols at all are those of attributes, before which no child has passed. White space is never part of a content
    model, so nothing is known of the order of text.
    """
    if of is None or first in (ANY, TEXT) or not seconds:
        return False
    # Not even with itself, where there is at most one: while it passes, it has not passed.
    return all(second not in (ANY, TEXT, first) and of.ordered(first, second) for second in seconds)


def reached_type(step: Step, of: ElementConstraints | None, schema: Schema | None) -> ElementConstraints | None:
    """What is known of the elements a step selects."""
    uri, local = element_names(step)
    if not is_element_step(step) or local is None:
        return None
    if step.axis == "child" and of is not None:
        return of.child(local)
    return None if schema is None else schema.element(local, uri)
