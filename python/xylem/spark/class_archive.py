"""An archive of Spark's classes in the JVM's memory layout: made once, it saves most of every later start.

    python -m xylem.spark.class_archive

runs a few small jobs of each kind and has the JVM dump the classes it loaded (class-data sharing). The archive belongs
to one Java and one PySpark; it is searched next to this Python, then in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any


def archive_of(home: Path) -> Path:
    """The path of the archive for this Java, whether it exists or not."""
    import pyspark

    from .java import java_version

    belongs_to = f"{home} {java_version(home)} {pyspark.__file__} {pyspark.__version__}"
    name = f"spark-{pyspark.__version__}-{hashlib.sha256(belongs_to.encode()).hexdigest()[:12]}.jsa"
    places = _places()
    return next((place / name for place in places if (place / name).exists()), places[0] / name)


def _places() -> list[Path]:
    beside = Path(sys.prefix) / "share" / "xylem"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xylem"
    return [beside, cache] if os.access(sys.prefix, os.W_OK) else [cache, beside]


def make_archive() -> Path:
    """Make the archive, some 150 MB, unless it is there; this takes half a minute."""
    from .java import java_home
    from .session import session

    archive = archive_of(java_home())
    if archive.exists():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    half_made = archive.with_suffix(f".{os.getpid()}")
    options = f"-XX:ArchiveClassesAtExit={half_made} -Xlog:cds=off -Xlog:cds+dynamic=off"
    spark = session("local[1]", java_options=options)
    _load_classes(spark)
    gateway: Any = spark.sparkContext._gateway
    spark.stop()
    # The JVM ends with its standard input, and writes the archive on exit.
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(timeout=300)
    half_made.replace(archive)
    return archive


def _load_classes(spark: Any) -> None:
    """Do a little of everything that later runs do."""
    import tempfile

    spark.sparkContext.parallelize([1, 2], 2).keyBy(int).partitionBy(2).collect()
    rows = spark.range(0, 4, 1, 2).mapInArrow(_same, "id long").repartition(2, "id").sortWithinPartitions("id")
    rows.toArrow()
    list(rows.toLocalIterator())
    with tempfile.TemporaryDirectory() as folder:
        spark.range(2).write.parquet(f"{folder}/in")
        stream = spark.readStream.schema("id long").parquet(f"{folder}/in").mapInArrow(_same, "id long")
        query = stream.writeStream.option("checkpointLocation", f"{folder}/state")
        query.trigger(availableNow=True).format("parquet").start(f"{folder}/out").awaitTermination()


def _same(batches: object) -> object:
    return batches


if __name__ == "__main__":
    print(make_archive())
