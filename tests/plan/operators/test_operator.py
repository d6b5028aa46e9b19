"""Operators: hashes by content, numbers, parts that stand in several places, pictures."""

from __future__ import annotations

import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from xylem.errors import Span
from xylem.errors.source_text import SourceText
from xylem.lowering.operator_plans.of_tasks import part_operators
from xylem.pipeline import StaticEnvironment
from xylem.plan.explain_operators import plan_lines
from xylem.plan.operator_drawing import drawn_plan
from xylem.plan.operators import Aggregate, Bind, Operator, OperatorPlan, Runs, Scan, Select, Union
from xylem.query.compiled_query import CompiledQuery


def counted(path: str = "//a", **fields: object) -> Aggregate:
    return Aggregate(functions=("count",), inputs=(Scan(path=path),), **fields)  # type: ignore[arg-type]


def operators(query: str) -> Operator:
    return CompiledQuery(query, StaticEnvironment()).tree_operators.root


def test_a_hash_is_of_content_and_not_of_place() -> None:
    here = Span(0, 5, SourceText("count(//a)"))
    assert counted().fingerprint == counted(runs=Runs.SCAN, span=here).fingerprint
    assert counted().fingerprint != counted("//b").fingerprint
    assert counted().fingerprint != replace(counted(), functions=("sum",)).fingerprint


def test_a_hash_is_the_same_in_another_process() -> None:
    code = (
        "from xylem.plan.operators import *; "
        "print(Aggregate(functions=('count',), inputs=(Scan(path='//a'),)).fingerprint)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.strip() == counted().fingerprint


def test_an_operator_is_frozen_and_travels() -> None:
    operator = counted()
    with pytest.raises(AttributeError):
        operator.functions = ()  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(operator)) == operator


def test_spellings_of_one_meaning_are_one_operator() -> None:
    spelled = [
        "for $b in /bib/book where $b/year > 2000 return <t>{ $b/title }</t>",
        "for $b in /bib/book\nwhere $b/year > 2000\nreturn <t>{ $b/title }</t>",
        "let $all := /bib/book for $b in /bib/book where $b/year > 2000 return <t>{ $b/title }</t>",
    ]
    first, second, third = map(operators, spelled)
    assert first.fingerprint == second.fingerprint
    # A variable that nobody reads is a binding all the same: the tree has it.
    assert first.fingerprint != third.fingerprint


def test_a_part_in_several_places_has_one_number_and_is_told_once() -> None:
    shared = counted()
    plan = OperatorPlan(Union(inputs=(shared, Select(condition="$n > 1", over=shared), shared)))
    assert [plan.number(child) for child in plan.root.children] == [2, 4, 2]
    assert [operator.kind for operator in plan.operators()] == ["union", "aggregate", "scan", "select"]
    assert [line.split("|")[1].strip() for line in plan_lines(plan)].count("as 2") == 2


def test_what_is_measured_apart_has_numbers_of_its_own() -> None:
    one, other = counted(runs=Runs.TASK), counted(runs=Runs.MERGE)
    plan = OperatorPlan(Union(inputs=(one, other)))
    assert [plan.number(child) for child in plan.root.inputs] == [2, 4]


def test_pictures_have_the_numbers_of_the_text() -> None:
    plan = OperatorPlan(Bind(variable="a", inputs=(Scan(path='//a[@b = "<"]'),), over=counted()))
    dot, svg = drawn_plan(plan, "dot"), drawn_plan(plan, "svg")
    assert "o2 -> o1;" in dot
    assert "o3 -> o1 [style=dashed];" in dot
    assert '//a[@b = \\"<\\"]' in dot
    texts = ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert [text[0] for text in texts] == ["1", "2", "3", "4"]
    assert drawn_plan(plan, "text").splitlines() == list(plan_lines(plan))


def test_operators_of_an_expression_need_no_program() -> None:
    query = CompiledQuery("sum(//a/@n)", StaticEnvironment())
    from xylem.query.spreading import Spreading

    (part,) = query.distributed(Spreading()).spread.parts
    assert part_operators(part.source).told == "aggregate sum"
