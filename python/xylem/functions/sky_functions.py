"""Places on the sky: the angle between two of them, which best-match joins use as a distance.

    xylem:sky-separation($a/ra, $a/dec, $b/ra, $b/dec)

Right ascension, declination and the result are in degrees. The haversine stays exact for small angles; a right
ascension of 359.9 is near one of 0.1.
"""

from __future__ import annotations

import math

from .registry import function

RADIANS = 0.017453292519943295
DEGREES = 57.29577951308232


@function("xylem:sky-separation", "xs:double?, xs:double?, xs:double?, xs:double?", "xs:double?")
def sky_separation(ra1: float | None, dec1: float | None, ra2: float | None, dec2: float | None) -> float | None:
    if ra1 is None or dec1 is None or ra2 is None or dec2 is None:
        return None
    return separation(ra1, dec1, ra2, dec2)


def separation(ra1: float, dec1: float, ra2: float, dec2: float) -> float:
    """The angle, computed operation by operation like in the kernel (`kernel/src/best_match/terms.rs`)."""
    d1, d2 = dec1 * RADIANS, dec2 * RADIANS
    try:
        across = math.sin((d2 - d1) / 2)
        along = math.sin((ra2 * RADIANS - ra1 * RADIANS) / 2)
        square = across * across + math.cos(d1) * math.cos(d2) * (along * along)
    except ValueError:
        return math.nan
    return 2 * math.asin(math.sqrt(min(1.0, square))) * DEGREES if square >= 0 else math.nan
