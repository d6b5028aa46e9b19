"""Backward steps said forward: the query that comes out, and its answer."""

from __future__ import annotations

import pytest
from xylem.plan.flux_printer import print_flux
from xylem.rewrite.safety import unsafe_places

from .flux_interpreter import answer
from .plain_tree import parsed
from .planned import expected, planned

DOCUMENT = (
    "<site><asia><item id='1'><location>Mongolia</location><quantity>1</quantity></item>"
    "<item id='2'><location>X</location><quantity>2</quantity><item><location>Mongolia</location></item></item></asia>"
    "<europe id='e'><item><quantity>3</quantity></item></europe></site>"
)

FORWARD = {
    "/site/asia/item/..": (
        "{ for $site in $ROOT/site return { for $asia in $site/asia return { if ($asia/item) then {$asia} } } }"
    ),
    "//item[parent::europe]/quantity": "{ for $quantity in $ROOT//europe/item/quantity return {$quantity} }",
    "//item[ancestor::asia]/quantity": "{ for $quantity in $ROOT//asia//item/quantity return {$quantity} }",
    "//quantity/parent::item/location": "{ for $location in $ROOT//item[quantity]/location return {$location} }",
    "//location/ancestor::item/quantity": (
        "{ for $quantity in $ROOT//item[descendant::location]/quantity return {$quantity} }"
    ),
    "count(//item[location = 'Mongolia']/..)": (
        '{count($ROOT/descendant::*[item[location = "Mongolia"]]) + count($ROOT[item[location = "Mongolia"]])}'
    ),
    "count(//item[location = 'Mongolia']/ancestor::asia)": (
        '{count($ROOT/descendant::asia[descendant::item[location = "Mongolia"]])}'
    ),
    "count(//item[location = 'Mongolia']/ancestor::*//location)": (
        '{if (fn:exists($ROOT/*/descendant::item[location = "Mongolia"]))'
        " then count($ROOT/*/descendant::location) else 0}"
    ),
}

STILL_RIGHT = [
    "/site/*/item[quantity = 3]/../@id",
    "for $i in /site/*/item where $i/quantity = 3 return <a>{ $i/../@id }{ $i/quantity }</a>",
    "/site/europe/item[../@id = 'e']/quantity",
    "/site/europe/item[../@id = 'f' or quantity]/quantity",
    "/site/asia/item/quantity/ancestor::asia/item/@id",
    "/site/asia/item/item/location/ancestor::item/@id",
    "for $i in //item return $i/..",
    "//item[quantity[../location = 'X']]/@id",
    "/site/asia/item[location = 'X']/item/location/../../@id",
    "//item/ancestor-or-self::item/@id",
    "/site/asia/item[2]/../item[1]/@id",
    "count(/site/..)",
    "//site/..",
    "/site/asia//location/..",
    "/site//item/../@id",
    "for $i in /site/asia return $i//location/parent::item/quantity",
    "//asia//quantity/ancestor::item/@id",
    "//site//location/ancestor::item",
    "//site//item/quantity/ancestor::asia/item/@id",
    "//quantity/ancestor::*//location",
    "//nothing/ancestor::*//location",
    "//site/ancestor::*//location",
    "count(//site/ancestor::*//location)",
    "for $i in //item[@id] return <ids>{ $i/@id }</ids>",
    "for $x in //@id return <i>{ string($x) }</i>",
    "for $x in //text() return <t>{ $x }</t>",
    "/site/asia/item/following-sibling::item/@id",
    "//item[not(parent::europe)]/quantity",
    "//item[parent::europe or parent::asia][1]/quantity",
]


def lines(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("query", FORWARD)
def test_said_forward(query: str) -> None:
    assert lines(print_flux(planned(query).normal_form)) == FORWARD[query]


@pytest.mark.parametrize("query", [*FORWARD, *STILL_RIGHT])
def test_the_answer_stays(query: str) -> None:
    program = planned(query).program
    assert unsafe_places(program) == []
    assert answer(program, parsed(DOCUMENT)) == expected(query, DOCUMENT)
