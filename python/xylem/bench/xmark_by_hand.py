"""XMark queries as somebody would write them without a query language: one loop over lxml's `iterparse` each.

What has passed is freed. Joins by equality are dictionaries, joins by inequality a sorted list that is searched by
halves. All of them give the answer of the query, as text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any, Final


def passing(document: Path, *tags: str) -> Iterator[Any]:
    """Elements of some names as they end; what has passed is freed."""
    from lxml import etree

    for _, element in etree.iterparse(str(document), events=("end",), tag=tags):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def q1(document: Path) -> str:
    """The name of person0."""
    return "".join(_text(e, "name") for e in passing(document, "person") if e.get("id") == "person0")


def q5(document: Path) -> str:
    """How many sold items cost 40 or more."""
    return str(sum(float(e.findtext("price")) >= 40 for e in passing(document, "closed_auction")))


def q8(document: Path) -> str:
    """Persons, and how many items each has bought: a dictionary of counts by buyer."""
    persons: list[tuple[str, str]] = []
    bought: Counter[str] = Counter()
    for element in passing(document, "person", "closed_auction"):
        if element.tag == "person":
            persons.append((element.get("id"), _text(element, "name")))
        else:
            bought[element.find("buyer").get("person")] += 1
    return "".join(f'<item person="{name}">{bought[person]}</item>' for person, name in persons)


def q9(document: Path) -> str:
    """Persons, and the names of what each has bought in Europe: two dictionaries."""
    european: dict[str, str] = {}
    persons: list[tuple[str, str]] = []
    bought: defaultdict[str, list[str]] = defaultdict(list)
    for element in passing(document, "item", "person", "closed_auction"):
        if element.tag == "person":
            persons.append((element.get("id"), _text(element, "name")))
        elif element.tag == "closed_auction":
            bought[element.find("buyer").get("person")].append(element.find("itemref").get("item"))
        elif element.getparent().tag == "europe":
            european[element.get("id")] = _text(element, "name")
    parts = []
    for person, name in persons:
        items = "".join(f"<item>{european.get(item, '')}</item>" for item in bought[person])
        parts.append(f'<person name="{name}">{items}</person>')
    return "".join(parts)


def q10(document: Path) -> str:
    """Persons by interest: a dictionary of lists, in the order in which interests first come."""
    interested: dict[str, list[str]] = {}
    for person in passing(document, "person"):
        categories = dict.fromkeys(interest.get("category") for interest in person.iterfind("profile/interest"))
        if categories:
            card = _personne(person)
            for category in categories:
                interested.setdefault(category, []).append(card)
    return "".join(
        f"<categorie><id>{escape(category)}</id>{''.join(cards)}</categorie>" for category, cards in interested.items()
    )


def _personne(person: Any) -> str:
    income = escape(person.find("profile").get("income") or "")
    return (
        f"<personne><statistiques><sexe>{_text(person, 'profile/gender')}</sexe>"
        f"<age>{_text(person, 'profile/age')}</age><education>{_text(person, 'profile/education')}</education>"
        f"<revenu>{income}</revenu></statistiques><coordonnees><nom>{_text(person, 'name')}</nom>"
        f"<rue>{_text(person, 'address/street')}</rue><ville>{_text(person, 'address/city')}</ville>"
        f"<pays>{_text(person, 'address/country')}</pays><reseau><courrier>{_text(person, 'emailaddress')}</courrier>"
        f"<pagePerso>{_text(person, 'homepage')}</pagePerso></reseau></coordonnees>"
        f"<cartePaiement>{_text(person, 'creditcard')}</cartePaiement></personne>"
    )


def q11(document: Path) -> str:
    """Persons, and how many items on sale they can afford: prices sorted once, then a search for each person."""
    persons, prices = _incomes_and_prices(document)
    return "".join(
        f'<items name="{name}">{0 if income is None else bisect_left(prices, float(income))}</items>'
        for name, income in persons
    )


def q12(document: Path) -> str:
    """The same for incomes above 50,000."""
    persons, prices = _incomes_and_prices(document)
    return "".join(
        f'<items person="{escape(income)}">{bisect_left(prices, float(income))}</items>'
        for _, income in persons
        if income is not None and float(income) > 50_000
    )


def _incomes_and_prices(document: Path) -> tuple[list[tuple[str, str | None]], list[float]]:
    """Names with incomes, in order; and 5,000 times the initial prices, sorted."""
    persons: list[tuple[str, str | None]] = []
    prices: list[float] = []
    for element in passing(document, "person", "open_auction"):
        if element.tag == "open_auction":
            prices.append(5000 * float(element.findtext("initial")))
        else:
            profile = element.find("profile")
            persons.append((_text(element, "name"), None if profile is None else profile.get("income")))
    return persons, sorted(prices)


def q13(document: Path) -> str:
    """Names and descriptions of items in Australia."""
    from lxml import etree

    parts = []
    for item in passing(document, "item"):
        if item.getparent().tag == "australia":
            description = etree.tostring(item.find("description"), encoding="unicode", with_tail=False)
            parts.append(f'<item name="{_text(item, "name")}">{description}</item>')
    return "".join(parts)


def q20(document: Path) -> str:
    """How many customers there are of each range of income."""
    groups = dict.fromkeys(("preferred", "standard", "challenge", "na"), 0)
    for person in passing(document, "person"):
        profile = person.find("profile")
        income = None if profile is None else profile.get("income")
        if income is None:
            groups["na"] += 1
        else:
            amount = float(income)
            groups["preferred" if amount >= 100_000 else "standard" if amount >= 30_000 else "challenge"] += 1
    return f"<result>{''.join(f'<{name}>{number}</{name}>' for name, number in groups.items())}</result>"


def _text(element: Any, path: str) -> str:
    """The text of a child, ready to be written into an element or an attribute; nothing where there is none."""
    return escape(element.findtext(path) or "")


BY_HAND: Final[dict[int, Callable[[Path], str]]] = {
    1: q1,
    5: q5,
    8: q8,
    9: q9,
    10: q10,
    11: q11,
    12: q12,
    13: q13,
    20: q20,
}
"""By the number of the query."""
