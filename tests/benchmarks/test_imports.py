"""The benchmarks are not run by the tests, but what they import of the package must exist."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_benchmark_imports_exists(script):
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pgm_nb"):
            module = import_module(node.module)
            missing = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            assert not missing, f"{node.module} has no {missing}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            import_module(ast.literal_eval(node.args[0]))
