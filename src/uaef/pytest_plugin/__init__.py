"""The pytest plugin: one test for each conversation of a dataset, or for each of its turns.

pytest loads this module in every project where uaef is installed, so nothing else of uaef is loaded before a test
asks for it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from uaef.pytest_plugin.keeping import Keeping, Sending, is_wanted

if TYPE_CHECKING:
    from uaef.pytest_plugin.fixture import Evals

_FIXTURE = "evals"
_MARKER = "uaef"
_ABOUT = (
    f"{_MARKER}(*, dataset, agent=None, per='conversation', only=(), tags=(), scorers=None, gates=None, "
    "**run_options): play the conversations of a dataset against an agent, a test for each; see docs/ci.md."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options that say what becomes of results."""
    group = parser.getgroup(_MARKER)
    group.addoption(
        "--uaef-save",
        action="store_true",
        help="keep what marked tests play in the store, as setting UAEF_STORE does; without it in .uaef/uaef.db",
    )
    group.addoption(
        "--uaef-compare",
        metavar="REF",
        help="keep it, and say what changed since another run of the dataset: baseline, latest, or the name of a run",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and keep results if that is wanted: whoever plays sends, the main process keeps."""
    config.addinivalue_line("markers", _ABOUT)
    if is_wanted(config):
        config.pluginmanager.register(Sending(), "uaef_sending")
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Keeping(config), "uaef_keeping")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each conversation, or turn, of the dataset that a marker names; of what cannot be, an error."""
    marker = metafunc.definition.get_closest_marker(_MARKER)
    if marker is None:
        return
    if _FIXTURE not in metafunc.fixturenames:
        if marker in metafunc.definition.own_markers:  # on a module or a class it is for those that take the fixture
            pytest.fail(
                f"{metafunc.definition.nodeid} is marked {_MARKER} and does not take the fixture {_FIXTURE}, so "
                f"nothing would be played; write def {metafunc.definition.name}({_FIXTURE}).",
                pytrace=False,
            )
        return
    from uaef.errors import UaefError  # noqa: PLC0415 - only for those who use it
    from uaef.pytest_plugin.marked import parts_of  # noqa: PLC0415 - as above

    folders = (metafunc.definition.path.parent, metafunc.config.rootpath)
    try:
        parts = parts_of(marker.args, marker.kwargs, folders)
    except UaefError as error:
        pytest.fail(f"{metafunc.definition.nodeid}: {error}", pytrace=False)
    together = metafunc.config.pluginmanager.hasplugin("xdist")  # so that --dist loadgroup plays each once
    params = [
        pytest.param(part, id=part.name, marks=[pytest.mark.xdist_group(part.played.name)] if together else [])
        for part in parts
    ]
    metafunc.parametrize(_FIXTURE, params, indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note what is left after ``-k`` and its like: only that is played."""
    for item in items:
        part = getattr(item, "callspec", None) and item.callspec.params.get(_FIXTURE)  # type: ignore[attr-defined] # a Function has it
        if part is not None and item.get_closest_marker(_MARKER) is not None:
            part.played.wanted.add(part.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a marked test that has ended well and looked at nothing: it would pass whatever the agent says."""
    __tracebackhide__ = True
    ended = yield
    used: Evals | None = getattr(item, "funcargs", {}).get(_FIXTURE)
    if getattr(used, "is_unused", False):  # a fixture of the user's may have our name
        pytest.fail(
            f"{item.nodeid} is marked {_MARKER} and neither calls {_FIXTURE}.check() nor looks at {_FIXTURE}.result, "
            f"so nothing could fail it; write {_FIXTURE}.check().",
            pytrace=False,
        )
    return ended


@pytest.fixture
def evals(request: pytest.FixtureRequest) -> Evals:
    """What a test asks of uaef: ``check()``, ``result``, ``run(...)``."""
    from uaef.pytest_plugin.fixture import Evals  # noqa: PLC0415 - only for those who use it

    return Evals(getattr(request, "param", None), (request.path.parent, request.config.rootpath))
