"""`xylem explain --on spark`, for people and for programs."""

from __future__ import annotations

import json

from typer.testing import CliRunner
from xylem.cli.app import app

RUNNER = CliRunner()


def test_for_people() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "count(//a)"])
    assert ended.exit_code == 0
    assert ended.stdout.startswith("split\n    before each //a\n")


def test_why_it_is_one_task() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "for $a in //a\nreturn $a/preceding::b"])
    assert ended.stdout == (
        "one task, over the whole input\n    the axis preceding may be in another part of the document (2:11)\n"
    )


def test_for_programs() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "sum(//a/@n)", "--format", "json"])
    facts = json.loads(ended.stdout)
    assert facts["parallel"]
    assert [part["kind"] for part in facts["parts"]] == ["aggregate"]
    assert facts["frame"] == "$part1"


def test_options_of_one_process_are_refused() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "1", "--code"])
    assert ended.exit_code == 2


def test_a_faulty_query_is_told_as_ever() -> None:
    ended = RUNNER.invoke(app, ["explain", "--on", "spark", "-q", "count(//a"])
    assert ended.exit_code != 0
