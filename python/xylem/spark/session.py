"""A Spark session with settings that fit the place: one machine until a master says otherwise.

On one machine nothing listens beyond it, only errors are logged, shuffles have as many parts as there are cores
(Spark's own 200 are made for clusters), and Java starts fast (`java.py`). On a cluster Spark's settings stay, and the
code of this package is sent to the executors (`shipped_code.py`).
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from xylem.errors import DynamicError

from .jobs import failure_of

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
MASTER_SECONDS = 10.0
"""How long to wait for a master to answer."""
_MASTER = re.compile(
    r"local(\[(\*|[1-9]\d*)(\s*,\s*\d+)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
    r"|spark://[^,/]+:\d+(,[^,/]+:\d+)*|yarn|k8s://.+"
)


def session(
    master: str | None = None,
    *,
    app_name: str = "xylem",
    config: Mapping[str, str | int | bool] | None = None,
    ui: bool = False,
    fast_start: bool | None = None,
    ship_code: bool | None = None,
    java_options: str = "",
) -> SparkSession:
    """The session to run queries in: the existing one, or a new one.

    `master` is as Spark wants it (``local[4]``, ``spark://host:7077``, ``yarn``); by default what spark-submit or
    SPARK_MASTER say, else all cores of this machine. `config` overrides every setting made here. `fast_start` trades
    peak speed of the JVM for its start, by default on one machine. `ship_code` sends this package to the executors, by
    default wherever they are not this machine's own. `java_options` are added to those of the driver's JVM.
    """
    require_spark()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    settings = _all_settings(master, app_name, config, ui, fast_start, java_options)
    _started(settings, ship_code)
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as reason:
        raise DynamicError("XYRT0003", failure_of(reason)) from reason


class BatchSpark(Protocol):
    """The parts of a session that a run over files uses; `without_sql` provides only these."""

    @property
    def sparkContext(self) -> SparkContext: ...

    @property
    def conf(self) -> Any: ...


@dataclass
class WithoutSql:
    """A Spark that runs tasks, without tables and SQL, which take a third of the start of a session."""

    sparkContext: SparkContext
    conf: Any


def without_sql(master: str | None = None, *, config: Mapping[str, str | int | bool] | None = None) -> BatchSpark:
    """Enough of Spark for a run over files: the existing session, or a context with the settings of a new one."""
    require_spark()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    context = _started(_all_settings(master, "xylem", config, False, None, ""), None)
    return WithoutSql(context, context.getConf())


def _all_settings(
    master: str | None,
    app_name: str,
    config: Mapping[str, str | int | bool] | None,
    ui: bool,
    fast_start: bool | None,
    java_options: str,
) -> dict[str, str]:
    master = master or os.environ.get("SPARK_MASTER") or _submitted_master() or LOCAL
    is_fast = master.startswith("local") if fast_start is None else fast_start
    settings = _settings(master, app_name, ui, is_fast, java_options)
    return {**settings, **{name: _setting(value) for name, value in (config or {}).items()}}


def _started(settings: Mapping[str, str], ship_code: bool | None) -> SparkContext:
    """The existing context, or a new one."""
    from pyspark import SparkConf, SparkContext

    running: SparkContext | None = SparkContext._active_spark_context
    if running is not None:
        return running
    master = settings["spark.master"]
    require_master(master)
    if SparkContext._gateway is None:
        from .java import start_gateway

        # Not ours to change if the user has set it.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable if master.startswith("local") else "python3")
        configuration = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        SparkContext._ensure_initialized(gateway=start_gateway(configuration), conf=configuration)
    try:
        context = SparkContext.getOrCreate(SparkConf().setAll(list(settings.items())))
    except Exception as reason:
        raise DynamicError("XYRT0003", failure_of(reason)) from reason
    if ship_code if ship_code is not None else not _has_own_workers(master):
        from .shipped_code import ship_to

        try:
            ship_to(context)
        except Exception as reason:
            # Spark only logs an unreachable master, and drops the context.
            raise DynamicError(
                "XYRT0003", f"{master} did not accept the code of Xylem: {failure_of(reason)}"
            ) from reason
    return context


def require_master(master: str) -> None:
    """XYRT0003 for an invalid name, or if no master of a cluster answers: Spark would retry for a minute."""
    if not _MASTER.fullmatch(master):
        raise DynamicError(
            "XYRT0003", f"{master} is not a Spark master", hint="local[2], local[*], spark://HOST:PORT, yarn, k8s://…"
        )
    if not master.startswith("spark://"):
        return
    reasons = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), MASTER_SECONDS).close()
        except OSError as reason:
            reasons.append(f"{place}: {reason.strerror or reason}")
        else:
            return
    told = f"no master answers at {', '.join(reasons)}"
    raise DynamicError("XYRT0003", told, hint="start it, or name another: --master")


def require_spark() -> None:
    """XYRT0001 or XYRT0002 if Spark cannot run, with the remedy."""
    from .java import java_home

    for package in ("pyspark", "pyarrow", "pandas"):
        if find_spec(package) is None:
            raise DynamicError("XYRT0001", f"the package {package} is missing")
    java_home()


def _settings(master: str, app_name: str, ui: bool, fast_start: bool, java_options: str) -> dict[str, str]:
    from .java import java_home
    from .java import java_options as options_of_java

    options = " ".join([*options_of_java(java_home(), fast_start=fast_start), *java_options.split()])
    settings = {
        "spark.master": master,
        "spark.app.name": app_name,
        "spark.driver.extraJavaOptions": options,
        "spark.ui.enabled": _setting(ui),
        "spark.ui.showConsoleProgress": "false",
        # Timestamps of columns are instants; their display should not depend on the machine.
        "spark.sql.session.timeZone": "UTC",
        # The results of a task are limited by its part of the input, not by this.
        "spark.driver.maxResultSize": "0",
    }
    if master.startswith("local"):
        from .scratch import scratch_directory

        scratch = str(scratch_directory())
        settings["spark.driver.extraJavaOptions"] = f"{options} -Djava.io.tmpdir={scratch}"
        settings |= {
            "spark.local.dir": scratch,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": str(_cores(master)),
            "spark.default.parallelism": str(_cores(master)),
            "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
            "spark.locality.wait": "0",
        }
    if _has_own_workers(master):
        settings["spark.python.daemon.module"] = "xylem.spark.worker_daemon"
    if master.startswith("local-cluster"):
        settings["spark.executor.extraJavaOptions"] = options
    return settings


def _cores(master: str) -> int:
    """The number of concurrent tasks for `local[4]`, `local[*]`, `local`, `local-cluster[2,1,1024]`."""
    words = master.partition("[")[2].rstrip("]").split(",")
    if master.startswith("local-cluster"):
        return int(words[0]) * int(words[1])
    if words[0] == "*":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(words[0] or 1)


def _has_own_workers(master: str) -> bool:
    """Whether tasks run in children of this very process's JVM, with this Python."""
    return master == "local" or master.startswith("local[")


def _submitted_master() -> str | None:
    """The master given to spark-submit, which started this very program."""
    words = os.environ.get("PYSPARK_SUBMIT_ARGS", "").split()
    return words[words.index("--master") + 1] if "--master" in words[:-1] else None


def _setting(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
