"""``uaef validate``: every problem of every file, or what is in it."""

from __future__ import annotations

GOOD = """\
conversations:
  - id: lamp
    gates: [json_valid]
    turns:
      - {user: Where is it?, reply: Which one?, checks: [{includes: lamp}]}
      - {user: The lamp., metrics: [coherence], thresholds: [{accuracy: 0.5}]}
"""
ROW = "      - {user: 44192, expect: x}\n"


def test_good_files(call, write):
    """A line for each file with what is in it."""
    write("shop.yaml", GOOD)
    write("one.json", {"conversations": [{"id": "a", "turns": [{"user": "b", "expect": "c"}]}]})
    assert (
        0,
        (
            "shop.yaml: 1 conversation, 2 turns, 2 gates, 1 score, 1 threshold\n"
            "one.json: 1 conversation, 1 turn, 1 gate\n"
        ),
        "",
    ) == call("validate", "shop.yaml", "one.json")


def test_every_problem(call, write):
    """However many there are, each is a line that an editor can follow; the good files are named too."""
    write("bad.yaml", "conversations:\n  - id: c\n    turns:\n" + ROW * 60)
    write("shop.yaml", GOOD)
    code, shown, said = call("validate", "bad.yaml", "shop.yaml", "none.yaml")
    *problems, good, missing = shown.splitlines()
    assert 2 == code
    assert [
        f"bad.yaml:{line}:16: conversation 'c', turn {line - 3}: user must be text, got a number (44192); "
        'put it in quotes: "44192"'
        for line in range(4, 64)
    ] == problems
    assert ("shop.yaml: 1 conversation", "no such file: none.yaml") == (good.partition(",")[0], missing)
    assert "uaef: 61 problems in 2 of 3 files.\n" == said


def test_warnings(call, write):
    """What is legal and probably not meant is pointed out on standard error, and changes nothing."""
    write("shop.yaml", "conversations: [{id: a, turns: [{user: b, expect: c}, {user: d, expect: e}]}]")
    code, shown, said = call("validate", "shop.yaml")
    assert (0, "shop.yaml: 1 conversation, 2 turns, 2 gates\n") == (code, shown)
    assert said.startswith("uaef: warning: shop.yaml: a#1 has no reply, so later turns are shown what stands under ")


def test_expectations_that_nothing_measures_and_gates_that_are_too_high(call, write):
    """What ``uaef run`` would warn of is known before anything is played."""
    turns = "turns: [{user: b, expect: c}, {user: d, expect: e, checks: [{similarity: f}]}]"
    write("shop.yaml", f"conversations: [{{id: a, {turns}}}]")
    code, shown, said = call("validate", "shop.yaml")
    assert (0, "shop.yaml: 1 conversation, 2 turns, 1 gate\n") == (code, shown)
    unmeasured, strict, replayed = said.splitlines()
    assert (
        "uaef: warning: shop.yaml: a#1, a#2 say what to expect, and nothing measures it; "
        "add meets_expectation to the gates or metrics"
    ) == unmeasured
    assert strict.startswith("uaef: warning: shop.yaml:1:85: similarity('f') is a number from 0 to 1, and this gate ")
    assert "a#1 has no reply" in replayed


def test_files_are_called_what_they_were_called(call, folder):
    """Also where nothing in them can be read: by the path that was given, not by its last part."""
    (folder / "sub").mkdir()
    (folder / "sub" / "bytes.yaml").write_bytes(b"a: 1\nb: \xff\n")
    (folder / "sub" / "empty.yaml").write_bytes(b"")
    code, shown, _ = call("validate", "sub/bytes.yaml", "sub/empty.yaml", "sub/none.yaml", "sub")
    assert 2 == code
    assert [
        "sub/bytes.yaml:2:4: not UTF-8 text (byte 0xff); save the file as UTF-8",
        "sub/empty.yaml: the file is empty",
        "no such file: sub/none.yaml",
        "sub: cannot be read: Is a directory",
    ] == shown.splitlines()


def test_patterns_that_cannot_be(call, write):
    """A problem of an argument is one of a line, whatever it breaks."""
    write("shop.yaml", "conversations:\n  - id: a\n    turns: [{user: b, checks: [{matches: 'a{99999999999}'}]}]")
    code, shown, _ = call("validate", "shop.yaml")
    assert (2, 1) == (code, shown.count("\n"))
    assert shown.startswith("shop.yaml:3:32: conversation 'a', turn 1: item 1 of checks: ")


def test_problems_cannot_drive_a_terminal(call, write):
    """What stands in a file is shown on one line and made harmless."""
    write("bad.json", {"conversations": [{"id": "a\x1b[31m\n#", "turns": [{"user": "b", "expect": "c"}]}]})
    code, shown, _ = call("validate", "bad.json")
    assert (2, 1, False) == (code, shown.count("\n"), "\x1b" in shown)


def test_program(run, write):
    """The real program, on a file whose name is not a word."""
    write("a b.yaml", "conversations: 3\n")
    assert (
        2,
        "a b.yaml:1:16: conversations must be a list, got a number (3)\n",
        "uaef: 1 problem in 1 of 1 file.\n",
    ) == run("validate", "a b.yaml")


def test_usage(call):
    """A file has to be named."""
    assert (2, "", "uaef: Missing argument 'FILE...'. Try 'uaef validate --help'.\n") == call("validate")
