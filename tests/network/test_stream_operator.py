"""User-defined operators over whole streams: WebAssembly in a sandbox, and Python that somebody trusted has signed."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import InputError
from xylem.network.log_store import LogLimits
from xylem.network.signed_python import PythonOperator, checked
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

from .running_network import RunningNetwork, until

wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed: pip install 'xylem-xquery[wasm]'")

# Gives every second record, twice: the number of records is its state.
SECOND = """(module (memory (export "memory") 2) (global $n (mut i32) (i32.const 0))
  (func (export "alloc") (param i32) (result i32) (i32.const 16))
  (func (export "record") (param $at i32) (param $size i32) (result i64)
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (if (i32.and (global.get $n) (i32.const 1)) (then (return (i64.const 0))))
    (memory.copy (i32.add (local.get $at) (local.get $size)) (local.get $at) (local.get $size))
    (i64.or (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 32))
            (i64.extend_i32_u (i32.mul (local.get $size) (i32.const 2))))))"""
BODIES = {
    "spin": "(loop br 0) (i64.const 0)",
    "beyond": "(i64.const 0x7fffffff00000010)",
    "broken": "(i64.or (i64.shl (i64.extend_i32_u (local.get 0)) (i64.const 32)) (i64.const 5))",
    "much": "(i64.const 0x0000000010000000)",
}
PYTHON = b"""
seen = 0
def record(data):
    global seen
    seen += 1
    return data * 2 if seen % 2 == 0 else b""
"""
RECORDS = [f"<p><x>{n % 7}</x><n>{n}</n></p>".encode() for n in range(40)]
MADE = b"<s>" + b"".join(one * 2 for one in RECORDS[1::2]) + b"</s>"
QUERY = "<r>{ for $p in /s/p where $p/x > 2 return $p/n }</r>"


def told(text: str) -> dict[str, Any]:
    return {"language": "wasm", "code": b64encode(wasmtime.wat2wasm(text)).decode()}


def simple(body: str) -> str:
    return f"""(module (memory (export "memory") 1)
      (func (export "alloc") (param i32) (result i32) (i32.const 16))
      (func (export "record") (param i32 i32) (result i64) {body}))"""


def expected(query: str = QUERY) -> str:
    return xylem.compile(query).run(xylem.parse(MADE)).serialize()


@pytest.fixture
def signed(tmp_path: Path) -> tuple[Path, bytes]:
    """A directory that trusts alice, and her signature of the code."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed: it makes the signatures of this test")
    directory = tmp_path / "site"
    directory.mkdir()
    code = tmp_path / "operator.py"
    code.write_bytes(PYTHON)
    for name in ("alice", "mallory"):
        key = tmp_path / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (directory / "allowed-signers").write_text(f"alice {(tmp_path / 'alice.pub').read_text()}")
    return directory, signature(tmp_path, "alice", PYTHON)


def signature(directory: Path, name: str, code: bytes, namespace: str = "xylem-operator") -> bytes:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(directory / name), "-n", namespace]
    return subprocess.run(command, input=code, capture_output=True, check=True).stdout


def test_an_operator_keeps_its_state_over_restarts(tmp_path: Path) -> None:
    for stage in range(4):
        site = Site(tmp_path)
        stream = site.publication("s")
        if stage < 2:
            # The second time nothing is new.
            site.add_operator("made", "s", 0, told(SECOND))
        if stage == 0:
            made = site.subscribe("q", QUERY, "made", "earliest")
        # An odd number of records each time: what it has counted matters.
        last = (stage + 1) * 9 if stage < 3 else 40
        stream.feed(b"<s>" + b"".join(RECORDS[stage * 9 : last]))
        site.work_all()
        if stage == 3:
            site.unsubscribe("q")
            site.work_all()
            assert site.answer(made, 0)[0].decode() == expected()
            assert "made by an operator from s" in str(site.sources())
        site.close()


