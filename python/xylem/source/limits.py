"""How much an input may ask for: each limit has a default, an override and an error that names it (XYIN0004)."""

from __future__ import annotations

from dataclasses import dataclass

ITEM_BYTES = "item_bytes"
"""The name of the limit of what is kept of one item."""


@dataclass(frozen=True)
class Limits:
    """Limits of one XML document.

    The defaults let ordinary data through and stop what is only ever made to exhaust a machine. Depth is generous,
    10,000 levels, since nothing here recurses on it.
    """

    depth: int = 10_000
    """Open elements at once."""
    attributes: int = 1_000
    """Attributes of one element, namespace declarations included; and how many a document type declares for one."""
    name_characters: int = 1_000
    """Length of a name of any kind, prefix included."""
    attribute_characters: int = 1_000_000
    """Length of one attribute value."""
    text_characters: int = 64_000_000
    """Length of one text node, comment or processing instruction."""
    expanded_characters: int = 1_000_000
    """What internal entities may add to a document, over the length of the input itself. Attributes that a document
    type gives by default count too, beyond ten times that length."""
    expansion_factor: int = 100
    """How many times longer than the input its text may become by entities and defaults, once past a small start."""
    names: int = 1_000_000
    """Different names of what a scan shows: an endless input may never stop inventing some."""
    item_bytes: int = 256_000_000
    """What is kept of one element that a scan reports as a whole."""
    buffered_bytes: int = 1_000_000_000
    """What a query may keep of a stream, all its variables together. 0: nothing that grows with the input."""
    spilled_bytes: int = 100_000_000_000
    """What may be kept on disk of an input that must be read more than once and cannot be."""
    held_items: int = 1_000_000
    """How many items or values an operation on an infinite sequence may keep (XYDY0010)."""
    regions: int = 20_000_000
    """How many regions of update streams may be open to updates at once (XYIN0048)."""
    history_bytes: int = 8_000_000_000
    """What updates may have brought that is kept: the newest versions of regions, and earlier ones (XYIN0049)."""
    allow_dtd: bool = True
    """Whether an internal DTD subset is read: entities, attribute defaults, identifiers. Nothing is fetched for it."""
    decompression_ratio: int = 200
    """How many times longer than the compressed input it may become, once past a small start."""


DEFAULT_LIMITS = Limits()
