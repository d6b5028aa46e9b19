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

A query is *single pass* if its answer can be computed while the input passes once, with state no larger than an item,
a window or an aggregate, however long the input. `xylem explain` says of any query whether it is, and if not, why and
where; `xylem explain --graph svg` draws the dependencies.

The test comes from Li and Agrawal, "Efficient Evaluation of XQuery over Streaming Data" (VLDB 2005). It builds a
graph of the variables of the query, in which traversals with a common beginning become one (horizontal fusion) and
pipelines become one node (vertical fusion). One pass is not enough if more than one sequence is left (theorem 1), if
an aggregate is computed from another one (theorem 2), or if items need an aggregate of the very sequence they are in
(theorem 3); otherwise it is (theorem 4). The test also finds operators that need all of their input at once, such as
`order by`. A sort of which the query needs only the first or last items, as in `[position() le 10]`, `head()` or
`count $c where $c le 10`, keeps that many tuples and is single pass. So is a `group by` of which the query needs only
keys and aggregates. `explain` and this page describe what runs do: `--stats` reports the same number of passes.

If one pass is not enough, the treatment depends on the input:

- **A file**, also a redirected one (`< file`), or bytes in Python: Xylem reads it as many times as `explain` says, if
  that bounds the state. Earlier passes compute the values that later ones need. Each of the long parts of an answer
  that follow one another, as in `(/a/b, /a/c)`, takes a pass of its own. All passes stream.
- **A pipe or a socket**: Xylem keeps the bytes while the first pass reads them, for the later passes: in a temporary
  file with `--spill DIR` (`spill=` in Python), otherwise in memory, within `--buffer-limit SIZE`, 1 GB by default. A
  run that needs more ends with `XYDY0005` and the reason.
- **Any input**, if no number of passes bounds the state: one pass, whose buffers count against the same limit. So do
  the trees of queries that do not stream.
- **Any input with `--buffer-limit 0`**: Xylem refuses a query whose buffers would grow with the input before it reads
  anything, with `XYST0012` and the reason.

Tasks read several inputs, and inputs on Spark; `explain --on spark` says in how many passes. There, too, an aggregate
that items need is computed first.
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
