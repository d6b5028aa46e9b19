"""Gathered nodes are sent with what is looked at, and nothing else."""

from __future__ import annotations

import pytest
import xylem
from xylem.analysis.projection import Projection, project
from xylem.run.packing import pack, unpack
from xylem.run.pruned_copy import pruned
from xylem.sink import serialize

from .ranges_of_documents import distributed

DOCUMENT = (
    '<r xmlns:p="urn:p"><a id="1" n="2">t<b x="1">u<c>v</c></b><p:b>w</p:b><d><e><b>deep</b></e></d><!--no--></a></r>'
)


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("count($x)", "<a/>"),
        ("$x/@id = 1", '<a id="1"/>'),
        ("$x/b/@x, $x/@n", '<a n="2"><b x="1"/></a>'),
        ("string($x/b)", "<a><b>u<c>v</c></b></a>"),
        ("$x/b/text()", "<a><b>u</b></a>"),
        ("$x/*:b/c", "<a><b><c>v</c></b><p:b/></a>"),
        ("count($x//b)", "<a><b/><d><e><b/></e></d></a>"),
        ("$x/d", "<a><d><e><b>deep</b></e></d></a>"),
        ("$x", DOCUMENT[19:-4]),
    ],
)
def test_what_is_sent(expression: str, kept: str) -> None:
    (node,) = xylem.compile("/r/a").run(xylem.parse(DOCUMENT)).xdm
    projection = Projection()
    module = xylem.compile(f"declare variable $x external; {expression}")._program.module
    project(module.body, {("", "x"): projection})
    (sent,) = unpack(pack([pruned(node, projection)]))
    text = serialize((sent,)).partition("?>")[2] or serialize((sent,))
    assert text.replace(' xmlns:p="urn:p"', "") == kept


def test_a_join_sends_its_keys() -> None:
    query = "for $a in //a let $b := //b[@ref = $a/@id] return <n>{ count($b) }</n>"
    gathered, _ = distributed(query).distribution.parts
    assert gathered.why.endswith("of each @ref")
