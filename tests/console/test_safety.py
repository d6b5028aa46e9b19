"""Who may ask the console, and what its pages may do: hosts, tokens, sizes, the policy of every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from xylem.cli.console_command import checked_access, is_loopback

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from xylem.console.app import console_app
from xylem.console.safety import MOST_BODY_BYTES, PAGE_TOKEN, Access


def client(access: Access, base: str = "http://127.0.0.1:8480") -> Any:
    from starlette.testclient import TestClient

    return TestClient(console_app(access), base_url=base)


def test_a_page_and_what_it_may_load() -> None:
    access = Access()
    answer = client(access).get("/")
    assert answer.status_code == 200
    assert access.page_token in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http:" not in answer.text.replace("http://www.w3.org", "")
    assert "at most 10 s, 1 GB of memory, 1 MB of output" in answer.text
    assert "At most 60 minutes and 2 GB of memory" in client(access).get("/runs").text
    for asset in ("/static/playground.js", "/static/console.css"):
        assert client(access).get(asset).status_code == 200


def test_requests_that_do_something_need_the_token_of_a_page() -> None:
    access = Access()
    asked = {"query": "1 +"}
    assert client(access).post("/api/check", json=asked).status_code == 403
    assert client(access).post("/api/check", json=asked, headers={PAGE_TOKEN: "wrong"}).status_code == 403
    told = client(access).post("/api/check", json=asked, headers={PAGE_TOKEN: access.page_token})
    assert told.json()["errors"][0]["code"] == "XPST0003"


def test_another_host_name_is_not_served() -> None:
    assert client(Access(), "http://attacker.example:8480").get("/").status_code == 421
    assert client(Access(), "http://localhost:8480").get("/").status_code == 200


def test_a_wrong_token_is_refused_and_the_right_one_is_remembered() -> None:
    access = Access(token="a-long-enough-token")
    assert client(access).get("/").status_code == 401
    assert client(access).get("/?token=wrong").status_code == 401
    browser = client(access)
    answer = browser.get("/?token=a-long-enough-token")
    assert answer.status_code == 200
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert browser.get("/").status_code == 200


def test_a_request_that_is_too_large_names_the_limit() -> None:
    access = Access()
    body = b'{"query": "' + b"1" * MOST_BODY_BYTES + b'"}'
    told = client(access).post("/api/run", content=body, headers={PAGE_TOKEN: access.page_token})
    assert told.status_code == 413
    assert "XYIN0004" in told.json()["error"]


def test_beyond_this_machine_only_with_token_and_tls(tmp_path: Path) -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    file = tmp_path / "cert"
    checked_access("127.0.0.1", None, None, None)
    checked_access("0.0.0.0", "a-long-enough-token", file, file)
    for token, certificate in ((None, file), ("short", file), ("a-long-enough-token", None)):
        with pytest.raises(typer.BadParameter):
            checked_access("0.0.0.0", token, certificate, certificate)


def test_an_unknown_example() -> None:
    assert client(Access()).get("/api/example/none").status_code == 404
    assert client(Access()).get("/api/example/sort").json()["query"].startswith("for $d")


def test_what_is_not_there_leads_back() -> None:
    for path in ("/runs/none", "/nothing"):
        answer = client(Access()).get(path)
        assert answer.status_code == 404, path
        assert "Not found" in answer.text
        assert 'href="/runs"' in answer.text


def test_an_empty_project_says_what_belongs_there(tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    def page() -> str:
        told: str = TestClient(console_app(Access(), tmp_path), base_url="http://127.0.0.1:8480").get("/runs").text
        return told

    assert "nothing to run: put a query" in page()
    assert "<button disabled>Start" in page()
    (tmp_path / "a.xq").write_text("//a")
    assert "<button disabled>Start" in page()
    (tmp_path / "a.xml").write_text("<a/>")
    assert "Choose a query and an input above" in page()
    assert "<button>Start" in page()
