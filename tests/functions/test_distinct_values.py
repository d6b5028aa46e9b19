"""fn:distinct-values and fn:index-of."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import count, islice

from xylem.functions.context import Context
from xylem.functions.distinct_values import distinct_values, index_of
from xylem.values.strings import AnyURI, UntypedAtomic

HTML_ASCII = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"


def test_first_of_equal_values_stays(ctx: Context) -> None:
    values = [1, "1", 1.0, True, Decimal(1), UntypedAtomic("1"), AnyURI("1"), math.nan, math.nan, 2]
    kept = list(distinct_values(ctx, values))
    assert kept[:3] == [1, "1", True]
    assert len(kept) == 5
    assert list(distinct_values(ctx, ["a", "A", "b"], HTML_ASCII)) == ["a", "b"]


def test_an_endless_sequence_gives_what_it_has(ctx: Context) -> None:
    assert list(islice(distinct_values(ctx, (i // 3 for i in count())), 4)) == [0, 1, 2, 3]


def test_index_of(ctx: Context) -> None:
    assert list(index_of(ctx, ["a", 1, 1.0, "1", UntypedAtomic("1")], 1)) == [2, 3]
    assert list(index_of(ctx, ["a", 1, UntypedAtomic("a")], "a")) == [1, 3]
    assert list(index_of(ctx, [math.nan], math.nan)) == []
    assert list(index_of(ctx, range(5, 10**12), 10**11)) == [10**11 - 4]
    assert list(index_of(ctx, range(5), 9)) == []
    assert list(index_of(ctx, range(5), 3.0)) == [4]
    assert list(index_of(ctx, ["a", "A"], "A", HTML_ASCII)) == [1, 2]
