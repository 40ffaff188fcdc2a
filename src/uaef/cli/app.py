"""The group of verbs: each is loaded when it is called, and every error leaves through one door."""

from __future__ import annotations

import importlib
import logging
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from uaef import __version__
from uaef.cli.exits import FAULT, INTERRUPTED, OK, WRONG_USE, complain
from uaef.cli.output import abandon_stdout, remember_here, replace_closed_streams
from uaef.errors import DataError, UaefError

_VERBS = {
    "evaluate": "Evaluate recorded conversations, per turn and as a whole.",
    "validate": "Check datasets of conversations.",
    "init": "Write a dataset and an agent to begin with.",
    "run": "Play the conversations of a dataset against an agent.",
    "runs": "List, show, export and delete the runs that were kept.",
    "retry": "Play again what failed in a run that was kept.",
    "score": "Measure the conversations of a run that was kept anew.",
    "baseline": "Pin the run that later ones are compared with.",
    "metrics": "List what can be measured.",
    "demo": "Evaluate conversations that come with uaef, one of them broken.",
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _VERBS:
            return None
        command: click.Command = importlib.import_module(f"uaef.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Verbs"):
            formatter.write_dl(list(_VERBS.items()))

    def main(self, args: Sequence[str] | None = None, *_: object, **extra: object) -> NoReturn:
        """Run, and leave with the exit code; the name is ``uaef`` however it was started."""
        extra |= {"prog_name": "uaef", "standalone_mode": False}
        replace_closed_streams()
        logging.getLogger("uaef").addHandler(logging.NullHandler())  # reports tell the warnings; nobody else need
        try:
            code = super().main(args, **extra)  # type: ignore[call-overload]
        except SystemExit:  # how click ends where nobody reads its help to the end
            code = OK
        except click.Abort:
            code = INTERRUPTED
            complain("interrupted")
        except click.ClickException as error:
            code = WRONG_USE
            complain(_usage(error))
        except UaefError as error:
            code = WRONG_USE
            complain(*(error.problems if isinstance(error, DataError) else [str(error)]))
        except OSError as error:  # of click's own output: what is read and written elsewhere is refused by name
            code = WRONG_USE
            abandon_stdout()
            complain(f"Standard output cannot be written: {error.strerror}.")
        except RecursionError:
            code = WRONG_USE
            complain("The data is nested too deeply to be read.")
        except Exception:  # noqa: BLE001 - our own fault must not leave with the code for a missed threshold
            code = FAULT
            traceback.print_exc()
            complain("This is a fault in uaef; please report it with the lines above.")
        sys.exit(code)


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" Try '{context.command_path} --help'." if context else ""
    return f"{error.format_message().rstrip('.')}.{hint}"


@click.group(cls=_Verbs, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="uaef", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Evaluate conversations of AI agents: did each turn go right, did the whole, and which turn broke it?

    \b
    Examples:
      uaef demo
      uaef evaluate sessions.jsonl --ground-truth expected.xlsx
      uaef metrics

    \b
    Exit codes:
      0    every threshold was met, or none applied and a line says so
      1    a threshold was missed
      2    wrong usage, or a file that cannot be read
      3    something was required but could not be decided, or expected but not recorded
      130  interrupted
    """  # noqa: D301 - the mark of click for lines to be left as they are
    remember_here(context)
