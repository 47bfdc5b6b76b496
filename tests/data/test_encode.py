import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import Column, Encoder, as_frame, learn_encoder, load_sample
from pgm_nb.data.cuts import readable_cuts
from pgm_nb.errors import DataError


def learn(X, **options):
    return learn_encoder(as_frame(X), None, **options)


def test_wdbc_codes_are_the_golden_ones():
    X, _ = load_sample("wdbc")
    encoder, codes, kept, _ = learn(X, n_bins=5)
    assert (codes.shape, codes.dtype, kept) == ((30, 569), np.uint8, None)
    assert codes.flags.c_contiguous
    # Independent coding with np.quantile and searchsorted: the first row of it, and the digest of all.
    first = [4, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1, 4, 4, 2, 4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 4, 4]
    assert codes[:, 0].tolist() == first
    digest = "dafd8eeb7f7ea099a9ed94357b6bebb0da2f07452affebcdd8a60d20cd9f5297"
    assert hashlib.sha256(codes.tobytes()).hexdigest() == digest
    assert np.array_equal(encoder.encode(X), codes)


def test_bins_are_learned_on_training_rows_only():
    X, _ = load_sample("wine")
    encoder = learn(X.iloc[::2], n_bins=5)[0]
    edges = np.quantile(X.iloc[::2, 0], [0.2, 0.4, 0.6, 0.8])
    assert encoder.columns[0].cuts == readable_cuts(edges, np.sort(X.iloc[::2, 0].to_numpy()))
    assert encoder.encode(X.iloc[1::2]).shape == (13, 89)


def test_unseen_and_missing_are_unknown():
    train = pd.DataFrame({"n": [1, 2, 2], "c": ["x", "y", "x"], "b": [True, False, True]})
    encoder = learn(train)[0]
    test = pd.DataFrame({"n": [2, 3, None], "c": ["y", "z", None], "b": [False, None, None]})
    assert encoder.encode(as_frame(test)).tolist() == [[1, 2, 2], [1, 2, 2], [0, 2, 2]]


def test_missing_seen_at_training_is_a_state_later():
    encoder, codes, _, _ = learn(pd.DataFrame({"n": [1.0, np.nan], "c": ["missing", None]}))
    assert codes.tolist() == [[0, 1], [0, 1]]
    assert encoder.columns[1].labels == ("missing", "missing (2)")
    test = as_frame(pd.DataFrame({"n": [np.nan, 5.0], "c": [None, "missing (2)"]}))
    assert encoder.encode(test).tolist() == [[1, 2], [1, 2]]


def test_an_all_missing_row_fits_any_column():
    encoder = learn(pd.DataFrame({"n": [1.0, 2.0], "c": ["x", "y"], "b": [True, False]}))[0]
    for nothing in (np.nan, None):
        row = as_frame(pd.DataFrame({"n": [nothing], "c": [nothing], "b": [nothing]}))
        assert encoder.encode(row).tolist() == [[2], [2], [2]]


def test_categories_are_matched_by_value_not_by_code():
    train = pd.DataFrame({"size": pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True)})
    encoder = learn(train)[0]
    assert encoder.columns[0].kind == "ordered"
    test = pd.DataFrame({"size": pd.Categorical(["L", "S", "XL", None], ["XL", "L", "S"])})
    assert encoder.encode(test).tolist() == [[2, 0, 3, 3]]
    assert encoder.encode(pd.DataFrame({"size": ["M", "L"]})).tolist() == [[1, 2]]


@pytest.mark.parametrize("missing_state", [False, True])
@pytest.mark.parametrize(
    "declared", [("a", "b", "c"), ("a", "b"), ("a", "b", "c", "d"), ("c", "a", "b"), ("d", "e"), ()]
)
def test_declared_categories_and_their_words_have_the_same_codes(declared, missing_state):
    states = ("a", "b", "c", "missing") if missing_state else ("a", "b", "c")
    encoder = Encoder((Column("x", "categorical", states, missing_state=missing_state),) * 2)
    places = np.arange(300) % (len(declared) + 1) - 1  # -1: an empty cell
    code = {"a": 0, "b": 1, "c": 2, None: 3}
    for chosen in (places, places[places >= 0]):
        cells = pd.Series(pd.Categorical.from_codes(chosen, list(declared)))
        wanted = [code.get(declared[i] if i >= 0 else None, len(states)) for i in chosen]
        for column in (cells, cells.astype(object), cells.astype("str")):
            found = encoder.encode_parts([], {0: column, 1: column}, encoder.index, 2)
            assert found.tolist() == [wanted, wanted]


def test_declared_categories_of_a_column_beside_a_wide_one():
    wide = Column("b", "categorical", tuple(f"v{i:03}" for i in range(300)))
    encoder = Encoder((Column("a", "categorical", ("x", "y")), wide))
    rows = pd.DataFrame({"a": ["x", "y", None, "z"], "b": ["v000", "v299", "v255", None]}, dtype="category")
    codes = encoder.encode(rows)
    assert codes.dtype == np.uint16
    assert codes.tolist() == [[0, 1, 2, 2], [0, 299, 255, 300]]
    assert encoder.encode_as_given(rows).tolist() == codes.tolist()


