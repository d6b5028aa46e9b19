"""Generated window clauses over generated items, by both orders, held against the definition: 5,250 pairs of the two.

Every pair is run with all rules and with none, over items in memory and over a stream that brings them in chunks of any
size; for a part of them every rule is switched off alone, and the bytes of the stream are cut anywhere. Clauses are
compiled once for many sequences. XYLEM_WINDOW_CLAUSES=2000 runs eight times as many.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from xylem.pipeline import StaticEnvironment, compile_query, compile_stream
from xylem.rewrite.windows.rules import RULES
from xylem.source.resources import FileResources
from xylem.source.xml_reader import read_document
from xylem.values.node import Node

from .generated import Clause, Item, random_clause, random_items
from .oracle import windows_of

CLAUSES = int(os.environ.get("XYLEM_WINDOW_CLAUSES", "250"))
SEQUENCES = 21
"""Each clause is run over so many."""
BATCH = 25
EVERY_RULE = frozenset(rule.name for rule in RULES)


def elements(items: list[Item]) -> list[Node]:
    document = read_document(f"<r>{markup(items)}</r>")
    return [Node(document.tree, pre) for pre in document.tree.children(1)]


def answer(query: str, items: list[Item], without: frozenset[str] = frozenset()) -> list[str]:
    program = compile_query(query, StaticEnvironment(without_rules=without))
    return run(program, items)


def run(program: object, items: list[Item]) -> list[str]:
    return list(program.run(FileResources(), variables={("", "seq"): elements(items)}))  # type: ignore[attr-defined]


@pytest.mark.parametrize("batch", range(CLAUSES // BATCH))
@pytest.mark.share(3)
def test_clauses_agree_with_the_definition(batch: int) -> None:
    rng = random.Random(f"windows {batch}")
    for _ in range(BATCH):
        clause = random_clause(rng)
        query = clause.query()
        sequences = [random_items(rng) for _ in range(SEQUENCES)]
        expected = [clause.expected(items) for items in sequences]
        for without in (frozenset(), EVERY_RULE):
            program = compile_query(query, StaticEnvironment(without_rules=without))
            for items, windows in zip(sequences, expected, strict=True):
                assert run(program, items) == windows, f"{query}\n{items}\nwithout {sorted(without)}"
        streamed = compile_stream(over_input(query), StaticEnvironment())
        assert streamed.feeds_windows
        for items, windows in zip(sequences, expected, strict=True):
            found = list(streamed.run(in_chunks(rng, items), FileResources()))
            assert found == windows, f"{over_input(query)}\n{items}"


def over_input(query: str) -> str:
    """The clause over a document that streams by."""
    return query.replace("declare variable $seq external; ", "").replace("in $seq ", "in /r/i ")


def in_chunks(rng: random.Random, items: list[Item]) -> Iterator[bytes]:
    """The document of some items, any number of them at a time."""
    yield b"<r>"
    place = 0
    while place < len(items):
        size = rng.choice((1, 1, 2, 3, 8))
        yield markup(items[place : place + size]).encode()
        place += size
    yield b"</r>"


def markup(items: list[Item]) -> str:
    return "".join(f"<i k='{k}' v='{v}'/>" for k, v in items)


def test_bytes_cut_anywhere() -> None:
    rng = random.Random("bytes")
    for _ in range(25):
        clause = random_clause(rng)
        query = over_input(clause.query())
        nested = f"<all>{{ {query.replace('/r/i', '//i[@k > 0]')} }}</all>"
        programs = [compile_stream(text, StaticEnvironment()) for text in (query, nested)]
        for _ in range(6):
            items = random_items(rng)
            expected = clause.expected(items)
            data = f"<r>{markup(items)}</r>".encode()
            for program in programs:
                places = sorted(rng.choices(range(len(data) + 1), k=rng.randint(0, 12)))
                pieces = [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
                found = list(program.run(iter(pieces), FileResources()))
                if program is programs[0]:
                    assert found == expected, f"{query}\n{items}\n{places}"
                else:
                    assert [node.string_value for node in found] == [" ".join(expected)], f"{nested}\n{items}\n{places}"


@pytest.mark.parametrize("rule", sorted(EVERY_RULE))
def test_each_rule_off_alone(rule: str) -> None:
    rng = random.Random(f"without {rule}")
    for _ in range(12):
        clause = random_clause(rng)
        program = compile_query(clause.query(), StaticEnvironment(without_rules=frozenset({rule})))
        for _ in range(8):
            items = random_items(rng)
            assert run(program, items) == clause.expected(items), f"{clause.query()}\n{items}"


def test_windows_that_are_grouped() -> None:
    rng = random.Random("grouped")
    for _ in range(60):
        clause = random_clause(rng)
        items = random_items(rng)
        for without in (frozenset(), EVERY_RULE):
            found = answer(clause.grouped_query(), items, without)
            assert found == clause.grouped(items), f"{clause.grouped_query()}\n{items}\nwithout {sorted(without)}"


def test_endless_variables_give_the_same() -> None:
    """The same clauses over a variable that may be infinite: nothing of it is known beforehand, and nothing is kept."""
    rng = random.Random("endless")
    for _ in range(60):
        clause = random_clause(rng)
        items = random_items(rng)
        query = clause.query().replace("$seq external", "$seq as element(i)** external")
        program = compile_query(query, StaticEnvironment())
        found = program.run(FileResources(), variables={("", "seq"): arriving(elements(items))})
        assert list(found) == clause.expected(items), f"{query}\n{items}"


def arriving(items: list[Node]) -> Iterator[Node]:
    yield from items


def test_the_definition_on_an_example() -> None:
    """The oracle itself, on windows that can be checked by eye."""
    every = lambda i: True  # noqa: E731
    assert windows_of("tumbling", 5, every, lambda i, j: j - i == 1) == [(0, 1), (2, 3), (4, 4)]
    assert windows_of("sliding", 4, every, lambda i, j: j - i == 1, force=True) == [(0, 1), (1, 2), (2, 3)]
    assert windows_of("landmark", 3, lambda i: i == 0, lambda i, j: True) == [(0, 0), (0, 1), (0, 2)]
    long_first = windows_of("sliding", 3, every, lambda i, j: j == 2 if i == 0 else True)
    assert long_first == [(1, 1), (0, 2), (2, 2)]
    assert windows_of("sliding", 3, every, lambda i, j: j == 2 if i == 0 else True, standard=True) == [
        (0, 2),
        (1, 1),
        (2, 2),
    ]


def test_shrunk_failures_can_be_read() -> None:
    """A failing case is told as a query: it parses as it stands."""
    clause: Clause = random_clause(random.Random(1))
    compile_query(clause.query(), StaticEnvironment())


def test_the_clauses_make_every_rule_fire() -> None:
    from xylem.analysis.resolve_names import resolve_names
    from xylem.analysis.static_context import StaticContext
    from xylem.rewrite.windows import WindowFacts, plan_windows
    from xylem.syntax import ast, parse

    rng = random.Random("which rules")
    fired: set[str] = set()
    for _ in range(400):
        module = resolve_names(parse(random_clause(rng).query()), StaticContext())
        assert isinstance(module, ast.MainModule)
        assert isinstance(module.body, ast.Flwor)
        plan_windows(module.body, WindowFacts(), lambda rule, before, after: fired.add(rule.name))
    # Windows by key are generated for streams in batches (tests/run/tasks/test_windows_with_state.py).
    assert fired == EVERY_RULE - {"forget_keys"}
