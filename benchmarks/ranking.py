"""What does readability cost? Our models ranked with scikit-learn's over many tables.

    python benchmarks/ranking.py DATA_FOLDER [--results FILE] [--docs FOLDER] [--jobs N]

Every ``*.csv`` or ``*.csv.gz`` with a last column ``class`` is used: five stratified folds, the same for
every model, with default parameters. Rows of classes with fewer than five rows are left out;
of tables with more than 10,000 rows a stratified random sample of that size is used. The report says where.
Scores are kept in FILE as they come, so that an interrupted run can continue.
"""

import argparse
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

import pgm_nb as pnb
from pgm_nb.errors import PgmNbError
from pgm_nb.evaluate import PEERS

FOLDS = 5
MOST_ROWS = 10_000
LEFT_OUT = "kernel"  # it visits every training row for every test row: a minute for a fold of spambase
METRICS = {"accuracy": ("accuracy", True), "log_loss": ("log-loss", False)}
CONTENDERS = {
    **{kind.short_name: kind for kind in pnb.MODELS if kind.short_name != LEFT_OUT},
    **{name: make for name, (_, make) in PEERS.items()},
}


def tables(folder: Path) -> list[Path]:
    """Return the files of a folder, the small ones first."""
    return sorted(folder.glob("*.csv*"), key=lambda path: path.stat().st_size)


def load(path: Path) -> tuple[pd.DataFrame, pd.Series, str]:
    """Return attributes, classes, and a note on what was left out."""
    frame = pnb.read_table(path)
    y = frame.pop("class").astype(str)
    sizes = y.value_counts()
    rare = sizes.index[sizes < FOLDS]
    notes = [f"without the {sizes[rare].sum()} rows of rare classes"] if len(rare) else []
    frame, y = frame[~y.isin(rare)], y[~y.isin(rare)]
    if len(frame) > MOST_ROWS:
        notes.append(f"{MOST_ROWS:,} of {len(frame):,} rows")
        frame, _, y, _ = train_test_split(frame, y, train_size=MOST_ROWS, stratify=y, random_state=0)
    return frame.reset_index(drop=True), y.reset_index(drop=True), "; ".join(notes)


def run(folder: Path, results: Path, jobs: int) -> None:
    """Compare on every table that is not in the results yet."""
    done = set(pd.read_csv(results)["data"]) if results.exists() else set()
    for path in sorted(folder.glob("*.csv*"), key=lambda path: path.stat().st_size):
        name = path.name.split(".")[0]
        if name in done:
            continue
        X, y, note = load(path)
        models = {short: make() for short, make in CONTENDERS.items()}
        try:
            found = pnb.compare(models, X, y, cv=FOLDS, n_jobs=jobs)
        except PgmNbError as error:
            print(f"{name}: left out: {error}", flush=True)
            continue
        for sentence in found.failure_sentences():
            print(f"{name}: {sentence}", flush=True)
        rows = found.to_frame().assign(data=name, rows=len(X), attributes=X.shape[1], note=note)
        rows.to_csv(results, mode="a", header=not results.exists(), index=False)
        print(f"{name}: done", flush=True)


def report(folder: Path, results: Path, docs: Path) -> None:
    """Write the page and its two diagrams; a model that failed on some table is not ranked."""
    scores = pd.read_csv(results).fillna({"note": ""})
    failed = set(scores.loc[scores["failed"] > 0, "model"])
    ranked = [name for name in CONTENDERS if name not in failed]
    absent = sorted({path.name.split(".")[0] for path in folder.glob("*.csv*")} - set(scores["data"]))
    parts = [_head(scores, absent), *(_section(scores, metric, ranked, docs) for metric in METRICS)]
    (docs / "ranking.md").write_text("\n".join([*parts, _tables(scores)]), encoding="utf-8")


def _head(scores: pd.DataFrame, absent: list[str]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("scikit-learn", "numpy", "pandas"))
    names = ", ".join(f"`{kind.short_name}`: {kind.title}" for kind in pnb.MODELS)
    gaps = scores[scores["failed"] > 0].groupby("model", sort=False)["data"].agg(", ".join)
    unranked = "".join(f" Not ranked: {name}, which fails on {tables}." for name, tables in gaps.items())
    without = f" Tables without a result: {', '.join(absent)}." if absent else ""
    return f"""\
# What readability costs

How much accuracy do you give up for a model you can read? Here our models and three of scikit-learn's are
compared on {scores["data"].nunique()} tables, on the same {FOLDS} stratified folds, with default parameters
and without tuning. For scikit-learn's models, text becomes columns of zeros and ones, and where they need
it, missing numbers become medians and all columns are brought to a common scale; all of this is learned from
the training folds (`pgm_nb.evaluate.with_preprocessing`). Kernel semi-naive Bayes takes too long for these
tables and is left out.{without}{unranked}

{names}.

Made by `benchmarks/ranking.py` on {date.today()}, Python {platform.python_version()}, {versions}.
"""


def _section(scores: pd.DataFrame, metric: str, ranked: list[str], docs: Path) -> str:
    title, higher = METRICS[metric]
    table = scores.pivot_table(index="data", columns="model", values=metric)[ranked]
    found = pnb.friedman(table, higher_is_better=higher)
    picture = f"ranking-{title}.svg"
    (docs / picture).write_text(found.draw(), encoding="utf-8")
    best = table.max(axis=1) if higher else table.min(axis=1)
    behind = table.sub(best, axis=0).abs()
    summary = found.to_frame().set_index("model").join(table.mean().rename("mean"))
    summary = summary.join(behind.median().rename("behind"))
    lines = [
        f"| {name} | {row['rank']:.2f} | {row['best_on']:.0f} | {row['mean']:.4f} | {row['behind']:.4f} |"
        for name, row in summary.iterrows()
    ]
    unit = "" if higher else " (bits per row)"
    return (
        f"## By {title}{unit}\n\n![Average ranks by {title}]({picture})\n\n"
        f"Friedman's chi-squared {found.chi2:.1f} (p = {found.p_chi2:.2g}), Iman and Davenport's F "
        f"{found.f:.1f} (p = {found.p_f:.2g}). Bars join models whose ranks differ by less than the critical "
        f"difference {found.critical_difference:.2f} (Nemenyi, level {found.alpha}).\n\n"
        f"| model | average rank | best on | mean {title} | median distance to the best |\n"
        "|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def _tables(scores: pd.DataFrame) -> str:
    names = list(CONTENDERS)
    lines = []
    for data, part in scores.groupby("data"):
        first, by_model = part.iloc[0], part.set_index("model")
        cells = [
            f"{row.accuracy:.3f} / {row.log_loss:.3f}" if row.failed == 0 else "–"
            for row in by_model.loc[names].itertuples()
        ]
        size = f"{first['rows']:,} × {first['attributes']}"
        lines.append(f"| {data} | {size} | {' | '.join(cells)} | {first['note']} |")
    head = f"| table | size | {' | '.join(names)} | note |\n|{'---|' * (len(names) + 3)}\n"
    return "## Every table: accuracy / log-loss in bits\n\n" + head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, default=Path("ranking.csv"))
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    run(options.folder, options.results, options.jobs)
    report(options.folder, options.results, options.docs)
