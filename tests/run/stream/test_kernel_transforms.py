"""Transformations that call themselves for children, written by the kernel: the answers of the query, node by node."""

from __future__ import annotations

from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .loop_cases import record
from .test_kernel_expressions import kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

COPY = "element { node-name($n) } { $n/@*, $n/node() ! local:t(.) }"
CASES = (
    "case element(b) return ()",
    "case element(b) return <c>{ $n/@*, $n/node() ! local:t(.) }</c>",
    "case element(a) return <a2 was='{ $n/@k }'>{ for $c in $n/node() return local:t($c) }</a2>",
    "case element(a) return $n/b",
    "case element(n) return $n/* ! local:t(.)",
    "case element(n) return element { name($n) } { attribute k { count($n/*) } }",
    "case element(n) return (<first/>, $n/a, local:t($n/b[1]))",
    "case text() return <t>{ string($n) }</t>",
    "case text() return $n",
    "case text() return text { upper-case($n) }",
    "case element(b) return text { $n/@k, 'x' }",
    "case element(n) return element { name($n) } { $n/@* except $n/@k, $n/node() ! local:t(.) }",
    "case element(a) return (text { $n/b }, 'v')",
    "case element(a) return if ($n/@k = '1') then <one/> else $n",
    "case element(b) return string($n)",
    "case $e as element(a) return <e>{ $e/@k }{ $e/node() ! local:t(.) }</e>",
)
DEFAULTS = (f"case element() return {COPY} default return $n", "default return $n", f"default return {COPY}")
HEADS = (
    ("$n as node()", "node()*", "{0}", "local:t($p)"),
    ("$n", None, "{0}", "$p ! local:t(.)"),
    ("$nodes as node()*", "item()*", "for $n in $nodes return {0}", "local:t($p/node())"),
    ("$nodes as node()*", None, "for $n in $nodes return {0}", "<o>{{ $p/@k }}{{ local:t($p/*) }}</o>"),
    ("$n as element()", "element()*", "{0}", "local:t($p)"),
    ("$n as node()", "item()*", "{0}", "<o>{{ 1, local:t($p), 2 }}</o>"),
    ("$n", None, "{0}", "<o>{{ $p/n ! local:t(.) }}</o>"),
)


def query(random: Random) -> str:
    cases = " ".join(random.sample(CASES, random.randrange(4)))
    parameter, returns, body, call = random.choice(HEADS)
    switch = f"typeswitch ($n) {cases} case element(zzz) return () {random.choice(DEFAULTS)}"
    declared = f"local:t({parameter}){'' if returns is None else f' as {returns}'} {{ {body.format(switch)} }}"
    return f"declare function {declared}; for $p in /d/r return {call.format()}"


@pytest.mark.turns("random kernel code")
def test_random_transforms() -> None:
    random = Random(17)
    written = 0
    for number in range(80):
        text = query(random)
        program = stream_program(text)
        assert program is not None, text
        for _ in range(6):
            inside = record(random).replace("<n>", random.choice(("<n>", "<n>x", "<n><!--c-->", "<n xmlns:q='u'>")))
            data = f"<d>{inside}{record(random)}</d>".encode()
            usual = told(program, data, "python", False)
            before = Watched.texts
            assert told(program, data, "kernel", True) == usual, f"{number}: {text}\n{data.decode()}"
            written += Watched.texts - before
            expected = from_tree(text, data, as_xml=True)
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {text}\n{data.decode()}"
    assert written > 150


IDENTITY = (
    "declare function local:t($n as node()) as node()* { typeswitch ($n) case element(b) return ()"
    " case element() return element { node-name($n) } { $n/@*, $n/node() ! local:t(.) } default return $n };"
    " for $p in /d/r return local:t($p)"
)
BY_TWO = (
    "declare function local:all($nodes as node()*) as node()* { for $n in $nodes return local:one($n) };"
    " declare function local:one($n as node()) as node()* { typeswitch ($n) case text() return $n"
    " case element(b) return <c>{ local:all($n/node()) }</c> default return <x>{ $n/@k, local:all($n/node()) }</x> };"
    " <o>{ for $p in /d/r return local:one($p) }</o>"
)
MIXED = "<d><r k='1'>one<a l='&lt;'>two<b>three</b></a> &amp; <n><b/><a/></n></r></d>"


@pytest.mark.parametrize("text", [IDENTITY, BY_TWO])
def test_answered_by_the_kernel(text: str) -> None:
    assert kernel_answers(text, MIXED)


@pytest.mark.parametrize(
    "inside",
    ["<r><!-- c --></r>", "<r><?p i?></r>", "<r xmlns='u'/>", f"<r>{'<a>' * 300}{'</a>' * 300}</r>"],
)
def test_left_to_code(inside: str) -> None:
    kernel_answers(IDENTITY, f"<d>{inside}</d>")
