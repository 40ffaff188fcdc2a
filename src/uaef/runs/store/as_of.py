"""A store as a run sees it: what came after the run has begun is no reference for it."""

from __future__ import annotations

from uaef.runs.records import RunInfo, StoredRun
from uaef.runs.store.store import Store
from uaef.runs.wholeness import TAKEN


class AsOf:
    """What there is to compare a run with.

    For a run that begins now that is everything, also what the clock of another machine dates later: what is complete
    was played before. For one that has begun, because it is gone on with or retried, it is what began before it did,
    and before those whose results it took over.

    Args:
        store: where runs are kept.
        run: the run in question; ``None`` if it begins now.
    """

    def __init__(self, store: Store, run: RunInfo | None) -> None:
        self._store = store
        self._began = None if run is None else str(run.parameters.get(TAKEN, run.run_id))

    def find(self, reference: str, /) -> RunInfo:
        """The run of this name, label or beginning of a name."""
        return self._store.find(reference, before=self._began)

    def latest(self, dataset: str, *, whole: bool = False) -> RunInfo | None:
        """The newest complete run of a dataset, or of the whole of it."""
        return self._store.latest(dataset, before=self._began, whole=whole)

    def load(self, run_id: str, /) -> StoredRun:
        """A run with its results."""
        return self._store.load(run_id)

    def pinned(self, dataset: str, branch: str | None, /) -> StoredRun | None:
        """The baseline of a dataset on a branch."""
        return self._store.pinned(dataset, branch)
