"""Which run another is compared with."""

from __future__ import annotations

import pytest
from tests.runs.comparison.stored import case, played, stored

from uaef import checks, run_evals
from uaef.errors import UnknownNameError, UsageError
from uaef.models.base import replaced
from uaef.runs.comparison import as_stored, reference
from uaef.runs.records import RunStatus

ITEM = played(case("q", "hi"), {"ok": 1})
NOW = stored("r9", ITEM, branch="feature").info


class Shelf:
    """A store of three runs; pinned are those given by branch."""

    def __init__(self, **pins):
        self.runs = {name: stored(name, ITEM) for name in ("r1", "r2", "r9")}
        self.pins = {None if branch == "nowhere" else branch: self.runs[run] for branch, run in pins.items()}

    def find(self, name):
        """By name alone."""
        if name not in self.runs:
            raise UnknownNameError("run", name, self.runs)
        return self.runs[name].info

    def latest(self, dataset, *, whole=False):
        """The one before the last."""
        assert (dataset, whole) == ("shop", True)
        return self.runs["r2"].info

    def load(self, name):
        """With its results."""
        return self.runs[name]

    def pinned(self, dataset, branch):
        """As it was said."""
        assert dataset == "shop"
        return self.pins.get(branch)


@pytest.mark.parametrize(
    ("pins", "found"),
    [
        ({"feature": "r1", "main": "r2"}, "r1"),
        ({"main": "r2", "nowhere": "r1"}, "r2"),
        ({"master": "r2"}, "r2"),
        ({"nowhere": "r1"}, "r1"),
        ({"another": "r1"}, None),
    ],
)
def test_the_baseline_of_the_branch_else_of_the_trunk(pins, found):
    """A branch without a baseline of its own is measured by what it came from."""
    run = reference(Shelf(**pins), "baseline", NOW)
    assert (None if run is None else run.info.run_id) == found


def test_latest_and_by_name():
    """The newest before this one, or the one that is named; never this one."""
    assert reference(Shelf(), "latest", NOW).info.run_id == "r2"
    assert reference(Shelf(), "r1", NOW).info.run_id == "r1"
    with pytest.raises(UsageError, match="with itself"):
        reference(Shelf(), "r9", NOW)
    with pytest.raises(UnknownNameError):
        reference(Shelf(), "r7", NOW)


def test_a_run_from_a_file_is_known_by_what_it_says():
    """Its agent, its history, whether it is complete."""
    result = run_evals([{"input": "hi"}], lambda text: text, gates=[checks.includes("hi")])
    found = as_stored(result, stored("file.json", agent="").info)
    assert (found.info.agent, found.info.verdict) == (result.agent, result.verdict)
    assert found.info.status is RunStatus.COMPLETE
    assert as_stored(replaced(result, n_planned=5), found.info).info.status is RunStatus.INTERRUPTED
