"""Sorted rows in numbers: keys are written and texts are joined many at a time, whatever stands between them."""

from __future__ import annotations

import pytest
from xylem import api
from xylem.errors import XylemError
from xylem.run.tasks.in_process import run_in_process

from .ranges_of_documents import distributed

ITEMS = 1000
DOCUMENT = b"<r>" + b"".join(b"<p k='%d'>%d</p>" % (7 * n % 1009, n) for n in range(ITEMS)) + b"</r>"
HALVES = [b"<r>" + DOCUMENT[3:-4][: DOCUMENT.index(b"<p k='", 9000) - 3] + b"</r>"]
HALVES.append(b"<r>" + DOCUMENT[DOCUMENT.index(b"<p k='", 9000) :])

RESULTS = {
    "elements": "<e>{ $n }</e>",
    "values": "$n",
    "values between elements": "if ($n mod 300 = 7) then $n else <e>{ $n }</e>",
    "values beside each other": "if ($n mod 300 > 290) then $n else <e>{ $n }</e>",
    "nothing between elements": "if ($n mod 260 = 3) then () else <e>{ $n }</e>",
    "several": "(<e/>, $n, $n)[position() le 1 + $n mod 3]",
    "empty texts": "if ($n mod 5 = 0) then '' else <e/>",
}
ORDERS = {
    "numbers": "$n descending",
    "strings": "string($p)",
    "few keys": "$n mod 3",
    "two keys": "$n mod 7 descending, string($p/@k)",
    "no key sometimes": "(if ($n mod 400 = 0) then () else $n) empty greatest",
    "numbers of two types": "if ($n mod 2 = 0) then xs:double($n) else xs:decimal($n)",
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
def test_as_the_whole_tree_gives_it(order: str, result: str) -> None:
    query = f"for $p in /r/p let $n := xs:integer($p/@k) order by {order} return {result}"
    expected = str(api.compile(query).run(api.parse(DOCUMENT)))
    assert run_in_process(distributed(query), HALVES) == expected
    around = f"<all>{{ {query} }}</all>"
    assert run_in_process(distributed(around), HALVES) == str(api.compile(around).run(api.parse(DOCUMENT)))


@pytest.mark.parametrize("late", [3, 255, 256, 700, 999])
@pytest.mark.parametrize("result", ["<e>{ $n }</e>", "()", "$n"])
def test_keys_that_have_no_order_are_found_wherever_they_are(late: int, result: str) -> None:
    program = distributed(
        f"for $p in /r/p let $n := xs:integer($p) order by (if ($n = {late}) then 'x' else $n) return {result}"
    )
    with pytest.raises(XylemError, match="XPTY0004"):
        run_in_process(program, HALVES)
