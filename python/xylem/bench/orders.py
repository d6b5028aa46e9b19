"""Many small messages: orders as an application sends them, each a document of its own.

    <order id="o17" customer="c203" time="2026-03-01T08:12:44Z"><line sku="s471" quantity="3"><price>1250</price></line>
    <note>…</note></order>

on one line. Prices are cents, so that sums are the same in every arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from .vocabulary import word_pool

LEAST_BYTES: Final = 160
"""An order with one line and no note."""
_MOST_LINES = 4
MESSAGES, WRAPPED, FILES = "messages.txt", "wrapped.xml", "files"
"""What is written to a folder: a message a line; all of them in one document; some of them in files of their own."""


def generate(number: int, size_bytes: int = 300, seed: int = 0) -> Iterator[str]:
    """This number of messages of about this size; the same seed gives the same ones."""
    random = Random(f"orders {seed}")
    for order in range(number):
        yield _order(order, size_bytes, random)


def write(folder: Path, number: int, size_bytes: int, files: int, seed: int = 0) -> int:
    """Write the messages in all three forms; the number of bytes of all messages."""
    (folder / FILES).mkdir()
    size = 0
    with (folder / MESSAGES).open("w", encoding="ascii") as lines, (folder / WRAPPED).open("w") as wrapped:
        wrapped.write("<orders>")
        for place, message in enumerate(generate(number, size_bytes, seed)):
            size += lines.write(f"{message}\n") - 1
            wrapped.write(message)
            if place < files:
                (folder / FILES / f"{place:07}.xml").write_text(message, encoding="ascii")
        wrapped.write("</orders>")
    return size


def _order(number: int, size_bytes: int, random: Random) -> str:
    seconds = number % 86_400
    time = f"2026-03-{1 + number // 86_400 % 28:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
    lines = "".join(_line(random) for _ in range(random.randint(1, max(1, min(_MOST_LINES, size_bytes // 80)))))
    head = f'<order id="o{number}" customer="c{random.randrange(1000)}" time="{time}">{lines}'
    words: list[str] = []
    left = size_bytes - len(head) - len("<note></note></order>")
    while left > 0:
        words.append(random.choice(word_pool()))
        left -= len(words[-1]) + 1
    return f"{head}<note>{' '.join(words)}</note></order>" if words else f"{head}</order>"


def _line(random: Random) -> str:
    sku, quantity, cents = random.randrange(100, 1000), random.randint(1, 9), random.randint(100, 9999)
    return f'<line sku="s{sku}" quantity="{quantity}"><price>{cents}</price></line>'
