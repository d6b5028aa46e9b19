"""Data for the applications of single-pass.txt §6: satellite pixels, a microscope's slide, packets of a network.

    python -m xylem.bench.single_pass_data satellite 10 satellite.xml      about 10 MB

The same size and seed give the same document.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

WIDTH = 100
"""Of the square of places that a satellite sees."""
SLIDE_WIDTH = 256
ADDRESSES = 2_000


def satellite(size_bytes: int, seed: int = 0, width: int = WIDTH) -> Iterator[str]:
    """Pixels in the order of time, each with its place and the measurements of five sensors."""
    choose = random.Random(seed).randrange
    yield "<stream><data>\n"
    written, time = 0, 0
    while written < size_bytes:
        time += choose(1, 30)
        bands = "".join(f"<band{band}>{choose(1, 65536)}</band{band}>" for band in range(5))
        text = f"<pixel><x>{choose(width)}</x><y>{choose(width)}</y><time>{time}</time>{bands}</pixel>\n"
        written += len(text)
        yield text
    yield "</data></stream>\n"


def microscope(size_bytes: int, seed: int = 0, width: int = SLIDE_WIDTH) -> Iterator[str]:
    """The pixels of a slide, row by row, taken at one of several focal planes."""
    choose = random.Random(seed).randrange
    yield "<slide>\n"
    written = place = 0
    while written < size_bytes:
        x, y = place % width, place // width % width
        colours = "".join(f"<{name}>{choose(256)}</{name}>" for name in ("red", "green", "blue", "grey"))
        text = f"<pixel><x>{x}</x><y>{y}</y>{colours}<focus>{choose(4)}</focus></pixel>\n"
        written += len(text)
        place += 1
        yield text
    yield "</slide>\n"


def packets(size_bytes: int, seed: int = 0) -> Iterator[str]:
    """Packets in the order of time; two of the addresses send nearly half of them."""
    source = random.Random(seed)
    choose = source.randrange
    addresses = [f"10.{choose(256)}.{choose(256)}.{choose(256)}" for _ in range(ADDRESSES)]
    yield "<capture>\n"
    written = time = 0
    while written < size_bytes:
        time += choose(1, 900)
        chance = source.random()
        sender = addresses[0] if chance < 0.3 else addresses[1] if chance < 0.47 else addresses[choose(ADDRESSES)]
        text = (
            f"<packet><time>{time}</time><source>{sender}</source><target>{addresses[choose(ADDRESSES)]}</target>"
            f"<port>{(22, 53, 80, 443, 8080)[choose(5)]}</port><protocol>tcp</protocol>"
            f"<bytes>{choose(40, 1500)}</bytes><flags>{choose(64)}</flags><window>{choose(65536)}</window></packet>\n"
        )
        written += len(text)
        yield text
    yield "</capture>\n"


GENERATORS: dict[str, Callable[[int, int], Iterator[str]]] = {
    "satellite": satellite,
    "microscope": microscope,
    "frequent-items": packets,
}


def write(application: str, path: Path, size_bytes: int, seed: int = 0) -> None:
    """A document of about a size."""
    with open(path, "w", encoding="ascii", newline="\n", buffering=1 << 20) as file:
        file.writelines(GENERATORS[application](size_bytes, seed))


if __name__ == "__main__":
    name, megabytes, output = sys.argv[1:4]
    write(name, Path(output), int(float(megabytes) * 1_000_000))
