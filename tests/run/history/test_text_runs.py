"""Runs of updates that give texts, answered by the kernel where it can: equal to the reference after every commit."""

from __future__ import annotations

import random

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.history_query import HistoryQuery
from xylem.run.history.engine import Engine
from xylem.run.history.run import UpdateInput, UpdateRun
from xylem.run.history.text_runs import TextRuns
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from .feeding import Shown, displays, told

OPEN = '<u:stream xmlns:u="urn:xylem:update" t="0">'
ANSWERED = (
    "for $t in //t where $t/q > 5 return <hot>{ $t/n, $t/q }</hot>",
    "count(//t[q > 5])",
    "<all>{ for $t in //t return <x>{ string($t/n), number($t/q) * 2 }</x> }</all>",
    "exists(//t[q = 7])",
    "for $t in //t let $q := $t/q[. > 3] where exists($q) return <y>{ $q, $t/z }</y>",
    "for $t in //t order by number($t/q[1]) return <s>{ $t/n, $t/q }</s>",
    "<s>{ for $t in //t order by string($t/n[1]) descending, count($t/q) return <s>{ $t/q }</s> }</s>",
    "for $t in //t where $t/q = $t/q return head($t/n)",
    "for $t in //t where $t/q > $t/q#1 return <up>{ $t/n, $t/q#[1] }</up>",
    "count(//t[q#1 > q])",
    "for $t in //t where $t/q != $t/q#2 or $t/q#1 > 5 order by $t/q#1 return <up>{ $t/q#1, '|', $t/q#2 }</up>",
    "for $x in /r[n != '7']/t where $x/q > 2 order by $x/q[1] return <t>{ $x/q }</t>",
    "sum(//t/q/number(.))",
    "max(//t/q/xs:integer(.))",
    "<a>{ avg(//q[. castable as xs:double]/xs:double(.)) }</a>",
    "for $q in //q where $q > 4 return <q>{ $q }</q>",
    "for $q in //q order by string($q) return $q",
    "for $t in //t, $q in $t/q return <q>{ $q }</q>",
    # Units that look up others have these in their documents.
    "for $t in //t, $s in //t where $t/n = $s/n return <p>{ $t/n, $s/q }</p>",
    "for $t in //t for $s in //t[n = $t/n] return <p>{ $t/n, $s/q, $t/q }</p>",
    "for $t in //t let $m := //t[n = $t/n] return <p>{ $t/n, sum($m/q/number(.)), count($m) }</p>",
    "for $t in //t let $of := $t/n, $m := //t[n = $of] return <p>{ $t/n, for $s in $m return $s/q }</p>",
    "for $t in //t where some $s in //t satisfies ($s/n = $t/n and $s/q > 5) return <p>{ $t/n }</p>",
    "for $t in //t where not(some $s in //t satisfies $s/n = $t/n and $s/q > $t/q) return <p>{ $t/n }</p>",
    "for $t in //t return <p>{ $t/n, //t[n = $t/n]/q }</p>",
    "for $t in //t, $s in //t where $t/n = $s/n return $s/q",
    "<j>{ for $t in //t, $s in //t where $t/n = $s/n and $t/@k = $s/@k return <p>{ $s/q }</p> }</j>",
    "for $t in //t, $s in //t where $t/n = $s/n order by number($s/q[1]) descending return <p>{ $s/q }</p>",
    "count(for $t in //t, $s in //t where $t/n = $s/n and $t/q < $s/q return 1)",
    "sum(for $t in //t, $s in //t where $t/n = $s/n return $s/q/number(.))",
    "for $t in //t, $s in //t where $t/n = $s/n and $s/q > $s/q#1 return <up>{ $t/n, $s/q#[1] }</up>",
    "for $t in //t, $s in //t, $z in //t where $t/n = $s/n and $z/n = $t/n return <p>{ $s/q, $z/q }</p>",
    "for $t in //t, $s in /r/t[@k] where $t/n = $s/n and $t/q >= $s/q return <p>{ $t/q, $s/q }</p>",
)
"""Queries whose units the kernel answers."""
OTHERS = (
    "for $t in //t order by $t/n[1], $t/q[1] empty greatest return string($t/q[1])",
    "for $t in //t where $t/q != $t/q#2 or $t/q#1 > 5 order by $t/q#1[1] return <up>{ $t/q#1, '|', $t/q#2 }</up>",
    "min(//t/n/string())",
    "<m>{ max(//n) }</m>",
    "<c>{ for $t in //t[n = '7' or q > 4]/q where . > 3 return <q>{ $t }</q> }</c>",
    "for $q in /r[t/n != '7']/t where $q/q > 2 order by $q/q[1] return <t>{ $q/q }</t>",
    "<all>{ for $t in //t return <x k='{ $t/@k }'>{ string($t/n), number($t/q) * 2 }</x> }</all>",
    "for $t in //t order by number($t/q) return <s>{ $t/n, $t/q }</s>",
    "for $t in //t order by xs:integer($t/q[1]) return <s>{ $t/n, $t/q }</s>",
    "for $t in //t order by if ($t/q = '7') then 7 else string($t/q[1]) return <s>{ $t/n, $t/q }</s>",
    "for $t in //t where $t/q > $t/q?1 return <up>{ $t/n, $t/q#[1] }</up>",
    "for $t in //t[q#1 = 7] return $t",
    "for $t in //t return <v>{ $t/q[1]#1, $t/q[. > 3]#1 }</v>",
    "for $t in //t, $s in //t where $t/q = $s/n return <p>{ $t/q, $s/q }</p>",
    "sum(//t/q/number(.)), min(//t/n/string())",
    "for $t in //t return $t/q",
    "for $t in //t, $q in $t/q return string($q)",
    "for $t in //t where $t/q > 3 for $s in //t[n = $t/n] return <p>{ $s/q }</p>",
    "for $t in //t, $s in //t where $t/n = $s/n for $z in //t where $z/q = $s/q return <p>{ $z/n, $z/q }</p>",
    "for $t in //t, $p in $t/n, $s in //t where $s/n = $p return <p>{ $s/q }</p>",
    "for $t in //t, $s in //t where $t/n = $s/n return <p>{ $t, $s }</p>",
    "for $t in //t, $s in //q where $t/n = $s return <p>{ $t/n, $s }</p>",
    "for $t in //t, $s in //t[z] where $t/z = $s/z return <p>{ $t/n, $s/q }</p>",
    "for $t in //t, $s in //t where $t/n = $s/n return <p>{ $s/n?1, $s/q?[2] }</p>",
    "for $t in //t, $s in //t where $t/n = $s/n return string($s/q[1])",
    "for $t in //t where xs:integer($t/q) > 5 return <i>{ $t/q }</i>",
    "for $t at $i in //t[q > 4] return <at i='{ $i }'>{ $t/q }</at>",
    "for $t in //t group by $k := $t/n return <g>{ $k, count($t) }</g>",
    "for $t in //t where ($t/q > 5)#1 return $t/n",
    "(//t/q)[2], //n/following::q[1]",
)
pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel is not built")


