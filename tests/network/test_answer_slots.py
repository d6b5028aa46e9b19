"""What an answer still tells of records: things that look the same in one place of it tell nothing.

Random answers over all records of a small world: where two records have the same answer of A, and B is said to follow
from it, they have the same answer of B.
"""

from __future__ import annotations

import itertools
import os
import random

import pytest
import xylem
from xylem.network.answer_matching import match_queries
from xylem.schema import load_schema
from xylem.syntax import parse

from tests.reference import reference

from .match_pairs import DTD

TRIED = 3_000 if int(os.environ.get("XYLEM_CAMPAIGN", "0")) else 30
SCHEMA = load_schema(DTD)
LOOSE = load_schema("<!ELEMENT photons (photon*)><!ELEMENT photon ANY>")

VALUES = [
    "$p/ra", "$p/en", "$p/phc", "$p/note", "$p/@kind", "$p/@id", "$p/*", "$p/@*", "$p/note[. = 1]", "$p/note[1]",
    "string($p/ra)", "string($p/en)", "string($p/phc)", "string($p/@kind)", "data($p/note)", "data($p/@kind)",
    "$p/ra/text()", "$p/note/text()", "$p/en * 2", "$p/phc[. != ''] * 2", "count($p/note)", "exists($p/phc)",
    "string-join($p/note, ' ')", "$p/ra + $p/en", "$p/en > 1", "max($p/note[. = (1, 11)])", "sum($p/note[. = 1])",
    "reverse($p/note)", "if ($p/en > 1) then $p/ra else ()", "if ($p/en > 1) then 1 else ()", "'1'",
    "for $n in $p/note return string($n)", "for $n in $p/note return <n>{ string($n) }</n>", "<ra/>",
    "if ($p/en > 1) then <n/> else string($p/ra)", "$p/note/..", "count($p/note/preceding-sibling::*)",
]  # fmt: skip


def records() -> list[str]:
    found = []
    for ra, en, phc, notes, kind in itertools.product(
        ["1", "11"], ["1", "11"], [None, "", "1"], [[], ["1"], ["1", "1"], ["1 1"], ["", "1"]], [None, "", "1"]
    ):
        inside = f"<ra>{ra}</ra><dec>0</dec><en>{en}</en>" + ("" if phc is None else f"<phc>{phc}</phc>")
        inside += "".join(f"<note>{note}</note>" for note in notes) + "<det_time>0</det_time>"
        named = "" if kind is None else f"kind='{kind}'"
        found.append(f"<photon id='a' {named}>{inside}</photon>")
    return found


def content(draw: random.Random, depth: int = 0) -> str:
    """Some content of a constructed element."""
    made = ""
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        roll = draw.random()
        if roll < 0.2 and depth < 2:
            name = draw.choice(["x", "y", "ra"])
            made += f"<{name}>{content(draw, depth + 1)}</{name}>"
        else:
            made += "{ " + ", ".join(draw.choice(VALUES) for _ in range(draw.choice([1, 1, 2]))) + " }"
    return made


def element(draw: random.Random) -> str:
    attributes = "".join(f' {name}="{{ {draw.choice(VALUES)} }}"' for name in ("k", "l") if draw.random() < 0.3)
    return f"<x{attributes}>{content(draw)}</x>"


def told(made: str, document: str, known: dict[str, list[str] | None]) -> list[str] | None:
    """What is written for each record; None where that is an error."""
    if made not in known:
        query = f"for $p in /photons/photon return serialize(<o>{{ {made} }}</o>)"
        try:
            known[made] = [str(item) for item in reference(query).run(xylem.parse(document))]
        except xylem.XylemError:
            known[made] = None
    return known[made]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("schema", [SCHEMA, LOOSE, None], ids=["schema", "loose", "none"])
def test_equal_answers_of_a_have_equal_answers_of_b(schema: xylem.Schema | None) -> None:
    draw = random.Random(f"slots {schema is None} {schema is LOOSE}")
    document = f"<photons>{''.join(records())}</photons>"
    known: dict[str, list[str] | None] = {}
    followed = 0
    for _ in range(TRIED):
        own = element(draw)
        first = told(own, document, known)
        if first is None:
            continue
        for value in draw.sample(VALUES, 8):
            wanted = f"<y>{{ {value} }}</y>" if draw.random() < 0.8 else f'<y k="{{ {value} }}"/>'
            queries = [parse(f"for $p in /photons/photon return {one}") for one in (own, wanted)]
            if not match_queries(queries[0], queries[1], schema).reuse:
                continue
            second = told(wanted, document, known)
            if second is None:
                continue
            followed += 1
            seen: dict[str, str] = {}
            for answer, other in zip(first, second, strict=True):
                assert seen.setdefault(answer, other) == other, f"{wanted} from {own}: {answer}"
    assert followed > (20 if schema is SCHEMA else 5)
