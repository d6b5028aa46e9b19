"""The library knows every function of every family, and loads a family only when it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from xylem.functions import library
from xylem.functions.registry import FN, PREFIXES

FOLDER = Path(library.__file__).parent


def test_the_table_says_what_the_modules_register() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py") if "\n@function(" in path.read_text(encoding="utf-8")}
    assert modules <= set(library.FAMILIES)
    assert list(library.FAMILIES) == sorted(library.FAMILIES)
    prefixes = {uri: prefix for prefix, uri in PREFIXES.items()}
    registered: dict[str, list[str]] = {}
    for builtin in library.load_all().values():
        if builtin.body.__module__.startswith("xylem.functions."):
            family = builtin.body.__module__.removeprefix("xylem.functions.")
            registered.setdefault(family, []).append(f"{prefixes[builtin.uri]}:{builtin.local}")
    assert registered.keys() == library.FAMILIES.keys()
    for family, names in library.FAMILIES.items():
        assert names.split() == sorted(registered[family])


def test_a_family_is_loaded_on_demand() -> None:
    program = (
        "import sys, xylem.functions.library as library\n"
        "before = 'xylem.functions.math_functions' in sys.modules\n"
        "found = library.look_up('http://www.w3.org/2005/xpath-functions/math', 'pi', 0)\n"
        "print(before, found.local, 'xylem.functions.string_functions' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=_environment()
    )
    assert run.stdout.split() == ["False", "pi", "False"]


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": str(FOLDER.parents[1])}


def test_look_up_by_arity() -> None:
    assert library.look_up(FN, "string", 0) is library.named(FN, "string")
    assert library.look_up(FN, "string", 2) is None
    assert library.look_up(FN, "concat", 99) is not None
    assert library.look_up(FN, "concat", 1) is None
    assert library.look_up("urn:none", "string", 1) is None
    assert library.look_up(FN, "no-such-function", 1) is None


def test_near_names_show_arities() -> None:
    assert library.near_names("indexof")[0] == "fn:index-of#2, #3"
    assert "fn:concat#2 and more" in library.near_names("concatt")
    assert library.near_names("zzzzzz") == []
