"""Each rule where it fires and where it must not: the rewritten clause, what was decided, the answer with and without.

`python -m tests.run.windows.test_rules` writes the sections `rewritten` and `plan` anew; the difference is to be read.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.rewrite.windows.rules import RULES
from xylem.schema.constraints import Schema
from xylem.schema.loading import load_schema
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.resources import FileResources
from xylem.source.xml_reader import read_document

from tests.rewrite.golden_case import GOLDEN, Case, cases_in

from .planned import planned

FOLDER = GOLDEN / "windows"
CASES = [case for path in sorted(FOLDER.glob("*.txt")) for case in cases_in(path)]
EVERY_RULE = {rule.name for rule in RULES}


def label(case: Case) -> str:
    return f"{case.file.stem}-{case.name}".replace(" ", "-")


def schema_of(case: Case) -> Schema | None:
    return load_schema(case.sections["dtd"]) if "dtd" in case.sections else None


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_rewritten_clause(case: Case) -> None:
    text, told, fired = planned(case.sections["query"], schema_of(case))
    assert (case.properties["rule"] in fired) == (case.properties["fires"] == "yes")
    assert text == case.sections["rewritten"]
    assert told == case.sections.get("plan", "").splitlines()


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_answer_with_and_without_the_rule(case: Case) -> None:
    expected = case.sections["answer"]
    for without in (frozenset(), frozenset({case.properties["rule"]}), frozenset(EVERY_RULE)):
        assert answer(case, without) == expected, sorted(without)


def answer(case: Case, without: frozenset[str]) -> str:
    items = f"declare variable $seq := ({case.sections.get('items', '()')});"
    environment = StaticEnvironment(without_rules=without, schema=schema_of(case))
    program = compile_query(f"{items} {case.sections['query']}", environment)
    document = read_document(case.sections["document"]) if "document" in case.sections else None
    found = program.run(FileResources(), context=None if document is None else (document,))
    return serialize(list(found), SerializationParameters(method="xml", omit_xml_declaration=True, item_separator=" "))


@pytest.mark.parametrize("rule", sorted(EVERY_RULE))
def test_every_rule_fires_somewhere_and_not_everywhere(rule: str) -> None:
    assert {case.properties["fires"] for case in CASES if case.properties["rule"] == rule} == {"yes", "no"}


def test_rules_are_documented() -> None:
    import sys

    for rule in RULES:
        text = sys.modules[type(rule).__module__].__doc__ or ""
        assert all(word in text for word in ("Gain:", "Needs:", "Safe:")), rule.name
        assert rule.paper


def regenerate() -> None:
    """Write `rewritten`, `plan` and `answer` of every case as they are now."""
    for path in sorted(FOLDER.glob("*.txt")):
        blocks = []
        for case in cases_in(path):
            text, told, _ = planned(case.sections["query"], schema_of(case))
            case.sections["rewritten"] = text
            case.sections["plan"] = "\n".join(told)
            if not told:
                case.sections.pop("plan")
            case.sections["answer"] = answer(case, frozenset(EVERY_RULE))
            head = "\n".join(f"# {name}: {value}" for name, value in case.properties.items())
            order = ["query", "dtd", "document", "items", "rewritten", "plan", "answer"]
            body = "\n".join(f"--- {name}\n{case.sections[name]}" for name in order if name in case.sections)
            blocks.append(f"{head}\n{body}\n")
        Path(path).write_text("====\n".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    regenerate()
