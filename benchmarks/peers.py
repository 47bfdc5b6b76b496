"""Other libraries behind one interface: `TAN_PEERS[name](table)` returns a function that learns a `Tan`.

Every peer starts from data in its own form (a database, a tensor, a Java table), so loading is not timed.
"""

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import Timed
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

__all__ = ["TAN_PEERS", "Coded", "Tan", "missing_peers", "weka_version"]

HERE = Path(__file__).parent
WEKA = HERE.parent / ".venv-bench" / "weka" / "usr" / "share" / "java" / "weka.jar"


@dataclass(frozen=True, eq=False)
class Coded:
    """Coded rows with the same number of states in every column."""

    codes: np.ndarray
    y: np.ndarray
    v: int
    k: int
    root: int  #: the attribute that says most about the class

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"x{i}" for i in range(len(self.codes)))

    @property
    def cards(self) -> tuple[int, ...]:
        return (self.v,) * len(self.codes)

    def frame(self) -> pd.DataFrame:
        table = pd.DataFrame(self.codes.T.astype(np.int64), columns=list(self.names))
        return table.assign(**{"class": self.y})


@dataclass(frozen=True, eq=False)
class Tan:
    """The result of a contender: each attribute's mother (-1: none) and the classes of the first m rows."""

    mothers: np.ndarray
    classify: Callable[[int], np.ndarray]


def pyagrum_tan(table: Coded) -> Callable[[], Tan]:
    """Use pyAgrum's information and parameters and SciPy's tree: its own TAN is all Python loops."""
    import pyagrum as gum

    gum.setNumberOfThreads(2)
    names, template = table.names, gum.BayesNet()
    for name in names:
        template.add(gum.RangeVariable(name, "", 0, table.v - 1))
    template.add(gum.RangeVariable("class", "", 0, table.k - 1))
    frame = table.frame()
    learner = gum.BNLearner(frame, template)

    def fit() -> Tan:
        learner.useNoPrior()
        learner.useNoCorrection()
        dependence = [learner.mutualInformation(a, b, ["class"]) for a, b in combinations(names, 2)]
        mothers = _spanning_tree(np.array(dependence), len(names), table.root)
        net = gum.BayesNet(template)
        for child, mother in enumerate(mothers):
            net.addArc("class", names[child])
            if mother >= 0:
                net.addArc(names[mother], names[child])
        learner.useSmoothingPrior(1)
        learned = learner.learnParameters(net.dag())
        return Tan(mothers, lambda m: pyagrum_classify(learned, frame.drop(columns="class").head(m)))

    return fit


def pyagrum_classify(net: Any, rows: pd.DataFrame) -> np.ndarray:
    from pyagrum import skbn

    processor = skbn.BNClassifier(type_processor=None, learningMethod="TAN")
    processor.fromTrainedModel(net, "class", copy=True)
    return np.asarray(processor.predict_proba(rows)).argmax(axis=1)


def pgmpy_tan(table: Coded) -> Callable[[], Tan]:
    from pgmpy import config
    from pgmpy.estimators import TreeSearch
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator

    config.set_show_progress(False)
    frame = table.frame()

    def fit() -> Tan:
        search = TreeSearch(frame, root_node=table.names[table.root], n_jobs=1)
        tree = search.estimate("tan", class_node="class", show_progress=False)
        net = DiscreteBayesianNetwork(tree.edges())
        net.fit(frame, estimator=DiscreteBayesianEstimator(prior_type="K2"))
        place = {name: i for i, name in enumerate(table.names)}
        mothers = np.full(len(place), -1)
        for mother, child in tree.edges():
            if mother != "class":
                mothers[place[child]] = place[mother]
        attributes = frame.drop(columns="class")
        return Tan(mothers, lambda m: net.predict(attributes.head(m), n_jobs=1)["class"].to_numpy())

    return fit


def pomegranate_tree(table: Coded) -> Callable[[], np.ndarray]:
    """Learn a Chow-Liu tree over the attributes, less work of the same kind: pomegranate has no TAN.

    The class stays out because its Chow-Liu goes wrong where columns differ in their number of states; the
    pseudocount is there because it goes wrong on empty cells.
    """
    import torch
    from pomegranate.bayesian_network import BayesianNetwork

    torch.set_num_threads(2)
    rows = torch.tensor(table.codes.T.astype(np.int64))

    def fit() -> np.ndarray:
        net = BayesianNetwork(algorithm="chow-liu", pseudocount=1e-6).fit(rows)
        return np.array([mothers[0] if mothers else -1 for mothers in net.structure])

    return fit


class Program:
    """A peer in another language: answers questions line by line and measures itself."""

    def __init__(self, command: list[str | Path], table: Coded) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "rows"
        path.write_bytes(np.vstack([table.codes, table.y]).T.astype(np.uint8).tobytes())
        arguments = [path, table.v, table.k, len(table.codes)]
        self.process = subprocess.Popen(
            [*command, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.answer()

    def answer(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} ended early, see what it printed above")
        return line

    def ask(self, question: str) -> np.ndarray:
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return np.array(self.answer().split(), dtype=np.int64)

    def __call__(self) -> Timed:
        seconds = 1e-9 * int(self.ask("fit")[0])
        return Timed(seconds, Tan(self.ask("mothers"), lambda m: self.ask(f"classify {m}")))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


def weka_tan(table: Coded) -> Program:
    return Program(["java", "-Xmx4g", "-cp", WEKA, HERE / "WekaTan.java"], table)


TAN_PEERS: dict[str, Callable[[Coded], Callable[[], Any]]] = {
    "pyAgrum": pyagrum_tan,
    "Weka": weka_tan,
    "pgmpy": pgmpy_tan,
    "pomegranate": pomegranate_tree,
}


def missing_peers() -> dict[str, str]:
    """Return which peers are missing, and why."""
    reasons = {
        name: "not installed"
        for name in ("pyAgrum", "pgmpy", "pomegranate")
        if find_spec(name.lower()) is None
    }
    if not WEKA.exists():
        reasons["Weka"] = "not installed (Debian's package could not be fetched)"
    elif not _works(["java", "-version"]):
        reasons["Weka"] = "not run (no Java)"
    return reasons


def weka_version() -> str:
    """Return the version in the name of the file that weka.jar links to."""
    found = re.search(r"[\d.]+\d", WEKA.resolve().name)
    return found.group() if found else "unknown"


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def _spanning_tree(dependence: np.ndarray, d: int, root: int) -> np.ndarray:
    """Return the mothers of the maximum spanning tree, from the weights of all pairs in order."""
    weights = np.zeros((d, d))
    weights[np.triu_indices(d, 1)] = -np.maximum(dependence, 1e-300)  # a zero would mean: no edge
    mothers = breadth_first_order(minimum_spanning_tree(weights), root, directed=False)[1]
    return np.where(mothers < 0, -1, mothers)
