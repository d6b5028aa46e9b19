"""Options whose value may be left out."""

from __future__ import annotations

import pytest
from xylem.cli.optional_values import with_default_values


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["run", "--stats"], ["run", "--stats=text"]),
        (["run", "--stats", "q.xq"], ["run", "--stats=text", "q.xq"]),
        (["run", "--stats", "json", "q.xq"], ["run", "--stats=json", "q.xq"]),
        (["run", "--stats=json"], ["run", "--stats=json"]),
        (["run", "--", "--stats"], ["run", "--", "--stats"]),
        ([], []),
    ],
)
def test_an_option_without_a_value_gets_the_first(written: list[str], meant: list[str]) -> None:
    assert with_default_values(written) == meant
