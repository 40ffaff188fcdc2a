"""``python -m uaef``: the command line."""

from uaef.cli import main

main()
