"""Generated cases: a query, a DTD, documents that are valid by it and others that are not. A seed gives a case."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from .compare import from_tree
from .random_query import random_query
from .random_schema import NAMES, World, random_document, random_world

PREFIX = "p:"
NAMESPACE = "urn:p"
LITTLE = 12
"""So many characters are an empty element, a number or a truth value."""


@dataclass(frozen=True)
class Case:
    """A query and what it is asked about."""

    query: str
    dtd: str
    valid: tuple[str, ...]
    """Documents for which the schema holds."""
    others: tuple[str, ...] = field(default=())
    """Documents to be read without a schema."""

    def triples(self) -> Iterator[tuple[str, str | None, str]]:
        """(query, schema or None, document)"""
        for document in self.valid:
            yield self.query, None, document
            yield self.query, self.dtd, document
        for document in self.others:
            yield self.query, None, document


def generated_case(seed: int) -> Case:
    """The case of a seed, always the same."""
    random = Random(f"stream {seed}")
    world, elsewhere = random_world(random), random_world(random)
    prefixes = dict.fromkeys(random.sample(NAMES, 4), PREFIX) if random.random() < 0.12 else {}
    valid = [random_document(world, random) for _ in range(2)]
    for document in valid:
        world.observe(document)
    query = _telling_query(world, valid, random, prefixes)
    other = random_document(elsewhere, random)
    if prefixes:
        # A DTD knows names as they are written: these documents have none.
        return Case(query, world.dtd, (), tuple(_prefixed(text, prefixes, random) for text in (*valid, other)))
    if random.random() < 0.1:
        spaced = tuple(_in_default_namespace(text) for text in valid)
        return Case(f'declare default element namespace "{NAMESPACE}"; {query}', world.dtd, spaced, (other,))
    return Case(query, world.dtd, tuple(valid), (other,))


def _telling_query(world: World, documents: list[str], random: Random, prefixes: dict[str, str]) -> str:
    """A query, if possible one that finds something: empty answers are easily right."""
    query = random_query(world, random, prefixes)
    for _ in range(3):
        if prefixes or any(len(from_tree(query, document.encode()).text) > LITTLE for document in documents):
            break
        query = random_query(world, random, prefixes)
    return query


_TAG = re.compile(r"(</?)([a-z]+)")


def _prefixed(document: str, prefixes: dict[str, str], random: Random) -> str:
    """The document with some elements in a namespace; by another prefix than the query's, now and then."""
    prefix = random.choice((PREFIX, "other:"))
    made = _TAG.sub(lambda m: f"{m[1]}{prefix if m[2] in prefixes else ''}{m[2]}", document)
    return _declaring(made, f'xmlns:{prefix.removesuffix(":")}="{NAMESPACE}"')


def _in_default_namespace(document: str) -> str:
    return _declaring(document, f'xmlns="{NAMESPACE}"')


def _declaring(document: str, declaration: str) -> str:
    """The document with a declaration at its root."""
    return re.sub(r"<([a-z:]+)", rf"<\1 {declaration}", document, count=1)


def pieces(data: bytes, random: Random) -> list[bytes]:
    """The input as it may arrive: whole, in single bytes, or cut anywhere."""
    kind = random.random()
    if kind < 0.25:
        return [data]
    if kind < 0.35:
        return [data[i : i + 1] for i in range(len(data))]
    cuts = sorted({0, len(data), *(random.randrange(len(data) + 1) for _ in range(random.randrange(1, 12)))})
    return [data[a:b] for a, b in itertools.pairwise(cuts)]
