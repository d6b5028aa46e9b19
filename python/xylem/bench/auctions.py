"""Open and closed auctions: bids, prices and annotations, and who sells which item to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING

from .balanced import Balanced
from .market import dates
from .prose import Prose

if TYPE_CHECKING:
    from .xmark import Counts

_REGULARS = (20, 51)  # the two bidders whose meetings XMark's query 4 looks for
_AUCTIONS_PER_MEETING = 100
_BID_STEP = 1.5


def _partition(counts: Counts, random: Random) -> Iterator[tuple[int, bool]]:
    """Every item with whether it is on auction now: exactly so many, any choice as likely (Knuth's algorithm S)."""
    wanted = counts.open_auctions
    for item in range(counts.items):
        is_open = random.random() * (counts.items - item) < wanted
        wanted -= is_open
        yield item, is_open


def _traders(draws: Balanced, persons: int) -> Callable[[], int]:
    """Sellers and buyers: a normal distribution around the middle of the people, so that a few trade often."""
    draw = draws.normal(persons * 0.493, persons * 0.089)
    return lambda: min(persons - 1, max(0, int(draw())))


def _annotations(draws: Balanced, prose: Prose, random: Random, persons: int) -> Callable[[], str]:
    happiness, pick = draws.integer(1, 10), random.randrange

    def annotation() -> str:
        author = f'<annotation>\n<author person="person{pick(persons)}"/>\n'
        return f"{author}{prose.description()}<happiness>{happiness()}</happiness>\n</annotation>\n"

    return annotation


def _terms(draws: Balanced, more_than_one: float) -> Callable[[], str]:
    """`quantity` and `type`: a Dutch auction needs more than one piece to sell."""
    is_several, is_dutch, is_featured = draws.chance(more_than_one), draws.chance(0.64), draws.chance(0.52)

    def terms() -> str:
        quantity = 2 if is_several() else 1
        kind = ("Featured" if is_featured() else "Regular") + (", Dutch" if quantity > 1 and is_dutch() else "")
        return f"<quantity>{quantity}</quantity>\n<type>{kind}</type>\n"

    return terms


class _Meetings:
    """Lets the two regulars meet in one auction of a hundred, the first time soon and in the order of query 4.

    With bidders drawn at random they would meet once in two thousand documents of scale 1 and the query would have no
    answer.
    """

    def __init__(self, persons: int) -> None:
        self._possible = persons > max(_REGULARS)
        self._meetings = 0

    def seat(self, auction: int, bidders: list[int]) -> bool:
        """Put the regulars among the bidders when their time has come; whether it has."""
        if self._possible and len(bidders) >= 4 and auction >= 10 + self._meetings * _AUCTIONS_PER_MEETING:
            early, late = _REGULARS if self._meetings % 2 == 0 else reversed(_REGULARS)
            bidders[1], bidders[-1] = early, late
            self._meetings += 1
            return True
        return False


def open_auctions(counts: Counts, random: Random, partition: Random) -> Iterator[str]:
    """The `open_auctions` section: what stands now is the initial price and all increases."""
    draws, prose, pick = Balanced(random), Prose(random), random.randrange
    seller, date, terms = _traders(draws, counts.persons), dates(random), _terms(draws, 0.083)
    initial, surcharge = draws.exponential(98.0, least=0.5), draws.exponential(2.45, least=1.2)
    has_reserve, has_privacy, is_private = draws.chance(0.533), draws.chance(0.417), draws.chance(0.5)
    annotation = _annotations(draws, prose, random, counts.persons)
    step, bidder_count, meetings = draws.exponential(9.74), draws.count(5.9, most=200), _Meetings(counts.persons)

    def bid(bidder: int, increase: float) -> str:
        time = f"{pick(24):02}:{pick(60):02}:{pick(60):02}"
        return (
            f"<bidder>\n<date>{date()}</date>\n<time>{time}</time>\n"
            f'<personref person="person{bidder}"/>\n<increase>{increase:.2f}</increase>\n</bidder>\n'
        )

    def auction(number: int, item: int) -> str:
        bidders = [pick(counts.persons) for _ in range(bidder_count())]
        is_meeting = meetings.seat(number, bidders)  # with a reserve, which is what the query returns
        increases = [_BID_STEP * (1 + int(step())) for _ in bidders]
        start = round(initial(), 2)
        reserve = f"<reserve>{start * surcharge():.2f}</reserve>\n" if has_reserve() or is_meeting else ""
        privacy = f"<privacy>{'Yes' if is_private() else 'No'}</privacy>\n" if has_privacy() else ""
        return (
            f'<open_auction id="open_auction{number}">\n<initial>{start:.2f}</initial>\n{reserve}'
            f"{''.join(map(bid, bidders, increases))}<current>{start + sum(increases):.2f}</current>\n{privacy}"
            f'<itemref item="item{item}"/>\n<seller person="person{seller()}"/>\n{annotation()}{terms()}'
            f"<interval>\n<start>{date()}</start>\n<end>{date()}</end>\n</interval>\n</open_auction>\n\n"
        )

    yield "<open_auctions>\n"
    on_sale = (item for item, is_open in _partition(counts, partition) if is_open)
    for number, item in enumerate(on_sale):
        yield auction(number, item)
    yield "</open_auctions>\n"


def closed_auctions(counts: Counts, random: Random, partition: Random) -> Iterator[str]:
    """The `closed_auctions` section: each item that is not on auction now, with its buyer and price."""
    draws, prose = Balanced(random), Prose(random)
    seller, buyer, date = _traders(draws, counts.persons), _traders(draws, counts.persons), dates(random)
    price, terms = draws.exponential(118.5, least=1.0), _terms(draws, 0.12)
    annotation = _annotations(draws, prose, random, counts.persons)
    yield "<closed_auctions>\n"
    for item, is_open in _partition(counts, partition):
        if not is_open:
            yield (
                f'<closed_auction>\n<seller person="person{seller()}"/>\n<buyer person="person{buyer()}"/>\n'
                f'<itemref item="item{item}"/>\n<price>{price():.2f}</price>\n<date>{date()}</date>\n'
                f"{terms()}{annotation()}</closed_auction>\n\n"
            )
    yield "</closed_auctions>\n"
