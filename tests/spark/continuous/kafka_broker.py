"""A real Kafka broker for tests: from Maven packages, a Java process on loopback, with Spark's connector beside it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import uuid
from pathlib import Path

KAFKA = "3.9.1"
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
TOKENS = "org.apache.spark:spark-token-provider-kafka-0-10_2.13"
NOT_NEEDED = ("hadoop-", "scala-library", "slf4j-api", "jsr305", "lz4-java", "snappy-java", "zstd-jni", "spark-tags")
"""What Spark itself brings."""


class NoKafka(Exception):
    """Why there can be none here."""


def packages() -> Path:
    """The jars, fetched once: `broker/` and `connector/`."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xylem" / f"kafka-{KAFKA}"
    if not (cache / "complete").exists():
        if shutil.which("mvn") is None:
            raise NoKafka("Maven is not installed")
        cache.mkdir(parents=True, exist_ok=True)
        _fetch(cache / "broker", [f"org.apache.kafka:kafka_2.13:{KAFKA}"])
        _fetch_connector(cache / "connector")
        (cache / "complete").touch()
    return cache


def connector_jars() -> str:
    """As `spark.jars` wants them."""
    jars = sorted((packages() / "connector").glob("*.jar"))
    return ",".join(str(jar) for jar in jars if not jar.name.startswith(NOT_NEEDED))


def _fetch_connector(folder: Path) -> None:
    from pyspark import __version__

    # The connector of this very Spark, where it has been published; else the one before, which fits.
    choices = [[f"{CONNECTOR}:{__version__}"], [f"{CONNECTOR}:4.2.0"], [f"{CONNECTOR}:4.2.0", f"{TOKENS}:4.0.0"]]
    for number, wanted in enumerate(choices, 1):
        try:
            _fetch(folder, wanted)
            return
        except NoKafka:
            if number == len(choices):
                raise


def _fetch(folder: Path, wanted: list[str]) -> None:
    dependencies = ""
    for name in wanted:
        others = "".join(f"<exclusion>{_named(other)}</exclusion>" for other in wanted if other != name)
        version = f"<version>{name.split(':')[2]}</version>"
        dependencies += f"<dependency>{_named(name)}{version}<exclusions>{others}</exclusions></dependency>"
    project = folder.with_suffix(".xml")
    project.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>tests</groupId>'
        f"<artifactId>jars</artifactId><version>1</version><dependencies>{dependencies}</dependencies></project>"
    )
    command = ["mvn", "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=400)
    except subprocess.TimeoutExpired as reason:
        raise NoKafka("Maven took too long") from reason
    if ended.returncode:
        first = next((line for line in ended.stdout.splitlines() if "ERROR" in line), "mvn failed")
        raise NoKafka(first[:300])


def _named(package: str) -> str:
    group, artifact, _ = package.split(":")
    return f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId>"


class Broker:
    """One broker with its own controller (KRaft), for as long as it is open."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.port, controller = _free_port(), _free_port()
        settings = folder / "server.properties"
        settings.write_text(
            "process.roles=broker,controller\nnode.id=1\n"
            f"controller.quorum.voters=1@127.0.0.1:{controller}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller}\n"
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}\n"
            "controller.listener.names=CONTROLLER\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
            f"log.dirs={folder / 'data'}\nnum.partitions=1\n"
            "offsets.topic.replication.factor=1\noffsets.topic.num.partitions=1\n"
            "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n"
            "transaction.state.log.num.partitions=1\ngroup.initial.rebalance.delay.ms=0\n"
        )
        java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{packages()}/broker/*"]
        identity = uuid.uuid4().hex[:22]
        subprocess.run(
            [*java, "kafka.tools.StorageTool", "format", "-t", identity, "-c", str(settings)],
            check=True,
            capture_output=True,
            timeout=60,
        )
        self._command = [*java, "kafka.Kafka", str(settings)]
        self.start()

    def start(self) -> None:
        """Start it, or start it again with what it has."""
        self._log = (self._folder / "log").open("ab")
        self._process = subprocess.Popen(self._command, stdout=self._log, stderr=self._log)
        self._wait()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def _wait(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        self.close()
        raise NoKafka("the broker did not start")

    def send(self, topic: str, values: list[str]) -> None:
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.address})
        for value in values:
            producer.produce(topic, value.encode())
        assert producer.flush(30) == 0

    def committed(self, topic: str) -> list[str]:
        """The values that a reader of committed messages sees, from the beginning."""
        return [value.decode() for _, value in self.messages(topic) if value is not None]

    def messages(self, topic: str) -> list[tuple[bytes | None, bytes | None]]:
        """The keys and values of committed messages, from the beginning."""
        from confluent_kafka import Consumer, TopicPartition

        settings = {
            "bootstrap.servers": self.address,
            "group.id": uuid.uuid4().hex,
            "isolation.level": "read_committed",
        }
        consumer = Consumer(settings | {"enable.partition.eof": True, "auto.offset.reset": "earliest"})
        consumer.assign([TopicPartition(topic, 0, 0)])
        found: list[tuple[bytes | None, bytes | None]] = []
        try:
            while True:
                message = consumer.poll(20)
                assert message is not None, "no message and no end"
                if message.error():
                    return found
                found.append((message.key(), message.value()))
        finally:
            consumer.close()

    def close(self) -> None:
        self._process.kill()
        self._process.wait(timeout=30)
        self._log.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
