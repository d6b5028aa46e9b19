"""Content models and attributes from the components of `xmlschema`.

Declarations are known by keys, one for each name with its type: by parent, one name may have several types.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any as Component
from typing import TypeAlias

from .content_model import (
    EMPTY_WORD,
    All,
    Choice,
    Content,
    Empty,
    Mixed,
    Name,
    PCData,
    Sequence,
    Star,
    Wildcard,
    allows_text,
    leaves,
    repeated,
    word_model,
)
from .declarations import AttributeDeclaration, ElementDeclaration
from .open_content import interleaved

_XML = "{http://www.w3.org/2001/XMLSchema}"
_BY_EXTENSION = "extension"

Key: TypeAlias = tuple[str, int, bool]


class XsdContent:
    """Turns components into declarations, each at its first use."""

    def __init__(self, types: Iterable[Component]) -> None:
        self._extensions = _extensions(types)
        self._keys: dict[Key, str] = {}
        self._elements: dict[str, Component] = {}
        self.wildcards: set[Wildcard] = set()
        """The wildcards that `keys_of_all` has found."""

    # --- elements

    def name(self, element: Component) -> Name:
        """The symbol of an element declaration, with the key of its content."""
        uri, local = _split(element.name)
        key = (element.name, id(element.type), bool(element.nillable))
        text = self._keys.setdefault(key, f"{local}#{len(self._keys)}")
        self._elements.setdefault(text, element)
        return Name(local, uri, text)

    def declaration(self, key: str) -> ElementDeclaration | None:
        """The declaration of a key."""
        element = self._elements.get(key)
        if element is None:
            return None
        uri, local = _split(element.name)
        types = list(self._types(element))
        content = _either([self._content(one) for one in types])
        if element.nillable:
            content = _nillable(content)
        attributes, has_others = _attributes(types)
        return ElementDeclaration(local, content, attributes, has_others, uri)

    def keys_of_all(self, elements: Iterable[Component]) -> dict[str, list[str]]:
        """The keys of all elements that can be reached from some, by local name."""
        keys: dict[str, list[str]] = {}
        todo = deque(self.name(element) for element in elements)
        seen: set[str] = set()
        while todo:
            name = todo.popleft()
            if name.declaration in seen:
                continue
            seen.add(name.declaration)
            keys.setdefault(name.local, []).append(name.declaration)
            found = self.declaration(name.declaration)
            if found is not None:
                for leaf in leaves(found.content):
                    if isinstance(leaf, Wildcard):
                        self.wildcards.add(leaf)
                    else:
                        todo.append(leaf)
        return keys

    def _types(self, element: Component) -> Iterator[Component]:
        """The declared type, those that xs:alternative chooses, and those that `xsi:type` may name instead."""
        declared = [element.type, *(one.type for one in getattr(element, "alternatives", ()) if one.type is not None)]
        seen: set[int] = set()
        for one in declared:
            extensions = [] if _BY_EXTENSION in element.block or element.block == "#all" else self._extensions_of(one)
            for each in (one, *extensions):
                if id(each) not in seen and not (getattr(each, "abstract", False) and extensions):
                    seen.add(id(each))
                    yield each

    def _extensions_of(self, base: Component) -> list[Component]:
        if base.name == f"{_XML}anyType":
            return []  # This type already allows everything.
        return self._extensions.get(id(base), [])

    # --- content

    def _content(self, type_: Component) -> Content:
        if type_.is_simple() or type_.has_simple_content():
            return PCData()
        model = self._group(type_.content)
        open_content = getattr(type_, "open_content", None)
        if open_content is not None and open_content.any_element is not None:
            model = interleaved(model, _wildcard(open_content.any_element), only_at_end=open_content.mode == "suffix")
        if type_.mixed:
            return PCData() if model == EMPTY_WORD else Mixed(model)
        return Empty() if model == EMPTY_WORD else model

    def _group(self, group: Component) -> Content:
        """A model group with its own occurrence bounds."""
        parts = [part for part in map(self._particle, group) if part != EMPTY_WORD]
        if not parts:
            return EMPTY_WORD
        if group.model == "choice":
            # An empty branch means that the whole choice may be empty.
            least = 0 if len(parts) < len(group) else group.min_occurs
            return repeated(_single(parts) or Choice(tuple(parts)), least, group.max_occurs)
        if group.model == "all":
            return repeated(_all(parts), group.min_occurs, group.max_occurs)
        return repeated(_single(parts) or Sequence(tuple(parts)), group.min_occurs, group.max_occurs)

    def _particle(self, particle: Component) -> Content:
        if hasattr(particle, "model"):
            return self._group(particle)
        if hasattr(particle, "process_contents"):
            return repeated(_wildcard(particle), particle.min_occurs, particle.max_occurs)
        return repeated(self._element(particle), particle.min_occurs, particle.max_occurs)

    def _element(self, element: Component) -> Content:
        """An element, or the elements that may be substituted for it."""
        head = element.ref if element.ref is not None else element
        names: list[Content] = [] if head.abstract else [self.name(head)]
        if "substitution" not in element.block and element.block != "#all":
            names += sorted((self.name(one) for one in element.iter_substitutes() if not one.abstract), key=str)
        names = list(dict.fromkeys(names))
        if not names:
            return self.name(head)  # An abstract element without substitutes: no document can be valid here.
        return _single(names) or Choice(tuple(names))


def _single(parts: list[Content]) -> Content | None:
    return parts[0] if len(parts) == 1 else None


def _all(parts: list[Content]) -> Content:
    flat: list[Content] = []
    for part in parts:
        flat += part.parts if isinstance(part, All) else (part,)
    if any(isinstance(part.parts_below()[0] if part.parts_below() else part, Sequence | All) for part in flat):
        # Groups in a valid schema never get here; for all others, this allows everything.
        return Star(Choice(tuple(dict.fromkeys(leaf for part in flat for leaf in leaves(part)))))
    return All(tuple(flat))


def _wildcard(component: Component) -> Wildcard:
    process = component.process_contents
    namespaces = component.namespace
    if component.not_namespace:
        return Wildcard(None, frozenset(component.not_namespace), process)
    if "##any" in namespaces:
        return Wildcard(process_contents=process)
    if "##other" in namespaces:
        return Wildcard(None, frozenset({"", component.target_namespace}), process)
    return Wildcard(frozenset(namespaces), frozenset(), process)


def _either(contents: list[Content]) -> Content:
    contents = list(dict.fromkeys(contents))
    if len(contents) == 1:
        return contents[0]
    words = list(dict.fromkeys(map(word_model, contents)))
    model = _single(words) or Choice(tuple(words))
    if not any(map(allows_text, contents)):
        return model
    return PCData() if model == EMPTY_WORD else Mixed(model)


def _nillable(content: Content) -> Content:
    if isinstance(content, Mixed):
        return Mixed(repeated(content.part, 0, 1))
    return content if isinstance(content, PCData | Empty) else repeated(content, 0, 1)


# --- types and attributes


def _extensions(types: Iterable[Component]) -> dict[int, list[Component]]:
    """For each type, by identity, the named types derived from it in one step or more, the last by extension."""
    found: dict[int, list[Component]] = {}
    for one in types:
        if not one.is_complex() or one.derivation != _BY_EXTENSION:
            continue
        base = one.base_type
        while base is not None and base is not one:
            found.setdefault(id(base), []).append(one)
            base = base.base_type
    return found


def _attributes(types: list[Component]) -> tuple[tuple[AttributeDeclaration, ...], bool]:
    """The attributes of an element that has one of some types: required if all these types require it."""
    merged: dict[str, AttributeDeclaration] = {}
    has_others = False
    groups = [getattr(one, "attributes", {}) for one in types]
    for group in groups:
        for name, attribute in group.items():
            if name is None:
                has_others = True
            elif attribute.use != "prohibited" and name not in merged:
                everywhere = all(name in other and other[name].use == "required" for other in groups)
                merged[name] = _attribute(name, attribute, everywhere, len(groups) == 1)
    return tuple(merged.values()), has_others


def _attribute(name: str, attribute: Component, is_required: bool, is_alone: bool) -> AttributeDeclaration:
    uri, local = _split(name)
    # Only strings are compared as they are written: 1 and 01 are the same integer.
    has_text = attribute.type.is_derived(attribute.maps.types[f"{_XML}string"]) if attribute.type.name else True
    values = getattr(attribute.type, "enumeration", None) or ()
    value = attribute.fixed if attribute.fixed is not None else attribute.default
    return AttributeDeclaration(
        local,
        uri,
        attribute.type.prefixed_name or "anonymous",
        is_required,
        value,
        attribute.fixed is not None and is_alone and has_text,
        tuple(map(str, values)) if is_alone and has_text else (),
    )


def _split(name: str) -> tuple[str, str]:
    uri, _, local = name.rpartition("}")
    return uri.removeprefix("{"), local
