"""The examples of the thesis: §3.2, §3.3 with figure 3.1, and the DTDs its queries are rewritten with."""

from __future__ import annotations

import pytest
from xylem.schema import AutomatonConstraints, PastTracker, load_schema


def element(name: str, declarations: str) -> AutomatonConstraints:
    found = load_schema(declarations).element(name)
    assert found is not None
    return found


RHO = element("r", "<!ELEMENT r (a*, b, c*, (d | e*), a*)>")


def test_example_3_2_2_order() -> None:
    assert RHO.ordered("b", "c")
    assert RHO.ordered("c", "d")
    assert RHO.ordered("c", "e")
    assert RHO.ordered("b", "d")
    assert not RHO.ordered("a", "c")


def test_example_3_2_4_cardinality() -> None:
    assert {name for name in RHO.symbols if RHO.at_most_once(name)} == {"b", "d"}
    assert {name for name in RHO.symbols if RHO.exactly_once(name)} == {"b"}
    assert RHO.never("f")


def states() -> list[str]:
    automaton = RHO.automaton
    return ["q0", *(f"{automaton.label(q)}{q}" for q in range(1, automaton.end + 1))]


def test_example_3_3_1_marking() -> None:
    assert states() == ["q0", "a1", "b2", "c3", "d4", "e5", "a6", "⊙7"]


def test_figure_3_1_automaton() -> None:
    names = states()
    transitions = {
        name: [names[p] for p in range(len(names)) if RHO.automaton.follows[q] >> p & 1] for q, name in enumerate(names)
    }
    assert transitions == {
        "q0": ["a1", "b2"],
        "a1": ["a1", "b2"],
        "b2": ["c3", "d4", "e5", "a6", "⊙7"],
        "c3": ["c3", "d4", "e5", "a6", "⊙7"],
        "d4": ["a6", "⊙7"],
        "e5": ["e5", "a6", "⊙7"],
        "a6": ["a6", "⊙7"],
        "⊙7": [],
    }
    assert not RHO.automaton.is_ambiguous()


def test_example_3_3_3_past() -> None:
    names = states()
    assert [name for q, name in enumerate(names) if RHO.past(q, "b")] == ["c3", "d4", "e5", "a6", "⊙7"]
    assert sorted((names[q], names[p]) for q, p in RHO.first_past({"b"})) == [
        ("b2", "a6"),
        ("b2", "c3"),
        ("b2", "d4"),
        ("b2", "e5"),
        ("b2", "⊙7"),
    ]


@pytest.mark.parametrize("word", ["b", "aab", "bcc", "abda", "beea", "ba"])
def test_example_3_3_3_fires_behind_the_only_b(word: str) -> None:
    tracker = PastTracker(RHO, [{"b"}])
    fired = [tracker.begin(), *(tracker.child(name) for name in word), tracker.end()]
    assert sum(fired) == 1
    assert fired.index(1) == word.index("b") + 2


BIB_WEAK = "<!ELEMENT book (title|author)*>"
BIB_PRICE = "<!ELEMENT book ((title|author)*, price)>"
BIB_USE_CASES = "<!ELEMENT book (title, (author+|editor+), publisher, price)>"

ORDERED = {
    # §3.1
    (BIB_WEAK, "book"): "",
    (BIB_PRICE, "book"): "title<price author<price",
    (BIB_USE_CASES, "book"): (
        "title<author title<editor title<publisher title<price author<editor editor<author author<publisher"
        " editor<publisher author<price editor<price publisher<price"
    ),
    # §3.5.3
    ("<!ELEMENT book (author*, title*)>", "book"): "author<title",
    ("<!ELEMENT book (title|publisher|year)*>", "book"): "",
    ("<!ELEMENT book (publisher*, year*, title*)>", "book"): "publisher<year publisher<title year<title",
    ("<!ELEMENT bib (book|article)*>", "bib"): "",
    ("<!ELEMENT article (title, author+, journal)>", "article"): "title<author title<journal author<journal",
    ("<!ELEMENT bib (book*, article*)>", "bib"): "book<article",
    # §3.6.2
    ("<!ELEMENT dissertation (title, author, pubyear)>", "dissertation"): ("title<author title<pubyear author<pubyear"),
    ("<!ELEMENT author (lastname, firstname, address)>", "author"): (
        "lastname<firstname lastname<address firstname<address"
    ),
    # §3.8
    ("<!ELEMENT book (title | author | bookstore)*>", "book"): "",
    ("<!ELEMENT bookstore (name, price)>", "bookstore"): "name<price",
    ("<!ELEMENT a (b*, c*)>", "a"): "b<c",
    ("<!ELEMENT a (b | c)*>", "a"): "",
    ("<!ELEMENT d (e, f)>", "d"): "e<f",
}


@pytest.mark.parametrize(("dtd", "name"), ORDERED)
def test_order_in_the_dtds_of_the_examples(dtd: str, name: str) -> None:
    found = element(name, dtd)
    order = {f"{x}<{y}" for x in found.symbols for y in found.symbols if found.ordered(x, y)}
    assert order == set(ORDERED[dtd, name].split())


@pytest.mark.parametrize(
    ("dtd", "name", "once", "at_most_once"),
    [
        (BIB_WEAK, "book", "", ""),
        (BIB_PRICE, "book", "price", "price"),
        (BIB_USE_CASES, "book", "title publisher price", "title publisher price"),
        ("<!ELEMENT article (title, author+, journal)>", "article", "title journal", "title journal"),
        ("<!ELEMENT bookstore (name, price)>", "bookstore", "name price", "name price"),
        ("<!ELEMENT a (b*, c*)>", "a", "", ""),
    ],
)
def test_cardinality_in_the_dtds_of_the_examples(dtd: str, name: str, once: str, at_most_once: str) -> None:
    found = element(name, dtd)
    assert {x for x in found.symbols if found.exactly_once(x)} == set(once.split())
    assert {x for x in found.symbols if found.at_most_once(x)} == set(at_most_once.split())


def test_past_events_of_the_introduction() -> None:
    """§3.1: with the weak DTD titles and authors are past at </book>, with a price behind them when it starts."""
    weak = PastTracker(element("book", BIB_WEAK), [{"title", "author"}])
    assert [weak.begin(), weak.child("title"), weak.child("author"), weak.end()] == [0, 0, 0, 1]
    price = PastTracker(element("book", BIB_PRICE), [{"title", "author"}])
    assert [price.begin(), price.child("title"), price.child("price"), price.end()] == [0, 0, 1, 0]