def _text(rng: random.Random, numbers: float = 0.0) -> str:
    if rng.random() < numbers:
        return str(rng.randint(1, 12))
    return rng.choice((str(rng.randint(1, 9)), str(rng.randint(1, 99)), "&lt;&amp;", "é ", " x", "1e1", "7"))


def _unit(rng: random.Random, number: int) -> str:
    other = rng.choice(("", "<z>1</z>", "text", f'<q u:id="e{number}">{rng.randint(1, 9)}</q>', "<!-- c -->"))
    given = "" if rng.random() < 0.1 else f'<q u:id="q{number}">{rng.randint(1, 9)}</q>'
    return f'<t k="{number}"><n u:id="n{number}">{_text(rng)}</n>{given}{other}</t>'


def random_texts(rng: random.Random, updates: int) -> str:
    """A stream whose updates are mostly texts of regions."""
    units = rng.randint(1, 6)
    made = "".join(
        f'<u:mutable id="t{one}">{_unit(rng, one)}</u:mutable>' if rng.random() < 0.5 else _unit(rng, one)
        for one in range(units)
    )
    made = f'{OPEN}<r>{made}<u:mutable id="end"/></r>'
    time = 0
    wildness = rng.choice((1, 0.2, 0.05))
    for _ in range(updates):
        time += rng.choice((0, 0, 1, 2))
        at = f' t="{time}{rng.choice(("", ".5"))}"' if rng.random() < 0.7 else ""
        time += bool(at)
        one, kind = rng.randrange(units), rng.random()
        kind = kind if kind < 0.8 or rng.random() < wildness else 0.0
        region = f"{rng.choice('qqqn')}{one}"
        if kind < 0.8:
            text = _text(rng, 1 - wildness)
            made += f'<u:replace of="{region}"{at}><{region[0]}>{text}</{region[0]}></u:replace>'
        elif kind < 0.84:
            made += f'<u:replace of="{region}"{at}><q>{rng.randint(1, 9)}<i/></q></u:replace>'
        elif kind < 0.87:
            made += f'<u:replace of="{region}"{at}><{rng.choice("nq")}>8</{rng.choice("nq")}></u:replace>'
        elif kind < 0.89:
            made += f'<u:replace of="{region}" id="{rng.choice("qn")}{rng.randrange(units)}"{at}><q>6</q></u:replace>'
        elif kind < 0.91:
            made += f'<u:remove of="{region}"{at}/>'
        elif kind < 0.93:
            made += f'<u:insert-after of="{region}"{at}><q u:id="{region}">4</q></u:insert-after>'
        elif kind < 0.95:
            made += f'<u:insert-before of="end"{at}>{_unit(rng, units)}</u:insert-before>'
            units += 1
        elif kind < 0.96:
            made += f'<u:replace of="t{one}"{at}>{_unit(rng, one)}</u:replace>'
        elif kind < 0.97:
            made += f'<u:freeze of="{region}"/>'
        elif kind < 0.98:
            made += f"<u:clock{at}/>"
        else:
            made += f"\n <u:batch{at}><u:replace of='q0'><q>3</q></u:replace><u:remove of='n0'/></u:batch> <!-- c -->"
    return f"{made}</u:stream>"


