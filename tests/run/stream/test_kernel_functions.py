"""Functions of the query that call themselves and give values: the kernel calls them as the query does."""

from __future__ import annotations

from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .loop_cases import record
from .test_kernel_expressions import agree, kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

FUNCTIONS = {
    "depth": "declare function local:f($n) { if ($n/*) then 1 + max($n/* ! local:f(.)) else 1 };",
    "text": (
        "declare function local:f($n) { if ($n/*) then name($n) || '(' || string-join($n/* ! local:f(.), ',') || ')' "
        "else string($n) };"
    ),
    "power": "declare function local:f($n) { if ($n ge 1 and $n le 9) then 3 * local:f($n - 1) else 1 };",
    "many": (
        "declare function local:f($n) { "
        "if ($n ge 1 and $n le 6) then ($n, local:f($n - 1), local:f($n - 2)) else () };"
    ),
    "typed": (
        "declare function local:f($n as xs:integer) as xs:integer { "
        "if ($n gt 1 and $n lt 30) then $n * local:f($n - 1) else 1 };"
    ),
    "wrongly typed": (
        "declare function local:f($n as xs:integer) as xs:integer { "
        "if ($n gt 1 and $n lt 9) then local:f($n - 1) else 'x' };"
    ),
    "each other": (
        "declare function local:g($n) { if ($n ge 1 and $n le 9) then local:f($n - 1) else 'e' }; "
        "declare function local:f($n) { if ($n ge 1 and $n le 9) then local:g($n - 1) else 'o' };"
    ),
    "two parameters": "declare function local:f($n) { local:g($n, '') }; declare function local:g($n, $s) { "
    "if (string-length($s) ge 6) then $s else local:g($n, $s || string($n) || '.') };",
    "deep": "declare function local:f($n) { if ($n ge 1 and $n le 250) then 1 + local:f($n - 1) else 0 };",
    "branching": (
        "declare function local:f($n) { if ($n ge 1 and $n le 20) then local:f($n - 1) + local:f($n - 2) else 1 };"
    ),
    "with variables": (
        "declare function local:f($n) { let $m := count($n/*), $k := $n/@k return "
        "(string($k), for $x at $i in $n/* where $i < 3 return ($i * $m, local:f($x))) };"
    ),
    "nodes": "declare function local:f($n) { if ($n/*) then $n/* ! local:f(.) else $n };",
}
OF_NODES = ("$p", "$p/n", "$p/a", "($p/*)[1]", "$p/zzz", "$p/a[1]/@k")
OF_VALUES = (
    "count($p/*)", "3", "xs:integer($p/b[1])", "number($p/a[1]/@k)", "$p/b[1]", "string-length($p)", "250", "()",
    "(1, 2)",
)  # fmt: skip
PLACES = (
    "<o>{{ {0} }}</o>", "<o k='{{ {0} }}'/>", "<o>{{ {0}, {0} }}</o>",
    "<o>{{ for $x in $p/* return <x>{{ {0} }}</x> }}</o>",
    "<o>{{ count({0}), string-join({0} ! string(), '|') }}</o>", "<o>{{ if ({0} = 3) then <y/> else <n/> }}</o>",
)  # fmt: skip


def query(random: Random) -> str:
    name = random.choice(sorted(FUNCTIONS))
    of = OF_NODES if name in ("depth", "text", "with variables", "nodes") else OF_VALUES
    call = f"local:f({random.choice(OF_NODES + OF_VALUES) if random.random() < 0.1 else random.choice(of)})"
    return f"{FUNCTIONS[name]} for $p in /d/r return {random.choice(PLACES).format(call)}"


@pytest.mark.turns("random kernel code")
def test_random_calls() -> None:
    random = Random(3)
    written = 0
    for number in range(120):
        text = query(random)
        program = stream_program(text)
        assert program is not None, text
        for _ in range(4):
            data = f"<d>{''.join(record(random) for _ in range(random.choice((1, 1, 3))))}</d>".encode()
            usual = told(program, data, "python", False)
            before = Watched.texts
            found = told(program, data, "kernel", True)
            assert agree(program, found, usual), f"{number}: {text}\n{data.decode()}"
            written += Watched.texts - before
            expected = from_tree(text, data, as_xml=True)
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {text}\n{data.decode()}"
    assert written > 100


DOCUMENT = "<d><r k='3'><a k='2'>x<b>1</b></a><n><a>y</a></n><b>2</b></r><r/></d>"
ANSWERED = ("depth", "text", "power", "many", "each other", "two parameters", "with variables")


@pytest.mark.parametrize("name", ANSWERED)
def test_answered_by_the_kernel(name: str) -> None:
    argument = "$p" if name in ("depth", "text", "with variables") else "count($p/*)"
    assert kernel_answers(f"{FUNCTIONS[name]} for $p in /d/r return <o>{{ local:f({argument}) }}</o>", DOCUMENT)


@pytest.mark.parametrize(("name", "argument"), [("deep", "250"), ("branching", "17"), ("wrongly typed", "2")])
def test_left_to_code(name: str, argument: str) -> None:
    assert not kernel_answers(f"{FUNCTIONS[name]} for $p in /d/r return <o>{{ local:f({argument}) }}</o>", DOCUMENT)
