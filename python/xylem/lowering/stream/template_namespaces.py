"""The tags of constructed elements with their namespace declarations, as the output would write them in their place.

        <feed xmlns="urn:f">{ for $p in … return <x:e xmlns:x="urn:x">{ $p/en }</x:e> }</feed>
    →   x:e declares x; the copy of en is in no namespace and must undeclare the default

Safe:   the event writer itself decides what a start tag declares inside others (`sink/event_writer.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xylem.analysis.resolve_names import declared_namespaces
from xylem.errors import XylemError
from xylem.plan.flux import (
    Copy,
    Fixed,
    Flux,
    For,
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
from xylem.plan.result_template import Around
from xylem.sink.event_writer import EventWriter
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.syntax import ast
from xylem.values.qname import QName

from .kernel_expressions.as_loops import is_atomic
from .template_paths import NoTemplate

_ATTRIBUTE = re.compile(r' ([^\s=]+)="([^"]*)"')


@dataclass(frozen=True)
class Opened:
    """An open element: the name and namespaces of its start tag."""

    name: QName
    declared: Mapping[str, str] = field(default_factory=dict)
    around: Mapping[str, str] = field(default_factory=dict)
    """As for `TreeBuilder.start_element`."""
    literal: bool = False
    attributes: tuple[QName, ...] = ()
    takes_attributes: bool = False
    """Whether input attributes are copied into it, which may be in namespaces."""

    @property
    def is_plain(self) -> bool:
        """Whether it involves no namespaces."""
        if self.takes_attributes or self.declared or self.around:
            return False
        return not any(name.uri or name.prefix for name in (self.name, *self.attributes))


@dataclass(frozen=True)
class Tag:
    """A start tag: its name, its declarations, the names of its attributes."""

    name: str
    declarations: tuple[tuple[str, str], ...]
    attributes: tuple[str, ...]


def opened_by(element: ast.DirectElement, around: Mapping[str, str], literal: bool) -> Opened:
    """The element that a direct constructor opens."""
    attributes = tuple(qname(attribute.name) for attribute in element.attributes)
    return Opened(qname(element.name), declared_namespaces(element), around, literal, attributes)


def qname(name: ast.Name) -> QName:
    """A name of the query, resolved."""
    return QName(name.uri or "", name.local, name.prefix or "")


def tag_inside(outer: tuple[Opened, ...], element: Opened) -> Tag:
    """The start tag of an element inside others."""
    if element.is_plain and all(each.is_plain for each in outer):
        return Tag(element.name.local, (), tuple(name.local for name in element.attributes))
    if any(each.takes_attributes for each in outer) and not _has_plain_names(outer, element):
        raise NoTemplate("names that depend on attributes of the input")
    text = _written((*outer, element))
    tag = text[text.rindex("<") :]
    found = _ATTRIBUTE.findall(tag)
    declarations = len(found) - len(element.attributes)
    name = re.split(r"[\s>]", tag[1:], maxsplit=1)[0]
    return Tag(name, tuple(found[:declarations]), tuple(key for key, _ in found[declarations:]))


def declared_inside(outer: tuple[Opened, ...]) -> Around:
    """The namespaces declared inside elements."""
    if all(each.is_plain for each in outer):
        return Around.NOTHING
    scope = _writer(outer, []).declared
    if scope.get(""):
        return Around.DEFAULT
    return Around.PREFIXES if scope or any(each.takes_attributes for each in outer) else Around.NOTHING


def _has_plain_names(outer: tuple[Opened, ...], element: Opened) -> bool:
    return all(replace(each, takes_attributes=False).is_plain for each in (*outer, element))


def _written(elements: tuple[Opened, ...]) -> str:
    pieces: list[str] = []
    _writer(elements, pieces).flush()
    return "".join(pieces)


def _writer(elements: tuple[Opened, ...], pieces: list[str]) -> EventWriter:
    parameters = SerializationParameters.from_options({"omit-xml-declaration": "yes"})
    writer = EventWriter(parameters, pieces.append)
    try:
        for element in elements:
            writer.start_element(element.name, element.declared, element.around, element.literal)
            for name in element.attributes:
                writer.attribute(name, "")
            writer.begin_content()
    except XylemError as wrong:
        raise NoTemplate("names that are an error") from wrong
    return writer


def elements_around(program: Flux, whole: Flux | None = None) -> dict[str, tuple[Opened, ...]] | None:
    """For each variable of a handler the elements that are open where it writes; None if conditions decide that.

    A program may be part of a whole without namespaces: the elements around it are not known here.
    """
    found = _Places()
    try:
        if whole is not None:
            found.visit(whole)
            outer = Opened(QName("", "outer", ""), takes_attributes=True)
            found = _Places((outer,) if found.takes_attributes else ())
        found.visit(program)
    except NoTemplate:
        return None
    return found.places


class _Places:
    """Follows the output of a program."""

    def __init__(self, outer: tuple[Opened, ...] = ()) -> None:
        self.open = list(outer)
        self.takes_attributes = False
        """Whether any element takes input attributes."""
        self.places: dict[str, tuple[Opened, ...]] = {}

    def visit(self, program: Flux) -> None:
        match program:
            case Fixed(opens=opens, closes=None, literal=literal) if opens is not None:
                self.open.append(opened_by(opens, {}, literal))
            case Fixed(opens=None, closes=closes) if closes is not None:
                # An earlier part of the output may have opened it.
                del self.open[-1:]
            case Opening(element=element, literal=literal):
                self.open.append(opened_by(element, {}, literal))
            case Leaf(expression=expression):
                self._content(expression)
            case Copy(path=path) if path and path[-1].axis == "attribute":
                self._take_attributes()
            case For(path=path, body=Copy()) if path and path[-1].axis == "attribute":
                self._take_attributes()
            case Sequence(parts=parts):
                for part in parts:
                    self.visit(part)
            case If(body=body) | For(body=body):
                before = tuple(self.open)
                self.visit(body)
                if len(self.open) != len(before) and not all(each.is_plain for each in (*self.open, *before)):
                    raise NoTemplate("tags under a condition")
            case ProcessStream(handlers=handlers):
                for handler in handlers:
                    if isinstance(handler, OnFirst):
                        self.visit(handler.body)
                    elif isinstance(handler, (On, OnWindow, OnEach)):
                        if isinstance(handler, On) and handler.step.axis == "attribute":
                            self._take_attributes()
                        self._enter(handler.variable, handler.body)

    def _content(self, expression: ast.Expr) -> None:
        if any(isinstance(node, ast.ComputedNamespace) for node in expression.walk()):
            raise NoTemplate("computed namespaces")
        if not is_atomic(expression) and not isinstance(expression, ast.DirectElement):
            self._take_attributes()

    def _take_attributes(self) -> None:
        """Content that may be attributes goes into the innermost element."""
        self.takes_attributes = True
        if self.open:
            self.open[-1] = replace(self.open[-1], takes_attributes=True)

    def _enter(self, variable: str, body: Flux) -> None:
        if self.places.setdefault(variable, tuple(self.open)) != tuple(self.open):
            raise NoTemplate("one name for two handlers")
        self.visit(body)
