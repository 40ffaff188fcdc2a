"""The command line: one file per verb. ``main`` is the click group, for the entry point and for generated docs."""

from uaef.cli.app import main as main
