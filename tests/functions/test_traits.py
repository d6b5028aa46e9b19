"""Traits of functions agree with the functions: their names, their signatures, and what they give."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations

import pytest
from xylem.functions import traits
from xylem.functions.library import load_all
from xylem.functions.registry import FN, Builtin
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.source.resources import FileResources

TRAITS = {name: value for name, value in vars(traits).items() if isinstance(value, frozenset)}


def with_trait(trait: str) -> Iterator[Builtin]:
    builtins = load_all()
    return (builtins[name] for name in sorted(TRAITS[trait]))


def evaluated(query: str) -> list[object]:
    return list(compile_query(query, StaticEnvironment()).run(FileResources()))


@pytest.mark.parametrize("trait", TRAITS)
def test_every_name_is_that_of_a_built_in_function(trait: str) -> None:
    assert TRAITS[trait]
    assert TRAITS[trait] <= set(load_all())


def test_traits_are_known_without_any_family() -> None:
    code = "import sys, xylem.functions.traits; print([m for m in sys.modules if m.endswith('_functions')])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.strip() == "[]"


def test_a_fold_gives_one_value_and_reads_as_it_comes() -> None:
    for builtin in with_trait("FOLDS"):
        assert builtin.returns.startswith("xs:"), builtin.local
        assert builtin.returns[-1] not in "*+", builtin.local
    for builtin in with_trait("AGGREGATES"):
        assert 0 in builtin.lazy, builtin.local


def test_every_function_that_gives_a_truth_value_is_known() -> None:
    assert {name for name, builtin in load_all().items() if builtin.returns == "xs:boolean"} == traits.BOOLEAN


def test_counting_takes_items_and_other_folds_values() -> None:
    for builtin in with_trait("MERGES"):
        is_counted = (builtin.uri, builtin.local) in traits.COUNTS
        assert builtin.parameters[0] == "item()*" if is_counted else builtin.parameters[0].startswith("xs:"), builtin


def test_what_picks_gives_items_of_its_kind() -> None:
    for builtin in with_trait("PASSES"):
        assert builtin.parameters[0].startswith("item()"), builtin.local
        assert builtin.returns.startswith("item()"), builtin.local
    assert {builtin.local for builtin in with_trait("PICKS") if builtin.returns in ("item()", "item()?")} == {
        local for _, local in traits.PICKS_ONE
    }


@pytest.mark.parametrize("local", sorted(local for _, local in traits.PICKS))
def test_picked_items_are_some_in_their_order(local: str) -> None:
    many = "(3, 1, 2)" if local not in ("exactly-one", "zero-or-one") else "(3)"
    more = {"remove": ", 2", "subsequence": ", 2", "trace": ', "told"'}.get(local, "")
    picked = evaluated(f"{local}({many}{more})")
    given = evaluated(many)
    assert picked == [item for item in given if item in picked]
    assert len(picked) == 1 or (FN, local) not in traits.PICKS_ONE


@pytest.mark.parametrize("local", sorted(local for _, local in traits.MERGES - traits.IN_ANY_ORDER - traits.BY_ORDER))
def test_what_is_in_no_order_rounds(local: str) -> None:
    # In whatever order whole numbers come, their sum is the same; that of doubles need not be.
    assert len({str(evaluated(f"{local}({order})")) for order in permutations((1, 2, 3))}) == 1
    assert len({str(evaluated(f"{local}((1e16, 1e0, -1e16))")), str(evaluated(f"{local}((1e16, -1e16, 1e0))"))}) == 2


@pytest.mark.parametrize("local", sorted(local for _, local in traits.MERGES))
def test_order_matters_where_it_is_said_to(local: str) -> None:
    values = ('"a"', '"b"', '"c"') if local == "string-join" else ("1e0", "2e0", "3e0")
    answers = {str(evaluated(f"{local}(({', '.join(order)}))")) for order in permutations(values)}
    assert (len(answers) > 1) == ((FN, local) in traits.BY_ORDER)


def test_what_asks_nothing_inside_gives_values() -> None:
    for builtin in with_trait("OUTSIDE"):
        assert builtin.returns.startswith("xs:"), builtin.local


def test_what_looks_around_takes_nodes() -> None:
    for builtin in with_trait("AROUND"):
        if (builtin.uri, builtin.local) in traits.VERSIONED:
            continue  # some of them take an expression as a function
        assert any(parameter.startswith(("node()", "item()")) for parameter in builtin.parameters), builtin.local


def test_what_constructs_gives_nodes() -> None:
    for builtin in with_trait("CONSTRUCTS"):
        assert builtin.returns.startswith(("element(", "document-node(", "item()", "node()")), builtin.local


@pytest.mark.parametrize(
    "call", ['parse-xml("<a/>")', 'parse-xml-fragment("<a/>")', 'json-to-xml("1")', 'analyze-string("a", "a")']
)
def test_what_constructs_gives_new_nodes(call: str) -> None:
    assert evaluated(f"{call} is {call}") == [False]