@pytest.mark.parametrize("body", BODIES)
def test_an_operator_that_fails_stops_alone(body: str, tmp_path: Path) -> None:
    site = Site(tmp_path)
    stream = site.publication("s")
    site.add_operator("made", "s", 0, told(simple(BODIES[body])))
    made = site.subscribe("q", QUERY, "s", "earliest")
    stream.feed(b"<s>" + b"".join(RECORDS))
    site.work_all()
    site.unsubscribe("q")
    site.work_all()
    whole = xylem.compile(QUERY).run(xylem.parse(b"<s>" + b"".join(RECORDS) + b"</s>")).serialize()
    assert site.answer(made, 0)[0].decode() == whole
    why = {"spin": "fuel", "beyond": "memory", "broken": "gives no records", "much": "bytes for one record"}[body]
    assert why in next(one for one in site.sources() if one["name"] == "made")["error"]
    site.close()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('(module (memory (export "memory") 1))', "has no alloc"),
        ('(module (import "env" "f" (func)))', "imports f"),
        (simple("(i64.const 0)").replace("(param i32 i32)", "(param i32)"), "record takes two"),
    ],
)
def test_modules_that_are_no_operators(text: str, why: str, tmp_path: Path) -> None:
    site = Site(tmp_path)
    with pytest.raises(InputError, match=why) as error:
        site.add_operator("made", "s", 0, told(text))
    assert error.value.code == "XYST0040"
    assert "made" not in site.streams
    site.close()


def test_state_that_cannot_be_had_again(tmp_path: Path) -> None:
    limits = SiteLimits(log=LogLimits(bytes=200))
    site = Site(tmp_path, limits=limits)
    site.add_operator("made", "s", 0, told(SECOND))
    stream = site.publication("s")
    stream.feed(b"<s>")
    for record in RECORDS:
        stream.feed(record)
        site.work_all()
    site.close()
    again = Site(tmp_path, limits=limits)
    again.publication("s").feed(b"<s>" + RECORDS[0])
    again.work_all()
    assert "goes on with record 0" in next(one for one in again.sources() if one["name"] == "made")["error"]
    again.close()


def test_signed_python(signed: tuple[Path, bytes], tmp_path: Path) -> None:
    directory, made = signed
    site = Site(directory)
    body = {"language": "python", "code": b64encode(PYTHON).decode(), "signature": b64encode(made).decode()}
    site.add_operator("made", "s", 0, body)
    subscription = site.subscribe("q", QUERY, "made", "earliest")
    site.publication("s").feed(b"<s>" + b"".join(RECORDS))
    site.work_all()
    site.unsubscribe("q")
    site.work_all()
    assert site.answer(subscription, 0)[0].decode() == expected()
    site.close()
    assert checked(PYTHON, made, directory) == "alice"
    refused = [
        (PYTHON + b"#", made, "not for this code"),
        (PYTHON, signature(tmp_path, "mallory", PYTHON), "nobody whom the site trusts"),
        (PYTHON, signature(tmp_path, "alice", PYTHON, "file"), "not for this code"),
        (PYTHON, b"", "nobody whom the site trusts"),
    ]
    for code, given, why in refused:
        with pytest.raises(InputError, match=why) as error:
            PythonOperator(code, given, directory)
        assert error.value.code == "XYRT0064"
    (directory / "allowed-signers").unlink()
    with pytest.raises(InputError, match="trusts nobody"):
        PythonOperator(PYTHON, made, directory)


def test_python_that_does_not_begin(signed: tuple[Path, bytes], tmp_path: Path) -> None:
    for code in (b"no python", b"x = 1"):
        with pytest.raises(InputError, match="does not begin") as error:
            PythonOperator(code, signature(tmp_path, "alice", code), signed[0])
        assert error.value.code == "XYST0040"


@pytest.mark.timeout(300)
def test_an_operator_in_a_network_runs_near_the_source(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "P2")))
    try:
        network["P1"].publish("s", [b"<s>", *RECORDS[:15]])
        body = {**told(SECOND), "source": "s"}
        assert network["P2"].ask("POST", "/operators/made", body)["at"] == "SP1"
        assert network["P2"].ask("POST", "/operators/made", body)["at"] == "SP1"
        network["P2"].subscribe("q", QUERY, "made", "earliest")
        network["P1"].publish("s", [b"<s>", *RECORDS[15:30]])
        network.stop("SP1")
        network.start("SP1")
        network["P1"].publish("s", [b"<s>", *RECORDS[30:]])
        site = network.site("SP1").peer.site
        until(lambda: site.streams["made"].log.parts.get("s") == 40, "all records were seen")
        network["P2"].unsubscribe("q")
        assert network.answer("q", "P2") == expected()
        with pytest.raises(InputError, match="operators are in"):
            network["P2"].ask("POST", "/operators/x", {**body, "language": "java"})
        with pytest.raises(InputError, match="XYRT0057"):
            network["P2"].ask("POST", "/operators/x", {**body, "language": "python", "signature": ""})
    finally:
        network.close()
