"""Commands as a user gives them: in this process for tables of cases, as the real program where it matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from uaef.cli import main

sys.path.append(str(Path(__file__).parents[1] / "llm"))

from setup_of_judges import nothing_set_up, providers, server  # noqa: F401 - fixtures, found by the line above


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, where the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder):  # noqa: ARG001 - it sets where the command runs
    """What a command does: its exit code, what it printed, what it said on standard error."""

    def call(*arguments, stdin=None):
        done = CliRunner().invoke(main, list(map(str, arguments)), input=stdin)
        return done.exit_code, done.stdout, done.stderr

    return call


@pytest.fixture
def run(folder):
    """The same by the real program."""

    def run(*arguments, stdin="", **environment):
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "uaef", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=folder,
            env={**os.environ, "PYTHONUTF8": "1", **environment},
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def write(folder):
    """Write a file: text and bytes as they are, a list of values as JSON lines, anything else as JSON."""

    def write(name, content):
        path = folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif path.suffix == ".jsonl":
            path.write_text("".join(f"{json.dumps(value)}\n" for value in content), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write
