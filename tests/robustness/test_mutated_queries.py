"""Queries spoilt at random: each ends in a result or in a coded error, in bounded time, from the tree and streamed.

The mutator is seeded by numbers, so a failure comes back: other ones each day, ten thousand in a campaign. What a
mutated query means is nobody's business here; that the engine never answers with an internal exception, a
RecursionError or silence is.
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

from tests import turns

MUTANTS = 10_000 if turns.is_everything_asked_for() else 400
BATCH = 25
FIRST = turns.today() * 400
ITEMS = 10_000  # of a result that are looked at: `1 to 1000000000` is a fine query
SECONDS = 60

CORPUS = Path(__file__).parents[1] / "differential" / "queries"
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


@pytest.mark.timeout(SECONDS * 2)
@pytest.mark.parametrize("first", range(0, MUTANTS, BATCH))
def test_mutants_end_well(first: int) -> None:
    tree = xylem.parse(DOCUMENT)
    for number in range(FIRST + first, FIRST + first + BATCH):
        text = mutant(number)
        faulthandler.dump_traceback_later(SECONDS)
        try:
            query = xylem.compile(text)
            list(islice(query.run(context=tree), ITEMS))
            list(islice(query.stream(DOCUMENT.encode()), ITEMS))
        except xylem.EngineBug as bug:
            pytest.fail(f"mutant {number}: {bug}\n{text}")
        except xylem.XylemError:
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
