"""What a command line names, and what it does not."""

from __future__ import annotations

import pytest
from xylem.spark.continuous.places import Frames, InputKind, OutputKind, WrongPlace, input_place, output_place


def test_inputs() -> None:
    assert input_place("-").is_one_document
    assert input_place("dir:in").kind is InputKind.DIRECTORY
    assert not input_place("dir:in").is_one_document
    assert input_place("file:/a.xml").is_one_document
    tcp = input_place("tcp://host:7000?frames=netconf")
    assert (tcp.host, tcp.port, tcp.frames) == ("host", 7000, Frames.NETCONF)
    assert not tcp.is_one_document
    kafka = input_place("kafka://a:1,b:2/orders?startingOffsets=latest")
    assert (kafka.servers, kafka.topic, kafka.options) == ("a:1,b:2", "orders", (("startingOffsets", "latest"),))


def test_outputs() -> None:
    assert output_place("console").kind is OutputKind.CONSOLE
    kafka = output_place("kafka://a:1/big")
    assert (kafka.servers, kafka.topic) == ("a:1", "big")


@pytest.mark.parametrize(
    "text",
    [
        "nowhere",
        "dir:",
        "tcp://host",
        "tcp://:70",
        "tcp://h:1?frames=words",
        "tcp://h:1?x=1",
        "kafka://h:1",
        "ftp://h/x",
    ],
)
def test_wrong_inputs_are_told(text: str) -> None:
    with pytest.raises(WrongPlace):
        input_place(text)


@pytest.mark.parametrize("text", ["", "out.xml", "dir:", "kafka://h:1", "tcp://h:1"])
def test_wrong_outputs_are_told(text: str) -> None:
    with pytest.raises(WrongPlace):
        output_place(text)
