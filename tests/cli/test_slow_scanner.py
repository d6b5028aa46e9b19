"""Without the kernel a run over much input warns once; a small one does not, nor one that asked for Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.cli.slow_scanner import MUCH_INPUT_BYTES, SlowScanner
from xylem.run.stream.progress import Progress
from xylem.run.stream.run import Statistics
from xylem.source import kernel
from xylem.source.byte_source import ByteSource


@pytest.fixture(autouse=True)
def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "is_kernel_built", lambda: False)


def at(input_bytes: int) -> Progress:
    return Progress(ByteSource([]), Statistics(input_bytes=input_bytes))


def test_it_warns_once_when_a_stream_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    told = SlowScanner("auto", is_quiet=False)
    told.watch(at(MUCH_INPUT_BYTES))
    assert capsys.readouterr().err == ""
    for _ in range(2):
        told.watch(at(MUCH_INPUT_BYTES + 1))
    assert capsys.readouterr().err.count("the scan kernel is not installed") == 1


def test_it_warns_before_large_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        (tmp_path / f"{number}.xml").write_bytes(b"x" * (MUCH_INPUT_BYTES // 2))
    files = [str(path) for path in tmp_path.iterdir()]
    SlowScanner("auto", is_quiet=False).tell_of_files([*files[:2], "-", str(tmp_path / "missing.xml")])
    assert capsys.readouterr().err == ""
    SlowScanner("auto", is_quiet=False).tell_of_files(files)
    assert "xylem doctor" in capsys.readouterr().err


@pytest.mark.parametrize(("scanner", "is_quiet"), [("python", False), ("auto", True)])
def test_it_is_silent_where_nobody_asks(scanner: str, is_quiet: bool, capsys: pytest.CaptureFixture[str]) -> None:
    SlowScanner(scanner, is_quiet=is_quiet).watch(at(10 * MUCH_INPUT_BYTES))
    assert capsys.readouterr().err == ""
