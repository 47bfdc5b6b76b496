"""Are the probabilities to be relied on? Log-loss, accuracy and calibration, with much and little known.

    python benchmarks/probabilities.py --data FOLDER [--results FILE] [--docs FOLDER] [--only TABLE ...]
                                       [--report]

Every ``*.csv`` or ``*.csv.gz`` with a column ``class`` takes part, in the folds of ``ranking.py``. Naive
Bayes and the greedy cherry tree come with two sets of parameters on the same graph: the generative tables,
and hierarchical smoothing with parameters trained for the class. `pgm_nb.calibration` judges each with one
attribute known, a quarter, half and all, the others hidden at random. Results are kept in FILE as they come;
the tables of docs/probabilities.md are written from it.
"""

import argparse
import re
from datetime import date
from pathlib import Path

import pandas as pd
from ranking import ASIDE, CONTENDERS, FOLDS, load, tables

import pgm_nb as pnb
from pgm_nb.evaluate.reliability import KNOWN

STUDIED = {
    "gnb-tables": "GNB, tables alone",
    "gnb-class": "GNB, trained for the class",
    "nb-tables": "naive Bayes, tables alone",
    "nb-class": "naive Bayes, trained for the class",
}
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def study(path: Path) -> pd.DataFrame:
    """Judge every contender on one table."""
    X, y, _ = load(path)
    parts = [
        pnb.calibration(CONTENDERS[name](), X, y, cv=FOLDS).to_frame().assign(model=name) for name in STUDIED
    ]
    return pd.concat(parts).assign(data=path.name.split(".")[0])


def report(folder: Path, results: Path, docs: Path) -> None:
    """Write the measured part of the page."""
    scores = pd.read_csv(results)
    names = [path.name.split(".")[0] for path in tables(folder)]
    absent = [name for name in names if name not in set(scores["data"])]
    done = f"{len(names) - len(absent)} of {len(names)} tables"
    without = f" (not reached in the time there was: {', '.join(absent)})" if absent else ""
    left = [table for table in ASIDE if table in set(scores["data"])]
    parts = [
        f"`python benchmarks/probabilities.py --data DATA`, run of {date.today()}, in the {FOLDS} folds of "
        "the [ranking](ranking.md). Log-loss in bits per row / expected calibration error: the mean distance "
        "between what the model says and how often it happens, over ten groups of rows. "
        "Tables alone: the former defaults, with five intervals per number and back-off smoothing.",
        means(scores, f"{done}{without}"),
        means(
            scores[scores["data"].isin(left)],
            f"Put aside before the work on trained parameters began: {', '.join(left)}",
        ),
        every_table(scores),
    ]
    page = docs / "probabilities.md"
    text = page.read_text(encoding="utf-8")
    fresh = "\n\n".join([BEGIN, *parts, END])
    page.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: fresh, text, flags=re.DOTALL), encoding="utf-8")


def means(scores: pd.DataFrame, title: str) -> str:
    """Write the means over tables; a table of few attributes has no quarter, and takes part in the others."""
    lines = [f"**{title}**", "", f"| known | {' | '.join(KNOWN)} |", "|---|---|---|---|---|"]
    for name, said in STUDIED.items():
        own = scores[scores["model"] == name].groupby("known")[["log_loss", "ece"]].mean()
        cells = [
            f"{own['log_loss'][known]:.3f} / {own['ece'][known]:.3f}" if known in own.index else "–"
            for known in KNOWN
        ]
        lines.append(f"| {said} | {' | '.join(cells)} |")
    return "\n".join(lines)


def every_table(scores: pd.DataFrame) -> str:
    """Write the calibration error of GNB before and after, table by table."""
    lines = [
        "**Calibration error of GNB by table: tables alone → trained for the class**",
        "",
        f"| table | {' | '.join(KNOWN)} |",
        "|---|---|---|---|---|",
    ]
    errors = scores.pivot_table(index=["data", "known"], columns="model", values="ece")
    for data in sorted(set(scores["data"])):
        cells = []
        for known in KNOWN:
            there = (data, known) in errors.index
            row = errors.loc[(data, known)] if there else None
            cells.append(f"{row['gnb-tables']:.3f} → {row['gnb-class']:.3f}" if row is not None else "–")
        lines.append(f"| {data} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", better(errors)])


def better(errors: pd.DataFrame) -> str:
    """Say on how many tables training lowers the calibration error of GNB."""
    said = []
    for known in KNOWN:
        level = errors.xs(known, level="known")
        said.append(f"{(level['gnb-class'] < level['gnb-tables']).sum()} of {len(level)} ({known})")
    rise = (errors["gnb-class"] - errors["gnb-tables"]).nlargest(3)
    worst = ", ".join(f"{data} with {known} known (+{by:.3f})" for (data, known), by in rise.items())
    counted = f"Training lowers the calibration error of GNB on {', '.join(said)} tables."
    return f"{counted} It raises it most on {worst}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("probabilities.csv"))
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--report", action="store_true", help="write the page only")
    options = parser.parse_args()
    done = set(pd.read_csv(options.results)["data"]) if options.results.exists() else set()
    for table in tables(options.data) if not options.report else []:
        name = table.name.split(".")[0]
        if name in done or (options.only and name not in options.only):
            continue
        study(table).to_csv(options.results, mode="a", header=not options.results.exists(), index=False)
        print(f"{name}: done", flush=True)
    report(options.data, options.results, options.docs)
