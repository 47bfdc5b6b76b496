"""Folds, scores and tests of differences, shared by explain and evaluate."""
