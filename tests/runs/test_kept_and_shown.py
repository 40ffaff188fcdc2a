"""A run that was kept comes to what it came to when it was played, whoever asks later."""

from __future__ import annotations

import pytest

from uaef import checks, run_evals
from uaef.models import Ask, Case
from uaef.models.base import replaced
from uaef.models.results import Verdict
from uaef.runs.conclusion import concluded
from uaef.runs.records import RunStatus
from uaef.runs.store import open_store

CASES = [
    Case(case_id="once", asks=[Ask(user="a")]),
    Case(case_id="twice", asks=[Ask(user="a", reply="sun"), Ask(user="b")], repeat=2),
]


def forgets(text):
    """An agent that keeps nothing between turns, of which every run warns."""
    return "sun" if text == "a" else "rain"


def later(store, run_id):
    """What a run comes to, told from the store alone."""
    items, beside = (list(store.results(run_id, beside=which)) for which in (False, True))
    return concluded(items, store.find(run_id).played, beside=beside)


@pytest.mark.parametrize("options", [{}, {"repeat": 3}, {"trials": "any"}, {"history": "both"}])
@pytest.mark.parametrize("gate", ["sun", "n", "snow"])
def test_it_is_the_same_later(tmp_path, options, gate):
    """Verdict, claims, warnings and trials; the scores that were asked for are not kept."""
    with open_store(f"sqlite:///{tmp_path}/uaef.db") as store:
        options = {"history": "thread", **options}
        run = run_evals(CASES, forgets, [checks.max_words(3)], [checks.includes(gate)], store=store, **options)
        found = later(store, store.find("latest").run_id)
        assert replaced(run, scores={}) == found
        assert run.warnings
        assert store.find("latest").verdict == run.verdict


def test_one_that_was_cut_short_never_passes(tmp_path):
    """What is there passes, and what is missing might not."""
    with open_store(f"sqlite:///{tmp_path}/uaef.db") as store:
        run = run_evals(CASES, forgets, gates=[checks.includes("n")], history="none", store=store)
        info = store.find("latest")
        assert (run.verdict, run.n_planned) == (Verdict.PASSED, 3)
        cut = replaced(info, run_id="cut", verdict=None)
        store.begin(cut)
        store.add("cut", 0, run.items[0])
        store.finish("cut", RunStatus.INTERRUPTED)
        found = later(store, "cut")
        assert (found.verdict, found.n_planned, len(found.items)) == (None, 3, 1)
