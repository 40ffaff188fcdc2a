"""The action for GitHub and the snippet for GitLab, run as the scripts that they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
YAML = [yaml.safe_load(found) for found in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
PLAY, COMMENT = ACTION["runs"]["steps"]
FORGETFUL = "def answer(input, *, history):\n    return 'On Saturday we open at 10.'\n"
# What of GitHub's program the action calls: it notes its arguments, and lists the comments that a test gives it.
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$NOTES"
case "$*" in *--paginate*) printf '%s' "$COMMENTS";; esac
"""


@pytest.fixture
def project(tmp_path):
    """What ``uaef init`` writes, and the programs that a pipeline has: uaef, pip, gh."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"gh": GH, "pip": "#!/bin/sh\n"}.items():
        (programs / name).write_text(text, "utf-8")
        (programs / name).chmod(0o755)
    (programs / "uaef").symlink_to(Path(sys.executable).parent / "uaef")
    folder = tmp_path / "project"
    folder.mkdir()
    assert 0 == bash("uaef init", folder)[0]
    return folder


def bash(script, folder, **environ):
    """What a runner does with a script: its exit code, and its output."""
    done = subprocess.run(  # noqa: S603 - our own scripts
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],  # noqa: S607 - the one that runners have
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}",
            "NOTES": str(folder.parent / "notes.txt"),
            "GITHUB_OUTPUT": str(folder.parent / "output.txt"),
            **environ,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def given(step, **inputs):
    """The variables of a step of the action, with these inputs and the defaults of the others."""
    known = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()}
    known |= {name.replace("_", "-"): value for name, value in inputs.items()}
    known = {f"${{{{ inputs.{name} }}}}": value for name, value in known.items()}
    return {name: known.get(value, value) for name, value in step["env"].items()}


def failures(file):
    """How many failures a file of JUnit XML has."""
    return int(ET.parse(file).getroot().get("failures"))  # noqa: S314 - our own document


def test_no_input_is_a_part_of_a_script():
    """Expressions stand in ``env`` and ``if`` alone, so that no input is ever run; every input is used."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
    used = set(re.findall(r"inputs\.([\w-]+)", str(ACTION["runs"]["steps"])))
    assert ACTION["inputs"].keys() == used


@pytest.mark.parametrize(("agent", "code"), [(None, 0), (FORGETFUL, 1)])
def test_the_action_runs_and_passes_the_exit_code_on(project, agent, code):
    """Green or red as ``uaef run`` says, with both files there and the code as an output."""
    if agent:
        (project / "agent.py").write_text(agent, "utf-8")
    inputs = given(PLAY, datasets="conversations.yaml\n", agent="agent:answer", arguments="--repeat\n2\n")
    found, output = bash(PLAY["run"], project, **inputs)
    assert code == found, output
    assert f"exit-code={code}\n" == (project.parent / "output.txt").read_text("utf-8")
    assert bool(code) is (failures(project / "uaef-junit.xml") > 0)
    assert (project / "uaef-comment.md").read_text("utf-8").startswith("<!-- uaef -->")


def test_arguments_are_not_run(project):
    """What is in an input is an argument, whatever it looks like."""
    inputs = given(PLAY, datasets="$(touch pwned)\n; touch pwned", agent="`touch pwned`", arguments="--only\na b; c")
    found, output = bash(PLAY["run"], project, **inputs)
    assert 2 == found, output
    assert "exit-code=2\n" == (project.parent / "output.txt").read_text("utf-8")
    assert not (project / "pwned").exists()


@pytest.mark.parametrize(
    ("comments", "called"),
    [
        ("", "--method POST repos/me/it/issues/7/comments"),
        ("41\n42\n", "--method PATCH repos/me/it/issues/comments/41"),
    ],
)
def test_the_comment_is_written_or_replaced(project, comments, called):
    """The first comment of ours is replaced; the body is the file."""
    (project / "uaef-comment.md").write_text("<!-- uaef -->\n", "utf-8")
    inputs = given(COMMENT) | {"PULL_REQUEST": "7", "GITHUB_REPOSITORY": "me/it", "COMMENTS": comments}
    code, output = bash(COMMENT["run"], project, **inputs)
    assert 0 == code, output
    listed, written = (project.parent / "notes.txt").read_text("utf-8").splitlines()
    assert "repos/me/it/issues/7/comments" in listed
    assert f"api {called} --field body=@uaef-comment.md --silent" == written


def test_without_a_report_there_is_no_comment(project):
    """A run that was refused has nothing to say."""
    inputs = given(COMMENT) | {"PULL_REQUEST": "7", "GITHUB_REPOSITORY": "me/it"}
    code, _ = bash(COMMENT["run"], project, **inputs)
    assert 0 == code
    assert not (project.parent / "notes.txt").exists()


def test_the_workflow_of_the_page_gives_the_action_what_it_takes():
    """Every input in the documentation exists, and those that are required are given."""
    jobs = next(found for found in YAML if "jobs" in found)["jobs"]
    steps = [step for step in jobs["conversations"]["steps"] if "uaef@" in step.get("uses", "")]
    steps += [step for found in YAML if isinstance(found, list) for step in found if "uaef@" in step.get("uses", "")]
    assert 2 == len(steps)
    required = {name for name, entry in ACTION["inputs"].items() if entry.get("required")}
    for step in steps:
        assert ACTION["inputs"].keys() >= step["with"].keys() >= required


@pytest.mark.parametrize(("agent", "code"), [(None, 0), (FORGETFUL, 1)])
def test_the_job_of_gitlab_runs(project, agent, code):
    """Its script, line by line; what it keeps is there, and only an outage is let pass."""
    job = next(found for found in YAML if "conversations" in found)["conversations"]
    if agent:
        (project / "agent.py").write_text(agent, "utf-8")
    found, output = bash("\n".join(job["script"]), project)
    assert code == found, output
    assert bool(code) is (failures(project / job["artifacts"]["reports"]["junit"]) > 0)
    assert all((project / path).exists() for path in job["artifacts"]["paths"])
    assert 3 == job["allow_failure"]["exit_codes"]


def test_nothing_is_installed_from_an_index_that_does_not_have_it():
    """Pipelines say where a clone is; ``pip install uaef`` would find nothing, or somebody else's package."""
    scripts = re.findall(r"pip install (?!')(.*)", PAGE)
    assert 2 == len(scripts)
    assert not any(re.search(r"(?<![\w/])uaef(?![\w/])", script) for script in scripts)


@pytest.mark.parametrize(
    ("turns", "code"),
    [
        (["{user: Two?, metrics: [{max_words: 9}]}"], 3),
        (["{user: Two?, checks: [{excludes: x}]}"], 1),
        (["{user: One?, checks: [{excludes: x}]}", "{user: Two?}"], 1),
    ],
    ids=["nowhere", "there", "elsewhere"],
)
def test_an_outage_of_the_agent_is_not_undecided(project, turns, code):
    """It is 1 where something is required of the conversation: the page's word, on which ``allow_failure`` hangs."""
    agent = "def answer(input):\n    if input == 'Two?':\n        raise ConnectionError('away')\n    return 'y'\n"
    (project / "agent.py").write_text(agent, "utf-8")
    dataset = f"name: d\nconversations:\n  - {{id: c, turns: [{', '.join(turns)}]}}\n"
    (project / "away.yaml").write_text(dataset, "utf-8")
    found, output = bash("uaef run away.yaml --agent agent:answer --history thread", project)
    assert code == found, output
