"""A stream of photon events, as an X-ray satellite reports them: the running example of stream sharing.

The record is that of the thesis (streamglobe-flux-bestmatch, section 2.1): position, pulse, energy, sky field, time
and detector pixel of each photon. The satellite sweeps the sky once in an orbit of 90 minutes, so a source is seen
again 5,400 seconds later, which is what the best-match query "Bursts" joins on. Detection times never go back.

What the thesis' subscriptions select of it: "Vela" (120° < ra < 138°, -49° < dec < -40°) about a quarter of the
photons, "RXJ" (130.5° < ra < 135.5°, -48° < dec < -45°, en > 1.3) about three percent; the average energy in that
small field is above 1.3 keV in some windows of a minute and below in others, as "RXJ-alert" needs it.

    >>> from xylem.bench import photons
    >>> "".join(photons.generate(records=2)).count("<photon>")
    2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from os import PathLike
from random import Random

DTD = """\
<!ELEMENT photons (photon*)>
<!ELEMENT photon (ra, dec, pos_error, phc, en, field_id, det_time, dx, dy)>
<!ELEMENT ra (#PCDATA)>
<!ELEMENT dec (#PCDATA)>
<!ELEMENT pos_error (#PCDATA)>
<!ELEMENT phc (#PCDATA)>
<!ELEMENT en (#PCDATA)>
<!ELEMENT field_id (#PCDATA)>
<!ELEMENT det_time (#PCDATA)>
<!ELEMENT dx (#PCDATA)>
<!ELEMENT dy (#PCDATA)>
"""

ORBIT_SECONDS = 5_400.0
_FIELDS = 1_378  # the survey's division of the sky into areas of about 6° × 6°
_SECONDS_BETWEEN_PHOTONS = 0.8
_KEV_PER_PULSE = 0.0105
_DETECTOR_PIXELS = 512


@dataclass(frozen=True)
class Region:
    """A part of the sky that shines: where, how strongly, and in which energies."""

    ra: float
    dec: float
    width: float  # degrees, one standard deviation across
    share: float  # of all photons
    mean_energy: float  # keV
    swing: float = 0.0  # how far the energy moves up and down within an orbit, as a share of itself


VELA = Region(ra=128.5, dec=-45.0, width=3.2, share=0.22, mean_energy=0.62)
RXJ = Region(ra=133.0, dec=-46.4, width=0.7, share=0.065, mean_energy=1.45, swing=0.45)
_REGIONS = (VELA, RXJ, Region(ra=83.6, dec=22.0, width=1.0, share=0.1, mean_energy=1.1))


def generate(records: int, seed: int = 0) -> Iterator[str]:
    """The document in pieces, one photon each."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<photons>\n'
    yield from events(records, seed)
    yield "</photons>\n"


def events(records: int, seed: int = 0) -> Iterator[str]:
    """The photons alone, for feeds that have a root element of their own."""
    random = Random(f"photons {seed}")
    pick, wait = random.random, random.expovariate
    source = _sources(random)
    time = 0.0
    for _ in range(records):
        time += wait(1.0 / _SECONDS_BETWEEN_PHOTONS)
        ra, dec, energy = source(time)
        pulse = max(8, int(energy / _KEV_PER_PULSE))
        yield (
            f"<photon><ra>{ra:.4f}</ra><dec>{dec:.4f}</dec><pos_error>{0.002 + 0.01 * pick():.4f}</pos_error>"
            f"<phc>{pulse}</phc><en>{pulse * _KEV_PER_PULSE:.4f}</en><field_id>{_field(ra, dec)}</field_id>"
            f"<det_time>{time:.3f}</det_time>"
            f"<dx>{int(pick() * _DETECTOR_PIXELS)}</dx><dy>{int(pick() * _DETECTOR_PIXELS)}</dy></photon>\n"
        )


def write(path: str | PathLike[str], records: int, seed: int = 0) -> int:
    """Write the document to a file; the number of bytes written."""
    size = 0
    with open(path, "w", encoding="ascii", newline="\n", buffering=1 << 20) as file:
        for piece in generate(records, seed):
            size += file.write(piece)
    return size


def _sources(random: Random) -> Callable[[float], tuple[float, float, float]]:
    """Right ascension, declination and energy of the next photon, seen at the given time."""
    pick, normal, decay = random.random, random.gauss, random.expovariate
    background = 0.9  # keV

    def source(time: float) -> tuple[float, float, float]:
        left = pick()
        for region in _REGIONS:
            left -= region.share
            if left < 0:
                tide = 1.0 + region.swing * math.sin(2 * math.pi * time / ORBIT_SECONDS * 5)
                ra, dec = normal(region.ra, region.width), normal(region.dec, region.width)
                return ra, dec, min(2.4, 0.1 + decay(1.0 / (region.mean_energy * tide)))
        # Anywhere on the sphere: uniform in the sine of the declination.
        return 360.0 * pick(), math.degrees(math.asin(2.0 * pick() - 1.0)), min(2.4, 0.1 + decay(1.0 / background))

    return source


def _field(ra: float, dec: float) -> int:
    """The number of the field: rings of six degrees, each cut into as many fields as its length allows."""
    before, size = _rings()[min(29, int((dec + 90.0) / 6.0))]
    return min(_FIELDS, 1 + before + int(ra / 360.0 * size))


@cache
def _rings() -> list[tuple[int, int]]:
    """For each ring from the south pole: the fields before it, and its own number of fields."""
    sizes = [max(3, round(72.2 * math.cos(math.radians(6.0 * ring - 87.0)))) for ring in range(30)]
    return [(sum(sizes[:ring]), size) for ring, size in enumerate(sizes)]
