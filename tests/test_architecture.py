"""Imports point one way, and `import laconic` is light; both checks are shown able to fail."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "laconic"

VALUES = {
    *(
        "arrays",
        "errors",
        "kernel",
        "files",
        "later",
        "packaged",
        "parallel",
        "sentence",
        "budget",
        "compression",
        "compressed_text",
        "text",
    ),
    *("options", "units", "limits"),
}
BASE = VALUES | {"trees", "formats"}
MAY_IMPORT: dict[str, set[str]] = {
    **dict.fromkeys(BASE, BASE),
    "storage": {"arrays", "errors", "files"},
    "forest": {"arrays", "errors", "kernel", "files"},  # knows no linguistics
    "ngram": BASE | {"storage"},
    "grammar": BASE | {"storage"},
    "decode": BASE | {"forest", "ngram", "grammar"},
    "learn": BASE | {"storage", "forest", "ngram", "grammar", "decode"},
    "budgets": BASE | {"decode"},
    "annotate": BASE | {"storage"},
    "corpora": BASE,
    "metrics": BASE | {"corpora"},
    "rating": BASE | {"metrics"},
    "systems": BASE
    | {
        *("storage", "forest", "ngram", "grammar", "decode", "budgets", "learn"),
        *("annotate", "corpora", "metrics"),
    },
}
MAY_IMPORT["documents"] = {*MAY_IMPORT}
MAY_IMPORT["batch"] = {*MAY_IMPORT}
MAY_IMPORT["integrations"] = {*MAY_IMPORT}
MAY_IMPORT["serve"] = {*MAY_IMPORT} - {"integrations"}
MAY_IMPORT["cli"] = {*MAY_IMPORT, "cli"}
MAY_IMPORT["__main__"] = {"cli"}
HEAVY = {
    "numba",
    "onnxruntime",
    "scipy",
    "spacy",
    "stanza",
    "torch",
    "typer",
    "rich",
    "numpy",
    "tokenizers",
    "huggingface_hub",
    "httpx",
    "pydantic",
    "nltk",
    "regex",
    "langchain_core",
    "llama_index",
    "haystack",
    "mcp",
    "jinja2",
    "transformers",
    "tiktoken",
    "pysubs2",
    "fastapi",
    "starlette",
    "uvicorn",
    "prometheus_client",
    "pyarrow",
    "pandas",
    "polars",
    "dask",
    "distributed",
    "ray",
    "pyspark",
}

DOORS: dict[str, set[str]] = {
    "annotate": {"", "annotator", "network", "charts"},
    "budgets": {"", "lengths"},
    "corpora": {"pair", "cutting"},
    "decode": {
        *("contract", "branches", "compressive", "path", "forest_decoder", "ngram_decoder"),
        *("transducer", "stochastic_transducer", "channel_forest", "deletion_forest", "rule_matching"),
        *("cube_pruning", "dual_decomposition", "constrained", "constrained_roughly"),
    },
    "forest": {"derivation", "hypergraph", "inference"},
    "formats": {""},
    "grammar": {
        *("grammar", "rule_features", "rule_probabilities", "rule_table", "extraction"),
        *("markov", "noisy_channel", "deletion_scfg", "dependency_grammar", "pcfg", "word_pcfg"),
    },
    "learn": {
        *("interface", "training", "perceptron", "mira", "log_linear", "structured_svm", "frank_wolfe"),
        *("witten_bell", "markov", "rule_weights", "fixed_grammar"),
        *("gibbs.chain", "gibbs.corpus", "gibbs.derivations"),
    },
    "metrics": {"evaluation"},
    "ngram": {"", "model", "storage", "vocabulary"},
    "storage": {""},
}
"""The modules by which systems enter the rooms below them: what is behind these they need not know."""


def modules() -> Iterator[tuple[str, str]]:
    """The name and the source of every module of the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path.read_text(encoding="utf-8")


def imports(source: str, *, only_at_import_time: bool = False) -> Iterator[str]:
    """The modules of the package that a source imports: anywhere in it, or only while it is imported."""
    pending: list[ast.AST] = [ast.parse(source)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module == "laconic":
                yield from (f"laconic.{name.name}" for name in node.names if name.name != "__version__")
            elif node.module is not None and node.module.startswith("laconic."):
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("laconic."))
        deferred = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        )
        if not (only_at_import_time and deferred):
            pending.extend(ast.iter_child_nodes(node))


def wrong_arrows(named: Iterator[tuple[str, str]]) -> list[str]:
    """Imports between rooms that the design does not allow."""
    wrong = []
    for name, source in named:
        if name == "laconic":
            continue  # its attributes are imported when they are used
        room = name.split(".")[1]
        for imported in imports(source):
            other = imported.split(".")[1]
            if other != room and other not in MAY_IMPORT[room]:
                wrong.append(f"{name} imports {imported}")
    return wrong


def side_entrances(named: Iterator[tuple[str, str]]) -> list[str]:
    """Imports of systems that enter a room other than by its doors."""
    return [
        f"{name} imports {imported}"
        for name, source in named
        if name.startswith("laconic.systems")
        for imported in imports(source)
        for room, _, inside in [imported.removeprefix("laconic.").partition(".")]
        if room in DOORS and inside not in DOORS[room]
    ]


