"""Limits of an input: each has a default, an override and an error that names it (XYIN0004)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from xylem.values.copied_rows import DEFAULT_COPIED_NODES

ITEM_BYTES = "item_bytes"
"""The name of the limit on the kept content of one item."""
MOST_NUMBER = 2**63 - 1
"""The kernel counts in 64 bits."""


@dataclass(frozen=True)
class Limits:
    """Limits of one XML document.

    The defaults let ordinary data through and stop what is only ever made to exhaust a machine. Depth is generous,
    10,000 levels, since nothing here recurses on it.
    """

    depth: int = 10_000
    """Open elements at once."""
    attributes: int = 1_000
    """Attributes of one element, including namespace declarations; also the number declared for one element."""
    name_characters: int = 1_000
    """Length of a name of any kind, prefix included."""
    attribute_characters: int = 1_000_000
    """Length of one attribute value."""
    text_characters: int = 64_000_000
    """Length of one text node, comment or processing instruction."""
    expanded_characters: int = 1_000_000
    """Characters that internal entities may add to a document, beyond the input's own length. Default attributes of a
    document type count too, beyond ten times that length."""
    expansion_factor: int = 100
    """Ratio by which entities and defaults may expand the input, beyond a small initial size."""
    names: int = 1_000_000
    """Distinct names in a scan: an endless input may keep inventing names."""
    item_bytes: int = 256_000_000
    """Kept content of one element that a scan reports as a whole."""
    buffered_bytes: int = 1_000_000_000
    """Buffered content of a stream, all variables together. 0: nothing that grows with the input."""
    spilled_bytes: int = 100_000_000_000
    """Spill size on disk for an input that must be read more than once but cannot be."""
    copied_nodes: int = DEFAULT_COPIED_NODES
    """The nodes in copies of one input that constructed trees may hold at once, beyond five times the originals
    (XYDY0006)."""
    held_items: int = 1_000_000
    """Number of items or values that an operation on an infinite sequence may keep (XYDY0010)."""
    regions: int = 20_000_000
    """Number of regions of update streams open to updates at once (XYIN0048)."""
    history_bytes: int = 8_000_000_000
    """Kept content of updates: the newest versions of regions, and earlier ones (XYIN0049)."""
    allow_dtd: bool = True
    """Whether an internal DTD subset is read: entities, attribute defaults, identifiers. Nothing is fetched for it."""
    decompression_ratio: int = 200
    """Decompression ratio, beyond a small initial size."""

    def __post_init__(self) -> None:
        for limit in fields(self):
            number = getattr(self, limit.name)
            if limit.type == "int" and not (isinstance(number, int) and 0 <= number <= MOST_NUMBER):
                raise ValueError(f"{limit.name}: {number!r} is not a whole number from 0 to {MOST_NUMBER:,}")


DEFAULT_LIMITS = Limits()
