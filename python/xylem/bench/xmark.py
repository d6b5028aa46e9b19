"""Auction documents of any size, made like those of the XMark benchmark.

XMark (Schmidt et al., "XMark: A Benchmark for XML Data Management", VLDB 2002) measures XML processors on one
synthetic document, valid against `auction.dtd`, whose size is a linear scale: 1 is about 116 MB. Element counts,
optional parts, references and value distributions follow the original generator, as measured on its output at scale
0.01; the words are ours (`vocabulary`).

The document is written record by record: memory does not grow with the scale. The same scale and seed give the same
bytes. Each section has random numbers of its own, so what is known of one section (which items are on auction) can be
replayed in another.

    >>> from xylem.bench import xmark
    >>> document = "".join(xmark.generate(scale=0.0005, seed=7))
    >>> document.count("<person id="), document.count("<item id=")
    (12, 10)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from random import Random

from .auction_dtd import DTD
from .auctions import closed_auctions, open_auctions
from .market import items, people
from .prose import Prose

__all__ = ["DTD", "Counts", "generate", "write"]

_PERSONS, _OPEN_AUCTIONS, _CATEGORIES = 25_500, 12_000, 1_000
_ITEMS = {"africa": 550, "asia": 2_000, "australia": 2_200, "europe": 6_000, "namerica": 10_000, "samerica": 1_000}


@dataclass(frozen=True)
class Counts:
    """How many records of each kind a document has."""

    items_by_region: dict[str, int]
    persons: int
    open_auctions: int
    categories: int

    @property
    def items(self) -> int:
        return sum(self.items_by_region.values())

    @property
    def closed_auctions(self) -> int:
        """Every item is on auction or was: what is not open is closed."""
        return self.items - self.open_auctions

    @classmethod
    def at_scale(cls, scale: float) -> Counts:
        """Fractions are cut off, as the original does; at least one of everything that others refer to."""
        if not scale > 0:
            raise ValueError(f"a scale is a positive number, not {scale}")
        regions = {name: _scaled(number, scale) for name, number in _ITEMS.items()}
        regions["namerica"] = max(1, regions["namerica"])
        total = sum(regions.values())
        return cls(
            items_by_region=regions,
            persons=max(1, _scaled(_PERSONS, scale)),
            open_auctions=min(total, max(1, _scaled(_OPEN_AUCTIONS, scale))),
            categories=max(1, _scaled(_CATEGORIES, scale)),
        )


def _scaled(number: int, scale: float) -> int:
    return int(number * scale + 1e-6)  # 22,000 × 0.0005 is 10.999…8 in binary


def generate(scale: float, seed: int = 0) -> Iterator[str]:
    """The document in pieces, about one record each."""
    counts = Counts.at_scale(scale)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<site>\n'
    yield from items(counts, _random(seed, "items"))
    yield from _categories(counts, _random(seed, "categories"))
    yield from people(counts, _random(seed, "people"))
    # The same random numbers decide twice which items are on auction: once for those that are, once for the others.
    yield from open_auctions(counts, _random(seed, "open"), _random(seed, "partition"))
    yield from closed_auctions(counts, _random(seed, "closed"), _random(seed, "partition"))
    yield "</site>\n"


def write(path: str | PathLike[str], scale: float, seed: int = 0) -> int:
    """Write the document to a file; the number of bytes written."""
    size = 0
    with open(path, "w", encoding="ascii", newline="\n", buffering=1 << 20) as file:
        for piece in generate(scale, seed):
            size += file.write(piece)
    return size


def _random(seed: int, section: str) -> Random:
    return Random(f"xmark {seed} {section}")


def _categories(counts: Counts, random: Random) -> Iterator[str]:
    prose, number = Prose(random), counts.categories
    yield "<categories>\n"
    for category in range(number):
        name = prose.words(1 + category % 4)
        yield f'<category id="category{category}">\n<name>{name}</name>\n{prose.description()}</category>\n\n'
    yield "</categories>\n<catgraph>\n"
    for _ in range(number):
        yield f'<edge from="category{random.randrange(number)}" to="category{random.randrange(number)}"/>\n'
    yield "</catgraph>\n"
