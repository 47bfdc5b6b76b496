"""What a library user does not pay for, and what works where a package cannot be imported."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest

OPTIONAL = ("streamlit", "altair", "pgmpy", "pygraphviz", "numba", "openpyxl")
APART = (["numba"], [package for package in OPTIONAL if package != "numba"])  # a run of the program is long
FURTHER = ("PIL", "vl_convert", "tqdm", "pyroaring")  # blocked together
HELP = {
    "streamlit": "2 pgm-nb app: The package streamlit is needed for the web app",
    "pygraphviz": "or write DOT text and draw it with",
    "numba": 'kernel="auto" works without it',
}

PROGRAM = """
import io, json, sys, tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path

blocked = json.loads(sys.argv[1])

class Blocks(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in blocked:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocks())

import numpy as np
import pgm_nb as pnb
import pgm_nb.errors
from pgm_nb.cli import main
from pgm_nb.counts import count
from pgm_nb.errors import MissingPackageError
from pgm_nb.warm_up import MODULES

for module in MODULES:  # compiled kernels, wherever numba can be imported
    object.__setattr__(module, "load_seconds", 0.0)
    object.__setattr__(module, "compile_seconds", 0.0)

X, y = pnb.load_sample("wdbc")
X, y = X.iloc[:80, :5], y.iloc[:80]
row = X.iloc[0]
found, folder = {}, Path(tempfile.mkdtemp())
for kind in pnb.MODELS:
    if kind.__name__ == "KernelSemiNaiveBayes" and "pyroaring" in blocked:
        continue
    model = kind().fit(X, y)
    model.save(folder / "model.pgmnb")
    again = pnb.load(folder / "model.pgmnb")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    found[kind.__name__] = {
        "probabilities": model.predict_proba(X).tolist(),
        "classes": model.predict(X).tolist(),
        "structure": model.structure_.to_json(),
        "dot": model.structure_.to_dot(),
        "log-odds": model.explain(row).log_odds,
        "card": "missing cells" in model._repr_html_(),
    }
tree = pnb.TreeAugmentedNaiveBayes().fit(X, y)
found["query"] = tree.query([y.name], given={X.columns[0]: row.iloc[0]}).to_numpy().tolist()
found["compare"] = pnb.compare([pnb.NaiveBayes(), tree], X, y, cv=2).to_frame()[["accuracy"]].values.tolist()

def excel():
    pnb.read_table(io.BytesIO(b"PK"), format="excel")

needs = {
    "numba": lambda: count(np.zeros((1, 4), dtype=np.uint8), [0, 0, 1, 1], (1,), 2, kernel="bitset"),
    "altair": lambda: tree.explain(row).chart(),
    "pgmpy": lambda: (tree.to_pgmpy(), tree.query([y.name], engine="pgmpy")),
    "pygraphviz": lambda: tree.structure_.draw(),
    "openpyxl": excel,
    "PIL": lambda: pnb.growth(tree).animation("gif"),
    "pyroaring": lambda: pnb.KernelSemiNaiveBayes().fit(X, y).predict(X),
}
said = {}
for name in blocked:
    if name in needs:
        try:
            needs[name]()
        except MissingPackageError as error:
            said[name] = str(error)
if "streamlit" in blocked:
    sys.stderr = io.StringIO()
    said["streamlit"] = f"{main(['app', '--no-browser'])} {sys.stderr.getvalue()}"
print(json.dumps({"found": found, "said": said}))
"""


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def unblocked():
    return run(PROGRAM, "[]")["found"]


def assert_same(one, other):
    """The same, numbers to rounding: compiled code adds up in another order."""
    if isinstance(one, dict):
        assert one.keys() <= other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    else:
        assert one == (pytest.approx(other, abs=1e-12) if isinstance(other, float) else other)


@pytest.mark.parametrize("packages", APART, ids=" ".join)
def test_everything_else_works_without(packages):
    ran = run(PROGRAM, json.dumps(packages))
    assert ran["found"].keys() == unblocked().keys()
    assert_same(ran["found"], unblocked())
    assert ran["said"].keys() == {*packages}
    for package, said in ran["said"].items():
        assert f"The package {package} is needed for " in said
        assert f"pip install {package}" in said
        assert HELP.get(package, "") in said


def test_models_work_without_the_further_packages():
    ran = run(PROGRAM, json.dumps(FURTHER))
    assert_same(ran["found"], unblocked())
    assert "pyroaring is needed for P-trees" in ran["said"]["pyroaring"]
    assert "pillow is needed for an animation" in ran["said"]["PIL"]


IN_MEMORY = """
import json, sys, tempfile
from pathlib import Path
import numpy as np, pandas as pd
import pgm_nb as pnb
import pgm_nb.errors
X = pd.DataFrame({"a": [0.1, 0.7, 0.3, 0.9] * 5, "b": [3, 1, 2, 3] * 5})
y = pd.Series([0, 1, 0, 1] * 5, name="y")
for kind in pnb.MODELS:
    kind().fit(X, y).predict_proba(X)
model = pnb.GeneralizedNaiveBayes().fit(X, y)
model.save(Path(tempfile.mkdtemp()) / "model.pgmnb")
model.structure_.to_dot(), model.query(["y"]), model.explain(X.iloc[0])
"""


def test_learning_and_predicting_import_none_of_them():
    show = "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    assert not {*run(IN_MEMORY + show)} & {*OPTIONAL, "PIL", "vl_convert", "tqdm"}


def test_tables_in_memory_need_no_pyarrow():
    block = "import sys; sys.modules['pyarrow'] = None"  # an import of it fails
    show = """
try:
    pnb.load_sample("iris")
except pnb.errors.MissingPackageError as error:
    print(json.dumps(str(error)))
"""
    assert "pyarrow is needed for reading tables from files" in run(f"{block}\n{IN_MEMORY}{show}")
