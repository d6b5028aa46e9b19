"""The options of `format("xylem")`, checked: otherwise a mistyped name would be silently ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from xylem.errors import InputError

VARIABLE = "var."
_READING = ("path", "paths", "query", "queryFile", "partitions", "allow", "scanner", "pushFilters")
_STREAMING = ("path", "query", "queryFile", "allow", "scanner", "journal", "maxBytesPerTrigger", "mode")
_CHOICES = {
    "scanner": ("auto", "kernel", "python"),
    "pushfilters": ("true", "false"),
    "mode": ("failfast", "dropmalformed"),
}
_KINDS = {None: "", True: " for streams", False: " for tables"}
_NUMBERS = ("partitions", "maxbytespertrigger")


def checked_options(options: Mapping[str, str], *, streaming: bool | None = None) -> dict[str, str]:
    """The options by their names in lower case, as Spark passes them; XYRT0007 for an invalid one.

    `streaming`: whether they are those of a stream; None if Spark has not said yet.
    """
    found = {name.lower(): value for name, value in options.items()}
    known = (*_READING, *_STREAMING) if streaming is None else _STREAMING if streaming else _READING
    by_name = {name.lower(): name for name in (*_READING, *_STREAMING)}
    for name, value in found.items():
        if name.startswith(VARIABLE):
            continue
        if name not in {one.lower() for one in known}:
            told = f"there is no {by_name.get(name, name)}{_KINDS[streaming]}"
            raise InputError("XYRT0007", told, hint=_near(name, known))
        _check_value(by_name[name], value)
    if "query" in found and "queryfile" in found:
        raise InputError("XYRT0007", "query and queryFile are both given")
    return found


def _check_value(name: str, value: str) -> None:
    choices = _CHOICES.get(name.lower())
    if choices is not None and value.lower() not in choices:
        raise InputError("XYRT0007", f"{name} is {' or '.join(choices)}, not {value}")
    if name.lower() in _NUMBERS and not (value.isascii() and value.isdigit() and int(value)):
        raise InputError("XYRT0007", f"{name} is a number from 1 on, not {value}")


def _near(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, [one.lower() for one in known], n=1)
    shown = next((one for one in known if near and one.lower() == near[0]), None)
    return f"did you mean {shown}?" if shown else f"there are {', '.join(dict.fromkeys(known))} and {VARIABLE}NAME"
