"""The parameters of serialisation (Serialization 3.1 §3) and the three places they come from.

`declare option output:…` and the command line give strings, fn:serialize gives a map or an element; all end in
one immutable record. What a value means to a method (a version, an encoding) is checked where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError, StaticError, XylemError

from .parameter_values import READERS, ExpandedName

if TYPE_CHECKING:
    from xylem.values.map import XMap
    from xylem.values.node import Node

OUTPUT_NAMESPACE = "http://www.w3.org/2010/xslt-xquery-serialization"

PARAMETER_DOCUMENT = "parameter-document"

OPTION_NAMES = frozenset(READERS) | {PARAMETER_DOCUMENT}
"""The names allowed in `declare option output:…`; any other is XQST0109, including use-character-maps."""


@dataclass(frozen=True)
class SerializationParameters:
    """One value per parameter, with the defaults of a query that declares none (XQuery 3.1 appendix C.1)."""

    method: str = "xml"
    allow_duplicate_names: bool = False
    byte_order_mark: bool = False
    cdata_section_elements: frozenset[ExpandedName] = frozenset()
    doctype_public: str | None = None
    doctype_system: str | None = None
    encoding: str = "UTF-8"
    escape_uri_attributes: bool = True
    html_version: Decimal | None = None
    include_content_type: bool = True
    indent: bool = False
    item_separator: str | None = None
    json_node_output_method: str = "xml"
    media_type: str | None = None
    normalization_form: str = "none"
    omit_xml_declaration: bool | None = None
    """None: the method decides. xml writes a declaration, adaptive none."""
    standalone: bool | None = None
    """None writes no standalone declaration (`omit`)."""
    suppress_indentation: frozenset[ExpandedName] = frozenset()
    undeclare_prefixes: bool = False
    version: str | None = None
    """None means the method's default: XML 1.0, HTML 5."""
    character_map: Mapping[str, str] = field(default_factory=dict)
    """use-character-maps: characters with their unescaped replacements."""
    facts: dict[str, bool] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Facts derived by writers from these parameters: for a small answer, that takes longer than writing it."""

    @classmethod
    def from_options(
        cls,
        options: Mapping[str, str],
        namespaces: Mapping[str, str] | None = None,
        base: SerializationParameters | None = None,
    ) -> SerializationParameters:
        """The parameters of option declarations, by local name and with their values as written.

        `namespaces` resolves names in values ('' is the default element namespace). `base` holds the values
        for what the options leave out, such as those of a parameter document. SEPM0016 for a bad value.

        >>> SerializationParameters.from_options({"method": "html", "indent": "yes"}).indent
        True
        """
        values: dict[str, Any] = {}
        for name, text in options.items():
            if name == PARAMETER_DOCUMENT:
                continue
            try:
                values[field_of(name)] = READERS[name](text, namespaces or {})
            except KeyError:
                raise DynamicError("SEPM0016", f"there is no serialisation parameter {name!r}") from None
            except ValueError as reason:
                raise DynamicError("SEPM0016", f"{name}={text!r}: {reason}") from None
        return replace(base or DEFAULTS, **values)

    @classmethod
    def from_element(cls, element: Node, base: SerializationParameters | None = None) -> SerializationParameters:
        """The parameters of an output:serialization-parameters element, or of a document with one."""
        from .parameter_element import read_element

        return replace(base or DEFAULTS, **read_element(element))

    @classmethod
    def from_map(cls, options: XMap, base: SerializationParameters | None = None) -> SerializationParameters:
        """The parameters of a map, as fn:serialize takes it."""
        from .parameter_map import read_map

        return replace(base or DEFAULTS, **read_map(options))

    def with_values(self, **values: Any) -> SerializationParameters:
        """These parameters with some changed."""
        return replace(self, **values)


def declared_parameters(
    options: Mapping[str, str],
    document: Callable[[str], Node],
    namespaces: Mapping[str, str] | None = None,
) -> SerializationParameters:
    """The output declarations of a query, including a parameter document.

    `document` finds the document at a URI as the declaration has it; XQST0119 if it is not available.
    """
    uri = options.get(PARAMETER_DOCUMENT)
    if uri is None:
        return SerializationParameters.from_options(options, namespaces)
    try:
        node = document(uri)
    except XylemError as error:
        raise StaticError("XQST0119", f"{uri!r}: {error.message}") from error
    return SerializationParameters.from_options(options, namespaces, SerializationParameters.from_element(node))


def field_of(parameter: str) -> str:
    """The attribute of the record for a parameter's name."""
    return "character_map" if parameter == "use-character-maps" else parameter.replace("-", "_")


DEFAULTS = SerializationParameters()
