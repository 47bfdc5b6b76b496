"""The driver of mutation testing changes one place, and only code that runs."""

import ast
import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def mutants():
    path = Path(__file__).parents[2] / "benchmarks" / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def all_changed(mutants, source):
    tree = ast.parse(source)
    numbers = [number for number, node in mutants.places(tree) for _ in mutants.changes(node)]
    return [ast.unparse(mutants.change(ast.parse(source), number)) for number in numbers]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return a < b", ["return a <= b"]),
        ("return a - b", ["return a + b"]),
        ("return -a", ["return +a"]),
        ("return not a", ["return not not a"]),
        ("return a and b", ["return a or b"]),
        ("return max(a, b)", ["return min(a, b)"]),
        ("return 7, 0.5, True", ["return 8, 0.5, True", "return 7, 1.0, True", "return 7, 0.5, False"]),
        ("if a:\n        return b", ["if not a:\n        return b"]),
        ("a.sort()", ["pass"]),
        ("raise ValueError(f'{a + 1}')", ["pass"]),
        ("'''Text with 1 < 2.'''\n    return a", []),
        ("return list(zip(a, b, strict=True))", []),
    ],
)  # fmt: skip
def test_one_place_is_changed(mutants, line, changed):
    head = "def f(a: int | None, b=1):\n    "
    expected = [ast.unparse(ast.parse(head + each)) for each in changed]
    assert all_changed(mutants, head + line) == expected


def test_constants_of_the_module_are_changed_and_its_annotations_are_not(mutants):
    assert all_changed(mutants, "MOST = 5\nkind: int | None = None\n") == [
        "MOST = 6\nkind: int | None = None"
    ]


def test_a_mutant_takes_the_place_of_what_is_loaded(mutants, tmp_path, monkeypatch):
    (tmp_path / "toy.py").write_text("def double(x):\n    return x * 2\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    import toy

    [sign, two] = mutants.mutants_of(tmp_path / "toy.py")
    functions = {(str(tmp_path / "toy.py"), "double", 1): [toy.double]}
    assert toy.double(6) == 12
    mutants.put_in(sign, functions)
    assert toy.double(6) == 3
    mutants.put_in(two, functions)
    assert toy.double(6) == 18
    assert mutants.told(two) == "toy.py:2 constant [2] in: return x * 2"
