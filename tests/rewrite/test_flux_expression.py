"""XQuery⁻ turned back into XQuery: the same answer, conditions whole, loops as paths, joins where they can be seen."""

from __future__ import annotations

import pytest
import xylem
from xylem.analysis.readable_names import with_readable_names
from xylem.plan.flux import Flux, For, Sequence
from xylem.plan.flux_expression import as_expression, join_expression
from xylem.syntax import ast, print_query

from .planned import expected, planned
from .random_cases import triple


def text(expression: ast.Expr | None) -> str:
    assert expression is not None
    return " ".join(print_query(with_readable_names(expression)).split())


def test_conditions_and_paths_are_whole_again() -> None:
    query = "for $b in /bib/book where $b/price > 2 return <b>{ $b/title }{ $b/author }</b>"
    made = text(as_expression(planned(query).normal_form))
    assert made == "for $b in $ROOT/bib/book where $b/price > 2 return <b>{ $b/title, $b/author }</b>"


def test_tags_without_partners_are_no_expression() -> None:
    body = planned("<a>{ /b }</a>").normal_form
    assert isinstance(body, Sequence)
    assert as_expression(Sequence(body.parts[:-1])) is None
    assert as_expression(Sequence(body.parts[1:])) is None


def test_a_loop_that_compares_its_element_with_others_is_a_join() -> None:
    query = "for $p in /s/p return for $t in /s/c/t where $t/@x = $p/@id and $t/n > 1 return <r>{ $t/n }</r>"
    loop = innermost(planned(query).normal_form, "c")
    assert text(join_expression(loop)) == "for $t in $s/c/t where $t/@x = $p/@id and $t/n > 1 return <r>{ $t/n }</r>"


def test_a_loop_that_compares_with_constants_is_none() -> None:
    loop = innermost(planned("for $p in /s/p return for $t in /s/c/t where $t/@x = 1 return $t/n").normal_form, "c")
    assert join_expression(loop) is None


def innermost(body: Flux, step: str) -> For:
    """The loop over a step."""
    while not (isinstance(body, For) and body.path[0].name == step):
        assert isinstance(body, For)
        body = body.body
    return body


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_answer_is_the_same(start: int) -> None:
    for seed in range(start, start + 50):
        case = triple(seed)
        try:
            right = expected(case.query, case.document)
        except xylem.XylemError:
            continue
        made = as_expression(planned(case.query).normal_form)
        if made is not None:
            assert expected(print_query(with_readable_names(made)), case.document) == right, case
