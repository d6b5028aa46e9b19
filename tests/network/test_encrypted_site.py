"""Sites that other machines may reach: encrypted, and with nobody else than who has the certificate."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.network.http_site import Listening, ServedSite
from xylem.network.site_client import SiteClient

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed: it makes the certificate of this test")
    made = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-out", made[0], "-keyout", made[1]], check=True, capture_output=True)
    return made


def answering(directory: Path) -> SiteClient:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            client = SiteClient(directory)
            client.sources()
            return client
        except InputError:
            time.sleep(0.02)
    raise AssertionError("the site does not answer")


@pytest.mark.timeout(300)
def test_an_answer_over_encrypted_links(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    sites = {}
    for name in ("A", "B"):
        place = Listening(name=name, certificate=certificate[0], key=certificate[1])
        sites[name] = ServedSite(tmp_path / name, listening=place)
    threads = [threading.Thread(target=site.run, daemon=True) for site in sites.values()]
    for thread in threads:
        thread.start()
    first, second = (answering(tmp_path / name) for name in sites)
    assert first.url.startswith("https://")
    first.ask("POST", "/join", second.address)
    first.publish("s", [b"<s><p>1</p><p>2</p></s>"])
    second.subscribe("q", "count(/s/p[. > 1])", "s", "earliest")
    second.unsubscribe("q")
    assert "".join(piece for _, piece in second.results("q")) == "1"
    # Who does not know the certificate speaks to nobody.
    with pytest.raises(InputError, match="XYRT0050"):
        second.ask("POST", "/join", {**first.address, "certificate": ""})
    for site in sites.values():
        site.stop()
    for thread in threads:
        thread.join(60)


def test_what_others_reach_is_encrypted() -> None:
    with pytest.raises(InputError, match="takes --tls-cert and --tls-key"):
        Listening("192.0.2.7").checked()
    with pytest.raises(InputError, match="no address to tell others"):
        Listening("0.0.0.0").checked()
    with pytest.raises(InputError, match="come together"):
        Listening(certificate=Path("cert.pem")).checked()
    assert Listening("::1").checked().host == "::1"
    assert Listening("localhost").checked().host == "localhost"
