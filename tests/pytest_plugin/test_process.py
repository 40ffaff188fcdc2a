"""What the plugin costs those who do not use it, and how it lives with xdist."""

from __future__ import annotations

import pytest

from uaef.models.base import replaced
from uaef.runs.store import open_store
from uaef.runs.wholeness import why_partial

MARKED = """
@pytest.mark.uaef(dataset="shop.yaml", agent="agents:{agent}")
def test_shop(evals):
    evals.check()
"""


@pytest.fixture(autouse=True)
def _on_path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "tests")


def test_nothing_of_ours_is_loaded_for_those_who_do_not_use_it(run):
    """The plugin is loaded in every project: that is the package's name, its hooks, and no more."""
    source = """
import sys
def test_unrelated(request):
    assert request.config.pluginmanager.hasplugin("uaef")
    ours = {name for name in sys.modules if name.split(".")[0] == "uaef"}
    assert ours == {"uaef", "uaef.pytest_plugin", "uaef.pytest_plugin.keeping"}
    assert not {"msgspec", "yaml", "rich", "aiohttp", "sqlalchemy", "click"} & set(sys.modules)
"""
    code, output = run(source)
    assert 0 == code, output


def test_the_marker_and_the_options_are_known(run):
    """``--strict-markers`` holds, and the help says what there is."""
    assert "@pytest.mark.uaef(*, dataset, agent=None" in run("", "--markers")[1]
    output = run("", "--help")[1]
    assert "--uaef-save" in output
    assert "--uaef-compare=REF" in output


def test_each_worker_plays_the_conversations_of_its_tests(run, asked):
    """Every conversation is played once, whoever gets it, and the turn that broke is named all the same."""
    code, output = run(MARKED.format(agent="forgetful"), "-n2")
    assert 1 == code
    assert "refund#3 broke" in output
    assert "1 failed, 1 passed, 1 skipped" in output
    assert 4 == len(asked())
    assert {"gw0", "gw1"} >= {line.partition(":")[0] for line in asked()}
    assert all(line.startswith("gw") for line in asked())


def test_turns_of_a_conversation_are_of_one_group(run):
    """``--dist loadgroup`` keeps them together; without xdist there is no such mark."""
    source = """
@pytest.mark.uaef(dataset="shop.yaml", agent="agents:good", per="turn")
def test_shop(evals, request):
    marks = [mark.args for mark in request.node.iter_markers("xdist_group")]
    evals.result
    assert marks == ([(evals.name.partition("#")[0],)] if request.config.pluginmanager.hasplugin("xdist") else [])
"""
    assert 0 == run(source, "-n2")[0]
    assert 0 == run(source, "-p", "no:xdist")[0]


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_results_are_kept_by_the_process_that_was_started(run, project, workers):
    """One run for the marked test, in the order of the dataset, with its verdict, whoever played."""
    code, output = run(MARKED.format(agent="forgetful"), "--uaef-save", *workers)
    assert 1 == code
    assert "shop: kept as " in output
    with open_store(f"sqlite:///{project}/.uaef/uaef.db") as store:
        (found,) = store.runs()
        assert ("shop", "forgetful", "complete", "failed") == (
            found.dataset,
            found.agent,
            found.status,
            found.verdict,
        )
        assert ["refund", "hours", "größe"] == [item.name for item in store.load(found.run_id).items]


def test_nothing_is_kept_unasked(run, project):
    """Nor is a store made."""
    run(MARKED.format(agent="good"))
    assert not (project / ".uaef").exists()


def test_a_store_that_is_named_keeps(run, project):
    """``UAEF_STORE`` says where, and that it is wanted; a password is never shown."""
    code, output = run(MARKED.format(agent="good"), UAEF_STORE=f"sqlite:///{project}/mine.db")
    assert 0 == code, output
    assert "mine.db" in output
    assert (project / "mine.db").exists()


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_what_changed_since_the_last_time(run, workers):
    """The turn that regressed is named; comparing changes no outcome."""
    first = run(MARKED.format(agent="good"), "--uaef-compare", "latest", *workers)
    assert 0 == first[0], first[1]
    assert "there is no latest to compare with" in first[1]
    code, output = run(MARKED.format(agent="forgetful"), "--uaef-compare", "latest", *workers)
    assert 1 == code
    assert "1 regressed" in output
    assert "refund#3 regressed: does not say 'office'" in output


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_run_that_is_not_there_is_refused_before_anything_is_played(run, asked, project, workers):
    """Wrong usage: a sentence, and no test that passes beside nothing; nor is a store made for it."""
    code, output = run(MARKED.format(agent="good"), "--uaef-compare", "20200101", *workers)
    assert pytest.ExitCode.USAGE_ERROR == code, output
    assert "ERROR: --uaef-compare=20200101: " in output
    assert "Traceback" not in output
    assert not (project / ".uaef").exists()
    assert 0 == run(MARKED.format(agent="good"), "--uaef-save", *workers)[0]
    played = asked()
    code, output = run(MARKED.format(agent="good"), "--uaef-compare", "20200101", *workers)
    assert pytest.ExitCode.USAGE_ERROR == code, output
    assert "--uaef-compare=20200101: Unknown run '20200101'" in output
    assert played == asked()


