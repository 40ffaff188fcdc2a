"""``uaef validate``: what is wrong with datasets, before anything is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from uaef.cli.exits import OK, WRONG_USE, complain
from uaef.cli.output import emit
from uaef.errors import DatasetSchemaError
from uaef.reporting.plain import one_line
from uaef.text.numbers import counted

if TYPE_CHECKING:
    from uaef.data.conversations import ConversationDataset

_LONGEST = 1_000


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def command(*, files: Sequence[str]) -> int:
    """Check datasets of conversations, and say everything that is wrong with them.

    Each problem in a file is a line that begins with file, line and column, which editors can follow; a file that
    cannot be opened is a line that names it. A good file is a line with what is in it, and what is probably not
    meant in it is a warning. Nothing is played and nobody is asked.

    \b
    Examples:
      uaef validate conversations.yaml
      uaef validate datasets/*.yaml

    \b
    Exit codes:
      0    every file is a dataset
      2    some file is not
    """  # noqa: D301 - the mark of click for lines to be left as they are
    from uaef.data.conversations import ConversationDataset  # noqa: PLC0415 - loaded for a run, not for --help

    lines: list[str] = []
    bad = problems = 0
    for file in files:
        try:
            dataset = ConversationDataset.from_file(file)
        except DatasetSchemaError as error:
            lines += error.problems
            bad, problems = bad + 1, problems + len(error.problems)
        else:
            lines.append(f"{file}: {_contents(dataset)}")
            complain(*(f"warning: {warning}" for warning in _warnings(dataset)))
    emit("".join(f"{one_line(line, _LONGEST)}\n" for line in lines))
    if bad:
        complain(f"{counted(problems, 'problem')} in {bad} of {counted(len(files), 'file')}.")
    return WRONG_USE if bad else OK


def _warnings(dataset: ConversationDataset) -> Sequence[str]:
    return [*dataset.unmeasured, *dataset.strict_gates, *dataset.warnings]


def _contents(dataset: ConversationDataset) -> str:
    asks = [ask for case in dataset.cases for ask in case.asks]
    claims = [case.claims for case in dataset.cases] + [ask.claims for ask in asks]
    kinds = Counter(str(claim.kind) for claim in chain.from_iterable(claims))
    parts = [counted(len(dataset.cases), "conversation"), counted(len(asks), "turn")]
    return ", ".join(parts + [counted(number, kind) for kind, number in sorted(kinds.items())])
