"""Base rates of another population: what is refused, and what a class without rows can get."""

import numpy as np
import pytest

from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.questions import base_rate_shift, log_base_rates, move_tree
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors


@pytest.mark.parametrize("share", [True, "0.5", None, -0.1, 1.5, np.nan, 0.5j])
def test_a_share_is_a_number_from_nought_to_one(share):
    with pytest.raises(QueryError, match="the prior of 'ill' must be a share from 0 to 1"):
        log_base_rates({"well": 0.5, "ill": share}, ["ill", "well"])


def test_shares_at_the_ends_are_shares():
    assert log_base_rates({"ill": 0, "well": 1}, ["ill", "well"]).tolist() == [-np.inf, 0.0]


def test_a_class_that_was_never_seen_can_only_stay_away():
    trained = np.array([-np.inf, np.log(0.25), np.log(0.75)])
    with pytest.raises(QueryError, match="never seen rare, so"):
        base_rate_shift(trained, np.log([0.2, 0.4, 0.4]), ["rare", "ill", "well"])
    shift = base_rate_shift(trained, np.array([-np.inf, np.log(0.5), np.log(0.5)]), ["rare", "ill", "well"])
    np.testing.assert_allclose(shift, [0.0, np.log(2), np.log(2 / 3)], atol=1e-12)


def test_a_prior_is_a_share_for_every_class():
    with pytest.raises(QueryError, match="prior must say how common each class is, such as"):
        log_base_rates(0.1, ["ill", "well"])


def test_shares_add_up_to_one():
    for total in (0.9, 1.1):
        with pytest.raises(QueryError, match="must add up to 1, but add up to"):
            log_base_rates({"ill": 0.5, "well": total - 0.5}, ["ill", "well"])
    nearly = log_base_rates({"ill": 0.5, "well": 0.5 + 5e-7}, ["ill", "well"])
    assert np.exp(nearly).sum() == pytest.approx(1, abs=1e-12)


def test_a_tree_in_another_population():
    """P(ill) 0.5 becomes 0.1: the odds of a positive test, 4 to 1, become 4 to 9."""
    factors = Factors(np.log([0.5, 0.5]), (0,), (-1,), (np.log([[0.2, 0.8], [0.8, 0.2]]),))
    variables = Variables(Variable("y", ("ill", "well")), (Variable("test", ("-", "+")),))
    tree = JunctionTree(variables, (factors), (("y", "test"),)).observe({"test": "+"})
    shift = base_rate_shift(np.log([0.5, 0.5]), np.log([0.1, 0.9]), ["ill", "well"])
    np.testing.assert_allclose(move_tree(tree, shift).joint(("y",)), [4 / 13, 9 / 13], atol=1e-12)
    np.testing.assert_allclose(tree.joint(("y",)), [0.8, 0.2], atol=1e-12)


def test_a_class_named_twice_is_refused():
    with pytest.raises(QueryError, match="the prior of '1' is given twice"):
        log_base_rates({0: 0.5, 1: 0.25, "1": 0.25}, [0, 1])
