"""XQuery⁻ turned back into XQuery: the same answer, conditions whole, loops as paths."""

from __future__ import annotations

import pytest
import xylem
from xylem.analysis.readable_names import with_readable_names
from xylem.plan.flux import Sequence
from xylem.plan.flux_expression import as_expression
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
