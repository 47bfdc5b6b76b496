"""Gaussian naive Bayes: densities, columns of mixed kinds, the estimator."""
