"""Functions that compare strings are looked up: as the reference says, in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import xylem
from xylem.source.xml_reader import read_document

from tests.reference import reference
from tests.spellings.growth import growth

LOOKED_UP = [
    "for $a in //a for $b in //b where starts-with($b/@k, $a/@k) return <p>{ $a/@k, $b/v }</p>",
    "for $b in //b for $a in //a where starts-with($b/@k, $a/@k) return <p>{ $a/@k, $b/v }</p>",
    "for $a in //a return count(//b[starts-with($a/@k, @k)])",
    "for $a in //a where some $b in //b satisfies starts-with($b/@k, $a/@k) return $a/@k/string()",
    "for $a in //a where every $b in //b satisfies not(starts-with($a/@k, $b/@k)) return $a/@k/string()",
    "for $a in //a return //b[starts-with(@k, $a/@k) and v = 1]/v",
    "for $a in //a for $b in //b where ends-with($b/@k, $a/@k) return <p>{ $a/@k, $b/v }</p>",
    "for $a in //a return count(//b[ends-with($a/@k, @k)])",
    "for $a in //a return //b[contains-token(@s, string($a/@k))]/v",
    "for $a in //a for $b in //b where contains-token($a/@s, string($b/@k)) return <p>{ $a/@k, $b/v }</p>",
    "for $a in //a for $b in //b where deep-equal(string($a/@k), string($b/@k)) return $b/v",
    "for $a in //a for $b in //b where deep-equal($a/@k, $b/@k) return $b/v",
    "for $a in //a return count(//b[deep-equal(data(@k), data($a/@k))])",
    "for $a in //a return count(//b[deep-equal(@k, $a/@k) and v < 9])",
    "for $a in //a return count(//b[contains(concat(' ', @s, ' '), concat(' ', $a/@k, ' '))])",
    "for $a in //a, $b in //b where contains(' ' || $b/@s || ' ', ' ' || $a/@k || ' ') return <p>{ $a/@k, $b/v }</p>",
    "//b[some $a in //a satisfies contains(concat(' ', $a/@s, ' '), concat(' ', @k, ' '))]/v",
]
READ = [
    "for $a in ('', ' ', 'k1 k2', 'k1', ' k2', 'k2 ', '  ') return"
    " count(('', ' ', 'k1 k2', 'k2', ' k1', 'a k1 k2', '  ')[contains(concat(' ', ., ' '), concat(' ', $a, ' '))])",
    "for $a in (1, 1.5, '1', '2|1') return count((1, '1', '3|2|1')[contains('|' || . || '|', '|' || $a || '|')])",
    "for $a in //a return count(//b[contains(concat(' ', v, '|'), concat(' ', $a/v, ' '))])",
    "for $a in //a return count(//b[contains(concat('.', @k, '.'), concat('.', $a/@k, '.'))])",
    "for $a in //a return try { count(//b[contains(concat(' ', *, ' '), concat(' ', $a/*, ' '))]) } catch * { 'many' }",
    "for $k in distinct-values(//a/@k) return count(//b[contains-token(@s, $k)])",
    "for $a in //a return try { count(//b[contains-token(@s, $a/@k)]) } catch * { 'none' }",
    "for $a in //a return count(//b[contains(@k, $a/@k)])",
    "for $a in //a return count(//b[deep-equal(*, $a/*)])",
    "for $a in //a return count(//b[deep-equal(v/text(), $a/v)])",
    "for $a in (1, 1.5, 'x', count(//b)) return count((1.0, '1', 'x', 1.5e0)[deep-equal(., $a)])",
    "for $a in //a return count(//b[starts-with(x, $a/x)])",
    "for $a in ('', '&#x10FFFF;', 'k&#x10FFFF;') return count(//b[starts-with(@k, $a)])",
]


def document(size: int, *more: str) -> str:
    made = []
    for i in range(size):
        made.append(f"<a k='k{i}' s='k{i * 3 % size} k{i * 5 % size}'><v>{i}</v></a>")
        made.append(f"<b k='{'k' if i % 3 else ''}{i * 7 % size}x{i % 2}' s=' k{i} k{i // 2}'><v>{i * 2 % 5}</v></b>")
        made.append(f"<b k='k{i * 2}'><v>{i}</v></b>")
    return f"<r>{''.join(made)}{''.join(more)}</r>"


ODD = ["<a/>", "<b/>", "<a k='' s=''/>", "<b k=''/>", "<b k='k&#x10FFFF;&#x10FFFF;z'/>", "<a k='k1 k2' s='k1&#10;k1'/>"]
ODD += ["<b k=' k1 ' s='k1 k1'><v>1</v><v>1</v></b>", "<a k=' k1 '><v>1<!--c--></v><v>1</v></a>"]


@pytest.mark.parametrize("query", [*LOOKED_UP, *READ])
def test_answers(query: str) -> None:
    text = document(12, *ODD)
    expected = reference(query).run(xylem.parse(text)).serialize()
    compiled = xylem.compile(query)
    assert compiled.run(xylem.parse(text)).serialize() == expected
    written: list[bytes] = []
    compiled.stream(text.encode()).write_to(written.append)
    assert b"".join(written).decode() == str(reference(query).run(xylem.parse(text)))


@pytest.mark.parametrize("query", LOOKED_UP)
def test_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        keys = [f"k{i:03}z" for i in range(size)]
        made = "".join(f"<a k='{key}' s='{key} q'><v>1</v></a><b k='{key}' s='{key}'/>" for key in keys)
        tree = read_document(f"<r>{made}</r>", reader="python")
        return lambda: compiled.run(tree).serialize()

    assert growth(over) in ("linear", "between")
