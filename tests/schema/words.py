"""The obvious versions: languages as sets of words, and derivatives of expressions. They stay in the tests for ever."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product

from hypothesis import strategies as st
from xylem.schema.content_model import (
    All,
    Choice,
    Content,
    Name,
    Optional,
    Plus,
    Repeat,
    Sequence,
    Star,
    leaves,
    repeated,
)
from xylem.schema.glushkov import glushkov

Word = tuple[str, ...]
ALPHABET = "abc"
TOO_MANY = 3_000


class TooManyWords(Exception):
    """The language is too large to be listed."""


def language(model: Content) -> set[Word]:
    """The words of a model. Loops run at most twice more than they must: enough for any two symbols to meet."""
    match model:
        case Name(local):
            return {(local,)}
        case Sequence(parts):
            return _concatenated([language(part) for part in parts])
        case Choice(parts):
            return _small(set().union(*(language(part) for part in parts)))
        case Optional(part):
            return {(), *language(part)}
        case Star(part) | Plus(part) | Repeat(part, _, _):
            least, most = model.bounds()
            times = range(least, (least + 2 if most is None else min(most, least + 2)) + 1)
            inner = language(part)
            return _small(set().union(*(_concatenated([inner] * n) for n in times)))
        case All(parts):
            shuffled: set[Word] = {()}
            for part in parts:
                shuffled = _small({w for one in shuffled for other in language(part) for w in _shuffles(one, other)})
            return shuffled
    raise AssertionError(model)


def _concatenated(parts: list[set[Word]]) -> set[Word]:
    words: set[Word] = {()}
    for part in parts:
        words = _small({one + other for one, other in product(words, part)})
    return words


def _shuffles(one: Word, other: Word) -> Iterable[Word]:
    if not one or not other:
        yield one + other
        return
    yield from ((one[0], *rest) for rest in _shuffles(one[1:], other))
    yield from ((other[0], *rest) for rest in _shuffles(one, other[1:]))


def _small(words: set[Word]) -> set[Word]:
    if len(words) > TOO_MANY:
        raise TooManyWords
    return words


# --- partial derivatives (Antimirov): a set of expressions, one for each way a word can be read

Terms = frozenset[Content]


@cache
def nullable(model: Content) -> bool:
    """Whether the empty word is one of a model."""
    match model:
        case Name():
            return False
        case Sequence(parts) | All(parts):
            return all(map(nullable, parts))
        case Choice(parts):
            return any(map(nullable, parts))
        case Optional(part) | Star(part) | Plus(part) | Repeat(part, _, _):
            return model.bounds()[0] == 0 or nullable(part)
    raise AssertionError(model)


@cache
def derivative(model: Content, name: str) -> Terms:
    """What may follow after a symbol."""
    match model:
        case Name(local):
            return frozenset({Sequence()} if local == name else ())
        case Sequence(()):
            return frozenset()
        case Sequence((head, *tail)):
            rest = Sequence(tuple(tail))
            found = {_then(term, rest) for term in derivative(head, name)}
            return frozenset(found | derivative(rest, name) if nullable(head) else found)
        case Choice(parts):
            return frozenset().union(*(derivative(part, name) for part in parts))
        case All(parts):
            return frozenset(
                All((*parts[:i], term, *parts[i + 1 :]))
                for i, part in enumerate(parts)
                for term in derivative(part, name)
            )
        case Optional(part) | Star(part) | Plus(part) | Repeat(part, _, _):
            least, most = model.bounds()
            rest = repeated(part, 0 if nullable(part) else max(least - 1, 0), None if most is None else most - 1)
            return frozenset(_then(term, rest) for term in derivative(part, name))
    raise AssertionError(model)


def _then(one: Content, other: Content) -> Content:
    parts = (*(one.parts if isinstance(one, Sequence) else (one,)), other)
    return Sequence(tuple(part for part in parts if part != Sequence()))


def after(model: Content, word: Iterable[str]) -> Terms:
    """What is left of a model behind a word; nothing where no word starts like that."""
    terms: Terms = frozenset({model})
    for name in word:
        terms = frozenset().union(*(derivative(term, name) for term in terms))
    return terms


def names_in(terms: Iterable[Content]) -> set[str]:
    """What can still come."""
    return {leaf.local for term in terms for leaf in leaves(term) if isinstance(leaf, Name)}


# --- generated models

NAMES = st.sampled_from([Name(letter) for letter in ALPHABET])


def _larger(inner: st.SearchStrategy[Content]) -> st.SearchStrategy[Content]:
    bounds = st.tuples(st.integers(0, 2), st.integers(1, 3)).filter(lambda b: b[0] <= b[1])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Sequence(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Choice(tuple(parts))),
        inner.map(Optional),
        inner.map(Star),
        inner.map(Plus),
        st.tuples(inner, bounds).map(lambda pair: Repeat(pair[0], *pair[1])),
    )


def _is_small(model: Content) -> bool:
    if len(list(leaves(model))) > 7:
        return False
    try:
        language(model)
    except TooManyWords:
        return False
    return True


MODELS = st.recursive(NAMES, _larger, max_leaves=6).filter(_is_small)
"""Any small expressions; many of them are ambiguous."""

ONE_UNAMBIGUOUS = MODELS.filter(lambda model: not glushkov(model).is_ambiguous())

UNORDERED = st.lists(
    st.sampled_from(ALPHABET).flatmap(
        lambda letter: st.sampled_from(
            [Name(letter), Optional(Name(letter)), Star(Name(letter)), Repeat(Name(letter), 1, 2)]
        )
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda part: next(leaves(part)).local,  # type: ignore[no-any-return]
).map(lambda parts: All(tuple(parts)))
