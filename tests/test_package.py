"""What users get: the public names, what an import costs, what is in the wheel, how much comes with it."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import uaef

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements" / "dev.txt").read_text("utf-8")

UNLOCKED = {"deepeval"}
"""Extras that no test installs; the Makefile says why."""

PUBLIC = [
    "AgentTrace",
    "Conversation",
    "EvaluationResult",
    "GroundTruth",
    "Message",
    "Metric",
    "MetricScore",
    "MultiAgentTrace",
    "RunResult",
    "Threshold",
    "ToolCall",
    "abatch_evaluate",
    "aevaluate",
    "arun_evals",
    "batch_evaluate",
    "checks",
    "evaluate",
    "metric",
    "run_evals",
]

HEAVY = {
    "aiohttp",
    "datafog",
    "genai_prices",
    "jsonschema",
    "langchain_core",
    "langgraph",
    "numpy",
    "openpyxl",
    "opentelemetry",
    "rapidfuzz",
    "rich",
    "sqlite3",
    "sqlalchemy",
    "tenacity",
    "vaderSentiment",
    "yaml",
}

PROBE = """
import json, logging, sys
{statement}
root = logging.getLogger()
print(json.dumps({{"modules": list(sys.modules), "level": root.level, "handlers": len(root.handlers)}}))
"""


def test_public_names_are_these():
    """Adding or taking away a name of the package is a decision, made here too."""
    assert PUBLIC == sorted(uaef.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_can_be_got(name):
    """Every public name is there, though most are fetched only when they are asked for."""
    assert getattr(uaef, name) is not None
    assert name in dir(uaef)


def test_unknown_names_are_refused_like_in_any_module():
    """The lazy package answers a misspelt name as a plain module does."""
    with pytest.raises(AttributeError, match=r"^module 'uaef' has no attribute 'evaluat'"):
        _ = uaef.evaluat


@pytest.mark.parametrize(("statement", "most"), [("import uaef", 100), ("from uaef.api import evaluate", 350)])
def test_imports_are_light_and_leave_no_trace(statement, most, tmp_path):
    """An import loads few modules and none of the heavy ones, leaves logging alone and writes no file."""
    found = json.loads(_python("-c", PROBE.format(statement=statement), home=tmp_path))
    assert set() == HEAVY.intersection(found["modules"])
    assert len(found["modules"]) <= most
    assert (logging.WARNING, 0) == (found["level"], found["handlers"])
    assert [] == list(tmp_path.rglob("*"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from the tree with the build backend that the lock pins."""
    folder = tmp_path_factory.mktemp("dist")
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, home=folder)
    return next(folder.glob("*.whl"))


def test_wheel_holds_the_package_and_nothing_else(wheel):
    """Code, types marker, demo data: what is under src, and the notes of any wheel; no test, no cache."""
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    notes = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert package | {f"uaef-{uaef.__version__}.dist-info/{name}" for name in notes} == set(names)
    assert {"uaef/py.typed", "uaef/demo/payloads.jsonl", "uaef/demo/ground_truth.csv"} <= package
    assert len(names) <= 400
    assert wheel.stat().st_size <= 1_000_000


def test_wheel_runs_by_itself(wheel, tmp_path):
    """Unpacked elsewhere, ahead of the source tree, the package finds its metrics and its demo."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    script = "import uaef, sys; from uaef.cli import main; print(uaef.__file__); sys.argv[1:] = ['demo']; main()"
    shown = _python("-c", script, home=tmp_path, PYTHONPATH=str(site))
    assert shown.startswith(str(site))
    assert "turn 3" in shown


def test_core_install_is_small():
    """``pip install uaef`` brings at most 27 packages with our own and 60 MB, as shipped."""
    core = {found.name: found for found in _with_requirements("uaef", "")}
    sizes = {
        name: sum(Path(file.locate()).stat().st_size for file in found.files or () if file.suffix != ".pyc")
        for name, found in core.items()
    }
    assert len(core) <= 27
    assert sum(sizes.values()) <= 60_000_000


def test_lock_answers_every_requirement():
    """Each package that pyproject.toml asks for is pinned, by hash, at a version that it allows."""
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)(?: ;.*)? \\\n    --hash=sha256:", LOCK, flags=re.MULTILINE))
    project = PYPROJECT["project"]
    asked = [
        project["dependencies"],
        *(wanted for extra, wanted in project["optional-dependencies"].items() if extra not in UNLOCKED),
        PYPROJECT["dependency-groups"]["dev"],
        PYPROJECT["build-system"]["requires"],
    ]
    for wanted in map(Requirement, chain.from_iterable(asked)):
        assert wanted.specifier.contains(pins.get(canonicalize_name(wanted.name), "0")), f"make lock: {wanted}"


def test_lock_names_no_address():
    """Where packages come from is the user's choice: the lock says only what they are."""
    assert "://" not in LOCK


def _with_requirements(name: str, extra: str, seen: frozenset[str] = frozenset()) -> Iterator[Distribution]:
    if name in seen:
        return
    found = distribution(name)
    yield found
    for line in found.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            for each in wanted.extras or {""}:
                yield from _with_requirements(wanted.name, each, seen | {name})


def _python(*arguments: object, home: Path, **variables: str) -> str:
    """What Python printed, run in ``home`` as any user's folder."""
    done = subprocess.run(  # noqa: S603 - our own interpreter and arguments
        [sys.executable, *map(str, arguments)],
        cwd=home,
        env={**os.environ, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
