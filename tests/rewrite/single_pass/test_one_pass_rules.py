"""Each rule that makes one pass of many: where it fires and where it must not, and the answer with and without it."""

from __future__ import annotations

import sys

import pytest
from xylem.rewrite.normalise import RULES as NORMAL
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
    assert (case.properties["rule"] in {fusion.rule.name for fusion in fusions}) == (case.properties["fires"] == "yes")


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("case", [case for case in CASES if "document" in case.sections], ids=label)
@pytest.mark.share(4)
def test_the_answer_with_and_without_the_rule(case: Case, scanner: str) -> None:
    query, document = case.sections["query"], case.sections["document"]
    expected = from_tree(query, document)
    assert streamed(query, document, scanner) == expected
    assert streamed(query, document, scanner, frozenset({case.properties["rule"]})) == expected


CARRIED = "declare function local:f($p, $a) { if (empty($p)) then $a else local:f(tail($p), $a + $p[1]) }; "


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    "query",
    [
        "//a[fold-left(b, 0, function($x, $y) { $x + $y }) > 3]/n",
        CARRIED + "//a[local:f(b, 0) > 3]/n",
        CARRIED + "for $a in /s/a where local:f($a/b, 0) > 3 return $a/n",
        "//a[(for $i in 1 to 3 return count(b[. = $i])) = 1]/n",
        "for $a in /s/a where (for $i in 1 to 3 return count($a/b[. = $i])) = 1 return $a/n",
    ],
)
def test_folds_and_tables_in_conditions(query: str, scanner: str) -> None:
    document = "<s><a><b>1</b><b>3</b><n>x</n></a><a><b>1</b><n>y</n></a><a><n>z</n></a></s>"
    assert streamed(query, document, scanner) == from_tree(query, document)


@pytest.mark.parametrize("rule", [rule.name for rule in (*NORMAL, *RULES)])
def test_every_rule_fires_somewhere_and_not_everywhere(rule: str) -> None:
    assert {case.properties["fires"] for case in CASES if case.properties["rule"] == rule} == {"yes", "no"}


def test_rules_are_documented() -> None:
    for rule in RULES:
        text = sys.modules[type(rule).__module__].__doc__ or ""
        assert all(word in text for word in ("→", "Gain:", "Needs:", "Safe:")), rule.name
