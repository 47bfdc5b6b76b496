"""The pages of the ranking: goals met or not, ranks, the tables put aside, and seconds."""

import platform
from copy import copy
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pandas as pd
from ranking import ASIDE, CONTENDERS, FOLDS, GRAPHS, default_of, load, tables

import pgm_nb as pnb
from pgm_nb.evaluate import PEERS
from pgm_nb.words import listed, plural, together

MACHINE = "ebm"
METRICS = {"accuracy": ("accuracy", True), "log_loss": ("log-loss", False)}
FASTER = 20  # times, than the explainable boosting machine
ENOUGH = 2 / 3  # of the tables: with fewer, a lead that the test does not find leaves a goal open


class Scores:
    """All scores: per model, table and fold, and which models have finished which tables."""

    def __init__(self, folder: Path, results: Path, machine: Path) -> None:
        own = pd.read_csv(results)
        if machine.exists():
            own = pd.concat([own, pd.read_csv(machine).assign(model=MACHINE)])
        self.folds = own[own["failed"].isna()].drop_duplicates(["model", "data", "fold"])
        self.reasons = own[own["failed"].notna()].set_index(["model", "data"])["failed"].to_dict()
        self.tables = sorted(path.name.split(".")[0] for path in tables(folder))
        self.shapes = {path.name.split(".")[0]: load(path) for path in tables(folder)}
        self._average(dict.fromkeys(self.tables, FOLDS))

    def _average(self, needed: dict[str, int]) -> None:
        """Average the folds of every model over the tables of which it has as many as needed."""
        sizes = self.folds.groupby(["model", "data"])["fold"].transform("size")
        whole = self.folds[sizes == self.folds["data"].map(needed)]
        self.means = whole.groupby(["model", "data"])[["accuracy", "log_loss"]].mean()

    def on_folds_of(self, model: str) -> Self:
        """Return the scores of all models on the folds that one of them has finished, and no others."""
        mine = self.folds.loc[self.folds["model"] == model, ["data", "fold"]]
        part = copy(self)
        part.folds = self.folds.merge(mine)
        part._average(mine.groupby("data").size().to_dict())
        return part

    def finished(self, model: str) -> set[str]:
        """Return the tables whose folds are all done."""
        done = self.means.index[self.means.index.get_level_values("model") == model]
        return set(done.get_level_values("data")) & set(self.tables)

    @property
    def models(self) -> list[str]:
        """Every model with a score, in our order."""
        known = set(self.means.index.get_level_values("model"))
        return [name for name in (*CONTENDERS, MACHINE) if name in known]

    @property
    def ranked(self) -> list[str]:
        """The models that have finished every table."""
        return [name for name in self.models if set(self.tables) <= self.finished(name)]

    def grid(self, metric: str, models: list[str], data: list[str]) -> pd.DataFrame:
        """Return a table of scores, a row per table and a column per model."""
        flat = self.means.reset_index()
        return flat.pivot_table(index="data", columns="model", values=metric).loc[data, models]


def titled(name: str) -> str:
    """Mark the defaults."""
    default = name.partition("-")[0] in GRAPHS and default_of(name.partition("-")[0]) == name
    return f"{name} (default)" if default else name


def report(folder: Path, results: Path, machine: Path, docs: Path) -> None:
    """Write the page and its diagrams."""
    scores = Scores(folder, results, machine)
    parts = [head(scores), goals(scores)]
    for metric in METRICS:
        parts.append(section(scores, metric, scores.ranked, scores.tables, docs, ""))
    beside = scores.on_folds_of(MACHINE)
    both = sorted(beside.finished(MACHINE))
    if len(both) > 1:
        whole = len(scores.finished(MACHINE))
        parts.append(
            f"## Beside the explainable boosting machine\n\nOn the {plural(len(both), 'table')} of which it "
            f"finished a fold, all models on the same folds: {FOLDS} folds of {plural(whole, 'table')}, "
            f"fewer of the others, because it takes minutes for each. {unfinished(beside)}\n"
        )
        for metric in METRICS:
            parts.append(section(beside, metric, [*scores.ranked, MACHINE], both, docs, "-ebm"))
        parts.append(seconds(scores, both))
    parts += [aside(scores), every_table(scores)]
    (docs / "ranking.md").write_text("\n".join(parts), encoding="utf-8")


def head(scores: Scores) -> str:
    """Say what was compared, how, and what is not ranked and why."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("scikit-learn", "numpy", "pandas"))
    names = ", ".join(f"`{kind.about.short_name}`: {kind.about.title}" for kind in pnb.MODELS)
    lines = []
    never = [name for name in CONTENDERS if not scores.finished(name)]
    if never:
        lines.append(f"Not run yet: {together(never)}.")
    for name in (*CONTENDERS, MACHINE):
        left = [table for table in scores.tables if table not in scores.finished(name)]
        if left and name not in (*never, MACHINE):
            why = {scores.reasons.get((name, table), "not finished in the time there was") for table in left}
            lines.append(
                f"Not ranked: {name}, which has no result on {listed(left)} ({'; '.join(sorted(why))})."
            )
    return f"""\
