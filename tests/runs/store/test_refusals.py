"""What can go wrong with a store: one clear sentence, no password in it, and what was kept is still there."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import pytest
from kept_results import fill, info, many, result
from postgres_server import PASSWORD

from uaef.errors import StoreError
from uaef.models.base import replaced
from uaef.runs.store import open_store

SECRET = "hunter2"  # noqa: S105 - of nothing


def refusal(act):
    """The sentence with which something is refused; also of how it would be printed with all that is behind it."""
    with pytest.raises(StoreError) as raised:
        act()
    printed = "".join(traceback.format_exception(raised.value))
    assert printed.count("Traceback") == 1, "what the database said may hold a password, or recorded data"
    for secret in (SECRET, PASSWORD):
        assert secret not in printed
    assert "\n" not in str(raised.value)
    assert str(raised.value).endswith(".")
    return str(raised.value)


# --- the URL --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("runs.db", "A store is named by a URL, not by 'runs.db'"),
        ("mysql://a/b", "No store is kept at 'mysql'://"),
        (f"mysql://a:{SECRET}@h/b", "No store is kept at 'mysql'://"),
        (f"a:{SECRET}@h/b", "A store is named by a URL, not by this"),
        (f"a:{SECRET}@h://b", "No store is kept at this://"),
        (f"postgresql+asyncpg://a:{SECRET}@h/b", "No store is kept at 'postgresql+asyncpg'://"),
        ("sqlite://", "with a fourth slash where the path is absolute"),
        ("sqlite:///:memory:", "A store in a file is named by sqlite:///PATH"),
        ("sqlite://host/runs.db", "A store in a file is named by sqlite:///PATH"),
        ("sqlite:///runs.db?mode=ro", "A store in a file is named by sqlite:///PATH"),
        (f"postgresql://a:{SECRET}@h:port/b", "This postgresql:// URL cannot be read"),
        (f"postgresql://a:x@{SECRET}@h/b", "write %40 for @"),
        (f"postgresql://a/b:x@{SECRET}@h/b", "write %40 for @"),
        (f"postgresql://a:{SECRET}@h", "names no database"),
    ],
)
def test_what_is_no_address_is_refused(url, says):
    """By what is wrong with it, and what to write."""
    assert says in refusal(lambda: open_store(url))


@pytest.mark.parametrize("form", ["postgres://", "postgresql+psycopg://"])
def test_other_forms_of_the_same_url(on_postgres, form):
    """As others write it."""
    url = on_postgres.replace("postgresql://", form)
    with open_store(url) as store:
        fill(store, info(), [result()])
        assert store.place.startswith("postgresql://keeper@127.0.0.1:")


def test_the_environment_names_the_store(tmp_path, monkeypatch):
    """What is given comes first, then ``UAEF_STORE``, then a file in ``.uaef``, which git does not see."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UAEF_STORE", raising=False)
    open_store().close()
    assert "*\n" == (tmp_path / ".uaef" / ".gitignore").read_text("utf-8")
    assert (tmp_path / ".uaef" / "uaef.db").is_file()
    monkeypatch.setenv("UAEF_STORE", "sqlite:///of-environment.db")
    open_store("sqlite:///given/runs.db").close()
    assert not Path("of-environment.db").exists()
    open_store().close()
    assert Path("of-environment.db").is_file()


def test_postgresql_without_its_package_says_what_to_install(monkeypatch):
    """It is an extra."""
    monkeypatch.setattr("uaef.runs.store.url.find_spec", lambda _: None)
    assert "pip install 'uaef[postgres]'" in refusal(lambda: open_store("postgresql://h/b"))


# --- a file that cannot be used -------------------------------------------------------


def test_no_store_is_made_where_one_is_only_read(tmp_path):
    """Nothing is left behind either."""
    missing = tmp_path / "none" / "runs.db"
    assert f"{missing}: there is no store here yet" in refusal(
        lambda: open_store(f"sqlite:///{missing}", create=False)
    )
    assert [] == list(tmp_path.iterdir())
    sqlite3.connect(tmp_path / "empty.db").close()
    empty = f"sqlite:///{tmp_path / 'empty.db'}"
    assert "there is no store here yet" in refusal(lambda: open_store(empty, create=False))


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path):
    """Whatever it is, it is somebody's."""
    path = tmp_path / "notes.db"
    path.write_text("these are my notes, and they are long enough to have a header\n" * 50, encoding="utf-8")
    before = path.read_bytes()
    assert f"{path}: the file is not a database" in refusal(lambda: open_store(f"sqlite:///{path}"))
    assert before == path.read_bytes()


