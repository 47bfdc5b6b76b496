"""Hidden naive Bayes and its packaged form: search, mixtures, compiled sums, estimators."""
