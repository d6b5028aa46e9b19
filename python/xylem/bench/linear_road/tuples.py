"""Tuples as text: one XML element, or one line of CSV, for each; in the order of time, reports before requests.

    <linear-road>
    <tuple type="0" time="0" vid="3" spd="10" xway="0" lane="0" dir="1" seg="52" pos="278213"/>

An attribute that a tuple has no use for is left out; in CSV, the encoding of the benchmark itself, it is -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .traffic import BALANCE_FIELDS, EXPENDITURE_FIELDS, REPORT_FIELDS, TRAVEL_FIELDS, Column, Second

FIELDS = (
    *("type", "time", "vid", "spd", "xway", "lane", "dir", "seg", "pos"),
    *("qid", "sinit", "send", "dow", "tod", "day"),
)
FIELDS_OF_TYPE = {0: REPORT_FIELDS, 2: BALANCE_FIELDS, 3: EXPENDITURE_FIELDS, 4: TRAVEL_FIELDS}
OPENING, CLOSING = "<linear-road>\n", "</linear-road>\n"


def _xml_line(kind: int) -> str:
    return "".join((f'<tuple type="{kind}" ', " ".join(f'{name}="%d"' for name in FIELDS_OF_TYPE[kind]), "/>\n"))


def _csv_line(kind: int) -> str:
    own = FIELDS_OF_TYPE[kind]
    order = [name for name in FIELDS if name in own]
    if list(own) != order:
        raise AssertionError(f"fields of type {kind} stand in another order than in a line")
    return ",".join([str(kind), *("%d" if name in own else "-1" for name in FIELDS[1:])]) + "\n"


def lines(seconds: Iterable[Second], form: str = "xml") -> Iterator[tuple[int, int, str]]:
    """(second, number of tuples, their text)."""
    line_of = {kind: (_xml_line if form == "xml" else _csv_line)(kind) for kind in FIELDS_OF_TYPE}
    for second in seconds:
        kinds = ((0, second.reports), (2, second.balances), (3, second.expenditures), (4, second.travels))
        text = "".join(_rows(line_of[kind], rows) for kind, rows in kinds if len(rows))
        yield second.time, sum(len(rows) for _, rows in kinds), text


def _rows(line: str, rows: Column) -> str:
    return (line * len(rows)) % tuple(rows.ravel().tolist())
