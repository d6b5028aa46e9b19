"""Checks Spark's own files of a checkpoint before Spark reads them, because Spark trusts what it finds.

    spark/metadata        the identity of the query, JSON
    spark/offsets/N       the end of batch N in each input: a version, settings, then an offset for each input
    spark/commits/N       batch N is done, as far as Spark knows: a version, JSON

A batch begins where the previous one ended. So each commit stores a digest of the offsets of its batch, which is
checked when the query is restarted. Batches that Spark has begun since then are compared with those: the settings must
not change. Other files only have to be readable.

A file that Spark was writing when it was killed, or when the disk was full, has another name, and no meaning. Spark
would refuse to start the first batch with it, so such files are removed.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from xylem.errors import InputError
from xylem.run.sealed_file import damaged, missing

_VERSIONS = ("v1", "v2")
_CHANGING = ("batchTimestampMs", "batchWatermarkMs")
_IDENTITY = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UNFINISHED = re.compile(r"\.{1,2}(\d{1,19}|metadata)\.[0-9a-f-]{36}\.tmp(\.crc)?")


def offsets_digest(folder: Path, batch: int) -> str:
    """A digest of the offsets of a batch; empty if Spark keeps none."""
    data = _content(folder / "offsets" / str(batch))
    return "" if data is None else hashlib.sha256(data).hexdigest()


def remove_unfinished(folder: Path) -> None:
    """Remove Spark's unfinished files; no other process is writing."""
    for place in (folder, folder / "offsets", folder / "commits"):
        try:
            for path in [path for path in place.iterdir() if _UNFINISHED.fullmatch(path.name)]:
                path.unlink()
        except (FileNotFoundError, NotADirectoryError):
            # Spark tells what is in its way when it begins.
            continue
        except OSError as reason:
            raise InputError("XYIN0002", f"{place}: {reason.strerror or reason}") from reason


def check_spark_files(folder: Path, batch: int, digest: str) -> None:
    """XYRT0033 for files that Spark has not written; `digest` is that of the offsets of the last committed batch."""
    begun = _numbers(folder / "offsets")
    if not begun and not digest:
        return
    known = folder / "offsets" / str(batch)
    if digest:
        if not known.exists():
            raise missing(known)
        if offsets_digest(folder, batch) != digest:
            raise damaged(known, "what is in it is not what was written")
    _check_metadata(folder / "metadata")
    for number in _numbers(folder / "offsets", ".crc"):
        # Spark would treat a truncated file as that of another query.
        if number > batch and number not in begun:
            raise missing(folder / "offsets" / str(number))
    for number in [number for number in begun if number > batch]:
        place = folder / "offsets" / str(number)
        if _settings(place) != _settings(known if digest else place):
            raise damaged(place, "its settings are not those of the batch before")
    done = _numbers(folder / "commits")
    if done:
        _lines(folder / "commits" / str(done[-1]))


def _check_metadata(place: Path) -> None:
    content = _content(place)
    if content is None:
        raise missing(place)
    try:
        identity = json.loads(content)["id"]
    except (KeyError, TypeError, ValueError) as reason:
        raise damaged(place, f"{type(reason).__name__}: {reason}") from reason
    if not isinstance(identity, str) or not _IDENTITY.fullmatch(identity):
        raise damaged(place, "it has no identity")


def _settings(place: Path) -> dict[str, Any]:
    head = _lines(place)[0]
    if not isinstance(head, dict):
        raise damaged(place, "it has no settings")
    return {name: value for name, value in head.items() if name not in _CHANGING}


def _lines(place: Path) -> list[Any]:
    """The values of a Spark file, whose first line is its version."""
    content = _content(place)
    if content is None:
        raise missing(place)
    try:
        version, *lines = content.decode().split("\n")
        values = [json.loads(line) for line in lines]
    except ValueError as reason:
        raise damaged(place, f"{type(reason).__name__}: {reason}") from reason
    if version not in _VERSIONS or not values:
        raise damaged(place, "it does not begin with a version")
    return values


def _numbers(folder: Path, ending: str = "") -> list[int]:
    """The batches that have files; with an ending, those with checksum files."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    if ending:
        names = [name[1:].removesuffix(ending) for name in names if name[:1] == "." and name.endswith(ending)]
    return sorted(int(name) for name in names if name.isdecimal())


def _content(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as reason:
        raise InputError("XYIN0002", f"{place}: {reason.strerror or reason}") from reason
