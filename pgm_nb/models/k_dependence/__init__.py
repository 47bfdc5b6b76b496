"""K-dependence Bayes: every attribute depends on the class and on up to k attributes before it."""
