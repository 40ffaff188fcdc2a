"""``uaef init``: a dataset and an agent to begin with."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path

import click

from uaef.cli.exits import OK
from uaef.cli.output import emit
from uaef.errors import DataError

DATASET, AGENT = "conversations.yaml", "agent.py"


@click.command
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(path_type=Path))
def command(*, folder: Path) -> int:
    """Write a small dataset of conversations, and an agent that answers it, into DIR or the current folder.

    The dataset comes with its JSON Schema, by which editors that know YAML complete and check it. Files that are
    there already are left alone: then nothing is written.

    \b
    Examples:
      uaef init
      uaef init evals
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.data.conversations.schema import FILE, shipped_schema  # noqa: PLC0415 - loaded for a run, not for --help

    starter = files("uaef.cli") / "starter"
    contents = {
        DATASET: (starter / DATASET).read_text("utf-8").replace("SCHEMA", FILE),
        AGENT: (starter / "agent.txt").read_text("utf-8"),
        FILE: shipped_schema(),
    }
    _write(folder, contents)
    there = "" if folder == Path() else f"cd {shlex.quote(str(folder))}\n"
    emit(
        "".join(f"wrote {folder / name}\n" for name in contents)
        + f"\nNext:\n{there}uaef run {DATASET} --agent agent:answer\n"
    )
    return OK


def _write(folder: Path, contents: dict[str, str]) -> None:
    """Write the files, all of them or none.

    Raises:
        DataError: one of them is there, or the folder cannot be written.
    """
    taken = [str(folder / name) for name in contents if (folder / name).exists()]
    if taken:
        raise DataError(f"{', '.join(taken)}: there already; nothing was written. Name another folder: uaef init DIR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(content)
    except OSError as error:
        raise DataError(f"{error.filename or folder}: cannot be written: {error.strerror}.") from None
