"""Kernel semi-naive Bayes on P-trees: bit columns, kernel sums, the estimator."""