def test_systems_enter_rooms_by_their_doors() -> None:
    assert side_entrances(modules()) == []
    assert side_entrances(iter([("laconic.systems.x", "from laconic.forest.sums import sums")])) == [
        "laconic.systems.x imports laconic.forest.sums"
    ]
    used = {
        imported
        for name, source in modules()
        if name.startswith("laconic.systems")
        for imported in imports(source)
    }
    doors = {
        f"laconic.{room}.{inside}".removesuffix(".") for room, every in DOORS.items() for inside in every
    }
    assert doors <= used, "a door that nobody uses"


def test_imports_point_one_way() -> None:
    assert wrong_arrows(modules()) == []


def test_every_room_has_its_arrows() -> None:
    rooms = {name.split(".")[1] for name, _ in modules() if "." in name}
    assert rooms <= set(MAY_IMPORT)
    for room, below in MAY_IMPORT.items():
        assert all(room not in MAY_IMPORT[other] for other in below - BASE - {room}), f"{room} is in a circle"


def test_no_module_needs_itself_to_be_imported() -> None:
    graph = {name: set(imports(source, only_at_import_time=True)) for name, source in modules()}
    # A module's package is imported before it.
    order = tuple(TopologicalSorter(graph).static_order())
    assert set(graph) <= set(order)


def loaded_by(code: str) -> set[str]:
    """The heavy modules that a fresh interpreter has loaded after running the code."""
    command = [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"]
    return HEAVY & set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_laconic_is_light() -> None:
    assert loaded_by("import laconic") == set()


def test_tokenising_and_baselines_are_light() -> None:
    code = "import laconic; laconic.compress('It fell again.', words=2, system='truncate')"
    assert loaded_by(code) == set()


def test_the_program_loads_only_what_its_command_needs() -> None:
    assert loaded_by("import laconic.cli.application") == {"typer"}


def test_a_plain_compression_loads_nothing_of_the_extras() -> None:
    # Numba looks for SciPy by itself; here it finds none, as in an installation without extras.
    code = "import sys; sys.modules['scipy'] = None; sys.argv = ['laconic', 'It fell again on Monday.']"
    code += "; from laconic.cli.application import run; run(sys.argv[1:]); del sys.modules['scipy']"
    loaded = loaded_by(code)
    assert {"numpy", "numba", "onnxruntime", "typer"} <= loaded  # it did run
    # Whether Typer brings Pydantic depends on its version.
    assert loaded <= {"numpy", "numba", "onnxruntime", "typer", "pydantic"}


def products_of_matrices(named: Iterator[tuple[str, str]]) -> list[str]:
    """Kernels that multiply matrices, which Numba does with SciPy's help only."""
    return [
        f"{name}:{node.name}"
        for name, source in named
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(decorator) == "kernel" for decorator in node.decorator_list)
        and any(
            isinstance(part, ast.MatMult)
            or (isinstance(part, ast.Attribute) and part.attr in ("dot", "vdot", "matmul", "linalg"))
            for part in ast.walk(node)
        )
    ]


def test_no_kernel_needs_scipy() -> None:
    assert products_of_matrices(modules()) == []


class TestTheChecksCanFail:
    def test_a_wrong_arrow_is_found(self) -> None:
        sources = [
            ("laconic.forest.graph", "from laconic.sentence import Sentence"),
            ("laconic.trees.tree", "def f():\n    import laconic.systems.registry"),
            ("laconic.decode.chart", "from laconic.forest import semiring"),
            ("laconic.metrics.f1", "from laconic import __version__, systems"),
        ]
        assert wrong_arrows(iter(sources)) == [
            "laconic.forest.graph imports laconic.sentence",
            "laconic.trees.tree imports laconic.systems.registry",
            "laconic.metrics.f1 imports laconic.systems",
        ]

    def test_a_circle_is_found(self) -> None:
        sources = {"laconic.a": "import laconic.b", "laconic.b": "from laconic.a import x"}
        graph = {name: set(imports(source, only_at_import_time=True)) for name, source in sources.items()}
        with pytest.raises(CycleError):
            TopologicalSorter(graph).prepare()

    def test_a_deferred_import_makes_no_circle(self) -> None:
        source = "if TYPE_CHECKING:\n    import laconic.b\ndef f():\n    import laconic.c\nimport laconic.d"
        assert list(imports(source, only_at_import_time=True)) == ["laconic.d"]
        assert set(imports(source)) == {"laconic.b", "laconic.c", "laconic.d"}

    def test_a_product_of_matrices_is_found(self) -> None:
        source = "@kernel\ndef f(a, b):\n    return a @ b\n@kernel\ndef g(a, b):\n    return np.dot(a, b)"
        assert products_of_matrices(iter([("laconic.a", source)])) == ["laconic.a:f", "laconic.a:g"]

    def test_a_heavy_import_is_found(self) -> None:
        assert loaded_by("import laconic, numpy") == {"numpy"}


def array_types(sources: Iterator[tuple[str, str]]) -> list[str]:
    """The modules that name a type of arrays by what they hold, apart from the one whose room that is."""
    return [
        name
        for name, source in sources
        if name != "laconic.arrays" and re.search(r"^\w+ = NDArray\[np\.", source, re.MULTILINE)
    ]


def test_types_of_arrays_are_named_once() -> None:
    assert array_types(modules()) == []
    assert array_types(iter([("laconic.forest.x", "Floats = NDArray[np.float64]\n")])) == ["laconic.forest.x"]
