"""Small documents for the spellings, of any size.

A *plain* document has one value for each key: some keys are shared and some match nothing. An *odd* one has missing
keys, items with several of them, and keys that two items have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

PLAIN, ODD = "plain", "odd"
VARIANTS = (PLAIN, ODD)


@cache
def document(kind: str, size: int, variant: str = PLAIN) -> str:
    return _MADE[kind](size, variant == ODD)


@cache
def variables(kind: str, size: int, variant: str = PLAIN) -> dict[str, str]:
    """The external documents that queries over this kind of document read, by the names of their variables."""
    return {"lines": _lines(size, variant == ODD)} if kind == "departures" else {}


def _bib(size: int, odd: bool) -> str:
    """Books: three of a year, so that there are more years in longer documents; half of them are after 2000.

    Prices are equally long, so that they are in one order as texts and as numbers.
    """
    made = []
    different = size // 3 + 2
    for i in range(size):
        years = [1000 + i % different * 2000 // different]
        prices = [f"{10 + i * 37 % 89}.{i * 13 % 4}0"]
        if odd and i % 5 == 2:
            years = [] if i % 2 else [years[0], 2003]
        if odd and i % 4 == 3:
            prices = []
        texts = [*(f"<year>{year}</year>" for year in years), *(f"<price>{price}</price>" for price in prices)]
        made.append(f"<book><title>t{i}</title>{''.join(texts)}</book>")
    return f"<bib>{''.join(made)}</bib>"


def _stream(size: int, odd: bool) -> str:
    """Readings: those of a day stand together; every other one has the same key, the rest has one of many."""
    made = []
    keys = size // 2 + 1
    for i in range(2 * size):
        key = "" if odd and i % 7 == 3 else f' k="k{i // 2 % keys if i % 2 else 0}"'
        day = "" if odd and i % 11 == 5 else f' d="{i // 4}"'
        values = [i * 31 % 9]
        if odd and i % 6 == 1:
            values = [] if i % 4 == 1 else [*values, 2]
        made.append(f"<t{day}{key}>{''.join(f'<v>{value}</v>' for value in values)}</t>")
    return f"<s>{''.join(made)}</s>"


def _site(size: int, odd: bool) -> str:
    """Persons and auctions: every third person bought nothing, some buyers are unknown, some bought often."""
    persons, closed, opened = [], [], []
    for i in range(size):
        key = "" if odd and i % 9 == 4 else f' id="p{i - 1 if odd and i % 10 == 6 else i}"'
        income = "" if odd and i % 4 == 1 else f' income="{20000 + i * 7919 % 90000}"'
        persons.append(f"<person{key}><name>n{i}</name><profile{income}/></person>")
        buyers = [f"p{i * 5 % size // 3 * 3 + i % 2}" if i % 6 else f"x{i}"]
        if odd and i % 5 == 2:
            buyers = [] if i % 2 else [*buyers, "p0", "p3"]
        bought = "".join(f'<buyer person="{buyer}"/>' for buyer in buyers)
        closed.append(
            f'<closed_auction id="c{i}">{bought}<seller person="p{i * 11 % size}"/><itemref item="i{i % 4}"/>'
            f"<price>{10 + i * 17 % 90}</price></closed_auction>"
        )
        initial = "" if odd and i % 7 == 3 else f"<initial>{1 + i * 29 % 23}</initial>"
        opened.append(
            f'<open_auction id="o{i}">{initial}<seller person="p{i * 7 % size}"/><itemref item="i{i % 3}"/>'
            "</open_auction>"
        )
    return (
        f"<site><people>{''.join(persons)}</people><open_auctions>{''.join(opened)}</open_auctions>"
        f"<closed_auctions>{''.join(closed)}</closed_auctions></site>"
    )


def _departures(size: int, odd: bool) -> str:
    made = []
    for i in range(size):
        line = "" if odd and i % 6 == 2 else f' line="l{i * 2 % (size + 3)}"'
        made.append(f'<departure{line} time="{i:04}"/>')
    return f"<timetable>{''.join(made)}</timetable>"


def _lines(size: int, odd: bool) -> str:
    made = []
    for i in range(size):
        key = "" if odd and i % 8 == 5 else f' id="l{i - 1 if odd and i % 9 == 3 else i}"'
        made.append(f"<line{key}><operator>o{i % 5}</operator></line>")
    return f"<lines>{''.join(made)}</lines>"


_MADE: dict[str, Callable[[int, bool], str]] = {
    "bib": _bib,
    "stream": _stream,
    "site": _site,
    "departures": _departures,
}
