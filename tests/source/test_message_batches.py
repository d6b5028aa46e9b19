"""What is taken of files: the bytes of small ones, the paths of large ones, and why one cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.source.message_batches import _FEW_BYTES, LARGE_BYTES, file_content


@pytest.mark.parametrize("size", [0, 1, _FEW_BYTES - 1, _FEW_BYTES, _FEW_BYTES + 1, LARGE_BYTES])
def test_small_files_are_their_bytes(tmp_path: Path, size: int) -> None:
    content = bytes(number % 251 for number in range(1000)) * (size // 1000 + 1)
    file = tmp_path / "small"
    file.write_bytes(content[:size])
    assert file_content(str(file)) == content[:size]


def test_large_files_are_their_paths(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(bytes(LARGE_BYTES + 1))
    assert file_content(str(file)) == file


def test_a_file_that_cannot_be_read_is_its_error(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        found = file_content(str(path))
        assert isinstance(found, InputError)
        assert (found.code, found.source) == ("XYIN0002", str(path))
