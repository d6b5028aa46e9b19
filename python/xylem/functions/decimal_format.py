"""Decimal formats: the characters fn:format-number reads in pictures and writes in numbers (F&O 3.1 §4.7.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields

from xylem.errors import StaticError


@dataclass(frozen=True)
class DecimalFormat:
    """The properties of a decimal format, each with its default."""

    decimal_separator: str = "."
    grouping_separator: str = ","
    exponent_separator: str = "e"
    infinity: str = "Infinity"
    minus_sign: str = "-"
    nan: str = "NaN"
    percent: str = "%"
    per_mille: str = "\u2030"
    zero_digit: str = "0"
    digit: str = "#"
    pattern_separator: str = ";"

    @staticmethod
    def of(properties: Mapping[str, str]) -> DecimalFormat:
        """A format from the properties of a `declare decimal-format`, by their names in XQuery.

        XQST0097 for a value a property cannot have, XQST0098 where one character has two meanings.

        >>> DecimalFormat.of({"decimal-separator": ",", "grouping-separator": "."}).decimal_separator
        ','
        """
        for name, value in properties.items():
            if name not in PROPERTY_NAMES:
                raise StaticError("XQST0097", f"there is no property {name!r}", hint=", ".join(PROPERTY_NAMES))
            if name not in ("infinity", "NaN") and len(value) != 1:
                raise StaticError("XQST0097", f"{name} must be one character, not {value!r}")
        made = DecimalFormat(**{PROPERTY_NAMES[name]: value for name, value in properties.items()})
        if unicodedata.category(made.zero_digit) != "Nd" or unicodedata.digit(made.zero_digit) != 0:
            raise StaticError(
                "XQST0097", f"zero-digit must be a zero of some family of digits, not {made.zero_digit!r}"
            )
        made._check_distinct()
        return made

    def _check_distinct(self) -> None:
        meaning = dict.fromkeys(self.digits, "zero-digit")
        for name, field in PROPERTY_NAMES.items():
            if name in ("infinity", "NaN", "minus-sign", "zero-digit"):
                continue
            other = meaning.setdefault(getattr(self, field), name)
            if other != name:
                raise StaticError("XQST0098", f"{name} and {other} are both {getattr(self, field)!r}")

    @property
    def digits(self) -> str:
        """The ten digits of the family."""
        return "".join([chr(ord(self.zero_digit) + i) for i in range(10)])


PROPERTY_NAMES = {
    {"nan": "NaN"}.get(field.name, field.name.replace("_", "-")): field.name for field in fields(DecimalFormat)
}
"""The properties by the names `declare decimal-format` has for them."""

DEFAULT_FORMAT = DecimalFormat()
