"""Expands the names on a command line: files, directories and patterns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import NoReturn

from xylem.errors import InputError

from .byte_source import STDIN
from .framed_file import framed


def named_files(names: Iterable[str]) -> list[str]:
    """The files for names, in order; XYIN0002 for a directory or pattern without any.

    A directory stands for all files below it whose names (and those of their directories) do not begin with `.` or
    `_`, by name; a pattern for the files it matches, by name; a zip archive for its members, `a.zip!*.xml` for those
    that match. Frames (`framed_file.py`) apply to each of them. Other names are kept unchanged, whether or not such a
    file exists.
    """
    return [path for name in names for path in _files_of(name)]


def _files_of(name: str) -> list[str]:
    path = Path(name)
    if name == STDIN:
        return [name]
    frames = framed(name)
    if frames is not None:
        return [f"{inner}?frames={frames[1].value}" for inner in _files_of(frames[0])]
    if "://" in name:
        from .remote_file import local_path

        path_of_url = local_path(name)
        return [name] if path_of_url is None else _files_of(path_of_url)
    if ".zip" in name.lower():
        from .archive_member import is_archive, matching_members, member_names

        if is_archive(path):
            return member_names(path)
        if has_magic(name) and (found := matching_members(name)) is not None:
            return found or _none(name)
    if path.is_dir():
        found = sorted(_below(path))
    elif has_magic(name) and not path.exists():
        found = sorted(match for match in glob(name, recursive=True) if Path(match).is_file())
    else:
        return [name]
    return found or _none(name)


def _none(name: str) -> NoReturn:
    raise InputError("XYIN0002", f"{name}: there are no files")


def _below(directory: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (os.path.join(folder, name) for name in files if name[0] not in "._")
