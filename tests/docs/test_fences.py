"""Documentation is run: every Python block, every ``$ uaef`` command, and what they are said to print.

The ``python`` blocks of a page share one namespace, in order. A ``text`` block right after one is what it prints.
In a ``console`` block, ``$ uaef ...`` is run, ``$ echo $?`` shows its exit code, and the lines below are the output;
a line ``...`` stands for any number of lines. All of a page happens in one empty folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
UAEF = [str(Path(sys.executable).parent / "uaef")]


class Fence(NamedTuple):
    """A fenced block: its language, its text, its first line's number, and whether it follows a block at once."""

    language: str
    text: str
    line: int
    follows: bool


def fences(page):
    """The fenced blocks of a page, in order."""
    source = page.read_text("utf-8")
    end = None
    for found in FENCE.finditer(source):
        follows = end is not None and not source[end : found.start()].strip()
        yield Fence(found[1], found[2], source.count("\n", 0, found.start(2)), follows)
        end = found.end()


def matches(expected, actual):
    """Whether a block describes an output; trailing blanks do not count."""
    lines = [line.rstrip() for line in expected.strip("\n").split("\n")]
    pattern = "".join("(?:.*\n)*?" if line == "..." else f"{re.escape(line)} *\n" for line in lines)
    return re.fullmatch(pattern, actual.strip("\n") + "\n") is not None


def run_python(fence, page, namespace):
    """What the block prints; a failure shows the page and its line."""
    printed = io.StringIO()
    code = compile("\n" * fence.line + fence.text, str(page), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102 - running it is the point
    return printed.getvalue()


def run_console(fence):
    """The commands of the block, each with the output it should have and the one it has."""
    code = 0
    for part in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        if command == "echo $?":
            yield command, expected, f"{code}\n"
            code = 0
            continue
        assert code == 0, f"a command before {command!r} ended with {code}, which the page does not show"
        name, *arguments = shlex.split(command)
        assert name == "uaef"
        done = subprocess.run(  # noqa: S603 - the command stands in our own page
            [*UAEF, *arguments],
            env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        code = done.returncode
        yield command, expected, done.stdout
    assert code == 0, f"the last command ended with {code}, which the page does not show"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_does_what_it_shows(page, tmp_path, monkeypatch):
    """Every block runs, and prints what the page says it prints."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    printed = None
    for fence in fences(page):
        if fence.language == "python":
            printed = run_python(fence, page, namespace)
            continue
        if fence.language == "text" and fence.follows and printed is not None:
            assert matches(fence.text, printed), f"{page}:{fence.line}: it prints\n{printed}"
        elif fence.language == "console":
            for command, expected, actual in run_console(fence):
                if expected.strip():
                    assert matches(expected, actual), f"{page}:{fence.line}: {command} prints\n{actual}"
        printed = None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link names a file of the repository, and a heading in it if it names one."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text("utf-8"))
    for path, heading in links:
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name} links to {path}"
        if heading:
            assert heading in headings(target), f"{page.name} links to {path}#{heading}"


def headings(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}
