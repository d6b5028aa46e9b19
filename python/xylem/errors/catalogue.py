"""Every error code with its general sentence and, where one exists, a way out."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """The general sentence of a code, and a hint that always applies."""

    title: str
    hint: str = ""


CATALOGUE: dict[str, Entry] = {
    "XPST0003": Entry("the query does not follow the grammar"),
}