@pytest.mark.parametrize(("given", "said"), [("", "'' names no run"), ("\udcff", "Unknown run '\\udcff'")])
def test_what_names_no_run_is_refused(run, asked, given, said):
    """An unset variable of the shell, or bytes that are no text: wrong usage, and nothing is played."""
    assert 0 == run(MARKED.format(agent="good"), "--uaef-save")[0]
    played = asked()
    code, output = run(MARKED.format(agent="good"), f"--uaef-compare={given}")
    assert (pytest.ExitCode.USAGE_ERROR, True, False) == (code, said in output, "Traceback" in output)
    assert played == asked()


def test_the_latest_may_be_of_a_clock_that_is_ahead(run, project):
    """It was complete before this session began."""
    assert 0 == run(MARKED.format(agent="good"), "--uaef-save")[0]
    ahead = "20990101T000000000000-ahead"
    with open_store(f"sqlite:///{project}/.uaef/uaef.db") as store:
        info, items = store.load("latest")
        store.begin(replaced(info, run_id=ahead))
        for place, item in enumerate(items):
            store.add(ahead, place, item)
        store.finish(ahead)
    assert f"compared with {ahead}" in run(MARKED.format(agent="good"), "--uaef-compare=latest")[1]


def test_a_run_is_compared_with_by_its_name(run, project):
    """One that does exist."""
    assert 0 == run(MARKED.format(agent="good"), "--uaef-save")[0]
    with open_store(f"sqlite:///{project}/.uaef/uaef.db") as store:
        (found,) = store.runs()
    code, output = run(MARKED.format(agent="good"), f"--uaef-compare={found.run_id}")
    assert 0 == code, output
    assert f"compared with {found.run_id}" in output


PLAYED = """
import pytest
@pytest.mark.uaef(dataset="shop.yaml", agent="agents:good"{more})
def test_shop(evals):
    evals.check()
"""
OF_TURNS = ', per="turn"'
ONE = ("-k", "hours")
TURN = ("tests/test_it.py::test_shop[refund#2]",)
SHORT = "is of pytest, which ran"


@pytest.mark.parametrize(
    ("more", "arguments", "kept", "why"),
    [
        ("", (), (3, 3), None),
        (", repeat=2", (), (6, 6), None),
        (OF_TURNS, ("-n2",), (3, 3), None),
        ("", ("-n2", *ONE), (1, 3), f"{SHORT} 1 of 3 tests"),
        (OF_TURNS, TURN, (1, 3), f"{SHORT} 1 of 6 tests"),
        (OF_TURNS + ', only=["refund"]', ("-n2", *TURN), (1, 1), "was played with --only refund"),
        (', tags=["returns"]', (), (1, 1), "was played with --tag returns"),
    ],
)
def test_a_run_of_all_tests_is_a_run_of_the_whole_dataset(run, project, more, arguments, kept, why):
    """And one of some of them is not, whoever played: it says so, and others are not measured by it unasked."""
    code, output = run(PLAYED.format(more=more), "--uaef-save", *arguments)
    assert 0 == code, output
    with open_store(f"sqlite:///{project}/.uaef/uaef.db") as store:
        (found,) = store.listed()
        latest = store.latest("shop", whole=True)
    assert (kept, why) == ((found.results, found.info.n_planned), why_partial(found.info))
    assert (why is None) == (latest is not None)
    assert ("passed" if found.results == found.info.n_planned else None) == found.info.verdict


def test_a_run_that_ended_early_is_not_whole(run, project):
    """A test that never played, for an error of its own, leaves its conversation out."""
    source = PLAYED.format(more="").replace("evals.check()", "assert evals.name != 'hours'; evals.check()")
    assert 1 == run(source, "--uaef-save", "-n2")[0]
    with open_store(f"sqlite:///{project}/.uaef/uaef.db") as store:
        (found,) = store.listed()
        assert (2, 3, None) == (found.results, found.info.n_planned, store.latest("shop", whole=True))
        assert found.info.verdict is None
