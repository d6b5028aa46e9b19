"""Comparing atomic values: the operators, and the keys and orders that agree with them."""

from __future__ import annotations

from .comparison_keys import grouping_key, same_key
from .general_comparison import general_compare, join_key, pair_holds
from .ordering import order_compare, order_key, order_keys
from .value_comparison import OPERATORS, eq, ge, gt, le, lt, ne, value_compare

value_equal = eq
value_less = lt

__all__ = [
    "OPERATORS",
    "eq",
    "ge",
    "general_compare",
    "grouping_key",
    "gt",
    "join_key",
    "le",
    "lt",
    "ne",
    "order_compare",
    "order_key",
    "order_keys",
    "pair_holds",
    "same_key",
    "value_compare",
    "value_equal",
    "value_less",
]
