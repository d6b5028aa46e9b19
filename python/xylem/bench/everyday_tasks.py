"""What `xylem bench everyday` asks of photons: a copy with one operation more, in XQuery and as loops over lxml."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .xmark_by_hand import passing

Loop = Callable[[Iterator[Any]], Iterator[str]]
"""From photons as lxml has them to what is written, piece by piece."""


@dataclass(frozen=True)
class EverydayTask:
    """One question."""

    name: str
    body: str
    """What stands in the element around the answer."""
    loop: Loop
    plain: str = ""
    """The task without the operation that this one adds, and how many times as long this one may take."""
    most_times: float = 3.0

    @property
    def query(self) -> str:
        return f"<out>{{ {self.body} }}</out>"

    def by_hand(self, document: Path) -> str:
        return f"<out>{''.join(self.loop(passing(document, 'photon')))}</out>"


def _number(value: float) -> str:
    """As XQuery writes a double of everyday size."""
    return repr(value).removesuffix(".0")


def _copy(photon: Any, *names: str) -> str:
    return "".join(f"<{name}>{photon.findtext(name)}</{name}>" for name in names)


def _construct(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        yield f"<p>{_copy(p, 'ra', 'en')}</p>"


def _where(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        if float(p.findtext("en")) > 2:
            yield f"<p>{_copy(p, 'ra', 'en')}</p>"


def _upper_case(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        yield f"<p>{('f' + p.findtext('field_id')).upper()}{_copy(p, 'en')}</p>"


def _where_product(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        if float(p.findtext("en")) * 2 > 4:
            yield f"<p>{_copy(p, 'ra', 'en')}</p>"


def _product(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        yield f"<p>{_copy(p, 'ra')}<en>{_number(float(p.findtext('en')) * 2)}</en></p>"


def _if_else(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        name = "high" if float(p.findtext("en")) > 2 else "low"
        yield f"<{name}>{_copy(p, 'ra')}</{name}>"


def _else_if(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        energy = float(p.findtext("en"))
        name = "high" if energy > 2 else "mid" if energy > 1 else "low"
        yield f"<{name}>{_copy(p, 'ra')}</{name}>"


def _let_where(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        apart = float(p.findtext("dx")) - float(p.findtext("dy"))
        if apart * apart < 10000:
            yield f'<p d="{_number(apart)}"/>'


def _if_chain(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        channel = int(p.findtext("phc"))
        band = "a" if channel < 20 else "b" if channel < 50 else "c" if channel < 100 else "d" if channel < 200 else "e"
        yield f'<p band="{band}" phc="{channel}"/>'


def _typeswitch(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        for child in p:
            if child.tag == "en":
                yield f"<energy>{child.text}</energy>"
            elif child.tag in ("ra", "dec"):
                yield f"<{child.tag}>{child.text}</{child.tag}>"


def _aggregates(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        total = sum(int(p.findtext(name)) for name in ("dx", "dy"))
        yield f'<p n="{len(p)}" s="{total}"/>'


def _tumbling(photons: Iterator[Any]) -> Iterator[str]:
    began, count, most = 0.0, 0, 0
    for p in photons:
        moment = float(p.findtext("det_time"))
        if not count:
            began = moment
        count, most = count + 1, max(most, int(p.findtext("phc")))
        if moment - began > 60:
            yield f'<w n="{count}" most="{most}"/>'
            count = most = 0
    if count:
        yield f'<w n="{count}" most="{most}"/>'


def _sliding(photons: Iterator[Any]) -> Iterator[str]:
    last: deque[int] = deque(maxlen=10)
    total = 0
    for p in photons:
        if len(last) == 10:
            total -= last[0]
        last.append(int(p.findtext("phc")))
        total += last[-1]
        if len(last) == 10:
            yield f"<w>{_number(total / 10)}</w>"


def _json(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        row = [p.findtext("field_id"), int(p.findtext("phc"))]
        yield f"<j>{json.dumps(row, separators=(',', ':'))}</j>"


def _matches(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        if re.search("^1[0-9]+$", p.findtext("field_id")):
            yield f"<p>{_copy(p, 'ra', 'en')}</p>"


def _replace(photons: Iterator[Any]) -> Iterator[str]:
    for p in photons:
        yield f"<p>{re.sub('[.]', ',', p.findtext('ra'))}{_copy(p, 'en')}</p>"


def _groups(photons: Iterator[Any]) -> Iterator[str]:
    found = Counter(p.findtext("field_id") for p in photons)
    for field in sorted(found):
        yield f'<g f="{field}" n="{found[field]}"/>'


_EACH = "for $p in /photons/photon"
TASKS: Final = (
    EverydayTask("construct", f"{_EACH} return <p>{{ $p/ra }}{{ $p/en }}</p>", _construct),
    EverydayTask("where", f"{_EACH} where $p/en > 2 return <p>{{ $p/ra }}{{ $p/en }}</p>", _where),
    EverydayTask(
        "upper-case",
        f"{_EACH} return <p>{{ upper-case(concat('f', $p/field_id)) }}{{ $p/en }}</p>",
        _upper_case,
        "construct",
    ),
    EverydayTask(
        "where product",
        f"{_EACH} where $p/en * 2 > 4 return <p>{{ $p/ra }}{{ $p/en }}</p>",
        _where_product,
        "where",
    ),
    EverydayTask("product", f"{_EACH} return <p>{{ $p/ra }}<en>{{ $p/en * 2 }}</en></p>", _product, "construct"),
    EverydayTask(
        "if", f"{_EACH} return if ($p/en > 2) then <high>{{ $p/ra }}</high> else <low>{{ $p/ra }}</low>", _if_else
    ),
    EverydayTask(
        "else if",
        f"{_EACH} return if ($p/en > 2) then <high>{{ $p/ra }}</high>"
        " else if ($p/en > 1) then <mid>{ $p/ra }</mid> else <low>{ $p/ra }</low>",
        _else_if,
        "if",
        2.0,
    ),
    EverydayTask(
        "let and where",
        f"{_EACH} let $d := $p/dx - $p/dy where $d * $d < 10000 return <p d=\"{{ $d }}\"/>",
        _let_where,
    ),
    EverydayTask(
        "if chain",
        f"{_EACH} let $c := xs:integer($p/phc) let $band := if ($c < 20) then 'a' else if ($c < 50) then 'b'"
        " else if ($c < 100) then 'c' else if ($c < 200) then 'd' else 'e'"
        ' return <p band="{ $band }" phc="{ $c }"/>',
        _if_chain,
    ),
    EverydayTask(
        "typeswitch",
        "for $e in /photons/photon/* return typeswitch ($e) case element(en) return <energy>{ string($e) }</energy>"
        " case element(ra) | element(dec) return $e default return ()",
        _typeswitch,
    ),
    EverydayTask(
        "aggregates",
        f'{_EACH} return <p n="{{ count($p/*) }}" s="{{ sum(for $c in ($p/dx, $p/dy) return xs:integer($c)) }}"/>',
        _aggregates,
    ),
    EverydayTask(
        "tumbling window",
        "for tumbling window $w in /photons/photon start $s when true() end $e when $e/det_time - $s/det_time > 60"
        ' return <w n="{ count($w) }" most="{ max($w/xs:integer(phc)) }"/>',
        _tumbling,
    ),
    EverydayTask(
        "sliding window",
        "for sliding window $w in /photons/photon start at $i when true() only end at $j when $j - $i = 9"
        " return <w>{ avg($w/xs:integer(phc)) }</w>",
        _sliding,
    ),
    EverydayTask(
        "json",
        f"{_EACH} return <j>{{ serialize([string($p/field_id), xs:integer($p/phc)], map {{ 'method': 'json' }}) }}</j>",
        _json,
    ),
    EverydayTask(
        "matches",
        f"{_EACH} where matches($p/field_id, '^1[0-9]+$') return <p>{{ $p/ra }}{{ $p/en }}</p>",
        _matches,
        "where",
    ),
    EverydayTask(
        "replace",
        f"{_EACH} return <p>{{ replace($p/ra, '[.]', ',') }}{{ $p/en }}</p>",
        _replace,
        "construct",
    ),
    EverydayTask(
        "group by",
        f'{_EACH} group by $f := string($p/field_id) order by $f return <g f="{{ $f }}" n="{{ count($p) }}"/>',
        _groups,
    ),
)
BY_NAME: Final = {task.name: task for task in TASKS}
