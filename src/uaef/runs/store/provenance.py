"""Where a run comes from: when it began, which code was there, and a name that sorts by that."""

from __future__ import annotations

import datetime as dt
import os
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict

from uaef import __version__

_GIT_S = 10.0
_BRANCHES_OF_CI = ("GITHUB_HEAD_REF", "CI_COMMIT_REF_NAME", "GITHUB_REF_NAME")
"""Where a pipeline says which branch it has checked out; git itself knows but the commit there."""


class WorkingTree(NamedTuple):
    """The state of the code: ``None`` where there is no git, or nothing in it.

    Attributes:
        commit: with ``+`` behind it where a file that git knows has changed since.
        branch: checked out.
    """

    commit: str | None = None
    branch: str | None = None


class Origin(TypedDict):
    """Where a run comes from: the fields of ``RunInfo`` that nobody has to give."""

    run_id: str
    started_at: dt.datetime
    version: str
    commit: str | None
    branch: str | None


def origin() -> Origin:
    """What is known of a run that begins now, here: ``RunInfo(**origin(), dataset="support")``."""
    now = dt.datetime.now(dt.UTC)
    tree = working_tree()
    return Origin(run_id=run_id(now), started_at=now, version=__version__, commit=tree.commit, branch=tree.branch)


def run_id(now: dt.datetime) -> str:
    """``20261201T061852123456-9f3c1a02``: it sorts by the time, and no two processes give the same."""
    return f"{now.astimezone(dt.UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}"


def working_tree(directory: Path | None = None, environment: Mapping[str, str] = os.environ) -> WorkingTree:
    """The state of the code in ``directory``, by default the working directory. It is never an error."""
    commit = _git(directory, "rev-parse", "HEAD")
    if not commit:
        return WorkingTree()
    changed = _git(directory, "status", "--porcelain", "--untracked-files=no")
    named = (environment.get(name) for name in _BRANCHES_OF_CI)
    branch = _git(directory, "branch", "--show-current") or next(filter(None, named), None)
    return WorkingTree(f"{commit}+" if changed else commit, branch)


def _git(directory: Path | None, *arguments: str) -> str | None:
    """What git answers; ``None`` where it cannot."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            ["git", *arguments],  # noqa: S607 - the git that the user uses
            cwd=directory,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()
