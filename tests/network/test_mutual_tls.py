"""Sites that prove to each other who they are: certificates of one authority, in both directions."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.network.http_site import Listening, ServedSite
from xylem.network.peer_client import PeerClient, Unreachable
from xylem.network.site_client import SiteClient
from xylem.network.site_identity import Identity

from .test_encrypted_site import answering

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")


class Authority:
    """Signs certificates of sites."""

    def __init__(self, directory: Path, name: str) -> None:
        program = shutil.which("openssl")
        if program is None:
            pytest.skip("openssl is not installed: it makes the certificates of this test")
        self._program, self._directory, self._name = program, directory, name
        self.file, self._key = directory / f"{name}.pem", directory / f"{name}.key"
        self._make("-x509", "-subj", f"/CN={name}", "-out", self.file, "-keyout", self._key)

    def _make(self, *options: object) -> None:
        command = [self._program, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subprocess.run([*command, "-days", "1", *map(str, options)], check=True, capture_output=True)

    def certificate(self, site: str) -> tuple[Path, Path]:
        made = self._directory / f"{self._name}-{site}.pem", self._directory / f"{self._name}-{site}.key"
        names = ("-addext", f"subjectAltName=IP:127.0.0.1,DNS:{site}", "-addext", "basicConstraints=CA:FALSE")
        signed = ("-x509", "-CA", self.file, "-CAkey", self._key)
        self._make(*signed, "-subj", f"/CN={site}", *names, "-out", made[0], "-keyout", made[1])
        return made


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "network")


@pytest.fixture
def sites(tmp_path: Path, authority: Authority) -> Iterator[dict[str, SiteClient]]:
    served = {}
    for name in ("A", "B", "C"):
        certificate, key = authority.certificate(name)
        place = Listening(name=name, certificate=certificate, key=key, authority=authority.file)
        served[name] = ServedSite(tmp_path / name, listening=place)
    threads = [threading.Thread(target=site.run, daemon=True) for site in served.values()]
    for thread in threads:
        thread.start()
    yield {name: answering(tmp_path / name) for name in served}
    for site in served.values():
        site.stop()
    for thread in threads:
        thread.join(60)


def refused(client: PeerClient) -> str:
    try:
        client.ask("GET", "/network")
    except (InputError, Unreachable) as reason:
        return str(reason)
    finally:
        client.close()
    raise AssertionError("it was answered")


@pytest.mark.timeout(300)
def test_sites_answer_those_who_prove_who_they_are(
    tmp_path: Path, sites: dict[str, SiteClient], authority: Authority
) -> None:
    sites["A"].ask("POST", "/join", sites["B"].address)
    sites["B"].ask("POST", "/join", sites["C"].address)
    sites["A"].ask("PUT", "/sources/s/sites", {"sites": ["A", "B", "C"]})
    sites["A"].publish("s", [b"<s><p>1</p><p>2</p></s>"])
    sites["C"].subscribe("q", "<n>{ /s/p[. > 1] }</n>", "s", "earliest")
    sites["C"].unsubscribe("q")
    assert "".join(piece for _, piece in sites["C"].results("q")) == "<n><p>2</p></n>"
    url, token = sites["A"].url, (tmp_path / "A" / "peer-token").read_text()
    trusted = authority.file.read_text()

    def asked(*identity: object) -> PeerClient:
        return PeerClient(url, token, 10.0, trusted, Identity(*identity))  # type: ignore[arg-type]

    mine = authority.certificate("D")
    with closing(asked("D", *mine)) as known:
        assert known.ask("GET", "/network")["name"] == "A"
    # The token of sites is not enough, nor a certificate of another name or of another authority.
    assert "the token is missing or wrong" in refused(asked("D"))
    assert "the token is missing or wrong" in refused(asked("B", *mine))
    assert refused(asked("D", *Authority(tmp_path, "other").certificate("D")))
    card = {"url": url, "token": "x", "kind": "super", "bandwidth": 1.0, "certificate": trusted}
    with closing(asked("D", *mine)) as known, pytest.raises(InputError, match=r"XYRT0059.*not for 'B'"):
        known.ask("POST", "/links", {"name": "B", "card": card})
    # Users have tokens, and no certificates.
    assert "s" in [one["name"] for one in sites["A"].sources()]


def test_a_certificate_is_for_its_site(tmp_path: Path, authority: Authority) -> None:
    certificate, key = authority.certificate("A")
    place = Listening(name="B", certificate=certificate, key=key, authority=authority.file)
    with pytest.raises(InputError, match="the certificate is for A, and the site is called 'B'"):
        ServedSite(tmp_path / "B", listening=place)
    with pytest.raises(InputError, match="which is not there"):
        Listening(authority=certificate).checked()
