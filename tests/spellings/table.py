"""The golden table of all spellings: what each costs, one line for each.

`python -m tests.spellings.table` writes it anew; read the difference.
"""

from __future__ import annotations

import sys
from hashlib import sha256

from xylem.run.deep_stack import with_deep_stack

from .documents import VARIANTS
from .facts import TREE, bound, on_spark, passes, state_in_stream
from .growth import growth
from .spelled_query import spelled_query
from .spelling_files import FOLDER, TABLE, Block, Spelling, blocks

_COLUMNS = ("answer", "tree", "streamed", "keeps", "passes", "on spark", "in a stream", "query")
_WIDTHS = (10, 9, 9, 12, 6, 24, 20, 0)
_HEAD = (FOLDER / "README.md").name


def section(block: Block) -> str:
    """The part of the table that tells of one block."""
    # One thread with a deep stack for all of it, in which every call is counted.
    rows = with_deep_stack(lambda: [_row(block, spelling) for spelling in block.spellings])
    return "\n".join([f"== {block.title}", _line(_COLUMNS), *(_line(row) for row in rows)]) + "\n"


def _row(block: Block, spelling: Spelling) -> tuple[str, ...]:
    query = spelled_query(block, spelling)
    explained = query.explain()
    return (
        "/".join(_digest(query.answer(variant)) for variant in VARIANTS),
        growth(lambda size: query.over_tree(size, reader="python")),
        growth(lambda size: query.over_stream(size, scanner="python")) if query.is_streamed else TREE,
        bound(explained),
        passes(explained),
        on_spark(query.distributed.distribution),
        state_in_stream(query),
        spelling.text,
    )


def _digest(answer: str) -> str:
    """An answer as four letters; an error as they are."""
    return "error" if answer.startswith("error ") else sha256(answer.encode()).hexdigest()[:4]


def _line(row: tuple[str, ...]) -> str:
    return "  ".join(value.ljust(width) for value, width in zip(row, _WIDTHS, strict=True)).rstrip()


def golden_sections() -> dict[str, str]:
    """The sections as they were, by their titles."""
    _, *parts = TABLE.read_text(encoding="utf-8").split("\n== ")
    return {part.partition("\n")[0]: f"== {part.rstrip()}\n" for part in parts}


def write() -> None:
    made = []
    for block in blocks():
        made.append(section(block))
        print(block.title, file=sys.stderr)
    head = f"# How to read this table: {_HEAD}. `python -m tests.spellings.table` writes it anew.\n"
    TABLE.write_text("\n".join([head, *made]), encoding="utf-8")


if __name__ == "__main__":
    write()
