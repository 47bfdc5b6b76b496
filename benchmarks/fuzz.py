"""Whole journeys over random tables, and damaged files: only our own errors may come out, in bounds.

    python benchmarks/fuzz.py [--journeys 20000] [--files 5000] [--seed 0] [--record FILE] [--jobs 2]

A journey makes a random table (numbers of every type, also of object and nullable ones, words, dates,
categories, gaps, constants, broken text, odd or repeated names, one row and more, a table or an array),
trains a random model with random choices in one of the ways of learning, and asks it what a user can ask:
predictions that sum to one, the same for other orders of rows, reasons, questions, what to measure next,
importance, reports, growth, exports, a saved file and a pickle that answer the same, and more after further
rows. A file case damages a table or a model file and reads it. Every case has a number; the same number is
the same case. Cases run in processes with a bound on memory, each with a bound on time. What was tried is
kept in FILE line by line, so that an interrupted run goes on where it stopped. Exit code 1 if anything
failed.
"""

import argparse
import contextlib
import copy
import gzip
import inspect
import io
import json
import pickle
import resource
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

import pgm_nb as pnb
from pgm_nb.data import encode_target
from pgm_nb.engine.exchange import FORMATS
from pgm_nb.errors import PgmNbError
from pgm_nb.reports.lines import Origin

SECONDS = 120
BYTES = 6_000_000_000
NAMES = [
    "a", "b", "<b>x</b>", "a=b", "ü ber", "", " ", "class", "x" * 200, "'); DROP", "line\nbreak", "{}", "\\n",
    "\u2028", "a\u2029b", "\x00", "\x1b[31m", "\ud800", "\u202eright", "name:", "%s", "None", "\ufeff", "0",
]  # fmt: skip
WORDS = [
    "yes", "no", "?", "=1+1", "<script>", "0", "10", "ü", "a|b", "x" * 60, "None", "missing", "\u2028",
    "\x07", "a..b", "True", "nan", "> 4", "",
]  # fmt: skip


class OutOfTimeError(Exception):
    """A case took too long."""


def objects(values):
    """Return plain Python values as a column of objects."""
    return pd.Series(list(values), dtype=object)


def nullable(rng, values, dtype):
    """Return a column of a nullable type, often with gaps."""
    gaps = rng.random(len(values)) < rng.choice([0.0, 0.3])
    return pd.array([pd.NA if gap else value for gap, value in zip(gaps, values, strict=True)], dtype=dtype)


def day(rng, n):
    return pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), unit="D")


def some_words(rng, n):
    return rng.choice(WORDS[: rng.integers(1, len(WORDS))], n).tolist()


COLUMNS = {
    "numbers": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-8, 9),
    "whole": lambda rng, n: rng.integers(0, 10 ** rng.integers(1, 8), n),
    "words": some_words,
    "booleans": lambda rng, n: rng.random(n) < rng.random(),
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 7.5, -1e300, 0.1])),
    "ordered": lambda rng, n: pd.Categorical(
        rng.choice(["lo", "mid", "hi"], n), ["lo", "mid", "hi", "never"], ordered=True
    ),
    "few numbers": lambda rng, n: rng.choice([0.0, 1.0, 2.0, np.nan], n),
    "single": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "half": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "int8": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "uint8": lambda rng, n: rng.integers(0, 256, n).astype(np.uint8),
    "uint64": lambda rng, n: rng.integers(0, 2**64, n, dtype=np.uint64),
    "identifier": lambda rng, n: [f"id{i}" for i in range(n)],
    "object whole": lambda rng, n: objects(rng.integers(0, 5, n).tolist()),
    "object mixed numbers": lambda rng, n: objects([1, 2.5, None] * n)[:n],
    "object booleans": lambda rng, n: objects((rng.random(n) < 0.5).tolist()),
    "Int64": lambda rng, n: nullable(rng, rng.integers(0, 9, n).tolist(), "Int64"),
    "Float64": lambda rng, n: nullable(rng, rng.normal(size=n).tolist(), "Float64"),
    "boolean": lambda rng, n: nullable(rng, (rng.random(n) < 0.5).tolist(), "boolean"),
    "string": lambda rng, n: nullable(rng, some_words(rng, n), "string"),
    "Decimal": lambda rng, n: objects(map(Decimal, rng.choice(["1.5", "2", "NaN", "1e3"], n).tolist())),
    "number categories": lambda rng, n: pd.Categorical(rng.integers(0, 3, n), [0, 1, 2, 7]),
    "boolean categories": lambda rng, n: pd.Categorical(rng.random(n) < 0.5),
    "date categories": lambda rng, n: pd.Categorical(day(rng, n)),
    "sparse": lambda rng, n: pd.arrays.SparseArray(rng.choice([0.0, 0.0, 1.0, 3.5], n)),
    "all missing": lambda rng, n: objects([rng.choice([None, np.nan, pd.NA])] * n),
    "all missing numbers": lambda rng, n: np.full(n, np.nan),
}
REFUSED = {  # these are mostly refused, which leaves nothing to try
    "dates": day,
    "objects of dates": lambda rng, n: objects(day(rng, n).date),
    "mixed": lambda rng, n: objects([1, "a", None, 2.5] * n)[:n],
    "huge": lambda rng, n: objects([10**400, 1] * n)[:n],
    "large": lambda rng, n: objects([10**30, 1] * n)[:n],
    "signalling": lambda rng, n: objects([Decimal("sNaN"), Decimal(1)] * n)[:n],
    "broken": lambda rng, n: objects(["\ud800", "a"] * n)[:n],
    "lists": lambda rng, n: objects([[1], [2]] * n)[:n],
    "infinite": lambda rng, n: np.full(n, np.inf),
    "complex": lambda rng, n: np.full(n, 1j),
}


