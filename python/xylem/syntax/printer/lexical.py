"""Names, numbers and strings as they are written."""

from __future__ import annotations

from decimal import Decimal

from ..ast import Name

_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "{": "{{", "}": "}}", "\n": "&#xA;", "\t": "&#x9;", "\r": "&#xD;"}
)
_CONTENT = str.maketrans({"&": "&amp;", "<": "&lt;", "{": "{{", "}": "}}", "\r": "&#xD;"})
_BRACED_URI = str.maketrans({"&": "&amp;", "{": "&#x7B;", "}": "&#x7D;"})


def name_text(name: Name) -> str:
    """A name with its prefix, or as `Q{uri}local`."""
    if name.prefix:
        return f"{name.prefix}:{name.local}"
    if name.uri is not None:
        return f"Q{{{braced_uri(name.uri)}}}{name.local}"
    return name.local


def braced_uri(uri: str) -> str:
    """What stands between the braces of `Q{…}`."""
    return uri.translate(_BRACED_URI)


def string_text(value: str) -> str:
    """A string literal, in the quotes that need the least escaping."""
    value = value.replace("&", "&amp;").replace("\r", "&#xD;")
    if '"' in value and "'" not in value:
        return f"'{value}'"
    return '"' + value.replace('"', '""') + '"'


def decimal_text(value: Decimal) -> str:
    """A decimal literal, which always has a point and never an exponent."""
    text = format(value, "f")
    return text if "." in text else text + ".0"


def double_text(value: float) -> str:
    """A double literal, which always has an exponent."""
    if value != value:
        return 'xs:double("NaN")'
    if value in (float("inf"), float("-inf")):
        return "1e999" if value > 0 else "-1e999"
    text = repr(value)
    return text if "e" in text else text + "e0"


def literal_text(value: object) -> str:
    """A literal of an annotation."""
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    return double_text(value) if isinstance(value, float) else str(value)


def attribute_text(value: str) -> str:
    """Characters of a direct attribute value in double quotes."""
    return value.translate(_ATTRIBUTE)


def content_text(value: str) -> str:
    """Characters of direct element content. White space alone gets a reference, lest it be stripped."""
    if value.strip(" \t\n\r"):
        return value.translate(_CONTENT)
    return f"&#x{ord(value[0]):X};" + value[1:].translate(_CONTENT)
