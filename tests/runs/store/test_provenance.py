"""Where a run comes from: the commit and branch of the working directory, and nothing where there is none."""

from __future__ import annotations

import datetime as dt
import subprocess

import pytest

from uaef import __version__
from uaef.runs.records import RunInfo, RunStatus
from uaef.runs.store import origin, working_tree


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Git in a working tree with one commit, whatever is set up for the user."""
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        done = subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True)  # noqa: S603, S607
        return done.stdout.strip()

    git("init", "-b", "main")
    (tmp_path / "bot.py").write_text("1\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "one")
    return git


def test_commit_and_branch_of_a_clean_tree(git, tmp_path):
    """A new file, such as a store, is no change of what git knows."""
    (tmp_path / "new.txt").write_text("", encoding="utf-8")
    assert (git("rev-parse", "HEAD"), "main") == working_tree()


def test_a_changed_file_marks_the_commit(git, tmp_path):
    """What was run is not what was committed."""
    (tmp_path / "bot.py").write_text("2\n", encoding="utf-8")
    assert (git("rev-parse", "HEAD") + "+", "main") == working_tree()


def test_a_branch_that_git_does_not_know_is_said_by_the_pipeline(git):
    """A pipeline checks out a commit; without one, there is no branch."""
    git("checkout", "--detach")
    commit = git("rev-parse", "HEAD")
    assert (commit, None) == working_tree(environment={})
    pull = {"GITHUB_HEAD_REF": "fix", "GITHUB_REF_NAME": "12/merge"}
    assert (commit, "fix") == working_tree(environment=pull)
    assert (commit, "main") == working_tree(environment={"GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main"})


def test_no_repository_no_commit_and_no_git_are_no_errors(tmp_path, monkeypatch):
    """They are unknown."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert (None, None) == working_tree(tmp_path)
    subprocess.run(["git", "init", tmp_path], check=True, capture_output=True)  # noqa: S603, S607
    assert (None, None) == working_tree(tmp_path)
    monkeypatch.setenv("PATH", "")
    assert (None, None) == working_tree(tmp_path)


@pytest.mark.usefixtures("git")
def test_a_new_run_says_when_and_by_what_it_began():
    """The time in UTC, the version, the code."""
    before, tree = dt.datetime.now(dt.UTC), working_tree()
    run = RunInfo(**origin(), dataset="support")
    assert before <= run.started_at <= dt.datetime.now(dt.UTC)
    assert run.run_id.startswith(f"{run.started_at:%Y%m%dT%H%M%S%f}-")
    assert (__version__, tree.commit, tree.branch, "support", RunStatus.RUNNING) == (
        run.version, run.commit, run.branch, run.dataset, run.status,
    )  # fmt: skip
