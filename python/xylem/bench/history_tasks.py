"""What `xylem bench history` asks, and the update streams it asks it of."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OPEN = b'<u:stream xmlns:u="urn:xylem:update" t="0">'
CLOSE = b"</u:stream>"
_CHUNK = 64 * 1024

Streams = dict[str, Iterator[bytes]]


@dataclass(frozen=True)
class HistoryTask:
    """A query, its streams by number of regions and updates, and how many updates a second it must take."""

    name: str
    query: str
    streams: Callable[[int, int, int], Streams]
    """Of regions, updates and a seed."""
    least_per_second: int = 0
    plain: str | None = None
    """The same as a query over `/`, for processors that know no updates."""
    sql: str | None = None
    """The same over a table ticker(id, name, quote)."""


def _chunks(pieces: Iterator[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > _CHUNK:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


def tickers(regions: int, updates: int, seed: int) -> Streams:
    """Quotes, each a region, replaced at random."""

    def pieces() -> Iterator[str]:
        rng = random.Random(seed)
        yield OPEN.decode() + "<tickers>"
        for number in range(regions):
            peer = number * 7 % regions
            yield (
                f"<ticker><name>N{number}</name><peer>N{peer}</peer>"
                f'<quote u:id="q{number}">{rng.randint(100, 200)}</quote></ticker>'
            )
        yield "</tickers>"
        for time in range(1, updates + 1):
            target, quote = rng.randrange(regions), rng.randint(100, 200)
            yield f'<u:replace of="q{target}" t="{time}"><quote>{quote}</quote></u:replace>'
        yield CLOSE.decode()

    return {"tickers": _chunks(pieces())}


def books(regions: int, updates: int, seed: int) -> Streams:
    """Bibliographies of ten books; prices, authors, and now and then a publisher are replaced."""

    def pieces() -> Iterator[str]:
        rng = random.Random(seed)
        authors = ("Smith", "Jones", "Abiteboul")
        yield OPEN.decode() + "<all>"
        for number in range(regions):
            if number % 10 == 0:
                ended, publisher = "</biblio>" if number else "", rng.choice(("Wiley", "ACM"))
                yield f'{ended}<biblio><publisher u:id="w{number}">{publisher}</publisher>'
            yield (
                f'<books><title>T{number}</title><author><lastname u:id="a{number}">{rng.choice(authors)}</lastname>'
                f'</author><price u:id="p{number}">{rng.randint(10, 99)}</price></books>'
            )
        yield "</biblio></all>"
        for time in range(1, updates + 1):
            target, kind = rng.randrange(regions), rng.random()
            if kind < 0.02:
                new = rng.choice(("Wiley", "ACM"))
                place = target - target % 10
                yield f'<u:replace of="w{place}" t="{time}"><publisher>{new}</publisher></u:replace>'
            elif kind < 0.3:
                new = rng.choice(authors)
                yield f'<u:replace of="a{target}" t="{time}"><lastname>{new}</lastname></u:replace>'
            else:
                yield f'<u:replace of="p{target}" t="{time}"><price>{rng.randint(10, 99)}</price></u:replace>'
        yield CLOSE.decode()

    return {"books": _chunks(pieces())}


def packets(regions: int, updates: int, seed: int) -> Streams:
    """SYN packets whose regions are replaced by later ones, and ACK packets for them."""
    half = updates // 2

    def pieces(name: str, fields: tuple[str, str], offset: int) -> Iterator[str]:
        rng = random.Random(seed + offset)

        def packet(number: int) -> str:
            ip, port = fields
            address, gate = f"10.0.0.{number % 250}", number % 999
            return f"<packet><id>{number}</id><{ip}>{address}</{ip}><{port}>{gate}</{port}></packet>"

        yield OPEN.decode() + f"<{name}>"
        for number in range(regions):
            yield f'<u:mutable id="s{number}">{packet(number)}</u:mutable>'
        yield f"</{name}>"
        for time in range(half):
            slot = rng.randrange(regions)
            yield f'<u:replace of="s{slot}" t="{time // 8 + 1}">{packet(rng.randrange(regions * 2))}</u:replace>'
        yield CLOSE.decode()

    return {
        "syn": _chunks(pieces("syn", ("srcIP", "srcPort"), 0)),
        "ack": _chunks(pieces("ack", ("destIP", "destPort"), 1)),
    }


def radars(regions: int, updates: int, seed: int) -> Streams:
    """Events of two antennas, each region a frequency that is heard again and again."""
    half = updates // 2

    def pieces(name: str, offset: int) -> Iterator[str]:
        rng = random.Random(seed + offset)

        def event(number: int) -> str:
            return f"<event><frequency>{number}</frequency><angle>{rng.randint(0, 359)}</angle></event>"

        yield OPEN.decode() + f"<{name}>"
        for number in range(regions):
            yield f'<u:mutable id="e{number}">{event(number)}</u:mutable>'
        yield f"</{name}>"
        for time in range(half):
            slot = rng.randrange(regions)
            yield f'<u:replace of="e{slot}" t="{time // 8 + 1}">{event(slot)}</u:replace>'
        yield CLOSE.decode()

    return {"radar1": _chunks(pieces("radar1", 0)), "radar2": _chunks(pieces("radar2", 1))}


TASKS = (
    HistoryTask(
        "filter",
        'for $q in stream("tickers")//ticker where $q/quote > 150 return <hot>{ $q/name, $q/quote }</hot>',
        tickers,
        30_000,
        "for $q in //ticker where $q/quote > 150 return <hot>{ $q/name, $q/quote }</hot>",
        "SELECT name, quote FROM ticker WHERE quote > 150 ORDER BY id",
    ),
    HistoryTask(
        "count",
        'count(stream("tickers")//ticker[quote > 150])',
        tickers,
        30_000,
        "count(//ticker[quote > 150])",
        "SELECT count(*) FROM ticker WHERE quote > 150",
    ),
    HistoryTask(
        "min",
        'min(stream("tickers")//quote/xs:integer(.))',
        tickers,
        0,
        "min(//quote/xs:integer(.))",
        "SELECT min(quote) FROM ticker",
    ),
    HistoryTask(
        "sort",
        'for $q in stream("tickers")//ticker order by xs:integer($q/quote) return <t>{ $q/name, $q/quote }</t>',
        tickers,
        10_000,
        "for $q in //ticker order by xs:integer($q/quote) return <t>{ $q/name, $q/quote }</t>",
        "SELECT name, quote FROM ticker ORDER BY quote, id",
    ),
    HistoryTask(
        "join",
        'for $q in stream("tickers")//ticker, $r in stream("tickers")//ticker where $q/peer = $r/name '
        "return <p>{ $q/name, $r/quote }</p>",
        tickers,
        10_000,
        "for $q in //ticker, $r in //ticker where $q/peer = $r/name return <p>{ $q/name, $r/quote }</p>",
    ),
    HistoryTask(
        "query 1",
        '<books>{ for $b in stream("books")//biblio[publisher = "Wiley"]/books where $b/author/lastname = "Smith" '
        "order by $b/price return <book>{ $b/title, $b/price }</book> }</books>",
        books,
        0,
        '<books>{ for $b in //biblio[publisher = "Wiley"]/books where $b/author/lastname = "Smith" '
        "order by $b/price return <book>{ $b/title, $b/price }</book> }</books>",
    ),
    HistoryTask(
        "query 2",
        'for $q in stream("tickers")//ticker where $q/quote >= $q/quote#1 * 1.1 '
        "order by ($q/quote - $q/quote#1) div $q/quote return <quote>{ $q/name, $q/quote }</quote>",
        tickers,
        10_000,
    ),
    HistoryTask(
        "query 3",
        'for $a in stream("ack")//packet where not (some $s in stream("syn")//packet?[60] satisfies $s/id = $a/id '
        "and $s/srcIP = $a/destIP and $s/srcPort = $a/destPort) "
        "return <warning>{ $a/id, $a/destIP, $a/destPort }</warning>",
        packets,
    ),
    HistoryTask(
        "query 4",
        'for $r in stream("radar1")//event?[1], $s in stream("radar2")//event?[1] '
        "where $r/frequency = $s/frequency return <position>{ $r/angle, $s/angle }</position>",
        radars,
    ),
    HistoryTask(
        "T-history",
        'for $q in stream("tickers")//ticker where ($q/quote > 150)#1 return $q/name',
        tickers,
    ),
)
NAMED = {task.name: task for task in TASKS}
