"""The store: what runs are written to as they are played, and read from later."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Self

from sqlalchemy import ColumnElement, Connection

from uaef.errors import StoreError, UnknownNameError, UsageError
from uaef.models.base import replaced
from uaef.models.results import EvaluationResult, Verdict
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.runs.store import pins, reading, writing
from uaef.runs.store.codec import Row
from uaef.runs.store.database import Database
from uaef.runs.store.holds import holds_of
from uaef.runs.store.refusals import refusing
from uaef.runs.store.rows import ListedRun, StoredMeasurement
from uaef.runs.store.schema import runs
from uaef.runs.store.url import address_of
from uaef.runs.wholeness import SCORED, why_partial
from uaef.text.well_formed import is_well_formed

LATEST = "latest"
"""Stands for the newest run."""


class Store:
    """Runs that are kept, in a file or on a server. Every method blocks; any thread may call it.

    Whatever goes wrong is a ``StoreError`` of one sentence, and nothing that was kept before is lost by it.
    """

    def __init__(self, url: str | None = None, *, create: bool = True) -> None:
        """Open a store.

        Args:
            url: ``sqlite:///PATH`` or ``postgresql://...``; left out, ``UAEF_STORE``, else ``sqlite:///.uaef/uaef.db``.
            create: whether to make one where there is none.

        Raises:
            StoreError: it cannot be opened, and why.
        """
        self._address = address_of(url)
        self._db = Database(self._address, create=create)
        self._holds = holds_of(self._address, self._db.engine)
        self._writer = secrets.token_hex(8)
        self._one_writes = threading.Lock()

    @property
    def place(self) -> str:
        """Where it is: the path of a file, or a URL without its password."""
        return self._address.place

    # --- writing a run ----------------------------------------------------------------

    def begin(self, info: RunInfo) -> None:
        """A new run, which this store alone writes until it is finished.

        Raises:
            StoreError: there is a run of this name.
        """
        with self._taken(info.run_id), self._writing() as connection:
            writing.insert_run(connection, replaced(info, status=RunStatus.RUNNING), self._writer)

    def resume(self, run_id: str) -> RunInfo:
        """Go on with a run that has ended or was ended: it is running again, and this store alone writes it.

        Raises:
            StoreError: another process is writing it.
            UnknownNameError: there is no such run.
        """
        with self._taken(run_id), self._writing() as connection:
            if not writing.take_over(connection, run_id, self._writer):
                raise self._unknown(run_id)
        return self.find(run_id)

    def add(self, run_id: str, position: int, result: EvaluationResult, *, beside: bool = False) -> None:
        """Keep the result of one conversation and trial, in one transaction; done twice, it is kept once.

        Args:
            run_id: a run that this store has begun or resumed.
            position: its place among the results, from 0; what was kept there is replaced.
            result: what was found.
            beside: whether it is of the play that does not decide, with ``history="both"``.

        Raises:
            StoreError: it cannot be kept; or another process has taken the run over, or deleted it.
        """
        at: Row = {"beside": beside, "position": position}
        with self._writing() as connection:
            if not writing.put_result(connection, run_id, self._writer, at, result):
                raise self._lost(run_id)

    def finish(self, run_id: str, status: RunStatus = RunStatus.COMPLETE, verdict: Verdict | None = None) -> None:
        """Say how a run has ended, and let go of it.

        Raises:
            StoreError: it cannot be written; or another process has taken the run over, or deleted it.
        """
        with self._writing() as connection:
            if not writing.end_run(connection, run_id, self._writer, status, verdict):
                raise self._lost(run_id)
        self._release(run_id)

    def delete(self, run_id: str) -> None:
        """Remove a run with everything that was kept of it, except a copy that is pinned.

        Raises:
            StoreError: a process is writing it.
        """
        with self._taken(run_id), self._writing() as connection:
            writing.remove_run(connection, run_id)
        self._release(run_id)

    # --- reading ----------------------------------------------------------------------

    def runs(
        self,
        *,
        dataset: str | None = None,
        branch: str | None = None,
        label: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
    ) -> list[RunInfo]:
        """The runs, the newest first: all, or those of a dataset, of a branch, with a label, with a tag.

        A run that is not finished and that no process is writing any more is ``interrupted``.
        """
        wanted = {"dataset": dataset, "branch": branch, "label": label}
        return [each.info for each in self.listed(tag=tag, limit=limit, **wanted)]

    def listed(self, *, tag: str | None = None, limit: int | None = None, **wanted: str | None) -> list[ListedRun]:
        """What ``runs`` gives, with how much was kept of each."""
        asked = [runs.c[name] == value for name, value in wanted.items() if value is not None]
        return self._found(*asked, tag=tag, limit=limit)

    def find(self, reference: str, *, before: str | None = None) -> RunInfo:
        """The run of this name; else the newest with this label; else the one whose name begins so; or ``latest``.

        Args:
            reference: what it is called.
            before: the name of a run; of what is no whole name, only runs that began before it are looked at.

        Raises:
            UsageError: it is blank, as a variable of a shell is that nobody has set.
            UnknownNameError: nothing answers to it.
            StoreError: more than one name begins so.
        """
        if not reference.strip():
            raise UsageError(f"{reference!r} names no run; write the name of one, its label, or {LATEST}.")
        earlier = [] if before is None else [runs.c.run_id < before]
        if reference == LATEST:
            found = self._found(*earlier, limit=1)
        else:
            is_text = is_well_formed(reference)  # as every name of a run is; a label may be anything
            exact = self._found(runs.c.run_id == reference) if is_text else []
            found = exact or self._found(runs.c.label == reference, *earlier, limit=1)
            if not found and is_text:
                found = self._found(runs.c.run_id.startswith(reference, autoescape=True), *earlier)
        if not found:
            raise self._unknown(reference)
        if len(found) > 1:
            raise StoreError(f"{len(found)} runs have names that begin with {reference!r}; write more of it.")
        return found[0].info

    def latest(
        self, dataset: str, *, before: str | None = None, branch: str | None = None, whole: bool = False
    ) -> RunInfo | None:
        """The newest complete run of a dataset, ``None`` where there is none.

        Args:
            dataset: its name.
            before: the name of a run; only those that began before it, by their names, are looked at. Whoever begins
                now asks without it, as the clock of another machine may be ahead: what is complete came before.
            branch: only runs on it are looked at.
            whole: whether to pass over what is no play of the whole dataset: a selection, or scored anew.
        """
        asked = [runs.c.dataset == dataset, runs.c.status == str(RunStatus.COMPLETE)]
        asked += [] if before is None else [runs.c.run_id < before]
        asked += [] if branch is None else [runs.c.branch == branch]
        return next((each.info for each in self._found(*asked, limit=1, whole=whole)), None)

    def load(self, run_id: str, *, beside: bool = False) -> StoredRun:
        """A run with all its results in order, as they were added.

        Args:
            run_id: its name.
            beside: whether to give those of the play that does not decide.

        Raises:
            UnknownNameError: there is no such run.
        """
        info = self.find(run_id)
        return StoredRun(info, list(self.results(info.run_id, beside=beside)))

    def results(self, run_id: str, *, beside: bool = False) -> Generator[EvaluationResult, None, None]:
        """The results of a run in order, a few of them in memory at a time.

        Raises:
            StoreError: some are missing, or cannot be read.
        """
        with self._db.reading() as connection:
            yield from reading.read_results(connection, run_id, beside=beside)

    def measurements(self, run_id: str) -> Generator[StoredMeasurement, None, None]:
        """Everything that was measured in a run, in order, a few of them in memory at a time.

        Raises:
            StoreError: some are missing, which is said before the first is given; or one cannot be read.
        """
        with self._db.reading() as connection:
            yield from reading.read_measurements(connection, run_id)

    def done(self, run_id: str, *, beside: bool = False) -> set[tuple[str, int]]:
        """The conversations and trials that a run has the results of."""
        with self._db.reading() as connection:
            return reading.names_done(connection, run_id, beside=beside)

    # --- baselines --------------------------------------------------------------------

    def pin(self, dataset: str, branch: str | None, run_id: str) -> None:
        """Pin a copy of a run as the baseline of a dataset on a branch, in place of the one before.

        Raises:
            UnknownNameError: there is no such run.
        """
        info = self.find(run_id)
        with self._writing(alone=True) as connection:
            pins.pin(connection, dataset, branch, info)

    def pinned(self, dataset: str, branch: str | None) -> StoredRun | None:
        """The baseline of a dataset on a branch, ``None`` where none is pinned.

        Raises:
            StoreError: it is not any more what was pinned.
        """
        with self._db.reading() as connection:
            return pins.pinned(connection, dataset, branch)

    def datasets_pinned(self) -> list[tuple[str, str | None]]:
        """The datasets that have a baseline, each with the branch that it is of."""
        with self._db.reading() as connection:
            return pins.datasets_pinned(connection)

    def unpin(self, dataset: str, branch: str | None) -> bool:
        """Take a baseline away; whether there was one."""
        with self._writing(alone=True) as connection:
            return pins.unpin(connection, dataset, branch)

    # --- its end ----------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the store; a run that was not finished can be resumed."""
        with refusing(self._address):
            self._holds.close()
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _found(
        self, *wanted: ColumnElement[bool], tag: str | None = None, limit: int | None = None, whole: bool = False
    ) -> list[ListedRun]:
        found: list[ListedRun] = []
        with self._db.reading() as connection, closing(reading.find_runs(connection, *wanted)) as known:
            for each in known:
                if limit is not None and len(found) >= limit:
                    break
                if (tag is None or tag in each.info.tags) and (not whole or _is_whole(each)):
                    found.append(each)
        return [each._replace(info=self._now(each.info)) for each in found]

    def _now(self, info: RunInfo) -> RunInfo:
        """What is known of a run, whose process may have been killed."""
        if info.status is not RunStatus.RUNNING:
            return info
        with refusing(self._address):
            held = self._holds.is_held(info.run_id)
        return info if held else replaced(info, status=RunStatus.INTERRUPTED)

    @contextmanager
    def _writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction that writes; the threads of a process come one after the other."""
        with self._one_writes, self._db.writing(alone=alone) as connection:
            yield connection

    @contextmanager
    def _taken(self, run_id: str) -> Iterator[None]:
        """Take a run, and let go of it again if what is to be done with it fails."""
        with refusing(self._address):
            taken = self._holds.take(run_id)
        if not taken:
            raise StoreError(f"{self.place}: the run {run_id} is being written.")
        try:
            yield
        except BaseException:
            self._release(run_id)
            raise

    def _release(self, run_id: str) -> None:
        with refusing(self._address):
            self._holds.release(run_id)

    def _unknown(self, reference: str) -> UnknownNameError:
        return UnknownNameError("run", reference, [info.run_id for info in self.runs()])

    def _lost(self, run_id: str) -> StoreError:
        return StoreError(f"{self.place}: the run {run_id} was deleted, or another process has gone on with it.")


def open_store(url: str | None = None, *, create: bool = True) -> Store:
    """The store at ``url``; arguments and errors as of ``Store``."""
    return Store(url, create=create)


def resumable(store: Store, reference: str | None = None, *, needs: str | None = None) -> RunInfo:
    """The run to go on with: the one that is named, else the newest that was interrupted and was played.

    Args:
        store: where it is kept.
        reference: its name, label or the beginning of its name.
        needs: a parameter that the newest must have been begun with, to be chosen.

    Raises:
        StoreError: it is complete, it is being written, it was not played, or nothing was interrupted.
        UnknownNameError: there is no such run.
    """
    if reference is None:
        for info in store.runs():
            is_known = needs is None or needs in info.parameters
            if info.status is RunStatus.INTERRUPTED and SCORED not in info.parameters and is_known:
                return info
        raise StoreError(f"{store.place}: no run was interrupted, so there is nothing to go on with.")
    info = _not_running(store, reference)
    if info.status is not RunStatus.INTERRUPTED:
        raise StoreError(f"{store.place}: the run {info.run_id} is complete.")
    if SCORED in info.parameters:
        raise StoreError(
            f"{store.place}: the run {info.run_id} {why_partial(info)}, so there is nothing to go on with; "
            "go on with that one, and score it anew."
        )
    return info


def ended(store: Store, reference: str) -> StoredRun:
    """A run that nobody is writing any more, complete or not, with all its results.

    Raises:
        StoreError: it is being written, or what is kept of it cannot be read.
        UnknownNameError: there is no such run.
    """
    return store.load(_not_running(store, reference).run_id)


def _not_running(store: Store, reference: str) -> RunInfo:
    info = store.find(reference)
    if info.status is RunStatus.RUNNING:
        raise StoreError(f"{store.place}: the run {info.run_id} is being written by another process.")
    return info


def _is_whole(found: ListedRun) -> bool:
    """Whether it is a play of the whole dataset and holds everything that was planned."""
    return why_partial(found.info) is None and found.results >= found.info.n_planned
