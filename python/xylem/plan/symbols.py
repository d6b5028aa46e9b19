"""The symbols of an element: the children that a path goes through, and what a schema knows about their order.

Symbols are names of child elements with their namespaces, `Q{uri}book` (`book` for any namespace), and `text()`. The
symbol `*` means children of any name, if no schema lists them, and comments and processing instructions, which no
schema lists. Attributes are not symbols here: they have passed before the first child.
"""

from __future__ import annotations

from xylem.analysis.projection import Projection
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import element_symbol, readable, symbol

from .flux import Step
from .needs import element_names

ANY = "*"
TEXT = "text()"
LEAVES = frozenset({TEXT, "comment()", "processing-instruction()"})
"""The names of steps to childless nodes."""
Symbols = frozenset[str]
NONE: Symbols = frozenset()


def first_symbols(needed: Projection, of: ElementConstraints | None) -> Symbols:
    """The children of an element that must have passed before the needed parts of it are complete (`dep`)."""
    if needed.subtree or needed.string or needed.remarks:
        return frozenset({ANY})
    found: set[str] = {TEXT} if needed.text else set()
    for axis, uri, local in needed.children:
        found |= _reached(axis, uri, local, of)
    return frozenset(found)


def step_symbols(step: Step, of: ElementConstraints | None) -> Symbols:
    """The children of an element that a step selects, or goes through."""
    if step.axis == "attribute":
        return NONE
    if step.name == TEXT:
        return frozenset({TEXT}) if step.axis == "child" else frozenset({TEXT, *_reached("descendant", None, None, of)})
    if step.name in LEAVES:
        return frozenset({ANY})
    return _reached(step.axis, *element_names(step), of)


def step_symbol(step: Step) -> str | None:
    """The symbol of the elements a step selects by name; None unless it selects elements with a single name."""
    uri, local = element_names(step)
    return None if local is None or not is_element_step(step) else element_symbol(local, uri)


def written(symbols: Symbols | None) -> str:
    """Symbols as programs print them."""
    return "*" if symbols is None else ", ".join(sorted(map(readable, symbols)))


def is_element_step(step: Step) -> bool:
    """Whether a step selects elements, not attributes, text, comments or processing instructions."""
    return step.axis != "attribute" and step.name not in LEAVES


def _reached(axis: str, uri: str | None, local: str | None, of: ElementConstraints | None) -> Symbols:
    if axis == "child" and local is not None:
        return frozenset({element_symbol(local, uri)})
    if of is None or ANY in of.elements:
        return frozenset({ANY})
    if local is None:
        return frozenset(name for name in of.elements if may_be(name, uri))
    return frozenset(
        name for name in of.elements if may_be(name, uri, local) or may_contain(of.child(name), local, uri)
    )


def may_be(name: str, uri: str | None, local: str | None = None) -> bool:
    """Whether an element with a symbol may have a name, or be in a namespace; None for any."""
    found = symbol(name)
    return local in (None, found.local) and (None in (uri, found.uri) or uri == found.uri)


def may_contain(of: ElementConstraints | None, local: str, uri: str | None = None) -> bool:
    """Whether an element of a name can occur at any depth below."""
    todo, met = [of], {id(of)}
    while todo:
        current = todo.pop()
        if current is None:
            return True
        if ANY in current.elements or any(may_be(name, uri, local) for name in current.elements):
            return True
        for name in current.elements:
            below = current.child(name)
            if id(below) not in met:
                met.add(id(below))
                todo.append(below)
    return False


def is_ordered(first: str, seconds: Symbols, of: ElementConstraints | None) -> bool:
    """Ord(first, second) for every second: no `first` can come after any of them.

    An empty set belongs to attributes, before which no child has passed. White space is never part of a content model,
    so the order of text is unknown.
    """
    if of is None or first in (ANY, TEXT) or not seconds:
        return False
    # Not even with itself if there is at most one: while it passes, it has not passed.
    return all(second not in (ANY, TEXT, first) and of.ordered(first, second) for second in seconds)


def reached_type(step: Step, of: ElementConstraints | None, schema: Schema | None) -> ElementConstraints | None:
    """The known type of the elements a step selects."""
    name = step_symbol(step)
    if name is None:
        return None
    if step.axis == "child" and of is not None:
        return of.child(name)
    uri, local = element_names(step)
    return None if schema is None or local is None else schema.element(local, uri)
