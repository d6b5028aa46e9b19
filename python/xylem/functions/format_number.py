"""fn:format-number (F&O 3.1 §4.7): numbers in the form of pictures."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

from xylem.errors import DynamicError
from xylem.values.casting import string_of
from xylem.values.numbers import EXACT, Float
from xylem.values.xml_names import is_ncname, split_qname

from .decimal_format import DEFAULT_FORMAT, DecimalFormat
from .digit_pattern import grouped, in_family, separated
from .numeric_functions import Number, absolute_value
from .registry import function

if TYPE_CHECKING:
    from .context import Context
    from .number_picture import SubPicture

_EQNAME = re.compile(r"Q\{([^{}]*)\}(.*)", re.DOTALL)


@function("fn:format-number", "xs:numeric?, xs:string, xs:string?", "xs:string", context=True)
def format_number(ctx: Context, value: Number | None, picture: str, format_name: str | None = None) -> str:
    from .number_picture import parse_picture  # Imported here, because few queries need it.

    fmt = _decimal_format(ctx, format_name)
    positive, negative = parse_picture(str(picture), fmt)
    if value is None or value != value:
        return fmt.nan
    if isinstance(value, float):
        is_negative = math.copysign(1.0, value) < 0
    else:
        is_negative = value < 0
    chosen = negative if is_negative else positive
    return chosen.prefix + _formatted(absolute_value(value), chosen, fmt) + chosen.suffix


def _decimal_format(ctx: Context, name: str | None) -> DecimalFormat:
    formats = ctx.static.decimal_formats
    if name is None:
        return formats.get(("", ""), DEFAULT_FORMAT)
    found = formats.get(_expanded(ctx, name.strip(" \t\n\r")))
    if found is None:
        raise DynamicError("FODF1280", repr(name), hint="declare it with `declare decimal-format`")
    return found


def _expanded(ctx: Context, name: str) -> tuple[str, str]:
    """Namespace and local name of a decimal format, given as an EQName."""
    braced = _EQNAME.fullmatch(name)
    if braced is not None and is_ncname(braced[2]):
        return braced[1].strip(), braced[2]
    parts = split_qname(name)
    if parts is None:
        raise DynamicError("FODF1280", f"{name!r} is not a name")
    prefix, local = parts
    if not prefix:
        return "", local
    uri = ctx.static.namespaces.get(prefix)
    if uri is None:
        raise DynamicError("FODF1280", f"the prefix of {name!r} is not declared")
    return uri, local


def _formatted(value: Number, picture: SubPicture, fmt: DecimalFormat) -> str:
    """A non-negative number, without prefix and suffix."""
    if isinstance(value, float):
        if picture.factor != 1:
            value = Float(value * picture.factor) if type(value) is Float else value * picture.factor
        if value == math.inf:
            return fmt.infinity
        # By the digits a double is written with, not by those of its binary value.
        exact = Decimal(string_of(value))
    else:
        exact = EXACT.multiply(Decimal(value), Decimal(picture.factor))
    exponent = 0
    if picture.minimum_exponent_size and exact:
        exponent = exact.adjusted() - picture.scaling + 1
        exact = exact.scaleb(-exponent, EXACT)
    text = _mantissa(exact, picture, fmt)
    if picture.minimum_exponent_size:
        digits = str(abs(exponent)).rjust(picture.minimum_exponent_size, "0")
        sign = fmt.minus_sign if exponent < 0 else ""
        text += fmt.exponent_separator + sign + in_family(digits, fmt.zero_digit)
    return text


def _mantissa(value: Decimal, picture: SubPicture, fmt: DecimalFormat) -> str:
    size = picture.maximum_fraction_size
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > size:
        value = value.quantize(Decimal((0, (1,), -size)), ROUND_HALF_EVEN, EXACT)
    integer, _, fraction = format(value, "f").partition(".")
    integer = integer.lstrip("0").rjust(picture.minimum_integer_size, "0")
    fraction = fraction.rstrip("0").ljust(picture.minimum_fraction_size, "0")
    integer = in_family(integer, fmt.zero_digit)
    fraction = in_family(fraction, fmt.zero_digit)
    if picture.regular_group:
        integer = grouped(integer, picture.regular_group, fmt.grouping_separator) if integer else ""
    else:
        size = len(integer)
        cuts = (size - place for place in reversed(picture.integer_groups) if place < size)
        integer = separated(integer, ((cut, fmt.grouping_separator) for cut in cuts))
    size = len(fraction)
    fraction = separated(fraction, ((cut, fmt.grouping_separator) for cut in picture.fraction_groups if cut < size))
    return integer + fmt.decimal_separator + fraction if fraction else integer
