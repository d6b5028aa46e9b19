"""Subscriptions whose results hold values that only code computes, among those that the scan writes."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.network.site import Site

DOCUMENT = b"<s>" + b"".join(b"<p><x>%d.%d</x><n>%d</n></p>" % (n % 9, n * 37 % 1000, n) for n in range(60)) + b"</s>"
QUERIES = [
    "for $p in /s/p where $p/n > {0} return <r>{{ round($p/x, {1}) }}</r>",
    "<all>{{ for $p in /s/p where $p/n > {0} return <r k='{{ round($p/x, {1}) }}'>{{ $p/n }}</r> }}</all>",
    "for $w in /s/p[n > {0}]|n diff 10 step 10| return <w>{{ round(avg($w/x), {1}) }}</w>",
    "for $p in /s/p where $p/n > {0} return <r>{{ format-number($p/x, '0.0{1}') }}</r>",
]


@pytest.mark.parametrize("query", QUERIES)
def test_each_has_its_own_constants(query: str, tmp_path: Path) -> None:
    texts = {f"q{n}": query.format(*each) for n, each in enumerate([(3, 1), (3, 2), (40, 0), (7, 1), (3, 2)])}
    site = Site(tmp_path)
    stream = site.publication("s")
    made = {name: site.subscribe(name, text, "s", "earliest") for name, text in texts.items()}
    for start in range(0, len(DOCUMENT), 700):
        stream.feed(DOCUMENT[start : start + 700])
        site.work_all()
    for name in texts:
        site.unsubscribe(name)
    site.work_all()
    for name, text in texts.items():
        expected = xylem.compile(text).run(xylem.parse(DOCUMENT)).serialize()
        assert site.answer(made[name], 0)[0].decode() == expected, text
    site.close()
