"""A real PostgreSQL for the tests: started in a folder of its own, with a password, gone when they are done."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import psycopg

USER = "keeper"
PASSWORD = "p@ss/w0rd:%&"  # noqa: S105 - of a server that lives as long as the tests
_START_S = 60


class Server(NamedTuple):
    """A server that runs: its port on 127.0.0.1."""

    port: int

    def url(self, database="postgres", *, password=PASSWORD, query=""):
        """The URL of one of its databases."""
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}{query}"

    def execute(self, statement, database="postgres"):
        """The rows, if any, that a statement gives."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def binaries():
    """The folder of ``initdb`` and ``postgres``, of the newest version; ``None`` where there is none."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    return Path(found).resolve().parent if found else folders[-1] if folders else None


@contextmanager
def running(folder):
    """A server of these binaries while the block lasts."""
    user = _unprivileged()
    home = Path(tempfile.mkdtemp(prefix="uaef-postgres-"))
    try:
        if user is not None:
            os.chown(home, pwd.getpwnam(user).pw_uid, -1)
        (home / "password").write_text(PASSWORD, encoding="utf-8")
        (home / "password").chmod(0o644)
        _run(
            [
                *(folder / "initdb", "-D", home / "data", "--no-sync", "--locale=C", "-E", "UTF8"),
                *("-U", USER, "-A", "scram-sha-256", f"--pwfile={home / 'password'}"),
            ],
            user,
        )
        port = _free_port()
        options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", "", "-c", "fsync=off"]
        with (home / "log").open("wb") as log:
            server = subprocess.Popen(  # noqa: S603 - Debian's own server
                [folder / "postgres", "-D", home / "data", *options], user=user, stdout=log, stderr=log
            )
        try:
            yield _answering(Server(port), server, home / "log")
        finally:
            server.terminate()
            server.wait(_START_S)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _answering(server, process, log):
    """The server, as soon as it answers."""
    until = time.monotonic() + _START_S
    while True:
        try:
            server.execute("SELECT 1")
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log.read_text("utf-8")) from None
            time.sleep(0.05)
        else:
            return server


def _unprivileged():
    """Whom the server runs as; it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _run(command, user):
    done = subprocess.run(command, user=user, cwd="/", capture_output=True, text=True, check=False)  # noqa: S603 - as above
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
