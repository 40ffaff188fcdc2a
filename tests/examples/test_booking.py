"""The example does what it says: live, in a notebook, and from the events that are shipped with the package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import booking_demo
import nbformat
import pytest
import record_demo
from booking import write_ground_truth
from booking.scripted_model import ScriptedChatModel
from nbclient import NotebookClient

from uaef.adapters import LangGraphAdapter
from uaef.api import batch_evaluate
from uaef.data.ground_truth import build_multi_turn_ground_truth, load_ground_truth_file
from uaef.demo import METRICS, load_demo

EXAMPLES = Path(booking_demo.__file__).parent
NOTEBOOK = EXAMPLES / "booking_multi_turn.ipynb"
BAD = "board-meeting"


@pytest.fixture(scope="module")
def demo():
    """What ``uaef demo`` evaluates, evaluated."""
    payloads, ground_truths = load_demo()
    sessions = LangGraphAdapter().transform_to_canonical(payloads)
    return batch_evaluate(sessions, ground_truths, metrics=METRICS, judge="local")


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """The name of a kernel that is this interpreter, whatever kernels the machine has."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = tmp_path / "kernels" / "tested" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": argv, "display_name": "tested", "language": "python"}))
    return spec.parent.name


def found(results):
    """Where each metric was measured and what it found; a measured latency depends on the machine, so without it."""
    return [
        [(m.slice_name, m.metric, None if m.metric == "latency_score" else m.score.score) for m in r.measurements]
        for r in results
    ]


def test_demo_script_names_the_turn_that_broke():
    """``make demo`` ends well within its minute, and says which session broke, at which turn, and why."""
    done = subprocess.run(  # noqa: S603 - a script of this repository
        [sys.executable, booking_demo.__file__], capture_output=True, text=True, timeout=60, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert re.search(rf"^{BAD} .*\bturn 3\b", done.stdout, re.MULTILINE)
    shown = " ".join(done.stdout.split())
    assert "missed cancel_booking; called unasked create_booking" in shown
    assert "accuracy 0.03: 11% of the expected words occur in the answer" in shown
    assert "coherence: needs an LLM judge" in shown
    assert "A model judges with judge='openai:MODEL' (or anthropic:, bedrock:)." in shown
    assert "board-meeting FAILED turn 3 broke" in shown
    assert "3 conversations: 2 passed, 1 failed (agent LangGraph; history: thread) verdict: FAILED" in shown


def test_dataset_of_the_example_is_played_from_the_command_line():
    """``uaef run`` plays the graph itself, with its tools and its memory, and fails at the gates of the bad turn."""
    command = [sys.executable, "-m", "uaef", "run", "booking/conversations.yaml", "--agent", "booking.agent:agent"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=EXAMPLES)  # noqa: S603 - our own program
    assert 1 == done.returncode
    assert "called_tool('cancel_booking') of board-meeting#3" in done.stderr


def test_only_the_bad_session_fails(demo):
    """One session breaks, at its third turn, and every other session passes at every turn."""
    assert {BAD: 3} == {r.conversation.conversation_id: r.broken_turn for r in demo if not r.passed}
    assert {None} == {r.broken_turn for r in demo if r.passed}


def test_bad_turn_is_obvious(demo):
    """In the bad turn each of the three tool metrics is at zero; in the turns before it each is at one."""
    (bad,) = [r for r in demo if not r.passed]
    tools = [(m.turns, m.score.score) for m in bad.measurements if m.dimension == "Tool Calling"]
    assert sorted([((1,), 1.0), ((2,), 1.0), ((3,), 0.0)] * 3) == sorted(tools)


def test_sessions_are_of_every_kind(demo):
    """Single-turn and multi-turn sessions, of one agent and of several, are evaluated in one batch."""
    kinds = {(r.metadata["is_multi_agent"], r.metadata["num_turns"] > 1) for r in demo}
    assert {(False, False), (False, True), (True, False), (True, True)} == kinds


def test_shipped_events_evaluate_like_the_live_graphs(demo):
    """The shipped recording and a live run give the same expectations, agents, measurements and scores."""
    payloads, ground_truths = [], []
    for turns, played in booking_demo.play_all():
        payloads += played
        events = [event for payload in played for event in payload["stream_events"]]
        ground_truths.append(build_multi_turn_ground_truth(turns, events=events))
    traces = LangGraphAdapter().transform_to_canonical(payloads)
    live = batch_evaluate(traces=traces, ground_truths=ground_truths, metrics=METRICS, judge="local")
    assert ground_truths == load_demo()[1]
    assert [r.conversation.agents for r in live] == [r.conversation.agents for r in demo]
    assert found(live) == found(demo)


def test_recording_anew_changes_nothing(tmp_path):
    """The shipped files are what ``record_demo.py`` writes, to the letter, and they stay small."""
    record_demo.record(tmp_path)
    files = sorted(tmp_path.iterdir())
    assert ["ground_truth.csv", "payloads.jsonl"] == [file.name for file in files]
    assert [(record_demo.SHIPPED / f.name).read_text("utf-8") for f in files] == [f.read_text("utf-8") for f in files]
    assert sum(file.stat().st_size for file in files) < 60_000


def test_spreadsheet_is_what_its_script_writes(tmp_path):
    """The committed spreadsheet holds the rows that ``write_ground_truth.py`` would write today."""
    write_ground_truth.write(tmp_path / "ground_truth.xlsx")
    committed = load_ground_truth_file(write_ground_truth.SPREADSHEET)
    assert load_ground_truth_file(tmp_path / "ground_truth.xlsx") == committed
    assert len(write_ground_truth.rows()) == len(committed)


def test_scripted_model_says_where_its_script_ends():
    """A question that nobody wrote a reply for is an error that says where to write one."""
    expected = "booking/script.py has no reply 1 to the questions ['Sing!']; add a turn for them."
    with pytest.raises(LookupError) as raised:
        ScriptedChatModel().invoke("Sing!")
    assert expected == str(raised.value)


def test_notebook_runs_in_a_jupyter_kernel(kernel):
    """Every cell of the notebook runs, inside the kernel's event loop, and its output names the bad turn."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("import asyncio; print(asyncio.get_running_loop().is_running())"))
    inside = {"metadata": {"path": str(EXAMPLES)}}
    NotebookClient(notebook, kernel_name=kernel, timeout=60, resources=inside).execute()
    *_, sessions, reasons, loop = [
        "".join(output.text for output in cell.outputs) for cell in notebook.cells if cell.cell_type == "code"
    ]
    assert re.search(rf"^{BAD} .*\bturn 3\b", sessions, re.MULTILINE)
    assert "Turn 3 (0.00)" in reasons
    assert "True\n" == loop


def test_notebook_is_committed_without_outputs():
    """The committed notebook holds no outputs and no counts, so that it changes only when its text does."""
    cells = [c for c in nbformat.read(NOTEBOOK, as_version=4).cells if c.cell_type == "code"]
    assert [([], None)] * len(cells) == [(cell.outputs, cell.execution_count) for cell in cells]
