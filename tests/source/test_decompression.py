"""xz and Zstandard, members of archives and URLs give the bytes that were put into them, in parts and within limits."""

from __future__ import annotations

import bz2
import gzip
import lzma
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
import xylem
from xylem.errors import InputError
from xylem.source.byte_source import ByteSource
from xylem.source.input_files import named_files

zstandard = pytest.importorskip("zstandard")
DOCUMENT = b"<a>" + b"".join(b"<b>%d</b>" % n for n in range(20_000)) + b"</a>"
COMPRESSORS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstandard.compress,
}


@pytest.mark.parametrize("name", COMPRESSORS)
@pytest.mark.parametrize("piece", [1, 1000, 1 << 20])
def test_the_same_bytes_however_they_come(name: str, piece: int) -> None:
    half = len(DOCUMENT) // 2
    # Two compressed parts in a row stand for one text.
    data = COMPRESSORS[name](DOCUMENT[:half]) + COMPRESSORS[name](DOCUMENT[half:])
    pieces = (data[n : n + piece] for n in range(0, len(data), piece))
    assert b"".join(ByteSource.of(pieces)) == DOCUMENT


@pytest.mark.parametrize("name", COMPRESSORS)
def test_damaged_data(name: str) -> None:
    data = COMPRESSORS[name](DOCUMENT)
    for broken in (data[:-20], data[:30] + bytes(reversed(data[30:]))):
        with pytest.raises(InputError, match="XYIN0009"):
            b"".join(ByteSource.of(broken))


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_ratio_that_only_an_attack_has(name: str) -> None:
    bomb = COMPRESSORS[name](b"\0" * 30_000_000)
    read: list[int] = []
    with pytest.raises(InputError, match="XYIN0004"):
        read.extend(map(len, ByteSource.of(bomb)))
    assert sum(read) < 12_000_000


def test_a_decoder_may_not_ask_for_all_memory() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    data = lzma.compress(b"<a/>", filters=filters)
    with pytest.raises(InputError, match="XYIN0009"):
        b"".join(ByteSource.of(data))


# --- archives


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("b/2.xml", "<a><n>2</n></a>")
        packed.writestr("1.xml", "<a><n>1</n></a>")
        packed.writestr("__MACOSX/x", "no")
    return path


def test_an_archive_is_its_members_by_name(archive: Path) -> None:
    names = named_files([str(archive)])
    assert names == [f"{archive}!1.xml", f"{archive}!b/2.xml"]
    source = ByteSource.of(names[1])
    assert b"".join(source) == b"".join(source.again()) == b"<a><n>2</n></a>"


def test_a_query_over_members(archive: Path) -> None:
    found = xylem.compile("//n/string()").stream(f"{archive}!1.xml")
    assert list(found) == ["1"]


def test_members_that_match_a_pattern(archive: Path) -> None:
    assert named_files([f"{archive}!*.xml"]) == [f"{archive}!1.xml", f"{archive}!b/2.xml"]
    assert named_files([f"{archive}!b/*"]) == [f"{archive}!b/2.xml"]
    with pytest.raises(InputError, match="there are no files"):
        named_files([f"{archive}!*.txt"])


def test_an_archive_that_is_no_file(archive: Path) -> None:
    with pytest.raises(InputError, match="it is a zip archive") as told:
        b"".join(ByteSource.of(archive.read_bytes()))
    assert ".zip" in told.value.hint


def test_members_that_cannot_be_read(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such member"):
        ByteSource.of(f"{archive}!3.xml")
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InputError, match="XYIN0009"):
        ByteSource.of(f"{tmp_path}/no.zip!3.xml")
    with pytest.raises(InputError, match="XYIN0002"):
        ByteSource.of(f"{tmp_path}/missing.zip!3.xml")


def test_a_bomb_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb", b"\0" * 30_000_000)
    with pytest.raises(InputError, match="XYIN0004"):
        b"".join(ByteSource.of(f"{path}!bomb"))


# --- URLs


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    (tmp_path / "d.xml.gz").write_bytes(gzip.compress(DOCUMENT))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing on standard error."""

    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_url_that_the_user_wrote(served: str) -> None:
    source = ByteSource.of(f"{served}/d.xml.gz")
    assert b"".join(source) == DOCUMENT
    assert xylem.compile("count(//b)").stream(f"{served}/d.xml.gz").__iter__().__next__() == 20_000
    with pytest.raises(InputError, match="no such file"):
        ByteSource.of(f"{served}/missing.xml")


def test_members_of_an_archive_at_a_url(archive: Path) -> None:
    """An archive on this machine may be named by a URL; one elsewhere is refused by its own name."""
    with ByteSource.of(f"file://{archive}!1.xml") as one, ByteSource.of(f"{archive}!1.xml") as same:
        assert b"".join(one) == b"".join(same)
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1:9/a\.zip!1\.xml: members") as told:
        ByteSource.of("http://127.0.0.1:9/a.zip!1.xml")
    assert "save the archive first" in told.value.hint


def test_urls_of_files(tmp_path: Path) -> None:
    (tmp_path / "a b.xml").write_bytes(DOCUMENT)
    for url in (f"file://{tmp_path}/a%20b.xml", f"file://localhost{tmp_path}/a%20b.xml"):
        with ByteSource.of(url) as source:
            assert b"".join(source) == DOCUMENT
        assert named_files([url]) == [str(tmp_path / "a b.xml")]
    assert named_files([f"file://{tmp_path}"]) == [str(tmp_path / "a b.xml")]
    with pytest.raises(InputError, match="elsewhere is not this machine"):
        ByteSource.of("file://elsewhere/a.xml")


def test_a_place_that_fsspec_knows() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://tests/d.xml", "wb") as file:
        file.write(DOCUMENT)
    assert xylem.compile("count(//b)").stream("memory://tests/d.xml").__iter__().__next__() == 20_000
    with pytest.raises(InputError, match="no such file"):
        ByteSource.of("memory://tests/none.xml")


def test_a_server_that_does_not_answer() -> None:
    pytest.importorskip("aiohttp")
    with pytest.raises(InputError, match="Cannot connect"):
        ByteSource.of("http://127.0.0.1:9/d.xml")


def test_a_query_reads_no_url(served: str) -> None:
    for text in (f"count(doc('{served}/d.xml.gz')//b)", f"unparsed-text('{served}/d.xml.gz')"):
        with pytest.raises(xylem.XylemError):
            xylem.compile(text).run(allow=["/"]).xdm
        with pytest.raises(xylem.XylemError):
            list(xylem.compile(text).stream(allow=["/"]))
