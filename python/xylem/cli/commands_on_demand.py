"""The commands of `xylem`, each loaded when it is run, completed or listed.

Building a command costs time that grows with its options, and its file imports more. `xylem run` pays for `run` alone.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

FILES = {
    "run": ".run_options",
    "check": ".check_options",
    "explain": ".explain_options",
    "shell": ".interactive_options",
    "console": ".interactive_options",
    "language-server": ".interactive_options",
    "stream": ".stream_options",
    "schema": ".schema_command",
    "doctor": ".doctor",
    "network": ".network_command",
    "publish": ".site_options",
    "subscribe": ".site_options",
    "unsubscribe": ".site_options",
    "subscriptions": ".site_options",
    "sources": ".site_options",
    "peers": ".site_options",
    "bench": "xylem.bench.cli",
}
"""Where each command is, in the order of `xylem --help`. A file has an `app` with one command or several, or is one."""

VALUES = {
    "str": "TEXT",
    "text": "TEXT",
    "int": "NUMBER",
    "integer": "NUMBER",
    "int range": "NUMBER",
    "integer range": "NUMBER",
    "float": "NUMBER",
    "float range": "NUMBER",
    "file": "FILE",
    "path": "PATH",
}
"""By the name of a type, what help calls the value of an option that says nothing else: `--seed NUMBER`."""


class _Commands(UserDict[str, Any]):
    """Commands by name. Typer reads them one by one to run a command, all of them to list them."""

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            self.data[name] = _load(name)
        return self.data[name]


def _load(name: str) -> Any:
    found = typer.main.get_command(import_module(FILES[name], __package__).app)
    several = getattr(found, "commands", {})
    command = several.get(name, found)
    command.name = name
    _name_values(command)
    return command


def _name_values(command: Any) -> None:
    """Plain words for values in the help of a command and of those below it, instead of types of Python."""
    for option in command.params:
        if option.param_type_name == "option" and option.metavar is None and not option.is_flag:
            option.metavar = VALUES.get(option.type.name)
    for inner in getattr(command, "commands", {}).values():
        _name_values(inner)


class CommandsOnDemand(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(dict.fromkeys(FILES))

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of the help."""
        return list(self.commands)
