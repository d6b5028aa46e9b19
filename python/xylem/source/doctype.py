"""Document type declarations: identifiers, entities within limits, and nothing fetched that was not allowed.

Expat expands internal entities and fills in attribute defaults by itself. Here are the guards around it, which do not
rely on the version of expat: entities and defaults that would grow beyond the limits are refused, external entities are
an error, and a reference expat would drop because an unread external DTD might declare it is an error too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from xylem.values.uri import resolve

from .tree_loader import TreeLoader

UNREAD_DTD = "give the DTD that declares it: --dtd FILE.dtd, or dtd=… in Python"
ResolveEntity = Callable[[str], "bytes | None"]
"""The bytes of an external entity by absolute URI, None if it may not be read."""

_REFERENCE = re.compile(r"&([^#;&\s][^;&\s]*);")
_START_TAG = re.compile(rb"""<[^<>"']*(?:"[^"]*"|'[^']*'|[^<>"'])*>""")
_SMALL_EXPANSION = 100_000
_ORDINARY_DEFAULTS = 10
"""Attribute defaults count as expansion only beyond this multiple of the input's length."""
_AROUND_NAME_AND_VALUE = 4
_MOST_REFERRING = 1_000
"""Most entities with references to others: expat follows these by recursion, and a very long chain would exhaust its
stack."""
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
_REFERENCE_BYTES = re.compile(rb"&([^#;&\s<>\"'][^;&\s<>\"']*);")


