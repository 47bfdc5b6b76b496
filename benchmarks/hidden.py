"""Time to classify with hidden parents: `benchmarks/hidden.py DATA [--weka JAR] [--plot SVG] [TABLE ...]`.

First HNB against Weka's HNB, trained on the same codes and asked for the distributions of the same rows in
one batch; then the processor time of PHNB on one core as its threshold rises. DATA is a folder with the
tables as NAME.csv.gz, the class in the last column.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from harness import Contender, Table, Target, Timed, compare, ratio, three_digits
from peers import WEKA

from pgm_nb.counts import count
from pgm_nb.data import learn_encoder
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden.mixtures import log_scores, mixtures
from pgm_nb.models.hidden.model import average_dependence, folds, parent_weights, validate_thresholds
from pgm_nb.views.style import class_colour
from pgm_nb.views.svg import Panel, document, label

TABLES = ("mfeat-zernike", "mfeat-fourier", "optdigits", "mfeat-pixel")
FASTER = 20.0  # times Weka, per row in a batch
AGREE = 0.97  # of the rows in the same class: Weka leaves small terms out of the information
MULTIPLES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)  # of the average dependence


class Coded:
    """A table in ten bins of equal width, its counts and its dependence."""

    def __init__(self, path: Path, frame: pd.DataFrame | None = None) -> None:
        frame = pd.read_csv(path) if frame is None else frame
        self.name = path.name.removesuffix(".csv.gz")
        classes, self.y = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)
        encoder, self.codes, _, _ = learn_encoder(
            frame.iloc[:, :-1], self.y, discretizer="uniform", n_bins=10
        )
        self.cards, self.k = encoder.cards, len(classes)
        self.counts = count(self.codes, self.y, self.cards, self.k)
        self.dependence = conditional_mutual_information(self.counts)

    def classify(self, threshold: float, kernel: str = "compiled", n_threads: int | None = None):
        model = mixtures(self.counts, parent_weights(self.dependence, threshold), 1.0)

        def run():
            scores = log_scores(model, self.codes, kernel=kernel, n_threads=n_threads)
            return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)).argmax(axis=1)

        return run


class Weka:
    """A classifier of Weka's in its own process, which measures itself."""

    def __init__(self, jar: Path, table: Coded, name: str = "HNB", *, processor: bool = False) -> None:
        self.processor = processor  # its time on the processor, not that on the clock
        self.elapsed: list[float] = []  # seconds on the clock, all the same
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "rows"
        path.write_bytes(np.vstack([table.codes, table.y]).T.astype(np.uint8).tobytes())
        cards = ",".join(map(str, (*table.cards, table.k)))
        source = Path(__file__).with_name("WekaBayes.java")
        command = ["java", "-Xmx3g", "-cp", jar, source, path, cards, name]
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.process.stdout.readline()

    def __call__(self) -> Timed:
        self.process.stdin.write("classify\n")
        self.process.stdin.flush()
        elapsed, spent, *found = map(int, self.process.stdout.readline().split())
        self.elapsed.append(1e-9 * elapsed)
        return Timed(1e-9 * (spent if self.processor else elapsed), np.array(found))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


def against_weka(table: Coded, jar: Path | None) -> tuple[tuple[str, ...], Target]:
    contenders = [
        Contender("all cores", table.classify(-1.0)),
        Contender("one core", table.classify(-1.0, n_threads=1)),
        Contender("NumPy", table.classify(-1.0, kernel="numpy")),
    ]
    weka = None if jar is None else Weka(jar, table)
    if weka is not None:
        contenders.append(Contender("Weka", weka))
    found = compare(contenders, lambda a, b: np.mean(a == b) >= AGREE, rounds=5, budget=6.0)
    if weka is not None:
        weka.close()
    n = len(table.y)
    times = [three_digits(1e6 * found[c.name].median / n) for c in contenders]
    times += [""] * (4 - len(times))
    gain = None if weka is None else ratio(found["Weka"], found["all cores"])
    shape = f"{n:,} x {len(table.cards)} x {table.k}"
    return (table.name, shape, *times), Target(f"HNB, {table.name}", FASTER, gain)


