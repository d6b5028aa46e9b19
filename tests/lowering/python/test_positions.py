"""Items by their positions: what is asked for is computed once, and no more is read than that takes."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

from tests.reference import reference

DOCUMENT = "<s>" + "".join(f"<t><v>{number}</v></t>" for number in range(1, 13)) + "</s>"
CASES = [
    ("/s/t[position() = 2 to 4]/v/string()", "2 3 4"),
    ("/s/t[position() >= 10]/v/string()", "10 11 12"),
    ("/s/t[position() < 3.5]/v/string()", "1 2 3"),
    ("/s/t[3 > position()]/v/string()", "1 2"),
    ("/s/t[position() = (2, 5)]/v/string()", "2 5"),
    ("/s/t[position() = (1 to 3, 7)]/v/string()", "1 2 3 7"),
    ("/s/t[position() = ()]", ""),
    ("()[position() = error()]", ""),
    ("/s/t[position() eq 3]/v/string()", "3"),
    ("/s/t[position() le 2 and position() ge 2]/v/string()", "2"),
    ("/s/t[position() = xs:double('NaN')]", ""),
    ("/s/t[position() < xs:double('INF')][12]/v/string()", "12"),
    ("/s/t[position() > xs:double('INF')]", ""),
    ("/s/t[position() = xs:untypedAtomic('3')]/v/string()", "3"),
    ("(1 to 10)[position() = 3 to 2]", ""),
    ("count((1 to 10)[position() > -5][position() <= 1e300])", "10"),
    ("(1 to 1000000000000)[position() = 5 to 6]", "5 6"),
    ("for $t in /s/t[5] return $t/preceding-sibling::t[position() <= 2]/v/string()", "3 4"),
    ("for $t in /s/t[5] return ($t/preceding-sibling::t)[position() <= 2]/v/string()", "1 2"),
    ("for $t in /s/t[5] return ($t/following-sibling::t)[2]/v/string()", "7"),
    ("for $t in /s/t[5] return ($t/following-sibling::t)[position() = 2 to 3]/v/string()", "7 8"),
    ("for $t in /s/t[5] return head($t/following-sibling::t)/v/string()", "6"),
    ("for $i in 1 to 3 return (/s/t)[$i]/v/string()", "1 2 3"),
    ("for $i in 1 to 2 return (/s/t)[position() = ($i, $i + 1)]/v/string()", "1 2 2 3"),
    ("for $i in 1 to 2 return subsequence(/s/t, $i, 2)/v/string()", "1 2 2 3"),
    ("let $t := /s/t for $i in 1 to 2 return $t[position() >= $i and position() < $i + 2]/v/string()", "1 2 2 3"),
    ("for $i in (1.0, 2) return (/s/t)[$i + 1]/v/string()", "2 3"),
    ("for $i in 1 to 3 return /s/t[$i]/v/string()", "1 2 3"),
    ("for $i in 1 to 2 return /s/t[$i + 1][v > 2]/v/string()", "3"),
    ("for $i in (1, 'x', (), 3.5, true(), -1) return count(/s/t[$i])", "1 12 0 12 0"),
    ("for $i in 1 to 2 return /s/t/v[$i]/string()", "1 2 3 4 5 6 7 8 9 10 11 12"),
    ("for $i in 1 to 2 return //*[$i]/name()", "s t v v v v v v v v v v v v t"),
    ("for $i in 1 to 2 return /s/t[position() = ($i, $i + 2)]/v/string()", "1 3 2 4"),
    ("for $i in 1 to 3 return /s/x[error()]", ""),
    ("for $i in 1 to 2 return /s/t[index-of((/s/t/v ! string()), string($i + 1))]/v/string()", "2 3"),
    ("for $i in 1 to 2 return index-of(/s/t/v, xs:untypedAtomic($i + 8))", "9 10"),
    ("for $i in 1 to 2 return index-of(/s/t/v, $i)", ""),
    ("for $i in 1 to 2 return index-of(/s/t/v/number(), $i)", "1 2"),
    ("let $n := (1, xs:double('NaN'), 1.0) for $i in $n return count(index-of($n, $i))", "2 0 2"),
    ("let $n := (1, 'a', xs:date('2024-01-01'), true()) for $i in $n return index-of($n, $i)", "1 2 3 4"),
    ("for $i in 1 to 2 return count(/s/t[number(v) < sum(/s/t[v = /s/t/v[. < 3]]/v)])", "2 2"),
    ("for $x in (true(), false()) return count((/s/t)[$x])", "12 0"),
    ("for $x in /s/t/v[. < 3] return count((/s/t)[$x])", "12 12"),
]


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_answers(query: str, expected: str) -> None:
    document = xylem.parse(DOCUMENT)
    assert " ".join(map(str, xylem.compile(query).run(document))) == expected
    assert " ".join(map(str, reference(query).run(document))) == expected
    if "/s" not in query:
        return
    written: list[bytes] = []
    xylem.compile(query).stream(DOCUMENT.encode()).write_to(written.append)
    assert b"".join(written).decode().split() == expected.split()


@pytest.mark.parametrize("asked", ["= 'a'", "gt true()", "eq (1, 2)"])
def test_what_is_no_number_fails(asked: str) -> None:
    with pytest.raises(XylemError, match="XPTY0004"):
        xylem.compile(f"/s/t[position() {asked}]").run(xylem.parse(DOCUMENT)).serialize()
