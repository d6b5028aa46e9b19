"""Packages that only some uses need: imported when they are used, and asked for by name where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .error import InputError


def optional_package(module: str, extra: str) -> Any:
    """The module; XYIN0011 with the command that installs it where it is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != module.partition(".")[0]:
            raise
        name = module.partition(".")[0]
        raise InputError("XYIN0011", name, hint=f"pip install 'xylem-xquery[{extra}]'") from missing