def on_the_processor(run: Callable[[], np.ndarray]) -> Callable[[], Timed]:
    """Measure processor time: over many short runs, elapsed time would include other work on the machine."""

    def timed() -> Timed:
        start = time.thread_time()
        result = run()
        return Timed(time.thread_time() - start, result)

    return timed


def along_thresholds(table: Coded) -> Table:
    average = average_dependence(table.dependence)
    thresholds = np.array([average * multiple for multiple in MULTIPLES])
    fold = folds(table.codes, table.y, range(len(table.cards)))
    _, accuracy = validate_thresholds(table.codes, table.y, table.cards, table.k, thresholds, 1.0, fold)
    contenders = [
        Contender(f"{multiple:g}", on_the_processor(table.classify(threshold, n_threads=1)))
        for multiple, threshold in zip(MULTIPLES, thresholds, strict=True)
    ]
    found = compare(contenders, lambda a, b: True, rounds=15, budget=3.0)
    rows = []
    for place, threshold in enumerate(thresholds):
        sizes = np.count_nonzero(parent_weights(table.dependence, threshold), axis=1)
        rows.append(
            (
                contenders[place].name,
                f"{threshold:.4f}",
                f"{np.count_nonzero(sizes)}",
                f"{sizes[sizes > 0].mean():.1f}" if sizes.any() else "-",
                three_digits(1e6 * found[contenders[place].name].median / len(table.y)),
                f"{100 * accuracy[place]:.2f}",
            )
        )
    header = (
        "times average",
        "threshold (bits)",
        "in bags",
        "mean size",
        "microseconds per row",
        "accuracy %",
    )
    return Table(f"PHNB on {table.name} (5-fold accuracy)", header, rows)


def plot(sweeps: list[Table]) -> str:
    """Draw time per row and accuracy against the threshold, a line per table."""
    panels = [
        ("time per row, as a share of HNB's", 4, lambda column: column / column[0]),
        ("accuracy %", 5, lambda column: column),
    ]
    parts = []
    for place, (name, column, scaled) in enumerate(panels):
        lines = [scaled(np.array([float(row[column].replace(",", "")) for row in s.rows])) for s in sweeps]
        low = 0.0 if place == 0 else min(line.min() for line in lines) - 1
        panel = Panel(70 + 430 * place, 30, 330, 300, (0.0, max(MULTIPLES)), (low, max(map(np.max, lines))))
        parts.append(panel.frame("light", "threshold, times the average", name))
        for number, (sweep, line) in enumerate(zip(sweeps, lines, strict=True)):
            points = [panel.place(x, y) for x, y in zip(MULTIPLES, line, strict=True)]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            colour = class_colour(number)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            if place == 1:
                parts.append(label(sweep.title.split()[2], 120 + 190 * number, 390, colour))
    return document(860, 410, "Time and accuracy of PHNB against its threshold", parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--weka", type=Path, default=WEKA)
    parser.add_argument("--plot", type=Path, help="draw time and accuracy against the threshold")
    options = parser.parse_intermixed_args()
    jar = options.weka if options.weka.exists() else None
    import_module("pgm_nb.models.hidden.compiled")  # compiles before the clock runs
    rows, targets, sweeps = [], [], []
    for name in options.tables:
        table = Coded(options.data / f"{name}.csv.gz")
        row, target = against_weka(table, jar)
        rows.append(row)
        targets.append(target)
        sweeps.append(along_thresholds(table))
    header = ("table", "rows x attributes x classes", "all cores", "one core", "NumPy", "Weka")
    print(Table("HNB: microseconds per row, all rows in one batch", header, rows).text())
    print(Table("Targets", ("", "wanted", "measured", "met"), [t.row() for t in targets]).text())
    for sweep in sweeps:
        print(sweep.text())
    if options.plot is not None:
        options.plot.write_text(plot(sweeps))


if __name__ == "__main__":
    main()