def test_a_directory_is_refused(tmp_path):
    """A store is a file in it."""
    assert "it cannot be opened" in refusal(lambda: open_store(f"sqlite:///{tmp_path}"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "its directory cannot be made" in refusal(lambda: open_store(f"sqlite:///{tmp_path}/file/runs.db"))


def test_a_damaged_file_is_refused_and_not_written_to(tmp_path):
    """Pages in its middle are rubbish."""
    path = tmp_path / "runs.db"
    with open_store(f"sqlite:///{path}") as store:
        fill(store, info(), many(200))
    content = bytearray(path.read_bytes())
    content[4096 * 20 : -4096] = b"\xff" * (len(content) - 4096 * 21)
    path.write_bytes(content)

    def read():
        with open_store(f"sqlite:///{path}") as store:
            list(store.measurements("run-000"))

    assert "the file is damaged" in refusal(read)


def test_what_was_changed_by_hand_is_named(tmp_path):
    """A result that is none is refused by the name of its conversation."""
    path = tmp_path / "runs.db"
    with open_store(f"sqlite:///{path}") as store:
        fill(store, info(), [result()])
        for change in (
            "rest = '{}'",
            "rest = 'x'",
            "conversation = '[]'",
            """rest = '{"worst": 99, "trace_id": ""}'""",
        ):
            with contextlib.closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(f"UPDATE uaef_results SET {change}")  # noqa: S608 - our own
            assert "What is kept of 'refund' cannot be read" in refusal(lambda: store.load("run-000"))
            store.resume("run-000")
            store.add("run-000", 0, result())
            store.finish("run-000")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE uaef_measurements SET tags = '5' WHERE place = 0", "What is kept of 'refund#1' cannot be read"),
        ("UPDATE uaef_measurements SET score = 7 WHERE place = 1", "What is kept of 'refund#2' cannot be read"),
        ("UPDATE uaef_measurements SET status = 'good'", "What is kept of 'refund#1' cannot be read"),
        ("DELETE FROM uaef_measurements", "Run run-000 is not whole any more"),
        ("UPDATE uaef_runs SET status = 'good'", "What is kept of 'run-000' cannot be read"),
        ("UPDATE uaef_runs SET info = '{}'", "What is kept of 'run-000' cannot be read"),
    ],
)
def test_every_row_that_was_changed_by_hand_is_named(tmp_path, change, says):
    """A measurement by its slice, a run by its name."""
    path = tmp_path / "runs.db"
    with open_store(f"sqlite:///{path}") as store:
        fill(store, info(), [result()])
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(change)
        assert says in refusal(lambda: store.load("run-000"))


@pytest.fixture
def as_nobody():
    """A block in which this process has no privilege; and a folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp(prefix="uaef-store-"))
    folder.chmod(0o777)

    @contextlib.contextmanager
    def lowered():
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)

    yield folder, lowered
    folder.chmod(0o777)
    shutil.rmtree(folder)


def test_a_read_only_directory_is_refused(as_nobody):
    """Both where the store would have to be made, and where one is; that one stays what it is."""
    folder, lowered = as_nobody
    url = f"sqlite:///{folder / 'runs.db'}"
    folder.chmod(0o555)
    with lowered():
        assert "it cannot be opened" in refusal(lambda: open_store(url))
        inner = f"sqlite:///{folder / 'inner' / 'runs.db'}"
        assert "its directory cannot be made or written: Permission denied" in refusal(lambda: open_store(inner))
    folder.chmod(0o777)
    with lowered():
        with open_store(url) as store:
            fill(store, info(), [result()])
        (folder / "runs.db").chmod(0o444)
    folder.chmod(0o555)
    with lowered():
        assert "cannot be" in refusal(lambda: write(url))
    folder.chmod(0o777)
    with lowered():
        (folder / "runs.db").chmod(0o644)
        with open_store(url) as store:
            assert [result()] == store.load("run-000").items


def write(url):
    """Open a store and begin a run in it."""
    with open_store(url) as store:
        store.begin(info(1))


# --- a disk that is full --------------------------------------------------------------


@pytest.fixture
def small_disk():
    """A disk of 1 MB, or a skip for those who may not mount one."""
    folder = Path(tempfile.mkdtemp(prefix="uaef-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0  # noqa: S603
    if not mounted:
        folder.rmdir()
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607
    folder.rmdir()


def test_a_full_disk_loses_nothing_and_is_gone_on_from(small_disk):
    """What was kept before it was full is there; with room again the run comes to its end."""
    url = f"sqlite:///{small_disk / 'runs.db'}"
    kept = [replaced(each, metadata={"filler": "x" * 20_000}) for each in many(100)]
    with open_store(url) as store:
        store.begin(info())
        said = refusal(lambda: [store.add("run-000", *at) for at in enumerate(kept)])
        assert "the disk is full; what was stored before is not lost" in said
        done = store.done("run-000")
        assert 5 < len(done) < 100
        assert kept[: len(done)] == store.load("run-000").items
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)  # noqa: S603, S607
    with open_store(url) as store:
        store.resume("run-000")
        for position, each in enumerate(kept):
            if (each.name, each.trial) not in done:
                store.add("run-000", position, each)
        store.finish("run-000")
        assert kept == store.load("run-000").items


LIMITED = """
import resource, sys
sys.path.append({here!r})
from kept_results import fill, info, many
from uaef.errors import StoreError
from uaef.runs.store import open_store
with open_store({url!r}) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        fill(store, info(), many(2_000))
    except StoreError as error:
        print(error)
    print(len(store.done("run-000")))
