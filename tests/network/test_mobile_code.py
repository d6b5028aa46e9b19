"""Functions that travel with a query: WebAssembly that can compute, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.errors import StaticError
from xylem.network.mobile_code import CAPABILITY, code_option
from xylem.network.properties import NotShared, properties_of
from xylem.network.site import Site
from xylem.syntax import parse

from .running_network import RunningNetwork

wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed: pip install 'xylem-xquery[wasm]'")

CONE = """(module (global $calls (mut f64) (f64.const 0))
  (func (export "near") (param f64 f64) (result i32)
    (f64.lt (f64.add (f64.mul (local.get 0) (local.get 0)) (f64.mul (local.get 1) (local.get 1))) (f64.const 25)))
  (func (export "count") (result f64)
    (global.set $calls (f64.add (global.get $calls) (f64.const 1))) (global.get $calls))
  (func (export "twice") (param i64) (result i64) (i64.add (local.get 0) (local.get 0)))
  (func (export "spin") (param f64) (result f64) (loop br 0) (local.get 0))
  (func (export "grow") (param i64) (result i64)
    (i64.extend_i32_s (memory.grow (i32.wrap_i64 (local.get 0)))))
  (func (export "trap") (param f64) (result f64) unreachable)
  (memory 1))"""
MODULE = bytes(wasmtime.wat2wasm(CONE))
NEAR = code_option(MODULE, "udf:near(xs:double, xs:double) as xs:boolean")
STREAM = b"<s><p><x>1</x><y>2</y></p><p><x>5</x><y>2</y></p><p><x>-3</x><y>3.5</y></p>"
QUERY = f"{NEAR} <near>{{ for $p in /s/p where udf:near($p/x, $p/y) return $p/x }}</near>"
EXPECTED = b"<near><x>1</x><x>-3</x></near>"


def answer(directory: Path, query: str) -> tuple[str, str, str]:
    """The answer over the stream, the state and the error."""
    site = Site(directory)
    site.publication("s").feed(STREAM)
    made = site.subscribe("q", query, "s", "earliest")
    site.unsubscribe("q")
    site.work_all()
    found = site.subscription("q")
    data = site.answer(made, 0)[0].decode()
    site.close()
    return data, str(found.state), found.error


def test_a_query_brings_its_function(tmp_path: Path) -> None:
    assert answer(tmp_path, QUERY) == (EXPECTED.decode(), "complete", "")


def test_integers_and_booleans(tmp_path: Path) -> None:
    twice = code_option(MODULE, "udf:twice(xs:integer) as xs:integer")
    assert answer(tmp_path, f"{twice} for $p in /s/p return udf:twice(xs:integer($p/x))")[0] == "2 10 -6"


def test_nothing_is_kept_from_one_call_to_the_next(tmp_path: Path) -> None:
    count = code_option(MODULE, "udf:count() as xs:double")
    assert answer(tmp_path, f"{count} for $p in /s/p return udf:count()")[0] == "1 1 1"


@pytest.mark.parametrize(("call", "why"), [("spin", "fuel"), ("trap", "unreachable")])
def test_code_that_does_not_end_or_fails_ends_its_query(call: str, why: str, tmp_path: Path) -> None:
    option = code_option(MODULE, f"udf:{call}(xs:double) as xs:double")
    _, state, error = answer(tmp_path, f"{option} for $p in /s/p return udf:{call}($p/x)")
    assert state == "failed"
    assert "XYDY0002" in error
    assert why in error


def test_code_has_so_much_memory(tmp_path: Path) -> None:
    grow = code_option(MODULE, "udf:grow(xs:integer) as xs:integer")
    small = answer(tmp_path / "small", f"{grow} for $p in /s/p return udf:grow(2)")
    large = answer(tmp_path / "large", f"{grow} for $p in /s/p return udf:grow(1000)")
    assert (small[0], large[0]) == ("1 1 1", "-1 -1 -1")


@pytest.mark.parametrize(
    ("module", "signature", "why"),
    [
        (MODULE, "udf:near(xs:double) as xs:boolean", "no function udf:near"),
        (MODULE, "udf:near(xs:string, xs:double) as xs:boolean", "xs:string is none of"),
        (MODULE, "near(xs:double) as xs:boolean", "not of the form"),
        (b"no module", "udf:near(xs:double) as xs:double", "udf:near"),
        (
            bytes(wasmtime.wat2wasm('(module (import "env" "f" (func)) (func (export "g")))')),
            "udf:g() as xs:double",
            "imports f",
        ),
    ],
)
def test_code_that_is_refused(module: bytes, signature: str, why: str) -> None:
    with pytest.raises(StaticError, match=why) as error:
        code_option(module, signature)
    assert error.value.code == "XYST0040"


def test_queries_with_code_share_no_stream_by_its_name() -> None:
    with pytest.raises(NotShared, match="code of its own"):
        properties_of(parse(QUERY))


@pytest.mark.timeout(300)
def test_code_goes_to_the_peer_that_computes(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "P2")))
    try:
        network["P1"].publish("s", [STREAM])
        network["P2"].subscribe("q", QUERY, "s", "earliest")
        assert CAPABILITY in network.site("SP1").peer.record()["documents"]
        network["P2"].unsubscribe("q")
        assert network.answer("q", "P2").encode() == EXPECTED
    finally:
        network.close()
