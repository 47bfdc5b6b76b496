"""Which smoothing should be the default? Cross-validated accuracy and log-loss over many tables.

    python benchmarks/smoothing.py DATA_FOLDER

Every ``*.csv`` or ``*.csv.gz`` with a last column ``class`` takes part. Structures are learned once
per fold; only the parameters change between contenders, so differences are due to smoothing alone.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from pgm_nb import GeneralizedNaiveBayes, NaiveBayes, TreeAugmentedNaiveBayes, read_table
from pgm_nb.errors import PgmNbError
from pgm_nb.inference import estimate, log_joint, normalise

CONTENDERS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)  # m of the m-estimate
MODELS = {"NB": NaiveBayes(), "TAN": TreeAugmentedNaiveBayes(), "GNB": GeneralizedNaiveBayes()}


def scores(model, X, y, folds):
    """Mean log-loss (bits per row) and accuracy of each contender."""
    loss = dict.fromkeys(CONTENDERS, 0.0)
    right = dict.fromkeys(CONTENDERS, 0)
    for train, test in folds:
        model.fit(X.iloc[train], y.iloc[train])
        codes = model.encoder_.encode(X.iloc[test])
        truth = np.searchsorted(model.classes_, y.iloc[test])
        for name in CONTENDERS:
            factors = estimate(model.learned_.counts, name)
            log_posterior = normalise(log_joint(factors, codes), factors.log_prior)
            loss[name] -= log_posterior[np.arange(len(test)), truth].sum() / np.log(2)
            right[name] += int((log_posterior.argmax(axis=1) == truth).sum())
    return {name: (loss[name] / len(X), right[name] / len(X)) for name in CONTENDERS}


def main(folder: Path) -> None:
    rows = []
    for path in sorted(folder.glob("*.csv*")):
        frame = read_table(path)
        X, y = frame.drop(columns="class"), frame["class"].astype(str)
        try:
            smallest = y.value_counts().min()
            folds = (
                list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)) if smallest >= 2 else []
            )
            for name, model in MODELS.items():
                for contender, (loss, accuracy) in scores(model, X, y, folds).items():
                    rows.append((path.name.split(".")[0], name, contender, loss, accuracy))
        except PgmNbError as error:
            print(f"{path.name}: left out: {error}")
            continue
        print(path.name, "done", flush=True)
    table = pd.DataFrame(rows, columns=["data", "model", "contender", "loss", "accuracy"])
    for model, part in table.groupby("model"):
        wide = part.pivot_table(index="data", columns="contender", values=["loss", "accuracy"])
        summary = pd.DataFrame(
            {
                "mean log-loss": wide["loss"].mean(),
                "mean rank by log-loss": wide["loss"].rank(axis=1).mean(),
                "mean accuracy": wide["accuracy"].mean(),
                "mean rank by accuracy": wide["accuracy"].rank(axis=1, ascending=False).mean(),
            }
        ).loc[list(CONTENDERS)]
        print(f"\n{model}, {len(wide)} tables\n{summary.round(4).to_string()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
