"""Queries over the auctions of XMark that ask for a value of the whole in front of, or beside, each of its parts.

None of XMark's own queries does. Each of these needs two passes or more over a file, and keeps no more than an item;
the last one looks as if it did.
"""

from __future__ import annotations

QUERIES: dict[str, str] = {
    "P1": """(: Auctions that ended above the average price. :)
let $mean := avg(/site/closed_auctions/closed_auction/price)
for $a in /site/closed_auctions/closed_auction
where $a/price > $mean
return <sold price="{ $a/price }">{ $a/itemref/@item }</sold>
""",
    "P2": """(: The persons with the highest income. :)
for $p in /site/people/person
where $p/profile/@income = max(/site/people/person/profile/@income)
return $p/name
""",
    "P3": """(: A list with its length in front. :)
<items number="{ count(/site/regions//item) }">{
  for $i in /site/regions//item
  return <item>{ $i/name/text() }</item>
}</items>
""",
    "P4": """(: What each sale contributes to the total. :)
for $a in /site/closed_auctions/closed_auction
return <share>{ round($a/price div sum(/site/closed_auctions/closed_auction/price) * 10000) }</share>
""",
    "P5": """(: Auctions above the average of those above the average: three passes. :)
let $mean := avg(/site/closed_auctions/closed_auction/price)
let $high := avg(/site/closed_auctions/closed_auction[price > $mean]/price)
for $a in /site/closed_auctions/closed_auction
where $a/price > $high
return $a/price
""",
    "P6": """(: Two lists of the same sales, one behind the other. :)
<sales><prices>{
  for $a in /site/closed_auctions/closed_auction return $a/price
}</prices><buyers>{
  for $a in /site/closed_auctions/closed_auction return <by>{ $a/buyer/@person }</by>
}</buyers></sales>
""",
    "P7": """(: How far prices lie from their average. :)
let $mean := avg(/site/closed_auctions/closed_auction/price)
return math:sqrt(avg(/site/closed_auctions/closed_auction/((price - $mean) * (price - $mean))))
""",
    "P8": """(: The ten highest prices: sorted, and yet in one pass. :)
(for $a in /site/closed_auctions/closed_auction
 order by number($a/price) descending
 return <sold price="{ $a/price }">{ $a/itemref/@item }</sold>)[position() le 10]
""",
}


def query(name: str) -> str:
    """The text of a query, `P1` to `P8`."""
    return QUERIES[name]
