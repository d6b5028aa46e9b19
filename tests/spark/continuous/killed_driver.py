"""The driver of a continuous query over update streams, in a process that a test kills: all but Spark itself.

    python killed_driver.py FOLDER native|keyed

reads the files of `s` and `t` there, or those of the feed `k`, a few of each in a batch, as Spark would hand them over:
a batch has the same messages when it is done again. `batches` gets a byte for each batch that was begun.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from xylem.source.update_stream.formats import UpdateFormat
from xylem.spark.continuous import state_files
from xylem.spark.continuous.batch_commit import BatchCommit
from xylem.spark.continuous.checkpoint import Checkpoint
from xylem.spark.continuous.evaluations import Evaluations
from xylem.spark.continuous.pieces import Piece
from xylem.spark.continuous.places import input_place
from xylem.spark.continuous.progress import ProgressReport
from xylem.spark.continuous.sinks import FileSink
from xylem.spark.continuous.subscription import Malformed
from xylem.spark.continuous.task import Task
from xylem.spark.continuous.told_query import QueryText, told_queries
from xylem.spark.continuous.update_stream import UpdateStream

STREAMS = {
    "native": UpdateStream(UpdateFormat(), names=("s", "t")),
    "keyed": UpdateStream(UpdateFormat("keyed", record="shop/item", key="@id", time="@t"), names=("k",)),
}
IN_BATCH = 3
COLUMNS = {"query": pa.int32(), "part": pa.int32(), "key": pa.binary(), "range": pa.int64(), "ordinal": pa.int64(),
           "value": pa.binary()}  # fmt: skip


class Frame:
    """The rows of a batch, as Spark has them."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        columns = list(zip(*rows, strict=True))
        self._table = pa.table(
            {name: pa.array(some, kind) for (name, kind), some in zip(COLUMNS.items(), columns, strict=True)}
        )

    def toArrow(self) -> pa.Table:  # Spark's name
        return self._table


def main(folder: Path, kind: str) -> None:
    updates = STREAMS[kind]
    # Also a small state is written as changes.
    state_files.SMALL_BYTES = 0
    text = QueryText("q", (folder / "q.xq").read_text(), "q.xq", "", folder)
    queries = told_queries([text], variables={}, several_documents=True, over_updates=True)
    checkpoint = Checkpoint(folder / "state")
    evaluations = Evaluations(
        queries,
        [input_place(f"dir:{folder}/{name}") for name in updates.names],
        None,
        malformed=Malformed.STOP,
        each_item=False,
        updates=updates,
    )
    checkpoint.claim({})
    works = evaluations.works(0)
    commit = BatchCommit(
        evaluations.names,
        [one.query.text for work in works for one in work.subscriptions],
        evaluations.answers(works, checkpoint, 0, 1 << 30),
        FileSink(str(folder / "log.jsonl")),
        checkpoint,
        ProgressReport(None, is_quiet=True),
        gathers=evaluations.gathers,
    )
    files = [sorted((folder / name).glob("*.xml")) for name in updates.names]
    for batch in range(max(commit.commit.batch, 0), -(-max(map(len, files)) // IN_BATCH)):
        rows: list[tuple[Any, ...]] = []
        for work, some in zip(works, files, strict=True):
            pieces = [
                Piece(number, path, path.stat().st_size, 1, path.name)
                for number, path in enumerate(some[batch * IN_BATCH : (batch + 1) * IN_BATCH])
            ]
            rows += Task(work).rows(pieces)
        with (folder / "batches").open("ab") as begun:
            begun.write(b".")
        commit(cast(Any, Frame(rows)), batch)
        time.sleep(0.01)
    commit.finish()
    commit.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