def chosen(rng, among):
    """Return one of the functions by name."""
    return among[list(among)[rng.integers(len(among))]]


def random_column(rng, n):
    """Return one column of a random kind."""
    cells = chosen(rng, REFUSED if rng.random() < 0.008 else COLUMNS)(rng, n)
    column = pd.Series(cells)
    if rng.random() < 0.2 and column.dtype != bool and not isinstance(column.dtype, pd.SparseDtype):
        with contextlib.suppress(ValueError, TypeError, ArithmeticError):  # whatever pandas cannot mask
            column = column.mask(rng.random(n) < rng.random() * 0.5)
    return column.reset_index(drop=True)


LABELS = {
    "words": lambda rng, y: np.array(WORDS)[y],
    "whole": lambda rng, y: y,
    "int8": lambda rng, y: y.astype(np.int8),
    "booleans": lambda rng, y: y > 0,
    "whole floats": lambda rng, y: y * 1.0,
    "measured": lambda rng, y: y * 1.5,
    "objects": lambda rng, y: np.array(y.tolist(), dtype=object),
    "object words": lambda rng, y: np.array([WORDS[code] for code in y], dtype=object),
    "object booleans": lambda rng, y: np.array((y > 0).tolist(), dtype=object),
    "large": lambda rng, y: np.array([10**18 + code for code in y.tolist()], dtype=object),
    "huge": lambda rng, y: np.array([10**400 + code for code in y.tolist()], dtype=object),
    "Int64": lambda rng, y: pd.array(y.tolist(), dtype="Int64"),
    "Int64 with a gap": lambda rng, y: pd.array([pd.NA, *y.tolist()[1:]], dtype="Int64"),
    "boolean": lambda rng, y: pd.array((y > 0).tolist(), dtype="boolean"),
    "string": lambda rng, y: pd.array([WORDS[code] for code in y], dtype="string"),
    "mixed": lambda rng, y: np.array([code if code else "none" for code in y.tolist()], dtype=object),
    "categories": lambda rng, y: pd.Categorical.from_codes(y, ["f", "e", "d", "c", "b", "never"]),
    "number categories": lambda rng, y: pd.Categorical(y, range(7)),
    "dates": lambda rng, y: pd.to_datetime("2020-01-01") + pd.to_timedelta(y, unit="D"),
    "decimals": lambda rng, y: np.array([Decimal(code) for code in y.tolist()], dtype=object),
    "broken": lambda rng, y: np.array(["\ud800", "a", "b", "c", "d"], dtype=object)[y],
}
PLAIN = ("words", "whole", "objects", "object words", "categories", "booleans", "string", "Int64")


def random_names(rng, d):
    """Return the names of the columns; most tables have plain ones."""
    kind = rng.random()
    if kind < 0.6:
        return [f"x{i}" for i in range(d)]
    if kind < 0.9:
        return pd.Index(rng.permutation(np.array(NAMES, dtype=object))[:d], dtype=object)
    if kind < 0.93:
        return ["same"] * d
    if kind < 0.97:
        return list(range(d))
    return pd.MultiIndex.from_tuples([("group", i) for i in range(d)])


