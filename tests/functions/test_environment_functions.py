"""fn: functions that read settings of the context."""

from __future__ import annotations

from xylem.functions import environment_functions as fn
from xylem.functions.context import Context
from xylem.values.strings import Language


def test_environment_variables_need_permission(ctx: Context) -> None:
    assert fn.environment_variable(ctx, "PATH") is None
    assert fn.available_environment_variables(ctx) == []
    ctx.run.environment = {"A": "1"}
    assert fn.environment_variable(ctx, "A") == "1"
    assert fn.environment_variable(ctx, "B") is None
    assert fn.available_environment_variables(ctx) == ["A"]


def test_defaults(ctx: Context) -> None:
    assert fn.default_collation(ctx).endswith("/codepoint")
    assert type(fn.default_language(ctx)) is Language
