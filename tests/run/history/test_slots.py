"""The store of an update stream: slots, versions, ids, commits, and trees as of any commit."""

from __future__ import annotations

from decimal import Decimal

import pytest
from xylem.errors import InputError
from xylem.run.history.commits import Commit, History
from xylem.run.history.flat_history import flat_history
from xylem.run.history.state_tree import StateTree
from xylem.run.history.updates import Builder, UpdateKind, Updates
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.qname import QName
from xylem.values.version_choice import VersionChoice


class Feed:
    """A stream written by hand: the time of each update is its number."""

    def __init__(self) -> None:
        self.history = History()
        self.updates = Updates(self.history.stream("s"))

    def base(self, *events: str) -> None:
        """`<a`, `<a#id`, `>` an end, `[id` and `]` a region, anything else is text."""
        write(self.updates.base, events)
        self.updates.show_base()
        self.history.commit()

    def update(self, kind: UpdateKind, of: str, id: str | None, *events: str, commits: bool = True) -> None:
        begun = self.updates.begin(kind, of, id)
        write(begun, events)
        self.updates.end(begun)
        if commits:
            self.commit()

    def commit(self) -> Commit:
        self.updates.advance(self.history.now + 1)
        return self.history.commit()

    def shown(self, commit: int | None = None) -> str:
        tree = self.tree(commit)
        return serialize([tree.document], SerializationParameters(omit_xml_declaration=True))

    def tree(self, commit: int | None = None) -> StateTree:
        number = self.history.number if commit is None else commit
        return StateTree(self.history, self.updates.stream, number)


def write(builder: Builder, events: tuple[str, ...]) -> None:
    for event in events:
        if event.startswith("<"):
            local, _, id = event[1:].partition("#")
            builder.start(QName("", local), id=id or None)
        elif event == ">":
            builder.end()
        elif event.startswith("["):
            builder.begin_region(event[1:] or None)
        elif event == "]":
            builder.end_region()
        else:
            builder.text(event)


def choose(sign: str, amount: int) -> VersionChoice:
    return VersionChoice(sign, Decimal(amount))  # type: ignore[arg-type]


@pytest.fixture
def feed() -> Feed:
    return Feed()


def versions(feed: Feed, id: str) -> list[list[str]]:
    slot = feed.updates.stream.slots[id]
    return [[repr(node) for node in version.nodes] for version in flat_history(slot, feed.history.number)]


def test_inserts_stand_beside_the_slot_and_later_ones_nearer(feed: Feed) -> None:
    """The paper's example of section 2: x replaced by y, z after it, w before it."""
    feed.base("<r", "[1", "x", "]", ">")
    feed.update("replace", "1", "2", "y")
    feed.update("insert-after", "2", "3", "z")
    feed.update("insert-before", "1", "3", "w")
    assert feed.shown() == "<r>wyz</r>"
    feed.update("insert-after", "1", None, "nearer")
    feed.update("insert-before", "2", None, "near")
    assert feed.shown() == "<r>wnearynearerz</r>"


def test_any_id_of_any_version_names_the_slot_and_the_last_binding_wins(feed: Feed) -> None:
    feed.base("<r", "<a#i", "1", ">", "<b#k", ">", ">")
    feed.update("replace", "i", "i2", "<a", "2", ">")
    feed.update("replace", "i", "k", "<a", "3", ">")
    feed.update("replace", "i2", None, "<a", "4", ">")
    assert feed.shown() == "<r><a>4</a><b/></r>"
    feed.update("remove", "k", None)
    assert feed.shown() == "<r><b/></r>"
    assert len(versions(feed, "i")) == 5


def test_the_state_as_of_any_commit_is_kept(feed: Feed) -> None:
    feed.base("<r", "<a#i", "1", ">", ">")
    feed.update("replace", "i", None, "<a", "2", ">")
    feed.update("insert-before", "i", "k", "<b", ">")
    feed.update("remove", "k", None)
    assert [feed.shown(commit) for commit in range(1, 5)] == [
        "<r><a>1</a></r>",
        "<r><a>2</a></r>",
        "<r><b/><a>2</a></r>",
        "<r><a>2</a></r>",
    ]


def test_an_update_inside_a_superseded_version_edits_that_version(feed: Feed) -> None:
    feed.base("<r", "[out", "<a", "<b#in", "1", ">", ">", "]", ">")
    feed.update("replace", "out", None, "<a", "new", ">")
    feed.update("replace", "in", None, "<b", "2", ">")
    tree = feed.tree()
    assert feed.shown() == "<r><a>new</a></r>"
    (old,) = tree.chosen_content(1, choose("#", 1))
    assert tree.string_value(old) == "2"


def test_regions_directly_in_a_region_have_one_history(feed: Feed) -> None:
    feed.base("<r", "[out", "[in", "x", "]", "[other", "y", "]", "]", ">")
    feed.update("replace", "in", None, "z")
    assert versions(feed, "out") == [["Leaf('z')", "Leaf('y')"], ["Leaf('x')", "Leaf('y')"]]
    feed.update("replace", "out", None, "w")
    feed.update("replace", "other", None, "edited")
    assert versions(feed, "out") == [["Leaf('w')"], ["Leaf('z')", "Leaf('edited')"], ["Leaf('x')", "Leaf('y')"]]