def random_labels(rng, n):
    k = int(rng.integers(2, 6))
    y = np.arange(n) % k if rng.random() < 0.6 else rng.integers(0, k, n)
    if rng.random() < 0.15:
        y = np.minimum(y, 1)
        y[:] = 0
        y[-1] = 1  # a class with one row
    kind = PLAIN[rng.integers(len(PLAIN))] if rng.random() < 0.8 else list(LABELS)[rng.integers(len(LABELS))]
    found = LABELS[kind](rng, y)
    as_it_is = object if isinstance(found, np.ndarray) and found.dtype.kind == "O" else None
    return pd.Series(found, dtype=as_it_is, name=rng.choice(["class", "outcome", "x0", "a\u2028b"]))


def random_table(rng):
    """Return attributes and classes."""
    n = int(rng.integers(1, 5)) if rng.random() < 0.1 else int(rng.integers(4, 120))
    d = int(rng.integers(1, 9))
    X = pd.concat([random_column(rng, n) for _ in range(d)], axis=1)
    X.columns = random_names(rng, d)
    return X, random_labels(rng, n)


def as_given(rng, X, y):
    """Return a table in one of the forms in which it can be given."""
    if rng.random() < 0.8:
        return X, y
    form = rng.integers(4)
    if form == 0:
        return X.to_numpy(), y.to_numpy()
    if form == 1:
        return X.to_numpy().tolist(), list(y)
    if form == 2:
        import scipy.sparse

        return scipy.sparse.csr_matrix(np.eye(len(X), 3)), y
    import polars

    try:
        return polars.from_pandas(X), y
    except Exception:  # noqa: BLE001 (a table that polars cannot hold)
        return X, y


def random_model(rng):
    """Return an untrained model with random choices among those it offers."""
    kind = pnb.MODELS[rng.integers(len(pnb.MODELS))]
    parameters = {}
    for option in kind.about.options:
        if option.choices and rng.random() < 0.4:
            parameters |= option.choices[rng.integers(len(option.choices))].parameters
    if kind.about.has_parameter("n_bins") and rng.random() < 0.1:
        parameters["n_bins"] = int(rng.choice([2, 3, 255, 300]))
    return kind(**parameters)


def some_rows(X, rows):
    return (
        X.iloc[rows] if hasattr(X, "iloc") else X[rows] if not isinstance(X, list) else [X[i] for i in rows]
    )


