"""`xylem shell`: queries one after another over one input, with history, completion and explanations.

    xylem> //page/title[1]
    xylem> :explain for $p in //page order by $p/title return $p
    xylem> :input other.xml

A query ends with an empty line, or as soon as it is complete. While it is typed, the line below says what it would
do: whether it streams and what it holds, or its error. Each query streams the input anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from xylem.errors import XylemError
from xylem.errors.optional_package import optional_package

from .diagnostics import checked
from .name_completion import suggestions, word_before

HELP = """  :input FILE      read this document (the context item of queries)
  :explain QUERY   say what streams, what is folded and what is held
  :more            show the next results
  :ns URI          the default element namespace; :ns auto takes that of the root
  :help  :quit"""
SHOWN = 20
HISTORY = Path("~/.local/state/xylem/history")
UNFINISHED = "XPST0003"


class Shell:
    """The state between queries: the input, the namespaces, the rest of the last answer."""

    def __init__(self, write: Callable[[str], object], place: str | None = None) -> None:
        self._write = write
        self.place = place
        self.namespaces: dict[str, str] = {}
        self._rest: Iterator[Any] = iter(())
        self._elements: set[str] = set()
        self._head = b""
        self._accounted = "", ""
        self.has_reader = False
        """Whether somebody reads along, who would wonder about no output at all."""
        self.look_at_input()

    def look_at_input(self) -> None:
        """Take the names of elements near the beginning of the input, for completion."""
        self._head = b""
        if self.place is None or self.place == "-":
            return
        from xylem.source.byte_source import ByteSource
        from xylem.source.root_element import head_of

        with ByteSource.of(self.place) as source:
            self._head = head_of(source)
        self._elements = set(names_in(self._head))

    def elements(self) -> set[str]:
        return self._elements

    def take(self, text: str) -> bool:
        """Execute a line; returns whether to continue."""
        command, _, rest = text.strip().partition(" ")
        try:
            match command:
                case "":
                    pass
                case ":quit" | ":q":
                    return False
                case ":help" | ":h":
                    self._write(HELP + "\n")
                case ":more":
                    self._show()
                case ":input":
                    self.place = rest.strip() or None
                    self.look_at_input()
                case ":ns":
                    self.namespaces[""] = self._namespace(rest.strip())
                case ":explain":
                    self._write(self._compiled(rest).explain().to_text())
                case _ if command.startswith(":"):
                    self._write(f"there is no command {command}\n{HELP}\n")
                case _:
                    self._run(text)
        except XylemError as error:
            self._write(error.render() + "\n")
        return True

    def is_complete(self, text: str) -> bool:
        """Whether a text is a query, or has an error that more text would not correct."""
        if text.lstrip().startswith(":") or text.endswith("\n"):
            return True
        told = checked(text, namespaces=self.namespaces)
        if told is None or told.code != UNFINISHED or told.place is None:
            return True
        lines = text.split("\n")
        return (told.place.line, told.place.column) < (len(lines), len(lines[-1]))

    def account(self, text: str) -> str:
        """One line on a query that is being typed: whether it streams and what it holds, or its error."""
        if text == self._accounted[0]:
            return self._accounted[1]
        query = text.strip().removeprefix(":explain").strip()
        told = ""
        if query and not query.startswith(":") and self.is_complete(query):
            try:
                told = _account(self._compiled(query).explain().to_dict())
            except XylemError as error:
                told = str(error)
        self._accounted = text, told
        return told

    def _namespace(self, written: str) -> str:
        from xylem.source.root_element import root_element

        root = root_element(self._head) if written == "auto" else None
        return written if root is None else root.uri

    def _compiled(self, text: str) -> Any:
        from xylem import api

        return api.compile(text, namespaces=self.namespaces, module_folders=[Path.cwd()])

    def _run(self, text: str) -> None:
        from xylem import api
        from xylem.query.unmatched_names import advice_for, is_nothing
        from xylem.tables.item_values import text_of

        query = self._compiled(text)
        if self.place is None:
            items: Any = query.run().drawn()
        else:
            try:
                items = query.stream(self.place).xdm()
            except XylemError as refused:
                if refused.code != "XYST0004":
                    raise
                items = query.run(api.parse(self._whole_input())).drawn()
        self._rest = map(text_of, items)
        beginning = list(islice(self._rest, 2))
        self._rest = chain(beginning, self._rest)
        self._show()
        told = None
        if self._head and is_nothing(" ".join(beginning)):
            told = advice_for(query.compiled, text, self._head, ":ns auto")
        if told is None and not beginning and self.has_reader:
            told = "(no results)"
        if told:
            self._write(f"{told}\n")

    def _whole_input(self) -> bytes:
        from xylem.source.byte_source import ByteSource

        with ByteSource.of(self.place or "-") as source:
            return b"".join(source)

    def _show(self) -> None:
        for text in islice(self._rest, SHOWN):
            self._write(text + "\n")
        following = next(self._rest, None)
        if following is not None:
            self._rest = chain([following], self._rest)
            self._write("… :more shows the next ones\n")


def _account(facts: dict[str, Any]) -> str:
    if not facts["streamed"]:
        return f"reads a tree: {facts['reason']}"
    passes = facts["passes"]
    held = [f"${buffer['variable']}: {', '.join(buffer['paths'])} ({buffer['bound']})" for buffer in facts["buffers"]]
    told = f"streams, in {passes} passes" if passes > 1 else "streams, in one pass"
    return f"{told}; holds {'; '.join(held) if held else 'nothing'}"


def names_in(head: bytes) -> list[str]:
    """The names of elements and attributes in the first bytes of a document."""
    from contextlib import suppress
    from xml.parsers import expat

    found: dict[str, None] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        for one in (name, *(f"@{attribute}" for attribute in attributes if not attribute.startswith("xmlns"))):
            found[one] = None

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError, ValueError, LookupError):
        parser.Parse(head, False)
    return list(found)


def run_shell(place: str | None) -> None:
    """Read queries from the terminal until its end, or from a file or pipe on standard input."""
    shell = Shell(sys.stdout.write, place)
    if not sys.stdin.isatty():
        take_all(shell, sys.stdin)
        return
    toolkit = optional_package("prompt_toolkit", "shell")
    session = _session(toolkit, shell)
    shell.has_reader = True
    sys.stdout.write("XQuery over " + (place or "no input (give one with :input FILE)") + "; :help shows commands\n")
    while True:
        try:
            text = session.prompt("xylem> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            if not shell.take(text):
                return
        except KeyboardInterrupt:
            sys.stdout.write("interrupted\n")
        sys.stdout.flush()


def take_all(shell: Shell, lines: Iterable[str]) -> None:
    """Execute lines that come without a terminal. A query continues until it is complete."""
    text = ""
    for line in lines:
        text += line.rstrip("\n")
        if not shell.is_complete(text) and line.strip():
            text += "\n"
            continue
        if not shell.take(text):
            return
        text = ""
    shell.take(text)


def _session(toolkit: Any, shell: Shell) -> Any:
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.key_binding import KeyBindings

    class Names(Completer):
        """Names that fit at the cursor."""

        def get_completions(self, document: Any, _: Any) -> Iterator[Completion]:
            before = document.text_before_cursor
            word = word_before(before)
            for one in suggestions(before, document.text, shell.elements()):
                yield Completion(one.text, -len(word), display_meta=one.detail or one.kind)

    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: Any) -> None:
        buffer = event.current_buffer
        if shell.is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    history = HISTORY.expanduser()
    history.parent.mkdir(parents=True, exist_ok=True)
    return toolkit.PromptSession(
        completer=Names(),
        complete_while_typing=False,
        history=FileHistory(str(history)),
        key_bindings=keys,
        multiline=True,
        prompt_continuation="  ...> ",
        bottom_toolbar=lambda: shell.account(toolkit.application.get_app().current_buffer.text),
    )