# What readability costs

How much accuracy do you give up for a model you can read? Here our models and those of others are compared
on {len(scores.tables)} tables, on the same {FOLDS} stratified folds, no model being tuned to a table. Naive
Bayes, TAN and GNB come with several parameters: `-tables` as they once were, with five intervals per number,
back-off smoothing and the tables as counted, `-class` with hierarchical smoothing and parameters trained for
the class ([what that is](probabilities.md)), and without an ending as they are by default, if that is
neither. `gnb-5` is the default GNB with five intervals per number in place of ten, and `gnb-order-4` the one
with clusters of four. `gnb-for-class` searches the tree for the class ([how](models.md)), and
`gnb-for-class-4` does so with clusters of four. This search was tried out on folds of fifteen of the tables
(car, which had been put aside, among them), and the price of its tables was corrected after a first run on
all of them: its own scores are a little flattered. For scikit-learn's models, text becomes columns of zeros
and ones, and where they need it, missing numbers become medians and all columns are brought to a common
scale; all of this is learned from
the training folds
(`pgm_nb.evaluate.with_preprocessing`). The explainable boosting machine (`ebm`, `interpret-core`) has its
default settings and one process. {" ".join(lines)}

{names}.

Made by `benchmarks/ranking.py` and `benchmarks/boosting_machine.py` on {date.today()}, Python
{platform.python_version()}, {versions}.
"""


def unfinished(scores: Scores) -> str:
    """Say on which tables the machine has no result, and why."""
    left = [table for table in scores.tables if table not in scores.finished(MACHINE)]
    given_up = [table for table in left if (MACHINE, table) in scores.reasons]
    never = [table for table in left if table not in given_up]
    said = []
    if given_up:
        why = sorted({scores.reasons[MACHINE, table] for table in given_up})
        said.append(f"{listed(given_up, 40)}: {'; '.join(why)}.")
    if never:
        said.append(f"Not reached in the time there was: {listed(never, 40)}.")
    return " ".join(said)


def goals(scores: Scores) -> str:
    """Say of every goal whether it is met."""
    gnb = default_of("gnb")
    lines = []
    if {gnb, "forest", "logistic"} <= set(scores.ranked):
        loss = scores.grid("log_loss", [gnb, "forest", "logistic"], scores.tables).mean()
        met = loss[gnb] <= min(loss["forest"], loss["logistic"])
        lines.append(
            "The log-loss of the default GNB is at most that of forest and logistic regression: "
            f"{verdict(met)}. {loss[gnb]:.3f} bits per row on average; forest {loss['forest']:.3f}, "
            f"logistic regression {loss['logistic']:.3f}."
        )
        lines.append(not_behind(scores, "accuracy", gnb, "forest", scores.tables))
    ours = [name for name in scores.ranked if name not in PEERS]
    for metric in METRICS:
        best = ranks(scores, metric, scores.ranked, scores.tables)[ours].idxmin()
        for part, other in ((scores, "boosting"), (scores.on_folds_of(MACHINE), MACHINE)):
            data = sorted(part.finished(other))
            if len(data) > 1:
                lines.append(not_behind(part, metric, best, other, data))
    ratio = speed(scores, gnb)
    if ratio is not None:
        lines.append(
            f"The default GNB learns at least {FASTER} times as fast as the explainable boosting machine: "
            f"{verdict(ratio[0] >= FASTER)}. {ratio[0]:,.0f} times as fast, in processor time over the "
            f"{plural(ratio[1], 'fold')} that both finished."
        )
    return (
        "## Goals\n\nBeside boosting and ebm stands the model of ours with the best average rank by that "
        "score. Each test is Nemenyi's among that model and the models of others alone: more models of ours "
        "would only widen the critical difference. Where fewer than two thirds of the tables were run, the "
        "other model is ahead, and the test cannot tell whether by chance, the goal is open.\n\n"
        + "\n".join(f"- {line}" for line in lines)
        + "\n"
    )


def verdict(met: bool) -> str:
    """Write whether a goal is met."""
    return "**met**" if met else "**not met**"


def ranks(scores: Scores, metric: str, models: list[str], data: list[str]) -> pd.Series:
    """Return the average ranks."""
    found = pnb.friedman(scores.grid(metric, models, data), higher_is_better=METRICS[metric][1])
    return pd.Series(found.average_ranks, index=found.models)


def not_behind(scores: Scores, metric: str, own: str, other: str, data: list[str]) -> str:
    """Say whether one model is behind another by Nemenyi's test, among that model and those of others."""
    title, higher = METRICS[metric]
    field = [own, *PEERS, *([MACHINE] if other == MACHINE else [])]
    table = scores.grid(metric, field, data)
    found = pnb.friedman(table, higher_is_better=higher)
    averages = pd.Series(found.average_ranks, index=found.models)
    met = averages[own] - averages[other] < found.critical_difference
    mean = table.mean()
    few = len(data) < ENOUGH * len(scores.tables)
    said = "**open**" if few and met and averages[own] > averages[other] else verdict(met)
    return (
        f"{titled(own)} is not behind {other} by {title}: {said} on {plural(len(data), 'table')}. Average "
        f"rank {averages[own]:.2f} against {averages[other]:.2f}, critical difference "
        f"{found.critical_difference:.2f}; mean {mean[own]:.3f} against {mean[other]:.3f}."
    )


