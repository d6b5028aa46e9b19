"""Members of zip archives as inputs: `dump.zip!page.xml`, `dump.zip!*.xml`, or `dump.zip` for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from xylem.errors import InputError

from .byte_ranges import CHUNK_BYTES

BETWEEN = "!"
ZIP = ".zip"
_SMALL_OUTPUT = 10_000_000


def is_archive(path: Path) -> bool:
    """Whether a path names a zip archive: by its name and by its content."""
    return path.suffix.lower() == ZIP and path.is_file() and is_zipfile(path)


def member_of(name: str) -> tuple[Path, str] | None:
    """The archive and the member in a name; None if it names no member."""
    archive, mark, member = name.partition(f"{ZIP}{BETWEEN}")
    if not mark or Path(name).exists():
        return None
    return Path(archive + ZIP), member


def member_names(archive: Path) -> list[str]:
    """The names of the inputs in an archive, by name: all files but those whose names begin with `.` or `_`."""
    with _opened(archive) as packed:
        inside = sorted(info.filename for info in packed.infolist() if not info.is_dir())
    return [f"{archive}{BETWEEN}{name}" for name in inside if not any(part[0] in "._" for part in name.split("/"))]


def matching_members(name: str) -> list[str] | None:
    """The members that match `archive.zip!pattern`, by name; None for a name of another form."""
    found = member_of(name)
    if found is None or not is_archive(found[0]):
        return None
    archive, pattern = found
    prefix = f"{archive}{BETWEEN}"
    inside = [member.removeprefix(prefix) for member in member_names(archive)]
    # An exact member name comes first: [ and ] are common in names.
    chosen = [pattern] if pattern in inside else [one for one in inside if fnmatchcase(one, pattern)]
    return [f"{prefix}{one}" for one in chosen]


class ArchiveMember:
    """One member, decompressed while it is read; an abnormal compression ratio is an error."""

    def __init__(self, archive: Path, member: str, ratio_limit: int) -> None:
        self._packed = _opened(archive)
        self._name = f"{archive}{BETWEEN}{member}"
        self._ratio_limit = ratio_limit
        try:
            self._info = self._packed.getinfo(member)
            self._file: Any = self._packed.open(self._info)
        except (KeyError, RuntimeError, NotImplementedError, BadZipFile) as reason:
            self._packed.close()
            why = "the archive has no such member" if isinstance(reason, KeyError) else str(reason)
            raise InputError("XYIN0002", why, source=self._name) from reason

    def chunks(self) -> Iterator[bytes]:
        written = 0
        try:
            while chunk := self._file.read(CHUNK_BYTES):
                written += len(chunk)
                if written > _SMALL_OUTPUT and written > self._ratio_limit * max(self._info.compress_size, 1):
                    ratio = written // max(self._info.compress_size, 1)
                    why = f"decompression ratio: {ratio} where {self._ratio_limit} are allowed"
                    raise InputError("XYIN0004", why)
                yield chunk
        except (BadZipFile, EOFError) as reason:
            raise InputError("XYIN0009", str(reason), source=self._name) from reason

    def close(self) -> None:
        self._file.close()
        self._packed.close()


def _opened(archive: Path) -> ZipFile:
    try:
        return ZipFile(archive)
    except OSError as error:
        raise InputError("XYIN0002", error.strerror or str(error), source=str(archive)) from error
    except BadZipFile as error:
        raise InputError("XYIN0009", str(error), source=str(archive)) from error
