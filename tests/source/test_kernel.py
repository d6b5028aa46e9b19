"""The native kernel, where it was built, is what its stub says, and belongs to this version."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest
import xylem
from xylem.source.kernel import kernel_build

STUB = Path(xylem.__file__).with_name("_kernel.pyi")


@pytest.fixture
def kernel() -> object:
    try:
        return importlib.import_module("xylem._kernel")
    except ImportError:
        pytest.skip("the kernel was not built here")


def test_the_stub_names_what_the_module_has(kernel: object) -> None:
    stub = ast.parse(STUB.read_text(encoding="utf-8"))
    typed: dict[str, set[str]] = {}
    for node in stub.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) != "TypeAlias":
            typed[ast.unparse(node.target)] = set()
        elif isinstance(node, ast.FunctionDef):
            typed[node.name] = set()
        elif isinstance(node, ast.ClassDef):
            methods = (inner.name for inner in node.body if isinstance(inner, ast.FunctionDef))
            typed[node.name] = {name for name in methods if not name.startswith("_")}
    found = {
        name: {inner for inner in vars(value) if not inner.startswith("_")} if isinstance(value, type) else set()
        for name, value in vars(kernel).items()
        if not name.startswith("_")
    }
    assert typed == found


def test_it_is_built_from_this_version(kernel: object) -> None:
    build = kernel_build()
    assert build is not None
    assert build.version == xylem.__version__
    assert build.profile in ("release", "debug")
