"""`--functions FILE.py`: a user's functions and aggregates in Python, registered for the queries of one command.

Xylem executes the file like a script; the file registers its functions with `@xylem.function` and `@xylem.aggregate`.
Xylem executes only files that the user names. The module is known by name only while it is executed: afterwards its
functions are like those of a notebook, which travel to other processes by value, with all they refer to.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from xylem.errors import InputError, StaticError

FAILED = "XYST0020"


def load_functions(files: Iterable[Path] | None) -> None:
    """Execute the files, one after another; a later function replaces an earlier one of the same name."""
    for number, file in enumerate(files or (), 1):
        _load(file, f"xylem_functions_{number}_{file.stem}")


def _load(file: Path, name: str) -> None:
    from xylem.functions.external import DEFAULT_FUNCTIONS

    before = set(map(id, DEFAULT_FUNCTIONS))
    try:
        source = file.read_bytes()
    except OSError as reason:
        raise InputError("XYIN0002", f"{file}: {reason.strerror}") from reason
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module
    folder = str(file.resolve().parent)
    sys.path.append(folder)
    try:
        exec(compile(source, str(file), "exec"), module.__dict__)
    except Exception as reason:
        raise StaticError(FAILED, _told(file, reason)) from reason
    finally:
        sys.path.remove(folder)
        del sys.modules[name]
    if not set(map(id, DEFAULT_FUNCTIONS)) - before:
        raise StaticError(FAILED, f"{file} registers no function")


def _told(file: Path, reason: Exception) -> str:
    """The place of the failure in the file, its line, and the reason."""
    what = f"{type(reason).__name__}: {reason}"
    if isinstance(reason, SyntaxError) and reason.filename == str(file):
        return f"{file}:{reason.lineno}: {type(reason).__name__}: {reason.msg}{_quoted(reason.text)}"
    frames = [frame for frame in traceback.extract_tb(reason.__traceback__) if frame.filename == str(file)]
    if not frames:
        return f"{file}: {what}"
    return f"{file}:{frames[-1].lineno}: {what}{_quoted(frames[-1].line)}"


def _quoted(line: str | None) -> str:
    return f" in `{line.strip()}`" if line and line.strip() else ""
