"""Pictures of numbers and moments as plain tuples for the kernel; `kernel/src/bindings/pictures.rs` reads them."""

from __future__ import annotations

from xylem.plan.kernel_picture import (
    DigitGroups,
    Digits,
    Fraction,
    Grouping,
    KernelPicture,
    Name,
    NumberHalf,
    NumberPicture,
    Zone,
)


def picture_tuple(picture: KernelPicture) -> tuple[object, ...]:
    """A picture."""
    match picture:
        case NumberPicture(positive=positive, negative=negative):
            halves = _half(positive), _half(negative)
            return "number", *halves, picture.point, picture.separator, picture.nan, picture.infinity
        case DigitGroups():
            return "integer", _digits(picture)
    return "moment", picture.kind, [_piece(piece) for piece in picture.pieces]


def _half(half: NumberHalf) -> tuple[object, ...]:
    digits = half.power, half.integer, half.fraction
    return half.prefix, half.suffix, *digits, _grouping(half.groups), list(half.fraction_groups)


def _digits(digits: DigitGroups) -> tuple[object, ...]:
    return digits.least, _grouping(digits.groups), digits.is_ordinal


def _grouping(groups: Grouping) -> tuple[object, ...]:
    return list(groups.places), groups.regular


def _piece(piece: str | Digits | Name | Fraction | Zone) -> tuple[object, ...]:
    match piece:
        case str():
            return "text", piece
        case Digits(component=component, digits=digits, modulus=modulus):
            return "digits", component, _digits(digits), modulus
        case Name(component=component, names=names):
            return "name", component, list(names)
        case Fraction(least=least, most=most):
            return "fraction", least, most
    return "zone", piece.prefix, piece.hours, piece.separator, piece.has_minutes, piece.utc
