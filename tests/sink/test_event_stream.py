"""Server-sent events: the last answer first, then each that follows; and who comes back is not told twice."""

from __future__ import annotations

from decimal import Decimal
from http.client import HTTPConnection, HTTPResponse

from xylem.sink.event_stream import EventServer


def opened(server: EventServer, path: str, **headers: str) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    return connection.getresponse()


def event(response: HTTPResponse) -> list[str]:
    lines = []
    while line := response.readline().decode().rstrip("\n"):
        lines.append(line)
    return lines


def test_the_last_answer_comes_first_and_then_each_that_follows() -> None:
    with EventServer("127.0.0.1", 0) as server:
        server.show(1, Decimal(0), "<a/>")
        server.show(3, Decimal("2.5"), "two\nlines")
        with opened(server, "/events") as response:
            assert response.getheader("Content-Type") == "text/event-stream"
            assert event(response) == ["id: 3", 'data: {"commit": 3, "t": 2.5, "display": "two\\nlines"}']
            server.show(4, Decimal(9), "")
            assert event(response) == ["id: 4", 'data: {"commit": 4, "t": 9, "display": ""}']
            with opened(server, "/events", Last_Event_ID="4") as resumed:
                server.show(5, Decimal(10), "new")
                assert event(resumed)[0] == "id: 5"


def test_the_page_shows_the_events_and_there_is_nothing_else() -> None:
    with EventServer("127.0.0.1", 0) as server:
        with opened(server, "/") as page:
            assert b"EventSource" in page.read()
        with opened(server, "/etc/passwd") as missing:
            assert missing.status == 404


def test_whoever_listens_is_told_of_the_end() -> None:
    with EventServer("127.0.0.1", 0) as server:
        server.show(1, Decimal(0), "x")
        response = opened(server, "/events")
        assert event(response)[0] == "id: 1"
    assert response.read() == b""
    response.close()
