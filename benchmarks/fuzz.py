"""Whole journeys over random tables, and damaged files: only our own errors may come out, in bounds.

    python benchmarks/fuzz.py [--journeys 20000] [--files 5000] [--seed 0] [--record FILE] [--jobs 2]

A journey makes a random table (numbers, words, dates, truth values, gaps, constants, odd names, few rows or
classes), trains a random model with random choices, and asks it everything a user can: predictions that sum
to one, the same for other orders of rows, reasons, questions, what to measure next, pictures, a saved file
that answers the same. A file case damages a table or a model file and reads it. Every case has a number; the
same number is the same case. Cases run in processes with a bound on memory, each with a bound on time. What
was tried is kept in FILE line by line, so that an interrupted run goes on where it stopped. Exit code 1 if
anything failed.
"""

import argparse
import contextlib
import gzip
import io
import json
import resource
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

import pgm_nb as pnb
from pgm_nb.errors import PgmNbError

SECONDS = 30
BYTES = 4_000_000_000
NAMES = [
    "a",
    "b",
    "<b>x</b>",
    "a=b",
    "ü ber",
    "",
    " ",
    "class",
    "x" * 200,
    "'); DROP",
    "line\nbreak",
    "{}",
    "\\n",
]
WORDS = ["yes", "no", "?", "=1+1", "<script>", "0", "10", "ü", "a|b", "x" * 60, "None", "missing"]


class OutOfTimeError(Exception):
    """A case took too long."""


def random_column(rng, n):
    """Return one column of a random kind."""
    kind = rng.integers(10)
    if kind == 4 and rng.random() < 0.8:  # dates are refused, which leaves nothing to try
        kind = 0
    if kind == 0:
        cells = rng.normal(size=n) * 10.0 ** rng.integers(-8, 9)
    elif kind == 1:
        cells = rng.integers(0, 10 ** rng.integers(1, 8), n)
    elif kind == 2:
        cells = rng.choice(WORDS[: rng.integers(1, len(WORDS))], n)
    elif kind == 3:
        cells = rng.random(n) < rng.random()
    elif kind == 4:
        cells = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), unit="D")
    elif kind == 5:
        cells = np.full(n, rng.choice([0.0, 7.5, -1e300]))
    elif kind == 6:
        cells = pd.Categorical(rng.choice(["lo", "mid", "hi"], n), ["lo", "mid", "hi", "never"], ordered=True)
    elif kind == 7:
        cells = rng.choice([0.0, 1.0, 2.0, np.nan], n)
    elif kind == 8:
        cells = rng.normal(size=n).astype(np.float32)
    else:
        cells = np.array([f"id{i}" for i in range(n)], dtype=object)
    column = pd.Series(cells)
    if rng.random() < 0.3 and kind not in (3, 9):
        column = column.mask(rng.random(n) < rng.random() * 0.5)
    return column


def random_table(rng):
    """Return attributes and classes."""
    n, d = int(rng.integers(4, 120)), int(rng.integers(1, 9))
    X = pd.concat([random_column(rng, n) for _ in range(d)], axis=1)
    names = list(rng.permutation(NAMES)[:d]) if rng.random() < 0.3 else [f"x{i}" for i in range(d)]
    X.columns = names
    k = int(rng.integers(2, 6))
    y = np.arange(n) % k if rng.random() < 0.7 else rng.integers(0, k, n)
    if rng.random() < 0.5:
        y = np.array(WORDS)[y]
    elif rng.random() < 0.05:
        y = y * 1.5
    return X, pd.Series(y, name=rng.choice(["class", "outcome", "x0"]))


def random_model(rng):
    """Return an untrained model with random choices among those it offers."""
    kind = pnb.MODELS[rng.integers(len(pnb.MODELS))]
    parameters = {}
    for option in kind.options:
        if option.choices and rng.random() < 0.4:
            parameters |= option.choices[rng.integers(len(option.choices))].parameters
    return kind(**parameters)


def is_distribution(found):
    return bool(
        np.isfinite(found).all() and (found >= 0).all() and np.abs(found.sum(axis=1) - 1).max() < 1e-9
    )


def check(good, what):
    if not good:
        raise AssertionError(what)


def journey(seed):
    """Go one way through the library; returns what kind of end it had."""
    rng = np.random.default_rng([seed, 1])
    X, y = random_table(rng)
    model = random_model(rng)
    try:
        model.fit(X, y)
    except (PgmNbError, ValueError) as problem:
        if not isinstance(problem, PgmNbError) and "pgm_nb" in str(problem):
            raise
        return "refused"
    found = model.predict_proba(X)
    check(is_distribution(found), "probabilities of training rows")
    order = rng.permutation(len(X))
    again = model.predict_proba(X.iloc[order])
    check(np.abs(again - found[order]).max() < 1e-9, "another order of rows, other probabilities")
    hidden = X.copy()
    for place in range(X.shape[1]):
        if rng.random() < 0.5:
            hidden.isetitem(place, hidden.iloc[:, place].astype(object).mask(rng.random(len(X)) < 0.5))
    with contextlib.suppress(PgmNbError):
        check(is_distribution(model.predict_proba(hidden)), "probabilities of rows with gaps")
    row = X.iloc[[int(rng.integers(len(X)))]]
    reasons = model.explain(row)
    check(str(reasons), "an explanation without text")
    model.structure_.to_dot()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.pgmnb"
        model.save(path)
        loaded = pnb.load(path)
        check((loaded.predict_proba(X) == found).all(), "a saved model predicts otherwise")
    try:
        given = {name: row[name].iloc[0] for name in X.columns[: rng.integers(0, X.shape[1] + 1)]}
        if model.is_joint:
            answer = model.query(model.structure_.target, given=given)
            check(abs(answer["probability"].sum() - 1) < 1e-9, "an answer does not sum to one")
        model.next_best(given)
    except PgmNbError:
        return "some questions refused"
    return "answered"


