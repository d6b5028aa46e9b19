"""A rule that is switched off may cost buffers or time, never the answer."""

from __future__ import annotations

import pytest
import xylem
from xylem.api import Query
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.rewrite.rule_names import all_rules

DOCUMENT = "<r><a k='1'><b n='1'><b n='2'/></b><b n='3'/></a><a k='2'><b n='4'/></a></r>"
QUERIES = {
    "head": "head(//b)",
    "tail": "tail(/r/a/b)",
    "subsequence": "subsequence(//b, 2, 1)",
    "number": "(//b)[2], /r/a/b[1]",
    "where": "for $b in //b where $b/@n > 1 return <x>{ $b/@n }</x>",
    "position": "for $b at $i in /r/a/b where $i = 2 return $b",
    "loops": "for $a in /r/a where $a/@k = 2 return for $b in $a/b where $b/@n return <y>{ $b }</y>",
    "choice": "for $a in /r/a return if ($a/@k = '1') then count($a/b) else <z>{ $a/b }</z>",
}


@pytest.mark.parametrize("name", QUERIES)
def test_streamed_without_any_rule_and_without_each(name: str) -> None:
    query = QUERIES[name]
    expected = str(xylem.compile(query).run(xylem.parse(DOCUMENT)))
    for without in (all_rules(), *(frozenset([rule]) for rule in sorted(all_rules()))):
        made = Query(CompiledQuery(query, StaticEnvironment(without_rules=without)))
        written: list[bytes] = []
        made.stream(DOCUMENT.encode()).write_to(written.append)
        assert b"".join(written).decode() == expected, without


@pytest.mark.parametrize("name", QUERIES)
def test_the_reference_stays_the_reference(name: str) -> None:
    """A query that runs again and again is answered by a template of the kernel: not without rules."""
    made = Query(CompiledQuery(QUERIES[name], StaticEnvironment(without_rules=all_rules())))
    tree = xylem.parse(DOCUMENT)
    assert len({str(made.run(tree)) for _ in range(5)}) == 1
    assert made.compiled.tree_template() is None
