"""A cache of model answers on disk: the same question to the same model is paid for once.

SQLite, so that several processes may share it. The key covers everything the answer depends on.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

import msgspec

from uaef.errors import DataError
from uaef.llm.chat import Prompt, Reply

_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID"
_PATIENCE_S = 0.2
"""How long another process is waited for: asking a model again costs less than a run that stands still."""
_PAUSES_S = (0.01, 0.05, 0.2, 0.5, 1.0)


class ReplyCache:
    """Answers by question. Whoever holds it last lets go of the file.

    Args:
        path: the file; it is made if it does not exist.

    Raises:
        DataError: it cannot be opened, or it is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        self.close = weakref.finalize(self, self._db.close)
        """Let go of the file."""
        try:
            self._begin()
        except sqlite3.Error as error:
            self.close()
            raise self._unusable(error) from error

    def get(self, key: bytes) -> Reply | None:
        """The answer that was kept under ``key``.

        Raises:
            DataError: the file cannot be read.
        """
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        try:
            return None if row is None else msgspec.msgpack.decode(row[0], type=Reply)
        except (msgspec.DecodeError, TypeError):  # another version's, or nobody's
            return None

    def put(self, key: bytes, reply: Reply) -> None:
        """Keep an answer.

        Raises:
            DataError: the file cannot be written.
        """
        try:
            self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, msgspec.msgpack.encode(reply)))
        except (sqlite3.Error, OverflowError) as error:
            raise self._unusable(error) from error

    def _begin(self) -> None:
        for pause_s in (*_PAUSES_S, None):
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:  # another process does the same; this statement alone does not wait
                if pause_s is None:
                    raise
                time.sleep(pause_s)
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(_SCHEMA)

    def _unusable(self, error: Exception) -> DataError:
        problem = str(error).rstrip(".")
        return DataError(
            f"The cache {self.path} cannot be used: {problem}. "
            "Name another file, or switch it off with UAEF_CACHE=off."
        )


def key_of(judge: Sequence[str], prompt: Prompt) -> bytes:
    """What an answer depends on: the model, its parameters and everything it is told."""
    return hashlib.blake2b(msgspec.msgpack.encode((judge, prompt)), digest_size=20).digest()


def default_path() -> Path:
    """Where the cache lies unless ``UAEF_CACHE`` says otherwise: in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "uaef" / "replies.sqlite"
