"""Several outputs of one command: checked before anything is spent, each written whatever becomes of the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from uaef.cli.output import STDOUT, check_writable, from_here
from uaef.errors import DataError, UsageError

_SUMMARY = "GITHUB_STEP_SUMMARY"


def check_places(files: Mapping[str, str | None]) -> None:
    """Refuse files that cannot be written, and two documents in one place.

    Args:
        files: where each option writes to; ``None`` where it was not given.

    Raises:
        DataError: a file cannot be written, and why.
        UsageError: one document would be written over another, or behind it.
    """
    taken: dict[object, str] = {}
    for option, file in files.items():
        if file is None:
            continue
        check_writable(file)
        place = _place(file)
        if place is not None and taken.setdefault(place, option) != option:
            where = "standard output" if file == STDOUT else repr(file)
            raise UsageError(f"{taken[place]} and {option} cannot both write to {where}: name a file for each.")


def check_kept(files: Mapping[str, str | None], read: Iterable[str]) -> None:
    """Refuse to write a document over a file that the command reads.

    Args:
        files: where each option writes to; ``None`` where it was not given.
        read: the files that are read, such as datasets.

    Raises:
        UsageError: one would be lost.
    """
    known = {from_here(file).resolve() for file in read}
    for option, file in files.items():
        if file is not None and file != STDOUT and from_here(file).resolve() in known:
            raise UsageError(f"{option} would write over {file!r}, which is read; name another file.")


def _place(file: str) -> object:
    """What tells one place from another; ``None`` of a device, which may take any number of documents."""
    path = Path(file)
    if file == STDOUT:
        return STDOUT
    return None if path.exists() and not path.is_file() else path.resolve()


@contextmanager
def gathering(problems: list[str]) -> Iterator[None]:
    """Note in ``problems`` what could not be written in here, so that everything else still is."""
    try:
        yield
    except DataError as error:
        problems += error.problems


def summarise_step(text: str) -> None:
    """Append Markdown to the summary of the step in which GitHub runs the command, if there is one.

    Raises:
        DataError: it cannot be written.
    """
    from uaef.reporting.github import write_step_summary  # noqa: PLC0415 - wanted only there

    file = os.environ.get(_SUMMARY)
    write_step_summary(text, {_SUMMARY: str(from_here(file))} if file else {})


def refuse(problems: Sequence[str]) -> None:
    """End with what could not be written, once everything else is done.

    Raises:
        DataError: something could not.
    """
    if problems:
        raise DataError(*problems)
