"""The tests here import the modules of the examples, as the scripts in that folder do."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "examples"))
