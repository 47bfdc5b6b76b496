"""Posteriors of the class and of all other attributes given partial evidence, milliseconds per question."""

import numpy as np
import pandas as pd
from harness import Contender, Measurement, Table, Target, compare, ratio, three_digits
from synthetic import sample_tree

from pgm_nb import GeneralizedNaiveBayes
from pgm_nb.engine.beliefs import calibrate
from pgm_nb.engine.pgmpy import to_bayesian_network, to_pgmpy_junction_tree

__all__ = ["benchmark"]

ATTRIBUTES = (30, 100, 300)
ROWS, STATES, CLASSES = 2_000, 5, 2
BATCH = 256
OURS, MANY = "ours", f"ours, {BATCH} rows at once"
PGMPY, PYAGRUM = "pgmpy BeliefPropagation", "pyAgrum LazyPropagation"
WANTED = {PGMPY: 20, PYAGRUM: 1}


def benchmark(quick: bool, missing: dict[str, str]) -> tuple[Table, list[Target]]:
    rows, targets = [], []
    header = (OURS, MANY, PGMPY, PYAGRUM)
    for d in ATTRIBUTES[:1] if quick else ATTRIBUTES:
        times = _times(d, missing)
        millis = {name: 1e3 * time.median for name, time in times.items()}
        millis[MANY] /= BATCH
        rows.append((str(d), *(three_digits(millis[name]) if name in millis else "-" for name in header)))
        for peer, wanted in WANTED.items():
            measured = ratio(times[peer], times[OURS]) if peer in times else None
            targets.append(Target(f"all posteriors, {d} attributes: against {peer}", wanted, measured))
    notes = [
        f"A GNB tree learned from {ROWS:,} rows of {STATES} states and {CLASSES} classes; a third of the "
        "attributes is known. Each contender keeps its compiled network, takes the evidence, and gives the "
        "posterior of the class and of every attribute that is not known.",
        "Same work: all posteriors agree to 1e-9.",
    ]
    return Table("All posteriors given partial evidence, ms", ("attributes", *header), rows, notes), targets


def _times(d: int, missing: dict[str, str]) -> dict[str, Measurement]:
    tree, evidence, unknown = _problem(d)
    field = [
        Contender(OURS, lambda: _ours(tree, evidence, unknown)),
        Contender(MANY, lambda: _batch(tree, evidence), equal=False),
        Contender(PGMPY, _pgmpy(tree, evidence, unknown)),
    ]
    if PYAGRUM.split()[0] not in missing:
        field.append(Contender(PYAGRUM, _pyagrum(tree, evidence, unknown)))
    return compare(field, _agree, rounds=7, budget=20)


def _problem(d: int):
    codes, y = sample_tree(ROWS, d, STATES, CLASSES, seed=d)
    frame = pd.DataFrame({f"x{i}": column.astype(str) for i, column in enumerate(codes)})
    tree = GeneralizedNaiveBayes().fit(frame, pd.Series(y.astype(str), name="y")).junction_tree()
    known = np.random.default_rng(d).choice(d, d // 3, replace=False)
    evidence = {f"x{i}": str(codes[i, 0]) for i in known}
    unknown = [name for name in tree.variables.names if name not in evidence]
    return tree, evidence, unknown


def _ours(tree, evidence, unknown) -> dict[str, np.ndarray]:
    seen = tree.observe(evidence)
    return {name: seen.joint((name,)) for name in unknown}


def _batch(tree, evidence) -> np.ndarray:
    attributes, classes = tree.observe(evidence).log_likelihoods()
    found = calibrate(tree.factors, np.repeat(attributes, BATCH, axis=1), np.repeat(classes, BATCH, axis=1))
    return found.states


def _pgmpy(tree, evidence, unknown):
    from pgmpy.inference import BeliefPropagation

    engine = BeliefPropagation(to_pgmpy_junction_tree(tree))

    def run() -> dict[str, np.ndarray]:
        found = {}
        for name in unknown:  # asked for all at once it builds their joint table
            factor = engine.query([name], evidence=evidence, show_progress=False)
            factor.normalize(inplace=True)
            found[name] = np.array(
                [factor.get_value(**{name: label}) for label in tree.variables[name].labels]
            )
        return found

    return run


def _pyagrum(tree, evidence, unknown):
    import pyagrum as gum

    names = {name: f"v{i}" for i, name in enumerate(tree.variables.names)}
    network = gum.BayesNet()
    for name, safe in names.items():
        network.add(gum.LabelizedVariable(safe, "", list(tree.variables[name].labels)))
    compiled = to_bayesian_network(tree)
    for parent, child in compiled.edges:
        network.addArc(names[parent], names[child])
    for name, safe in names.items():
        cpd = compiled.get_cpds(name)
        table = network.cpt(safe)
        axes = [names[v] for v in cpd.variables]  # the child first, then its parents
        shape = [len(tree.variables[v].labels) for v in cpd.variables]
        values = cpd.get_values().reshape(shape).transpose([axes.index(v) for v in reversed(table.names)])
        table.fillWith(values.ravel().tolist())
    engine = gum.LazyPropagation(network)
    seen = {names[name]: state for name, state in evidence.items()}

    def run() -> dict[str, np.ndarray]:
        engine.setEvidence(seen)
        engine.makeInference()
        return {name: engine.posterior(names[name]).toarray() for name in unknown}

    return run


def _agree(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> bool:
    return all(np.allclose(ours[name], theirs[name], rtol=0, atol=1e-9) for name in ours)
