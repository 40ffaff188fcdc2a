"""What GitHub's runner and pages are given: commands that nobody else can give, on the lines of a dataset."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reporting.played import SUN, answered, every_outcome, ruled
from tests.runs.weather import says

from uaef import run_evals
from uaef.data.conversations import ConversationDataset
from uaef.errors import DataError
from uaef.reporting.github import (
    MOST,
    ClaimAt,
    command,
    github_annotations,
    inert,
    is_github,
    places_of,
    write_step_summary,
)

# As the runner reads a line: the command, its properties, its message.
COMMAND = re.compile(r"::(?P<level>[a-z]+)(?: (?P<properties>[^:]*))?::(?P<message>.*)")
DATASET = """\
name: desk
conversations:
  - id: oslo
    gates:
      - excludes: snow
    turns:
      - user: Weather?
        checks:
          - includes: sun
      - user: And tomorrow?
        checks: [{includes: "sun, and: no rain"}]
"""


def read(line):
    """A command as the runner reads it: level, properties, message."""
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    pairs = (found["properties"] or "").split(",") if found["properties"] else []
    properties = {name: decoded(value, "%3A", "%2C") for name, _, value in (pair.partition("=") for pair in pairs)}
    return found["level"], properties, decoded(found["message"])


def decoded(text, *also):
    """A value with its escapes undone, in the runner's order."""
    for escape in (*also, "%0D", "%0A", "%25"):
        text = text.replace(escape, chr(int(escape[1:], 16)))
    return text


def test_what_broke_is_an_error_and_what_is_open_a_warning():
    """Each turn once, with reason, question and answer; a claim on the whole only where no turn is named for it."""
    found = [read(line) for line in github_annotations(every_outcome())]
    assert [
        ("error", "bad#2 broke"),
        ("error", "down#1 broke"),
        ("error", "down#2 broke"),
        ("error", "down broke"),
        ("warning", "open#1 could not be decided"),
    ] == [(level, properties["title"]) for level, properties, _ in found]
    assert "includes('sun'): does not say 'sun'; it said 'rain'\nuser: fail\nassistant: rain" == found[0][2]
    assert 5 == len(github_annotations(every_outcome(), strict=False))
    assert "low#1 broke" in str(github_annotations(every_outcome(), strict=True))


def test_annotations_stand_where_the_claim_was_written(tmp_path):
    """The file, line and column of the check in the dataset, whatever is in the name of the file."""
    file = tmp_path / "a, 100%:b.yaml"
    file.write_text(DATASET, "utf-8")
    dataset = ConversationDataset.from_file(file)
    places = places_of(dataset.cases)
    assert 3 == len(places)
    assert places[ClaimAt("oslo#1", "includes('sun')")] == f"{file}:9:13"
    run = run_evals(dataset, says("snow", "rain"), history="none")
    found = [read(line)[1] for line in github_annotations(run, places)]
    assert [("oslo#1 broke", "9", "13"), ("oslo#2 broke", "11", "18"), ("oslo broke", "5", "9")] == [
        (each["title"], each["line"], each["col"]) for each in found
    ]
    assert {str(file)} == {each["file"] for each in found}


def test_without_a_place_there_is_no_file():
    """A claim that was made in code is annotated all the same."""
    assert ["title"] == list(read(github_annotations(answered("rain"))[0])[1])


def test_of_many_the_last_says_how_many_more_there_are():
    """GitHub shows ten of a kind, and says of the others nothing."""
    found = [read(line) for line in github_annotations(answered(*["rain"] * 25))]
    assert MOST == len(found)
    assert "and 16 more" == found[-1][2]


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_escaping_is_undone_by_the_runner(value, message):
    """Whatever is in it, a command is one line, and comes out as it went in."""
    line = command("error", message, title=value)
    assert 1 == len(line.split("\n"))
    assert ("error", {"title": value}, message) == read(line)


@given(said=st.text(st.sampled_from("\r\n:#[]%,=\u2028 aerodstp-cmn"), min_size=1, max_size=200))
def test_no_answer_becomes_a_command(said):
    """A line that begins with a command of an agent's making does not exist."""
    for line in github_annotations(answered(said, question=f"{said}?", name=f"c{said}".replace("#", ""))):
        level, properties, message = read(line)
        assert level == "error"
        assert properties.keys() == {"title"}
        assert "broke" in properties["title"]
        assert "\r" not in message


def test_a_report_between_marks_is_inert():
    """The runner obeys nothing until the mark, which is drawn anew and cannot be guessed."""
    first, second = inert("::add-mask::a\n##[error]b"), inert("x\n")
    stop, *report, end = first.splitlines()
    assert ["::add-mask::a", "##[error]b"] == report
    mark = stop.removeprefix("::stop-commands::")
    assert end == f"::{mark}::"
    assert len(mark) == 32
    assert mark not in second


@pytest.mark.parametrize(
    ("environ", "expected"), [({}, False), ({"GITHUB_ACTIONS": "true"}, True), ({"GITHUB_ACTIONS": "false"}, False)]
)
def test_only_a_step_of_github_is_one(environ, expected):
    """Nothing is done for GitHub elsewhere."""
    assert expected is is_github(environ)


def test_summaries_are_appended(tmp_path):
    """Steps share the file: nothing of another's is lost."""
    file = tmp_path / "summary.md"
    file.write_text("before\n", "utf-8")
    assert write_step_summary("# ours ✗\n", {"GITHUB_STEP_SUMMARY": str(file)})
    assert write_step_summary("again", {"GITHUB_STEP_SUMMARY": str(file)})
    assert "before\n# ours ✗\n\nagain\n\n" == file.read_text("utf-8")
    assert not write_step_summary("nowhere", {})


def test_a_summary_that_cannot_be_written_is_refused_by_name(tmp_path):
    """One sentence, with the file and the reason."""
    with pytest.raises(DataError, match=r"GITHUB_STEP_SUMMARY names .*, which cannot be written: Is a directory\."):
        write_step_summary("x", {"GITHUB_STEP_SUMMARY": str(tmp_path)})


def test_a_run_that_passes_has_no_annotations():
    """Silence is green."""
    assert [] == github_annotations(run_evals([{"input": "a"}], says("sun"), gates=[SUN]))


def test_a_rule_of_the_gate_that_was_missed_is_an_error():
    """One that was not decided is a warning, one that was met is not told; none becomes a command."""
    lines = github_annotations(answered("sun"), gate=ruled("met", "missed", "unmeasured", "not_applicable"))
    assert 2 == len(lines)
    assert lines[0].startswith("::error title=uaef gate::gate missed: pass_rate 2: too few")
    assert lines[1].startswith("::warning title=uaef gate::gate could not be decided: pass_rate 3: ")
    assert not any("\n" in line for line in lines)


def test_rules_are_told_before_turns():
    """GitHub shows ten of a kind, and the rule is not the one that is left out."""
    lines = github_annotations(answered(*["rain"] * 25), gate=ruled("missed"))
    assert 10 == len(lines)
    assert "gate missed" in lines[0]
    assert lines[-1].endswith("and 17 more")