def speed(scores: Scores, own: str) -> tuple[float, int] | None:
    """Return how many times as much processor time the machine takes, and over how many folds."""
    both = paired(scores, own)
    return None if both.empty else (float(both[MACHINE].sum() / both[own].sum()), len(both))


def paired(scores: Scores, own: str) -> pd.DataFrame:
    """Return the processor seconds of the folds that a model and the machine have both finished."""
    table = scores.folds.pivot_table(index=["data", "fold"], columns="model", values="process_seconds")
    return table[[own, MACHINE]].dropna() if {own, MACHINE} <= set(table) else pd.DataFrame()


def section(scores: Scores, metric: str, ranked: list[str], data: list[str], docs: Path, ending: str) -> str:
    """Rank models on some tables by one score."""
    title, higher = METRICS[metric]
    table = scores.grid(metric, ranked, data).rename(columns=titled)
    found = pnb.friedman(table, higher_is_better=higher)
    picture = f"ranking-{title}{ending}.svg"
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
    level = "###" if ending else "##"
    return (
        f"{level} By {title}{unit}, {plural(len(data), 'table')}\n\n"
        f"![Average ranks by {title}]({picture})\n\n"
        f"Friedman's chi-squared {found.chi2:.1f} (p = {found.p_chi2:.2g}), Iman and Davenport's F "
        f"{found.f:.1f} (p = {found.p_f:.2g}). Bars join models whose ranks differ by less than the critical "
        f"difference {found.critical_difference:.2f} (Nemenyi, level {found.alpha}).\n\n"
        f"| model | average rank | best on | mean {title} | median distance to the best |\n"
        "|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )


def seconds(scores: Scores, data: list[str]) -> str:
    """Compare the processor time of fits with that of the machine."""
    names = [default_of(name) for name in GRAPHS]
    lines = []
    for table in data:
        cells = []
        for name in names:
            both = paired(scores, name)
            if both.empty or table not in both.index.get_level_values("data"):
                cells.append("–")
                continue
            own, other = both.loc[table, name].mean(), both.loc[table, MACHINE].mean()
            cells.append(f"{own:.2f} ({other / own:,.0f} ×)")
        mine = scores.folds[(scores.folds["model"] == MACHINE) & (scores.folds["data"] == table)]
        lines.append(f"| {table} | {mine['process_seconds'].mean():.1f} | {' | '.join(cells)} |")
    return (
        "### Seconds to learn one fold\n\nProcessor time, so that a busy machine matters less; in brackets "
        f"how many times as long {MACHINE} takes.\n\n"
        f"| table | {MACHINE} | {' | '.join(map(titled, names))} |\n|{'---|' * (len(names) + 2)}\n"
        + "\n".join(lines)
        + "\n"
    )


def aside(scores: Scores) -> str:
    """Report the five tables on which nothing was tuned."""
    data = [name for name in ASIDE if name in scores.tables]
    if not data:
        return ""
    lines = []
    for name in scores.models:
        if set(data) <= scores.finished(name):
            part = scores.means.loc[name].loc[data].mean()
            lines.append(
                (part["log_loss"], f"| {titled(name)} | {part['accuracy']:.4f} | {part['log_loss']:.4f} |")
            )
    return (
        f"## Five tables put aside\n\n{together(data)} were put aside before the work on trained parameters "
        "began, to be reported on their own. The [choice of defaults](defaults.md) looked at some of the "
        "other tables, in these folds, and at parkinsons. The five are also part of the ranks above.\n\n"
        "| model | mean accuracy | mean log-loss |\n|---|---|---|\n"
        + "\n".join(line for _, line in sorted(lines))
        + "\n"
    )


def every_table(scores: Scores) -> str:
    """List every score."""
    names = scores.models
    lines = []
    for data in scores.tables:
        X, _, remark = scores.shapes[data]
        cells = []
        for name in names:
            row = scores.means.loc[name, data] if data in scores.finished(name) else None
            cells.append("–" if row is None else f"{row['accuracy']:.3f} / {row['log_loss']:.3f}")
        lines.append(f"| {data} | {X.shape[0]:,} × {X.shape[1]} | {' | '.join(cells)} | {remark} |")
    head = f"| table | size | {' | '.join(names)} | note |\n|{'---|' * (len(names) + 3)}\n"
    return "## Every table: accuracy / log-loss in bits\n\n" + head + "\n".join(lines) + "\n"
