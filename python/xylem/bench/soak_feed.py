"""The input of a soak: a log that never ends, as fast as it is read, and no faster.

A thousand entries make up a second of the log's own time, which counts milliseconds. Documents appear in a directory;
there are never more than a few that have not been read, so that the rate is the highest that the query sustains. What
has been read is removed.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

PER_SECOND = 1_000
"""Entries in a second of the log's own time."""
USERS = 1_000
IN_DOCUMENT = 10_000
AHEAD = 4
"""Documents that wait to be read."""
BEHIND = 20
"""Documents that stay for a batch that is done again."""

QUERIES = {
    # For each user windows of 20 to 40 seconds, so that they end at different times.
    "users": """
for $u in distinct-values(collection()/log/e/@u)
forseq $w in collection()/log/e[@u eq $u] tumbling window
  start curItem $a when true()
  end curItem $b when $b/@t - $a/@t ge 20000 + $a/@p
return <user u="{ $u }" n="{ count($w) }" sum="{ sum($w/@v) }" middle="{ $w[position() eq last() idiv 2]/@v }"/>
""",
    # Five seconds behind each peak, all entries of them.
    "peaks": """
for sliding window $w in collection()/log/e
  start $s when $s/@v = 999
  only end $e when $e/@t - $s/@t ge 5000
return <peak at="{ $s/@t }" n="{ count($w) }" mean="{ avg($w/@v) }">{ $w[position() mod 1000 eq 0]/@u/string() }</peak>
""",
}
HELD = sum(20 + user * 20 // PER_SECOND + 2 for user in range(USERS)) + 5 * PER_SECOND + 2
"""What the windows of these queries hold at most: of each user an entry for each second and those at the ends, and 5
seconds of all."""


def document(number: int) -> str:
    """One document of the log."""
    first = number * IN_DOCUMENT
    entries = [
        f'<e t="{n}" u="u{n * 7919 % USERS}" p="{n * 7919 % USERS * 20}" v="{n * n % 1009}"/>\n'
        for n in range(first, first + IN_DOCUMENT)
    ]
    return f"<log>\n{''.join(entries)}</log>\n"


class SoakFeed(threading.Thread):
    """Writes documents as long as few of them wait."""

    def __init__(self, folder: Path, metrics: Path) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._metrics = metrics
        self._stopping = threading.Event()
        self._read_bytes = 0
        self._seen = 0
        folder.mkdir(parents=True)

    def run(self) -> None:
        number = removed = 0
        while not self._stopping.is_set():
            read = self._documents_read()
            if number - read < AHEAD:
                pending = self._folder / f".{number}.part"
                pending.write_text(document(number), encoding="utf-8")
                os.rename(pending, self._folder / f"{number:09}.xml")
                number += 1
                continue
            while removed < read - BEHIND:
                (self._folder / f"{removed:09}.xml").unlink(missing_ok=True)
                removed += 1
            self._stopping.wait(0.02)

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def _documents_read(self) -> int:
        if self._metrics.exists():
            with self._metrics.open(encoding="utf-8") as file:
                file.seek(self._read_bytes)
                for line in file:
                    if line.endswith("\n"):
                        self._read_bytes += len(line.encode())
                        self._seen = json.loads(line)["total_items"]
        return self._seen
