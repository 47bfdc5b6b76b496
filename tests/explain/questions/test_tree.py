"""Question trees: followed by hand, joined branches, errors, pictures."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data import Column
from pgm_nb.errors import QueryError
from pgm_nb.explain.questions.stations import Branch, Limits, Station, grow, simplified, walk

LIMITS = Limits(questions=3, sure=0.97, rare=0.02)


@pytest.fixture(scope="module")
def wdbc():
    X, y = pnb.load_sample("wdbc")
    return X.iloc[:, ::3], y


@pytest.fixture(scope="module")
def model(wdbc):
    return pnb.GeneralizedNaiveBayes(
        parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=4
    ).fit(*wdbc)


def by_hand(model, given, left, reach, **options):
    """Follow `next_best`, one question after the other; yields answers as (given, class, reach)."""
    posterior = model.query(model.structure_.target, given)["probability"].to_numpy()
    found = model.next_best(given, **options)
    worth = found["worth"].any() if "worth" in found else found["information"].iloc[0] > 1e-9
    if left == 0 or posterior.max() >= LIMITS.sure or reach < LIMITS.rare or not worth:
        yield given, posterior, reach
        return
    name = found["attribute"][0]
    for state, chance in model.query(name, given).itertuples(index=False):
        yield from by_hand(model, {**given, name: state}, left - 1, reach * chance, **options)


def answers(station, given):
    if station.column is None:
        yield given, station.posterior, station.reach
    for branch in station.branches:
        yield from answers(
            branch.station, {**given, station.column.name: station.column.labels[branch.states[0]]}
        )


@pytest.mark.parametrize(
    "options", [{}, {"cost": {"worst concave points": 9, "mean area": 0.2}, "least": 0.02}]
)
def test_the_tree_is_next_best_followed_by_hand(model, options):
    grown = grow(model.prospects(), model.measuring_rule(**options), LIMITS)
    expected, found = list(by_hand(model, {}, 3, 1.0, **options)), list(answers(grown, {}))
    assert len(expected) > 20
    assert [given for given, _, _ in found] == [given for given, _, _ in expected]
    for (_, posterior, reach), (_, posterior_by_hand, reach_by_hand) in zip(found, expected, strict=True):
        np.testing.assert_allclose(posterior, posterior_by_hand, atol=1e-9)
        assert reach == pytest.approx(reach_by_hand, abs=1e-9)


def test_joining_branches_changes_no_decision(model, wdbc):
    grown = grow(model.prospects(), model.measuring_rule(), LIMITS)
    small = simplified(grown)
    trees = [pnb.question_tree(model, max_questions=3, sure=0.97)]
    trees += [type(trees[0])(root, "class", ("benign", "malignant")) for root in (grown, small)]
    assert trees[0].text() == trees[2].text()
    decided = [np.array([s.decision for s in tree.stations])[tree.follow(wdbc[0])] for tree in trees[1:]]
    np.testing.assert_array_equal(*decided)
    assert len(trees[2].stations) < len(trees[1].stations) / 2
    assert trees[2].error == pytest.approx(trees[1].error, abs=1e-12)
    assert trees[2].to_frame()["reached"].sum() == pytest.approx(1, abs=1e-12)
    for station, _ in walk(small):  # no question with one way only, no neighbours alike
        assert len(station.branches) != 1
        ends = [b.station.decision if b.station.column is None else None for b in station.branches]
        assert all(a is None or a != b for a, b in pairwise(ends))


@pytest.mark.parametrize(("costs", "decided"), [(None, 1), (np.array([[0.0, 3.0], [1.0, 0.0]]), 0)])
def test_questions_that_were_joined_name_the_class_to_decide_for_there(costs, decided):
    dose, sex = (Column(name, "categorical", ("a", "b")) for name in ("dose", "sex"))

    def asking(reach, share):  # about the dose, with both classes as answers
        ends = [Station(reach / 2, np.array([p, 1 - p]), int(p < 0.5)) for p in (share + 0.3, share - 0.3)]
        ways = tuple(Branch((state,), end) for state, end in enumerate(ends))
        return Station(reach, np.array([share, 1 - share]), int(share < 0.5), dose, None, ways)

    asked = (Branch((0,), asking(0.25, 0.6)), Branch((1,), asking(0.75, 0.4)))
    small = simplified(Station(1.0, np.array([0.45, 0.55]), 1, sex, None, asked), costs)
    assert small.column is dose  # what the sex is changes nothing
    np.testing.assert_allclose(small.posterior, [0.45, 0.55])  # 0.25 * 0.6 + 0.75 * 0.4
    assert small.decision == decided  # 0.55 * 1 is less than 0.45 * 3
    assert [branch.station.decision for branch in small.branches] == [0, 1]


def test_the_error_under_the_model_by_enumeration():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame(
        {
            name: ((y + (rng.random(300) < p)) % 2).astype(str)
            for name, p in zip("abc", (0.2, 0.3, 0.4), strict=True)
        }
    )
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, pd.Series(y, name="y"))
    tree = pnb.question_tree(model, max_questions=3, sure=None, rare=0)
    grid = pd.DataFrame(np.indices((2, 2, 2)).reshape(3, -1).T.astype(str), columns=list("abc"))
    joint = np.exp(model.predict_joint_log_proba(grid))
    assert tree.error == pytest.approx(1 - joint.max(axis=1).sum(), abs=1e-9)  # everything can be asked


def test_rows_left_out(model, wdbc):
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    X, y = wdbc
    found = pnb.question_tree(model, X, y, max_questions=2, folds=3).held_out
    wrong = 0
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        tree = pnb.question_tree(clone(model).fit(X.iloc[train], y.iloc[train]), max_questions=2)
        wrong += (model.classes_[tree.predict_proba(X.iloc[test]).argmax(axis=1)] != y.iloc[test]).sum()
    assert (found.n_rows, found.folds) == (569, 3)
    assert found.error == pytest.approx(wrong / 569, abs=0.02)  # other folds, by another seed
    assert found.model_error < found.error < 0.2
    assert 1 <= found.questions <= 2
    assert found.price == found.questions  # everything costs 1


def test_a_row_without_an_answer_ends_at_the_question(model, wdbc):
    tree = pnb.question_tree(model)
    rows = wdbc[0].head(3).copy()
    rows[tree.root.column.name] = np.nan
    assert tree.follow(rows).tolist() == [0, 0, 0]
    np.testing.assert_allclose(tree.predict_proba(rows), np.tile(tree.root.posterior, (3, 1)))


def test_prices_and_groups(model):
    assert pnb.question_tree(model, cost=100.0, least=0.01).root.column is None  # nothing is worth it
    names = list(model.attribute_names_)
    tree = pnb.question_tree(model, cost={"lab": 5, names[0]: 50}, groups={"lab": names[1:]}, rare=0)
    first = tree.root.purchase
    assert (first.name, first.price) == ("lab", 5.0)
    later = [s.purchase for s in tree.stations[1:] if s.column is not None and s.column.name != names[0]]
    assert later
    assert not any(later)  # paid for once
    assert tree.price == pytest.approx(
        5 + 50 * sum(s.reach for s in tree.stations if s.column and s.column.name == names[0])
    )


def test_decisions_of_least_cost(model):
    tree = pnb.question_tree(
        model, max_questions=2, costs={"miss": 50, "false alarm": 1}, label="malignant", least=0.0
    )
    ends = [s for s in tree.stations if s.column is None]
    assert {s.decision for s in ends} == {0, 1}
    assert all((s.posterior[1] > 1 / 51) == (s.decision == 1) for s in ends)


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_has_one(kind):
    X, y = pnb.load_sample("iris")
    model = kind(n_bins=5) if kind.about.has_parameter("n_bins") else kind()
    tree = pnb.question_tree(model.fit(X, y), X, y, max_questions=2, folds=2)
    assert tree.held_out.error < 0.25
    too_even = kind is pnb.MultinomialNaiveBayes  # of two measurements alone
    assert tree.error < (0.5 if too_even else 0.25)
    assert tree.draw("svg").startswith(b"<svg")


def test_words_with_gaps():
    X = pd.DataFrame({"colour": ["red", "blue", "green", None] * 30, "size": ["s", "l"] * 60})
    y = pd.Series(np.where(X["colour"].isna() | (X["colour"] == "red"), "yes", "no"), name="y")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    tree = pnb.question_tree(model)
    assert tree.text().splitlines()[0] == "colour?"
    assert str(tree) == tree.text()
    assert [line.split(":")[0].strip() for line in tree.text().splitlines()[1:]] == [
        "blue, green",
        "red or missing",
    ]


def test_pictures(model, tmp_path):
    tree = pnb.question_tree(model, max_questions=2)
    for ending in ("svg", "pdf", "png", "dot"):
        tree.save(tmp_path / f"tree.{ending}")
        assert (tmp_path / f"tree.{ending}").stat().st_size > 500
    said = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    assert "of 100 cases end here" in said
    assert "expected to get the wrong class" in said
    assert "#0072b2" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_questions": 0}, "max_questions must be"),
        ({"sure": 1.5}, "sure must be"),
        ({"rare": 1}, "rare must be"),
    ],
)
def test_what_makes_no_tree(model, options, said):
    with pytest.raises(QueryError, match=said):
        pnb.question_tree(model, **options)


def test_an_error_on_rows_needs_all_of_them(model, wdbc):
    with pytest.raises(QueryError, match="leave y out, or given"):
        pnb.question_tree(model, *wdbc, given={"mean radius": 12.0})
    assert pnb.question_tree(model, given={"mean radius": 12.0}).given == ("mean radius: 12.0",)
