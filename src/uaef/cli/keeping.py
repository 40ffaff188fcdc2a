"""The options that say where a run is kept and written to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

if TYPE_CHECKING:
    from uaef.runs.store import Store

_Command = TypeVar("_Command", bound=Callable[..., object])


class _Label(click.ParamType[str]):
    """What a run can be called: one line, that stands for nothing else where a run is named."""

    name = "text"
    _TAKEN = ("latest", "baseline")

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value.strip() or not value.isprintable():
            self.fail("a label is a line of text, without control characters.", param, ctx)
        if value in self._TAKEN:
            self.fail(f"{value!r} names a run by itself, so none can be called that.", param, ctx)
        return value


LABEL = _Label()
NEWEST = "\0"
"""What ``--resume`` is given where it names no run: nobody can type it, as nobody means an empty name."""


def store_option(command: _Command) -> _Command:
    """The option that says where runs are kept, added to ``command``."""
    return click.option(
        "--store",
        metavar="URL",
        help="Where runs are kept: sqlite:///PATH or postgresql://...; else UAEF_STORE, else sqlite:///.uaef/uaef.db.",
    )(command)


class KeepArguments(TypedDict):
    """What the options below collect."""

    save: bool
    store: str | None
    label: str | None
    marks: tuple[str, ...]
    resume: str | None
    junit: str | None
    pr_comment: str | None
    json_file: str | None


def keep_options(command: _Command) -> _Command:
    """The options, added to ``command``."""
    options = (
        click.option("--save/--no-save", default=True, help="Whether to keep the run in the store; it is kept."),
        store_option,
        click.option("--label", type=LABEL, metavar="TEXT", help="What to call the run."),
        click.option("--mark", "marks", multiple=True, metavar="TAG", help="A tag for the run itself."),
        click.option(
            "--resume",
            is_flag=False,
            flag_value=NEWEST,
            metavar="[RUN]",
            help="Go on with a run that was interrupted: RUN, or the newest; datasets and options are its own.",
        ),
        click.option(
            "--junit",
            metavar="FILE",
            help="Write JUnit XML: a suite a conversation, a case a turn. FILE may be -, as with --json.",
        ),
        click.option(
            "--pr-comment",
            metavar="FILE",
            help="Write Markdown for a comment on a pull request. FILE may be -, as with --json.",
        ),
        click.option(
            "--json",
            "json_file",
            metavar="FILE",
            help="Write everything there as JSON; - is standard output, in place of the report, for one document.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def places(given: KeepArguments) -> dict[str, str | None]:
    """Where each option writes a document to; ``None`` where it was not given."""
    return {"--json": given["json_file"], "--junit": given["junit"], "--pr-comment": given["pr_comment"]}


@contextmanager
def opened_store(url: str | None, *, save: bool) -> Iterator[Store | None]:
    """The store at ``url``, where the run is to be kept.

    Raises:
        StoreError: it cannot be opened.
    """
    if not save:
        yield None
        return
    from uaef.runs.store import open_store  # noqa: PLC0415 - a database, wanted only for a run

    with open_store(url) as store:
        yield store
