"""The architecture, held: who may import whom, where a third-party package may be named, and no cycles.

The picture is that of docs/architecture.md; change both, knowingly.
"""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"
MODULES = {
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
        path.read_text("utf-8")
    )
    for path in sorted(SRC.rglob("*.py"))
}

# A layer may import itself, the layers named beside it, and whatever those may import.
BELOW = {
    "errors": (),
    "foreign": (),
    "sync": (),
    "registry": ("errors",),
    "importing": ("errors",),
    "models": ("errors", "foreign", "sync", "registry", "importing"),
    "text": ("models",),
    "adapters": ("text",),
    "data": ("metrics",),
    "llm": ("text",),
    "agents": ("adapters", "llm"),
    "llm_judge": ("text", "llm"),
    "metrics": ("llm_judge",),
    "checks": ("metrics",),
    "evaluation": ("metrics",),
    "runs": ("agents", "data", "evaluation"),
    "reporting": ("runs",),
    "demo": ("adapters", "data"),
    "testing": ("agents", "llm_judge"),
    "api": ("reporting",),
    "cli": ("api", "demo"),
    "__main__": ("cli",),
    "pytest_plugin": ("api",),
    "uaef": ("api", "checks"),  # the package itself: names from everywhere, and nobody imports more than its version
}

# Where a package that is not ours may be named. The rest of the code meets it through these.
NAMED_IN = {
    "aiobotocore": ("uaef.llm.providers.bedrock",),
    "aiohttp": ("uaef.llm.transport",),
    "botocore": ("uaef.llm.providers.bedrock",),
    "click": ("uaef.cli",),
    "datafog": ("uaef.llm_judge.redaction",),
    "deepeval": ("uaef.metrics.deepeval",),
    "genai_prices": ("uaef.llm.prices",),
    "jsonschema": ("uaef.metrics.checks.schema", "uaef.metrics.recorded_schema"),
    "langchain_core": ("uaef.agents.langchain",),
    "referencing": ("uaef.metrics.checks.schema", "uaef.metrics.recorded_schema"),
    "msgspec": ("uaef.agents.endpoints", "uaef.models", "uaef.metrics", "uaef.demo", "uaef.llm"),
    "numpy": ("uaef.runs.statistics.extra",),
    "openpyxl": ("uaef.data.spreadsheet",),
    "opentelemetry": ("uaef.reporting.otel_export",),
    "psycopg": ("uaef.runs.store.patience",),
    "pyarrow": ("uaef.runs.store.parquet",),
    "pydantic_ai": ("uaef.agents.pydantic_agents", "uaef.llm.objects"),
    "pytest": ("uaef.pytest_plugin",),
    "rapidfuzz": ("uaef.errors", "uaef.metrics.checks.similarity"),
    "rich": ("uaef.reporting", "uaef.api.progress"),
    "scipy": ("uaef.runs.statistics.extra",),
    "sqlalchemy": ("uaef.runs.store",),
    "tenacity": ("uaef.llm.retries",),
    "vaderSentiment": ("uaef.llm_judge.local.mood",),
    "yaml": ("uaef.data.conversations.yaml_text",),
    "yarl": ("uaef.llm.transport",),
}


def test_every_package_has_a_place_in_the_picture():
    """A new package under uaef enters the table of layers, and then docs/architecture.md."""
    assert set() == {_layer(module) for module in MODULES} - BELOW.keys()


def test_imports_follow_the_arrows():
    """No module imports from a layer that is not below its own, not even inside a function or for types."""
    wrong = [
        f"{module} imports {target}"
        for module, target in _edges(at_import=False)
        if _layer(target) not in _reachable(_layer(module))
    ]
    assert [] == wrong


def test_modules_do_not_import_each_other_in_a_circle():
    """The modules can be put in an order in which each finds what it imports ready."""
    graph: dict[str, set[str]] = {}
    for module, target in _edges(at_import=True):
        if module != target:
            graph.setdefault(module, set()).add(target)
    graphlib.TopologicalSorter(graph).prepare()


def test_third_party_packages_are_named_where_they_are_adapted():
    """A package is named in the places of the table and nowhere else, and no place of the table is idle."""
    found = {
        (target.partition(".")[0], module)
        for module, target in _imports(at_import=False)
        if target.partition(".")[0] not in sys.stdlib_module_names | {"uaef"}
    }
    allowed = [(package, place) for package, places in NAMED_IN.items() for place in places]
    places = {(package, module): _places(package, module) for package, module in found}
    assert [] == [f"{module} names {package}" for (package, module), at in places.items() if not at]
    assert [] == [entry for entry in allowed if entry not in {e for at in places.values() for e in at}]


def _places(package: str, module: str) -> list[tuple[str, str]]:
    return [(package, place) for place in NAMED_IN.get(package, ()) if f"{module}.".startswith(f"{place}.")]


def _layer(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def _reachable(layer: str) -> set[str]:
    return {layer}.union(*(_reachable(below) for below in BELOW[layer]))


def _edges(*, at_import: bool) -> Iterator[tuple[str, str]]:
    for module, target in _imports(at_import=at_import):
        if target.partition(".")[0] == "uaef" and target != "uaef.__version__":
            yield module, target if target in MODULES else target.rpartition(".")[0]


def _imports(*, at_import: bool) -> Iterator[tuple[str, str]]:
    """Each module with each name that it imports, dotted, however it is spelt."""
    for module, tree in MODULES.items():
        for node in _statements(tree, at_import=at_import):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = "." * node.level + (node.module or "")
                yield from ((module, f"{origin}.{alias.name}") for alias in node.names)


def _statements(tree: ast.AST, *, at_import: bool) -> Iterator[ast.AST]:
    """Every node; with ``at_import``, only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        )
        if not (at_import and later):
            yield node
            yield from _statements(node, at_import=at_import)
