"""Joins as users spell them: by the definition, over the tree, streamed in pieces and by tasks, all give the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import xylem
from xylem.run.best_match import joining

from ..tasks.ranges_of_documents import assert_same
from .test_columns import _by_definition

LOOPS = "for $r in /d/r for $s in /d/s"
PAIR = "return $r/@i || '-' || $s/@i"
NEAR = "(abs($r/@x - $s/@x)) min 2"
QUERIES = [
    f"{LOOPS} where $r full outer bestmatch join $s on ($r/w, $s/w) subset, (abs($r/@y - $s/@y)) min 3 {PAIR}",
    f"{LOOPS} where $r right outer 2 bestmatch join $s on (abs($s/@x - $r/@x)) min 3 {PAIR}",
    f"{LOOPS} where $r left outer bestmatch join $s on (xylem:sky-separation($r/@x, $r/@y, $s/@x, $s/@y)) min 4 {PAIR}",
    f"{LOOPS} where $r bestmatch join $s on ($r/@x * $s/@y) max 3, ($s/v) min {PAIR}",
    f"{LOOPS} where $r/@k eq $s/@k and $s/v > 2 where $r left outer bestmatch join $s on {NEAR} {PAIR}",
    f"{LOOPS} where $s/@x >= $r/@x where $r left outer bestmatch join $s on ($s/@x - $r/@x) min {PAIR}",
    f"for $r in /d/r for $s allowing empty in /d/s where $r left outer bestmatch join $s on {NEAR} {PAIR}",
    f"for $s in /d/s for $r in /d/r where $r right outer bestmatch join $s on {NEAR} {PAIR}",
    f"sum({LOOPS} where $r left outer bestmatch join $s on {NEAR} return number($s/v))",
    f"<o>{{ {LOOPS} where $r left outer bestmatch join $s on {NEAR} order by number($s/v), $r/@i, $s/@i {PAIR} }}</o>",
    f"{LOOPS} where $r left outer bestmatch join $s on {NEAR} group by $g := $s/@k order by $g return $g || count($r)",
    f"{LOOPS} where $r left outer bestmatch join $s on {NEAR} for $t in /d/s where $s bestmatch join $t"
    " on (abs($s/v - $t/v)) min 1, (abs($s/@x - $t/@x)) min 1 return $r/@i || $s/@i || $t/@i",
    f"({LOOPS} where $r left outer bestmatch join $s on {NEAR} {PAIR})[position() < 5]",
]


def document(seed: int) -> str:
    chance = random.Random(f"spelled {seed}")

    def item(number: int) -> str:
        name = chance.choice("rs")
        place = "" if chance.random() < 0.1 else f' x="{chance.choice((chance.randint(-9, 9), chance.uniform(-9, 9)))}"'
        words = "".join(f"<w>{chance.choice('pqrst')}</w>" for _ in range(chance.randint(0, 3)))
        own = f'i="{number}"{place} y="{chance.randint(0, 6)}" k="{chance.choice("abc")}"'
        return f"<{name} {own}><v>{chance.randint(0, 9)}</v>{words}</{name}>"

    return f"<d>{''.join(map(item, range(40)))}</d>"


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_all_ways_agree(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, query = document(number), QUERIES[number]
    path = tmp_path / "d.xml"
    path.write_text(text, encoding="utf-8")
    compiled = xylem.compile(query)
    wanted = str(compiled.run(xylem.parse(text)))
    for size in (9, 99_999):
        written: list[bytes] = []
        parts = (text[start : start + size].encode() for start in range(0, len(text), size))
        compiled.stream(parts).write_to(written.append)
        assert b"".join(written).decode() == wanted
    assert_same(query, path, random.Random(number), 1)
    monkeypatch.setattr(joining.Joining, "pairs", _by_definition)
    assert str(compiled.run(xylem.parse(text))) == wanted
    assert wanted
