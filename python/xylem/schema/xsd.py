"""XML Schemas, read by the `xmlschema` package (an optional dependency) and turned into content models.

An element of an XML Schema may have more than its declared content: a document can name a derived type with `xsi:type`,
or use `xsi:nil`. The content model of an element here is the choice of all these, so its facts hold for every valid
document. Restrictions need no choice of their own, because they allow less.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError, SourceText

from .content_model import Name
from .declared_schema import DeclaredSchema
from .symbols import symbol
from .xsd_limits import check_sizes

if TYPE_CHECKING:
    from xmlschema.validators import XMLSchemaBase

_XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema"


def xsd_schema(source: SourceText, path: Path | None, root: str | None = None) -> DeclaredSchema:
    """The schema of an XSD. From a file, local files it includes or imports are read too; from a text, nothing is."""
    from .xsd_content import XsdContent

    with warnings.catch_warnings(record=True) as unread:
        warnings.simplefilter("always")
        schema = _read(source, path)
    content = XsdContent(schema.maps.types.values())
    elements = [e for e in schema.maps.elements.values() if not e.name.startswith(f"{{{_XSD_NAMESPACE}}}")]
    roots = list(_roots(content, elements, root))
    if not roots:
        wanted = f"no element '{root}'" if root else "no element a document could start with"
        raise InputError("XYIN0020", f"{source.name} declares {wanted}")
    keys = content.keys_of_all(elements)
    everywhere = map(content.name, elements)
    is_closed = not unread and all(place.process_contents == "strict" for place in content.wildcards)
    return DeclaredSchema(
        keys,
        everywhere,
        roots,
        content.declaration,
        is_complete=not unread,
        is_closed=is_closed,
        open_places=content.wildcards,
    )


def _roots(content: Any, elements: list[Any], root: str | None) -> Iterator[Name]:
    wanted = None if root is None else symbol(root)
    for element in elements:
        name = content.name(element)
        if not element.abstract and (wanted is None or wanted.may_be(name)):
            yield name


def _read(source: SourceText, path: Path | None) -> XMLSchemaBase:
    try:
        import xmlschema
    except ImportError as reason:
        raise InputError("XYIN0022", f"{source.name} is an XML Schema") from reason
    where: str | Path = path if path is not None else source.text
    # A text has no place of its own, so nothing may be read for it; and it may come from anywhere, so it may not use
    # entities.
    options: dict[str, str] = {"allow": "local"} if path is not None else {"allow": "none", "defuse": "always"}
    try:
        try:
            return _built(xmlschema.XMLSchema10, where, options, source.name)
        except xmlschema.XMLSchemaParseError as reason:
            try:
                return _built(xmlschema.XMLSchema11, where, options, source.name)
            except xmlschema.XMLSchemaException:
                raise reason from None
    except (xmlschema.XMLSchemaException, SyntaxError, OSError) as reason:
        raise InputError("XYIN0020", f"{source.name}: {_first_line(reason)}") from reason


def _built(version: Any, where: str | Path, options: dict[str, str], name: str) -> XMLSchemaBase:
    schema = version(where, build=False, **options)
    check_sizes([one.root for one in schema.maps.iter_schemas()], name)
    schema.build()
    return schema  # type: ignore[no-any-return]


def _first_line(reason: Exception) -> str:
    message = getattr(reason, "message", None) or str(reason)
    return str(message).strip().partition("\n")[0].rstrip(": ")
