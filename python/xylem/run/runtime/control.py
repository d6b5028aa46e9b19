"""Type checks on bindings, switch comparison and caught errors in generated code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xylem.errors import ERR_NAMESPACE, DynamicError, EngineBug, Span, XylemError
from xylem.values.comparison import grouping_key
from xylem.values.description import describe
from xylem.values.qname import QName
from xylem.values.sequence_type import SequenceType


def check_type(items: Sequence[Any], expected: SequenceType, what: str) -> None:
    """A declared type without conversion: `for`, `let`, quantified and window variables."""
    if not expected.matches(items):
        raise DynamicError("XPTY0004", f"{what} must be {expected}, found {describe(items)}")


def checked(items: Sequence[Any], expected: SequenceType, what: str) -> Sequence[Any]:
    """The items, once they are known to be of the declared type."""
    check_type(items, expected, what)
    return items


def switch_equal(a: Any, b: Any, collation: Any, implicit_timezone: int) -> bool:
    """Equality as in fn:deep-equal: the empty sequence equals itself, NaN too, and nothing is an error."""
    if a is None or b is None:
        return a is b
    return bool(grouping_key(a, collation, implicit_timezone) == grouping_key(b, collation, implicit_timezone))


def error_name(error: XylemError) -> QName:
    """The error code as a QName."""
    if isinstance(error.name, QName):
        return error.name
    code = error.code
    if code.startswith("Q{"):
        uri, _, local = code[2:].partition("}")
        return QName(uri, local)
    return QName(ERR_NAMESPACE, code, "err")


def is_caught(error: XylemError, tests: Sequence[tuple[str | None, str | None]]) -> bool:
    """Whether a catch clause with these (uri, local) tests, None for any, catches the error."""
    if isinstance(error, EngineBug):
        return False
    name = error_name(error)
    return any((uri is None or uri == name.uri) and (local is None or local == name.local) for uri, local in tests)


def error_details(error: XylemError, locate: Callable[[XylemError], Span | None]) -> dict[str, Any]:
    """The variables of a catch clause."""
    span = error.span or locate(error)
    value = error.value
    return {
        "code": error_name(error),
        "description": (error.why or error.title or None) if error.description is None else error.description,
        "value": value if isinstance(value, (list, tuple, range)) else (value,),
        "module": span.source.name if span else None,
        "line-number": span.line if span else None,
        "column-number": span.column if span else None,
        "additional": (),
    }


__all__ = ["XylemError", "check_type", "checked", "error_details", "is_caught", "switch_equal"]
