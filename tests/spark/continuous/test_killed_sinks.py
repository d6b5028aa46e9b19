"""kill -9 while queries write to directories, files and Kafka topics: each of these has each result once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import turns

from .kafka_broker import Broker, connector_jars
from .killed_runs import (
    IS_CAMPAIGN,
    PATIENCE,
    ROOT,
    TIMEOUT,
    Mark,
    active_batch,
    answer,
    await_moment,
    file_mark,
    folder_mark,
    kill,
    kills_wanted,
    lines,
)

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
pytestmark = [pytest.mark.usefixtures("needs_spark"), pytest.mark.timeout(TIMEOUT), pytest.mark.turns("kills")]
STREAMS = 10 if IS_CAMPAIGN else 3
ORDERS = 8 * kills_wanted() + 400
QUERY = (
    "for $o in /order where $o/total > 20 + {n} "
    "return (<d n='{n}'>{ $o/@id }</d>, <f n='{n}'>{ $o/total }</f>, <k n='{n}'>{ $o/@id }</k>)"
)


def total(number: int) -> int:
    return number * 37 % 101


def expected(stream: int) -> dict[str, str]:
    """What each output of a stream must have, byte for byte."""
    chosen = [number for number in range(ORDERS) if total(number) > 20 + stream]
    return {
        "d": "".join(f'<d n="{stream}" id="{number}"/>\n' for number in chosen),
        "f": "".join(f'<f n="{stream}"><total>{total(number)}</total></f>\n' for number in chosen),
        "k": "".join(f'<k n="{stream}" id="{number}"/>\n' for number in chosen),
    }


def test_three_outputs_of_each_run(broker: Broker, tmp_path: Path) -> None:
    orders = [f"<order id='{number}'><total>{total(number)}</total></order>" for number in range(ORDERS)]
    broker.send("orders", orders)
    (tmp_path / "in").mkdir()
    for number, order in enumerate(orders):
        (tmp_path / "in" / f"{number:06}.xml").write_text(order)
    runs = _Runs(broker, tmp_path)
    chance = random.Random(turns.today())
    hits, kills = 0, 0
    while hits < kills_wanted() or kills < 3:
        found = runs.killed(chance)
        hits, kills = hits + len(found), kills + 1
        print(json.dumps({"kill": kills, "batches at work": found, "in all": hits}), flush=True)
        assert kills < kills_wanted() + 3, "hardly a kill hits a batch at work"
    runs.to_end()
    for stream in range(STREAMS):
        own = tmp_path / str(stream)
        found_now = {
            "d": answer(own / "d").decode(),
            "f": (own / "f").read_text(),
            "k": "".join(f"{value}\n" for value in broker.committed(f"k{stream}")),
        }
        assert found_now == expected(stream), stream


class _Runs:
    """Some queries over the same orders, each with outputs and a checkpoint of its own."""

    def __init__(self, broker: Broker, place: Path) -> None:
        self._place = place
        self._streams: list[dict[str, Any]] = []
        for number in range(STREAMS):
            own = place / str(number)
            own.mkdir()
            (own / "q.xq").write_text(QUERY.replace("{n}", str(number)))
            places = {"d": f"dir:{own}/d", "f": f"file:{own}/f", "k": f"kafka://{broker.address}/k{number}"}
            # What has no route is written last: another output in each run.
            last = sorted(places)[number % 3]
            from_kafka = f"kafka://{broker.address}/orders?maxOffsetsPerTrigger=15"
            self._streams.append(
                {
                    "query": f"{own}/q.xq",
                    "input": from_kafka if number % 5 else f"dir:{place}/in",
                    "output": places.pop(last),
                    "routes": dict(sorted(places.items(), reverse=number % 2 == 0)),
                    "checkpoint": f"{own}/state",
                    "metrics": f"{own}/metrics",
                    "trigger": "10ms",
                    "batch_files": 15,
                }
            )

    def killed(self, chance: random.Random) -> list[str]:
        """Start them all, kill them after some batches; which batches were at work."""
        process = self._started(self._streams)
        stream = chance.randrange(STREAMS)
        if chance.random() < 0.5:
            # The first batch of some inputs takes longer than several of others: none is killed in that one only.
            self._await_batches(process, 1, [self._streams[stream]])
        else:
            self._await_batches(process, chance.randrange(1, 2 * STREAMS), self._streams)
        await_moment(process, chance, self._marks(stream), self._place / "log")
        kill(process)
        active = [active_batch(Path(one["checkpoint"])) for one in self._streams]
        return [f"{number}:{batch}" for number, batch in enumerate(active) if batch is not None]

    def to_end(self) -> None:
        process = self._started([{**one, "trigger": "available-now", "batch_files": 500} for one in self._streams])
        assert process.wait(2 * PATIENCE) == 0, (self._place / "log").read_text()[-3000:]

    def _started(self, streams: list[dict[str, Any]]) -> subprocess.Popen[bytes]:
        given = self._place / "streams.json"
        # Ten queries in one JVM need more than it is given for one.
        config = {"spark.jars": connector_jars(), "spark.driver.memory": "2g"}
        given.write_text(json.dumps({"config": config, "streams": streams}))
        command = [sys.executable, str(Path(__file__).with_name("killed_streams.py")), str(given)]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": ""}
        with (self._place / "log").open("ab") as out:
            return subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)

    def _await_batches(self, process: subprocess.Popen[bytes], more: int, streams: list[dict[str, Any]]) -> None:
        until, wanted = time.monotonic() + PATIENCE, _batches(streams) + more
        while _batches(streams) < wanted:
            assert process.poll() is None, (self._place / "log").read_text()[-3000:]
            assert time.monotonic() < until, "no batch"
            time.sleep(0.05)

    def _marks(self, stream: int) -> dict[str, Mark]:
        own = self._place / str(stream)
        return {
            "the begin of a batch": folder_mark(own / "state" / "spark" / "offsets"),
            "the directory": folder_mark(own / "d"),
            "the file": file_mark(own / "f"),
            "the checkpoint": file_mark(own / "state" / "commit"),
        }


def _batches(streams: list[dict[str, Any]]) -> int:
    return sum(lines(Path(one["metrics"])) for one in streams)