def table_files(rng):
    frame, y = random_table(rng)
    frame = frame.assign(**{"the class": y.to_numpy()})
    kind = rng.choice(["csv", "csv.gz", "parquet", "xlsx", "arff"])
    sink = io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(sink)
    elif kind == "xlsx":
        frame.head(20).to_excel(sink, index=False)
    elif kind == "arff":
        sink.write(
            b"@relation r\n@attribute 'a b' {x, y}\n@attribute n real\n@data\n" + b"x,1.5\n?,?\ny,3\n" * 10
        )
    else:
        text = frame.to_csv(index=False).encode()
        sink.write(gzip.compress(text) if kind == "csv.gz" else text)
    return f"a.{kind}", sink.getvalue()


def damaged(content, rng):
    """Return a content with bits, pieces or lengths changed."""
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if not changed:
            break
        place, end = sorted(int(at) for at in rng.integers(0, len(changed), 2))
        kind = rng.integers(5)
        if kind == 0:
            changed[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            changed = changed[:end]
        elif kind == 2:
            changed = changed[:place] + changed[end:]
        elif kind == 3:
            changed[place:place] = rng.integers(0, 256, 12, dtype=np.uint8).tobytes()
        else:
            changed[place:end] = changed[place:end] * 2
    return bytes(changed)


def file_case(seed):
    """Damage a file and read it."""
    from pgm_nb.data.portions import read_portion

    rng = np.random.default_rng([seed, 2])
    if rng.random() < 0.5:
        try:
            name, content = table_files(rng)
        except (ValueError, TypeError, OverflowError, ArithmeticError):
            return "not writable by pandas"
        try:
            read_portion(name, damaged(content, rng))
        except PgmNbError as problem:
            check(name.split(".")[0] in str(problem), f"no file in the message: {problem}")
            return "refused"
        return "read"
    X = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "c"])
    model = random_model(rng).fit(X, np.arange(30) % 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.pgmnb"
        model.save(path)
        path.write_bytes(damaged(path.read_bytes(), rng))
        try:
            loaded = pnb.load(path)
        except PgmNbError:
            return "refused"
        check(
            np.allclose(loaded.predict_proba(X), model.predict_proba(X)), "a damaged model predicts otherwise"
        )
    return "read"


CASES = {"journey": journey, "file": file_case}


def run_case(kind, seed):
    """Run one case in its bounds; returns kind, number, its end, and what went wrong."""

    def out_of_time(*_):
        raise OutOfTimeError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            return kind, seed, CASES[kind](seed), None
    except BaseException as problem:  # noqa: BLE001 (whatever it is, it is a finding)
        own = [frame for frame in traceback.extract_tb(problem.__traceback__) if "pgm_nb" in frame.filename]
        place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        return kind, seed, "FAILED", f"{type(problem).__name__} at {place}: {str(problem)[:200]}"
    finally:
        signal.alarm(0)


def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--journeys", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, default=Path("fuzz.jsonl"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    lines = options.record.read_text().splitlines() if options.record.exists() else []
    ends = {(kind, seed): (end, wrong) for kind, seed, end, wrong in map(json.loads, lines)}
    wanted = [("journey", options.seed + i) for i in range(options.journeys)]
    wanted += [("file", options.seed + i) for i in range(options.files)]
    left = [case for case in wanted if case not in ends]
    with (
        ProcessPoolExecutor(options.jobs, initializer=bound_memory) as pool,
        options.record.open("a") as record,
    ):
        for done, found in enumerate(
            pool.map(run_case, *zip(*left, strict=True), chunksize=20) if left else ()
        ):
            ends[found[0], found[1]] = found[2:]
            record.write(json.dumps(found) + "\n")
            if found[3] is not None:
                print(f"{found[0]} {found[1]}: {found[3]}", flush=True)
            if done % 1000 == 999:
                record.flush()
                print(f"{done + 1:,} of {len(left):,}", flush=True)
    chosen = {case: ends[case] for case in wanted}
    for (kind, end), number in sorted(Counter((case[0], end) for case, (end, _) in chosen.items()).items()):
        print(f"{kind}: {number:,} {end}")
    return int(any(end == "FAILED" for end, _ in chosen.values()))


if __name__ == "__main__":
    raise SystemExit(main())
