"""The steps of training for the class, one by one: each against the same sum written out again."""

from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.engine.sums import terms as forest_terms
from pgm_nb.tables.factors import estimate
from pgm_nb.tables.families import families
from pgm_nb.training import class_trained
from pgm_nb.training import class_trained as training_rows
from pgm_nb.training.class_parameters import class_scores
from pgm_nb.training.class_trained import fit_class_parameters, hide, recount, some_of, sorted_rows
from pgm_nb.training.conditional import CellSearch, Weights, fit_weights

CARDS, K = (2, 3, 4, 3), 3
TREE = np.array([-1, 0, 1, -1])


def smoothed(counts):
    return estimate(counts, 1.0)


def sample(d=4, n=240, others=False):
    """Attributes that say much about the class, and the counts of a tree over them."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, K, n)
    wrong = rng.integers(0, 12, (d, n))
    codes = np.array(
        [np.where(rng.random(n) < 0.7, y, wrong[i]) % CARDS[i] for i in range(d)], dtype=np.uint8
    )
    counts = count(codes, y, CARDS[:d], K)
    if not others:
        return families(counts, range(d), TREE[:d]), codes, y
    together = np.zeros((K, *CARDS[:3]), dtype=int)
    np.add.at(together, (y, *codes[:3]), 1)
    return families(counts, range(d), np.array([-1, 0, 0, -1]), {2: [1]}, {2: together}), codes, y


def search_of(**choices):
    counted, codes, y = sample(**choices)
    return class_trained._Search(counted, codes, y, smoothed, [0] * len(counted.tables))


def softmax(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def last(tried):
    return tried[-1]


def test_recounting_with_as_many_states_as_there_are():
    for others in (False, True):
        counted, codes, y = sample(others=others)
        part = np.arange(len(y)) % 2
        classes, *tables = recount(counted, codes, y, part, 2)
        for p in (0, 1):
            here = part == p
            np.testing.assert_array_equal(classes[p], np.bincount(y[here], minlength=K))
            for i, (mothers, found) in enumerate(zip(counted.given, tables, strict=True)):
                expected = np.zeros((K, *(CARDS[m] for m in mothers), CARDS[i]), dtype=int)
                np.add.at(expected, (y[here], *(codes[m, here] for m in mothers), codes[i, here]), 1)
                np.testing.assert_array_equal(found[p], expected)


def test_tables_without_a_fold_are_counts_that_add_up():
    seen = []

    def watched(counted):
        seen.append(counted)
        return smoothed(counted)

    counted, codes, y = sample()
    search = class_trained._Search(counted, codes, y, watched, [0] * 4)
    search.without(1, 3)
    np.testing.assert_array_equal(seen[-1].y, np.bincount(y[~np.isin(search.fold, [1, 3])], minlength=K))
    seen[-1].check()


def test_folds_learned_side_by_side_give_the_same_digits(monkeypatch):
    counted, codes, y = sample(n=1200)
    threads, started = class_trained.in_threads, []

    def watched(task, work, n_threads):
        started.append(n_threads)
        threads(task, np.full(len(work), 1e9), n_threads)

    monkeypatch.setattr(class_trained, "in_threads", watched)
    one = fit_class_parameters(counted, codes, y, smoothed)
    assert set(started) == {1}  # there is little to learn from
    monkeypatch.setattr(class_trained, "SIDE_BY_SIDE", 0)
    monkeypatch.setattr(class_trained, "thread_count", lambda n: 3)
    other = fit_class_parameters(counted, codes, y, smoothed)
    assert started[-1] == 3
    assert other.path == one.path
    for a, b in zip(
        (one.weights, one.bias, *one.cells), (other.weights, other.bias, *other.cells), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_of_many_rows_few_choose_and_all_learn_what_is_kept(monkeypatch):
    counted, codes, y = sample(n=1200)
    monkeypatch.setattr(class_trained, "choose", last)
    monkeypatch.setattr(class_trained, "STRENGTHS", (1.0,))
    sizes, begun_with = [], CellSearch.__init__

    def watched(self, rows, offset, y, *rest):
        sizes.append(len(y))
        begun_with(self, rows, offset, y, *rest)

    monkeypatch.setattr(CellSearch, "__init__", watched)
    fit_class_parameters(counted, codes, y, smoothed)
    assert sizes == [960] * 5 + [1200]
    sizes.clear()
    monkeypatch.setattr(class_trained, "MOST_ROWS", 1000)
    monkeypatch.setattr(class_trained, "FEW_OF_MANY", 500)
    fit_class_parameters(counted, codes, y, smoothed)
    assert len(sizes) == 6
    assert sizes[-1] == 1000
    assert all(350 < size < 450 for size in sizes[:-1])  # of 500 without a fifth


def test_cells_that_few_rows_chose_vary_less_when_all_have_learned_them(monkeypatch):
    counted, codes, y = sample(n=2000)
    seen = []
    monkeypatch.setattr(class_trained, "training_spread", lambda *given: seen.append(given[0]) or 1.0)
    weights, rng = Weights(np.ones(4), np.zeros(K), True), np.random.default_rng(8)
    for few in (2000, 500):
        effort = class_trained._Effort(few=few)
        search = class_trained._Search(counted, codes, y, smoothed, [0] * 4, effort)
        thetas = [rng.normal(size=(search.layout.size, K)) * 1e6 for _ in search.tried]  # nothing else counts
        _ = search.stretch(search.layout.rows(codes), thetas, weights, thetas[0]).value
    spread = [np.var(np.array(found), axis=0).mean() for found in seen]
    assert spread[1] == pytest.approx(spread[0] / 4, rel=0.3)


def test_rows_are_drawn_once():
    assert len(set(some_of(np.arange(1000), 900).tolist())) == 900
    assert some_of(np.arange(5), 5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("most", [1 << 62, 40, 5])  # one number, some, and one per column
def test_rows_are_sorted_as_by_their_columns(monkeypatch, most):
    monkeypatch.setattr(training_rows, "MOST_KEY", most)
    rng = np.random.default_rng(0)
    cards = (3, 2, 4, 2)
    codes = np.array([rng.integers(0, card + 1, 60) for card in cards], dtype=np.uint8)  # some unknown
    y = rng.integers(0, 3, 60)
    np.testing.assert_array_equal(sorted_rows(codes, cards, y), np.lexsort([y, *codes[::-1]]))


def test_rows_left_out_are_scored_with_the_cells_learned_without_them():
    search = search_of()
    rows = search.layout.rows(search.codes)
    offsets = [np.random.default_rng(f).normal(size=(len(search.y), K)) for f in search.tried]
    steps = search.free_cells(rows, offsets)
    assert steps[0].strength == class_trained.STRENGTHS[0]
    for step in steps:
        scores = np.empty((len(search.y), K))
        for f, theta in zip(search.tried, step.thetas, strict=True):
            _, cells = search.layout.tables(theta)
            for row in np.flatnonzero(search.fold == f):
                x = search.codes[:, row]
                scores[row] = offsets[f][row]
                for i, mothers in enumerate(search.families.given):
                    scores[row] += cells[i][(slice(None), *x[list(mothers)], x[i])]
        expected = -np.log2(softmax(scores)[np.arange(len(search.y)), search.y])
        np.testing.assert_allclose(step.losses, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("before", "path", "steps"),
    [
        ((), [1.0, 0.9, 0.905, 0.89, 0.95, 0.8], 5),  # 0.95 is more than 1.01 times 0.89
        ((), [1.0, 0.9, 0.905, 0.906, 0.8], 4),  # it has risen twice
        ((2.0, 1.0), [1.001, 1.002, 0.9], 2),  # ... the first time above what was tried before
        ((1.0, 1.001), [1.002, 0.9], 1),
        ((2.0, 1.0), [1.001, 1.0005, 1.0008, 1.001, 0.9], 4),
    ],
)
def test_cells_are_freed_until_the_loss_has_risen(monkeypatch, before, path, steps):
    search = search_of()
    tried, losses = [class_trained._Step("before", np.array([loss]), []) for loss in before], iter(path)
    monkeypatch.setattr(search, "losses", lambda scores: np.array([next(losses)]))
    rows = search.layout.rows(search.codes)
    found = search.free_cells(rows, [np.zeros((len(search.y), K))] * len(search.tried), tried)
    assert [step.loss for step in found] == path[:steps]


@pytest.mark.parametrize(("others", "short", "freed"), [(True, 1, False), (True, 0, True), (False, 1, True)])
def test_too_many_cells_of_large_clusters_are_not_learned(monkeypatch, others, short, freed):
    search = search_of(others=others)
    monkeypatch.setattr(class_trained, "MOST_NUMBERS", search.layout.size * K - short)
    monkeypatch.setattr(class_trained, "STRENGTHS", (30.0,))
    rows = search.layout.rows(search.codes)
    steps = search.free_cells(rows, [np.zeros((len(search.y), K))] * len(search.tried))
    assert bool(steps) == freed


def test_the_price_of_differences_is_a_multiple_of_the_ridge():
    price = search_of().penalty(0.5)
    assert (price.ridge, price.smooth) == (0.5, 0.5 * class_trained.SMOOTHER)


def begun(search):
    return Weights(np.ones(len(search.families.tables)), np.zeros(K), True)


def test_without_cells_nothing_fades():
    search = search_of()
    nothing = [np.zeros((search.layout.size, K))] * len(search.tried)
    bias, weights, fade = search.at_number(2, nothing, begun(search))
    terms = search.out_of_fold(hide(search.families, search.codes, 2), search.fold)
    expected = search.weigh(terms, search.y, begun(search))
    np.testing.assert_allclose(bias, expected.bias, rtol=0, atol=1e-12)
    np.testing.assert_allclose(weights, expected.weights, rtol=0, atol=1e-12)
    assert fade == 0.0


def test_how_cells_fade_is_learned_from_rows_that_did_not_make_them():
    search = search_of()
    nothing = [np.zeros((len(search.y), K))] * len(search.tried)
    thetas = search.free_cells(search.layout.rows(search.codes), nothing)[0].thetas
    thetas[0] = np.zeros_like(thetas[0])
    for theta in thetas:
        theta[0] = 0.0  # some cells may stay where they are
    bias, weights, fade = search.at_number(2, thetas, begun(search))
    codes = hide(search.families, search.codes, 2)
    found = search.weigh(search.out_of_fold(codes, search.fold), search.y, begun(search))
    scores = search.scores(search.out_of_fold(codes, search.fold), found)
    order = np.argsort(search.fold, kind="stable")
    added = np.empty((len(search.y), K))
    for f, theta in zip(search.tried, thetas, strict=True):
        here = search.fold == f
        added[here] = search.layout.added(search.layout.rows(codes[:, here]), theta)
    fading = fit_weights(added[order][:, None], scores[order], search.y[order], towards=0.0)
    np.testing.assert_allclose(fade, fading.weights[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(bias, found.bias + fading.bias, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(weights, found.weights)
    assert 0 < fade < 1


@pytest.mark.parametrize(("d", "known"), [(1, [1]), (2, [1, 2]), (4, [1, 3, 4])])
def test_how_much_was_known_where_it_was_learned(monkeypatch, d, known):
    monkeypatch.setattr(class_trained, "choose", last)
    monkeypatch.setattr(class_trained, "STRENGTHS", (30.0,))
    counted, codes, y = sample(d=d)
    found = fit_class_parameters(counted, codes, y, smoothed)
    assert found.known.tolist() == known
    assert found.strength == 30.0
    assert found.fades[-1] == 1.0
    assert len(found.bias) == len(found.weights) == len(known)


def test_weights_alone_leave_the_cells_at_zero(monkeypatch):
    monkeypatch.setattr(class_trained, "choose", last)
    monkeypatch.setattr(class_trained, "STRENGTHS", ())
    counted, codes, y = sample()
    found = fit_class_parameters(counted, codes, y, smoothed)
    assert found.strength is None
    assert not any(table.any() for table in (*found.mains, *found.cells))
    assert found.fades.tolist() == [0.0, 0.0, 1.0]


def test_the_spread_is_taken_at_the_posteriors_of_the_result(monkeypatch):
    seen = []
    monkeypatch.setattr(class_trained, "choose", last)
    monkeypatch.setattr(class_trained, "STRENGTHS", (1.0,))
    monkeypatch.setattr(class_trained, "training_spread", lambda *given: seen.append(given) or 1.0)
    counted, codes, y = sample()
    found = fit_class_parameters(counted, codes, y, smoothed)
    assert not seen  # only intervals need it
    assert found.spread == 1.0
    [(replicates, _, _, weights, rows, shares)] = seen
    np.testing.assert_array_equal(weights, found.weights[-1])
    np.testing.assert_allclose(
        shares, softmax(class_scores(found, smoothed(counted), rows)), rtol=0, atol=1e-12
    )
    assert len(replicates) == class_trained.FOLDS


@pytest.mark.parametrize("fewer", [0, 1])
def test_the_covariance_of_very_many_weights_is_not_kept(monkeypatch, fewer):
    monkeypatch.setattr(class_trained, "MOST_WEIGHTS", 4 - fewer)
    search = search_of()
    terms = forest_terms(smoothed(search.families), search.codes)
    rows, theta = search.layout.rows(search.codes), np.zeros((search.layout.size, K))
    assert search.factor(rows, terms, begun(search), theta).shape == ((0, 0) if fewer else (4 + K, 4 + K))


def test_a_search_for_the_cells_that_does_not_end_is_said(monkeypatch):
    fit = CellSearch.fit

    def never(self, penalty, tolerance):
        return replace(fit(self, penalty, tolerance), converged=tolerance != class_trained.FINE)

    monkeypatch.setattr(CellSearch, "fit", never)
    monkeypatch.setattr(class_trained, "choose", last)
    monkeypatch.setattr(class_trained, "STRENGTHS", (30.0,))
    counted, codes, y = sample()
    assert not fit_class_parameters(counted, codes, y, smoothed).converged


def test_a_search_for_the_fading_that_does_not_end_is_said(monkeypatch):
    search = search_of()

    def never(*given, **choices):
        return replace(fit_weights(*given, **choices), converged="towards" not in choices)

    monkeypatch.setattr(class_trained, "fit_weights", never)
    search.at_number(2, [np.ones((search.layout.size, K))] * len(search.tried), begun(search))
    assert not search.converged


def test_the_first_two_steps_are_the_tables_as_they_are_and_weighted():
    search = search_of()
    terms = search.out_of_fold(search.codes, search.fold)
    steps, offsets = search.begin(terms, begun(search))
    rows = np.arange(len(search.y))
    assert [step.name for step in steps] == ["generative", "weights"]
    assert not any(theta.any() for step in steps for theta in step.thetas)  # neither frees a cell
    plain = softmax(search.prior + terms.sum(axis=1))[rows, search.y]
    np.testing.assert_allclose(steps[0].losses, -np.log2(plain), rtol=0, atol=1e-9)
    weighted = np.empty((len(rows), K))
    for f in search.tried:
        here = search.fold == f
        unaware = search.out_of_fold(search.codes, search.fold, f)
        found = fit_weights(
            unaware[~here], search.prior, search.y[~here], start=begun(search), tolerance=1e-5
        )
        scores = search.prior + found.bias + np.einsum("nsk,s->nk", unaware, found.weights)
        np.testing.assert_allclose(offsets[f], scores, rtol=0, atol=1e-9)
        weighted[here] = scores[here]
    expected = -np.log2(softmax(weighted)[rows, search.y])
    np.testing.assert_allclose(steps[1].losses, expected, rtol=0, atol=1e-9)


def test_the_loss_is_that_of_the_folds_that_are_tried():
    search = search_of(n=2400)
    assert len(search.tried) == 3
    losses = search.losses(np.zeros((2400, K)))
    assert len(losses) == (search.fold < 3).sum()
    np.testing.assert_allclose(losses, np.log2(3), rtol=0, atol=1e-12)


def test_how_sure_the_result_is_takes_the_cells_into_account(monkeypatch):
    search = search_of()
    rows, rng = search.layout.rows(search.codes), np.random.default_rng(5)
    terms = forest_terms(smoothed(search.families), search.codes)
    theta, *thetas = (rng.normal(size=(search.layout.size, K)) for _ in range(6))
    weights = Weights(rng.random(4), rng.normal(size=K), True)
    seen = []
    monkeypatch.setattr(class_trained, "weight_factor", lambda *given: seen.append(given))
    monkeypatch.setattr(class_trained, "training_spread", lambda *given: seen.append(given))
    search.factor(rows, terms, weights, theta)
    _ = search.stretch(rows, thetas, weights, theta).value

    def scores(found, cells):
        weighted = np.einsum("nsk,s->nk", found, weights.weights)
        return search.prior + weights.bias + weighted + search.layout.added(rows, cells)

    shares = softmax(scores(terms, theta))
    np.testing.assert_allclose(seen[0][1], shares, rtol=0, atol=1e-12)
    np.testing.assert_allclose(seen[1][5], shares, rtol=0, atol=1e-12)
    for f, replicate in enumerate(seen[1][0]):
        without = forest_terms(search.without(f), search.codes)
        np.testing.assert_allclose(replicate, scores(without, thetas[f]), rtol=0, atol=1e-9)


def test_so_many_are_known_after_hiding():
    counted, codes, _ = sample()
    for known in range(5):
        hidden = hide(counted, codes, known)
        assert ((hidden < np.array(CARDS)[:, None]).sum(axis=0) == known).all()
        assert ((hidden == codes) | (hidden == np.array(CARDS)[:, None])).all()


@pytest.mark.parametrize(("others", "rows"), [(False, 60), (True, 40)])
def test_fewer_rows_are_learned_from_where_each_costs_more(monkeypatch, others, rows):
    seen = []
    monkeypatch.setattr(class_trained, "SHARED_ROWS", 60)
    monkeypatch.setattr(class_trained, "SHARED_CLUSTERS", 40)
    monkeypatch.setattr(class_trained, "hide", lambda *given: seen.append(given[1].shape[1]) or hide(*given))
    search = search_of(others=others)
    search.at_number(2, [np.zeros((search.layout.size, K))] * len(search.tried), begun(search))
    assert seen == [rows]
