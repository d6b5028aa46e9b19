"""The elements near the beginning of a document, by name and namespace, from its first bytes."""

from __future__ import annotations

from contextlib import suppress

from .root_element import HEAD_BYTES

SeenNames = dict[str, dict[str, str]]
"""Local name to namespace to the name as written, with its prefix."""


def first_elements(head: bytes) -> SeenNames:
    """The names of the elements that begin in these bytes, up to the first error."""
    # Imported here, since commands load this file, and few need it.
    from xml.parsers import expat

    seen: SeenNames = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        *uri, local, prefix = name.split(" ") if name.count(" ") == 2 else (*name.rpartition(" ")[::2], "")
        seen.setdefault(local, {}).setdefault("".join(uri), f"{prefix}:{local}" if prefix else local)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.namespace_prefixes = True
    parser.StartElementHandler = start
    # With this handler expat expands no entities: a small head cannot become a large text.
    parser.DefaultHandler = lambda text: None
    with suppress(expat.ExpatError, ValueError, LookupError):
        parser.Parse(head[:HEAD_BYTES], False)
    return seen
