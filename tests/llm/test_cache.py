"""The cache: what was kept is found again, by several processes at once, and a file that is none is a sentence."""

from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from setup_of_judges import a_prompt

import uaef
from uaef.errors import DataError
from uaef.llm.cache import ReplyCache, default_path, key_of
from uaef.llm.chat import Finish, Reply

REPLY = Reply(text="grün 👍", finish=Finish.DONE, input_tokens=7, output_tokens=None, model="m")
ADVICE = "Name another file, or switch it off with UAEF_CACHE=off."


@pytest.fixture
def cache(tmp_path):
    """A new cache."""
    kept = ReplyCache(tmp_path / "deep" / "down" / "replies.sqlite")
    yield kept
    kept.close()


def test_what_was_kept_is_found_again(cache):
    """Every field of it, also by whoever opens the file later; what was not kept is not found."""
    cache.put(b"1", REPLY)
    assert (REPLY, None) == (cache.get(b"1"), cache.get(b"2"))
    cache.put(b"1", Reply(text="anew"))
    again = ReplyCache(cache.path)
    assert Reply(text="anew") == again.get(b"1")
    again.close()


def test_a_key_is_all_that_an_answer_depends_on():
    """Who answers, how, under which version, and every word of the question."""
    keys = [
        key_of(("openai:m", "here", "1"), a_prompt()),
        key_of(("openai:n", "here", "1"), a_prompt()),
        key_of(("openai:m", "there", "1"), a_prompt()),
        key_of(("openai:m", "here", "2"), a_prompt()),
        key_of(("openai:m", "here", "1", "1"), a_prompt()),
        key_of(("openai:m", "here", "1"), a_prompt("hello!")),
        key_of(("openai:m", "here", "1"), a_prompt(system="be brief!")),
        key_of(("openai:m", "here", "1"), a_prompt(max_tokens=1)),
        key_of(("openai:m", "here", "1"), a_prompt(schema={})),
    ]
    assert len(keys) == len(set(keys))
    assert keys[0] == key_of(("openai:m", "here", "1"), a_prompt())


def test_what_another_version_kept_is_not_taken(cache):
    """It is asked again, and replaced."""
    with sqlite3.connect(cache.path) as db:
        db.execute("INSERT INTO replies VALUES (?, ?)", (b"1", b"\x81\xa3new\x01"))
        db.execute("INSERT INTO replies VALUES (?, ?)", (b"2", b"\xff\xff"))
    db.close()
    assert (None, None) == (cache.get(b"1"), cache.get(b"2"))
    cache.put(b"1", REPLY)
    assert REPLY == cache.get(b"1")


@pytest.mark.parametrize("content", [b"this is no database at all, but a text of some length", b"\x00" * 5000])
def test_a_file_that_is_something_else_is_refused(tmp_path, content):
    """In one sentence and an advice; the file stays as it is."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(DataError) as raised:
        ReplyCache(path)
    assert f"The cache {path} cannot be used: file is not a database. {ADVICE}" == str(raised.value)
    assert content == path.read_bytes()


@pytest.mark.parametrize("place", ["a file/below/replies.sqlite", "a folder"])
def test_a_place_where_nothing_can_be_written_is_refused(tmp_path, place):
    """Below a file, or a folder itself."""
    (tmp_path / "a file").write_text("x", "utf-8")
    (tmp_path / "a folder").mkdir()
    with pytest.raises(
        DataError, match=r"cannot be used: .* Name another file, or switch it off with UAEF_CACHE=off\."
    ):
        ReplyCache(tmp_path / place)


def test_a_file_that_breaks_later_is_a_sentence_too(cache):
    """Reading and writing."""
    cache.put(b"1", REPLY)
    cache.close()
    for use in (lambda: cache.get(b"1"), lambda: cache.put(b"1", REPLY)):
        with pytest.raises(
            DataError, match=r"The cache .* cannot be used: Cannot operate on a closed database\. Name"
        ):
            use()


def test_a_cache_that_nobody_holds_is_closed(tmp_path):
    """No warning of a database left open, and the side files are gone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cache = ReplyCache(tmp_path / "replies.sqlite")
        cache.put(b"1", REPLY)
        del cache
        gc.collect()
    assert [] == [str(warning.message) for warning in caught]
    assert ["replies.sqlite"] == [path.name for path in tmp_path.glob("replies*")]


_WRITER = """
import sys, time
from pathlib import Path
from uaef.llm.cache import ReplyCache
from uaef.llm.chat import Reply
start, name, path = float(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
time.sleep(max(0, start - time.time()))
cache = ReplyCache(path)
for n in range(300):
    cache.put(f"{name} {n}".encode(), Reply(text=f"{name} {n}" * 50))
    cache.put(b"shared", Reply(text="shared"))
    assert cache.get(f"{name} {n}".encode()).text.startswith(name)
    assert cache.get(b"shared").text == "shared"
cache.close()
"""


def test_several_processes_share_a_file(tmp_path):
    """Four of them open it at the same moment, and write and read at once; nothing is lost."""
    path = tmp_path / "replies.sqlite"
    start = str(time.time() + 1.5)
    source = str(Path(uaef.__file__).parents[1])
    writers = [
        subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, "-W", "error", "-c", _WRITER, start, f"w{n}", str(path)],
            env={"PYTHONPATH": source},
            stderr=subprocess.PIPE,
        )
        for n in range(4)
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (0, b"") == (writer.returncode, errors)
    cache = ReplyCache(path)
    assert all(cache.get(f"w{n} {m}".encode()) is not None for n in range(4) for m in range(300))
    cache.close()


def test_a_file_that_another_process_is_just_making_is_waited_for(tmp_path):
    """SQLite refuses to begin while somebody else writes; that passes."""
    other = sqlite3.connect(tmp_path / "replies.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE theirs (x)")
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, other.execute, ["ROLLBACK"])
    release.start()
    cache = ReplyCache(tmp_path / "replies.sqlite")
    release.join()
    cache.put(b"1", REPLY)
    assert REPLY == cache.get(b"1")
    cache.close()
    other.close()


def test_the_default_place_is_the_users_cache_folder(monkeypatch, tmp_path):
    """By the usual variable, else below the home folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert tmp_path / "uaef" / "replies.sqlite" == default_path()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / ".cache" / "uaef" / "replies.sqlite" == default_path()
