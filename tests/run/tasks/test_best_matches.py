"""Best-match joins by tasks: each range finds the partners of its items among all of the other side."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from .ranges_of_documents import assert_same

LOOPS = "for $r in /d/r for $s in /d/s"
JOIN = f"{LOOPS} where $r left outer bestmatch join $s on"
ORDERS = "(abs($r/@t - $s/@t)) min 2, (abs($r/@x - $s/@x)) min"
NEAR = "(abs($r/@t - $s/@t)) min 1"
PAIR = "$r/@i || '-' || $s/@i"
SPREAD = [
    f"{JOIN} (abs($r/@t - $s/@t)) min 3 return <m>{{ $r/@i, string($s/@i) }}</m>",
    f"<all>{{ {JOIN.replace('outer', 'outer 2')} {ORDERS} return <m>{{ $r/@i, string($s/@i) }}</m> }}</all>",
    f"{JOIN} {ORDERS} where $s/@x != '3' return {PAIR}",
    f"{JOIN.replace('where', 'where $r/@x = $s/@x where')} ($r/@t - $s/@t) min 5 return {PAIR}",
    f"{JOIN} {ORDERS} order by $s/@x, $r/@i, $s/@i return {PAIR}",
    f"count({JOIN} {ORDERS} return 1)",
    f"for $s in /d/s for $r in /d/r where $r right outer bestmatch join $s on {NEAR} return {PAIR}",
    f"for $r at $n in /d/r for $s in /d/s where $r left outer bestmatch join $s on {NEAR} return $n || $s/@i",
    f"for $g in /d/g for $r in $g/r for $s in $g/s where $r bestmatch join $s on {ORDERS} return {PAIR}",
    f"{LOOPS} where $r bestmatch join $s on {ORDERS} return {PAIR}",
    f"{LOOPS} where $r full outer bestmatch join $s on {ORDERS} return {PAIR}",
    f"{LOOPS} where $r right outer bestmatch join $s on {ORDERS} return {PAIR}",
]
ONE_TASK = [
    f"{LOOPS} where $r bestmatch join $s on {ORDERS.replace(' 2', '')} return {PAIR}",
    f"{LOOPS} where $r full outer bestmatch join $s on {ORDERS.replace(' 2', '')} return {PAIR}",
    f"{LOOPS} where $r right outer bestmatch join $s on {ORDERS.replace(' 2', '')} return {PAIR}",
]


def document(random: Random) -> str:
    """Half of all items at one place."""

    def item(name: str, number: int) -> str:
        time = 7 if random.random() < 0.5 else random.randint(0, 30)
        odd = random.choice(("", f' x="{random.randint(0, 5)}"', ' x="NaN"')) if random.random() < 0.2 else None
        return f'<{name} i="{number}" t="{time}"{odd if odd is not None else f""" x="{random.randint(0, 5)}" """}/>'

    items = [item(random.choice("rs"), number) for number in range(60)]
    groups = [f"<g>{''.join(item(name, n) for n, name in enumerate('rrsrss'))}</g>" for _ in range(4)]
    return f"<d>{''.join(items[:30])}{''.join(groups)}{''.join(items[30:])}</d>"


@pytest.mark.parametrize("number", range(len(SPREAD) + len(ONE_TASK)))
@pytest.mark.share(3)
def test_ranges_give_what_the_whole_gives(number: int, tmp_path: Path) -> None:
    query = (SPREAD + ONE_TASK)[number]
    for seed in range(2):
        random = Random(f"{number} {seed}")
        path = tmp_path / f"{seed}.xml"
        path.write_text(document(random), encoding="utf-8")
        program = assert_same(query, path, random)
        assert program.distribution.is_parallel == (query in SPREAD)
