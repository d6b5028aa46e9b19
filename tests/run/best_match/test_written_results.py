"""Results of best-match joins as text: what the kernel writes is what the items say, in every spelling."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.best_match import written_pairs

JOIN = """for $r in doc("r.xml")/d/r for $s in doc("s.xml")/d/s
where $r left outer bestmatch join $s on (abs($r/@x - $s/@x)) min 2"""
RESULTS = {
    "attributes": '<m a="{ $r/@x }" b="- { $s/t } -" c="{{&amp;"/>',
    "several values": '<m a="{ $r/v }" b="{ data($s/v) }"/>',
    "content": "<m>{ data($r/v) }</m>",
    "content that may be empty": "<m><a>{ string($r/t) }</a><b>{ $s/v/text() }{ $s/t/text() }</b></m>",
    "mixed content": "<m>x &lt; { string($r/t) }<e/>{ data($s/@x) }</m>",
    "numbers": '<m d="{ abs($r/@x - $s/@x) }" e="{ -($r/@x - $s/@x) * ($s/@x + $r/@x) }"/>',
    "the item itself": '<m a="{ $r }">{ string($s) }</m>',
    "below": '<m a="{ $r//v }" b="{ $s/*/w }"/>',
    "no gaps": "<m><n/>x</m>",
}
NOT_WRITTEN = {
    "copies": "<m>{ $r/t, $s/@x }</m>",
    "text": "$r/@x || $s/@x",
    "a namespace": '<m xmlns="urn:m" a="{ $r/@x }"/>',
    "computed": '<m a="{ upper-case($r/t) }"/>',
    "two elements": '(<m a="{ $r/@x }"/>, <n/>)',
    "numbers that orders do not compare": '<m a="{ $r/@y + 1 }"/>',
}


def side(name: str, seed: int) -> str:
    """Items with values of all kinds: none, several, with characters that are escaped."""
    rng = random.Random(f"{name} {seed}")
    made = []
    for _ in range(rng.randint(0, 40)):
        texts = "".join(f"<v>{rng.choice(('1', '&lt;2', 'a&#10;b', 'é“'))}</v>" for _ in range(rng.randrange(3)))
        more = f"<t>{rng.choice(('', 'x&amp;y', chr(34), '&#9;t'))}</t>" if rng.random() < 0.7 else ""
        x = rng.choice(("", f'x="{rng.randint(-9, 9)}"', f'x="{rng.uniform(-9, 9)!r}"', 'x=" 1e-7 "'))
        made.append(f"<{name} {x} y='1'>{texts}{more}<k><w>{rng.randint(0, 9)}</w></k></{name}>")
    return f"<d>{''.join(made)}</d>"


def folder_of(place: Path, seed: int) -> Path:
    for name in ("r", "s"):
        (place / f"{name}.xml").write_text(side(name, seed), encoding="utf-8")
    return place


def both(text: str, folder: Path) -> tuple[str, str]:
    """The answer as text, and its items as text."""
    query = xylem.compile(text, base_uri=f"{folder.as_uri()}/")
    items = query.run(allow=[folder])
    assert len(items) >= 0
    return query.run(allow=[folder]).serialize(), items.serialize()


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("seed", range(6))
def test_the_text_is_that_of_the_items(form: str, seed: int, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, seed)
    text = f"{JOIN} return {RESULTS[form]}"
    assert xylem.compile(text).compiled.program.can_write
    for kind in ("left", "right", "full"):
        written, items = both(text.replace("left", kind), folder)
        assert written == items
    chunks: list[bytes] = []
    query = xylem.compile(text, base_uri=f"{folder.as_uri()}/")
    query.run(allow=[folder]).write_to(chunks.append)
    assert b"".join(chunks).decode() == both(text, folder)[1]


@pytest.mark.parametrize("form", RESULTS)
def test_the_query_fills_gaps_like_the_kernel(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, 2)
    text = f"{JOIN} return {RESULTS[form]}"
    written = both(text, folder)[0]
    assert written
    monkeypatch.setattr(written_pairs, "_node_rows", lambda rows: None)
    assert both(text, folder)[0] == written


@pytest.mark.parametrize("form", NOT_WRITTEN)
def test_other_results_are_made(form: str, tmp_path: Path) -> None:
    text = f"{JOIN} return {NOT_WRITTEN[form]}"
    assert not xylem.compile(text).compiled.program.can_write
    written, items = both(text, folder_of(tmp_path, 3))
    assert written == items


def test_variables_are_seen_through(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, 4)
    plain = f'{JOIN} return <m a="{{ $r/@x }}" d="{{ abs($r/@x - $s/@x) }}" w="{{ $s/k/w }}"/>'
    named = """for $r in doc("r.xml")/d/r let $x := $r/@x for $s in doc("s.xml")/d/s let $k := $s/k where $k/w >= 0
        where $r left outer bestmatch join $s on (abs($x - $s/@x)) min 2
        let $w := $k/w return <m a="{ $x }" d="{ abs($x - $s/@x) }" w="{ $w }"/>"""
    assert xylem.compile(named).compiled.program.can_write
    assert both(named, folder) == both(plain, folder)
    assert 'w="' in both(named, folder)[0]


def test_several_nodes_for_one_are_the_error_that_they_are(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text('<d><r x="1"><t/><t/></r></d>')
    (tmp_path / "s.xml").write_text('<d><s x="1"/></d>')
    query = xylem.compile(f'{JOIN} return <m a="{{ string($r/t) }}"/>', base_uri=f"{tmp_path.as_uri()}/")
    with pytest.raises(XylemError) as caught:
        query.run(allow=[tmp_path]).serialize()
    assert caught.value.code == "XPTY0004"
    assert caught.value.span is not None


def test_a_result_can_be_read_after_it_was_written(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, 2)
    result = xylem.compile(f"{JOIN} return {RESULTS['attributes']}", base_uri=f"{folder.as_uri()}/").run(allow=[folder])
    text = result.serialize()
    assert len(result) == text.count("<m ")
    assert result.serialize() == text
    assert result.serialize(item_separator="|").count("|") == len(result) - 1
    assert result.serialize(indent=True).replace("\n", "") == text


@pytest.mark.parametrize("bytes_kept", [0, 1 << 62])
def test_windows_of_files_write_the_same(tmp_path: Path, bytes_kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from xylem.run.best_match import scanned_side, windowed_join

    monkeypatch.setattr(windowed_join, "WINDOWED_BYTES", bytes_kept)
    monkeypatch.setattr(scanned_side, "SCANNED_BYTES", 0)
    monkeypatch.setattr(windowed_join, "LEAST_ROWS", 50)
    for name in ("r", "s"):
        rng = random.Random(name)
        xs = sorted(rng.uniform(0, 900) for _ in range(1500))
        rows = "".join(f'<{name} x="{x:.2f}"><t>{n}</t></{name}>' for n, x in enumerate(xs))
        (tmp_path / f"{name}.xml").write_text(f"<d>{rows}</d>")
    for kind in ("left", "right", "full"):
        text = f'{JOIN} return <m a="{{ $r/t }}" b="{{ $s/t }}" d="{{ abs($r/@x - $s/@x) }}"/>'.replace("left", kind)
        written, items = both(text, tmp_path)
        assert written == items
        assert written.count("<m ") > 1000
