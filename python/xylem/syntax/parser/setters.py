"""The first part of a prolog: setters, namespaces, imports (XQuery 3.1, 4.2 to 4.13).

The parser refuses a repeated setter here, because that needs no resolved names.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ast import (
    BaseUriDecl,
    BoundarySpaceDecl,
    ConstructionDecl,
    CopyNamespacesDecl,
    DecimalFormatDecl,
    Declaration,
    DefaultCollationDecl,
    DefaultNamespaceDecl,
    EmptyOrderDecl,
    ExecutionDecl,
    ModuleImport,
    Name,
    NamespaceDecl,
    OrderingModeDecl,
    SchemaImport,
)
from .direct_constructors import XML_NAMESPACE, XMLNS_NAMESPACE
from .expressions import ExpressionGrammar

_CHARACTER_PROPERTIES = frozenset(
    [
        "decimal-separator",
        "grouping-separator",
        "minus-sign",
        "percent",
        "per-mille",
        "zero-digit",
        "digit",
        "pattern-separator",
        "exponent-separator",
    ]
)
_STRING_PROPERTIES = frozenset(["infinity", "NaN"])
_MUST_DIFFER = _CHARACTER_PROPERTIES - {"minus-sign"}
_DEFAULTS = {
    "decimal-separator": ".",
    "grouping-separator": ",",
    "percent": "%",
    "per-mille": "‰",
    "zero-digit": "0",
    "digit": "#",
    "pattern-separator": ";",
    "exponent-separator": "e",
}


class SetterGrammar(ExpressionGrammar):
    """The productions of setters, namespace declarations and imports."""

    def __init__(self, text: str, name: str = "query") -> None:
        self._once: dict[object, int] = {}
        super().__init__(text, name)

    def only_once(self, key: object, code: str, start: int, what: str = "") -> None:
        """Refuse a second declaration of the same thing."""
        if key in self._once:
            line, column = self.source.position(self._once[key])
            raise self.error(code, f"{what}the first stands at {line}:{column}", start)
        self._once[key] = start

    def first_part(self, word: str, start: int) -> Declaration | None:
        """A declaration of the first part behind `declare`, or None if the word begins none."""
        production = _SETTERS.get(word)
        if production is None:
            return None
        self.take_word(word)
        return production(self, start)

    # --- setters

    def _boundary_space(self, start: int) -> Declaration:
        policy = self.take_one_of("preserve", "strip")
        self.only_once("boundary-space", "XQST0068", start)
        self.strips_boundary_space = policy == "strip"
        return BoundarySpaceDecl(policy, span=self.span(start))

    def _default(self, start: int) -> Declaration:
        kind = self.take_one_of("element", "function", "collation", "order", "decimal-format")
        if kind == "collation":
            uri = self.uri()
            self.only_once("collation", "XQST0038", start)
            return DefaultCollationDecl(uri, span=self.span(start))
        if kind == "order":
            self.expect_word("empty")
            mode = self.take_one_of("greatest", "least")
            self.only_once("empty order", "XQST0069", start)
            return EmptyOrderDecl(mode, span=self.span(start))
        if kind == "decimal-format":
            return self._properties(None, start)
        self.expect_word("namespace")
        uri = self.uri()
        self.only_once((kind, "namespace"), "XQST0066", start)
        if uri in (XML_NAMESPACE, XMLNS_NAMESPACE):
            raise self.error("XQST0070", f"`{uri}` cannot be a default namespace", start)
        return DefaultNamespaceDecl(kind, uri, span=self.span(start))

    def _base_uri(self, start: int) -> Declaration:
        uri = self.uri()
        self.only_once("base-uri", "XQST0032", start)
        return BaseUriDecl(uri, span=self.span(start))

    def _construction(self, start: int) -> Declaration:
        mode = self.take_one_of("preserve", "strip")
        self.only_once("construction", "XQST0067", start)
        return ConstructionDecl(mode, span=self.span(start))

    def _ordering(self, start: int) -> Declaration:
        mode = self.take_one_of("ordered", "unordered")
        self.only_once("ordering", "XQST0065", start)
        return OrderingModeDecl(mode, span=self.span(start))

    def _execution(self, start: int) -> Declaration:
        """An extension: statements are executed in order, and `set` may change variables."""
        mode = self.take_one_of("sequential")
        self.is_sequential = True
        return ExecutionDecl(mode, span=self.span(start))

    def _copy_namespaces(self, start: int) -> Declaration:
        preserve = self.take_one_of("preserve", "no-preserve")
        self.expect(",")
        inherit = self.take_one_of("inherit", "no-inherit")
        self.only_once("copy-namespaces", "XQST0055", start)
        return CopyNamespacesDecl(preserve == "preserve", inherit == "inherit", span=self.span(start))

    # --- decimal formats (4.10)

    def _decimal_format(self, start: int) -> Declaration:
        return self._properties(self.eqname("the name of a decimal format"), start)

    def _properties(self, name: Name | None, start: int) -> Declaration:
        key = ("decimal-format", str(name) if name else None)
        self.only_once(key, "XQST0111", start)
        properties: list[tuple[str, str]] = []
        while (word := self.word()) in _CHARACTER_PROPERTIES or word in _STRING_PROPERTIES:
            at = self.pos
            self.jump(at + len(word))
            self.expect("=")
            value = self.string()
            if any(word == known for known, _ in properties):
                raise self.error("XQST0114", f"`{word}` stands twice", at)
            if word in _CHARACTER_PROPERTIES:
                self._check_character(word, value, at)
            properties.append((word, value))
        self._check_differences(properties, start)
        return DecimalFormatDecl(name, tuple(properties), span=self.span(start))

    def _check_character(self, word: str, value: str, at: int) -> None:
        if len(value) != 1:
            raise self.error("XQST0097", f"`{word}` must be one character", at)
        if word == "zero-digit":
            import unicodedata

            if unicodedata.digit(value, -1) != 0 or unicodedata.category(value) != "Nd":
                raise self.error("XQST0097", "`zero-digit` must be a digit whose value is zero", at)

    def _check_differences(self, properties: list[tuple[str, str]], start: int) -> None:
        values = {**_DEFAULTS, **{word: value for word, value in properties if word in _MUST_DIFFER}}
        zero = ord(values["zero-digit"])
        seen: dict[str, str] = {chr(zero + i): "zero-digit" for i in range(10)}
        for word, value in values.items():
            if word != "zero-digit" and value in seen:
                raise self.error("XQST0098", f"`{word}` and `{seen[value]}` are the same character", start)
            seen.setdefault(value, word)

    # --- namespaces and imports

    def _namespace(self, start: int) -> Declaration:
        prefix = self.ncname("a prefix")
        self.expect("=")
        uri = self.uri()
        self.bind_prefix(prefix, uri, start)
        return NamespaceDecl(prefix, uri, span=self.span(start))

    def bind_prefix(self, prefix: str, uri: str, start: int) -> None:
        """Refuse a prefix that the prolog declares twice, or one that cannot be declared."""
        self.check_prefix(prefix, uri, start)
        self.only_once(("prefix", prefix), "XQST0033", start, f"`{prefix}`, ")

    def check_prefix(self, prefix: str, uri: str, start: int) -> None:
        """Refuse what may not be done to the prefixes `xml` and `xmlns` and their namespaces (XQST0070)."""
        if prefix in ("xml", "xmlns") or uri in (XML_NAMESPACE, XMLNS_NAMESPACE):
            raise self.error("XQST0070", f"`{prefix}` cannot stand for `{uri}`", start)

    def import_decl(self, start: int) -> Declaration:
        """Import [20], the cursor standing behind `import`."""
        if self.take_one_of("schema", "module") == "schema":
            return self._schema_import(start)
        prefix = None
        if self.take_word("namespace"):
            prefix = self.ncname("a prefix")
            self.expect("=")
        uri = self.uri()
        if not uri:
            raise self.error("XQST0088", "", start)
        if prefix is not None:
            self.bind_prefix(prefix, uri, start)
        locations = self._locations()
        self.only_once(("module", uri), "XQST0047", start, f"`{uri}`, ")
        return ModuleImport(prefix, uri, locations, span=self.span(start))

    def _schema_import(self, start: int) -> Declaration:
        prefix: str | None = None
        if self.take_word("namespace"):
            prefix = self.ncname("a prefix")
            self.expect("=")
        elif self.take_word("default"):
            self.expect_word("element")
            self.expect_word("namespace")
            prefix = ""
        uri = self.uri()
        locations = self._locations()
        if prefix and not uri:
            raise self.error("XQST0057", f"the prefix `{prefix}` needs a namespace", start)
        if prefix:
            self.bind_prefix(prefix, uri, start)
        elif prefix == "":
            self.only_once(("element", "namespace"), "XQST0066", start)
        self.only_once(("schema", uri), "XQST0058", start, f"`{uri}`, ")
        return SchemaImport(prefix, uri, locations, span=self.span(start))

    def _locations(self) -> tuple[str, ...]:
        if not self.take_word("at"):
            return ()
        found = [self.uri()]
        while self.take(","):
            found.append(self.uri())
        return tuple(found)


_SETTERS: dict[str, Callable[[SetterGrammar, int], Declaration]] = {
    "boundary-space": SetterGrammar._boundary_space,
    "default": SetterGrammar._default,
    "base-uri": SetterGrammar._base_uri,
    "construction": SetterGrammar._construction,
    "ordering": SetterGrammar._ordering,
    "copy-namespaces": SetterGrammar._copy_namespaces,
    "decimal-format": SetterGrammar._decimal_format,
    "namespace": SetterGrammar._namespace,
    "execution": SetterGrammar._execution,
}
