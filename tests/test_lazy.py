"""Values that are computed when they are first asked for, and the models that put them off."""

import pickle
from threading import Thread

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.information import information, joint_entropy
from pgm_nb.lazy import Later


def test_it_is_computed_once_also_by_many_threads():
    calls = []

    def compute():
        calls.append(1)
        return len(calls)

    found = Later(compute)
    threads = [Thread(target=lambda: found.value) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.value == 1
    assert calls == [1]


def test_a_failure_is_not_kept():
    answers = iter([ValueError("not yet"), 5])

    def compute():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = Later(compute)
    with pytest.raises(ValueError, match="not yet"):
        _ = found.value
    assert found.value == 5


@pytest.mark.parametrize("model", [pnb.NaiveBayes(), pnb.TreeAugmentedNaiveBayes()])
def test_fit_and_predict_do_not_compute_the_divergence(model, tmp_path):
    X, y = pnb.load_sample("iris")
    model.fit(X, y)
    model.predict_proba(X)
    model.explain(X.iloc[0])
    later = model.learned_.divergence
    assert not later.is_known

    rows = model.code_table(X, y)
    info = information(count(rows.codes, rows.y, rows.encoder.cards, 3))
    joint = joint_entropy(rows.codes, rows.y, rows.encoder.cards)
    by_hand = model._divergence(info, joint, model.structure_, rows.encoder.names)

    again = pickle.loads(pickle.dumps(model))  # holds the number, not the rows
    assert again.learned_.divergence.is_known
    assert again.divergence_ == by_hand
    model.save(tmp_path / "model.pgmnb")
    assert pnb.load(tmp_path / "model.pgmnb").divergence_ == by_hand
    assert later.is_known
    assert model.divergence_ == by_hand
    assert model.empty_as("unknown").divergence_ is model.divergence_


def test_naive_bayes_counts_no_pairs():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 900, (2_000, 60)), rng.integers(0, 2, 2_000)
    model = pnb.NaiveBayes(discretizer=None, smoothing=1.0).fit(X, y)  # the tables of its pairs have 11 GB
    assert model.predict(X[:3]).shape == (3,)
    assert not model.learned_.divergence.is_known