"""


def test_a_limit_on_files_is_told_and_loses_nothing(on_sqlite):
    """As a full disk, for those who may not make one."""
    script = LIMITED.format(here=str(Path(__file__).parent), url=on_sqlite)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    said, count = done.stdout.splitlines()
    assert "a limit on files is reached; what was stored before is not lost" in said
    with open_store(on_sqlite) as store:
        assert many(2_000)[: int(count)] == store.load("run-000").items
        assert int(count) > 5


# --- another process ------------------------------------------------------------------


def test_a_store_that_is_locked_for_too_long_is_told(on_sqlite, monkeypatch):
    """Somebody has begun to write and does not end."""
    monkeypatch.setattr("uaef.runs.store.database.BUSY_S", 0.2)
    open_store(on_sqlite).close()
    with contextlib.closing(sqlite3.connect(on_sqlite.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "another process has kept it locked" in refusal(lambda: write(on_sqlite))
    write(on_sqlite)


# --- a server -------------------------------------------------------------------------


def test_a_wrong_password_is_refused_without_it(postgres):
    """Neither the right one nor the wrong one is told."""
    said = refusal(lambda: open_store(postgres.url(password=SECRET)))
    assert said.startswith(f"postgresql://keeper@127.0.0.1:{postgres.port}/postgres: the server does not accept")


def test_no_password_is_told(postgres, monkeypatch):
    """The server asks for one."""
    monkeypatch.setenv("PGPASSFILE", "/dev/null")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    url = f"postgresql://keeper@127.0.0.1:{postgres.port}/postgres"
    assert "the server asks for a password" in refusal(lambda: open_store(url))


def test_a_password_among_the_parameters_is_not_told_either(postgres):
    """Libpq takes it there too."""
    url = f"postgresql://keeper@127.0.0.1:{postgres.port}/postgres?password={SECRET}"
    assert "the server does not accept this user and password" in refusal(lambda: open_store(url))


def test_a_server_that_is_not_there_is_told():
    """No port, no host, no socket."""
    unused = f"postgresql://a:{SECRET}@127.0.0.1:1/b"
    assert "postgresql://a@127.0.0.1:1/b: no server answers there" in refusal(lambda: open_store(unused))
    unknown = f"postgresql://a:{SECRET}@no-such-host.invalid/b"
    assert "there is no such host" in refusal(lambda: open_store(unknown))
    assert "no server answers there" in refusal(lambda: open_store("postgresql://a:@/b?host=/nowhere"))


def test_a_database_that_is_not_there_is_told(postgres):
    """By its name."""
    assert 'database "nothing" does not exist' in refusal(lambda: open_store(postgres.url("nothing")))


def test_a_server_that_goes_away_loses_nothing(on_postgres, postgres):
    """It closes every connection; what was kept is there, and the run is gone on with when it answers again."""
    name = on_postgres.rpartition("/")[2]
    with open_store(on_postgres) as store:
        store.begin(info())
        store.add("run-000", 0, result())
        postgres.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")  # noqa: S608
        assert "is not currently accepting connections" in refusal(lambda: store.add("run-000", 1, result("b")))
        postgres.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    with open_store(on_postgres) as store:
        store.resume("run-000")
        assert {("refund", 0)} == store.done("run-000")
        store.add("run-000", 1, result("b"))
        store.finish("run-000")
        assert [result(), result("b")] == store.load("run-000").items
