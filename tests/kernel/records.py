"""What a scan tells, in a form that does not depend on its batches: each record with its element serialised."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.errors import XylemError
from xylem.plan.scan_plan import Batch, Report
from xylem.source.kernel import Scanner
from xylem.values.node import ATTRIBUTE, COMMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT

Seen = tuple[list[tuple[int, int, str]], list[int], str | None]


def records_of(scanner: Scanner, pieces: Iterable[tuple[bytes, bool]]) -> Seen:
    """All records, the counts, and the error at the end."""
    names: list[tuple[str, str, str]] = [("", "", "")]
    records: list[tuple[int, int, str]] = []
    counts: list[int] = []
    try:
        for data, flush in pieces:
            _add(scanner.feed(data, flush), names, records, counts)
        _add(scanner.finish(), names, records, counts)
        scanner.feed(b"")
    except XylemError as error:
        return records, counts, str(error)
    return records, counts, None


def _add(
    batch: Batch | None, names: list[tuple[str, str, str]], records: list[tuple[int, int, str]], counts: list[int]
) -> None:
    if batch is None:
        return
    names += batch.new_names
    counts += [0] * (len(batch.counts) - len(counts))
    for step, count in enumerate(batch.counts):
        counts[step] += count
    for kind, step, row in zip(batch.kinds, batch.steps, batch.rows, strict=True):
        written = Writer(batch, names)
        shown = written.subtree(row) if kind == Report.ITEM else written.tag(row)
        records.append((kind, step, f"{written.path(row)} {shown}"))


class Writer:
    """Rows of a batch as text, names with their namespaces."""

    def __init__(self, batch: Batch, names: list[tuple[str, str, str]]) -> None:
        self.batch = batch
        self.names = names

    def name(self, row: int) -> str:
        uri, local, prefix = self.names[self.batch.codes[row] >> 3]
        return f"{self.batch.prefixed.get(row, prefix)}:{{{uri}}}{local}"

    def path(self, row: int) -> str:
        above = []
        while (row := self.batch.parents[row]) > 0:
            above.append(self.tag(row))
        return "/".join(reversed(above))

    def tag(self, row: int) -> str:
        batch = self.batch
        if batch.codes[row] & 7 != ELEMENT:
            return "/"
        given = []
        for other in range(row + 1, batch.ends[row]):
            if batch.codes[other] & 7 != ATTRIBUTE or batch.parents[other] != row:
                break
            given.append(f" {self.name(other)}={batch.values[other]!r}")
        return f"<{self.name(row)}{''.join(given)} {sorted(batch.declared.get(row, {}).items())}>"

    def subtree(self, row: int) -> str:
        batch = self.batch
        parts = [self.tag(row)]
        child = row + 1
        while child < batch.ends[row]:
            kind = batch.codes[child] & 7
            if kind == ELEMENT:
                parts.append(self.subtree(child))
            elif kind in (TEXT, COMMENT):
                parts.append(f"{kind}{batch.values[child]!r}")
            elif kind == PROCESSING_INSTRUCTION:
                parts.append(f"<?{self.name(child)} {batch.values[child]!r}?>")
            child = batch.ends[child]
        return "".join([*parts, "</>"])
