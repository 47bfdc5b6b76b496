"""One imaginary row or hierarchical smoothing for hidden parents: `benchmarks/hidden_smoothing.py DATA`.

HNB and PHNB, log-loss (bits) and accuracy (percent) in the folds of `ranking.py`, all else default. DATA is a
folder with the tables as NAME.csv.gz, the class in the last column; names of tables may follow.
"""

import sys
import warnings
from pathlib import Path
from statistics import mean

import ranking

import pgm_nb as pnb

SMALL = (  # of the tables that were not put aside in ranking.py
    *("blogger", "iris", "zoo", "heart_cleveland", "wine", "seeds", "user_knowledge", "blood_transfusion"),
    *("early_diabetes", "house_votes_84", "balance_scale", "vehicle", "banknote", "sonar", "wdbc"),
    "kr-vs-kp",
)
SMOOTHING = (1.0, "hierarchical")


def main(folder: Path, tables: list[str]) -> None:
    kinds = (pnb.HiddenNaiveBayes, pnb.PackagedHiddenNaiveBayes)
    models = [kind(smoothing=smoothing) for kind in kinds for smoothing in SMOOTHING]
    found = []
    for table in tables:
        X, y, _ = ranking.load(folder / f"{table}.csv.gz")
        scores = [[score for _, score in ranking.folds_of(model, X, y, set())] for model in models]
        found.append([(mean(s.log_loss for s in each), mean(s.accuracy for s in each)) for each in scores])
        print(table, *(f"{loss:.3f} / {100 * right:.1f}" for loss, right in found[-1]), sep=" | ", flush=True)
    means = [[mean(row[place][part] for row in found) for part in (0, 1)] for place in range(len(models))]
    print("mean", *(f"{loss:.4f} / {100 * right:.2f}" for loss, right in means), sep=" | ")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The least populated class")
    main(Path(sys.argv[1]), sys.argv[2:] or list(SMALL))
