"""A sink that passes elements with certain names to separate sinks, and the rest to another one.

Its state, for incomplete texts, is saved for the next turn with the states of its sinks: after a crash, a batch is
divided in the same way again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xylem.sink.routed_text import RoutedText

from .sinks import Output, Sink, Turn


class RoutedSink:
    """The outputs of one run."""

    def __init__(self, rest: Sink, routes: Mapping[str, Sink]) -> None:
        self._rest = rest
        self._routes = routes
        self.wants_changes = rest.wants_changes

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        texts: dict[str, Any] = dict(committed.get("texts", {}))
        left: list[Output] = []
        routed: dict[str, list[Output]] = {name: [] for name in self._routes}
        for output in outputs:
            if output.current is not None:
                # A changing answer is divided when it is final.
                left.append(output)
                continue
            rest, taken = self._told_apart(output, texts)
            left.append(rest)
            for name, messages in taken.items():
                routed[name].append(Output(output.query, tuple(messages), True))
        known = committed.get("routes", {})
        written = {name: sink.write(turn, routed[name], known.get(name, {})) for name, sink in self._routes.items()}
        return {
            "routes": written,
            "rest": self._rest.write(turn, left, committed.get("rest", {})),
            "texts": {} if turn.is_end else texts,
        }

    def _told_apart(self, output: Output, texts: dict[str, Any]) -> tuple[Output, dict[str, list[str]]]:
        """The rest of an output, and the elements routed by name."""
        left: list[str] = []
        taken: dict[str, list[str]] = {}
        # The end of a text that arrived in pieces is a message that ends its line.
        continues = not output.ends_lines or output.query in texts
        for message in output.messages:
            text = RoutedText(self._routes, texts.get(output.query, ()) if continues else ())
            rest = ""
            for name, piece in text.split(message):
                if name is None:
                    rest += piece
                else:
                    taken.setdefault(name, []).append(piece)
            if continues:
                texts[output.query] = text.state
            # Mark the end of a text, even an empty one: its line ends.
            if rest or continues or not message:
                left.append(rest)
        return Output(output.query, tuple(left), output.ends_lines), taken

    def close(self) -> None:
        for sink in (self._rest, *self._routes.values()):
            sink.close()
