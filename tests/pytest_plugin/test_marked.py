"""Tests that are marked ``uaef``: which there are, what fails them, and what they say."""

from __future__ import annotations

import re

import pytest

import uaef.pytest_plugin.fixture  # noqa: F401 - before pytest in pytest, which forgets what it has loaded

pytest_plugins = ["pytester"]

ARGUMENTS = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest", "-rA", "--color=no")
MARKED = """
@pytest.mark.uaef(dataset="shop.yaml", agent="agents:{agent}"{more})
def test_shop(evals):
    evals.check({check})
"""


def marked(agent="good", more="", check=""):
    """A test file with one marked test."""
    return MARKED.format(agent=agent, more=more and f", {more}", check=check).replace("'agents:", "'agents:")


def outcomes(output):
    """What became of each test, by its id."""
    found = re.findall(r"^(PASSED|FAILED|SKIPPED|ERROR) .*?(?:::(\S+)|: (.*))(?: - .*)?$", output, re.MULTILINE)
    return {name: state for state, name, _ in found if name}


@pytest.fixture
def run(pytester, project, monkeypatch):
    """What pytest does with a test file, in this process: its exit code and its output."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.syspath_prepend(project / "tests")

    def run(source, *arguments, **environ):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        (project / "tests" / "test_it.py").write_text(f"import pytest\n{source}", "utf-8")
        done = pytester.runpytest_inprocess(*ARGUMENTS, *arguments)
        return done.ret, str(done.stdout) + str(done.stderr)

    return run


def test_one_test_for_each_conversation(run):
    """In the order of the dataset, by name; one of which nothing is required is skipped, not passed."""
    code, output = run(marked(), "-v")
    assert 0 == code, output
    assert ["test_shop[refund]", "test_shop[hours]", r"test_shop[gr\xf6\xdfe]"] == re.findall(
        r"::(\S+) (?:PASSED|SKIPPED)", output
    )
    assert "nothing is required of größe, so nothing could be missed" in output
    assert "2 passed, 1 skipped" in output


def test_a_failure_names_the_turn_that_broke(run):
    """In the summary line already; then the reason, the question and the answer, without a traceback."""
    code, output = run(marked("forgetful"))
    assert 1 == code
    assert "FAILED tests/test_it.py::test_shop[refund] - Failed: refund#3 broke" in output
    assert "  includes('office'): does not say 'office'" in output
    assert "  user: Send it to my office." in output
    assert "  assistant: What is # #[error] your order number?" in output
    assert "##[" not in output
    assert "pytest.fail(" not in output
    assert "1 failed, 1 passed, 1 skipped" in output


def test_one_test_for_each_turn_plays_a_conversation_once(run, asked):
    """The claims on the whole are a test of their own."""
    code, output = run(marked("forgetful", 'per="turn"'))
    assert 1 == code
    assert "FAILED tests/test_it.py::test_shop[refund#3] - Failed: refund#3 broke" in output
    assert {"test_shop[refund#1]", "test_shop[refund#2]", "test_shop[refund]", "test_shop[hours#1]"} == {
        name for name, state in outcomes(output).items() if state == "PASSED"
    }
    assert 4 == len(asked())


def test_of_turns_that_are_deselected_nothing_is_asked(run, asked):
    """What pytest is told to run chooses what is played, as ``--only`` does."""
    code, output = run(
        marked("good", 'per="turn"'), "tests/test_it.py::test_shop[refund#2]", "tests/test_it.py::test_shop[hours#1]"
    )
    assert 0 == code, output
    assert ["main: It is 48.", "main: When do you open?"] == asked()


@pytest.mark.parametrize(
    ("more", "tests"),
    [
        ('only=["hours"]', {"test_shop[hours]"}),
        ('only=["refund#3", "hours"]', {"test_shop[refund]", "test_shop[hours]"}),
        ('tags=["returns"]', {"test_shop[refund]"}),
        ('tags=["policy"], per="turn"', {"test_shop[refund#2]"}),
    ],
)
def test_a_part_of_a_dataset(run, more, tests):
    """Names and tags as for the command line."""
    code, output = run(marked("good", more))
    assert (0, tests) == (code, set(outcomes(output))), output


def test_an_agent_that_fails_fails_the_test(run):
    """Whether anything is required of the turn or not."""
    code, output = run(marked("broken"))
    assert 1 == code
    assert "refund#1, refund#2, refund#3 broke" in output
    assert "the agent failed: ConnectionError: no line" in output
    assert "3 failed" in output


def test_nobody_judges_unless_it_is_said_and_what_is_open_fails(run):
    """The environment's judge is not asked: a test is offline unless somebody wrote otherwise."""
    source = marked("good", "gates=['coherence'], history='thread', only=['refund']")
    code, output = run(source, UAEF_JUDGE="openai:nothing", OPENAI_BASE_URL="http://127.0.0.1:9")
    assert 1 == code
    assert "Failed: refund: coherence (gate) could not be decided, so it does not pass" in output
    assert "needs a judge" in output


def test_what_is_required_and_does_not_apply_fails(run):
    """There is no verdict then, and no verdict is no pass."""
    idle = "import uaef\n@uaef.metric\ndef idle(_): pass\n" + marked("good", "gates=[idle], only=['hours']")
    code, output = run(idle)
    assert 1 == code
    assert "hours has no verdict: something that is required does not apply" in output
    assert "hours: idle is required and does not apply" in output


