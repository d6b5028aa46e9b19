"""What `xylem bench spark` asks of one large document: the same question in XQuery and to Spark's own XML source.

Two plain scans, whose time is that of reading; a selection with a constructor (the thesis' query Vela), which the scan
writes on its way; and a report, whose time is in evaluation: a constructor with string and date functions over every
item, ordered by a computed key. Spark's source is given the columns it needs, so that it infers no schema; it writes
the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SparkTask:
    """One question."""

    name: str
    document: str
    """`auctions` or `photons`"""
    is_heavy: bool
    """Whether the time is in evaluation."""
    query: str
    row_tag: str
    columns: str
    """The columns that Spark's source reads."""
    answer: Callable[[Any], Any]
    """From the DataFrame of rows to the text of the answer, one line after another."""


def _count(condition: str) -> Callable[[Any], Any]:
    return lambda rows: [str(rows.where(condition).count())]


def _lines(rows: Any) -> Any:
    return (row[0] for row in rows.toLocalIterator(prefetchPartitions=True))


def _items(rows: Any) -> Any:
    name = "upper(regexp_replace(trim(name), ' +', ' '))"
    days = "transform(coalesce(mailbox.mail, array()), m -> to_date(m.date, 'MM/dd/yyyy'))"
    year = f"coalesce(cast(year(array_min({days})) as string), '')"
    # What has elements in it is a string with their tags.
    plain = "regexp_replace(description, '<[^>]*>', '')"
    words = f"filter(split({plain}, '\\\\s+'), word -> word != '')"
    characters = f"length(trim(regexp_replace({plain}, '\\\\s+', ' ')))"
    line = (
        f"concat('<item id=\"', _id, '\" name=\"', {name}, '\" words=\"', size({words}), "
        f"'\" long=\"', size(filter({words}, word -> length(word) > 8)), "
        f"'\" characters=\"', {characters}, "
        f"'\" since=\"', {year}, "
        "'\" pays=\"', array_join(sort_array(transform(split(payment, ', '), p -> replace(p, ' ', '_'))), '+'), '\"/>')"
    )
    ordered = rows.selectExpr(f"length({name}) as l", f"{name} as n", "_id as i", f"{line} as line")
    return _lines(ordered.orderBy("l", "n", "i", ascending=[False, True, True]).select("line"))


VELA = "ra > 120.0 and ra < 138.0 and dec > -49.0 and dec < -40.0"
_PARTS = ("ra", "dec", "phc", "en", "det_time")


def _vela(rows: Any) -> Any:
    parts = ", ".join(f"'<{name}>', {name}, '</{name}>'" for name in _PARTS)
    return _lines(rows.where(VELA).selectExpr(f"concat('<vela>', {parts}, '</vela>')"))


TASKS = (
    SparkTask(
        "auctions, scan",
        "auctions",
        False,
        "count(/site/regions/*/item[location = 'Germany'])",
        "item",
        "location string",
        _count("location = 'Germany'"),
    ),
    SparkTask(
        "auctions, report",
        "auctions",
        True,
        """
        for $i in /site/regions/*/item
        let $name := upper-case(normalize-space($i/name))
        let $days := for $m in $i/mailbox/mail
                     return xs:date(substring($m/date, 7, 4) || "-" || substring($m/date, 1, 2) || "-"
                                    || substring($m/date, 4, 2))
        let $words := tokenize($i/description)
        order by string-length($name) descending, $name, $i/@id
        return <item id="{ $i/@id }" name="{ $name }" words="{ count($words) }"
                     long="{ count($words[string-length(.) > 8]) }"
                     characters="{ string-length(normalize-space($i/description)) }"
                     since="{ year-from-date(min($days)) }"
                     pays="{ string-join(sort(tokenize($i/payment, ", ") ! replace(., " ", "_")), "+") }"/>
        """,
        "item",
        "_id string, name string, payment string, description string, "
        "mailbox struct<mail: array<struct<date: string>>>",
        _items,
    ),
    SparkTask(
        "photons, scan",
        "photons",
        False,
        "count(/photons/photon[en > 1.3])",
        "photon",
        "en double",
        _count("en > 1.3"),
    ),
    SparkTask(
        "photons, Vela",
        "photons",
        False,
        f"""
        for $p in /photons/photon
        where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
        return <vela>{{ {", ".join(f"$p/{name}" for name in _PARTS)} }}</vela>
        """,
        "photon",
        ", ".join(f"{name} string" for name in _PARTS),
        _vela,
    ),
)
