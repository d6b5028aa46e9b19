"""Sockets, pipes and growing files on their way into the spool."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from xylem.errors import InputError
from xylem.source.byte_ranges import Scope
from xylem.spark.continuous.places import input_place
from xylem.spark.continuous.receivers import Receiver, item_finder, receiver
from xylem.spark.continuous.spool import Position, SpoolLog

ITEM: Scope = (("child", "", "feed"), ("child", "", "item"))


def receiving(text: str, spool: Path) -> Receiver:
    made = receiver(input_place(text), spool, item_finder([ITEM]))
    assert made is not None
    return made


def numbers(spool: Path) -> list[int]:
    """The items that count."""
    log = SpoolLog(spool)
    log.refresh()
    found = []
    for stretch in log.stretches(Position(), log.end, 1):
        data = Path(stretch.path).read_bytes()[stretch.start : stretch.end]
        assert stretch.range is not None
        first, last = stretch.range.start, stretch.range.end
        document = (first.opening if first else b"") + data + (last.closing if last else b"")
        found += [int(item.attrib["n"]) for item in ElementTree.fromstring(document).iterfind("item")]
    return found


def items(first: int, last: int) -> bytes:
    return b"".join(b"<item n='%d'>x</item>" % number for number in range(first, last))


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.01)


def serving(*connections: bytes) -> str:
    """A server that sends something else to each connection, and closes it."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server:
            for data in connections:
                with server.accept()[0] as connection:
                    connection.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    return f"tcp://127.0.0.1:{server.getsockname()[1]}"


def test_a_socket_until_its_root_closes(tmp_path: Path) -> None:
    thread = receiving(serving(b"<feed>" + items(0, 5) + b"</feed>"), tmp_path)
    thread.start()
    thread.join(20)
    assert thread.is_over
    assert numbers(tmp_path) == [0, 1, 2, 3, 4]


def test_a_connection_that_breaks_is_made_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = b"<feed a='1'>" + items(0, 3) + b"<item n='3'>half"
    thread = receiving(serving(broken, b"<feed a='2'>" + items(4, 6) + b"</feed>"), tmp_path)
    thread.start()
    thread.join(20)
    assert thread.is_over
    assert numbers(tmp_path) == [0, 1, 2, 4, 5]
    assert thread.left_out_bytes == len(b"<item n='3'>half")
    assert "connecting again" in capfd.readouterr().err


def test_what_is_no_xml_is_told(tmp_path: Path) -> None:
    thread = receiving(serving(b"<feed>" + items(0, 3) + b"<item></feed>"), tmp_path)
    thread.start()
    thread.join(20)
    assert isinstance(thread.fault, InputError)
    assert thread.fault.code == "XYIN0001"
    # All complete items before it count.
    assert numbers(tmp_path) == [0, 1, 2]


def test_nobody_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xylem.spark.continuous.receivers.PATIENCE_SECONDS", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    thread = receiving(f"tcp://127.0.0.1:{port}", tmp_path)
    thread.start()
    thread.join(20)
    assert isinstance(thread.fault, InputError)
    assert thread.fault.code == "XYIN0002"


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(fileno=lambda: reading))
    thread = receiving("-", tmp_path)
    thread.start()
    os.write(writing, b"<feed>" + items(0, 2))
    # The first of them counts when the second begins, long before the end.
    wait_until(lambda: numbers(tmp_path) == [0])
    os.write(writing, items(2, 3) + b"</feed>")
    os.close(writing)
    thread.join(20)
    os.close(reading)
    assert numbers(tmp_path) == [0, 1, 2]


def test_a_file_that_grows_and_is_gone_on_with(tmp_path: Path) -> None:
    feed, spool = tmp_path / "feed.xml", tmp_path / "spool"
    feed.write_bytes(b"<feed>" + items(0, 3))
    first = receiving(f"file:{feed}", spool)
    first.start()
    wait_until(lambda: numbers(spool) == [0, 1])
    first.stop()
    first.join(20)
    # Stopped between two items, the last is known to be whole.
    assert numbers(spool) == [0, 1, 2]
    with feed.open("ab") as file:
        file.write(items(3, 5) + b"</feed>")
    second = receiving(f"file:{feed}", spool)
    second.start()
    second.join(20)
    assert second.is_over
    assert numbers(spool) == [0, 1, 2, 3, 4]
    assert list(spool.glob("*.data")) == []
    log = SpoolLog(spool)
    log.refresh()
    assert sum(stretch.items for stretch in log.stretches(Position(), log.end)) == 5


def test_a_full_disk_is_that_of_the_spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("xylem.spark.continuous.spool_writer.os.fsync", full)
    received = receiving(serving(b"<feed>" + items(0, 3) + b"</feed>"), tmp_path)
    received.start()
    received.join(20)
    assert received.fault is not None
    assert f"{tmp_path}: No space left" in str(received.fault)


BROKEN = {
    "an attribute of the root": (b"<feed a=1><item n='0'/>", "the quoted value of an attribute", "byte 8", []),
    "no XML": (b"hello world", "text outside the root element", "byte 0", []),
    "an encoding nobody knows": (b"<?xml version='1.0' encoding='nix'?><feed>" + items(0, 2), "nix", "", []),
    "a wrong end tag": (b"<feed>\n" + items(0, 2) + b"</food>", "mismatched tag", "line 2", [0, 1]),
    "behind two whole items": (
        b"<feed>" + items(0, 2) + b"<item n=2/>" + items(3, 4),
        "quoted value",
        "byte 54",
        [0, 1],
    ),
    "behind the root": (b"<feed>" + items(0, 1) + b"</feed><feed/>", "one root element", "byte 33", [0]),
    "bytes that are no UTF-8": (b"<feed>" + items(0, 2) + b"<item n='2'>\xff</item></feed>", "not UTF-8", "", [0, 1]),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("kind", ["tcp", "file"])
def test_what_is_broken_is_named_after_all_that_is_whole(
    kind: str, case: tuple[bytes, str, str, list[int]], tmp_path: Path
) -> None:
    data, why, place, whole = case
    (tmp_path / "in.xml").write_bytes(data)
    source = serving(data) if kind == "tcp" else f"file:{tmp_path / 'in.xml'}"
    thread = receiving(source, tmp_path / "spool")
    thread.start()
    thread.join(20)
    assert isinstance(thread.fault, InputError)
    told = str(thread.fault)
    assert why in told
    assert place in told
    assert source in told
    assert numbers(tmp_path / "spool") == whole


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-be", "shift_jis", "cp1251", "iso-8859-1"])
def test_the_root_closes_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?><feed>" + items(0, 3).decode() + "</feed>"
    thread = receiving(serving(text.encode(encoding)), tmp_path)
    thread.start()
    thread.join(20)
    assert thread.fault is None
    assert not thread.is_alive()
    log = SpoolLog(tmp_path)
    log.refresh()
    assert log.end.byte_offset == len(text.encode(encoding))


def test_a_thread_that_fails_is_no_end_of_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = receiving(serving(b"<feed>" + items(0, 2)), tmp_path)
    monkeypatch.setattr(thread, "_receive", lambda pieces: 1 // 0)
    thread.start()
    thread.join(20)
    assert thread.fault is not None
    assert "ZeroDivisionError" in str(thread.fault)
