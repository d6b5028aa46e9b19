"""What the queries of the radars and of the traffic lights ask of the world, in Python."""

from math import hypot, radians, tan

import xylem

RADARS_APART_KM = 10.0


@xylem.function("udf:triangulate", "xs:double, xs:double", "xs:string")
def triangulate(first: float, second: float) -> str:
    """Where two bearings meet: the antennas stand at (0, 0) and (10, 0) and look north."""
    slopes = tan(radians(first)), tan(radians(second))
    x = RADARS_APART_KM * slopes[1] / (slopes[1] - slopes[0])
    return f"{x:.2f} {x * slopes[0]:.2f}"


@xylem.function("udf:distance", "xs:string, xs:string", "xs:double")
def distance(here: str, there: str) -> float:
    """How far two places are apart, in kilometres: `x y` each."""
    (a, b), (c, d) = (map(float, place.split()) for place in (here, there))
    return round(hypot(a - c, b - d), 6)
