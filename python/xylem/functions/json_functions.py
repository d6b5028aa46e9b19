"""JSON text to maps and arrays (F&O 3.1 §17.5.1, §17.5.2)."""

from __future__ import annotations

from typing import Any

from xylem.errors import DynamicError
from xylem.values.json_parser import Fallback
from xylem.values.json_values import Duplicates, json_value
from xylem.values.map import XMap

from .context import Context
from .document_functions import resource_text
from .option_parameters import ONE_BOOLEAN, ONE_STRING, STRING_FUNCTION, option
from .registry import function

_FOR_VALUES = frozenset({Duplicates.REJECT, Duplicates.USE_FIRST, Duplicates.USE_LAST})


@function("fn:parse-json", "xs:string?, map(*)", "item()?")
def parse_json(text: str | None, options: XMap | None = None) -> Any:
    reading = reading_options(options)
    duplicates = duplicates_option(options, Duplicates.USE_FIRST, _FOR_VALUES)
    return None if text is None else json_value(text, duplicates=duplicates, **reading)


@function("fn:json-doc", "xs:string?, map(*)", "item()?", context=True)
def json_doc(context: Context, href: str | None, options: XMap | None = None) -> Any:
    return parse_json(None if href is None else resource_text(context, href), options)


def reading_options(options: XMap | None) -> dict[str, Any]:
    """The options `liberal`, `escape` and `fallback`, in the parser's form."""
    liberal = option(options, "liberal", ONE_BOOLEAN, False)
    escape = option(options, "escape", ONE_BOOLEAN, False)
    function_item = option(options, "fallback", STRING_FUNCTION, None)
    if function_item is not None and escape:
        raise DynamicError("FOJS0005", "with escape=true() there is nothing left for a fallback")
    fallback: Fallback | None = None if function_item is None else function_item.call
    return {"liberal": liberal, "escape": escape, "fallback": fallback}


def duplicates_option(options: XMap | None, default: Duplicates, allowed: frozenset[Duplicates]) -> Duplicates:
    """The option `duplicates`; FOJS0005 for a value the function does not know."""
    text = option(options, "duplicates", ONE_STRING, default.value)
    chosen = next((known for known in allowed if known.value == text), None)
    if chosen is None:
        raise DynamicError("FOJS0005", f"duplicates={text!r}")
    return chosen
