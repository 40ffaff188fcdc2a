"""``python writer.py URL NUMBER COUNT``: one run of so many results, written as fast as it goes."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from kept_results import fill, info, many

from uaef.runs.store import open_store

if __name__ == "__main__":
    url, number, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open_store(url) as store:
        fill(store, info(number), many(count))
