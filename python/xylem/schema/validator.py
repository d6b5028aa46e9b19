"""Validation in the same pass: a document's structure against its schema, while the elements arrive (thesis §3.7.1).

The validator checks the order and number of children, text in elements without text, and attributes: required,
declared, fixed, enumerated. It does not check simple types of values, nor constraints that need memory of the whole
document (ID, IDREF, keys).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xylem.errors import InputError

from .automaton_constraints import AutomatonConstraints
from .content_model import Empty, allows_text
from .declarations import AttributeDeclaration
from .declared_schema import DeclaredSchema
from .matcher import NO_STATE, START
from .wording import expectation

_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XMLNS = "http://www.w3.org/2000/xmlns/"
_BROKEN = -1
"""A state: a violation was already reported, and the rest of this element is not compared any more."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong, and in which element."""

    path: str
    """From the root: `/bib/book`."""
    child_position: int
    """The number of the child that is wrong, from 1; 0 if the element itself is wrong."""
    why: str

    def error(self, place: str = "") -> InputError:
        """The error to raise; `place` is the place in the input according to its reader."""
        child = f", child {self.child_position}" if self.child_position else ""
        return InputError("XYIN0021", f"{self.why}{place}, in {self.path}{child}")


class _Open:
    """An open element and its state in its content model."""

    __slots__ = ("children", "constraints", "local", "state")

    def __init__(self, local: str, constraints: AutomatonConstraints | None) -> None:
        self.local = local
        self.constraints = constraints
        """None: its content is not compared."""
        self.state = START
        self.children = 0


class Validator:
    """Compares a document with a schema, event by event; each event returns its violation, or None.

    Holds:  one small record per open element.
    Order:  `start` and `end` for every element, `text` for text; attributes come with the start.
    End:    after a violation the element is not compared further, its descendants and ancestors are.
    """

    def __init__(self, schema: DeclaredSchema, only: Collection[str] | None = None) -> None:
        """`only` names the elements whose content is compared (the lazy mode): those that a plan relies on. All by
        default.

        In the lazy mode the caller need not report anything below other elements.
        """
        self._schema = schema
        self._only = only
        self._open = [_Open("", schema.document())]

    @property
    def path(self) -> str:
        """The path of the open elements from the root."""
        return "/" + "/".join(element.local for element in self._open[1:])

    def start(
        self, local: str, uri: str | None = "", attributes: Collection[tuple[str, str, str]] = ()
    ) -> Violation | None:
        """A start tag. Attributes are (uri, local, value), with or without namespace declarations."""
        parent = self._open[-1]
        constraints = None
        if parent.constraints is not None:
            constraints = parent.constraints.child_element(local, uri)
        if constraints is None:
            constraints = self._schema.element(local, uri)
        violation = self._child(parent, local, uri, is_declared=constraints is not None)
        if self._only is not None and local not in self._only:
            constraints = None
        self._open.append(_Open(local, constraints))
        if violation is not None or constraints is None:
            return violation
        return self._attributes(constraints, attributes)

    def text(self, data: str) -> Violation | None:
        """Text. White space is allowed wherever children are."""
        element = self._open[-1]
        constraints = element.constraints
        if constraints is None or element.state == _BROKEN or allows_text(constraints.content):
            return None
        if not isinstance(constraints.content, Empty) and not data.strip(" \t\r\n"):
            return None
        element.state = _BROKEN
        return Violation(self.path, 0, f"text in <{element.local}>, which has none")

    def end(self) -> Violation | None:
        """An end tag."""
        element = self._open[-1]
        violation = None
        constraints = element.constraints
        if constraints is not None and element.state != _BROKEN and not constraints.matcher.accepts(element.state):
            expected = expectation(constraints.matcher.expected(element.state))
            violation = Violation(self.path, 0, f"<{element.local}> ends where {expected}")
        self._open.pop()
        return violation

    # --- parts of an event

    def _child(self, parent: _Open, local: str, uri: str | None, *, is_declared: bool) -> Violation | None:
        parent.children += 1
        if parent.constraints is None or parent.state == _BROKEN:
            return None
        matcher = parent.constraints.matcher
        state = matcher.advance(parent.state, local, uri)
        if state != NO_STATE:
            parent.state = state
            if is_declared or not self._schema.is_closed or self._schema.declarations(local, uri):
                return None
            return Violation(self.path, parent.children, f"<{local}> is not declared")
        may_end = len(self._open) > 1 and matcher.accepts(parent.state)
        expected = expectation(matcher.expected(parent.state), end=may_end)
        parent.state = _BROKEN
        return Violation(self.path, parent.children, f"<{local}> where {expected}")

    def _attributes(
        self, constraints: AutomatonConstraints, attributes: Collection[tuple[str, str, str]]
    ) -> Violation | None:
        element = self._open[-1].local
        required = 0
        for uri, local, value in attributes:
            declared = constraints.attribute(local, uri)
            if declared is None:
                if uri in (_XSI, _XMLNS) or constraints.declaration.other_attributes:
                    continue
                return Violation(self.path, 0, f"the attribute '{local}' of <{element}> is not declared")
            required += declared.required
            if declared.fixed and value != declared.default:
                return Violation(self.path, 0, f"the attribute '{local}' is '{value}', not '{declared.default}'")
            if declared.values and " ".join(value.split()) not in declared.values:
                allowed = ", ".join(declared.values)
                return Violation(self.path, 0, f"the attribute '{local}' is '{value}', not one of: {allowed}")
        if required < constraints.required_attributes:
            given = {(uri, local) for uri, local, _ in attributes}
            names = [a.local for a in constraints.attributes if a.required and not _is_given(a, given)]
            return Violation(self.path, 0, f"<{element}> lacks {', '.join(map(repr, names))}")
        return None


def _is_given(attribute: AttributeDeclaration, given: set[tuple[str, str]]) -> bool:
    return any(local == attribute.local and attribute.uri in (None, uri) for uri, local in given)