def _run(query: str, stream: str, chunk: int, limits: Limits = DEFAULT_LIMITS, **how: object) -> UpdateRun:
    base, end, rest = stream.encode().partition(b"</r>")
    # What comes together with the base is read event by event.
    chunks = [base + end, *(rest[at : at + chunk] for at in range(0, len(rest), chunk))]
    given = UpdateInput("", "s", read_wire(chunks, leaves_runs=True), leaves_runs=True)
    made = HistoryQuery(query, StaticEnvironment())
    return made.run([given], FileResources(), {}, limits=limits, **how)  # type: ignore[arg-type]


def _shown(query: str, stream: str, chunk: int) -> tuple[Shown, str]:
    answers = _run(query, stream, chunk).answers()
    return told((one.commit.number, str(one.commit.time), one.display.text) for one in answers if one.is_changed)


def _expected(query: str, stream: str) -> tuple[Shown, str]:
    shown: Shown = []
    try:
        displays(query, stream, chunk=1 << 20, shown=shown)
    except XylemError as error:
        return shown, error.code
    return shown, ""


@pytest.mark.parametrize("query", [*ANSWERED, *OTHERS])
@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_reference(query: str, seed: int) -> None:
    stream = random_texts(random.Random(f"{seed}{query}"), 60)
    expected = _expected(query, stream)
    for chunk in (1 << 20, 997, 1):
        assert _shown(query, stream, chunk) == expected, (query, stream, chunk)


def _updates(*texts: str) -> str:
    base = f'{OPEN}<r><t k="1"><n>A</n><q u:id="q">1</q></t><t k="2"><n>B</n><q u:id="p">9</q></t></r>'
    return f"{base}{''.join(texts)}</u:stream>"


