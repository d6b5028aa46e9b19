"""One run of Linear Road: a driver and a system in processes of their own, answers noted as they come, then judged."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from .answers import answers_in
from .comparer import Comparer, Verdict
from .dataset import Figures, Wanted, write_dataset
from .oracle import expected_of
from .systems import KilledProcess, OneProcess, SparkStream, Task, Work


@dataclass
class Rating:
    """What a run showed."""

    wanted: Wanted
    speed: float
    """0: as fast as it goes."""
    made: Figures
    verdict: Verdict
    work: Work
    is_on_spark: bool = False
    warm_up: int = 0
    """Minutes that were sent first, without the clock."""
    oracle_cpu_seconds: float = 0.0


@dataclass(frozen=True)
class DataSet:
    """Files of a data set, made if they are not there."""

    wanted: Wanted
    folder: Path

    @property
    def _stem(self) -> str:
        w = self.wanted
        return f"linear-road-{w.expressways:g}-{w.from_minute}-{w.minutes}-{w.seed}"

    @property
    def tuples(self) -> Path:
        return self.folder / f"{self._stem}.xml"

    @property
    def history(self) -> Path:
        return self.folder / f"{self._stem}-history.xml"

    def figures(self) -> Figures:
        note = self.folder / f"{self._stem}.json"
        if not note.exists():
            note.write_text(json.dumps(asdict(write_dataset(self.wanted, self.tuples, self.history))))
        return Figures(**json.loads(note.read_text()))


def rate(
    wanted: Wanted,
    speed: float,
    query: Path,
    folder: Path,
    tell: Callable[[str], None],
    *,
    pooled: bool = False,
    on_spark: bool = False,
    kills: int = 0,
    warm_up: int = 0,
) -> Rating:
    """Make the data, run, and judge. The first minutes, `warm_up` of them, go ahead of the clock."""
    tell("making the data set")
    files = DataSet(wanted, folder)
    made = files.figures()
    output = folder / "answers.xml"
    values = ["-v", f"history={files.history.as_uri()}", "-v", f"pooled={str(pooled).lower()}"]
    clock_from = (wanted.from_minute - 1 + warm_up) * 60
    task = Task(query, values, files.tuples, speed, folder, output, kills, wanted.seed, clock_from)
    system = SparkStream(task) if on_spark else KilledProcess(task) if kills else OneProcess(task)
    rating = Rating(wanted, speed, made, Verdict(), system.run(tell), on_spark, warm_up)
    tell("judging")
    begun = time.process_time()
    expected = expected_of(files.tuples, files.history, pooled=pooled)
    rating.oracle_cpu_seconds = time.process_time() - begun
    # On the clock of the whole run, of which this may be the end.
    offset = clock_from / speed if speed else 0.0
    comparer = Comparer(expected, speed=speed or 1.0, untimed=not speed, clock_from=clock_from)
    for answer in answers_in(output, [(end, moment + offset) for end, moment in rating.work.arrivals]):
        comparer.take(answer)
    rating.verdict = comparer.finish()
    return rating
