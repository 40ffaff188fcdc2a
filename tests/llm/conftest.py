"""For the tests of model clients: a local server, and an environment in which nothing is set up."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from setup_of_judges import nothing_set_up, providers, server  # noqa: F401 - fixtures, found by the line above
