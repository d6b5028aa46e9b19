"""Functions that read settings of the static and dynamic context (F&O 3.1 §14.7 and §15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.values.strings import Language

from .registry import function

if TYPE_CHECKING:
    from .context import Context


@function("fn:environment-variable", "xs:string", "xs:string?", context=True)
def environment_variable(ctx: Context, name: str) -> str | None:
    environment = ctx.run.environment
    return None if environment is None else environment.get(name)


@function("fn:available-environment-variables", "", "xs:string*", context=True)
def available_environment_variables(ctx: Context) -> list[str]:
    environment = ctx.run.environment
    return [] if environment is None else list(environment)


@function("fn:default-collation", "", "xs:string", context=True)
def default_collation(ctx: Context) -> str:
    return ctx.static.default_collation


@function("fn:default-language", "", "xs:language", context=True)
def default_language(ctx: Context) -> Language:
    return Language(ctx.static.default_language)
