"""The nine benchmark queries of XQPull (xqpull.txt, section 5), and what that engine cached for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class XQPullQuery:
    """A query on XMark (`auction`) or on a bibliography (`dblp`)."""

    number: int
    document: str
    text: str
    cached_events: int
    """The paper's figure: events kept in queues, at most."""


_DATA: Final = (
    ("auction", '//asia//item[location="Mongolia"]/quantity', 60),
    ("auction", '//item[location="Mongolia"][payment="Creditcard"]/location', 100),
    ("auction", '//*[location="Mongolia"]/quantity', 860),
    ("auction", 'count(//item[location="Mongolia"]/..)', 40),
    ("auction", 'count(//item[location="Mongolia"]/ancestor::asia)', 40),
    ("auction", 'count(//item[location="Mongolia"]/ancestor::*//location)', 40),
    (
        "auction",
        "<result>{ for $c in //item where $c/location = 'Mongolia' "
        "return <item>{ $c/quantity, $c/payment }</item> }</result>",
        80,
    ),
    ("dblp", '//inproceedings[author="Leonidas Fegaras"]/title', 200),
    (
        # The paper's contains($d/author, …) holds for any of several authors; XQuery's wants one.
        "dblp",
        "for $d in //inproceedings where $d/author[contains(., 'Fegaras')] order by $d/year "
        "return ($d/year/text(), ': ', $d/title/text(), '&#10;')",
        2391,
    ),
)

QUERIES: Final = tuple(XQPullQuery(number, *entry) for number, entry in enumerate(_DATA, 1))
