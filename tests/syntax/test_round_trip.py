"""parse(print(tree)) == tree: for trees of every shape, and for every query of the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xylem.errors import StaticError
from xylem.syntax import ast, parse, print_query

from .prologs import Modules
from .trees import Trees

_PATIENT = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_RANDOM = st.randoms(use_true_random=False)


@_PATIENT
@given(_RANDOM, st.booleans(), st.integers(0, 4))
def test_main_modules(random: Random, sequential: bool, depth: int) -> None:
    module = Modules(random, sequential).main_module(depth)
    assert parse(print_query(module)) == module


@_PATIENT
@given(_RANDOM, st.integers(0, 2))
def test_library_modules(random: Random, depth: int) -> None:
    module = Modules(random).library_module(depth)
    assert parse(print_query(module)) == module


@pytest.mark.parametrize("seed", range(20))
def test_many_expressions(seed: int) -> None:
    """Without hypothesis, which is slow at trees of this size: as many again, and deeper."""
    trees = Trees(Random(seed))
    for _ in range(50):
        body = trees.expr(6)
        assert parse(print_query(body)) == ast.MainModule(prolog=(), body=body)


def _suite_queries(suite: Path) -> Iterator[tuple[str, str]]:
    from lxml import etree

    space = "{http://www.w3.org/2010/09/qt-fots-catalog}"
    for path in sorted(suite.rglob("*.xml")):
        if b"<test-set" not in path.read_bytes()[:4000]:
            continue
        for case in etree.parse(path).iter(f"{space}test-case"):
            test = case.find(f"{space}test")
            if test is None:
                continue
            name = test.get("file")
            text = (path.parent / name).read_bytes().decode() if name else test.text or ""
            yield f"{path.stem}/{case.get('name')}", text


@pytest.mark.share(3)
def test_suite(shared: Path) -> None:
    suite = shared / "qt3" / "suite"
    seen: set[str] = set()
    failed = []
    for name, text in _suite_queries(suite):
        if text in seen:
            continue
        seen.add(text)
        try:
            module = parse(text, name)
        except StaticError:
            continue
        if parse(print_query(module)) != module:
            failed.append(name)
    assert not failed
    assert len(seen) > 10_000
