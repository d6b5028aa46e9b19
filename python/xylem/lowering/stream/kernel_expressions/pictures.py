"""Pictures that are literals of the query, for fn:format-number, fn:format-integer and those of dates and times.

        format-date(xs:date($o/@day), "[D01].[M01].[Y]")    →    Formatted(MomentPicture("date", …), Call("to date", …))

Needs:  decimal digits of ASCII, English, the Gregorian calendar, no exponent. Code follows all other pictures, and
        raises the errors of those that are faulty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xylem.errors import XylemError
from xylem.functions import number_picture
from xylem.functions.date_names import DAYS, MONTHS, formatted_name
from xylem.functions.date_numbers import is_digit_pattern, widened, year_room
from xylem.functions.date_picture import Marker, parse_picture
from xylem.functions.date_timezone import offset_pattern
from xylem.functions.decimal_format import DEFAULT_FORMAT, DecimalFormat
from xylem.functions.digit_pattern import digit_pattern
from xylem.functions.format_datetime import NOT_IN_DATE, NOT_IN_TIME
from xylem.functions.format_integer import MODIFIER
from xylem.plan.kernel_picture import (
    DigitGroups,
    Digits,
    Fraction,
    Grouping,
    KernelPicture,
    MomentPicture,
    Name,
    NumberHalf,
    NumberPicture,
    Zone,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate

DecimalFormats = Mapping[tuple[str, str], DecimalFormat]

_POWERS = {1: 0, 100: 2, 1000: 3}
_OF_MOMENTS = {
    "format-date": ("date", NOT_IN_DATE),
    "format-dateTime": ("dateTime", frozenset[str]()),
    "format-time": ("time", NOT_IN_TIME),
}
FORMATTING = frozenset({"format-number", "format-integer", *_OF_MOMENTS})
"""The functions, by their local names."""
_NAMES = {"M": MONTHS, "F": DAYS, "P": ("am", "pm")}
_NAMED = ("N", "n", "Nn")


def picture_of(call: ast.FunctionCall, formats: DecimalFormats) -> KernelPicture:
    """The picture of a call; NoTemplate where only code can follow it."""
    text, others = call.arguments[1], call.arguments[2:]
    if not isinstance(text, ast.StringLiteral):
        raise NoTemplate("a picture that is computed", call)
    try:
        if call.name.local == "format-number":
            return _of_number(text.value, _format(others, formats))
        language, *places = others or (ast.SequenceExpr(()),)
        if not _is_english(language) or any(each != ast.SequenceExpr(()) for each in places):
            raise NoTemplate("a language, calendar or place", call)
        if call.name.local == "format-integer":
            return _of_integer(text.value)
        kind, missing = _OF_MOMENTS[call.name.local]
        return MomentPicture(kind, tuple(_piece(part, missing) for part in parse_picture(text.value)))
    except XylemError as faulty:
        raise NoTemplate("a faulty picture", call) from faulty


def _is_english(language: ast.Expr) -> bool:
    match language:
        case ast.StringLiteral(value=text):
            return text == "en"
    return language == ast.SequenceExpr(())


# --- numbers


def _format(names: tuple[ast.Expr, ...], formats: DecimalFormats) -> DecimalFormat:
    match names:
        case ():
            return formats.get(("", ""), DEFAULT_FORMAT)
        case (ast.StringLiteral(value=name),) if ("", name) in formats and name:
            return formats["", name]
    raise NoTemplate("the name of a decimal format")


def _of_number(text: str, fmt: DecimalFormat) -> NumberPicture:
    if fmt.zero_digit != "0":
        raise NoTemplate("digits of another family")
    positive, negative = (_half(each, fmt) for each in number_picture.parse_picture(text, fmt))
    return NumberPicture(positive, negative, fmt.decimal_separator, fmt.grouping_separator, fmt.nan, fmt.infinity)


def _half(picture: number_picture.SubPicture, fmt: DecimalFormat) -> NumberHalf:
    if picture.minimum_exponent_size:
        raise NoTemplate("a picture with an exponent")
    separator = fmt.grouping_separator
    return NumberHalf(
        picture.prefix,
        picture.suffix,
        _POWERS[picture.factor],
        picture.minimum_integer_size,
        (picture.minimum_fraction_size, picture.maximum_fraction_size),
        Grouping(tuple((place, separator) for place in picture.integer_groups), picture.regular_group),
        picture.fraction_groups,
    )


def _of_integer(text: str) -> DigitGroups:
    primary, semicolon, modifier = text.rpartition(";")
    if not semicolon:
        primary, modifier = text, ""
    match = MODIFIER.fullmatch(modifier)
    if match is None or match[2]:
        raise NoTemplate("a format modifier")
    return _digits(primary, is_ordinal=match[1] == "o")


def _digits(primary: str, *, is_ordinal: bool) -> DigitGroups:
    if not is_digit_pattern(primary):
        raise NoTemplate("numbers that are not written in digits")
    pattern = digit_pattern(primary)
    if pattern.zero != "0":
        raise NoTemplate("digits of another family")
    return DigitGroups(pattern.least_digits, Grouping(pattern.separators, pattern.group_size), is_ordinal)


# --- dates and times


def _piece(part: str | Marker, missing: frozenset[str]) -> str | Digits | Name | Fraction | Zone:
    if isinstance(part, str):
        return part
    component = part.component
    if component in missing:
        raise NoTemplate("what a date or a time does not have")
    match component:
        case "Z" | "z":
            return _zone(part)
        case "f":
            return _fraction(part)
        case "C" | "E" | "w":
            raise NoTemplate("an era, a calendar, or the week of a month")
        case "P" if part.presentation not in _NAMED:
            part = replace(part, presentation="n")
    if part.presentation in _NAMED and component in _NAMES:
        return Name(component, tuple(formatted_name(name, part) for name in _NAMES[component]))
    primary = "1" if part.presentation in _NAMED else part.presentation
    if not is_digit_pattern(primary):
        raise NoTemplate("numbers that are not written in digits")
    room = year_room(part) if component == "Y" else None
    digits = _digits(widened(primary, part.least or 0), is_ordinal=part.modifier == "o")
    return Digits(component, digits, None if room is None or room > 4 else 10**room)


def _zone(marker: Marker) -> Zone:
    if marker.presentation in (*_NAMED, "Z"):
        raise NoTemplate("the name of a time zone")
    hours, separator, has_minutes, zero = offset_pattern(marker.presentation)
    if zero != "0":
        raise NoTemplate("digits of another family")
    prefix = "GMT" if marker.component == "z" else ""
    return Zone(prefix, hours, separator, has_minutes, "Z" if marker.modifier == "t" else None)


def _fraction(marker: Marker) -> Fraction:
    """Without separators, as `date_numbers.formatted_fraction` has it."""
    primary = marker.presentation
    if marker.has_width or not primary.isascii() or primary.strip("0123456789#") or not is_digit_pattern(primary):
        raise NoTemplate("a width of fractional seconds")
    least = digit_pattern(primary[::-1]).least_digits
    return Fraction(least, None if len(primary) == 1 else len(primary))
