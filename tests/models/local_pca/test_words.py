import numpy as np
import pandas as pd
import pytest

from pgm_nb.models.local_pca.model import WordNumbers, word_scores


def test_two_classes_order_words_by_the_class():
    counts = np.array([[40.0, 5.0, 20.0], [10.0, 30.0, 20.0]])
    scores = word_scores(counts)
    given = (counts[1] + counts[1].sum() / counts.sum()) / (counts.sum(axis=0) + 1)
    spread = given - np.average(given, weights=counts.sum(axis=0))
    unit = np.sqrt(np.average(spread**2, weights=counts.sum(axis=0)))
    np.testing.assert_allclose(scores, spread / unit, atol=1e-12)


def test_mean_zero_and_variance_one_over_the_rows():
    counts = np.random.default_rng(0).integers(0, 40, (4, 6)).astype(float)
    scores, rows = word_scores(counts), counts.sum(axis=0)
    assert np.average(scores, weights=rows) == pytest.approx(0, abs=1e-12)
    assert np.average(scores**2, weights=rows) == pytest.approx(1, abs=1e-12)


def test_no_other_numbers_separate_three_classes_better():
    """On many rows, where the imaginary ones weigh nothing, beside random directions."""
    rng = np.random.default_rng(1)
    counts = 1e6 * rng.random((3, 5))
    shares, rows = counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()

    def between(scores):
        scores = scores - rows @ scores
        means = shares @ (scores / np.sqrt(rows @ scores**2))
        return float(counts.sum(axis=1) / counts.sum() @ means**2)

    best = between(word_scores(counts))
    assert best >= max(between(rng.normal(size=5)) for _ in range(3000)) - 1e-9


@pytest.mark.parametrize("counts", [np.array([[3.0], [4.0]]), np.zeros((2, 3)), np.full((2, 3), 4.0)])
def test_words_that_say_nothing_are_zero(counts):
    assert not word_scores(counts).any()


def test_a_class_without_rows():
    found = word_scores(np.array([[30.0, 0.0], [0.0, 0.0], [0.0, 10.0]]))
    np.testing.assert_allclose(found, word_scores(np.array([[30.0, 0.0], [0.0, 10.0]])), atol=1e-12)


def test_round_trip_and_order_of_columns():
    frame = pd.DataFrame({"b": ["x", "y", None, "x"], "n": [1.0, 2.0, np.nan, 4.0], "a": list("ppqq")})
    words = WordNumbers.learn(frame, np.array([0, 1, 0, 1]), 2)
    again = WordNumbers.from_dict(words.to_dict())
    np.testing.assert_array_equal(again.cells(frame), words.cells(frame))
    cells = words.cells(frame)
    assert np.isnan(cells[2, :2]).all()
    assert cells[0, 0] == cells[3, 0]
    assert cells[0, 1] == 1.0
