"""Items and people: the two sections of an auction document that the others refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from random import Random
from typing import TYPE_CHECKING

from .auction_names import CITIES, COUNTRIES, EDUCATIONS, FIRST_NAMES, HOSTS, LAST_NAMES, PAYMENTS, SHIPPINGS, STATES
from .balanced import Balanced
from .prose import Prose

if TYPE_CHECKING:
    from .xmark import Counts

QUANTITIES = {1: 0.908, 2: 0.085, 3: 0.007}
_HOME = "United States"


def dates(random: Random) -> Callable[[], str]:
    """Days of 1998 to 2001; XMark never uses the 29th and later."""
    pick = random.randrange
    return lambda: f"{pick(12) + 1:02}/{pick(28) + 1:02}/{pick(1998, 2002)}"


def _names(draws: Balanced) -> Callable[[], tuple[str, str, str]]:
    """First name, last name and mail host of somebody."""
    first, last, host = draws.choice(FIRST_NAMES), draws.choice(LAST_NAMES), draws.choice(HOSTS)
    return lambda: (first(), last(), host())


def _some(options: Sequence[str], random: Random) -> str:
    """Each of the options or not, all alike: one time in sixteen none of four."""
    bits = random.getrandbits(len(options))
    return ", ".join(option for position, option in enumerate(options) if bits >> position & 1)


def items(counts: Counts, random: Random) -> Iterator[str]:
    """The `regions`, each with its items; ids run through all of them."""
    draws, prose, pick = Balanced(random), Prose(random), random.randrange
    is_featured, is_domestic, country = draws.chance(0.085), draws.chance(0.73), draws.choice(COUNTRIES)
    quantity, name_length = draws.weighted(QUANTITIES), draws.weighted({1: 0.29, 2: 0.29, 3: 0.2, 4: 0.22})
    category_count, mail_count = draws.count(2.8, least=1, most=10), draws.count(0.985)
    somebody, date = _names(draws), dates(random)

    def mail() -> str:
        (a, b, c), (d, e, f) = somebody(), somebody()
        head = f"<from>{a} {b} mailto:{b}@{c}</from>\n<to>{d} {e} mailto:{e}@{f}</to>\n<date>{date()}</date>\n"
        return f"<mail>\n{head}{prose.text()}</mail>\n"

    def item(number: int) -> str:
        featured = ' featured="yes"' if is_featured() else ""
        categories = (f'<incategory category="category{pick(counts.categories)}"/>\n' for _ in range(category_count()))
        mails = (mail() for _ in range(mail_count()))
        return (
            f'<item id="item{number}"{featured}>\n<location>{_HOME if is_domestic() else country()}</location>\n'
            f"<quantity>{quantity()}</quantity>\n<name>{prose.words(name_length())}</name>\n"
            f"<payment>{_some(PAYMENTS, random)}</payment>\n{prose.description()}"
            f"<shipping>{_some(SHIPPINGS, random)}</shipping>\n"
            f"{''.join(categories)}<mailbox>\n{''.join(mails)}</mailbox>\n</item>\n"
        )

    numbers = count()
    yield "<regions>\n"
    for region, size in counts.items_by_region.items():
        yield f"<{region}>\n"
        yield from map(item, islice(numbers, size))
        yield f"</{region}>\n"
    yield "</regions>\n"


def people(counts: Counts, random: Random) -> Iterator[str]:
    """The `people` section: every part of a person but name and address of mail may be missing."""
    draws = Balanced(random)
    somebody, address, profile = _names(draws), _addresses(draws, random), _profiles(draws, random, counts.categories)
    has_phone, has_address, has_homepage = draws.chance(0.486), draws.chance(0.49), draws.chance(0.459)
    has_card, has_profile, has_watches = draws.chance(0.537), draws.chance(0.541), draws.chance(0.467)
    phone, watch_count, pick = _phones(draws, random), draws.count(4.08), random.randrange
    yield "<people>\n"
    for number in range(counts.persons):
        first, last, host = somebody()
        parts = [f"<name>{first} {last}</name>\n<emailaddress>mailto:{last}@{host}</emailaddress>\n"]
        if has_phone():
            parts.append(f"<phone>{phone()}</phone>\n")
        if has_address():
            parts.append(address())
        if has_homepage():
            parts.append(f"<homepage>http://www.{host}/~{last}</homepage>\n")
        if has_card():
            card = " ".join(str(pick(1000, 10000)) for _ in range(4))
            parts.append(f"<creditcard>{card}</creditcard>\n")
        if has_profile():
            parts.append(profile())
        if has_watches():
            watched = (pick(counts.open_auctions) for _ in range(watch_count()))
            watches = "".join(f'<watch open_auction="open_auction{auction}"/>\n' for auction in watched)
            parts.append(f"<watches>\n{watches}</watches>\n")
        yield f'<person id="person{number}">\n{"".join(parts)}</person>\n\n'
    yield "</people>\n"


def _phones(draws: Balanced, random: Random) -> Callable[[], str]:
    is_domestic, pick = draws.chance(0.855), random.randrange
    return lambda: f"+{0 if is_domestic() else pick(1, 212)} ({pick(10, 1000)}) {pick(1_000_000, 96_000_000)}"


def _addresses(draws: Balanced, random: Random) -> Callable[[], str]:
    is_domestic, has_state, has_province = draws.chance(0.792), draws.chance(0.576), draws.chance(0.5)
    city, country, state, name = (draws.choice(names) for names in (CITIES, COUNTRIES, STATES, LAST_NAMES))
    zipcode, pick = draws.integer(3, 35), random.randrange

    def address() -> str:
        street = f"<address>\n<street>{pick(1, 100)} {name()} St</street>\n<city>{city()}</city>\n"
        if is_domestic():
            place, province = _HOME, state() if has_state() else ""
        else:
            place, province = country(), name() if has_province() else ""
        if province:
            province = f"<province>{province}</province>\n"
        return f"{street}<country>{place}</country>\n{province}<zipcode>{zipcode()}</zipcode>\n</address>\n"

    return address


def _profiles(draws: Balanced, random: Random, categories: int) -> Callable[[], str]:
    income, age = draws.normal(42_300, 30_000, least=9_876), draws.normal(30.6, 13.7, least=18)
    interest_count, education = draws.count(2.86), draws.choice(EDUCATIONS)
    has_education, has_gender, has_age = draws.chance(0.558), draws.chance(0.514), draws.chance(0.558)
    is_male, is_business, pick = draws.chance(0.6), draws.chance(0.5), random.randrange

    def profile() -> str:
        parts = [f'<interest category="category{pick(categories)}"/>\n' for _ in range(interest_count())]
        if has_education():
            parts.append(f"<education>{education()}</education>\n")
        if has_gender():
            parts.append(f"<gender>{'male' if is_male() else 'female'}</gender>\n")
        parts.append(f"<business>{'Yes' if is_business() else 'No'}</business>\n")
        if has_age():
            parts.append(f"<age>{int(age())}</age>\n")
        return f'<profile income="{income():.2f}">\n{"".join(parts)}</profile>\n'

    return profile
