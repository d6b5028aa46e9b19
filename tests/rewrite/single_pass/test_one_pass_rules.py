"""Each rule that makes one pass of many: where it fires and where it must not, and the answer with and without it."""

from __future__ import annotations

import sys

import pytest
from xylem.rewrite.single_pass import RULES
from xylem.source.kernel import is_kernel_built

from ..golden_case import Case
from .one_pass_case import CASES, rewritten
from .two_ways import from_tree, streamed

SCANNERS = ("python", "kernel") if is_kernel_built() else ("python",)


def label(case: Case) -> str:
    return f"{case.file.stem}-{case.name}".replace(" ", "-")


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_rewritten_query(case: Case) -> None:
    text, fusions = rewritten(case.sections["query"])
    assert text == case.sections["rewritten"]
    assert (case.properties["rule"] in {fusion.rule for fusion in fusions}) == (case.properties["fires"] == "yes")


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("case", [case for case in CASES if "document" in case.sections], ids=label)
def test_the_answer_with_and_without_the_rule(case: Case, scanner: str) -> None:
    query, document = case.sections["query"], case.sections["document"]
    expected = from_tree(query, document)
    assert streamed(query, document, scanner) == expected
    assert streamed(query, document, scanner, frozenset({case.properties["rule"]})) == expected


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_every_rule_fires_somewhere_and_not_everywhere(rule: str) -> None:
    assert {case.properties["fires"] for case in CASES if case.properties["rule"] == rule} == {"yes", "no"}


def test_rules_are_documented() -> None:
    for rule in RULES:
        text = sys.modules[type(rule).__module__].__doc__ or ""
        assert all(word in text for word in ("→", "Gain:", "Needs:", "Safe:")), rule.name
