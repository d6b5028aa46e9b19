"""Content models: the children of an element as regular expressions over their names.

DTDs and XML Schemas both become these nodes; all later stages (automata, constraints, validation) know no other form.
Text is not a symbol of the expressions: if it is allowed at all, it is allowed between any two children, so `PCData`,
`Mixed` and `Any` declare it once for the whole element. A node prints in the form of a DTD.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Content:
    """Any content model."""

    def parts_below(self) -> tuple[Content, ...]:
        """The direct parts of this model."""
        return ()

    def __str__(self) -> str:
        raise NotImplementedError

    def _grouped(self) -> str:
        """In parentheses if needed as an operand of `?`, `*` or `+`."""
        return f"({self})"


# --- symbols


@dataclass(frozen=True, slots=True)
class Name(Content):
    """A child element. `uri` None is not known: a DTD has no namespaces, its names match by local name."""

    local: str
    uri: str | None = None
    declaration: str = field(default="", compare=False)
    """The key of the declaration for this child here; in an XSD it depends on the parent."""

    def __str__(self) -> str:
        return self.local

    def _grouped(self) -> str:
        return self.local


@dataclass(frozen=True, slots=True)
class Wildcard(Content):
    """Any one element of some namespaces (xs:any)."""

    allowed: frozenset[str] | None = None
    """Namespace URIs, "" for none; None for all of them."""
    excluded: frozenset[str] = frozenset()
    process_contents: str = "strict"
    """strict: it must be declared; lax: it follows a declaration if there is one; skip: it follows none."""

    def admits(self, uri: str | None) -> bool:
        """Whether elements of a namespace may occur here; an unknown namespace may."""
        return uri is None or (uri not in self.excluded and (self.allowed is None or uri in self.allowed))

    def __str__(self) -> str:
        if self.allowed is None and not self.excluded:
            return "any"
        names = ", ".join(repr(uri) for uri in sorted(self.excluded if self.allowed is None else self.allowed))
        return f"any {'not ' if self.allowed is None else ''}in {{{names}}}"


# --- operators


@dataclass(frozen=True, slots=True)
class Sequence(Content):
    """One after the other; without parts, the empty word."""

    parts: tuple[Content, ...] = ()

    def parts_below(self) -> tuple[Content, ...]:
        return self.parts

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"

    def _grouped(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Choice(Content):
    """One of them."""

    parts: tuple[Content, ...]

    def parts_below(self) -> tuple[Content, ...]:
        return self.parts

    def __str__(self) -> str:
        return f"({' | '.join(map(str, self.parts))})"

    def _grouped(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class All(Content):
    """Each of them, in any order and mixed with each other (xs:all).

    The parts are symbols or choices of symbols, repeated or not.
    """

    parts: tuple[Content, ...]

    def parts_below(self) -> tuple[Content, ...]:
        return self.parts

    def __str__(self) -> str:
        return f"({' & '.join(map(str, self.parts))})"

    def _grouped(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class _Repeated(Content):
    part: Content

    def parts_below(self) -> tuple[Content, ...]:
        return (self.part,)

    def bounds(self) -> tuple[int, int | None]:
        """The least and the greatest number of times; None means unbounded."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Optional(_Repeated):
    """part?."""

    def bounds(self) -> tuple[int, int | None]:
        return 0, 1

    def __str__(self) -> str:
        return f"{self.part._grouped()}?"


@dataclass(frozen=True, slots=True)
class Star(_Repeated):
    """part*."""

    def bounds(self) -> tuple[int, int | None]:
        return 0, None

    def __str__(self) -> str:
        return f"{self.part._grouped()}*"


@dataclass(frozen=True, slots=True)
class Plus(_Repeated):
    """part+."""

    def bounds(self) -> tuple[int, int | None]:
        return 1, None

    def __str__(self) -> str:
        return f"{self.part._grouped()}+"


@dataclass(frozen=True, slots=True)
class Repeat(_Repeated):
    """part{least,most}: the occurrence bounds of XML Schema; `most` None is unbounded."""

    least: int
    most: int | None

    def bounds(self) -> tuple[int, int | None]:
        return self.least, self.most

    def __str__(self) -> str:
        return f"{self.part._grouped()}{{{self.least},{'' if self.most is None else self.most}}}"


# --- whole contents


@dataclass(frozen=True, slots=True)
class Empty(Content):
    """No children and no text."""

    def __str__(self) -> str:
        return "EMPTY"


@dataclass(frozen=True, slots=True)
class PCData(Content):
    """Text only."""

    def __str__(self) -> str:
        return "(#PCDATA)"


@dataclass(frozen=True, slots=True)
class Mixed(Content):
    """The children of `part`, with text before, between and after them."""

    part: Content

    def parts_below(self) -> tuple[Content, ...]:
        return (self.part,)

    def __str__(self) -> str:
        if isinstance(self.part, Star) and isinstance(self.part.part, Choice):
            return f"(#PCDATA | {' | '.join(map(str, self.part.part.parts))})*"
        return f"mixed {self.part._grouped()}"


@dataclass(frozen=True, slots=True)
class Any(Content):
    """Text, and any declared elements in any order (ANY)."""

    def __str__(self) -> str:
        return "ANY"


EMPTY_WORD = Sequence()


def repeated(part: Content, least: int, most: int | None) -> Content:
    """The simplest node for `part{least,most}`.

    >>> print(repeated(Name("a"), 0, None), repeated(Name("a"), 2, 3))
    a* a{2,3}
    """
    match least, most:
        case _, 0:
            return EMPTY_WORD
        case 1, 1:
            return part
        case 0, 1:
            return Optional(part)
        case 0, None:
            return Star(part)
        case 1, None:
            return Plus(part)
    return Repeat(part, least, most)


def allows_text(content: Content) -> bool:
    """Whether text other than white space may occur among the children."""
    return isinstance(content, PCData | Mixed | Any)


def word_model(content: Content) -> Content:
    """The expression over child elements only."""
    if isinstance(content, Mixed):
        return content.part
    return EMPTY_WORD if isinstance(content, Empty | PCData) else content


def leaves(content: Content) -> Iterator[Name | Wildcard]:
    """The symbols of a model from left to right, each as often as it is written."""
    stack = [content]
    while stack:
        node = stack.pop()
        if isinstance(node, Name | Wildcard):
            yield node
        stack.extend(reversed(node.parts_below()))
