"""Catalogues in PostgreSQL: the same state as in a file, several sites at once, and whole after every kill."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from xylem.errors import InputError, XylemError
from xylem.network.catalogue import Catalogue
from xylem.network.change_database import ChangeDatabase, catalogue_place
from xylem.network.change_store import ChangeFile, ChangeStore
from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

from .postgresql_server import PostgresqlServer, binaries

pytest.importorskip("psycopg", reason="a catalogue in PostgreSQL needs: pip install 'xylem-xquery[postgresql]'")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed here: apt install postgresql")
    made = PostgresqlServer(programs)
    yield made
    made.close()


def filled(store: ChangeStore) -> None:
    made = Catalogue(store)
    made.add_source("orders")
    for number in range(12):
        made.subscribe(f"s{number}", f"stream('orders')//order[@n = {number}]/'ä\"'", "orders", number, 17)
    made.unsubscribe("s3", 103)
    made.suspend("s4", "unread")
    made.resume("s4")
    made.complete("s5", 9)
    made.fail("s1", 7, "too slow")
    made.add("link", "SP1", {"kind": "super", "url": "", "token": "", "bandwidth": 1.0})
    made.close()


def told(store: ChangeStore) -> object:
    with closing(Catalogue(store)) as read:
        state = [one.to_dict() for one in read.subscriptions.values()]
        return read.version, read.sources, state, read.network


def test_the_state_is_that_of_a_file(server: PostgresqlServer, tmp_path: Path) -> None:
    filled(ChangeFile(tmp_path / "catalogue.db"))
    filled(ChangeDatabase(server.url, "same"))
    assert told(ChangeDatabase(server.url, "same")) == told(ChangeFile(tmp_path / "catalogue.db"))


def test_several_sites_write_at_once_and_each_has_its_own(server: PostgresqlServer) -> None:
    def work(site: str) -> None:
        with closing(Catalogue(ChangeDatabase(server.url, site))) as made:
            for number in range(30):
                made.add_source(f"{site}-{number}")

    threads = [threading.Thread(target=work, args=(f"speaker{number}",)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for number in range(4):
        with closing(Catalogue(ChangeDatabase(server.url, f"speaker{number}"))) as read:
            assert list(read.sources) == [f"speaker{number}-{each}" for each in range(30)]


def test_a_second_process_of_a_site_is_refused(server: PostgresqlServer) -> None:
    with closing(ChangeDatabase(server.url, "one")), pytest.raises(InputError, match="XYRT0054"):
        ChangeDatabase(server.url, "one")


def test_what_was_changed_in_the_database_is_seen(server: PostgresqlServer) -> None:
    import psycopg

    filled(ChangeDatabase(server.url, "changed"))
    with psycopg.connect(server.url, autocommit=True) as database:
        database.execute(
            "update xylem_change set body = replace(body, '7', '8') where site = 'changed' and version = 5"
        )
    refused = pytest.raises(XylemError, match=r"XYRT0033.*change 5")
    with closing(ChangeDatabase(server.url, "changed")) as store, refused:
        Catalogue(store)


def test_a_server_that_is_not_there_is_an_error_with_its_place() -> None:
    with pytest.raises(XylemError, match="XYRT0065") as refused:
        ChangeDatabase("postgresql://someone:secret@127.0.0.1:9/none", "site", 0.0)
    assert "secret" not in str(refused.value)


def test_the_place_is_chosen_once(tmp_path: Path) -> None:
    url = "postgresql://me:secret@127.0.0.1:5/x"
    assert catalogue_place(tmp_path, "", "a") is None
    place = catalogue_place(tmp_path, url, "a")
    assert place is not None
    assert place[0] == url
    assert catalogue_place(tmp_path, "", "b") == ("postgresql://me@127.0.0.1:5/x", place[1])
    assert "secret" not in "".join(path.read_text() for path in tmp_path.iterdir() if path.is_file())
    with pytest.raises(InputError, match="XYRT0053"):
        catalogue_place(tmp_path, "postgresql://127.0.0.1/other", "a")
    with pytest.raises(InputError, match="XYRT0053"):
        catalogue_place(tmp_path, "mysql://127.0.0.1/x", "a")
    (tmp_path / "other").mkdir()
    other = catalogue_place(tmp_path / "other", url, "a")
    assert other is not None
    # Sites with one name have each its own changes.
    assert other[1] != place[1]
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "catalogue.db").touch()
    with pytest.raises(InputError, match="XYRT0053"):
        catalogue_place(tmp_path / "file", url, "a")


WRITER = """
import sys
from xylem.network.catalogue import Catalogue
from xylem.network.change_database import ChangeDatabase
made = Catalogue(ChangeDatabase(sys.argv[1], sys.argv[2]))
print("begun", flush=True)
while True:
    made.add_source(f"s{made.version}")
    print(made.version, flush=True)
"""


def test_killed_writers_leave_all_that_they_were_told_is_kept(server: PostgresqlServer) -> None:
    draw = random.Random(3)
    kept = 0
    for _ in range(3):
        command = [sys.executable, "-c", WRITER, server.url, "killed"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "begun\n"
            for _ in range(draw.randint(1, 60)):
                kept = int(writer.stdout.readline())
            writer.kill()
            kept = max([kept, *map(int, writer.stdout.read().split())])
        with closing(Catalogue(ChangeDatabase(server.url, "killed"))) as read:
            # The last one may have arrived without an answer.
            assert kept <= read.version <= kept + 1
            assert list(read.sources) == [f"s{number}" for number in range(read.version)]


def test_a_site_goes_on_when_its_server_was_killed(server: PostgresqlServer, tmp_path: Path) -> None:
    site = Site(tmp_path / "site", limits=SiteLimits(catalogue=server.url))
    stream = site.publication("photons")
    stream.feed(b"<photons><photon><en>1.0</en></photon>")
    hot = site.subscribe("hot", "<hot>{ /photons/photon[en > 1.3]/en }</hot>", "photons", "earliest")
    server.kill()
    again = threading.Thread(target=lambda: (time.sleep(0.5), server.start()))
    again.start()
    # It waits for the server.
    site.subscribe("all", "count(/photons/photon)", "photons", "earliest")
    again.join()
    stream.feed(b"<photon><en>2.5</en></photon>")
    server.kill()
    server.start()
    site.unsubscribe("hot")
    site.unsubscribe("all")
    site.work_all()
    assert site.answer(hot, 0)[0] == b"<hot><en>2.5</en></hot>"
    site.close()
    # The place is known to the site from now on.
    assert not (tmp_path / "site" / "catalogue.db").exists()
    once_more = Site(tmp_path / "site")
    assert [one.name for one in once_more.catalogue.subscriptions.values()] == ["hot", "all"]
    assert once_more.answer(once_more.catalogue.subscriptions["all"], 0)[0] == b"2"
    once_more.close()
