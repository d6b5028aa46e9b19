"""Subscriptions drawn at random, with a stated overlap: boxes of the sky, cones in them, and averages over windows.

The *overlap* of a subscription is the share of what it asks for that another subscription asks for as well. Each is
drawn so that this share of its box lies in the box of an earlier one, which is any of those over the same stream. The
first ones of a stream, its regions, lie anywhere. `common_share` says how much of the records is really in common: that
differs, since photons are not spread evenly, and boxes also meet by chance.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from math import sqrt

from xylem.network.properties import Properties, properties_of
from xylem.schema import load_schema
from xylem.syntax import parse

from .network_run import DTD

STREAMS = ("north", "south")
SKY = (100.0, -64.0, 70.0, 40.0)
"""Where boxes may lie: around the supernova remnant, where most photons come from."""
Box = tuple[float, float, float, float]
"""Right ascension and declination of a corner, and how far it goes in either."""
RECORD = re.compile(rb"<photon>.*?<ra>(?P<ra>[^<]*)</ra>.*?<dec>(?P<dec>[^<]*)</dec>.*?</photon>", re.DOTALL)


@dataclass(frozen=True)
class Wanted:
    """One subscription: where it is asked for, and over which stream."""

    name: str
    peer: str
    stream: str
    text: str
    properties: Properties
    box: Box
    """Where the records are that it asks for."""
    is_cone: bool = False
    """Whether it asks only for those in the greatest circle in the box."""

    def takes(self, ra: float, dec: float) -> bool:
        """Whether it asks for photons at a place."""
        x, y, wide, high = self.box
        if not (x < ra < x + wide and y < dec < y + high):
            return False
        if not self.is_cone:
            return True
        return (ra - x - wide / 2) ** 2 + (dec - y - high / 2) ** 2 < min(wide, high) ** 2 / 4


_ALL_PATHS = "$p/ra, $p/dec, $p/phc, $p/en, $p/det_time"


def query_text(box: Box, draw: random.Random) -> tuple[str, bool]:
    """A subscription of one of the kinds; and whether it is a cone."""
    ra, dec, wide, high = box
    tests = f"ra > {ra:.2f} and ra < {ra + wide:.2f} and dec > {dec:.2f} and dec < {dec + high:.2f}"
    paths = draw.choice([_ALL_PATHS, "$p/ra, $p/dec, $p/en, $p/det_time"])
    kind = draw.random()
    if kind < 0.5:
        return _records(tests, paths), False
    if kind < 0.6:
        x, y = (f"($p/{path} - {middle:.2f})" for path, middle in (("ra", ra + wide / 2), ("dec", dec + high / 2)))
        return _records(tests, paths, f"where {x} * {x} + {y} * {y} < {min(wide, high) ** 2 / 4:.3f} "), True
    size = draw.choice([30, 60, 120])
    step = draw.choice([one for one in (30, 60, 120) if size % one == 0])
    window = f"for $w in /photons/photon[{tests}]|det_time diff {size} step {step}| let $e := avg($w/en)"
    having = "where $e > 1.3 " if kind > 0.8 else ""
    return f'{window} {having}return <mean photons="{{ count($w) }}">{{ $e }}</mean>', False


def _records(tests: str, paths: str, where: str = "") -> str:
    return f"<photons>{{ for $p in /photons/photon[{tests}] {where}return <hit>{{ {paths} }}</hit> }}</photons>"


def subscriptions(
    topology: list[str], number: int, overlap: float, draw: random.Random, regions: int = 1
) -> list[Wanted]:
    """This number of subscriptions, alternately over one stream and the other."""
    schema = load_schema(DTD)
    boxes: dict[str, list[Box]] = {stream: [] for stream in STREAMS}
    found = []
    for at in range(number):
        stream = STREAMS[at % 2]
        known = boxes[stream]
        box = _anywhere(draw) if len(known) < regions else overlapping(draw.choice(known), overlap, draw)
        known.append(box)
        text, is_cone = query_text(box, draw)
        properties = properties_of(parse(text), schema)
        found.append(Wanted(f"q{at}", draw.choice(topology), stream, text, properties, box, is_cone))
    return found


def _size(draw: random.Random) -> tuple[float, float]:
    return draw.uniform(5, 10), draw.uniform(4, 8)


def _anywhere(draw: random.Random) -> Box:
    return draw.uniform(108, 140), draw.uniform(-58, -42), *_size(draw)


def overlapping(other: Box, share: float, draw: random.Random) -> Box:
    """A box of which just this share lies in another."""
    x, y, other_wide, other_high = other
    while True:
        wide, high = _size(draw)
        most_wide, most_high = min(1.0, other_wide / wide), min(1.0, other_high / high)
        if most_wide * most_high < share:
            # It is too large to lie so much inside.
            continue
        least = share / most_high
        part = draw.uniform(max(least, sqrt(share) / 2), max(least, most_wide)) if share else draw.uniform(0, most_wide)
        there = share / part if part else 0.0
        if there > most_high:
            continue
        left, top = _beside(x, other_wide, wide, part, draw), _beside(y, other_high, high, there, draw)
        if SKY[0] <= left <= SKY[0] + SKY[2] - wide and SKY[1] <= top <= SKY[1] + SKY[3] - high:
            return left, top, wide, high


def _beside(start: float, length: float, own: float, part: float, draw: random.Random) -> float:
    """Where a stretch begins of which just a part lies in another."""
    if part >= 1:
        return start + draw.uniform(0, length - own)
    return draw.choice((start + length - part * own, start - own + part * own))


def common_share(wanted: list[Wanted], data: bytes) -> float:
    """The share of a subscription's photons that one other asks for, over the same stream; on average."""
    places = [(float(one["ra"]), float(one["dec"])) for one in RECORD.finditer(data)]
    asked = [{at for at, place in enumerate(places) if one.takes(*place)} for one in wanted]
    shares = []
    for one, own in zip(wanted, asked, strict=True):
        pairs = zip(wanted, asked, strict=True)
        others = (its for other, its in pairs if other is not one and other.stream == one.stream)
        if own:
            shares.append(max((len(own & its) / len(own) for its in others), default=0.0))
    return sum(shares) / max(1, len(shares))