def test_numeric_categories_in_declared_order():
    encoder, codes, _, _ = learn(pd.DataFrame({"grade": pd.Categorical([1, 3, 2], [3, 1, 2], ordered=True)}))
    assert codes.tolist() == [[1, 0, 2]]
    assert encoder.encode(pd.DataFrame({"grade": [3, 2, 9]})).tolist() == [[0, 2, 3]]


def test_a_numeric_column_given_as_categories():
    encoder = learn(pd.DataFrame({"n": [1.0, 2.0]}))[0]
    assert encoder.encode(pd.DataFrame({"n": pd.Categorical([2, 7, None, 1])})).tolist() == [[1, 2, 2, 0]]


def test_booleans_and_zero_one_are_the_same_values():
    encoder = learn(pd.DataFrame({"ill": [True, False]}))[0]
    assert encoder.encode(pd.DataFrame({"ill": [0, 1, 2]})).tolist() == [[0, 1, 2]]


def test_more_than_254_states_need_two_bytes():
    column = [f"v{i:03}" for i in range(255)]
    encoder, codes, _, _ = learn(pd.DataFrame({"a": column, "b": ["x"] * 255}))
    assert codes.dtype == np.uint16
    assert codes[0].tolist() == list(range(255))
    assert encoder.encode(pd.DataFrame({"a": ["other"], "b": ["x"]})).tolist() == [[255], [0]]
    assert learn(pd.DataFrame({"a": column[:254]}))[1].dtype == np.uint8


def test_a_wide_binned_column_codes_every_bin():
    values = np.arange(400.0)
    encoder, codes, _, _ = learn(pd.DataFrame({"a": values}), n_bins=300)
    assert encoder.cards == (300,)
    assert np.unique(codes).tolist() == list(range(300))


@pytest.mark.parametrize("discretizer", ["quantile", "uniform", None])
def test_json_round_trip(discretizer):
    frame = pd.DataFrame(
        {
            "n": [0.1, 0.2, np.nan, 1e300, 5.0, 6.0, 7.0],
            "i": [3, 1, 2, 1, 1, 1, 1],
            "c": list("abcdefg"),
            "b": [True, None, False, True, True, True, True],
            "o": pd.Categorical([1, 2, 1, 1, 1, 1, 1], [2, 1, 0], ordered=True),
        }
    )
    encoder, codes, _, _ = learn(frame, discretizer=discretizer)
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    assert [column.labels for column in again.columns] == [column.labels for column in encoder.columns]
    assert np.array_equal(again.encode(as_frame(frame)), codes)


def test_renaming_and_reordering_rows_and_columns_changes_nothing_else():
    X, _ = load_sample("heart")
    codes = learn(X)[1]
    shuffled = X.sample(frac=1, random_state=0)
    rows = X.index.get_indexer(shuffled.index)
    assert np.array_equal(learn(shuffled.iloc[:, ::-1])[1], codes[::-1][:, rows])


def test_ten_thousand_categories_are_refused():
    identifiers = pd.DataFrame({"id": [f"patient {i}" for i in range(10_000)]})
    with pytest.raises(DataError, match=r"'id' has 10,000 distinct values; at most 1,000.*identifier"):
        learn(identifiers)


def test_a_number_column_spoilt_by_one_cell_is_pointed_at():
    cells = [str(i) for i in range(2_000)]
    cells[41] = "about 40"
    with pytest.raises(DataError, match="'about 40' in row 42 is text"):
        learn(pd.DataFrame({"age": cells}))


def test_too_many_distinct_numbers_without_a_discretizer():
    with pytest.raises(DataError, match=r"2,000 distinct values; at most 1,000.*discretizer"):
        learn(pd.DataFrame({"age": np.arange(2_000.0)}), discretizer=None)


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ({"age": ["old"], "sex": ["f"]}, "'age' was numeric at training and is text now.*'old'"),
        ({"age": [1.0], "sex": [1.0]}, "'sex' was text at training and is numeric now"),
        ({"Age": [1.0], "sex": ["f"]}, "lacks 'age'.*did you mean 'Age'"),
        ({"age": [1.0]}, "lacks 'sex'"),
        ({"age": [1.0], "sex": ["f"], "id": [1]}, "'id', which the model was not trained on"),
        ({"sex": ["f"], "age": [1.0]}, "same order as in training \\(age, sex\\)"),
    ],
)
def test_a_table_unlike_the_training_table_is_refused(test, sentence):
    encoder = learn(pd.DataFrame({"age": [1.0, 2.0], "sex": ["f", "m"]}))[0]
    with pytest.raises(DataError, match=sentence):
        encoder.encode(as_frame(pd.DataFrame(test)))


def test_columns_are_frozen():
    with pytest.raises(AttributeError):
        Column("a", "numeric", (1,)).name = "b"