@pytest.mark.parametrize("query", ANSWERED)
def test_the_kernel_answers(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    answered = TextRuns._answered
    monkeypatch.setattr(
        TextRuns, "_answered", lambda self, found: [*answered(self, found), seen.append(len(found))][:-1]
    )
    stream = _updates(*(f'<u:replace of="q" t="{time}"><q>{time}</q></u:replace>' for time in range(1, 20)))
    assert _shown(query, stream, 1 << 20) == _expected(query, stream)
    assert sum(seen) == 19


def test_what_was_found_in_a_unit_is_found_again() -> None:
    base = f'{OPEN}<r><u:mutable id="t"><t><n u:id="n">1</n><q u:id="q">6</q></t></u:mutable></r>'
    stream = base + '<u:replace of="q"><q>8</q></u:replace><u:replace of="n"><n>7</n></u:replace></u:stream>'
    query = "for $t in /r[t/n != '7']/t where $t/q > 2 order by $t/q[1] return <t>{ $t/q }</t>"
    assert _shown(query, stream, 1 << 20) == _expected(query, stream)
    assert _shown(query, stream, 1 << 20)[0][-1] == (3, "0", "")


@pytest.mark.parametrize("query", ["count(//t[q > q#1])", "for $t in //t where $t/q?[1] = 6 return $t/q#1"])
def test_a_version_without_content_is_followed_by_others(query: str) -> None:
    updates = (f'<u:replace of="q" t="{time}"><q>{time}</q></u:replace>' for time in (2, 4, 6))
    stream = _updates('<u:remove of="q" t="1"/>', *updates)
    assert _shown(query, stream, 1 << 20) == _expected(query, stream)


def test_a_text_that_only_code_can_judge_is_its_error() -> None:
    stream = _updates('<u:replace of="q" t="1"><q>2</q></u:replace>', '<u:replace of="p" t="2"><q>x</q></u:replace>')
    query = "for $t in //t where xs:integer($t/q) > 5 return <i>{ $t/q }</i>"
    assert _shown(query, stream, 1 << 20) == _expected(query, stream)
    assert _shown(query, stream, 1 << 20)[1] == "FORG0001"


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ('<u:replace of="x" t="2"><q>1</q></u:replace>', "XYIN0040"),
        ('<u:freeze of="q"/><u:replace of="q" t="2"><q>1</q></u:replace>', "XYIN0042"),
        ('<u:replace of="q" t="0.5"><q>1</q></u:replace>', "XYIN0043"),
        ('<u:replace of="q" t="soon"><q>1</q></u:replace>', "XYIN0044"),
    ],
)
def test_bad_updates_have_their_place(update: str, code: str) -> None:
    stream = _updates('<u:replace of="q" t="1"><q>8</q></u:replace>\n', update)
    with pytest.raises(XylemError) as caught:
        list(_run(ANSWERED[0], stream, 1 << 20).answers())
    assert caught.value.code == code
    place = getattr(caught.value, "place", None)
    assert place is not None
    assert place.line == 2
    assert stream.encode()[place.byte_offset :].startswith(b"<u:replace of=")


def test_figures_count_all_updates() -> None:
    stream = _updates(*(f'<u:replace of="q" t="{time}"><q>{time}</q></u:replace>' for time in range(1, 20)))
    run = _run(ANSWERED[0], stream, 1 << 20)
    assert run.final().text == _expected(ANSWERED[0], stream)[0][-1][2]
    assert (run.figures.updates, run.figures.commits) == (19, 20)
    assert isinstance(run.run, Engine)
    assert run.figures.evaluated == 21


def test_the_size_of_updates_may_be_limited() -> None:
    stream = _updates(*(f'<u:replace of="{id}" t="1"><q>3</q></u:replace>' for id in "qp"))
    with pytest.raises(XylemError) as caught:
        list(_run(ANSWERED[0], stream, 1 << 20, Limits(history_bytes=1_000)).answers())
    assert caught.value.code == "XYIN0049"


def test_units_that_are_known_again_take_no_more_room() -> None:
    twice = '<u:replace of="q"><q>1<i/></q></u:replace><u:replace of="q"><q>2</q></u:replace>'
    run = _run(ANSWERED[0], _updates(twice * 50), 1 << 20)
    run.final()
    assert run._texts is not None
    assert len(run._texts._documents.regions) == 2
    assert len(run._texts._documents.units) == 2


def test_a_region_beside_which_something_came_can_be_frozen() -> None:
    stream = _updates(
        '<u:replace of="q" t="1"><q>8</q></u:replace>',
        '<u:insert-after of="q" t="2"><z>1</z></u:insert-after>',
        '<u:replace of="q" t="3"><q>7</q></u:replace>',
        '<u:freeze of="q"/><u:replace of="q" t="4"><q>9</q></u:replace>',
    )
    shown, code = _shown(ANSWERED[0], stream, 1 << 20)
    assert (shown, code) == _expected(ANSWERED[0], stream)
    assert code == "XYIN0042"
