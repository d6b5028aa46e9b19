"""What can be counted and measured of an auction document, to compare two of them.

    python -m xylem.bench.auction_statistics auction.xml > tests/bench/original-0.01.json

made the tests' table, from the document of the original generator at scale 0.01.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from statistics import fmean, pstdev
from typing import IO, Any
from xml.etree import ElementTree

_NUMBERS = {"price", "initial", "current", "increase", "age", "happiness"}
_CHILDREN = {
    "open_auction": "bidder",
    "item": "incategory",
    "mailbox": "mail",
    "profile": "interest",
    "watches": "watch",
    "parlist": "listitem",
}


def statistics(document: str | IO[bytes]) -> dict[str, Any]:
    """Counts of elements, of elements under their parent and of attributes; mean and deviation of what varies."""
    counts: Counter[str] = Counter()
    samples: dict[str, list[float]] = {}
    open_elements: list[ElementTree.Element] = []
    for event, element in ElementTree.iterparse(document, events=("start", "end")):
        if event == "start":
            counts[element.tag] += 1
            counts.update(f"{element.tag}/@{name}" for name in element.keys())  # noqa: SIM118 - an element, not a dict
            if open_elements:
                counts[f"{open_elements[-1].tag}/{element.tag}"] += 1
            open_elements.append(element)
        else:
            open_elements.pop()
            for name, value in _measured(element):
                samples.setdefault(name, []).append(value)
    values = {name: (round(fmean(sample), 3), round(pstdev(sample), 3)) for name, sample in sorted(samples.items())}
    return {"counts": dict(sorted(counts.items())), "values": values}


def _measured(element: ElementTree.Element) -> list[tuple[str, float]]:
    tag, found = element.tag, []
    if tag in _NUMBERS:
        found.append((tag, float(element.text or "nan")))
    if tag in ("text", "bold", "keyword", "emph"):
        found.append((f"words of {tag}", float(len("".join(element.itertext()).split()))))
    if tag in _CHILDREN:
        found.append((f"{_CHILDREN[tag]} per {tag}", float(sum(child.tag == _CHILDREN[tag] for child in element))))
    if tag == "profile":
        found.append(("income", float(element.get("income", "nan"))))
    return found


if __name__ == "__main__":
    json.dump(statistics(sys.argv[1]), sys.stdout, indent=1)
    print()
