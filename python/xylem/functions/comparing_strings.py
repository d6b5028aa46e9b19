"""Functions that compare strings, or look for one in another, under a collation (F&O 3.1 §5.3 and §5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xylem.values.collations import CODEPOINT, CODEPOINT_URI, Collation, collation

from .registry import function
from .string_functions import normalize_space

if TYPE_CHECKING:
    from xylem.values.binary import Base64Binary

    from .context import Context


def chosen_collation(ctx: Context, uri: str | None) -> Collation:
    """The collation of a URI given to a function, or the default one for None."""
    if uri is None:
        uri = ctx.static.default_collation
    if uri == CODEPOINT_URI:
        return CODEPOINT
    return collation(str(uri), ctx.static.base_uri)


@function("fn:compare", "xs:string?, xs:string?, xs:string", "xs:integer?", context=True)
def compare(ctx: Context, a: str | None, b: str | None, uri: str | None = None) -> int | None:
    order = chosen_collation(ctx, uri)
    return None if a is None or b is None else order.compare(a, b)


@function("fn:codepoint-equal", "xs:string?, xs:string?", "xs:boolean?")
def codepoint_equal(a: str | None, b: str | None) -> bool | None:
    return None if a is None or b is None else a == b


@function("fn:collation-key", "xs:string, xs:string", "xs:base64Binary", context=True)
def collation_key(ctx: Context, value: str, uri: str | None = None) -> Base64Binary:
    from xylem.values.binary import Base64Binary

    # UTF-8 keeps the order of codepoints, and keys may hold any of them, lone surrogates too.
    return Base64Binary(chosen_collation(ctx, uri).key(value).encode("utf-8", "surrogatepass"))


@function("fn:contains-token", "xs:string*, xs:string, xs:string", "xs:boolean", context=True)
def contains_token(ctx: Context, values: Sequence[str], token: str, uri: str | None = None) -> bool:
    order = chosen_collation(ctx, uri)
    wanted = token.strip(" \t\n\r")
    if not wanted:
        return False
    key = order.key(wanted)
    return any(order.key(found) == key for value in values for found in normalize_space(value).split(" ") if found)


@function("fn:contains", "xs:string?, xs:string?, xs:string", "xs:boolean", context=True)
def contains(ctx: Context, value: str | None, part: str | None, uri: str | None = None) -> bool:
    order = chosen_collation(ctx, uri)
    if order is CODEPOINT:
        return (part or "") in (value or "")
    return order.find(value or "", part or "") is not None


@function("fn:starts-with", "xs:string?, xs:string?, xs:string", "xs:boolean", context=True)
def starts_with(ctx: Context, value: str | None, part: str | None, uri: str | None = None) -> bool:
    return chosen_collation(ctx, uri).starts_with(value or "", part or "")


@function("fn:ends-with", "xs:string?, xs:string?, xs:string", "xs:boolean", context=True)
def ends_with(ctx: Context, value: str | None, part: str | None, uri: str | None = None) -> bool:
    return chosen_collation(ctx, uri).ends_with(value or "", part or "")


@function("fn:substring-before", "xs:string?, xs:string?, xs:string", "xs:string", context=True)
def substring_before(ctx: Context, value: str | None, part: str | None, uri: str | None = None) -> str:
    found = chosen_collation(ctx, uri).find(value or "", part or "")
    return "" if found is None or not value or not part else value[: found[0]]


@function("fn:substring-after", "xs:string?, xs:string?, xs:string", "xs:string", context=True)
def substring_after(ctx: Context, value: str | None, part: str | None, uri: str | None = None) -> str:
    found = chosen_collation(ctx, uri).find(value or "", part or "")
    return "" if found is None or not value else str(value[found[1] :])
