"""The document type of auction documents, as declarations: what every XMark document is valid against."""

from __future__ import annotations

from typing import Final

_MARKUP = "(#PCDATA | bold | keyword | emph)*"
_TEXT_ONLY = """
    name location quantity payment shipping reserve from to date emailaddress phone street city province zipcode country
    homepage creditcard education income gender business age privacy initial current increase type start end time status
    amount price happiness
"""
_MODELS = {
    "site": "(regions, categories, catgraph, people, open_auctions, closed_auctions)",
    "regions": "(africa, asia, australia, europe, namerica, samerica)",
    **dict.fromkeys(("africa", "asia", "australia", "europe", "namerica", "samerica"), "(item*)"),
    "item": "(location, quantity, name, payment, description, shipping, incategory+, mailbox)",
    "mailbox": "(mail*)",
    "mail": "(from, to, date, text)",
    "description": "(text | parlist)",
    **dict.fromkeys(("text", "bold", "keyword", "emph"), _MARKUP),
    "parlist": "(listitem)*",
    "listitem": "(text | parlist)*",
    "categories": "(category+)",
    "category": "(name, description)",
    "catgraph": "(edge*)",
    "people": "(person*)",
    "person": "(name, emailaddress, phone?, address?, homepage?, creditcard?, profile?, watches?)",
    "address": "(street, city, country, province?, zipcode)",
    "profile": "(interest*, education?, gender?, business, age?)",
    "watches": "(watch*)",
    "open_auctions": "(open_auction*)",
    "open_auction": (
        "(initial, reserve?, bidder*, current, privacy?, itemref, seller, annotation, quantity, type, interval)"
    ),
    "bidder": "(date, time, personref, increase)",
    "interval": "(start, end)",
    "closed_auctions": "(closed_auction*)",
    "closed_auction": "(seller, buyer, itemref, price, date, quantity, type, annotation?)",
    "annotation": "(author, description?, happiness)",
}
_REFERENCES = {
    "incategory": "category",
    "interest": "category",
    "watch": "open_auction",
    "itemref": "item",
    "personref": "person",
    "seller": "person",
    "buyer": "person",
    "author": "person",
}


def _declarations() -> list[str]:
    lines = [f"<!ELEMENT {name} {model}>" for name, model in _MODELS.items()]
    lines += [f"<!ELEMENT {name} (#PCDATA)>" for name in _TEXT_ONLY.split()]
    for name, target in _REFERENCES.items():
        lines += [f"<!ELEMENT {name} EMPTY>", f"<!ATTLIST {name} {target} IDREF #REQUIRED>"]
    lines += ["<!ELEMENT edge EMPTY>", "<!ATTLIST edge from IDREF #REQUIRED to IDREF #REQUIRED>"]
    lines += [f"<!ATTLIST {name} id ID #REQUIRED>" for name in ("item", "category", "person", "open_auction")]
    return [*lines, "<!ATTLIST item featured CDATA #IMPLIED>", "<!ATTLIST profile income CDATA #IMPLIED>"]


DTD: Final = "\n".join(_declarations()) + "\n"