class DoctypeHandlers:
    """The handlers around a document type declaration, installed beside those of a `TreeLoader`."""

    def __init__(self, loader: TreeLoader, data: bytes | None, resolve_entity: ResolveEntity | None) -> None:
        """`data` is the whole input, None where it comes in pieces."""
        self.loader = loader
        self.parser = loader.parser
        self.data = data
        self.resolve_entity = resolve_entity
        self.entities: dict[str, str] = {}
        self.externals: set[str] = set()
        self._has_unread_subset = False
        self._produced = 0
        self._defaulted = 0
        self._referring = 0
        self._declared: Counter[str] = Counter()
        self._defaults: dict[str, set[str]] = {}
        """By element, the attributes that have a default value."""
        self._sizes: dict[str, int] = {}

    def attach(self) -> None:
        parser = self.parser
        parser.StartDoctypeDeclHandler = self._start
        parser.EndDoctypeDeclHandler = self._end
        parser.EntityDeclHandler = self._entity
        parser.AttlistDeclHandler = self._attribute
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skipped
        if self.resolve_entity is not None:
            from pyexpat import XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE

            parser.SetParamEntityParsing(XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)

    # --- the declaration

    def _start(self, name: str, system_id: str | None, public_id: str | None, has_internal_subset: int) -> None:
        if not self.loader.limits.allow_dtd:
            self.loader.fail("XYIN0004", "a document type declaration where none is allowed")
        self._has_unread_subset = system_id is not None and self.resolve_entity is None
        # Comments and instructions inside the declaration are no nodes (XDM 3.1 §6.2.3).
        self._kept = self.parser.CommentHandler, self.parser.ProcessingInstructionHandler
        self.parser.CommentHandler = None
        self.parser.ProcessingInstructionHandler = None

    def _end(self) -> None:
        parser = self.parser
        parser.CommentHandler, parser.ProcessingInstructionHandler = self._kept
        if self.entities or self.externals or self._defaults:
            self._guard_expansion()
        if self._has_unread_subset:
            self._guard_attributes()

    def _attribute(self, element: str, attribute: str, kind: str, default: str | None, required: int) -> None:
        # Expat visits all declarations of an element, including repeated ones, at each declaration and each tag.
        self._declared[element] += 1
        if self._declared[element] > self.loader.limits.attributes:
            self.loader.exceeds("attributes", self._declared[element])
        if default is not None:
            self._defaults.setdefault(element, set()).add(attribute)
            # Its entities are expanded already.
            self._count(len(default))
        if kind == "ID":
            self.loader.id_attributes.add((element, attribute))
        elif kind in ("IDREF", "IDREFS"):
            self.loader.idref_attributes.add((element, attribute))

    # --- entities

    def _entity(
        self,
        name: str,
        is_parameter: int,
        value: str | None,
        base: str | None,
        system_id: str | None,
        public_id: str | None,
        notation: str | None,
    ) -> None:
        if len(name) > self.loader.limits.name_characters:
            self.loader.exceeds("name_characters", len(name))
        if ":" in name:
            self.loader.fail("XYIN0001", f"the name '{name}' of an entity has a colon")
        if is_parameter:
            return
        if value is None:
            self.externals.add(name)
        elif name not in self.entities:
            self.entities[name] = value
            size = self._size(name)
            if size > self.loader.limits.expanded_characters:
                self.loader.fail(
                    "XYIN0004",
                    f"expanded characters: the entity '{name}' stands for more than "
                    f"{self.loader.limits.expanded_characters} characters",
                )

    def _size(self, name: str) -> int:
        """The expanded length of an entity with the declarations so far; each is measured once, at its declaration."""
        size = len(self.entities[name])
        references = [one for one in _REFERENCE.findall(self.entities[name]) if one not in _PREDEFINED]
        self._referring += bool(references)
        if self._referring > _MOST_REFERRING:
            self.loader.fail(
                "XYIN0004",
                f"entities that refer to others: {self._referring} where {_MOST_REFERRING} are allowed",
            )
        for reference in references:
            size += self._sizes.get(reference, 0)
        self._sizes[name] = size
        return size

    def _guard_expansion(self) -> None:
        """From here on, compare the length of the output with that of the input."""
        parser = self.parser
        text, start = parser.CharacterDataHandler, self.loader.start_handler()
        assert text is not None

        def counted_text(data: str) -> None:
            self._count(len(data))
            text(data)

        def counted_start(tag: str, attributes: list[str]) -> None:
            defaults = self._defaults.get(tag)
            if defaults:
                self._count_defaults(attributes, defaults)
            else:
                self._count(sum(map(len, attributes)))
            start(tag, attributes)

        parser.CharacterDataHandler = counted_text
        parser.StartElementHandler = counted_start

    def _count_defaults(self, attributes: list[str], defaults: set[str]) -> None:
        # Expat does not say which attributes a tag lacked. Counting those it has does no harm: they were read.
        length = 0
        for place in range(0, len(attributes), 2):
            size = len(attributes[place]) + len(attributes[place + 1])
            if attributes[place] in defaults:
                self._defaulted += size + _AROUND_NAME_AND_VALUE
            else:
                length += size
        self._count(length)

    def _count(self, length: int) -> None:
        # Each character outside entities takes at least a byte, so any excess over the bytes read came from entities.
        self._produced += length
        read = self.parser.CurrentByteIndex
        expanded = self._produced - read + max(self._defaulted - _ORDINARY_DEFAULTS * read, 0)
        limits = self.loader.limits
        if expanded > limits.expanded_characters:
            self.loader.exceeds("expanded_characters", expanded)
        if expanded > _SMALL_EXPANSION and expanded > limits.expansion_factor * read:
            self.loader.exceeds("expansion_factor", expanded // max(read, 1))

    def _skipped(self, name: str, is_parameter: int) -> None:
        if not is_parameter:
            why = f"the entity '&{name};' is not declared (an external DTD is not read)"
            self.loader.fail("XYIN0001", why, hint=UNREAD_DTD)

    def _guard_attributes(self) -> None:
        """Check the tags themselves, because expat silently drops unknown entities of attribute values."""
        if self.data is not None and all(
            name in _PREDEFINED or name in self.entities for name in self._references(self.data)
        ):
            return
        parser, data = self.parser, self.data
        start = self.loader.start_handler()

        def checked_start(tag: str, attributes: list[str]) -> None:
            match = None
            if attributes:
                # For input in pieces, the parser still has the tag that it reports.
                rest, place = (parser.GetInputContext(), 0) if data is None else (data, parser.CurrentByteIndex)
                match = _START_TAG.match(rest or b"", place)
            if match is not None:
                for name in self._references(match[0]):
                    if name not in _PREDEFINED and name not in self.entities:
                        self._skipped(name, False)
            start(tag, attributes)

        parser.StartElementHandler = checked_start

    @staticmethod
    def _references(data: bytes) -> set[str]:
        return {name.decode("utf-8", "replace") for name in _REFERENCE_BYTES.findall(data)}

    def _external(self, context: str | None, base: str | None, system_id: str | None, public_id: str | None) -> int:
        uri = system_id or ""
        if base is not None:
            uri = resolve(uri, base)
        data = None if self.resolve_entity is None else self.resolve_entity(uri)
        if data is None:
            if context is None:
                self._has_unread_subset = True
                return 1  # An external DTD or parameter entity that is not read.
            self.loader.fail("XYIN0008", f"'{uri}'")
        inner = self.parser.ExternalEntityParserCreate(context)
        inner.SetBase(uri)
        inner.Parse(data, True)
        return 1
