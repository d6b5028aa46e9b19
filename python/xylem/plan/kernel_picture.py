"""Pictures of numbers and moments as the scan follows them: plain data, with all that a picture leaves open decided.

"#,##0.00"      →   NumberPicture(point=".", …) with at least one digit before the point and two behind it
"[D01].[Y]"     →   MomentPicture("date", (Digits("D", …), ".", Digits("Y", …)))
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grouping:
    """Separators, each with the number of digits to its right; the first repeats at a regular distance, or 0."""

    places: tuple[tuple[int, str], ...] = ()
    regular: int = 0


@dataclass(frozen=True)
class DigitGroups:
    """An integer in digits."""

    least: int
    groups: Grouping
    is_ordinal: bool = False


@dataclass(frozen=True)
class NumberHalf:
    """What a picture says of numbers of one sign."""

    prefix: str
    suffix: str
    power: int
    """Of ten: what a percent or per-mille sign multiplies by."""
    integer: int
    fraction: tuple[int, int]
    """The fewest and the most digits behind the point."""
    groups: Grouping
    fraction_groups: tuple[int, ...]
    """Separators behind the point, by the number of digits to their left."""


@dataclass(frozen=True)
class NumberPicture:
    """A picture of fn:format-number, with the characters of its decimal format."""

    positive: NumberHalf
    negative: NumberHalf
    point: str
    separator: str
    nan: str
    infinity: str


@dataclass(frozen=True)
class Digits:
    """A number of a moment by the letter of its component, without what is more than a modulus."""

    component: str
    digits: DigitGroups
    modulus: int | None = None


@dataclass(frozen=True)
class Name:
    """A name for each number of a component, from 1 on."""

    component: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fraction:
    """Digits of fractional seconds, cut off."""

    least: int
    most: int | None


@dataclass(frozen=True)
class Zone:
    """A time zone: digits of the hours, with the minutes behind a separator, always or where there are some."""

    prefix: str
    hours: int
    separator: str
    has_minutes: bool
    utc: str | None
    """What UTC is written as, if not so."""


@dataclass(frozen=True)
class MomentPicture:
    """A picture of fn:format-date, fn:format-dateTime or fn:format-time."""

    kind: str
    pieces: tuple[str | Digits | Name | Fraction | Zone, ...]


KernelPicture = NumberPicture | DigitGroups | MomentPicture
"""A picture of a number, of an integer, or of a moment."""
