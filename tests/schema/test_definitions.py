"""Order, past and cardinality against the definitions of the thesis (§3.2), read word by word."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.schema.content_model import All, Content, Mixed, Name, Optional, Repeat, Sequence, Star, leaves
from xylem.schema.declarations import ElementDeclaration
from xylem.schema.glushkov import MOST_STATES, states
from xylem.schema.matcher import NO_STATE, START
from xylem.schema.past_tracker import PastTracker

from .words import ALPHABET, MODELS, ONE_UNAMBIGUOUS, UNORDERED, Word, after, language, names_in, nullable

ANY_MODEL = st.one_of(MODELS, ONE_UNAMBIGUOUS, UNORDERED, UNORDERED.map(Optional))
LETTERS = st.sampled_from(ALPHABET)


def constraints(model: Content) -> AutomatonConstraints:
    return AutomatonConstraints(ElementDeclaration("r", model))


def is_before(words: set[Word], first: str, second: str) -> bool:
    """Def. 3.2.1, for two symbols that occur and differ."""
    return not any(second in word and first in word[word.index(second) + 1 :] for word in words)


@given(ANY_MODEL)
@settings(max_examples=200, deadline=None)
def test_order(model: Content) -> None:
    words, known = language(model), constraints(model)
    occurring = {name for word in words for name in word}
    for first, second in product(ALPHABET, repeat=2):
        expected = first not in occurring or (
            first != second and second in occurring and is_before(words, first, second)
        )
        assert known.ordered(first, second) == expected, (first, second)


@given(ANY_MODEL)
@settings(max_examples=200, deadline=None)
def test_cardinality(model: Content) -> None:
    """Def. 3.2.3."""
    words, known = language(model), constraints(model)
    for name in ALPHABET:
        counts = {word.count(name) for word in words}
        assert known.never(name) == (counts == {0})
        assert known.at_most_once(name) == (max(counts) <= 1)
        assert known.exactly_once(name) == (counts == {1})


@given(st.one_of(MODELS, ONE_UNAMBIGUOUS))
@settings(max_examples=150, deadline=None)
def test_cardinality_by_the_automaton(model: Content) -> None:
    """§3.3: by paths of the automaton. For ≤1 the existential formula there is read for all paths."""
    known = constraints(model)
    automaton = known.automaton
    for name in ALPHABET:
        mine = known.states(name)
        assert known.at_most_once(name) == (not any(automaton.reach[q] & mine for q in states(mine)))
        around, todo = 0, 1
        while todo:
            q = todo & -todo
            todo ^= q
            around |= q
            todo |= automaton.follows[q.bit_length() - 1] & ~mine & ~around
        can_be_avoided = bool(around >> automaton.end)
        assert known.exactly_once(name) == (known.at_most_once(name) and not can_be_avoided)


@given(ANY_MODEL)
@settings(max_examples=150, deadline=None)
def test_words_are_followed(model: Content) -> None:
    known = constraints(model)
    for word in sorted(language(model))[:40]:
        state = START
        for i, name in enumerate(word):
            assert known.matcher.accepts(state) == any(map(nullable, after(model, word[:i])))
            state = known.matcher.advance(state, name, None)
            assert state != NO_STATE
        assert known.matcher.accepts(state)


@given(ANY_MODEL, st.lists(LETTERS, max_size=6))
@settings(max_examples=200, deadline=None)
def test_other_words_are_not(model: Content, word: list[str]) -> None:
    known = constraints(model)
    state = START
    for i, name in enumerate(word):
        expected = set(known.matcher.expected(state))
        assert expected == {letter for letter in ALPHABET if after(model, [*word[:i], letter])}
        state = known.matcher.advance(state, name, None)
        assert (state == NO_STATE) == (not after(model, word[: i + 1]))
        if state == NO_STATE:
            return


@given(ANY_MODEL, st.sets(LETTERS), st.sets(LETTERS), st.booleans())
@settings(max_examples=200, deadline=None)
def test_past_is_told_once_and_at_the_right_child(
    model: Content, one: set[str], other: set[str], tells_ends: bool
) -> None:
    known = constraints(model)
    sets = [one, other, None]
    watched = [one, other, {leaf.local for leaf in leaves(model) if isinstance(leaf, Name)}]
    for word in sorted(language(model))[:20]:
        tracker = PastTracker(known, sets)
        given_so_far = tracker.begin()
        assert given_so_far == bitmap(watched, names_in([model]))
        for i, name in enumerate(word, 1):
            ahead = names_in(after(model, word[:i]))
            new = tracker.child(name)
            assert not new & given_so_far
            given_so_far |= new
            # A set that was past when the child before ended cannot come back.
            assert given_so_far == bitmap(watched, ahead | {name})
            if tells_ends:
                given_so_far |= tracker.child_ended()
                assert given_so_far == bitmap(watched, ahead)
        assert given_so_far | tracker.end() == 0b111


def bitmap(sets: list[set[str]], still_to_come: set[str]) -> int:
    return sum(1 << i for i, names in enumerate(sets) if not names & still_to_come)


@given(ANY_MODEL, st.sets(LETTERS), LETTERS)
@settings(max_examples=200, deadline=None)
def test_what_is_past_with_others(model: Content, names: set[str], other: str) -> None:
    """Never claimed wrongly; and where it is not claimed, some word shows why."""
    known = constraints(model)
    moments = [(set(), names_in([model]))]
    for start in {word[:i] for word in language(model) for i in range(1, len(word) + 1)}:
        moments.append(({start[-1]}, names_in(after(model, start))))
    holds = all(other not in reading | ahead for reading, ahead in moments if not names & (reading | ahead))
    assert known.past_implies(names, other) == holds


def test_one_of_two_that_exclude_each_other_is_past_too_early() -> None:
    """Where Def. 3.4.18 would call `on-first past(a) { $x/b }` safe."""
    model = constraints(_model("(b* | a)"))
    assert model.ordered("b", "a")
    assert not model.past_implies({"a"}, "b")
    assert model.past_implies({"a", "b"}, "b")


def _model(text: str) -> Content:
    from xylem.schema import load_schema

    found = load_schema(f"<!ELEMENT r {text}>").element("r")
    assert found is not None
    return found.content


@pytest.mark.parametrize("most", [MOST_STATES + 1, 10**9, None])
def test_large_bounds_are_counted_but_not_written_out(most: int | None) -> None:
    known = constraints(Sequence((Repeat(Name("a"), 2, most), Optional(Name("b")))))
    assert known.ordered("a", "b")
    assert not known.ordered("b", "a")
    assert known.occurrences("a").most == most
    assert known.automaton.is_exact == (most is None)
    assert len(known.automaton.follows) <= 5


def test_bounds_within_the_limit_are_exact() -> None:
    known = constraints(Repeat(Sequence((Name("a"), Name("b"))), 1, MOST_STATES // 2))
    assert known.automaton.is_exact
    state = START
    for _ in range(MOST_STATES // 2):
        assert known.matcher.ahead(state)
        state = known.matcher.advance(known.matcher.advance(state, "a", None), "b", None)
    assert known.matcher.advance(state, "a", None) == NO_STATE


def test_text_is_not_ordered_and_not_past_before_the_end() -> None:
    known = constraints(Mixed(Sequence((Name("a"), Name("b")))))
    assert known.symbols == {"a", "b", "text()"}
    assert known.ordered("a", "b")
    for name in ("a", "b", "text()"):
        assert not known.ordered("text()", name)
        assert not known.ordered(name, "text()")
    assert not known.at_most_once("text()")
    tracker = PastTracker(known, [{"text()"}, {"a"}])
    assert [tracker.begin(), tracker.child("a"), tracker.child("b"), tracker.end()] == [0, 0, 0b10, 0b01]


def test_white_space_is_text_to_a_query() -> None:
    known = constraints(Sequence((Name("a"), Name("b"))))
    assert "text()" not in known.symbols
    assert not known.ordered("text()", "b")
    assert not known.never("text()")


def test_all_is_unordered_but_counted() -> None:
    known = constraints(All((Name("a"), Optional(Name("b")), Star(Name("c")))))
    assert known.exactly_once("a")
    assert known.at_most_once("b")
    assert not known.at_most_once("c")
    assert not any(known.ordered(x, y) for x in "abc" for y in "abc")
    tracker = PastTracker(known, [{"a"}, {"b"}, {"c"}])
    assert [tracker.child("b"), tracker.child("a"), tracker.child("c")] == [0, 0b10, 0b01]
