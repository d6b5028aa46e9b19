"""Queries spoilt at random: each ends in a result or in a coded error, in bounded time, from the tree and streamed.

The mutator is seeded by numbers, so a failure comes back: other ones each day, ten thousand in a campaign. What a
mutated query means is nobody's business here; that the engine never answers with an internal exception, a
RecursionError or silence is. A third of them is also explained, taken apart for tasks, followed over an update stream
and described for a network.
"""

from __future__ import annotations

import faulthandler
import re
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.bench.xmark_queries import NUMBERS, query
from xylem.network.properties import NotShared, properties_of
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.deep_stack import with_deep_stack

from tests import turns

MUTANTS = 10_000 if turns.is_campaign() else 400
BATCH = 25
FIRST = turns.today() * 400
ITEMS = 10_000  # of a result that are looked at: `1 to 1000000000` is a fine query
SECONDS = 60

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "differential" / "queries"
EVERYDAY = ROOT / "tests" / "golden" / "everyday.txt"
OTHERS = """
for $p in //person return <p id="{ $p/@id }">{ $p/name, if ($p/a/@n * 2 > 1) then sum($p/a/@n) else $p/b[1]/text() }</p>
for $a in //a return serialize(map { 'n': data($a/@n), 'b': array { $a/b ! number(.) } }, map { 'method': 'json' })
for $a in /site/*|@n diff 2 step 1| return <w>{ count($a), avg($a/b) }</w>
for tumbling window $w in //* start $s at $i when true() end $e at $j when $j - $i = 2 return <w>{ sum($w/@n) }</w>
for $p in //person for $a in //a where $p left outer 2 bestmatch join $a on (abs($p/@n - $a/@n)) min 5 return ($p, $a)
//a#1, //a#(1 to 2), //b?[60], count(//a?(5)), for $a in //a where $a/b > $a/b#1 return $a
declare execution sequential; declare variable $n := 0; for $a in //a return { set $n := $n + 1; <n>{ $n }</n> }
for $a in //* group by $k := name($a) order by count($a) descending return <k n="{ $k }">{ max($a/@n), $a[1]/b }</k>
for $a in stream("x")//a where $a/ancestor::*/@n = 1 or $a/preceding-sibling::*[1]/b return $a/../b
(for $a in //a order by number($a/@n) descending return $a)[position() le 3], //a[last()], (//b)[2]
"""
UPDATES = (
    b"<u:stream xmlns:u='urn:xylem:update'><site><a n='1'><b u:id='i'>2</b></a></site>"
    b"<u:replace of='i' t='5'><b>3</b></u:replace><u:remove of='i' t='9'/></u:stream>"
)
DOCUMENT = "<site><people><person id='person0'><name>A</name></person></people><a n='1'><b>2</b><!--c--></a></site>"

_TOKEN = re.compile(
    r"""\s+|\(:.*?:\)|"(?:[^"]|"")*"|'(?:[^']|'')*'|[\w.\-]+|:=|::|//|<<|>>|<=|>=|!=|\|\||=>|\*\*|.""", re.DOTALL
)
_OPERATORS = " + - * = != < <= > >= << >> | || ! , div idiv mod eq ne lt le gt ge is to and or union "
_FRAGMENTS = """
    ( ) [ ] { } , ; : := :: / //||| ! != = < > <= >= << >> + - * ? # @ $ $x . .. & % ` ``[ ]`` => ** <a> </a> <a/>
    <!-- --> <? ?> (: :) (# #) "" '' 1 1.5 1e0 0x 99999999999999999999 xs:integer Q{u}n for let where order by group
    return if then else some every satisfies in as at instance of cast treat castable try catch typeswitch switch case
    default function map array element attribute text document namespace declare variable external import module
    validate ordered ancestor:: self:: *:a a:* && &amp; &#0; \x00 é 𝄞 position() last() () (()) true() NaN INF eq ne
    is to div idiv mod union intersect except
""".split()  # noqa: SIM905 - a list of two hundred words reads better as words


@cache
def corpus() -> list[str]:
    texts = [query(number) for number in NUMBERS]
    for file in sorted(CORPUS.glob("*.xq")):
        texts += [part.strip() for part in re.split(r"^\(:.*?:\)", file.read_text("utf-8"), flags=re.MULTILINE)]
    texts += [file.read_text("utf-8") for file in sorted((ROOT / "examples").rglob("*.xq"))]
    texts += [line for line in EVERYDAY.read_text("utf-8").splitlines() if line and not line.startswith(("#", "=="))]
    texts += OTHERS.strip().splitlines()
    # Loops over a hundred million items are for tests of laziness; mutated, they would only be slow.
    return [text for text in texts if text and "100000000" not in text]


def _delete(tokens: list[str], random: Random) -> None:
    del tokens[random.randrange(len(tokens))]


