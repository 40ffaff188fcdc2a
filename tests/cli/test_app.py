"""The program as a whole: help, versions, how it ends when the world is against it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import uaef
from uaef.cli import main

HEAVY = {"rich", "rapidfuzz", "openpyxl", "jsonschema", "asyncio", "uaef.api", "uaef.metrics", "uaef.adapters"}
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix kernel")


def test_entry_point_is_the_group():
    """The installed program is ``uaef.cli:main``."""
    (entry,) = entry_points(group="console_scripts", name="uaef")
    assert entry.load() is main


def test_version(run):
    """The program says its version."""
    assert (0, f"uaef {uaef.__version__}\n", "") == run("--version")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([verb, "--help"] for verb in main.list_commands(None))])
def test_help(call, arguments):
    """Help goes to standard output, under the name of the program, and shows no formatting marks."""
    code, text, stderr = call(*arguments)
    assert (0, "") == (code, stderr)
    assert text.startswith(f"Usage: uaef{' ' + arguments[0] if len(arguments) > 1 else ''} [OPTIONS]")
    assert "\b" not in text


def test_group_lists_its_verbs_as_they_describe_themselves(call):
    """Each verb is listed, with examples and exit codes beside them."""
    text = call("--help")[1]
    kept = ["runs", "retry", "score", "baseline"]
    assert ["evaluate", "validate", "init", "run", *kept, "metrics", "demo"] == main.list_commands(None)
    assert all(f"\n  {verb}" in text for verb in main.list_commands(None))
    assert "Examples:\n    uaef demo\n" in text
    assert "Exit codes:\n    0    every threshold was met" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing command. Try 'uaef --help'."),
        (["evalute"], "No such command 'evalute'. Try 'uaef --help'."),
        (["--bogus"], "No such option '--bogus'. Try 'uaef --help'."),
        (["demo", "now"], "Got unexpected extra argument (now). Try 'uaef demo --help'."),
    ],
)
def test_mistakes(call, arguments, message):
    """A mistake is one sentence on standard error, and the exit code is 2."""
    assert (2, "", f"uaef: {message}\n") == call(*arguments)


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["--version"]])
def test_help_is_light(folder, arguments):
    """Whoever asks for help waits for nothing that only a run needs."""
    script = (
        "import json, sys\ntry:\n from uaef.cli import main\n main()\nfinally:\n print(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=folder, check=True
    )
    assert set() == HEAVY.intersection(json.loads(done.stdout.splitlines()[-1]))


def test_fault_of_our_own_is_no_missed_threshold(call, monkeypatch):
    """A fault in uaef shows where it is and leaves with a code that means nothing else."""
    monkeypatch.setattr("uaef.demo.load_demo", lambda: 1 / 0)
    code, report, stderr = call("demo")
    assert (70, "") == (code, report)
    assert "ZeroDivisionError: division by zero\n" in stderr
    assert stderr.endswith("uaef: This is a fault in uaef; please report it with the lines above.\n")


@UNIX
def test_interrupted(folder):
    """Ctrl-C ends with one line and with 130."""
    fifo = folder / "never.json"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "uaef", "evaluate", str(fifo)]
    # the pipe opens for writing once the program opens it for reading
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program, fifo.open("wb"):  # noqa: S603 - our own
        program.send_signal(signal.SIGINT)
        _, stderr = program.communicate(timeout=30)
    assert (130, "uaef: interrupted") == (program.returncode, stderr.strip())


@UNIX
@pytest.mark.parametrize(("arguments", "code"), [(["metrics"], 0), (["evaluate", "slow.json"], 1), (["--help"], 0)])
def test_reader_that_leaves(folder, write, arguments, code):
    """Where nobody reads the report, nothing is said, and what was found still decides the exit code."""
    write("slow.json", {"trace_id": "t", "messages": [], "latency": 60.0})
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "uaef", *arguments], stdout=written, stderr=subprocess.PIPE, cwd=folder, check=False
    )
    os.close(written)
    assert (code, b"") == (done.returncode, done.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110 - at import
def test_full_disk(folder, write):
    """A report or a file that cannot be written is an error that says why."""
    write("chat.json", [{"role": "user", "content": "Hi"}])
    program = [sys.executable, "-m", "uaef", "evaluate", "chat.json", "--metrics", "latency_score"]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, cwd=folder, text=True, check=False)  # noqa: S603 - our own program
    assert (2, "uaef: Standard output cannot be written: No space left on device.") == (
        done.returncode,
        done.stderr.splitlines()[-1],
    )
    to_file = [*program, "--json", "/dev/full"]
    done = subprocess.run(to_file, capture_output=True, cwd=folder, text=True, check=False)  # noqa: S603 - our own program
    assert (2, "uaef: /dev/full: cannot be written: No space left on device.") == (
        done.returncode,
        done.stderr.splitlines()[-1],
    )
    assert "Traceback" not in done.stderr


def test_encoding_that_lacks_a_character(run, write):
    """A terminal that cannot show a character gets an x for a cross, else a question mark, and never a crash."""
    write("slow.json", {"trace_id": "느림", "messages": [], "latency": 60.0})
    code, report, stderr = run("evaluate", "slow.json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (1, "") == (code, stderr)
    assert report.startswith("??  FAILED")
    assert "0.03x" in report


@UNIX
@pytest.mark.parametrize(
    ("no_color", "term", "coloured"), [("", "xterm", True), ("1", "xterm", False), ("", "dumb", False)]
)
def test_colour_is_for_terminals(folder, no_color, term, coloured):
    """On a terminal the report is coloured, unless NO_COLOR or a dumb terminal says otherwise."""
    import pty  # noqa: PLC0415 - Unix only

    terminal, end = pty.openpty()
    environment = {**os.environ, "NO_COLOR": no_color, "TERM": term, "COLUMNS": "60"}
    with subprocess.Popen(
        [sys.executable, "-m", "uaef", "demo"], stdout=end, stderr=end, env=environment, cwd=folder
    ) as program:
        os.close(end)
        shown = b"".join(iter(lambda: _read(terminal), b"")).decode()
    os.close(terminal)
    assert 0 == program.returncode
    assert coloured == ("\x1b[1;31mturn 3 broke\x1b[0m" in shown)
    assert coloured == ("\x1b" in shown)


def _read(terminal):
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("evaluate nowhere.json 2>/dev/full", 2),
        ("evaluate nowhere.json 2>&-", 2),
        ("metrics >&-", 0),
        ("metrics >/dev/full", 2),
        ("--help >/dev/full", 2),
        ("--version >/dev/full", 2),
        ("evaluate - <&-", 2),
        ("demo 2>&- >&-", 0),
    ],
)
def test_standard_streams_that_are_closed_or_full(command, code, tmp_path):
    """The exit code says what happened, whoever can read the rest; there is never a traceback."""
    shell = ["sh", "-c", f"{sys.executable} -m uaef {command}"]
    done = subprocess.run(shell, capture_output=True, text=True, cwd=tmp_path, check=False)  # noqa: S603 - our own
    assert (code, False) == (done.returncode, "Traceback" in done.stderr)
