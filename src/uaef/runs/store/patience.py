"""Connections to PostgreSQL that do not wait for ever for a server that hangs."""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import TypeVar

from psycopg import Connection, OperationalError
from sqlalchemy import Engine, event

SILENT_S = 60.0
"""How long a server may say nothing before it is given up. The kernel of one that hangs still takes what is sent, so
neither ``tcp_user_timeout`` nor a timeout of the server's own would notice."""
_Row = TypeVar("_Row")
_Found = TypeVar("_Found")
_Wanted = TypeVar("_Wanted")
_Ready = TypeVar("_Ready")


class Impatient(Connection[_Row]):
    """A connection on which every wait comes to an end, as psycopg since 3.2 wakes whoever waits now and then."""

    def wait(self, gen: Generator[_Wanted, _Ready, _Found], *how: object, **more: object) -> _Found:
        """What ``gen`` comes to.

        Raises:
            OperationalError: the server has said nothing for ``SILENT_S``; the connection is closed.
        """
        return super().wait(self._heard(gen), *how, **more)  # type: ignore[arg-type] # they differ between versions

    def _heard(self, gen: Generator[_Wanted, _Ready, _Found]) -> Generator[_Wanted, _Ready, _Found]:
        heard = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard = monotonic()
                elif monotonic() - heard > SILENT_S:
                    self.close()  # or what ends the transaction would wait as long once more
                    raise OperationalError("timeout expired")
                wanted = gen.send(ready)
        except StopIteration as end:
            found: _Found = end.value
            return found


def make_impatient(engine: Engine) -> None:
    """Let all connections of an engine be of this kind."""

    @event.listens_for(engine, "do_connect")
    def connect(_: object, __: object, given: list[str], named: dict[str, str]) -> Connection[object]:
        return Impatient.connect(*given, **named)  # type: ignore[arg-type] # whatever the URL says
