"""How long it takes to say which attributes matter: `python benchmarks/importance.py`.

The path of WDBC, from nothing known to all thirty attributes, with its folds and intervals. Wanted: less than
ten seconds. The time of the processor counts, too, since other programs may run.
"""

import time

import pgm_nb as pnb

WANTED = 10  # seconds


def main() -> None:
    """Measure every way to say what matters, once."""
    X, y = pnb.load_sample("wdbc")
    for method in ("forward", "drop", "share"):
        model = pnb.GeneralizedNaiveBayes(parameters="class", smoothing="hierarchical")
        begun, busy = time.perf_counter(), time.process_time()
        pnb.importance(model, X, y, method=method)
        seconds, own = time.perf_counter() - begun, time.process_time() - busy
        wanted = f"; wanted: less than {WANTED} s" if method == "forward" else ""
        print(f"{method}: {seconds:.1f} s, of the processor {own:.1f} s{wanted}")


if __name__ == "__main__":
    main()