def test_a_missed_threshold_fails_unless_it_is_told_not_to(run):
    """As ``--strict`` does, which here is the default."""
    low = 'scorers=[{"scorer": {"includes": "snow"}, "threshold": 0.5}], only=["hours"]'
    code, output = run(marked("good", low))
    assert 1 == code
    assert "hours#1 broke" in output
    assert 0 == run(marked("good", low, "strict=False"))[0]


def test_options_of_a_run_are_options_of_the_marker(run, asked):
    """Trials, history and the others, by their names."""
    code, output = run(marked("good", "repeat=3, trials='any', history='none', only=['hours']"))
    assert (0, 3) == (code, len(asked())), output


def test_who_answers_may_come_from_a_fixture(run):
    """Where the marker does not say."""
    source = """
from agents import good
@pytest.fixture
def bot():
    return good
@pytest.mark.uaef(dataset="shop.yaml", only=["hours"])
def test_bot(evals, bot):
    assert evals.check(bot).passed
    assert evals.result.agent == "good"
    assert evals.name == "hours"
"""
    assert 0 == run(source)[0]


def test_marks_on_classes_and_modules(run):
    """A test that does not take the fixture is none of ours."""
    source = """
pytestmark = pytest.mark.uaef(dataset="shop.yaml", agent="agents:good", only=["hours"])
class TestShop:
    def test_it(self, evals): evals.check()
    @pytest.mark.parametrize("n", [1, 2])
    def test_n(self, evals, n): assert evals.result.passed
def test_other(): pass
"""
    code, output = run(source)
    assert 0 == code, output
    assert {
        "TestShop::test_it[hours]",
        "TestShop::test_n[hours-1]",
        "TestShop::test_n[hours-2]",
        "test_other",
    } == set(outcomes(output)) or "4 passed" in output


def test_plain_tests_run_what_they_like(run):
    """``run`` gives the result and ``check`` checks it; a file is found beside the test."""
    source = """
from agents import good, forgetful
def test_run(evals):
    result = evals.run("shop.yaml", good)
    assert result.passed
    assert evals.check() is result
    assert evals.result is result
def test_fail(evals):
    evals.run([{"id": "a", "turns": [{"input": "It is 48.", "gates": [{"includes": "31 days"}]}]}], good)
    evals.check()
def test_nothing(evals):
    evals.check()
"""
    code, output = run(source)
    assert 1 == code
    assert "test_fail - Failed: a#1 broke" in output
    assert "There is nothing to check: mark the test" in output
    assert "2 failed, 1 passed" in output


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (marked().replace("shop.yaml", "shpo.yaml"), "There is no dataset 'shpo.yaml' in "),
        (marked(more='histroy="none"'), "Unknown argument of the marker uaef: 'histroy'. Did you mean 'history'?"),
        (marked(more='history="golden"'), "golden"),
        (marked(more='per="page"'), "per is 'conversation' or 'turn', got 'page'."),
        (marked(more='only="hours"'), "only is a list of names, got 'hours'."),
        (marked(more='only=["hour"]'), "Unknown conversation or turn 'hour'. Did you mean 'hours'?"),
        (marked(more='per="turn", next_turn=print'), "per='turn' needs to know the turns beforehand"),
        (marked().replace('dataset="shop.yaml", ', ""), "The marker uaef takes arguments by name, and dataset=..."),
        (marked().replace('dataset="shop.yaml"', '"shop.yaml"'), "The marker uaef takes arguments by name"),
        (marked().replace("(evals)", "()"), "is marked uaef and does not take the fixture evals"),
    ],
)
def test_what_cannot_be_is_refused_while_tests_are_collected(run, asked, source, sentence):
    """One sentence with the name of the test; nothing is played."""
    code, output = run(source)
    assert 2 == code
    assert "test_it.py::test_shop" in output
    assert sentence in output
    assert "Traceback" not in output
    assert [] == asked()


def test_an_agent_that_is_not_there_is_an_error_of_the_test(run):
    """The sentence of the command line."""
    code, output = run(marked("gud"))
    assert 1 == code
    assert "Unknown agent in agents: 'gud'" in output


@pytest.mark.parametrize(
    "body",
    ["pass", "assert evals.name", "evals.check", "evals.run([{'input': 'Hi'}], str.upper, gates=['json_valid'])"],
)
def test_a_marked_test_that_looks_at_nothing_fails(run, asked, body):
    """It would pass whatever the agent says."""
    source = marked("broken", 'only=["hours"]').replace("evals.check()", body)
    code, output = run(source)
    assert 1 == code
    assert "test_shop[hours] is marked uaef and neither calls evals.check() nor looks at evals.result" in output
    assert [] == asked()


def test_whoever_looks_at_the_result_decides(run):
    """By assertions, or in a fixture; a test that skips itself, or fails, says why in its own words."""
    source = """
pytestmark = pytest.mark.uaef(dataset="shop.yaml", agent="agents:good", only=["hours"])
@pytest.fixture
def result(evals): return evals.result
def test_fixture(result): assert result.passed
def test_result(evals): assert evals.result.passed
def test_skipped(evals): pytest.skip("not today")
def test_failed(evals): assert not "this"
@pytest.mark.xfail(strict=True)
def test_known(evals): pass
"""
    code, output = run(source)
    assert 1 == code
    assert "1 failed, 2 passed, 1 skipped, 1 xfailed" in output
    assert "assert not 'this'" in output
