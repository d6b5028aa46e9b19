"""Packages that only some features need: imported at their first use, with an error that names a missing one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .error import InputError


def optional_package(module: str, extra: str) -> Any:
    """The module; if it is missing, XYIN0011 with the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != module.partition(".")[0]:
            raise
        name = module.partition(".")[0]
        raise InputError("XYIN0011", name, hint=f"pip install 'xylem-xquery[{extra}]'") from missing
