"""Durations of options: with a unit, and for limits of time also without one."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.cli.duration import in_seconds, time_limit_seconds


@pytest.mark.parametrize(("text", "seconds"), [("500ms", 0.5), ("2s", 2), ("1.5 m", 90), ("3min", 180), ("1h", 3600)])
def test_units(text: str, seconds: float) -> None:
    assert in_seconds(text, "--settle") == time_limit_seconds(text) == seconds


def test_a_limit_may_be_a_number_of_seconds() -> None:
    assert time_limit_seconds("0.25") == 0.25
    with pytest.raises(typer.BadParameter, match="not a duration"):
        in_seconds("0.25", "--settle")


def test_the_option() -> None:
    assert CliRunner().invoke(app, ["run", "-q", "1 + 1", "--time-limit", "1m"]).stdout == "2\n"
    refused = CliRunner().invoke(app, ["run", "-q", "1", "--time-limit", "soon"])
    assert refused.exit_code == 2
    assert "number of seconds" in refused.stderr.replace("\n", " ")
