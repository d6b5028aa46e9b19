"""What all tests share: property tests that do not depend on how busy the machine is, nor on chance; which of the slow
tests run today; the order of all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import is_hypothesis_test, settings
from xylem.query import small_input
from xylem.run.garbage_collection import collect_seldom

from tests import turns
from tests.cpu_times import pytest_runtest_protocol as pytest_runtest_protocol

if TYPE_CHECKING:
    from tests.spark.continuous.kafka_broker import Broker

# The time limit of each test is pytest's; a deadline per example would only measure the machine.
settings.register_profile("xylem", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("xylem")


SPARK = Path(__file__).with_name("spark")
BENCH = Path(__file__).with_name("bench")


def pytest_configure(config: pytest.Config) -> None:
    collect_seldom()  # as in a run of `xylem`; at Python's own pace it takes a fifth of the time of tests
    small_input.FIRST_STREAMED = sys.maxsize  # what is compared with a tree is streamed, however small and often
    turns.today()  # before there are other processes: they inherit it
    config.addinivalue_line("markers", "turns(group, by_file=False): one of this group of slow tests runs each day")
    config.addinivalue_line("markers", "share(n): one case in n of this test runs each day")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker of this machine; skips where there is none."""
    from tests.spark.continuous.kafka_broker import Broker, NoKafka

    try:
        broker = Broker(tmp_path_factory.mktemp("kafka"))
    except NoKafka as reason:
        pytest.skip(f"no Kafka here: {reason}")
    yield broker
    broker.close()


def pytest_report_header() -> str:
    return turns.header()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file stay together: they share documents, a server, a broker. All of Spark's share one session."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "tests/spark" if file.startswith("tests/spark/") else file

    return Together(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests whose turn it is not, unless they are named or failed the last time.

    Files with the longest tests begin: at the end, one worker would have them all while the others are done.

    What may take longest says so by its time limit; next come all that start Spark.
    """
    _share_slow_kinds(items)
    days, name = turns.longest_wait(items)
    if days > turns.MOST_DAYS:
        raise pytest.UsageError(f"{name} would run once in {days} days, and {turns.MOST_DAYS} are allowed")
    if not turns.is_everything_asked_for() and not any("::" in argument for argument in config.args):
        cache = getattr(config, "cache", None)
        items[:], left_out = turns.divided(items, cache.get("cache/lastfailed", {}) if cache else ())
        config.hook.pytest_deselected(items=left_out)
    limits: dict[Path, float] = {}
    for item in items:
        limit = item.get_closest_marker("timeout")
        limits[item.path] = max(limits.get(item.path, 0), limit.args[0] if limit and limit.args else 0)
    items.sort(key=lambda item: (-limits[item.path], SPARK not in item.path.parents))


def _share_slow_kinds(items: list[pytest.Item]) -> None:
    """A share of the slow kinds of tests runs each day, unless they say another themselves.

    Listed tests were found to take a second or more, with the share that they have: they have a share of that. Tests
    over a session of Spark take seconds of both cores each. Property tests try the same hundreds of examples in every
    run. Tests of benchmarks run whole commands.
    """
    for item in items:
        if any(item.iter_markers("turns")):
            continue
        is_shared = any(item.iter_markers("share"))
        if turns.is_listed(item):
            item.add_marker(pytest.mark.share(turns.LISTED_DAYS))
        elif is_shared:
            continue
        elif "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.share(4))
        elif is_hypothesis_test(getattr(item, "obj", None)) or BENCH in item.path.parents:
            item.add_marker(pytest.mark.share(3))
