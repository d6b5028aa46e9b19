"""math: functions at the edges of their domains, as IEEE 754 has them."""

from __future__ import annotations

import math
from math import inf, nan

import pytest
from xylem.functions import math_functions as fn
from xylem.functions.registry import BUILTINS, FN


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (2.0, 3, 8.0),
        (-2.0, 3, -8.0),
        (0.0, 0, 1.0),
        (nan, 0, 1.0),
        (1.0, nan, 1.0),
        (-1.0, inf, 1.0),
        (0.0, -3, inf),
        (-0.0, -3, -inf),
        (-0.0, -4, inf),
        (0.0, -inf, inf),
        (0.0, -3.1, inf),
        (-2.5, 2.00000001, nan),
        (1e300, 2, inf),
        (-1e300, 3, -inf),
        (2.0, 10**400, inf),
        (2.0, -(10**400), 0.0),
    ],
)
def test_pow(base: float, exponent: float, expected: float) -> None:
    assert str(fn.power(base, exponent)) == str(expected)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("exp", 1000.0, inf),
        ("exp", -inf, 0.0),
        ("exp10", 2.0, 100.0),
        ("exp10", 400.0, inf),
        ("log", 0.0, -inf),
        ("log", -1.0, nan),
        ("log10", 1e3, 3.0),
        ("sqrt", -1.0, nan),
        ("sqrt", -0.0, -0.0),
        ("sin", inf, nan),
        ("tan", -0.0, -0.0),
        ("asin", 2.0, nan),
        ("acos", nan, nan),
        ("atan", inf, math.pi / 2),
    ],
)
def test_unary(name: str, value: float, expected: float) -> None:
    body = BUILTINS[FN + "/math", name].body
    assert str(body(value)) == str(expected)
    assert body(None) is None


def test_pi_and_atan2() -> None:
    assert fn.pi() == math.pi
    assert fn.atan2(-0.0, -1.0) == -math.pi
