"""Plain XML of small answers, written at once without a writer.

The text equals that of the xml method with the same parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.values.node import DOCUMENT
from xylem.values.shaped_tree import ShapedTree

from .character_expansion import CharacterExpansion, escape_attribute, escape_text, unchanged
from .document_prolog import check_xml, needs_document, xml_declaration
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .plain_xml import PlainXml
from .sequence_normalization import normalized
from .serialization_parameters import SerializationParameters
from .shaped_xml import shaped_text
from .xml_output import is_plain


def is_bare(parameters: SerializationParameters) -> bool:
    """Whether elements are written with nothing but escapes, and without a prolog."""
    known = parameters.facts.get("is_bare")
    if known is None:
        known = parameters.facts["is_bare"] = _is_bare(parameters)
    return known


def _is_bare(parameters: SerializationParameters) -> bool:
    if parameters.method != "xml" or not is_plain(parameters) or needs_document(parameters):
        return False
    check_xml(parameters)
    return not xml_declaration(parameters) and not CharacterExpansion(parameters).is_needed


def write_bare(items: Iterable[Any], separator: str | None, buffer: OutputBuffer) -> None:
    """Write a sequence by bare parameters; everything except the rest in the buffer has been passed on."""
    parts = buffer.parts
    plain: PlainXml | None = None
    for item in normalized(items, separator):
        if len(parts) > CHUNK_PIECES:
            buffer.flush()
        if isinstance(item, str):
            parts.append(escape_text(item))
            continue
        tree, pre = item.tree, item.pre
        if type(tree) is ShapedTree and not pre:
            parts.append(shaped_text(tree.shape, tree.values))
            continue
        if plain is None:
            plain = PlainXml(buffer, escape_text, escape_attribute, unchanged)
        if not pre and plain.write_deferred(tree):
            continue
        plain.write(tree, pre + 1 if tree.kind(pre) == DOCUMENT else pre, tree.end(pre))
