"""The network screen: sites that run in a project, and the plan of a network file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
pytest.importorskip("sse_starlette")

from xylem.console.network_map import network_map, network_plan
from xylem.console.project import Project
from xylem.errors import InputError
from xylem.network.site_client import SiteClient

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("network", "photons"):
        shutil.copytree(EXAMPLES / name, tmp_path / name)
    return Project(tmp_path)


@pytest.fixture
def site(project: Project) -> Iterator[SiteClient]:
    place = project.root / ".xylem-site"
    command = [sys.executable, "-m", "xylem", "network"]
    subprocess.run([*command, "start", "--background", "--site", str(place)], check=True, capture_output=True)
    yield SiteClient(place)
    subprocess.run([*command, "stop", "--site", str(place)], check=True, capture_output=True)


def test_streams_and_subscriptions_of_a_site(project: Project, site: SiteClient) -> None:
    site.publish("photons", [b"<photons><photon><en>2</en></photon><photon><en>1</en></photon></photons>"])
    site.subscribe("high", 'stream("photons")/photons/photon[en > 1]', None, "earliest")
    (shown,) = network_map(project)["sites"]
    assert shown["site"] == ".xylem-site"
    assert [(one["name"], one["records"], one["subscriptions"]) for one in shown["sources"]] == [("photons", 2, 1)]
    assert [(one["name"], one["source"], one["state"]) for one in shown["subscriptions"]] == [
        ("high", "photons", "active")
    ]


def test_sites_that_have_joined_are_one_network(project: Project, site: SiteClient) -> None:
    assert network_map(project)["networks"] == []
    place = project.root / "P1"
    command = [sys.executable, "-m", "xylem", "network"]
    subprocess.run([*command, "start", "--background", "--site", str(place)], check=True, capture_output=True)
    try:
        site.ask("POST", "/join", {**SiteClient(place).address, "bandwidth": 1e6})
        told = network_map(project)
        (network,) = told["networks"]
        assert len(told["sites"]) == 2
        assert [peer["name"] for peer in network["peers"]] == ["P1", "xylem-site"]
        assert [sorted(link["between"]) for link in network["links"]] == [["P1", "xylem-site"]]
    finally:
        subprocess.run([*command, "stop", "--site", str(place)], check=True, capture_output=True)


def test_a_site_that_has_ended_or_is_elsewhere(project: Project) -> None:
    for name, url in (("gone", "http://127.0.0.1:9"), ("far", "http://192.0.2.1:80")):
        (project.root / name).mkdir()
        told = {"url": url, "token": "t", "process": 1, "certificate": ""}
        (project.root / name / "site.json").write_text(json.dumps(told))
    (shown,) = network_map(project)["sites"]
    assert shown["site"] == "gone"
    assert "XYRT0050" in shown["error"]


def test_the_plan_of_a_network(project: Project) -> None:
    assert "network/thesis.json" in network_map(project)["files"]
    plan = network_plan(project, "network/thesis.json")
    assert set(plan["kinds"]) == {"P0", "P2", "P4", "SP0", "SP1", "SP2", "SP3"}
    assert {one["subscription"] for one in plan["plans"]} == {"vela", "rxj", "rxj-alert"}
    assert sum(one["bytes"] for one in plan["links"]) == plan["total bytes"] > 0


def test_a_plan_reads_no_file_outside_the_project(project: Project) -> None:
    told = json.loads((project.root / "network" / "thesis.json").read_text())
    told["source"]["sample"] = str(EXAMPLES / "photons" / "photons.xml")
    (project.root / "network" / "out.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="no such file in the project"):
        network_plan(project, "network/out.json")
    with pytest.raises(InputError, match="XYIN0002"):
        network_plan(project, "../thesis.json")
