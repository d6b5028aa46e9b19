"""Spellings as data: golden/spellings has a file for each group, with blocks of queries that mean the same.

# document: bib                       what they are asked of (documents.py)
# prolog: declare variable …;         stands before each query
# any order: why                      other processors may give items in another order

== recent books: same answer          of all queries below; `, any order` for this block alone
a query
plain: a query                        the same answer where each key has one value
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden" / "spellings"
TABLE = FOLDER / "table.txt"
SAME = "same answer"
_PLAIN = "plain: "


@dataclass(frozen=True)
class Spelling:
    """One query."""

    text: str
    prolog: str
    is_plain: bool
    """Whether it means the same as the others only where each key has one value."""

    @property
    def query(self) -> str:
        return f"{self.prolog} {self.text}" if self.prolog else self.text


@dataclass(frozen=True)
class Block:
    """Queries that mean the same."""

    group: str
    name: str
    document: str
    any_order: bool
    spellings: tuple[Spelling, ...]

    @property
    def title(self) -> str:
        return f"{self.group}: {self.name}"


@cache
def blocks() -> tuple[Block, ...]:
    """The blocks of all groups."""
    files = sorted(file for file in FOLDER.glob("*.txt") if file != TABLE)
    return tuple(block for file in files for block in _blocks(file))


def _blocks(file: Path) -> Iterator[Block]:
    head, *parts = file.read_text(encoding="utf-8").split("\n== ")
    said = dict(line[2:].split(": ", 1) for line in head.splitlines() if line.startswith("# ") and ": " in line)
    for part in parts:
        heading, *lines = part.splitlines()
        name, told = heading.split(": ", 1)
        assert told in (SAME, f"{SAME}, any order"), heading
        yield Block(
            file.stem,
            name,
            said["document"],
            "any order" in said or "any order" in told,
            tuple(
                Spelling(line.removeprefix(_PLAIN), said.get("prolog", ""), line.startswith(_PLAIN))
                for line in lines
                if line and not line.startswith("#")
            ),
        )
