"""The FluX programs of the thesis come out as printed there, up to variable names, spacing and order of sets."""

from __future__ import annotations

import re

import pytest
from xylem.plan.flux_printer import print_flux
from xylem.plan.outer_tags import with_outer_tags
from xylem.rewrite.merge_handlers import merge_handlers
from xylem.rewrite.safety import unsafe_places
from xylem.schema.loading import load_schema

from .flux_interpreter import answer
from .golden_case import GOLDEN, Case, cases_in
from .plain_tree import parsed
from .planned import expected, planned

CASES = [case for path in sorted((GOLDEN / "flux").glob("*.txt")) for case in cases_in(path)]
TOKEN = re.compile(r'"[^"]*"|\$[\w-]+|</?\w[^>]*>|[\w:.-]+|\S')


def canonical(program: str) -> list[str]:
    """The tokens of a program, with variables numbered, sets in order, `ps` short, and no semicolons."""
    names: dict[str, str] = {}
    tokens = [t for t in TOKEN.findall(program.replace("process-stream", "ps")) if t != ";"]
    tokens = [names.setdefault(t, f"${len(names)}") if t.startswith("$") else t for t in tokens]
    for index, token in enumerate(tokens):
        if token == "past" and tokens[index + 1] == "(":
            end = tokens.index(")", index)
            tokens[index + 2 : end] = sorted(t for t in tokens[index + 2 : end])
    return tokens


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.stem)
def test_the_program_is_the_thesis_one(case: Case) -> None:
    plan = planned(case.sections["query"], load_schema(case.sections["dtd"]), without=case.list("without"))
    program = with_outer_tags(plan.program) if case.properties.get("tags") == "outside" else plan.program
    assert canonical(print_flux(program)) == canonical(case.sections["program"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.stem)
def test_the_program_is_safe_and_gives_the_answer(case: Case) -> None:
    schema = load_schema(case.sections["dtd"])
    plan = planned(case.sections["query"], schema, without=case.list("without"))
    assert unsafe_places(plan.program, schema) == []
    if "document" not in case.sections:
        return
    document = case.sections["document"]
    right = expected(case.sections["query"], document)
    assert answer(plan.program, parsed(document), schema) == right
    assert answer(merge_handlers(plan.program), parsed(document), schema) == right


def test_every_program_of_the_thesis_is_here() -> None:
    assert len(CASES) == 20