def fitted(rng, model, X, y):
    """Learn in one of the ways that the model has."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    halves = np.arange(n)[: n // 2 + 1], np.arange(n)[n // 2 + 1 :]
    way = rng.choice(["fit", "fit", "weights", "batches", "one by one", "counts", "further", "frames"])
    plain = isinstance(X, pd.DataFrame | np.ndarray)
    if way == "weights" and "sample_weight" in inspect.signature(type(model).fit).parameters:
        return model.fit(X, y, sample_weight=rng.choice([rng.random(n), rng.integers(0, 3, n)]))
    if way == "frames" and hasattr(model, "fit_batches"):
        return model.fit_batches([[X, X], [(X, y, y)], X][rng.integers(3)])
    if way == "batches" and plain and hasattr(model, "fit_batches"):
        batches = [(some_rows(X, half), some_rows(y, half)) for half in halves if len(half)]
        return model.fit_batches(batches, bins=str(rng.choice(["pass", "first"])))
    if way == "one by one" and plain and hasattr(model, "partial_fit"):
        classes = encode_target(y)[0]
        for half in halves:
            if len(half):
                model.partial_fit(some_rows(X, half), some_rows(y, half), classes=classes)
        return model
    if way == "counts" and plain and hasattr(model, "fit_counts"):
        return model.fit_counts(pnb.count_table(X, y))
    model.fit(X, y)
    if way == "further" and plain and hasattr(model, "partial_fit"):
        model.partial_fit(X, y)
    return model


def is_distribution(found):
    return bool(
        np.isfinite(found).all() and (found >= 0).all() and np.abs(found.sum(axis=1) - 1).max() < 1e-9
    )


def check(good, what):
    if not good:
        raise AssertionError(what)


def numbers_of(table):
    """Return the numbers of a table of results that must be finite."""
    return table.select_dtypes("number").drop(columns=["low", "high", "kl"], errors="ignore").to_numpy(float)


def finite(table, what, gaps=False):
    cells = numbers_of(table)
    check(not np.isinf(cells).any() and (gaps or not np.isnan(cells).any()), what)


class Asked:
    """What a journey has in its hands: a trained model, its rows, and one case."""

    def __init__(self, rng, model, X, y):
        self.rng, self.model, self.X, self.y = rng, model, X, y
        self.frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=model.attribute_names_)
        self.row = self.frame.iloc[[int(rng.integers(len(self.frame)))]]
        values = [self.row.iloc[0, place] for place in range(self.row.shape[1])]  # each of its own kind
        cells = dict(zip(model.attribute_names_, values, strict=True))
        known = rng.permutation(len(cells))[: rng.integers(0, len(cells) + 1)]
        self.given = {name: cells[name] for place, name in enumerate(cells) if place in known}
        if self.given and rng.random() < 0.1:
            odd = [
                10**400,
                "\ud800",
                pd.NA,
                Decimal("sNaN"),
                float("inf"),
                [1],
                pnb.above(0),
                pnb.not_("a"),
                b"x",
            ]
            self.given[next(iter(self.given))] = odd[rng.integers(len(odd))]
        self.target = model.structure_.target

    def other_order(self):
        order = self.rng.permutation(len(self.frame))
        found, again = self.model.predict_proba(self.frame), self.model.predict_proba(self.frame.iloc[order])
        check(np.abs(again - found[order]).max() < 1e-9, "another order of rows, other probabilities")

    def gaps(self):
        hidden = self.frame.copy()
        for place in range(hidden.shape[1]):
            if self.rng.random() < 0.5:
                cells = list(hidden.iloc[:, place])
                gone = self.rng.random(len(cells)) < 0.5
                hidden.isetitem(
                    place, objects([None if g else c for g, c in zip(gone, cells, strict=True)]).array
                )
        check(is_distribution(self.model.predict_proba(hidden)), "probabilities of rows with gaps")

    def score(self):
        check(0 <= self.model.score(self.X, self.y) <= 1, "a score")

    def explain(self):
        check(str(self.model.explain(self.row)), "an explanation without text")

    def explain_given(self):
        check(str(self.model.explain(self.given)), "an explanation without text")

    def query(self):
        answer = self.model.query(self.target, given=self.given, X=self.X)
        check(abs(answer["probability"].sum() - 1) < 1e-9, "an answer does not sum to one")

    def query_attribute(self):
        name = self.model.attribute_names_[0]
        given = {key: value for key, value in self.given.items() if key != name}
        answer = self.model.query([name, self.target], given=given)
        check(abs(answer["probability"].sum() - 1) < 1e-9, "an answer does not sum to one")

    def map_query(self):
        self.model.map_query(given=self.given)

    def next_best(self):
        finite(self.model.next_best(self.given, X=self.X), "what to measure next")

    def next_best_ahead(self):
        self.model.next_best(self.given, X=self.X, ahead=2)

    def sample(self):
        if hasattr(self.model, "sample"):
            check(len(self.model.sample(7, random_state=0)) == 7, "as many rows as asked for")

    def credible_interval(self):
        finite(self.model.credible_interval(self.given), "intervals")

    def growth(self):
        for view in self.model.growth_views(True)[:2]:
            page = pnb.growth(self.model, view, X=self.X, y=self.y)
            check("NaN" not in json.dumps(page.play(), default=str), "a number that JSON does not have")
            page.to_html(), page.to_frame()

    def picture(self):
        self.model.structure_.to_dot()
        self.model._repr_html_()

    def json(self):
        json.loads(self.model.structure_.to_json(), parse_constant=check)

    def exports(self):
        ending = self.rng.choice(["json", "graphml", "svg", "dot", *FORMATS])
        for content in self.model.exported(f"m.{ending}").values():
            check(len(content) > 0, "an empty file")

    def described(self):
        self.model.headlines(), self.model.importance_
        repr(self.model), str(self.model.missing_)

    def pickled(self):
        again = pickle.loads(pickle.dumps(self.model))
        check((again.predict_proba(self.X) == self.model.predict_proba(self.X)).all(), "a pickle differs")
        copy.deepcopy(self.model)

    def saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.pgmnb"
            self.model.save(path)
            found = pnb.load(path).predict_proba(self.X)
        check((found == self.model.predict_proba(self.X)).all(), "a saved model predicts otherwise")

    def pgmpy(self):
        self.model.to_pgmpy(row=self.row)

    def cases(self):
        pnb.cases(self.model, self.X, self.y, cv=2)

    def importance(self):
        finite(pnb.importance(self.model, self.X, self.y, cv=2), "importance")

    def redundancy(self):
        pnb.redundancy(self.model, self.X, self.y, cv=2)

    def curve(self):
        pnb.importance_curve(self.model, self.X, self.y, cv=2)

    def keep_only(self):
        pnb.keep_only(self.model, self.X, self.y, self.model.attribute_names_[:1], cv=2)

    def decisions(self):
        found = pnb.decisions(self.model, self.X, self.y, cv=2)
        json.dumps(found.to_dict(), allow_nan=False)
        found.per_class(), found.to_frame()

    def decide(self):
        k = len(self.model.classes_)
        labels = self.model.classes_.tolist()
        self.model.decide(self.X, pd.DataFrame(1.0 - np.eye(k), index=labels, columns=labels))

    def compare(self):
        pnb.compare([self.model], self.X, self.y, cv=2).to_frame()

    def calibration(self):
        pnb.calibration(self.model, self.X, self.y, cv=2)

    def rows_behind(self):
        rows = pnb.rows_behind(self.model, self.X, self.y)
        str(rows.support(self.given))
        pnb.how_sure(self.model, self.given, rows)

    def question_tree(self):
        str(pnb.question_tree(self.model, self.X, self.y, max_questions=2, folds=2))

    def alike(self):
        pnb.most_alike(self.model, self.X, self.row)

    def edges(self):
        pnb.edge_tests(self.model, self.X, self.y)

    def stability(self):
        pnb.edge_stability(self.model, self.X, self.y, n_bootstrap=2)

    def sensitivity(self):
        pnb.parameter_sensitivity(self.model, self.given)

    def case_analysis(self):
        case = pnb.CaseAnalysis.of(self.model, self.X)
        pnb.tornado(case, self.given)
        pnb.what_changes(case, self.given)

    def report(self):
        page = pnb.report(self.model, self.X, self.y, folds=int(self.rng.choice([0, 2])))
        page.encode()

    def report_later(self):
        origin = Origin("a\u2028.csv", str(self.target))
        pnb.report(self.model, self.X, self.y, folds=0, origin=origin, case=len(self.frame)).encode()

    def more_rows(self):
        if hasattr(self.model, "partial_fit"):
            self.model.partial_fit(self.X, self.y)
            check(is_distribution(self.model.predict_proba(self.X)), "probabilities after more rows")
            self.explain()
            self.saved()


SLOW = ("report", "report_later", "importance", "redundancy", "curve", "keep_only", "stability", "edges")
QUESTIONS = [name for name in vars(Asked) if not name.startswith("_")]


def journey(seed):
    """Go one way through the library; returns what kind of end it had."""
    rng = np.random.default_rng([seed, 1])
    X, y = as_given(rng, *random_table(rng))
    model = random_model(rng)
    try:
        fitted(rng, model, X, y)
        found = model.predict_proba(X)
    except PgmNbError:
        return "refused"
    except (ValueError, TypeError) as problem:
        if "sklearn" in traceback.extract_tb(problem.__traceback__)[-1].filename:
            return "refused"  # its contract for tables and labels
        raise
    check(is_distribution(found), "probabilities of training rows")
    asked, refused = Asked(rng, model, X, y), 0
    for question in rng.permutation(QUESTIONS)[:12].tolist():
        if question in SLOW and rng.random() < 0.6:
            continue
        try:
            getattr(asked, question)()
        except PgmNbError:
            refused += 1
        except BaseException as problem:
            problem.add_note(f"in {question} of {type(model).__name__}")
            raise
    return "some questions refused" if refused else "answered"


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
    from pgm_nb.data.excerpt import read_portion

    rng = np.random.default_rng([seed, 2])
    if rng.random() < 0.5:
        try:
            name, content = table_files(rng)
        except Exception:  # noqa: BLE001 (whatever a writer of files raises)
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
            warnings.simplefilter("ignore")  # what is said aloud is meant
            warnings.simplefilter("error", RuntimeWarning)
            return kind, seed, CASES[kind](seed), None
    except BaseException as problem:  # noqa: BLE001 (whatever it is, it is a finding)
        own = [frame for frame in traceback.extract_tb(problem.__traceback__) if "pgm_nb" in frame.filename]
        place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        notes = "".join(f" {note}" for note in getattr(problem, "__notes__", ()))
        return kind, seed, "FAILED", f"{type(problem).__name__} at {place}{notes}: {str(problem)[:200]}"
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
