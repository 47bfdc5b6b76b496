"""Time in a fresh process: the import, and the first fit after it."""

import subprocess
import sys

from harness import Contender, Measurement, Table, Target, Timed, compare, three_digits

__all__ = ["benchmark"]

FIT = """
import time
import pgm_nb
estimator = pgm_nb.GeneralizedNaiveBayes()
X, y = pgm_nb.load_sample("wdbc")
start = time.perf_counter()
estimator.fit(X, y)
print(time.perf_counter() - start)
"""
COUNTED = FIT.replace("Bayes()", "Bayes(parameters='generative')")
AGAIN = FIT.replace("start =", "estimator.fit(X, y)\nstart =")
IMPORT = """
import time
start = time.perf_counter()
{}
print(time.perf_counter() - start)
"""
SCRIPTS = {
    "WDBC to a fitted GNB, first fit of the process": FIT,
    "the same, second fit": AGAIN,
    "the same, tables as counted (parameters='generative'), first fit": COUNTED,
    "import pgm_nb": IMPORT.format("import pgm_nb"),
    "import pgm_nb and its models": IMPORT.format("import pgm_nb; pgm_nb.GeneralizedNaiveBayes"),
    "import pandas, sklearn.base (of which)": IMPORT.format("import pandas, sklearn.base"),
}


def benchmark(quick: bool) -> tuple[Table, list[Target]]:
    field = [Contender(name, _in_fresh_process(script), equal=False) for name, script in SCRIPTS.items()]
    times = compare(field, lambda *_: True, rounds=3 if quick else 11, budget=60.0)
    rows = [(name, *_spread(time)) for name, time in times.items()]
    firsts = [name for name in SCRIPTS if "first fit" in name]
    targets = [
        Target(
            f"{name.replace('the same', 'WDBC to a fitted GNB')}",
            50,
            1e3 * times[name].median,
            "ms",
            at_least=False,
        )
        for name in firsts
    ]
    header = ("a fresh process each time", "median ms", "least ms", "most ms")
    return Table("First fit and import", header, rows), targets


def _spread(time: Measurement) -> list[str]:
    return [three_digits(1e3 * value) for value in (time.median, min(time.seconds), max(time.seconds))]


def _in_fresh_process(script: str):
    def run() -> Timed:
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        return Timed(float(done.stdout), None)

    return run
