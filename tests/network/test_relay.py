"""Records carried from one site to another: each once, however often the relay begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from xylem.network.relay import Relay
from xylem.network.site import Site


class Here:
    """A site in this process, as a relay asks it."""

    def __init__(self, site: Site, most_pieces: int = 1 << 30) -> None:
        self._site = site
        self._most = most_pieces

    def sources(self) -> list[dict[str, Any]]:
        return self._site.sources()

    def publish(self, name: str, chunks: Iterable[bytes]) -> dict[str, Any]:
        publication = self._site.publication(name)
        for chunk in chunks:
            publication.feed(chunk)
        return {"records": publication.records}

    def results(self, name: str, after: int = 0) -> Iterator[tuple[int, str]]:
        found = self._site.subscription(name)
        for _ in range(self._most):
            data, is_over = self._site.answer(found, after)
            data = data[:50]
            if is_over or not data:
                return
            after += len(data)
            yield after, data.decode()


def test_a_relay_that_begins_again_leaves_out_what_is_there(tmp_path: Path) -> None:
    up, down = Site(tmp_path / "up"), Site(tmp_path / "down")
    records = "".join(f"<p><x>{n % 5}</x><n>{n}</n></p>" for n in range(200))
    publication = up.publication("s")
    publication.feed(b"<s>")
    up.subscribe("wide", "<s>{ for $p in /s/p where $p/x > 1 return $p }</s>", "s")
    publication.feed(f"{records}</s>".encode())
    up.work_all()
    for pieces in (1, 7, 3, 1 << 30):
        Relay(Here(up, pieces), "wide", Here(down), "wide").run()  # type: ignore[arg-type]
    up.unsubscribe("wide")
    up.work_all()
    Relay(Here(up), "wide", Here(down), "wide").run()  # type: ignore[arg-type]
    down.subscribe("narrow", "count(/s/p[x > 3])", "wide", "earliest")
    down.unsubscribe("narrow")
    down.work_all()
    assert down.streams["wide"].log.end == 120
    assert down.answer(down.subscription("narrow"), 0)[0] == b"40"
    up.close()
    down.close()
