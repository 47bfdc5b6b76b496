"""Factors over the class: scaled, in order, and harmless where a class is impossible."""

import numpy as np

from pgm_nb.inference.row_factors import row_factors


def test_scaled_so_that_nothing_underflows():
    logs = {"y": np.log([0.5, 0.5]), "far": np.array([-5000.0, -5001.0]), "near": np.array([3000.0, 3000.0])}
    factors = row_factors("y", ["a", "b"], logs)
    assert [factor.variables for factor in factors] == [["y"]] * 3
    np.testing.assert_allclose(factors[1].values, [1.0, np.exp(-1)])
    product = factors[0].product(factors[1], inplace=False).product(factors[2], inplace=False)
    product.normalize(inplace=True)
    np.testing.assert_allclose(product.values, [1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1))])


def test_what_rules_out_one_class_or_all():
    one, all_of_them = row_factors(
        "y", ["a", "b"], {"one": np.array([0.0, -np.inf]), "all": np.full(2, -np.inf)}
    )
    np.testing.assert_array_equal(one.values, [1, 0])
    np.testing.assert_array_equal(all_of_them.values, [1, 1])
