"""Each rule where it fires, and where it must not: the rewritten query, its safety, and its answer with and without."""

from __future__ import annotations

import pytest
from xylem.plan.flux_printer import print_flux
from xylem.rewrite.rules import ALGEBRA, NORMAL_FORM
from xylem.rewrite.safety import unsafe_places
from xylem.schema.loading import load_schema

from .flux_interpreter import answer
from .golden_case import GOLDEN, Case, cases_in
from .invariants import broken_by
from .plain_tree import parsed
from .planned import expected, planned, prolog_of

CASES = [case for path in sorted((GOLDEN / "rewrite").glob("*.txt")) for case in cases_in(path)]
RULES = {rule.name for rule in (*NORMAL_FORM, *ALGEBRA)}


def label(case: Case) -> str:
    return f"{case.file.stem}-{case.name}".replace(" ", "-")


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_rewritten_query(case: Case) -> None:
    schema = load_schema(case.sections["dtd"]) if "dtd" in case.sections else None
    plan = planned(case.sections["query"], schema)
    fired = {step.rule for step in plan.steps}
    assert [fault for change in plan.steps for fault in broken_by(change)] == []
    assert (case.properties["rule"] in fired) == (case.properties["fires"] == "yes")
    assert print_flux(plan.normal_form) == case.sections["rewritten"]
    assert unsafe_places(plan.program, schema) == []


def switches(case: Case) -> list[str]:
    """The algorithm needs the normal form, so its rules cannot be left out."""
    return ["on"] if case.properties["rule"] in {rule.name for rule in NORMAL_FORM} else ["on", "off"]


@pytest.mark.parametrize(
    ("case", "switched"),
    [pytest.param(c, s, id=f"{label(c)}-{s}") for c in CASES if "document" in c.sections for s in switches(c)],
)
def test_the_answer_with_and_without_the_rule(case: Case, switched: str) -> None:
    schema = load_schema(case.sections["dtd"]) if "dtd" in case.sections else None
    without = [case.properties["rule"]] if switched == "off" else []
    query, document = case.sections["query"], case.sections["document"]
    plan = planned(query, schema, without=without)
    assert unsafe_places(plan.program, schema) == []
    assert answer(plan.program, parsed(document), schema, prolog_of(query)) == expected(query, document)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_fires_somewhere_and_not_everywhere(rule: str) -> None:
    fires = {case.properties["fires"] for case in CASES if case.properties["rule"] == rule}
    assert fires == {"yes", "no"}


def test_rules_are_documented() -> None:
    """Every rule's file shows the rewrite and says what it gains, needs, and why it is safe."""
    import sys

    for rule in (*NORMAL_FORM, *ALGEBRA):
        text = sys.modules[type(rule).__module__].__doc__ or ""
        assert all(word in text for word in ("→", "Gain:", "Needs:", "Safe:")), rule.name
