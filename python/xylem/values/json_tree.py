"""JSON as an XML tree (F&O 3.1 §17.4.2): an element per value, named for its type, with the key as an attribute."""

from __future__ import annotations

from xylem.errors import DynamicError

from .builder import TreeBuilder
from .json_values import Duplicates
from .node import Node
from .qname import QName

JSON_NAMESPACE = "http://www.w3.org/2005/xpath-functions"

_ELEMENTS = {local: QName(JSON_NAMESPACE, local) for local in ("map", "array", "string", "number", "boolean", "null")}
_KEY, _ESCAPED_KEY, _ESCAPED = QName("", "key"), QName("", "escaped-key"), QName("", "escaped")


class JsonTree:
    """A receiver of JSON events that builds the document."""

    __slots__ = ("_builder", "_duplicates", "_escape", "_key", "_keys", "_skipped")

    def __init__(self, duplicates: Duplicates, escape: bool, base_uri: str | None) -> None:
        self._builder = TreeBuilder(base_uri)
        self._builder.start_document()
        self._duplicates = duplicates
        self._escape = escape
        self._key: str | None = None
        self._keys: list[set[str]] = []
        # Depth inside a skipped value, whose key occurred before; 0 for none.
        self._skipped = 0

    def finish(self) -> Node:
        self._builder.end_document()
        return self._builder.finish()

    def start_map(self) -> None:
        self._start("map")
        if not self._skipped:
            self._keys.append(set())

    def end_map(self) -> None:
        if not self._skipped:
            self._keys.pop()
        self._end()

    def start_array(self) -> None:
        self._start("array")

    def end_array(self) -> None:
        self._end()

    def key(self, name: str) -> None:
        if self._skipped:
            return
        keys = self._keys[-1]
        if name in keys and self._duplicates is not Duplicates.RETAIN:
            if self._duplicates is Duplicates.REJECT:
                raise DynamicError("FOJS0003", f"the key {name!r} occurs twice")
            self._skipped = 1
            return
        keys.add(name)
        self._key = name

    def string(self, value: str) -> None:
        self._simple("string", value, self._escape and "\\" in value)

    def number(self, lexical: str) -> None:
        self._simple("number", lexical)

    def boolean(self, value: bool) -> None:
        self._simple("boolean", "true" if value else "false")

    def null(self) -> None:
        self._simple("null", "")

    def _simple(self, local: str, content: str, is_escaped: bool = False) -> None:
        self._start(local)
        if not self._skipped:
            if is_escaped:
                self._builder.attribute(_ESCAPED, "true")
            self._builder.text(content)
        self._end()

    def _start(self, local: str) -> None:
        if self._skipped:
            self._skipped += 1
            return
        builder = self._builder
        builder.start_element(_ELEMENTS[local], {"": JSON_NAMESPACE})
        key, self._key = self._key, None
        if key is not None:
            builder.attribute(_KEY, key)
            if self._escape and "\\" in key:
                builder.attribute(_ESCAPED_KEY, "true")

    def _end(self) -> None:
        if not self._skipped:
            self._builder.end_element()
            return
        self._skipped -= 1
        if self._skipped == 1:
            self._skipped = 0
