"""docs/streamability.md: the verdict on every query of XMark, as `explain` gives it and as runs measure it.

    python -m xylem.bench.streamability docs/streamability.md
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xylem import api
from xylem.plan.streamability import Streamability

from . import xmark
from .pass_queries import QUERIES
from .xmark_queries import query

SCALES = (0.001, 0.004)
HEAD = """# How many passes a query takes

<!-- Written by `make docs` (python -m xylem.bench.streamability): do not edit. -->

A query is *single pass* where its answer is computed while the input passes once, and what is kept meanwhile stays as
small as an item, a window or an aggregate, however long the input. `xylem explain` says of any query whether it is, and
if not, why and where in the query; `xylem explain --graph svg` draws what depends on what.

The test is that of Li and Agrawal, "Efficient Evaluation of XQuery over Streaming Data" (VLDB 2005): a graph of the
variables of the query, in which traversals with a common beginning become one (horizontal fusion) and pipelines become
one node (vertical fusion). One pass is not enough where more than one sequence is left (theorem 1), where an aggregate
is computed from another one (theorem 2), or where items need an aggregate of the very sequence they are in (theorem 3);
else it is (theorem 4). Operators that need all of their input at once, such as `order by`, are found too; a sort of
which only the first or last items are asked for, as by `[position() le 10]`, `head()` or `count $c where $c le 10`,
keeps so many tuples and is single pass, and so is a `group by` of whose groups only keys and aggregates are asked for,
which keeps these. What `explain` and this page say is what runs do: the number of passes is the one that `--stats`
reports.

Where one pass is not enough, it depends on the input what is done:

- **A file**, also one that is redirected (`< file`), or bytes in Python: it is read as many times as `explain` says, if
  that bounds what is kept. Earlier passes compute the values that later ones need; long parts of an answer that stand
  one behind the other, as in `(/a/b, /a/c)`, are given by a pass each. All of them stream.
- **A pipe or a socket**: what comes is kept while the first pass reads it, and read again from there: in a temporary
  file with `--spill DIR` (`spill=` in Python), else in memory, within `--buffer-limit SIZE`, 1 GB by default. A run
  that needs more ends with `XYDY0005` and the reason.
- **Any input**, where no number of passes bounds what is kept: one pass, and what it keeps counts against the same
  limit. So do the trees of queries that do not stream.
- **Any input with `--buffer-limit 0`**: a query that would keep what grows with the input is refused before anything is
  read, with `XYST0012` and the reason.

Several inputs, and inputs on Spark, are read by tasks; `explain --on spark` says in how many passes. There, too, an
aggregate that items need is computed first.
"""


@dataclass(frozen=True)
class Row:
    """One query, as it was told and as it was measured."""

    name: str
    title: str
    told: Streamability
    passes: int
    kept: tuple[int, ...]
    """The most bytes that were held at a time, for each size of the input."""


def page() -> str:
    """The text of the page."""
    with tempfile.TemporaryDirectory() as folder:
        documents = [_document(Path(folder), scale) for scale in SCALES]
        own = [_row(f"Q{number}", query(number), documents) for number in range(1, 21)]
        others = [_row(name, text, documents) for name, text in QUERIES.items()]
        sizes = [document.stat().st_size for document in documents]
    return "\n".join([*_lines(own, others, sizes)])


def _document(folder: Path, scale: float) -> Path:
    document = folder / f"auction-{scale}.xml"
    document.write_text("".join(xmark.generate(scale, seed=1)), encoding="utf-8")
    return document


def _lines(own: list[Row], others: list[Row], sizes: list[int]) -> Iterator[str]:
    yield HEAD
    yield "## The twenty queries of XMark"
    yield ""
    told = " and of ".join(f"{size / 1000:,.0f} kB" for size in sizes)
    yield f"Without a schema, over documents of {told}. *Kept* is the most that a run held at a time, of each."
    yield ""
    yield from _table(own)
    single = sum(row.told.is_single_pass for row in own)
    yield ""
    yield f"{single} of the twenty are single pass. None needs an aggregate of the whole beside its items, so that none"
    yield "takes two passes; the others join sequences or sort, which no number of passes bounds."
    yield ""
    for row in own:
        yield from _details(row)
    yield "## Two passes and more"
    yield ""
    yield "Over the same auctions, queries that need a value of the whole at each item, or the same items twice"
    yield "([bench/pass_queries.py](../python/xylem/bench/pass_queries.py)). A file is read as often as the table says,"
    yield "and nothing is kept that grows with it."
    yield ""
    yield from _table(others)
    yield ""
    for row in others:
        yield from _details(row)


def _table(rows: list[Row]) -> Iterator[str]:
    yield "| | | verdict | passes | kept |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield f"| {row.name} | {row.title} | {row.told.verdict} | {row.passes} | {_kept(row.kept)} |"


def _kept(sizes: tuple[int, ...]) -> str:
    """Sizes in a round number of kilobytes: enough to see which grow."""
    return ", ".join(_rounded(size) for size in sizes)


def _rounded(size: int) -> str:
    for unit in (100_000, 10_000, 1_000):
        if size >= unit:
            return f"{round(size / unit) * unit // 1000} kB"
    return "< 1 kB"


def _details(row: Row) -> Iterator[str]:
    told = row.told
    if told.is_single_pass:
        return
    yield f"### {row.name}"
    yield ""
    for reason in told.reasons:
        cited = f" (theorem {reason.theorem})" if reason.theorem else ""
        places = ", ".join(f"{span.line}:{span.column}" for span in reason.spans)
        yield f"- {_code(reason.text)}{cited}{f', at {places}' if places else ''}"
    for number, values in enumerate(told.earlier, 1):
        yield f"- pass {number} computes {', '.join(f'`{value}`' for value in values)}"
    for number, text in enumerate(told.gives, len(told.earlier) + 1):
        yield f"- pass {number} gives `{text}`"
    for buffer in told.kept_at_once:
        what = "one pass would keep" if told.passes > 1 else "kept"
        yield f"- {what}: `{'`, `'.join(buffer.paths)}`, until {buffer.until}"
    yield ""


def _code(text: str) -> str:
    """Characters that Markdown would read."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("|", "\\|")


def _row(name: str, text: str, documents: list[Path]) -> Row:
    title = text[text.index("(:") + 2 : text.index(":)")].strip()
    title = title.partition(". ")[2] if title.startswith("XMark") else title
    compiled = api.compile(text, name=name)
    measured = []
    for document in documents:
        result = compiled.stream(document)
        result.write_to(lambda written: None)
        measured.append(result.statistics)
    told = compiled.explain().streamability
    return Row(name, title, told, measured[0].passes, tuple(run.peak_buffered_bytes for run in measured))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
