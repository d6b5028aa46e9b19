"""The thesis' benchmark of buffers: queries of appendix C on XMark without attributes, and the figures it reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

KB, MB = 1_000, 1_000_000
SIZES_MB: Final = (5, 10, 50, 100)
"""Of the thesis' documents."""


class Claim(Enum):
    """What should hold of the bytes buffered with the schema."""

    NONE = "nothing buffered"
    CONSTANT = "less than 200 bytes, whatever the size"
    TENTH = "about a tenth of Q8"
    WINDOW = "one window"
    OPEN = "grows with the input"


@dataclass(frozen=True)
class FluxQuery:
    """A query, with the thesis' peak bytes for each of `SIZES_MB`: without optimisation, and with it (C.1, C.2)."""

    name: str
    text: str
    claim: Claim
    unoptimised: tuple[float, ...]
    optimised: tuple[float, ...]


def _query(name: str, text: str, claim: Claim, unoptimised: tuple[float, ...], optimised: object = None) -> FluxQuery:
    figures = unoptimised if optimised is None else optimised
    assert isinstance(figures, tuple)
    return FluxQuery(name, text.strip(), claim, unoptimised, figures)


_ZERO = (0.0, 0.0, 0.0, 0.0)


def _window(name: str, size: int, step: int, claim: Claim, peak: float) -> FluxQuery:
    text = f"""<query_win>{{ for $w in /site/open_auctions/open_auction|count {size} step {step}|
  return <max_item>{{ fn:max($w/current) }}</max_item> }}</query_win>"""
    return _query(name, text, claim, (peak,) * 4)


QUERIES: Final = (
    _query(
        "Q1",
        """<query1b>{ for $b in /site/people/person where $b/person_id = "person0"
  return <result>{ $b/name }</result> }</query1b>""",
        Claim.NONE,
        (112, 109, 114, 113),
        _ZERO,
    ),
    _query(
        "Q5",
        """<query5>{ for $i in /site/closed_auctions/closed_auction where $i/price >= 40
  return $i/price }</query5>""",
        Claim.CONSTANT,
        (91, 91, 91, 91),
    ),
    _query(
        "Q8",
        """<query8>{ for $p in /site/people/person return <item><person>{ $p/name }</person>
  <items_bought>{ for $t in /site/closed_auctions/closed_auction where $t/buyer/buyer_person = $p/person_id
    return <result>{ $t }</result> }</items_bought></item> }</query8>""",
        Claim.OPEN,
        (1.4 * MB, 2.9 * MB, 14.9 * MB, 30.1 * MB),
    ),
    _query(
        "Q8b",
        """<query8b>{ for $t in /site/closed_auctions/closed_auction return <item><auction>{ $t }</auction>
  { for $p in /site/people/person where $t/buyer/buyer_person = $p/person_id
    return <buyer>{ $p/name }</buyer> }</item> }</query8b>""",
        Claim.TENTH,
        (1.4 * MB, 2.9 * MB, 14.9 * MB, 30.1 * MB),
        (209.7 * KB, 412 * KB, 1.9 * MB, 3.9 * MB),
    ),
    _query(
        "Q11",
        """<query11>{ for $p in /site/people/person return <items>{ $p/name }
  { for $o in /site/open_auctions/open_auction where $p/profile/profile_income > (5000 * $o/initial)
    return $o/open_auction_id }</items> }</query11>""",
        Claim.OPEN,
        (275.3 * KB, 545.4 * KB, 2.6 * MB, 5.3 * MB),
    ),
    _query(
        "Q13",
        """<query13>{ for $i in $ROOT/site/regions/australia/item return <item><name>{ $i/name }</name>
  <desc>{ $i/description }</desc></item> }</query13>""",
        Claim.NONE,
        (8.7 * KB, 8.6 * KB, 13.4 * KB, 15.6 * KB),
        _ZERO,
    ),
    _query(
        "Q16",
        """<query16>{ for $a in /site/closed_auctions/closed_auction where fn:not(fn:empty(
  $a/annotation/description/parlist/listitem/parlist/listitem/text/emph/keyword))
  return $a/seller/seller_person }</query16>""",
        Claim.CONSTANT,
        (129, 129, 130, 130),
    ),
    _query(
        "Q17",
        """<query17>{ for $p in /site/people/person where fn:empty($p/homepage)
  return <person>{ $p/name }</person> }</query17>""",
        Claim.CONSTANT,
        (112, 109, 114, 113),
    ),
    _query(
        "Q20",
        """<query20>{ for $p in /site/people/person where fn:empty($p/person_income) return $p }</query20>""",
        Claim.NONE,
        (4.1 * KB, 4.7 * KB, 6.2 * KB, 6.3 * KB),
        _ZERO,
    ),
    _query(
        "QA",
        """<query_agg>{ for $a in /site/closed_auctions return for $c in $a/closed_auction
  where $c/price = fn:max($a/closed_auction/price) return $c }</query_agg>""",
        Claim.OPEN,
        (1.2 * MB, 2.5 * MB, 13 * MB, 26.2 * MB),
    ),
    _window("QW1", 10, 10, Claim.NONE, 0),
    _window("QW2", 10, 5, Claim.WINDOW, 910),
    _window("QW3", 20, 5, Claim.WINDOW, 1.7 * KB),
)
