"""Which run another is compared with: ``baseline``, ``latest``, or one by its name."""

from __future__ import annotations

from typing import Protocol

from uaef.errors import UsageError
from uaef.models.base import replaced
from uaef.runs.records import RunInfo, RunStatus, StoredRun
from uaef.runs.results import RunResult

BASELINE = "baseline"
LATEST = "latest"
_TRUNKS = ("main", "master")


class Shelf(Protocol):
    """What of a store it takes to find a reference."""

    def find(self, reference: str, /) -> RunInfo:
        """The run of this name, label or beginning of a name."""

    def latest(self, dataset: str, *, whole: bool = False) -> RunInfo | None:
        """The newest complete run of a dataset, or of the whole of it, that may be a reference."""

    def load(self, run_id: str, /) -> StoredRun:
        """A run with its results."""

    def pinned(self, dataset: str, branch: str | None, /) -> StoredRun | None:
        """The baseline of a dataset on a branch."""


def reference(shelf: Shelf, wanted: str, info: RunInfo) -> StoredRun | None:
    """The run that ``info`` is to be compared with; ``None`` where there is none yet.

    A branch without a baseline of its own is compared with that of ``main`` or ``master``, and then with the one that
    was pinned outside of any branch. The latest is one of the whole dataset: no selection, and nothing scored anew.

    Args:
        shelf: the store, as the run in question sees it: ``AsOf``.
        wanted: ``baseline``, ``latest``, or a run by name, label or the beginning of its name.
        info: the run in question; its own run is never the reference.

    Raises:
        UnknownNameError: there is no such run.
        UsageError: it is the run in question.
    """
    if wanted == BASELINE:
        branches = dict.fromkeys((info.branch, *_TRUNKS, None))
        return next((run for branch in branches if (run := shelf.pinned(info.dataset, branch)) is not None), None)
    if wanted == LATEST:
        found = shelf.latest(info.dataset, whole=True)
        return None if found is None else shelf.load(found.run_id)
    named = shelf.find(wanted)
    if named.run_id == info.run_id:
        raise UsageError(f"Run {info.run_id!r} cannot be compared with itself: name another as the reference.")
    return shelf.load(named.run_id)


def as_stored(result: RunResult, info: RunInfo) -> StoredRun:
    """A run that is not in a store, such as one from a file, as one that is: ``info`` says what it is called."""
    cut = len(result.items) < result.n_planned
    known = replaced(
        info,
        agent=info.agent or result.agent,
        history=info.history or result.history,
        repeat=result.repeat,
        trials=result.trials,
        verdict=result.verdict,
        n_planned=result.n_planned,
        status=RunStatus.INTERRUPTED if cut else RunStatus.COMPLETE,
    )
    return StoredRun(known, result.items)
