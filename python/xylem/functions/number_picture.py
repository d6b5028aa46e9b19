"""Pictures of fn:format-number: their syntax and meaning (F&O 3.1 §4.7.3 and §4.7.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from xylem.errors import DynamicError

from .decimal_format import DecimalFormat


@dataclass(frozen=True)
class SubPicture:
    """The settings of one half of a picture; the names are those of F&O 3.1 §4.7.4."""

    prefix: str
    suffix: str
    factor: int
    """100 for a percent sign, 1000 for a per-mille sign, else 1."""
    minimum_integer_size: int
    scaling: int
    minimum_fraction_size: int
    maximum_fraction_size: int
    minimum_exponent_size: int
    integer_groups: tuple[int, ...]
    """Number of digits right of each separator; a single number, repeated, with `regular_group`."""
    regular_group: int
    fraction_groups: tuple[int, ...]
    """Number of digits left of each separator."""


@lru_cache(maxsize=256)
def parse_picture(picture: str, fmt: DecimalFormat) -> tuple[SubPicture, SubPicture]:
    """The sub-pictures for positive and for negative numbers; FODF1310 if the picture is faulty."""
    parts = picture.split(fmt.pattern_separator)
    if len(parts) > 2:
        raise _fault(picture, "more than two sub-pictures")
    positive = _sub_picture(parts[0], fmt)
    if len(parts) == 2:
        return positive, _sub_picture(parts[1], fmt)
    from dataclasses import replace

    return positive, replace(positive, prefix=fmt.minus_sign + positive.prefix)


def _fault(picture: str, why: str) -> DynamicError:
    return DynamicError("FODF1310", f"{picture!r}: {why}")


def _sub_picture(text: str, fmt: DecimalFormat) -> SubPicture:
    digits = set(fmt.digits)
    active = digits | {fmt.digit, fmt.decimal_separator, fmt.grouping_separator}
    places = [i for i, c in enumerate(text) if c in active]
    if not places:
        raise _fault(text, "there is no digit")
    first, last = places[0], places[-1]
    body = text[first : last + 1]
    # The exponent separator counts as one only between active characters; those are all in `body`.
    if any(c not in active and c != fmt.exponent_separator for c in body):
        raise _fault(text, "a character without meaning stands between digits")
    mantissa, *exponents = body.split(fmt.exponent_separator)
    if len(exponents) > 1:
        raise _fault(text, "more than one exponent separator")
    factor = _factor(text, fmt)
    if exponents and (factor != 1 or not exponents[0] or not set(exponents[0]) <= digits):
        raise _fault(text, "an exponent must be digits, without percent or per-mille sign")
    integer, fraction = _halves(text, mantissa, fmt, digits)
    return _measured(
        text[:first], text[last + 1 :], factor, integer, fraction, len(exponents[0]) if exponents else 0, fmt, digits
    )


def _factor(text: str, fmt: DecimalFormat) -> int:
    percents, per_milles = text.count(fmt.percent), text.count(fmt.per_mille)
    if percents + per_milles > 1:
        raise _fault(text, "more than one percent or per-mille sign")
    return 100 if percents else 1000 if per_milles else 1


def _halves(text: str, mantissa: str, fmt: DecimalFormat, digits: set[str]) -> tuple[str, str]:
    """The integer and the fractional part of a mantissa, checked."""
    integer, *fractions = mantissa.split(fmt.decimal_separator)
    if len(fractions) > 1:
        raise _fault(text, "more than one decimal separator")
    fraction = fractions[0] if fractions else ""
    group = fmt.grouping_separator
    if integer.endswith(group) or fraction.startswith(group):
        raise _fault(text, "a grouping separator stands beside the decimal separator or at the end")
    if group * 2 in integer or group * 2 in fraction:
        raise _fault(text, "a grouping separator stands beside another")
    if not any(c in digits or c == fmt.digit for c in mantissa):
        raise _fault(text, "there is no digit")
    optional_last = integer.rfind(fmt.digit)
    if any(c in digits for c in integer[: max(optional_last, 0)]):
        raise _fault(text, "an optional digit follows a digit of the integer part")
    optional_first = fraction.find(fmt.digit)
    if optional_first >= 0 and any(c in digits for c in fraction[optional_first:]):
        raise _fault(text, "a digit follows an optional digit of the fractional part")
    return integer, fraction


def _measured(
    prefix: str,
    suffix: str,
    factor: int,
    integer: str,
    fraction: str,
    exponent_size: int,
    fmt: DecimalFormat,
    digits: set[str],
) -> SubPicture:
    scaling = least_integer = sum(1 for c in integer if c in digits)
    least_fraction = sum(1 for c in fraction if c in digits)
    most_fraction = least_fraction + fraction.count(fmt.digit)
    # The three adjustments of F&O 3.1 §4.7.4, in order.
    if least_integer == 0 and most_fraction == 0:
        if exponent_size:
            least_fraction = most_fraction = 1
        else:
            least_integer = 1
    if exponent_size and least_integer == 0 and fmt.digit in integer:
        least_integer = 1
    if least_integer == 0 and least_fraction == 0:
        least_fraction = 1
    groups = _digits_after(integer, fmt.grouping_separator)
    return SubPicture(
        prefix,
        suffix,
        factor,
        least_integer,
        scaling,
        least_fraction,
        most_fraction,
        exponent_size,
        groups,
        _regular(groups, len(integer) - len(groups)),
        _digits_before(fraction, fmt.grouping_separator),
    )


def _digits_after(integer: str, separator: str) -> tuple[int, ...]:
    parts = integer.split(separator)
    return tuple(accumulate(map(len, reversed(parts[1:]))))


def _digits_before(fraction: str, separator: str) -> tuple[int, ...]:
    parts = fraction.split(separator)
    return tuple(accumulate(map(len, parts[:-1])))


def _regular(groups: tuple[int, ...], size: int) -> int:
    """The distance at which separators repeat, 0 if they do not."""
    if not groups:
        return 0
    step = groups[0]
    if step and all(place % step == 0 for place in groups) and set(range(step, size, step)) <= set(groups):
        return step
    return 0