def test_a_commit_says_what_changed_and_when(feed: Feed) -> None:
    told: list[Commit] = []
    feed.history.listeners.append(told.append)
    feed.base("<r", "<a#i", ">", ">")
    feed.update("replace", "i", "i2", "<a", ">")
    feed.update("insert-after", "i2", "k", "<b", ">", commits=False)
    feed.update("remove", "i", None)
    kinds = [change.kind for commit in told for change in commit.changes]
    assert kinds == ["content", "replaced", "inserted", "removed"]
    assert [(commit.number, commit.time) for commit in told] == [(1, 0), (2, 1), (3, 2)]
    replaced, (inserted, removed) = told[1].changes[0], told[2].changes
    assert replaced.slot is inserted.anchor is removed.slot
    assert removed.old is replaced.new
    assert inserted.side == "after"
    assert inserted.new is not None
    assert inserted.new.shown == 3


def test_document_order_is_slot_then_newest_first(feed: Feed) -> None:
    feed.base("<r", "<a#i", "1", ">", "<a#k", "x", ">", ">")
    for number in ("2", "3"):
        feed.update("replace", "i", None, "<a", number, ">")
    feed.update("replace", "k", None, "<a", "y", ">")
    tree = feed.tree()
    rows = tree.chosen_content(1, choose("#[]", 2))
    assert [tree.string_value(row) for row in rows] == ["3", "2", "1", "y", "x"]
    shuffled = [rows[place] for place in (3, 0, 4, 2, 1)]
    assert sorted(shuffled, key=tree.rank) == rows
    assert [tree.parents[row] for row in rows] == [1] * 5
    oldest = rows[2]
    assert [tree.string_value(row) for row in tree.siblings(oldest, are_after=True)] == ["y"]
    assert tree.version_number(oldest) == 2
    assert tree.lifespan(oldest) == (0, 1)
    assert tree.chosen_versions(rows[1], choose("#", 1)) == [oldest]


def test_versions_of_versions(feed: Feed) -> None:
    """a#1/b#1: the version before of a, and in it the version before of b."""
    feed.base("[out", "<a", "<b#in", "X", ">", ">", "]")
    feed.update("replace", "in", None, "<b", "Y", ">")
    feed.update("replace", "out", None, "<a", "<b", "W", ">", ">")
    tree = feed.tree()
    (a,) = tree.chosen_content(0, choose("#", 1))
    rows = tree.chosen_content(a, choose("#[]", 9))
    assert [tree.string_value(row) for row in rows] == ["Y", "X"]
    assert sorted([*reversed(rows), a, 1], key=tree.rank) == [1, a, *rows]


def test_a_node_has_its_counterpart_as_of_another_commit(feed: Feed) -> None:
    feed.base("<r", "<a#i", "1", ">", ">")
    feed.update("replace", "i", None, "<a", "<b", ">", ">")
    new, old = feed.tree(), feed.tree(1)
    (b,) = [row for row in range(len(new)) if str(new.name(row)) == "b"]
    assert new.counterpart(b, old) is None
    (first,) = new.chosen_content(1, choose("#", 1))
    found = new.counterpart(first, old)
    assert found is not None
    assert old.string_value(found) == "1"
    assert old.version_number(found) == 0


def test_updates_that_cannot_be(feed: Feed) -> None:
    feed.updates.base.start(QName("", "r"))
    feed.updates.base.begin_region("open")
    for kind, code in (("replace", "XYIN0041"), ("insert-after", "XYIN0041"), ("remove", "XYIN0041")):
        with pytest.raises(InputError) as raised:
            feed.updates.begin(kind, "open")  # type: ignore[arg-type]
        assert raised.value.code == code
    feed.update("insert-before", "open", "k", "first")
    feed.updates.freeze("k")
    for of, code in (("nobody", "XYIN0040"), ("k", "XYIN0042")):
        with pytest.raises(InputError) as raised:
            feed.updates.begin("replace", of)
        assert raised.value.code == code
    with pytest.raises(InputError) as raised:
        feed.updates.advance(Decimal(0))
    assert raised.value.code == "XYIN0043"


def test_a_region_that_each_update_brings_anew_is_one_slot(feed: Feed) -> None:
    feed.base("<r", "<a#i", "0", ">", ">")
    slot = feed.updates.target("i")
    for number in range(1, 4):
        feed.update("replace", "i", None, "<a#i", str(number), ">")
    assert feed.shown() == "<r><a>3</a></r>"
    assert len(slot.versions) == len(flat_history(slot, feed.history.number)) == 4
    # What is named by another id may be updated by it, and stays.
    feed.update("replace", "i", "k", "<a#i", "4", ">")
    feed.update("replace", "i", None, "<a#i", "5", ">")
    inner = feed.updates.target("k")
    assert inner.is_inner
    assert len(flat_history(slot, feed.history.number)) == 6
    feed.update("replace", "k", None, "<a", "6", ">")
    feed.update("replace", "i", None, "<a", "late", ">")
    assert feed.shown() == "<r><a>6</a></r>"
    found = [flat.nodes[0] for flat in flat_history(slot, feed.history.number)]
    assert [node.content[0].value for node in found] == ["6", "late", "4", "3", "2", "1", "0"]  # type: ignore[union-attr]


def test_what_stands_beside_a_region_brought_anew_is_of_its_history(feed: Feed) -> None:
    feed.base("<r", "<a#i", "0", ">", ">")
    slot = feed.updates.target("i")
    feed.update("replace", "i", None, "<a#i", "1", ">")
    feed.update("insert-before", "i", None, "<b", ">")
    feed.update("replace", "i", None, "<a#i", "2", ">")
    assert feed.shown() == "<r><b/><a>2</a></r>"
    assert [len(flat.nodes) for flat in flat_history(slot, feed.history.number)] == [2, 2, 1, 1]