def _duplicate(tokens: list[str], random: Random) -> None:
    place = random.randrange(len(tokens))
    tokens.insert(place, tokens[place])


def _swap(tokens: list[str], random: Random) -> None:
    one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]


def _insert(tokens: list[str], random: Random) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice(_FRAGMENTS))


def _replace(tokens: list[str], random: Random) -> None:
    tokens[random.randrange(len(tokens))] = random.choice(_FRAGMENTS)


def _flip(tokens: list[str], random: Random) -> None:
    place = random.randrange(len(tokens))
    token = tokens[place]
    at = random.randrange(len(token))
    tokens[place] = token[:at] + chr(max(9, ord(token[at]) ^ (1 << random.randrange(7)))) + token[at + 1 :]


def _cut(tokens: list[str], random: Random) -> None:
    del tokens[random.randrange(1, len(tokens) + 1) :]


def _kind(token: str) -> str:
    """Tokens of one kind can stand for each other without spoiling the grammar, mostly."""
    if token.isspace():
        return "space"
    if token[0] in "\"'" or token[0].isdigit():
        return "literal"
    if f" {token} " in _OPERATORS:
        return "operator"
    return "name" if token[0].isalpha() else token


@cache
def _vocabulary() -> dict[str, list[str]]:
    kinds: dict[str, set[str]] = {}
    for text in corpus():
        for token in _TOKEN.findall(text):
            kinds.setdefault(_kind(token), set()).add(token)
    return {kind: sorted(tokens) for kind, tokens in kinds.items()}


def _exchange(tokens: list[str], random: Random) -> None:
    """Another token of the same kind: what parses mostly still does, and means something else."""
    place = random.randrange(len(tokens))
    tokens[place] = random.choice(_vocabulary().get(_kind(tokens[place]), [" "]))


def _graft(tokens: list[str], random: Random) -> None:
    """A whole other query, in parentheses, in place of a literal."""
    places = [place for place, token in enumerate(tokens) if _kind(token) == "literal"]
    scion = random.choice(corpus())
    if places and not scion.startswith("declare"):
        tokens[random.choice(places)] = f"({scion})"


_MUTATIONS: tuple[Callable[[list[str], Random], None], ...] = (
    _delete,
    _duplicate,
    _swap,
    _insert,
    _replace,
    _flip,
    _cut,
    *[_exchange] * 14,
    *[_graft] * 5,
)


def mutant(number: int) -> str:
    """The query with this number: a query of the corpus after one to four mutations."""
    random = Random(f"mutant {number}")
    tokens: list[str] = _TOKEN.findall(random.choice(corpus()))
    for _ in range(random.randrange(1, 5)):
        if tokens:
            random.choice(_MUTATIONS)(tokens, random)
    return "".join(tokens)


@cache
def tree() -> xylem.Node:
    return xylem.parse(DOCUMENT)


def stages(number: int, text: str) -> list[Callable[[], object]]:
    """All that is done with queries of users; each ends in a result or a coded error."""
    made: list[Callable[[], object]] = [
        lambda: list(islice(xylem.compile(text).run(context=tree()), ITEMS)),
        lambda: list(islice(xylem.compile(text).stream(DOCUMENT.encode()), ITEMS)),
    ]
    if number % 3 == 0:
        made += [
            lambda: str(xylem.compile(text).explain()),
            lambda: with_deep_stack(lambda: compile_distributed(text, StaticEnvironment())),
            lambda: list(islice(xylem.history_query(text).answers(UPDATES), 5)),
            lambda: with_deep_stack(lambda: properties_of(xylem.compile(text).compiled.module)),
        ]
    return made


@pytest.mark.timeout(SECONDS * 2)
@pytest.mark.parametrize("first", range(0, MUTANTS, BATCH))
@pytest.mark.share(2)
def test_mutants_end_well(first: int) -> None:
    for number in range(FIRST + first, FIRST + first + BATCH):
        text = mutant(number)
        for stage in stages(number, text):
            faulthandler.dump_traceback_later(SECONDS)
            try:
                stage()
            except xylem.EngineBug as bug:
                pytest.fail(f"mutant {number}: {bug}\n{text}")
            except (xylem.XylemError, NotShared):
                pass  # a coded error is a good end
            except Exception as reason:
                pytest.fail(f"mutant {number}: {type(reason).__name__}: {reason}\n{text}")
            finally:
                faulthandler.cancel_dump_traceback_later()


def test_mutants_are_reproducible_and_different() -> None:
    assert mutant(7) == mutant(7)
    assert len({mutant(number) for number in range(100)}) > 90


@pytest.mark.parametrize("text", ["//a/sort()", "sort()", "sort(1, (), abs#1, 2)"])
def test_a_sort_with_other_arguments_is_no_function(text: str) -> None:
    with pytest.raises(xylem.XylemError, match="XPST0017"):
        xylem.compile(text).check()
