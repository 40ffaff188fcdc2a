"""What goes to standard output and into files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from uaef.errors import DataError
from uaef.models.results import EvaluationResult
from uaef.reporting.plain import in_encoding

if TYPE_CHECKING:
    from uaef.runs.results import RunResult

STDOUT = "-"
PIPED_WIDTH = 100
_HERE = "uaef.here"


def emit(text: str) -> None:
    """Write ``text`` to standard output. A reader that left, like ``head``, is no error and changes no exit code."""
    try:
        sys.stdout.write(in_encoding(text, sys.stdout.encoding or "utf-8"))
        sys.stdout.flush()
    except OSError as error:
        abandon_stdout()
        if not isinstance(error, BrokenPipeError):
            raise DataError(f"Standard output cannot be written: {error.strerror}.") from None


def abandon_stdout() -> None:
    """Give up on standard output: the interpreter flushes once more when it ends, and that must not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def replace_closed_streams() -> None:
    """Give a process that was started without standard streams streams that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process


def emit_report(results: Sequence[EvaluationResult]) -> None:
    """Write the report for people: as wide as the terminal, coloured only there and where ``NO_COLOR`` is not set."""
    from uaef.reporting.terminal import render_results  # noqa: PLC0415 - rich, wanted only now

    emit_rendered(lambda **how: render_results(results, **how))


def emit_run(run: RunResult) -> None:
    """Write the report on a run for people, as ``emit_report`` does."""
    from uaef.reporting.runs import render_run  # noqa: PLC0415 - rich, wanted only now

    emit_rendered(lambda **how: render_run(run, **how))


class Rendering(Protocol):
    """From a width and whether there is colour to a report."""

    def __call__(self, *, width: int, colour: bool) -> str:
        """The report as text."""


def emit_rendered(render: Rendering) -> None:
    """Write what ``render`` makes for this terminal; in a step of GitHub Actions, so that no line of it is obeyed."""
    from uaef.reporting.github import inert, is_github  # noqa: PLC0415 - wanted only now

    report = render(width=terminal_width(), colour=is_coloured())
    emit(inert(report) if is_github() else report)


def is_coloured() -> bool:
    """Whether standard output is a terminal that shows colours, and ``NO_COLOR`` is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """How wide the terminal is; 100 where there is none and ``COLUMNS`` does not say."""
    return shutil.get_terminal_size((PIPED_WIDTH, 0)).columns


def remember_here(context: click.Context) -> None:
    """Note in which directory the command was called."""
    with suppress(OSError):  # it was deleted, and only whole paths lead anywhere
        context.meta[_HERE] = Path.cwd()


def from_here(file: str) -> Path:
    """The path of a file that the command line names: an agent or a metric may have gone to another directory."""
    context = click.get_current_context(silent=True)
    return Path(context.meta.get(_HERE, "") if context else "", file)


def check_writable(file: str) -> None:
    """Make sure, before anything is spent, that ``file`` can be written.

    Raises:
        DataError: it cannot, and why.
    """
    path, reason = Path(file), None
    if file == STDOUT:
        return
    if path.is_dir():
        reason = "it is a directory"
    elif not path.exists() and not path.parent.is_dir():
        reason = f"there is no directory {str(path.parent)!r}"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        reason = "permission denied"
    if reason:
        raise DataError(f"{file}: cannot be written: {reason}.")


def write_json(results: Sequence[EvaluationResult], file: str) -> None:
    """Write ``results`` as JSON to ``file``.

    Raises:
        DataError: it cannot be written, and why.
    """
    from uaef.reporting.json import results_to_json  # noqa: PLC0415 - wanted only with --json

    write_text(results_to_json(results) + "\n", file)


@contextmanager
def talking_apart(*files: str | None) -> Iterator[None]:
    """What is printed in here goes to standard error, where standard output is to hold one of ``files`` alone."""
    if STDOUT not in files:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def write_text(text: str, file: str) -> None:
    """Write ``text`` to ``file``, or to standard output.

    Raises:
        DataError: it cannot be written, and why.
    """
    write_pieces([text], file)


def write_pieces(pieces: Iterable[str], file: str) -> None:
    """Write a text that comes in pieces, as ``write_text`` does.

    Raises:
        DataError: it cannot be written, and why.
    """
    if file == STDOUT:
        for piece in pieces:
            emit(piece)
        return
    try:
        with from_here(file).open("w", encoding="utf-8") as opened:
            opened.writelines(pieces)
    except OSError as error:
        raise DataError(f"{file}: cannot be written: {error.strerror}.") from None
