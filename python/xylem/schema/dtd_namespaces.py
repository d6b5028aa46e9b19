"""The namespaces of a DTD's elements: its names are literal, `p:book`, but it may declare their prefixes.

        <!ATTLIST bib xmlns CDATA #FIXED "urn:books">       bib, and all below it without a prefix, is in urn:books
        <!ATTLIST bib xmlns:p CDATA #FIXED "urn:prices">    p:price is in urn:prices

A valid document declares namespaces only by attributes that the DTD declares, so fixed ones leave no choice. One that
is only a default may be overridden: nothing is known then. A DTD that declares no such attribute is assumed to ignore
namespaces: its names match by their local part.

The meaning of an unprefixed name depends on its ancestors. So there is one declaration for each name and each namespace
it can be in, as XML Schemas have several for one name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .content_model import Any, Choice, Content, Mixed, Name, Sequence, _Repeated, leaves
from .declarations import AttributeDeclaration, ElementDeclaration

XMLNS = "xmlns"
_BETWEEN = "\n"
"""Separates a name and its namespace in the key of a declaration; no name contains it."""


class DtdNamespaces:
    """Assigns namespaces to the elements of a DTD.

    `attributes` holds the declarations of `xmlns` and `xmlns:p`, by the written name of the element.
    """

    def __init__(
        self,
        elements: Mapping[str, ElementDeclaration],
        attributes: Mapping[str, Mapping[str, AttributeDeclaration]],
    ) -> None:
        self._elements = elements
        self._defaults = {name: _fixed(found[XMLNS]) for name, found in attributes.items() if XMLNS in found}
        self._prefixes = dict(_prefixes(attributes.values()))
        self._is_silent = not any(attributes.values())

    def roots(self, names: Iterable[str]) -> list[Name]:
        """Elements a document may start with."""
        return [self._name(name, None if self._is_silent else "") for name in names]

    def all_below(self, roots: Iterable[Name]) -> dict[str, Name]:
        """All declared elements that can occur, by key, in the order of the DTD."""
        found: dict[str, Name] = {}
        todo = list(roots)
        while todo:
            name = todo.pop()
            if name.declaration not in found and _parts(name.declaration)[0] in self._elements:
                found[name.declaration] = name
                todo += self._children(name.declaration)
        order = {name: index for index, name in enumerate(self._elements)}
        return dict(sorted(found.items(), key=lambda pair: order[_parts(pair[0])[0]]))

    def declaration(self, key: str) -> ElementDeclaration | None:
        """The declaration of a key, its children with their namespaces."""
        written, inherited = _parts(key)
        declared = self._elements.get(written)
        if declared is None:
            return None
        if self._is_silent:
            return declared
        content = _renamed(declared.content, {n: self._name(n, inherited) for n in _names_of(declared.content)})
        return replace(declared, content=content, uri=self._uri(written, inherited))

    def _children(self, key: str) -> Iterator[Name]:
        declared = self.declaration(key)
        if declared is None:
            return
        if isinstance(declared.content, Any):
            inherited = _parts(key)[1]
            yield from (self._name(written, inherited) for written in self._elements)
        for leaf in leaves(declared.content):
            if isinstance(leaf, Name):
                yield leaf

    def _name(self, written: str, around: str | None) -> Name:
        """An element below one where unprefixed names are in the namespace `around`; None where that is not known."""
        inherited = self._defaults.get(written, around)
        key = written if inherited is None else f"{written}{_BETWEEN}{inherited}"
        return Name(written.rpartition(":")[2], self._uri(written, inherited), key)

    def _uri(self, written: str, inherited: str | None) -> str | None:
        prefix, _, _ = written.rpartition(":")
        return self._prefixes.get(prefix) if prefix else inherited


def _fixed(declared: AttributeDeclaration) -> str | None:
    return declared.default if declared.fixed else None


def _prefixes(declared: Iterable[Mapping[str, AttributeDeclaration]]) -> Iterator[tuple[str, str]]:
    """What prefixes stand for, where every declaration of one says the same."""
    values: dict[str, set[str | None]] = {}
    for attributes in declared:
        for name, attribute in attributes.items():
            if name != XMLNS:
                values.setdefault(name.partition(":")[2], set()).add(_fixed(attribute))
    for prefix, found in values.items():
        uri = found.pop() if len(found) == 1 else None
        if uri is not None:
            yield prefix, uri


def _parts(key: str) -> tuple[str, str | None]:
    written, between, inherited = key.partition(_BETWEEN)
    return written, inherited if between else None


def _names_of(content: Content) -> set[str]:
    return {leaf.declaration for leaf in leaves(content) if isinstance(leaf, Name)}


def _renamed(content: Content, names: Mapping[str, Name]) -> Content:
    match content:
        case Name(declaration=written):
            return names[written]
        case Sequence(parts) | Choice(parts):
            return replace(content, parts=tuple(_renamed(part, names) for part in parts))
        case _Repeated(part) | Mixed(part):
            return replace(content, part=_renamed(part, names))
    return content
