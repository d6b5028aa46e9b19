"""Pairs of queries from tests/golden/network/match.txt, with the verdicts that a reader expects."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "golden/network/match.txt"
DTD = """<!ELEMENT photons (photon*)><!ELEMENT photon (ra, dec, en, phc?, note*, det_time)>
<!ATTLIST photon id CDATA #REQUIRED kind CDATA #IMPLIED>
<!ELEMENT ra (#PCDATA)><!ELEMENT dec (#PCDATA)><!ELEMENT en (#PCDATA)><!ELEMENT phc (#PCDATA)>
<!ELEMENT note (#PCDATA)><!ELEMENT det_time (#PCDATA)>"""
ORDERS_DTD = """<!ELEMENT shop (meta?, orders)><!ELEMENT meta (#PCDATA)><!ELEMENT orders (order*)>
<!ELEMENT order (customer, line+, total?, when, tag*)><!ELEMENT customer (name, address?)>
<!ELEMENT name (#PCDATA)><!ELEMENT address (city, zip?)><!ELEMENT city (#PCDATA)><!ELEMENT zip (#PCDATA)>
<!ELEMENT line (sku, price, qty?)><!ELEMENT sku (#PCDATA)><!ELEMENT price (#PCDATA)><!ELEMENT qty (#PCDATA)>
<!ELEMENT total (#PCDATA)><!ELEMENT when (#PCDATA)><!ELEMENT tag (#PCDATA)>
<!ATTLIST order n CDATA #REQUIRED state CDATA #IMPLIED><!ATTLIST line cur CDATA #IMPLIED>"""

Pair = tuple[str, str, bool]
"""A, B, and whether B follows from A."""


def _read() -> dict[str, list[Pair]]:
    sections: dict[str, list[Pair]] = {}
    pairs: list[Pair] = []
    own = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        match mark:
            case "==":
                pairs = sections.setdefault(rest, [])
            case "A:":
                own = rest.strip()
            case "yes" | "no":
                pairs.append((own, rest.strip(), mark == "yes"))
            case _:
                assert not mark or mark == "#", line
    return sections


_SECTIONS = _read()
WITH_SCHEMA = _SECTIONS["conditions"]
SPELLINGS = _SECTIONS["spellings"]
FLAT = _SECTIONS["bare items"]
OTHER_WORDS = _SECTIONS["other words"]
ORDERS = _SECTIONS["orders"]
NO_SCHEMA = _SECTIONS["without a schema"] + _SECTIONS["operations without a schema"]
"""These are asked without the DTD."""
