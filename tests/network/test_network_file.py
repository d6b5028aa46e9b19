"""A network as a file says it, and its plans as others read them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xylem
from typer import BadParameter
from typer.testing import CliRunner
from xylem.cli.network_command import app
from xylem.cli.network_plan import explain_in_network
from xylem.cli.query_source import QuerySource
from xylem.errors import InputError
from xylem.network.network_file import read_network
from xylem.network.plan_document import NAMESPACE, nested_plan, network_dict, plan_xml
from xylem.network.topology import Topology

NETWORK = Path(__file__).resolve().parents[2] / "examples" / "network" / "thesis.json"


def test_the_example() -> None:
    planner = read_network(NETWORK).planner()
    assert {name: one.uses for name, one in planner.placed.items()} == {
        "vela": "source",
        "rxj": "vela",
        "rxj-alert": "vela",
    }
    told = network_dict(planner)
    assert told["total bytes"] == sum(one["bytes"] for one in told["links"])
    assert json.loads(json.dumps(told)) == told


def test_a_plan_as_xml_holds_queries_that_give_the_answer() -> None:
    network = read_network(NETWORK)
    planner = network.planner()
    tree = ElementTree.fromstring(plan_xml(nested_plan(planner, "rxj")))
    at = [tree.get("atPeer"), *(inner.get("atPeer") for inner in tree.iter(f"{{{NAMESPACE}}}plan"))][1:]
    assert at == ["P2", "SP1", "SP2", "SP3", "P4"]

    def source(plan: ElementTree.Element, name: str) -> str:
        each = plan.iter(f"{{{NAMESPACE}}}streamoperator")
        (operator,) = [one for one in each if (one.get("id"), one.get("name")) == (name, "query")]
        return operator.findtext(f"{{{NAMESPACE}}}source") or ""

    first = ElementTree.fromstring(plan_xml(nested_plan(planner, "vela")))
    document = network.sample.decode()
    for plan, name in ((first, "vela-filter"), (tree, "rxj-filter"), (tree, "rxj")):
        document = xylem.compile(source(plan, name)).run(xylem.parse(document)).serialize()
        if name.endswith("-filter"):
            # A filter gives records; what stands around them is known to the log.
            document = f"<photons>{document}</photons>"
    query = (NETWORK.parent / "../photons/rxj.xq").read_text()
    assert document == xylem.compile(query).run(xylem.parse(network.sample)).serialize()


def test_what_a_query_would_share(capsys: pytest.CaptureFixture[str]) -> None:
    query = "/photons/photon[ra > 125 and ra < 130 and dec < -41 and dec > -45]/en"
    explain_in_network(QuerySource(query, "query", ""), f"{NETWORK}@P0")
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("query: reuses vela at SP0, residual ra > 125 and ra < 130")
    assert told[1].startswith("  not reused: rxj: it has only records with en > 1.3")
    with pytest.raises(BadParameter):
        explain_in_network(QuerySource(query, "query", ""), f"{NETWORK}@nobody")


def test_the_command() -> None:
    ended = CliRunner().invoke(app, ["plan", str(NETWORK), "--optimize"])
    assert ended.exit_code == 0, ended.output
    assert "rxj: reuses vela at SP2, residual en > 1.3" in ended.stdout
    assert "sharing, all placed together" in ended.stdout
    assert CliRunner().invoke(app, ["plan", str(NETWORK), "--format", "xml"]).stdout.startswith("<plan atPeer=")


@pytest.mark.parametrize(
    "told",
    [
        {"peers": {"a": "thin"}, "links": [["a", "b"]]},
        {"peers": {"a": "fat"}, "links": []},
        {"peers": {"a": "thin"}, "links": ["ab"]},
        {"links": []},
    ],
)
def test_networks_that_are_none(told: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="XYRT0056"):
        Topology.from_dict(told)
    (tmp_path / "n.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="XYRT0056"):
        read_network(tmp_path / "n.json")


def test_peers_without_a_way_between_them() -> None:
    topology = Topology.from_dict({"peers": {"a": "super", "b": "super"}, "links": []})
    with pytest.raises(InputError, match="XYRT0056"):
        topology.route("a", "b")
    assert topology.route("a", "a") == ["a"]
